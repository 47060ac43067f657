"""`epc compare` and `epc watch` as users meet them: real runs, real files, a real server."""

import json
import shutil
import signal
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from drift_support import share_of_prompts, turned, turning, verdict_rows, write_verdicts
from endpoint_support import (
    Endpoint,
    HoldsAfter,
    Received,
    Reply,
    answering,
    completion,
    refusal,
)
from engine_support import environment, epc, epc_under_way, files_that_hold, read_rows, wait_until
from run_support import CANARY, HOSTED, MOCKS

from epc.records.schemas import findings as schema_findings

SMALL = ("--exhaustive", "--seeds", "0-1", "--rounds", "2")
DAY = date(2026, 7, 2)


def on(day: int, url: str | None = None) -> dict[str, str]:
    """Return the environment of a day, with an endpoint if one is given."""
    seconds = (DAY + timedelta(days=day) - date(1970, 1, 1)).days * 86400
    remote_environment = {} if url is None else {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": CANARY}
    return environment(**{**remote_environment, "SOURCE_DATE_EPOCH": str(seconds)})


def hosted_run(folder: Path, endpoint: Endpoint, *further_arguments: str) -> Path:
    arguments = ("run", *HOSTED, *SMALL, *further_arguments)
    done = epc(*arguments, "--out", folder, env=on(0, endpoint.url))
    assert done.returncode == 0, done.stderr
    return folder


def as_json(done: Any, schema: str) -> Any:
    value = json.loads(done.stdout)
    assert schema_findings(schema, value) == []
    return value


# --- compare


def test_reading_r44_a_server_that_changed_is_found_and_one_that_did_not_is_the_same(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first = hosted_run(tmp_path / "first", endpoint)
    second = hosted_run(tmp_path / "second", endpoint)
    endpoint.behave = turning(share_of_prompts(0.2))
    third = hosted_run(tmp_path / "third", endpoint)

    same_result = epc("compare", first, second, "--format", "json")
    other_result = epc("compare", first, third, "--format", "json")

    value = as_json(same_result, "compare")
    assert (same_result.returncode, value["verdict"], value["like_for_like"]) == (0, "same", True)
    assert value["table"]["noise"] == {"assumed": 0.05, "asked": 0, "flips": 0}
    value = as_json(other_result, "compare")
    flips = [
        call["prompt"]
        for call in read_rows(first / "calls.jsonl")
        if call["role"] == "evaluator" and share_of_prompts(0.2)(call["prompt"])
    ]
    assert (other_result.returncode, value["verdict"]) == (1, "drifted")
    assert (value["table"]["changed"], value["table"]["pairs"]) == (len(flips), 176)


def test_reading_r44_an_evaluator_that_flips_by_itself_has_not_drifted(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """A fifth of the prompts gets another verdict at every other asking."""
    counts: dict[str, int] = {}

    def behave(received: Received) -> Reply:
        prompt = received.prompt
        counts[prompt] = counts.get(prompt, -1) + 1
        flips = share_of_prompts(0.2)
        return turning(lambda text: flips(text) and counts[text] % 2 == 1)(received)

    endpoint.behave = behave
    arguments = ("--seeds", "0-9", "--rounds", "10", "--recheck", "176")
    first = hosted_run(tmp_path / "first", endpoint, *arguments)
    counts.update(dict.fromkeys(counts, 0))
    second = hosted_run(tmp_path / "second", endpoint, *arguments)

    value = as_json(epc("compare", first, second, "--format", "json"), "compare")

    noise = value["table"]["noise"]
    assert noise["asked"] > 200
    assert noise["flips"] > 30
    assert value["table"]["changed"] > 20
    assert value["verdict"] == "cannot_tell"


def test_reading_r44_two_judges_of_the_same_answers_are_paired_and_none_has_drifted(
    tmp_path: Path,
) -> None:
    """The rule scores answers, so it is asked in other words than the model that reads a prompt."""
    first, second = tmp_path / "first", tmp_path / "second"
    for evaluator, folder in (("mock/deterministic", first), ("local/word-count", second)):
        models = ("--evaluator", evaluator, "--executor", "mock/deterministic")
        assert epc("run", *models, *SMALL, "--out", folder).returncode == 0

    value = as_json(epc("compare", first, second, "--format", "json"), "compare")
    text = epc("compare", first, second).stdout

    table = value["table"]
    assert (table["pairs"], table["other_answers"], table["other_prompts"]) == (176, 0, 0)
    assert table["changed"] > 50  # by length, and by a digest: most verdicts differ
    assert value["verdict"] == "different"
    assert text.startswith(
        "DIFFERENT, not like for like\n  two evaluators, so no drift of either\n"
    )


def test_reading_r44_one_judge_that_is_asked_in_other_words_is_not_compared(tmp_path: Path) -> None:
    design = tmp_path / "other.yaml"
    assert epc("design", "new", "--from", "reference", design).returncode == 0
    reference = design.read_text("utf-8")
    first, second = tmp_path / "first", tmp_path / "second"
    for changed, folder in ((reference, first), (_asked_otherwise(reference), second)):
        design.write_text(changed, "utf-8")
        done = epc("run", *MOCKS, *SMALL[:3], "--design", design, "--out", folder)
        assert done.returncode == 0, done.stderr

    value = as_json(epc("compare", first, second, "--format", "json"), "compare")

    table = value["table"]
    assert (table["pairs"], table["other_answers"], table["other_prompts"]) == (0, 0, 176)
    assert value["verdict"] == "cannot_tell"


def _asked_otherwise(design: str) -> str:
    """Return a design whose evaluator is asked in other words."""
    before, marker, after = design.partition("evaluator_prompt: >-\n")
    assert marker
    return before + marker + after.replace("  ", "  Take your time. ", 1)


def test_reading_r44_what_the_executor_changed_is_left_out(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first = hosted_run(tmp_path / "first", endpoint)
    text = read_rows(first / "calls.jsonl")
    baselines = [c["prompt"] for c in text if c["prompt"].startswith("Solve this step by step")]

    def behave(received: Received) -> Reply:
        if received.prompt == baselines[0]:
            return completion("Something else.")
        return answering(received)

    endpoint.behave = behave
    second = hosted_run(tmp_path / "second", endpoint)

    value = as_json(epc("compare", first, second, "--format", "json"), "compare")

    # A baseline stands in every comparison of its task: eleven of them, the one with itself too.
    assert value["table"]["other_answers"] == 11
    assert (value["table"]["pairs"], value["table"]["changed"]) == (165, 0)
    assert value["verdict"] == "same"


def test_compare_in_words_and_its_exit_codes(tmp_path: Path) -> None:
    assert epc("run", *MOCKS, *SMALL, "--out", "a", cwd=tmp_path).returncode == 0
    few = ("--exhaustive", "--seeds", "0-1", "--rounds", "3", "--out", "b")
    assert epc("run", *MOCKS, *few, cwd=tmp_path).returncode == 0

    itself = epc("compare", "a", "a", cwd=tmp_path)
    unlike = epc("compare", "a", "b", cwd=tmp_path)
    nowhere = epc("compare", "a", "c", cwd=tmp_path)
    empty = epc("compare", "a", ".", cwd=tmp_path)

    assert (itself.returncode, itself.stderr) == (0, "")
    assert itself.stdout.startswith("SAME, like for like\nA  a: mock/deterministic, 2026-07-02")
    assert "0 of 176 changed, 0.0%: 0 towards A, 0 towards B" in itself.stdout
    assert unlike.returncode == 1
    assert unlike.stdout.startswith("SAME, not like for like\n")
    assert "/config/rounds: 2 against 3: " in unlike.stdout
    assert nowhere.returncode == 2
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "there is no manifest.json here" in empty.stderr


# --- watch


def watch(run: Path, *further_arguments: str | Path, env: dict[str, str]) -> Any:
    return epc("watch", run, "--format", "json", *further_arguments, env=env)


def test_reading_r92_a_server_is_watched_day_by_day(tmp_path: Path, endpoint: Endpoint) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    total = sum(endpoint.prompts.values())

    for day in range(1, 4):
        done = watch(run, env=on(day, endpoint.url))
        value = as_json(done, "watch")
        assert (done.returncode, value["verdict"]) == (0, "cannot_tell")
        assert value["since_run"] == {
            "verdict": "cannot_tell",
            "pairs": 60,
            "turned": 0,
            "p_value": 1.0,
        }
    # Sixty candidates three times on the first day, 24 pairs on each later one.
    assert sum(endpoint.prompts.values()) == total + 3 * 60 + 2 * 24
    endpoint.behave = turning(share_of_prompts(0.6))
    verdicts = []
    for day in range(4, 12):
        done = watch(run, env=on(day, endpoint.url))
        value = as_json(done, "watch")
        verdicts.append((done.returncode, value["verdict"]))
        if value["verdict"] == "drifted":
            break

    assert verdicts[0] == (0, "cannot_tell")
    assert verdicts[-1] == (1, "drifted")
    panel = read_rows(run / "watch.jsonl")[1]["answers"]
    flipped = [row["task"] for row in panel if share_of_prompts(0.6)(row["prompt"])]
    assert [pair["task"] for pair in value["changed"]] == flipped
    # The record of the measurement is what it was, and still valid.
    assert {name: (run / name).read_bytes() for name in before} == before
    assert {path.name for path in run.iterdir()} == {*before, "watch.jsonl"}
    assert epc("validate", run).returncode == 0
    assert files_that_hold(tmp_path, CANARY) == []


def test_reading_r92_an_evaluator_that_changed_before_its_watch_began_is_found_on_the_first_day(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    endpoint.behave = turning(share_of_prompts(0.2))

    done = watch(run, env=on(1, endpoint.url))
    quiet = watch(run, env=on(2, endpoint.url))

    value = as_json(done, "watch")
    candidates = read_rows(run / "watch.jsonl")[0]["answers"]
    turned = sum(share_of_prompts(0.2)(row["prompt"]) for row in candidates)
    assert (done.returncode, value["since_run"]["verdict"]) == (1, "drifted")
    assert (value["since_run"]["turned"], value["first_day"]) == (turned, "2026-07-03")
    assert turned > 0
    # The panel holds what it answers now, so that later days compare with that.
    assert (quiet.returncode, as_json(quiet, "watch")["days"][0]["changed"]) == (1, 0)


def test_reading_r92_days_of_the_rule_before_get_a_new_panel(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    old = {"answers": [{"before": "A", "changed": True, "raw": "B"}], "changed": 1}
    line = json.dumps({"day": "2026-07-02", "panel": "0" * 64, **old}) + "\n"
    (run / "watch.jsonl").write_text(line, "utf-8")

    result = epc("watch", run, "--no-ask", env=on(1))
    done = watch(run, env=on(1, endpoint.url))

    assert result.returncode == 0
    assert (
        "the days until 2026-07-02 (1) were compared with one recorded answer a pair"
        in result.stdout
    )
    value = as_json(done, "watch")
    assert (done.returncode, value["first_day"], value["pairs"]) == (0, "2026-07-03", 24)
    assert (run / "watch.jsonl").read_text("utf-8").startswith(line)


def watched_for(run: Path, flips: list[int]) -> None:
    """Write the history on: after its two days, days on which so many of the panel changed."""
    first, second = read_rows(run / "watch.jsonl")
    days = [first, second]
    for number, count in enumerate(flips, 3):
        day = (DAY + timedelta(days=number)).isoformat()
        answers = [
            {**answer, "raws": [raw], "answered_at": [None]}
            for index, answer in enumerate(second["answers"])
            for raw in ["B" if (answer["before"] == "A") == (index < count) else "A"]
        ]
        days.append({**second, "day": day, "answers": answers})
    text = "".join(f"{json.dumps(day, sort_keys=True)}\n" for day in days)
    (run / "watch.jsonl").write_text(text, "utf-8")


def test_reading_r46_two_hundred_quiet_days_do_not_hide_ten_of_a_drift(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """The word `holds` is about the recent past, and goes before the alarm comes."""
    run = hosted_run(tmp_path / "run", endpoint)
    for day in (1, 2):
        assert watch(run, env=on(day, endpoint.url)).returncode == 0
    once = (run / "watch.jsonl").read_bytes()
    quiet = [0, 1] * 100  # 2.1% of 24 pairs

    def stands(flips: list[int]) -> tuple[int, Any, str]:
        (run / "watch.jsonl").write_bytes(once)
        watched_for(run, flips)
        done = watch(run, "--no-ask", env=on(300))
        return done.returncode, as_json(done, "watch"), epc("watch", run, "--no-ask").stdout

    code, value, text = stands(quiet)
    assert (code, value["verdict"], value["held"]) == (0, "holds", "2027-01-20")
    assert "\nsince 2026-07-03  HOLDS, after 201 days of 24 pairs\n" in text
    assert "  recent     2.4% a day from 2027-01-14 to 2027-01-20\n" in text
    assert "  means      a drift to 20.0% or more that has lasted 21 days of asking" in text
    assert "  held " not in text

    for changed in (3, 5):  # 12.5% and 20.8% of 24 pairs
        code, value, text = stands(quiet + [changed] * 10)
        assert (code, value["verdict"], value["alarm"]) == (0, "cannot_tell", None)
        assert "2027-01-20" <= value["held"] < "2027-01-30"
        assert "  CANNOT TELL ANY MORE, after 211 days of 24 pairs\n" in text
        assert f"  held       until {value['held']}\n" in text


def test_reading_r46_a_day_counts_once(tmp_path: Path, endpoint: Endpoint) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    first = epc("watch", run, "--dry-run", env=on(1))
    once = watch(run, env=on(1, endpoint.url))
    history, total = (run / "watch.jsonl").read_bytes(), sum(endpoint.prompts.values())

    twice = watch(run, env=on(1, endpoint.url))
    result = watch(run, "--no-ask", env=on(2, endpoint.url))
    dry = epc("watch", run, "--dry-run", env=on(2))

    assert twice.stdout == result.stdout == once.stdout
    assert (run / "watch.jsonl").read_bytes() == history
    assert sum(endpoint.prompts.values()) == total
    assert dry.returncode == 0
    assert dry.stdout.splitlines()[1].split() == ["evaluator", "calls", "24", "24", "24"]
    assert first.stdout.splitlines()[1].split() == ["evaluator", "calls", "180", "180", "180"]
    assert watch(run, env=on(0, endpoint.url)).returncode == 2  # a clock behind the history


def test_reading_r46_a_row_holds_what_was_asked_and_answered(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    assert watch(run, "--pairs", "5", env=on(1, endpoint.url)).returncode == 0

    (row,) = read_rows(run / "watch.jsonl")

    assert schema_findings("watch_day", row) == []
    answers = {c["prompt"]: c["answer"] for c in read_rows(run / "calls.jsonl")}
    assert len(row["answers"]) == 13  # 60 for 24, so 12.5 for 5
    for answer in row["answers"]:
        assert answer["raws"] == [answer["before"]] * 3 == [answers[answer["prompt"]]] * 3
    assert (row["day"], row["served_models"]) == ("2026-07-03", ["served-model-0806"])
    # The number of pairs is the history's from then on, and another one is another watch.
    value = as_json(watch(run, env=on(2, endpoint.url)), "watch")
    assert (value["pairs"], len(value["days"])) == (5, 1)
    refused = watch(run, "--pairs", "6", env=on(3, endpoint.url))
    assert refused.returncode == 2
    assert "name another one with --history" in refused.stderr
    apart = ("--pairs", "6", "--history", tmp_path / "other.jsonl")
    assert watch(run, *apart, env=on(3, endpoint.url)).returncode == 0


def test_reading_r46_a_provider_that_fails_leaves_the_history_alone(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    assert watch(run, env=on(1, endpoint.url)).returncode == 0
    history = (run / "watch.jsonl").read_bytes()
    texts: list[str] = []

    def behave(received: Received) -> Reply:
        texts.append(received.prompt)
        return refusal(401, "wrong key") if len(texts) > 10 else answering(received)

    endpoint.behave = behave
    failed = watch(run, "--concurrency", "1", env=on(2, endpoint.url))
    assert failed.returncode == 3
    assert "the history is untouched; the same command asks what is left" in failed.stderr
    assert failed.stdout == ""
    assert (run / "watch.jsonl").read_bytes() == history

    endpoint.behave = answering
    count = sum(endpoint.prompts.values())
    assert watch(run, env=on(2, endpoint.url)).returncode == 0
    assert sum(endpoint.prompts.values()) - count == 24 - 10  # no answered call is asked again
    assert [row["day"] for row in read_rows(run / "watch.jsonl")] == ["2026-07-03", "2026-07-04"]
    assert not (run / "watch.jsonl.part").exists()


def test_reading_r46_a_limit_stops_a_day_and_the_next_sitting_goes_on(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    count = sum(endpoint.prompts.values())

    stopped = watch(run, "--max-calls", "20", env=on(1, endpoint.url))
    assert (stopped.returncode, (run / "watch.jsonl").exists()) == (4, False)
    assert "stopped at --max-calls 20" in stopped.stderr
    # What a day left unfinished is not another day's.
    later_result = watch(run, env=on(2, endpoint.url))

    assert later_result.returncode == 0
    assert sum(endpoint.prompts.values()) - count == 20 + 180


def test_reading_r46_ctrl_c_loses_nothing(tmp_path: Path, endpoint: Endpoint) -> None:
    run = hosted_run(tmp_path / "run", endpoint)
    holding = HoldsAfter(10)
    endpoint.behave = holding
    count = sum(endpoint.prompts.values())
    with epc_under_way("watch", run, "--concurrency", "1", env=on(1, endpoint.url)) as running:
        wait_until(holding.reached.is_set)
        running.send_signal(signal.SIGINT)
        assert running.wait() == 4
        assert running.stderr is not None
        assert "the same command goes on today" in running.stderr.read()
    holding.go_on.set()
    assert not (run / "watch.jsonl").exists()

    endpoint.behave = answering
    assert watch(run, env=on(1, endpoint.url)).returncode == 0
    assert sum(endpoint.prompts.values()) - count == 180 + 1  # what was under way is asked again


def test_reading_r46_recorded_verdicts_that_changed_are_drift(tmp_path: Path) -> None:
    table = write_verdicts(tmp_path / "verdicts.csv", verdict_rows())
    run = tmp_path / "run"
    assert epc("run", "--evaluator", f"recorded:{table}", *SMALL, "--out", run).returncode == 0

    begun = watch(run, env=on(1))
    same = as_json(watch(run, env=on(2)), "watch")
    write_verdicts(table, turned(verdict_rows(), (3, 77)))
    done = watch(run, env=on(3))
    back = as_json(watch(run, "--no-ask", env=on(4)), "watch")

    assert as_json(begun, "watch")["verdict"] == "cannot_tell"  # no day came after the first
    assert (same["verdict"], same["facts"], same["pairs"]) == ("holds", True, 176)
    value = as_json(done, "watch")
    assert (done.returncode, value["verdict"]) == (1, "drifted")
    names = {(pair["strategy"], pair["domain"], pair["task"]) for pair in value["changed"]}
    assert names == {verdict_rows()[index][:3] for index in (3, 77)}
    assert [finding["where"] for finding in value["findings"]] == ["/evaluator/details"]
    assert back["verdict"] == "drifted"


def test_reading_r46_what_cannot_be_watched_says_what_can(tmp_path: Path) -> None:
    coin = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")
    for name, models in (("fresh", coin), ("run", MOCKS)):
        plan = ("--seeds", "0", "--rounds", "2", "--out", name)
        assert epc("run", *models, *plan, cwd=tmp_path).returncode == 0
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(tmp_path / "run" / "manifest.json", alone)

    fresh, manifest = epc("watch", tmp_path / "fresh"), epc("watch", alone)
    mock = epc("watch", tmp_path / "run")

    assert (fresh.returncode, manifest.returncode) == (2, 2)
    assert "watch a run that reused its answers" in fresh.stderr
    assert "watch the run folder, not a manifest" in manifest.stderr
    assert mock.returncode == 0
    assert mock.stdout.startswith("since the run     SAME: 0 of ")
