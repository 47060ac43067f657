"""Several evaluators and executors in one command: shared answers, limits, failures, resuming."""

import json
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import (
    Endpoint,
    FailsAfter,
    HoldsAfter,
    Received,
    Reply,
    answering,
    refusal,
    serving,
)
from engine_support import (
    PATIENCE_S,
    environment,
    epc,
    epc_under_way,
    read_rows,
    same_files,
    wait_until,
)

RULES = ("local/word-count", "mock/deterministic", "mock/scripted:odds.json")
PAIR = ("--evaluator", "openai/judge-a", "--evaluator", "openai/judge-b")
WRITER = ("--executor", "openai/writer")
PLAIN = ("--no-probe",)
SMALL = ("--seeds", "0-1", "--rounds", "4")


def run_name(rule: str) -> str:
    return rule.partition("/")[2].replace(":", "-") + "_on_deterministic"


def of_model(endpoint: Endpoint, model: str) -> Counter[str]:
    """Return how often each prompt was put to a model."""
    return Counter(
        request.prompt for request in endpoint.received if request.body["model"] == model
    )


def document(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def hosted_environment(url: str) -> dict[str, str]:
    return environment(OPENAI_BASE_URL=url, OPENAI_API_KEY="sk-canary-0123456789abcdef")


def without_latency(folder: Path) -> list[dict[str, Any]]:
    return [{**call, "latency_s": 0} for call in read_rows(folder / "calls.jsonl")]


def verdicts_of(run: Path) -> dict[tuple[str, str, int], list[int]]:
    """Return how often each pair was won, lost and tied; the baseline against itself is none."""
    counts = document(run / "manifest.json")["results"]["verdict_table"]["counts"]
    return {
        (domain, strategy, task): cell
        for domain, rows in counts.items()
        for strategy, cells in rows.items()
        for task, cell in enumerate(cells)
        if strategy != "step_by_step"
    }


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return an exhaustive campaign of three evaluators, and what its command printed."""
    home = tmp_path_factory.mktemp("campaign")
    (home / "odds.json").write_text('{"default": 0, "text": {"synthesis": 1}}')
    folder = home / "judges"
    judges = [word for name in RULES for word in ("--evaluator", name)]
    arguments = (*judges, "--executor", "mock/deterministic", "--exhaustive", "--seeds", "0-2")
    return folder, epc("run", *arguments, "--out", folder, cwd=home)


def test_reading_r76_three_judges_share_one_executor_s_answers_and_each_record_says_so(
    three: tuple[Path, Any],
) -> None:
    folder, done = three
    runs = [folder / run_name(rule) for rule in RULES]

    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["campaign.json", "comparison.json", *(run.name for run in runs)]
    )
    # 11 strategies on 16 tasks: 176 answers, asked once, and 176 comparisons by each of three.
    assert "spent    704 calls" in done.stderr
    provenances = [document(run / "manifest.json")["provenance"] for run in runs]
    assert {provenance["campaign"]["id"] for provenance in provenances} == {
        document(folder / "campaign.json")["id"]
    }
    for provenance in provenances:
        assert provenance["campaign"]["evaluators"] == [*RULES]
        assert provenance["calls"] == {"evaluator": 176, "executor": 176}
    answers = [
        [row for row in read_rows(run / "calls.jsonl") if row["role"] == "executor"] for run in runs
    ]
    assert answers[0] == answers[1] == answers[2]
    checked = epc("validate", folder)
    assert checked.returncode == 0
    assert [line.split(": ")[0] for line in checked.stdout.splitlines()] == list(map(str, runs))
    refused = epc("audit", folder)
    assert (refused.returncode, "name one of them" in refused.stderr) == (2, True)


def test_the_comparison_has_a_row_a_run_and_says_where_judges_agree(
    three: tuple[Path, Any],
) -> None:
    folder, done = three

    repeated_result = epc("show", folder)
    actual_document = json.loads(epc("show", folder, "--format", "json").stdout)

    assert repeated_result.stdout == done.stdout
    assert actual_document == document(folder / "comparison.json")
    assert [(row["evaluator"], row["direction"]) for row in actual_document["runs"]] == [
        (rule, direction) for rule in RULES for direction in ("text_to_visual", "visual_to_text")
    ]
    # Without the baseline against itself: 10 strategies on 16 tasks.
    assert {each["shared"] for each in actual_document["agreement"]} == {160}
    for each in actual_document["agreement"]:
        counts, other_counts = (
            verdicts_of(folder / run_name(each[side])) for side in ("left", "right")
        )
        both_pairs = [
            pair
            for pair in counts
            if counts[pair][:2] != [0, 0] and other_counts[pair][:2] != [0, 0]
        ]
        same_total = sum(counts[pair] == other_counts[pair] for pair in both_pairs)
        assert (each["decided"], each["same"]) == (
            len(both_pairs),
            pytest.approx(same_total / len(both_pairs)),
        )
        low, high = each["same_ci95"]
        assert 0 <= low <= each["same"] <= high <= 1
    assert re.search(r"^  word-count_on_deterministic +3 +176 +176 ", done.stdout, re.MULTILINE)


def test_a_run_of_a_campaign_is_the_run_by_itself_but_for_saying_so(
    three: tuple[Path, Any], tmp_path: Path
) -> None:
    folder, _ = three
    alone = tmp_path / "alone"
    models = ("--evaluator", "local/word-count", "--executor", "mock/deterministic")

    assert epc("run", *models, "--exhaustive", "--seeds", "0-2", "--out", alone).returncode == 0

    shared = folder / "word-count_on_deterministic"
    same_files(alone, shared, ("trials.jsonl", "weights.jsonl"))
    assert without_latency(alone) == without_latency(shared)
    for name, place in (("manifest.json", "provenance"), ("run.json", None)):
        first_document, other_document = (document(run / name) for run in (alone, shared))
        assert (other_document if place is None else other_document[place]).pop("campaign")
        for each in (first_document, other_document):
            each.pop("raw", None)  # digests, in which a latency counts
        assert first_document == other_document


def test_a_hosted_executor_is_asked_once_for_all_evaluators_and_the_forecast_says_so(
    tmp_path: Path,
) -> None:
    arguments = ("run", *PAIR, *WRITER, "--executor", "openai/other", *PLAIN, "--exhaustive")
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        forecast = epc(*arguments, "--seeds", "0", "--dry-run", "--format", "json", env=env)
        assert endpoint.received == []
        done = epc(*arguments, "--seeds", "0", "--out", tmp_path / "runs", env=env)
        counts = {
            model: of_model(endpoint, f"{model}")
            for model in ("writer", "other", "judge-a", "judge-b")
        }

    assert done.returncode == 0, done.stderr
    told = {key: share["calls"]["expected"] for key, share in json.loads(forecast.stdout).items()}
    assert told == {
        "executor openai/writer": 176,
        "executor openai/other": 176,
        "evaluator openai/judge-a": 352,
        "evaluator openai/judge-b": 352,
        "in all": 1056,
    }
    # Both judges see both executors' texts, which are equal here: two questions each.
    assert {model: set(prompts.values()) for model, prompts in counts.items()} == {
        "writer": {1},
        "other": {1},
        "judge-a": {2},
        "judge-b": {2},
    }
    assert {model: prompts.total() for model, prompts in counts.items()} == {
        "writer": 176,
        "other": 176,
        "judge-a": 352,
        "judge-b": 352,
    }
    assert "in all calls" in done.stderr  # before the first call


def test_rounds_that_are_asked_afresh_share_what_the_same_round_asks(tmp_path: Path) -> None:
    arguments = (*PAIR, *WRITER, "--reuse", "none", *SMALL, *PLAIN)
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        done = epc("run", *arguments, "--out", tmp_path / "runs", env=env)
        asked = of_model(endpoint, "writer").total()

    assert done.returncode == 0, done.stderr
    # 2 seeds, 4 phases, 4 rounds: 32 baselines for both, and a response each where they part.
    answers = [
        {
            (row["occasion"], row["prompt"])
            for row in read_rows(tmp_path / "runs" / f"{judge}_on_writer" / "calls.jsonl")
            if row["role"] == "executor"
        }
        for judge in ("judge-a", "judge-b")
    ]
    assert asked == len(answers[0] | answers[1])
    assert 64 <= asked < 128
    assert epc("validate", *sorted((tmp_path / "runs").glob("*_on_*"))).returncode == 0


def test_reading_r76_shared_answers_are_no_second_measurement_of_the_executor(
    tmp_path: Path,
) -> None:
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        arguments = (*PAIR, *WRITER, *PLAIN, *SMALL, "--exhaustive")
        assert epc("run", *arguments, "--out", tmp_path / "runs", env=env).returncode == 0
    runs = [tmp_path / "runs" / f"{judge}_on_writer" for judge in ("judge-a", "judge-b")]

    compared = json.loads(epc("compare", *runs, "--format", "json").stdout)
    manifests = [run / "manifest.json" for run in runs]
    for run, copy in zip(runs, ("a", "b"), strict=True):
        (tmp_path / copy).mkdir()
        (tmp_path / copy / "manifest.json").write_bytes((run / "manifest.json").read_bytes())
    by_manifest = json.loads(
        epc("compare", tmp_path / "a" / "manifest.json", tmp_path / "b", "--format", "json").stdout
    )

    assert len(manifests) == 2
    assert compared["shared"] == {
        "executor": {"shared": 176, "answers": 176},
        "evaluator": {"shared": 0, "answers": 176},
    }
    assert by_manifest["shared"]["executor"] == {"shared": 176, "answers": 176}


def test_a_campaign_killed_and_then_interrupted_is_finished_and_asks_nothing_twice(
    tmp_path: Path,
) -> None:
    arguments = ("run", *PAIR, *WRITER, *PLAIN, *SMALL, "--format", "json")
    folder = tmp_path / "killed"
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        whole_result = epc(*arguments, "--out", tmp_path / "whole", env=env)
        assert whole_result.returncode == 0, whole_result.stderr
        expected = {model: of_model(endpoint, model) for model in ("writer", "judge-a", "judge-b")}
        assert all(set(prompts.values()) == {1} for prompts in expected.values())
        endpoint.received.clear()

        command: tuple[str | Path, ...] = (*arguments, "--out", folder)
        answered: set[tuple[str, str]] = set()
        for answers, how in ((20, signal.SIGKILL), (30, signal.SIGINT)):
            endpoint.behave = hold = HoldsAfter(answers)
            with epc_under_way(*command, env=env) as running:
                wait_until(hold.reached.is_set)
                wait_until(lambda: any(map(journalled, folder.rglob("journal.jsonl"))))
                running.send_signal(how)
                _, stderr = running.communicate(timeout=PATIENCE_S)
            hold.go_on.set()
            assert how is signal.SIGKILL or running.returncode == 4
            assert how is signal.SIGKILL or f"next: epc resume {folder}" in stderr
            answered = {
                (row["model"].removeprefix("openai/"), row["prompt"])
                for journal in folder.rglob("journal.jsonl")
                for row in read_rows(journal)
            }
            assert answered
            endpoint.received.clear()
            command = ("resume", folder, "--format", "json")
        endpoint.behave = answering
        resumed = epc("resume", folder, "--format", "json", env=env)

        again = {(request.body["model"], request.prompt) for request in endpoint.received}
        assert resumed.returncode == 0, resumed.stderr
        assert not answered & again
    assert json.loads(resumed.stdout)["runs"] == json.loads(whole_result.stdout)["runs"]
    for name in ("judge-a_on_writer", "judge-b_on_writer"):
        same_files(tmp_path / "whole" / name, folder / name, ("trials.jsonl", "weights.jsonl"))
        results = [
            document(at / name / "manifest.json")["results"] for at in (tmp_path / "whole", folder)
        ]
        assert results[0] == results[1]
    assert not (folder / "answers").exists()


def journalled(path: Path) -> bool:
    return path.stat().st_size > 0


def test_an_evaluator_with_a_wrong_key_is_named_and_loses_no_other_run(tmp_path: Path) -> None:
    folder = tmp_path / "runs"

    def unknown(received: Received) -> Reply:
        if received.body["model"] == "judge-b":
            return refusal(401, "no such key")
        return answering(received)

    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        endpoint.behave = unknown
        done = epc("run", *PAIR, *WRITER, *PLAIN, *SMALL, "--out", folder, env=env)
        endpoint.behave = answering
        endpoint.received.clear()
        result = epc("show", folder)
        resumed = epc("resume", folder / "judge-b_on_writer", env=env)
        models = {request.body["model"] for request in endpoint.received}

    assert done.returncode == 4
    assert "runs complete: 1, not complete: 1" in done.stderr
    assert "judge-b_on_writer: openai/judge-b: HTTP 401: no such key" in done.stderr
    assert f"next: epc resume {folder}" in done.stderr
    assert "NOT COMPLETE: judge-b_on_writer" in done.stdout
    assert result.stdout == done.stdout
    assert resumed.returncode == 0, resumed.stderr
    assert models == {"judge-b"}  # the writer's answers are there already
    assert (folder / "comparison.json").exists()


def test_a_judge_that_cannot_reuse_its_answers_is_left_out_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    """A coin is tossed anew in each round, so `--reuse memo` would make its tosses a preference."""
    judges = ("--evaluator", "mock/coin-flip", "--evaluator", "mock/deterministic")
    command = ("run", *judges, "--executor", "mock/deterministic", "--reuse", "memo", *SMALL)
    done = epc(*command, "--out", tmp_path / "runs")
    alone = epc("run", *judges[:2], *command[5:], "--out", tmp_path / "alone")

    assert done.returncode == 2
    assert "deterministic_on_deterministic" in done.stdout
    assert "left out mock/coin-flip answers each round afresh" in done.stderr
    assert "epc: not all were measured:\nmock/coin-flip answers each round" in done.stderr
    assert (tmp_path / "runs" / "deterministic_on_deterministic" / "manifest.json").exists()
    assert epc("resume", tmp_path / "runs").returncode == 0
    assert alone.returncode == 2
    assert not (tmp_path / "alone").exists()


def test_limits_are_of_all_runs_together(tmp_path: Path) -> None:
    arguments = ("run", *PAIR, *WRITER, *PLAIN, *SMALL, "--exhaustive")
    folder = tmp_path / "runs"
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        done = epc(*arguments, "--max-calls", "200", "--out", folder, env=env)
        first = len(endpoint.received)
        priced = epc(*arguments, "--max-cost", "1", "--out", tmp_path / "priced", env=env)
        resumed = epc("resume", folder, env=env)
        in_all = len(endpoint.received)

    assert done.returncode == 4
    assert first == 200
    assert done.stderr.count("stopped at --max-calls 200") == 2  # of each run
    assert priced.returncode == 2
    assert "the price of openai/judge-a is not known" in priced.stderr
    assert resumed.returncode == 0, resumed.stderr
    assert in_all == 3 * 176


def test_a_cap_on_cost_is_of_all_models_together(tmp_path: Path) -> None:
    dear, cheap = "openai/gpt-4o-2024-08-06", "openai/gpt-4o-mini-2024-07-18"
    arguments = (
        "run",
        "--evaluator",
        dear,
        "--evaluator",
        cheap,
        "--executor",
        cheap,
        *PLAIN,
        *SMALL,
    )
    cap = 0.0015
    with serving() as endpoint:
        env = hosted_environment(endpoint.url)
        done = epc(*arguments, "--max-cost", str(cap), "--out", tmp_path / "runs", env=env)
        counts = Counter(request.body["model"] for request in endpoint.received)
        resumed = epc("resume", tmp_path / "runs", env=env)

    # 21 tokens read and 3 written a call, at $2.50 and $10, and at $0.15 and $0.60 a million.
    spent = counts["gpt-4o-2024-08-06"] * (21 * 2.5 + 3 * 10) / 1e6
    spent += counts["gpt-4o-mini-2024-07-18"] * (21 * 0.15 + 3 * 0.6) / 1e6
    assert done.returncode == 4
    assert "stopped at --max-cost 0.0015: spent" in done.stderr
    assert 0 < spent <= cap
    assert f"${spent:.4f}" in done.stderr
    assert resumed.returncode == 0, resumed.stderr


def test_a_campaign_that_nothing_answers_leaves_nothing(tmp_path: Path) -> None:
    with serving() as endpoint:
        endpoint.behave = FailsAfter(0, refusal(401))
        done = epc(
            *("run", *PAIR, *WRITER, *PLAIN, *SMALL, "--out", tmp_path / "runs"),
            env=hosted_environment(endpoint.url),
        )

    assert done.returncode == 3
    assert "nothing was answered" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--evaluator", "mock/coin-flip"), "--evaluator mock/coin-flip is named twice"),
        (("--executor", "nonsense"), "nonsense"),
    ],
)
def test_what_does_not_fit_together_is_refused_before_anything_is_made(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    models = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")
    second = () if "--evaluator" in words else ("--evaluator", "mock/deterministic")

    done = epc("run", *models, *second, *words, "--out", tmp_path / "runs")

    assert done.returncode == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_folders_names_are_safe_and_no_two_alike(tmp_path: Path) -> None:
    table = tmp_path / "My verdicts!.csv"
    rows = [f"s{s},{d},t{t},A" for s in (1, 2) for d in ("text", "visual") for t in range(8)]
    table.write_text("\n".join(["strategy,domain,task,verdict", *rows]), "utf-8")
    models = ("--evaluator", "openai/Judge", "--evaluator", "openrouter/x/judge")
    with serving() as endpoint:
        env = {**hosted_environment(endpoint.url), "OPENROUTER_API_KEY": "k"}
        env["OPENROUTER_BASE_URL"] = endpoint.url
        done = epc(
            *("run", *models, "--evaluator", "openai/judge", "--evaluator", f"recorded:{table}"),
            *(*WRITER, *PLAIN, *SMALL, "--out", tmp_path / "runs"),
            env=env,
        )

    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [
        "Judge_on_writer",
        "My-verdicts",
        "campaign.json",
        "comparison.json",
        "judge-2_on_writer",
        "x-judge_on_writer",
    ]


def test_without_out_the_folder_is_named_after_day_and_models(tmp_path: Path) -> None:
    models = ("--evaluator", "mock/coin-flip", "--evaluator", "mock/deterministic")
    arguments = ("--executor", "mock/deterministic", "--seeds", "0", "--rounds", "1")

    assert epc("run", *models, *arguments, cwd=tmp_path, env=environment()).returncode == 0

    assert [path.name for path in (tmp_path / "runs").iterdir()] == [
        "2026-07-02-2-evaluators-1-executor"
    ]


def test_out_may_be_the_empty_folder_that_the_user_stands_in(tmp_path: Path) -> None:
    models = ("--evaluator", "mock/coin-flip", "--evaluator", "mock/deterministic")
    arguments = ("--executor", "mock/deterministic", "--seeds", "0", "--rounds", "1", "--out", ".")

    done = epc("run", *models, *arguments, cwd=tmp_path, env=environment())
    repeated_result = epc("run", *models, *arguments, cwd=tmp_path, env=environment())

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "comparison.json").exists()
    assert (repeated_result.returncode, "`epc resume .` finishes it" in repeated_result.stderr) == (
        2,
        True,
    )
