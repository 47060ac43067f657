"""`epc judge plan`, `run`, `check`, `report` and `import`, as a user meets them."""

import csv
import io
import json
import re
import shutil
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from budget_support import by_night
from endpoint_support import HoldsAfter, Received, Reply, completion, serving
from engine_support import (
    DAY,
    asked_for,
    environment,
    epc,
    epc_under_way,
    read_rows,
    sitting,
    wait_until,
)
from judge_support import archived, grid, judged_by_models, write_rows
from shared_support import shared

from epc.analysis.judging.evaluation import document
from epc.analysis.judging.summary import summary
from epc.engine.judging.evaluate import Request, write_plan
from epc.engine.local import models
from epc.engine.mocks import Judge
from epc.records import decisions
from epc.records.judging.recheck import recheck
from epc.records.judging.sources import entries_of
from epc.records.layout import CALLS
from epc.spec.judge_v1 import DIMENSIONS, METHODS, OVERALL

ROWS = grid()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "outputs.jsonl", ROWS)


def test_from_a_table_to_a_report(tmp_path: Path, table: Path) -> None:
    judges = ("--judge", "mock/judge", "--judge", "mock/careless-judge")
    plan = epc("judge", "plan", table, *judges, "--out", "e", cwd=tmp_path)
    assert (plan.returncode, plan.stdout) == (0, f"{table}: ok, findings: 0\n")
    assert "next: epc judge run e" in plan.stderr

    dry = epc("judge", "run", "e", "--dry-run", "--format", "json", cwd=tmp_path)
    assert json.loads(dry.stdout)["judge:mock/judge"]["calls"]["upper"] == 4
    run = epc("judge", "run", "e", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("Judge-v1.0, e: 8 evaluations by 2 judges\n")
    check = epc("judge", "check", "e", "--format", "json", cwd=tmp_path)
    assert (check.returncode, json.loads(check.stdout)["ok"]) == (0, True)
    report = epc(
        "judge", "report", "e", "--format", "csv", "--accuracy", "acc.csv",
        cwd=tmp_path,
    )  # fmt: skip
    assert report.returncode == 0
    assert len(list(csv.DictReader(io.StringIO(report.stdout)))) > 50
    assert (tmp_path / "acc.csv").read_text("utf-8").startswith("strategy,accuracy\nA,")
    repeated_result = epc("judge", "run", "e", cwd=tmp_path)
    assert repeated_result.stdout == run.stdout
    assert "is complete" in repeated_result.stderr


@pytest.mark.parametrize(
    ("asked", "outputs"),
    [
        (("--exhaustive",), 176),  # 11 strategies x 16 tasks
        (("--exhaustive", "--seeds", "0", "--rounds", "2"), 176),
        ((), 176),  # thirty seeds meet every pair
        (("--seeds", "0", "--rounds", "2"), None),  # one does not
    ],
)
def test_judge_7_1_the_first_command_of_the_page_plans_a_run(
    tmp_path: Path, asked: tuple[str, ...], outputs: int | None
) -> None:
    page = Path(__file__).parents[3] / "site" / "docs" / "judge.md"
    typed = next(line for line in page.read_text("utf-8").splitlines() if line.startswith("epc "))
    program, *text = typed.split()
    assert (program, text[:3]) == ("epc", ["judge", "plan", "runs/first"])
    models = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
    assert epc("run", *models, *asked, "--out", "runs/first", cwd=tmp_path).returncode == 0

    done = epc(*text, cwd=tmp_path)

    if outputs is None:
        assert done.returncode == 1
        assert "0 of 1 outputs [JUDGE-7.1]\n  fix: " in done.stdout
        assert not (tmp_path / "judged").exists()
    else:
        assert (done.returncode, done.stdout) == (0, "runs/first: ok, findings: 0\n")
        assert f"planned  judged: {outputs} outputs\n" in done.stderr


def prompts_of(folder: Path) -> list[str]:
    """Return what an evaluation asked."""
    return sorted(call["prompt"] for call in read_rows(folder / CALLS))


def favouring_its_name(received: Received) -> Reply:
    """Answer with zeros, and with ones where the prompt says that the output is its own."""
    record = Judge().record(received.prompt)
    assert record is not None
    score = int('"target_model": "openai/judge-1"' in received.prompt)
    scores: dict[str, int] = {**dict.fromkeys(DIMENSIONS, score), OVERALL: 4 * score}
    verdict = "PARTIAL" if score else "FAIL"
    record |= {"scores": scores, "verdict": verdict}
    return completion(json.dumps(record))


@pytest.mark.slow
def test_judging_is_blind_and_what_names_change_is_a_figure_of_its_own(
    tmp_path: Path,
) -> None:
    names = ("openai/judge-1", "lab/writer-9")
    rows = [{**row, "output": f"Answer {i}."} for i, row in enumerate(grid("123", "A", names))]
    table = write_rows(tmp_path / "outputs.jsonl", rows)
    with serving() as server:
        env = environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-canary-0123456789abcdef")
        server.behave = favouring_its_name
        for folder, asked in (("blind", ()), ("named", ("--named",))):
            arguments = ("--judge", "openai/judge-1", *asked, "--out", folder)
            assert epc("judge", "plan", table, *arguments, cwd=tmp_path, env=env).returncode == 0
            done = epc("judge", "run", folder, cwd=tmp_path, env=env)
            assert done.returncode == 0, done.stderr

    asked_blind = prompts_of(tmp_path / "blind")
    for prompt in asked_blind:
        assert not any(name in prompt for name in (*names, "self_judge", str(DAY.date())))
    assert all(any(name in prompt for name in names) for prompt in prompts_of(tmp_path / "named"))
    assert epc("judge", "check", "blind", cwd=tmp_path).returncode == 0
    for method, target in (("self_judge", names[0]), ("cross_judge", names[1])):
        kept_rows = archived(tmp_path / "blind", valid=True, method=method)
        assert [record["sample"]["target_model"] for record in kept_rows] == [target] * 3
    report = epc("judge", "report", "blind", "named", "--format", "json", cwd=tmp_path)
    shifts = {
        row["method"]: (row["mean_difference"]["mean"], row["blind"])
        for row in json.loads(report.stdout)["drift"]
    }
    assert shifts == {"self_judge": (4, [True, False]), "cross_judge": (0, [True, False])}
    output = epc("judge", "report", "blind", "named", cwd=tmp_path).stdout
    assert "what names do: blind to named, no drift" in output


def test_a_blind_judge_is_asked_the_same_on_another_day(tmp_path: Path, table: Path) -> None:
    request = Request(judges=["mock/judge"], methods=METHODS)
    for days, folder in enumerate(("today", "later")):
        later = DAY + timedelta(days=40 * days)
        write_plan(entries_of(table), request, tmp_path / folder, now=later)
        judged_by_models(tmp_path / folder)

    assert prompts_of(tmp_path / "today") == prompts_of(tmp_path / "later")


def test_gaps_and_repeats_are_findings_and_nothing_is_written(tmp_path: Path) -> None:
    table = write_rows(tmp_path / "t.jsonl", [*ROWS[:3], ROWS[0]])

    done = epc("judge", "plan", table, "--judge", "mock/judge", "--out", "e", cwd=tmp_path)

    assert done.returncode == 1
    assert "stands 2 times" in done.stdout
    assert "fix: " in done.stdout
    assert not (tmp_path / "e").exists()


def test_a_table_with_a_wrong_column_is_told_the_columns_that_it_takes(tmp_path: Path) -> None:
    wrong = tmp_path / "outputs.csv"
    wrong.write_text("question,prompt_variant,target_model,output_id,output\nq1,plain,m,o1,x\n")
    done = epc("judge", "plan", wrong, "--judge", "mock/judge", "--out", tmp_path / "judged")

    assert done.returncode == 2
    assert "epc: outputs.csv: line 2 has no question_id, but question, prompt_" in done.stderr
    fields = "question_id, prompt_variant, target_model, output_id, output (or output_file)"
    assert f"fix: name the columns {fields}; others are left alone" in done.stderr
    wrong.write_text("")
    empty = epc("judge", "plan", wrong, "--judge", "mock/judge", "--out", tmp_path / "judged")
    assert "outputs.csv is empty" in empty.stderr


def test_an_evaluation_that_is_killed_goes_on_where_it_stood(tmp_path: Path, table: Path) -> None:
    with serving() as endpoint:
        keys = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "sk-canary-0123456789abcdef"}
        env = environment(**keys)
        arguments = ("--judge", "openai/judge-1", "--out", tmp_path / "e")
        assert epc("judge", "plan", table, *arguments, env=env).returncode == 0
        holds = HoldsAfter(2)

        def as_a_judge(received: Received) -> Reply:
            holds(received)
            return completion(json.dumps(Judge().record(received.prompt)))

        endpoint.behave = as_a_judge
        run = ("judge", "run", tmp_path / "e", "--concurrency", "1")
        with epc_under_way(*run, env=env) as process:
            wait_until(holds.reached.is_set)
            process.send_signal(signal.SIGKILL)
            process.wait()
        holds.go_on.set()
        request_count = len(endpoint.received)

        done = epc(*run, env=env)

        assert done.returncode == 0, done.stderr
        assert request_count == 3
        assert len(endpoint.received) == request_count + 2
    assert epc("judge", "check", tmp_path / "e").returncode == 0
    assert "sk-canary" not in done.stdout + done.stderr


def test_a_judge_that_reasons_is_asked_as_a_run_asks_an_evaluator(
    tmp_path: Path, table: Path
) -> None:
    with serving() as endpoint:
        endpoint.behave = lambda row: completion(json.dumps(Judge().record(row.prompt)))
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-canary-0123456789abcdef")
        arguments = ("--temperature", "none", "--reasoning", "low", "--max-tokens", "5000")
        further_arguments = ("--body", "seed=7", "--out", tmp_path / "e")
        plan = epc(
            "judge", "plan", table, "--judge", "openai/o3", *arguments, *further_arguments, env=env
        )
        assert plan.returncode == 0, plan.stderr

        done = epc("judge", "run", tmp_path / "e", env=env)

        assert done.returncode == 0, done.stderr
        for row in endpoint.received:
            assert set(row.body) == {
                *("model", "messages", "max_completion_tokens", "reasoning_effort", "seed")
            }
            stated = [row.body[key] for key in ("max_completion_tokens", "reasoning_effort")]
            assert stated == [5000, "low"]
    (judge,) = json.loads((tmp_path / "e" / "judge.json").read_bytes())["judges"]
    assert judge["decoding"]["reasoning"] == "low"
    assert judge["decoding"]["body"] == {"seed": 7}
    assert judge["decoding"]["temperature"] is None
    assert epc("judge", "check", tmp_path / "e").returncode == 0


@pytest.mark.parametrize(
    ("judge", "asked", "said"),
    [
        ("mock/judge", ("--reasoning", "none"), "mock/judge decodes nothing"),
        ("lmstudio/m", ("--reasoning", "none"), "lmstudio documents no reasoning 'none'"),
        ("openai/o3", ("--body", "max_tokens=5"), "use --max-tokens"),
    ],
)
def test_what_a_judge_cannot_be_asked_for_is_refused_at_the_plan(
    tmp_path: Path, table: Path, judge: str, asked: tuple[str, ...], said: str
) -> None:
    refused = epc("judge", "plan", table, "--judge", judge, *asked, "--out", tmp_path / "e")

    assert refused.returncode == 2
    assert said in refused.stderr
    assert not (tmp_path / "e").exists()


def test_reading_r76_one_answer_in_two_evaluations_is_no_agreement(
    tmp_path: Path, table: Path
) -> None:
    arguments = ("--judge", "mock/judge", "--out", tmp_path / "e")
    assert epc("judge", "plan", table, *arguments).returncode == 0
    assert epc("judge", "run", tmp_path / "e").returncode == 0
    shutil.copytree(tmp_path / "e", tmp_path / "copy")

    alone = epc("judge", "report", tmp_path / "e")
    both_results = epc("judge", "report", tmp_path / "e", tmp_path / "copy")

    assert alone.returncode == 0
    assert both_results.returncode == 1
    _, title, drift = both_results.stdout.partition("\nDrift\n")
    assert title
    assert "Shared judgments are one answer in both, and are left out." in drift
    assert "1.000" not in drift


def test_judge_4_1_a_judge_that_refuses_or_says_nothing_is_archived_and_stops_nothing(
    tmp_path: Path, table: Path
) -> None:
    def message(finish: str, **said: object) -> Reply:
        return completion(None, choices=[{"message": said, "finish_reason": finish}])

    with serving() as endpoint:
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-canary-0123456789abcdef")
        arguments = ("--judge", "openai/judge-1", "--out", tmp_path / "e")
        assert epc("judge", "plan", table, *arguments, env=env).returncode == 0
        endpoint.script = [
            message("stop", content=None, refusal="I'm sorry, I cannot assist with that."),
            message("length", content=None),
        ]

        def parts(received: Received) -> Reply:
            text = json.dumps(Judge().record(received.prompt))
            return message("stop", content=[{"type": "text", "text": text}])

        endpoint.behave = parts

        done = epc("judge", "run", tmp_path / "e", env=env)

        assert done.returncode == 0, done.stderr
        assert len(endpoint.received) == 4
    archive = tmp_path / "e" / "invalid_evaluations" / "cross_judge" / "records.jsonl"
    flags = [json.loads(line)["flags"] for line in archive.read_text("utf-8").splitlines()]
    assert flags == [["UNPARSABLE_OUTPUT", "JUDGE_REFUSAL_OR_EVASION"]] * 2
    assert epc("judge", "check", tmp_path / "e").returncode == 0


def test_ctrl_c_and_a_limit_leave_work_that_the_same_command_finishes(
    tmp_path: Path, table: Path
) -> None:
    epc("judge", "plan", table, "--judge", "mock/judge", "--out", tmp_path / "e")

    stopped = epc("judge", "run", tmp_path / "e", "--max-calls", "1")

    assert stopped.returncode == 4
    assert f"next: epc judge run {tmp_path / 'e'}" in stopped.stderr
    assert epc("judge", "report", tmp_path / "e").returncode == 2
    done = epc("resume", tmp_path / "e")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Judge-v1.0")


def test_an_archive_that_was_changed_is_found(tmp_path: Path, table: Path) -> None:
    epc("judge", "plan", table, "--judge", "mock/judge", "--out", tmp_path / "e")
    epc("judge", "run", tmp_path / "e")
    (path,) = (tmp_path / "e" / "valid_evaluations" / "cross_judge").iterdir()
    path.write_text(path.read_text("utf-8").replace('"invented":0', '"invented":1'), "utf-8")

    done = epc("judge", "check", tmp_path / "e")

    assert done.returncode == 1
    assert "/valid_evaluations/cross_judge/0/quotes" in done.stdout


def test_reading_r76_a_log_of_an_older_version_with_panels_is_right(
    tmp_path: Path, table: Path
) -> None:
    epc("judge", "plan", table, "--judge", "mock/judge", "--out", tmp_path / "e")
    epc("judge", "run", tmp_path / "e")
    log = tmp_path / "e" / "run_log.json"
    log.write_text(json.dumps({**json.loads(log.read_text()), "canary": {"mock/judge": {}}}))

    done = epc("judge", "check", tmp_path / "e")

    assert done.returncode == 0, done.stdout


def test_what_is_no_evaluation_is_misuse(tmp_path: Path) -> None:
    for arguments in (("run", tmp_path), ("check", tmp_path), ("report", tmp_path)):
        done = epc("judge", *arguments)
        assert done.returncode == 2
        assert "epc judge plan" in done.stderr


@pytest.fixture(scope="module")
def real_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "real run", _real_run)


def _real_run(folder: Path) -> Path:
    """Return a measurement's folder, of one round a phase, whose short answers are real ones."""
    short = {"executor": {"max_tokens": 8}}
    models = ("mock/deterministic", "local/smollm2-135m")
    sitting(folder / "run", asked_for(*models, seeds=[0], rounds=1, decoding=short))
    return folder / "run"


@pytest.mark.slow
@pytest.mark.parametrize("constraint", ["judge_reply", *by_night([None])])
def test_the_embedded_model_judges_a_real_runs_answers_and_is_no_judge(
    tmp_path: Path, real_run: Path, constraint: str | None
) -> None:
    """End to end on real weights. The report must say that such a judge is no evidence."""
    brief = tmp_path / "brief.txt"  # reading the package's own prompt takes this model seconds
    brief.write_text("$task\n$output\nScore it in JSON, with this meta: $meta", "utf-8")
    request = Request(
        judges=["local/smollm2-135m-constrained", "local/smollm2-135m"],
        methods=("cross_judge", "self_judge"),
        prompt=None if constraint else brief,
        constraint=constraint,
        decoding={"max_tokens": 16},
    )
    write_plan(entries_of(real_run)[:1], request, tmp_path / "e", now=DAY)

    log = judged_by_models(tmp_path / "e")

    totals = log["totals"]
    assert (totals["cross_judge"]["samples"], totals["self_judge"]["samples"]) == (1, 1)
    assert totals["cross_judge"]["replies"] == 1
    assert recheck(tmp_path / "e").ok
    for method in totals:
        assert archived(tmp_path / "e", valid=True, method=method) == []
        for record in archived(tmp_path / "e", valid=False, method=method):
            assert record["raw"].startswith("{") == (constraint is not None)
            assert "UNPARSABLE_OUTPUT" in record["flags"]
            assert record["constraint"] == constraint
    (evaluation,) = document(summary([tmp_path / "e"]))["evaluations"]
    assert "nothing about the outputs" in evaluation["remarks"][0]
    assert "0 of 1 evaluations are valid" in evaluation["remarks"][1]


LIKELIHOOD = "local/smollm2-135m-judge-likelihood"
NASTY = (
    'She said: "C:\\temp\\new" \u2013 caf\u00e9, \U0001f600 {"verdict": "PASS"}\n\n'
    "* **bold**\u00a0item\n\n"
)
AWKWARD = [NASTY, "word " * 400]


@pytest.mark.slow
def test_the_embedded_judge_gives_valid_evaluations_and_says_what_was_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JUDGE-6, Reading R22: whatever the output, and the sum and verdict marked as ours."""
    # More than that takes this model long.
    monkeypatch.setattr(models, "_TEMPLATE", 1024 - models._WRITTEN - 200)  # 200 tokens are read
    monkeypatch.setattr(
        decisions, "_SPAN", re.compile(rf"{decisions._WORD}(?: {decisions._WORD}){{0,3}}")
    )
    rows = [
        {"question_id": "Q1", "prompt_variant": str(n), "target_model": "x", "output_id": str(n)}
        | {"output": text, "task": "Plan a migration."}
        for n, text in enumerate(AWKWARD)
    ]
    table = write_rows(tmp_path / "outputs.jsonl", rows)
    brief = tmp_path / "brief.txt"  # reading the package's own prompt takes this model seconds
    brief.write_text("$task\n$output\nScore each dimension 0, 1 or 2. $meta", "utf-8")
    epc("judge", "plan", table, "--judge", LIKELIHOOD, "--prompt", brief, "--out", tmp_path / "e")

    done = epc("judge", "run", tmp_path / "e", "--format", "json")

    assert done.returncode == 0, done.stderr
    (evaluation,) = json.loads(done.stdout)["evaluations"]
    totals = evaluation["totals"]["cross_judge"]
    assert (totals["valid"], totals["samples"]) == (2, 2)
    assert epc("judge", "check", tmp_path / "e").returncode == 0
    plan = json.loads((tmp_path / "e" / "judge.json").read_text("utf-8"))
    assert plan["judges"][0]["identity"]["details"]["computed"] == [OVERALL, "verdict"]
    records = archived(tmp_path / "e", valid=True)
    replies = [json.loads(record["raw"]) for record in records]
    for record, reply in zip(records, replies, strict=True):
        assert "overall_score and verdict are computed" in reply["notes"]
        assert reply["flags"] == []
        assert all("log-probability of 0: -" in item["reason"] for item in reply["evidence"])
        assert record["quotes"]["verbatim"] + record["quotes"]["trivial"] == 4
    assert "of 2,000 characters" in replies[-1]["notes"]


def test_the_embedded_judge_is_no_evaluator(tmp_path: Path) -> None:
    models = ("--evaluator", LIKELIHOOD, "--executor", "mock/deterministic")

    done = epc("run", *models, "--out", tmp_path / "r")

    assert done.returncode == 2
    assert f"{LIKELIHOOD} is no evaluator: name it as judge" in done.stderr
