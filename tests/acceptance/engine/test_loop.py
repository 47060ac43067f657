"""Reading R93 as a user meets it: record, plan, check, report, gate, with judges behind HTTP."""

import csv
import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import Endpoint, FailsAfter, Received, Reply, completion, refusal
from engine_support import DAY, environment, epc
from loop_support import written

import epc as epc_package
from epc.api.loop import record
from epc.errors import MalformedError
from epc.records.loop import digest

A, B = "openai/gpt-4o-2024-08-06", "vllm/other"
SEED, FINAL = {"style": "plain"}, {"style": "long"}
VAL = [{"id": f"v{number}", "question": f"What is {number} + 1?"} for number in range(40)]
TEST = [{"id": f"x{number}", "question": f"What is {number} + 2?"} for number in range(120)]
# Every third item gets the same output from both candidates.
PROGRAM = """
import json, sys
def answer(style, item):
    number = int(item[1:])
    return f"{number + 2}" + (", as one sees" * (style == "long") if number % 3 else "")
def check(request):
    output = request["output"]
    if output is None:
        output = answer(request["text"]["style"], request["item"])
    prompt = f"Score from 0 to 10: {request['value']['question']} {output}"
    gold = None if request["item"] == "x0" else float(len(output) < 9)
    return {"output": output, "prompt": prompt} | ({} if GOLD else {"gold": gold})
if __name__ == "__main__":
    print(json.dumps(check(json.load(sys.stdin))))
"""


def scoring(received: Received) -> Reply:
    """Like long answers, by a number that the prompt decides alone."""
    likes = 6 if "as one sees" in received.prompt else 3
    score = likes + sum(received.prompt.encode()) % 4
    fenced = "```json\\n" + json.dumps({"reason": "7 of 9", "score": score}) + "\\n```"
    return completion(fenced.replace("\\n", "\n"))


@pytest.fixture
def run(tmp_path: Path, endpoint: Endpoint) -> Path:
    """A folder with a recorded optimiser's run, test items, and the user's program."""
    endpoint.behave = scoring

    def metric(item: dict[str, str], output: str) -> float:
        return float(len(output))

    splits = {"val": VAL}
    recorder = record(metric, judge=A, split_of=splits, out=tmp_path / "run.loop.jsonl")
    for candidate, tail in ((SEED, ""), (FINAL, ", as one sees")):
        with recorder.candidate(candidate):
            for item in VAL:
                recorder(item, f"1{tail}")
    with recorder.candidate({"style": "short"}):  # tried, and not the best
        for item in VAL:
            recorder(item, "")
    written(tmp_path / "items.jsonl", TEST)
    program = PROGRAM.replace("if GOLD", "if True")
    program_of(tmp_path).write_text(program, "utf-8")
    return tmp_path


def program_of(folder: Path) -> Path:
    """Return the user's program; a module is imported once, so each test has its own."""
    return folder / f"answer_{digest(folder.as_posix())}.py"


def loop(folder: Path, endpoint: Endpoint, *arguments: str, **moment: str) -> Any:
    env = environment(OPENAI_BASE_URL=endpoint.url, VLLM_BASE_URL=endpoint.url, OPENAI_API_KEY="k")
    env |= moment
    return epc("loop", *arguments, cwd=folder, env=env)


def planned_with(folder: Path, endpoint: Endpoint, *arguments: str) -> Any:
    return loop(folder, endpoint, "plan", "run.loop.jsonl", "--test", "items.jsonl", *arguments)


def planned(folder: Path, endpoint: Endpoint, *arguments: str) -> dict[str, Any]:
    done = planned_with(folder, endpoint, *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    plan: dict[str, Any] = json.loads(done.stdout)
    return plan


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def check(folder: Path, endpoint: Endpoint, *arguments: str, **moment: str) -> Any:
    execute = f"{program_of(folder).stem}:check"
    words = ("check", "run.loop.jsonl", "--execute", execute, *arguments)
    return loop(folder, endpoint, *words, **moment)


def test_reading_r93_a_run_is_planned_checked_reported_and_gated(
    run: Path, endpoint: Endpoint
) -> None:
    plan = planned(run, endpoint, "--gold", "40", "--judge-b", B)
    done = check(run, endpoint)

    assert done.returncode == 0, done.stderr
    assert (len(plan["test"]), len(plan["gold"]), len(plan["gold_twice"])) == (120, 40, 30)
    assert plan["margin"] == 0.05
    assert plan["judge"] == {"model": A, "platform": "openai"}
    assert plan["judge_b"] == {"model": B, "platform": "vllm"}
    # What is drawn follows from the log's digest, and is no stretch of the file.
    assert plan["log"] == sha256((run / "run.loop.jsonl").read_bytes()).hexdigest()
    assert plan["draw_seed"] == int(plan["log"][:8], 16)
    assert {*plan["gold"]} < {*plan["test"]}
    assert plan["gold"] != plan["test"][:40]
    rows = lines(run / "run.checks.jsonl")
    again = {(row["candidate"], row["item"]) for row in plan["again"]}
    # Two scores an item by each judge; a logged output is scored once more by A.
    assert len(rows) == 2 * 120 * 2 + len(again)
    assert len(again) == 30
    # 40 items got the same output twice: one question of each judge for both.
    requests = [received for received in endpoint.received if received.prompt.startswith("Score")]
    assert len(requests) == 2 * (2 * 80 + 40) + 30
    report = json.loads(loop(run, endpoint, "report", "run.loop.jsonl", "--format", "json").stdout)
    assert (report["items"], report["changed"], report["asked_again"]) == (120, 80, 30)
    assert report["planned"] is True
    assert report["judge_b"] == B
    assert report["fresh"]["value"] > 1.5
    gate = loop(run, endpoint, "gate", "run.loop.jsonl", "run.checks.jsonl")
    assert gate.returncode == 0, gate.stderr
    assert gate.stdout.startswith("ship: ")
    assert "with no gold beside it" in gate.stdout


def test_reading_r93_labels_are_read_from_the_table_that_the_check_leaves(
    run: Path, endpoint: Endpoint
) -> None:
    """The table names no candidate; who fills in its score has labelled."""
    plan = planned(run, endpoint, "--gold", "60", "--margin", "8")
    assert plan["margin"] == 0.08
    check(run, endpoint)
    table = run / "run.labels.csv"
    with table.open(newline="", encoding="utf-8") as file:
        labels = list(csv.DictReader(file))
    assert set(labels[0]) == {"item", "output", "asking", "score", "text"}
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, labels[0].keys())
        writer.writeheader()
        for label in labels:
            right = "as one sees" not in label["text"]
            writer.writerow({**label, "score": str(int(right))})
    before = len(endpoint.received)
    done = check(run, endpoint)

    assert done.returncode == 0, done.stderr
    assert len(endpoint.received) == before
    report = json.loads(loop(run, endpoint, "report", "run.loop.jsonl", "--format", "json").stdout)
    changed = sum(int(item[1:]) % 3 > 0 for item in plan["gold"])
    assert report["gold"]["labelled"] == 60
    assert report["quality"] == "worse"
    # Every changed output of the final is wrong: without the judge's help the gain is their share.
    assert report["gold"]["value"] == pytest.approx(-changed / 60, abs=0.1)
    assert report["disagreement"] == 0
    gate = loop(run, endpoint, "gate", "run.loop.jsonl")
    assert (gate.returncode, gate.stdout.split(":")[0]) == (1, "harms")


def test_reading_r93_a_check_goes_on_where_it_stopped_and_asks_nothing_twice(
    run: Path, endpoint: Endpoint
) -> None:
    planned(run, endpoint)
    capped = check(run, endpoint, "--max-calls", "50")
    assert capped.returncode == 4, capped.stderr
    assert "next: epc loop check" in capped.stderr
    assert not (run / "run.checks.jsonl").exists()
    endpoint.behave = FailsAfter(40, refusal(400))
    failed = check(run, endpoint)
    assert failed.returncode == 4
    endpoint.behave = scoring
    done = check(run, endpoint)

    assert done.returncode == 0, done.stderr
    answered = [p for p, times in endpoint.prompts.items() if p.startswith("Score") and times > 1]
    refused = 1 + sum(endpoint.prompts.values()) - len(endpoint.prompts)
    assert len(answered) < refused + 8  # what was under way when the provider refused
    assert len(lines(run / "run.checks.jsonl.part" / "executed.jsonl")) == 2 * 120 + 30


def test_reading_r93_a_dry_run_says_what_will_be_asked_and_sends_nothing(
    run: Path, endpoint: Endpoint
) -> None:
    planned(run, endpoint, "--judge-b", B)
    done = check(run, endpoint, "--dry-run", "--format", "json")
    shares = json.loads(done.stdout)

    assert endpoint.received == []
    assert shares["judge"]["calls"]["expected"] == 270
    assert shares["judge-b"]["calls"]["expected"] == 240
    assert shares["judge"]["cost"]["expected"] > 0
    assert sorted(path.name for path in run.iterdir() if "part" in path.name) == []


def test_reading_r93_a_metric_of_ones_own_asks_no_judge(run: Path, endpoint: Endpoint) -> None:
    program_of(run).write_text(
        "def check(request):\n"
        "    text = request['output'] or request['text']['style']\n"
        "    return {'output': text, 'score': len(text) / 10, 'gold': 1.0}\n",
        "utf-8",
    )
    planned(run, endpoint, "--gold", "30")
    done = check(run, endpoint)

    assert done.returncode == 0, done.stderr
    assert endpoint.received == []
    rows = lines(run / "run.checks.jsonl")
    assert {row["judge"] for row in rows} == {A, "gold"}
    assert not (run / "run.labels.csv").exists()


def test_reading_r93_a_command_that_fails_loses_nothing(run: Path, endpoint: Endpoint) -> None:
    written(run / "items.jsonl", TEST[:30])
    planned(run, endpoint)
    program, execute = run / "program.py", f"{sys.executable} program.py"
    whole_text = program_of(run).read_text("utf-8")
    program.write_text(f"{whole_text}    assert sys.argv[1:] == ['well']\n", "utf-8")
    arguments = ("check", "run.loop.jsonl", "--execute")
    failed = loop(run, endpoint, *arguments, execute)
    assert failed.returncode == 4
    assert "failed for" in failed.stderr
    assert "exit code 1 AssertionError" in failed.stderr

    assert loop(run, endpoint, *arguments, f"{execute} well").returncode == 0
    assert len(lines(run / "run.checks.jsonl")) == 2 * 30 + 30


def test_reading_r93_a_second_plan_takes_no_item_that_was_checked(
    run: Path, endpoint: Endpoint
) -> None:
    planned(run, endpoint)
    check(run, endpoint)
    (run / "run.plan.json").unlink()
    refused = loop(run, endpoint, "plan", "run.loop.jsonl", "--test", "items.jsonl")
    assert refused.returncode == 1
    assert "0 test items are left, 120 being used up by earlier checks" in refused.stdout
    # The same texts under other names are the same items.
    renamed = [{**item, "id": f"y{number}"} for number, item in enumerate(TEST)]
    more = [{"id": f"z{number}", "question": f"And {number}?"} for number in range(40)]
    written(run / "items.jsonl", [*renamed, *more])

    assert planned(run, endpoint)["test"] == [item["id"] for item in more]


def test_reading_r93_checks_whose_answers_are_gone_are_not_asked_again(
    run: Path, endpoint: Endpoint
) -> None:
    planned(run, endpoint)
    check(run, endpoint)
    for path in (run / "run.checks.jsonl.part").iterdir():
        path.unlink()
    (run / "run.checks.jsonl.part").rmdir()
    done = check(run, endpoint)

    assert done.returncode == 2
    assert "with the answers is gone" in done.stderr


def test_reading_r93_checks_from_before_the_plan_are_refused(run: Path, endpoint: Endpoint) -> None:
    plan = planned(run, endpoint)
    check(run, endpoint)
    rows = lines(run / "run.checks.jsonl")
    rows[0]["at"] = "2026-01-01T00:00:00Z"
    written(run / "run.checks.jsonl", rows)
    done = loop(run, endpoint, "report", "run.loop.jsonl")

    assert done.returncode == 1
    assert f"checks were looked at before the plan's time, {plan['time']}" in done.stdout


def test_reading_r93_a_clock_behind_the_plan_asks_nothing(run: Path, endpoint: Endpoint) -> None:
    """Its checks would be from before their plan, which report and gate refuse."""
    plan = planned(run, endpoint)
    before = {path: path.read_bytes() for path in run.iterdir() if path.is_file()}
    earlier = str(int(DAY.timestamp()) - 60)
    done = check(run, endpoint, SOURCE_DATE_EPOCH=earlier)

    assert done.returncode == 2
    assert (
        f"the plan was drawn at {plan['time']}, the clock says 2026-07-01T23:59:00" in done.stderr
    )
    assert endpoint.received == []
    assert {path: path.read_bytes() for path in run.iterdir() if path.is_file()} == before
    assert check(run, endpoint).returncode == 0


def without_scores(received: Received) -> Reply:
    """Reply to what a final wrote without one score."""
    if "as one sees" in received.prompt:
        return completion("Between 7 and 8, I think")
    return scoring(received)


def test_reading_r93_replies_without_a_score_are_named_and_asked_again(
    run: Path, endpoint: Endpoint
) -> None:
    """Of 60 items the 40 that changed get no score of the final: 20 pairs are left."""
    written(run / "items.jsonl", TEST[:60])
    planned(run, endpoint)
    endpoint.behave = without_scores
    done = check(run, endpoint)
    first = lines(run / "run.checks.jsonl")
    unread = sum(row["score"] is None for row in first)
    # 40 of 60 items changed; and the logged outputs of the final that are asked again.
    assert 40 <= unread <= 70
    assert done.stdout.splitlines() == [
        f"{len(first) - unread} scores, {unread} could not be read:",
        f"  {unread} not one score, such as 'Between 7 and 8, I think'",
    ]
    report = loop(run, endpoint, "report", "run.loop.jsonl")
    assert report.returncode == 1
    assert "20 test items have a score of both candidates" in report.stdout
    assert "; 40 of its 120 replies hold no score" in report.stdout
    assert "epc loop check --again unreadable" in report.stdout

    asked = len(endpoint.received)
    assert check(run, endpoint).returncode == 0
    assert len(endpoint.received) == asked  # without the option an answer stands
    assert "to ask those again: epc loop check run.loop.jsonl --execute" in done.stderr
    endpoint.behave = scoring
    done = check(run, endpoint, "--again", "unreadable")
    assert len(endpoint.received) == asked + unread
    second = lines(run / "run.checks.jsonl")
    assert all(row["score"] is not None for row in second)
    # What held a score is as it was; what held none is the second asking.
    assert [row for row in first if row["score"] is not None] == [
        row for row in second if not row.get("asking")
    ]
    assert check(run, endpoint).returncode == 0
    assert lines(run / "run.checks.jsonl") == second
    assert len(endpoint.received) == asked + unread
    report = loop(run, endpoint, "report", "run.loop.jsonl")
    assert report.returncode == 0
    assert f"{unread} scores, as an earlier reply held none" in report.stdout


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda row: row | {"plan": "0" * 64}, "checks name no plan, or another one"),
        (lambda row: row | {"item": "new"}, "the plan drew no item new"),
    ],
    ids=["another plan", "an item that was not drawn"],
)
def test_reading_r93_checks_that_the_plan_did_not_draw_are_refused(
    run: Path, endpoint: Endpoint, spoil: Any, problem: str
) -> None:
    planned(run, endpoint)
    check(run, endpoint)
    rows = lines(run / "run.checks.jsonl")
    written(run / "run.checks.jsonl", [spoil(rows[0]), *rows[1:]])

    assert problem in loop(run, endpoint, "report", "run.loop.jsonl").stdout


def test_reading_r93_a_log_that_changed_since_the_plan_is_refused(
    run: Path, endpoint: Endpoint
) -> None:
    planned(run, endpoint)
    check(run, endpoint)
    rows = lines(run / "run.loop.jsonl")
    written(run / "run.loop.jsonl", rows[:-1])

    done = loop(run, endpoint, "report", "run.loop.jsonl")
    assert "the log is not the one that the plan was drawn for" in done.stdout


def test_reading_r93_a_gate_of_a_plan_takes_all_that_was_planned(
    run: Path, endpoint: Endpoint
) -> None:
    planned(run, endpoint)
    check(run, endpoint)
    rows = lines(run / "run.checks.jsonl")
    written(run / "run.checks.jsonl", [row for row in rows if row["item"] != "x7"])
    done = loop(run, endpoint, "gate", "run.loop.jsonl", "run.checks.jsonl")

    assert done.returncode == 2
    assert done.stdout == "refused: 2 of 240 planned scores are missing.\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--judge-b", "azure/gpt-4o-2024-08-06"), "is the model of judge A"),
        (("--gold", "500"), "500 labels of 120 test items"),
    ],
)
def test_reading_r93_a_plan_that_cannot_decide_is_refused(
    run: Path, endpoint: Endpoint, words: tuple[str, ...], problem: str
) -> None:
    done = loop(run, endpoint, "plan", "run.loop.jsonl", "--test", "items.jsonl", *words)

    assert done.returncode == 1
    assert problem in done.stdout
    assert not (run / "run.plan.json").exists()


def test_reading_r93_a_plan_takes_no_item_that_the_optimiser_saw(
    run: Path, endpoint: Endpoint
) -> None:
    """By its text: another name does not make it another item."""
    written(run / "items.jsonl", [*TEST, {"id": "new", "question": "What is  3 + 1?"}])
    done = loop(run, endpoint, "plan", "run.loop.jsonl", "--test", "items.jsonl")

    assert done.returncode == 1
    assert "the optimiser saw 1 of the test items, such as new" in done.stdout


def test_reading_r93_a_report_without_checks_says_what_the_log_says_and_how_to_get_them(
    run: Path, endpoint: Endpoint
) -> None:
    """A score is an output's length: ", as one sees" has 13 characters."""
    done = loop(run, endpoint, "report", "run.loop.jsonl")

    assert done.returncode == 1
    assert done.stdout.startswith(f"{A} reports +13.00 [+13.00, +13.00] points for the best of 3 ")
    assert done.stdout.endswith("is too good to count: nothing is shown.\n")
    missing = (
        "run.checks.jsonl is not there\n"
        "  fix: epc loop plan run.loop.jsonl --test ITEMS, then epc loop check\n"
    )
    assert done.stderr.endswith(missing)
    gate = loop(run, endpoint, "gate", "run.loop.jsonl")
    assert gate.returncode == 2
    assert gate.stderr.endswith(missing)


def _without_judge(run: Path) -> None:
    """Take the judge's name out of the log."""
    rows = [{k: v for k, v in row.items() if k != "judge"} for row in lines(run / "run.loop.jsonl")]
    written(run / "run.loop.jsonl", rows)


@pytest.mark.parametrize("judge", ["", "my-judge"])
def test_reading_r93_a_log_that_names_no_model_as_judge_is_scored_by_the_program(
    run: Path, endpoint: Endpoint, judge: str
) -> None:
    if judge:
        rows = [row | {"judge": judge} for row in lines(run / "run.loop.jsonl")]
        written(run / "run.loop.jsonl", rows)
    else:
        _without_judge(run)
    program = program_of(run)
    scored = program.read_text("utf-8").replace('"prompt": prompt', '"score": len(output)')
    program.write_text(scored, "utf-8")
    planned(run, endpoint)
    dry = check(run, endpoint, "--dry-run")
    done = check(run, endpoint)
    report = loop(run, endpoint, "report", "run.loop.jsonl")

    assert (dry.returncode, done.returncode) == (0, 0), dry.stderr + done.stderr
    assert dry.stdout.startswith("no judge is named as PROVIDER/MODEL, so none is asked: CMD gives")
    assert f"\n  {judge or 'The judge'} reports +13.00 " in report.stdout
    assert endpoint.received == []


def test_reading_r93_a_plan_names_the_judge_where_the_log_does_not(
    run: Path, endpoint: Endpoint
) -> None:
    other = planned_with(run, endpoint, "--judge", B)
    assert other.returncode == 1
    assert f"the log says that {A} scored it, not {B}" in other.stdout
    _without_judge(run)
    assert planned_with(run, endpoint, "--judge", A).returncode == 0
    check(run, endpoint)
    report = loop(run, endpoint, "report", "run.loop.jsonl")

    assert report.stdout.splitlines()[1].startswith(f"  {A} reports +13.00 ")
    assert endpoint.received


def test_reading_r93_nobody_is_asked_where_nobody_is_named(run: Path, endpoint: Endpoint) -> None:
    _without_judge(run)
    planned(run, endpoint)
    done = check(run, endpoint)

    assert done.returncode == 2
    assert "neither log nor plan names a judge to ask" in done.stderr
    assert endpoint.received == []


def test_reading_r93_the_page_has_one_picture_whose_figures_are_in_the_table(
    run: Path, endpoint: Endpoint
) -> None:
    planned(run, endpoint)
    check(run, endpoint)
    done = loop(run, endpoint, "report", "run.loop.jsonl", "--html", "run.html")
    page = (run / "run.html").read_text("utf-8")

    assert page.count("<figure") == 1
    assert "metric calls" in page
    report = json.loads(loop(run, endpoint, "report", "run.loop.jsonl", "--format", "json").stdout)
    fresh = f"{report['fresh']['value']:+.2f}"
    assert fresh in page
    assert fresh in done.stdout


def test_reading_r93_python_says_what_the_commands_say(run: Path, endpoint: Endpoint) -> None:
    planned(run, endpoint)
    check(run, endpoint)
    log, checks = run / "run.loop.jsonl", run / "run.checks.jsonl"
    printed = json.loads(loop(run, endpoint, "report", str(log), "--format", "json").stdout)

    report = epc_package.loop.report(log)
    assert report.fresh.value == printed["fresh"]["value"]
    assert epc_package.loop.gate(log, checks).word == "ship"
    with pytest.raises(MalformedError, match="1 runs say nothing of the optimiser"):
        epc_package.loop.report([log])


def test_reading_r95_the_command_says_whose_change_it_was(tmp_path: Path) -> None:
    for name, more in (("before", 0.0), ("after", 2.0), ("anchors", 0.0)):
        rows = [{"item": n, "score": n % 3 + more * (n % 2)} for n in range(40)]
        written(tmp_path / f"{name}.jsonl", rows)
    names = ("before.jsonl", "after.jsonl", "anchors.jsonl")
    done = epc("loop", "drift", *names, cwd=tmp_path)

    assert done.returncode == 0
    assert done.stdout.startswith("The score changed by +1.000 [+0.676, +1.324].")
    assert done.stdout.endswith("It was the system.\n")
    assert epc("loop", "drift", *names[:2], "before.jsonl", cwd=tmp_path).returncode == 0
    written(tmp_path / "anchors.jsonl", [{"item": 1, "score": 5}])
    refused = epc("loop", "drift", *names, cwd=tmp_path)
    assert refused.returncode == 1
    assert "1 anchors are fewer than 10" in refused.stdout


def test_reading_r101_sentinels_in_a_log_or_its_checks_count_for_nothing_and_are_counted(
    tmp_path: Path,
) -> None:
    """Every readable score of the final is one point more than the seed's: both gains are 1."""
    log, checks = ["candidate,item,score,split"], ["candidate,item,judge,score"]
    for candidate, more in (("seed", 0), ("final", 1)):
        for item in range(60):
            score = {3: "-1", 5: "999", 7: ""}.get(item) if candidate == "final" else None
            log.append(
                f"{candidate},v{item},{score if score is not None else 3 + item % 2 + more},val"
            )
        for item in range(120):
            gone = candidate == "final" and item in (3, 9)
            checks.append(f"{candidate},x{item},j,{'' if gone else 3 + item % 2 + more}")
    (tmp_path / "log.csv").write_text("\n".join(log) + "\n")
    (tmp_path / "log.checks.csv").write_text("\n".join(checks) + "\n")

    done = epc("loop", "report", "log.csv", "log.checks.csv", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "+1.00 [+1.00, +1.00]  57 items" in done.stdout
    assert "+1.00 [+1.00, +1.00]  118 fresh items" in done.stdout
    assert "3 items of the log have a score that could not be read, and are left out" in done.stdout
    assert "2 scores could not be read; their items are left out" in done.stdout


def test_a_final_that_was_never_the_best_of_its_log_is_reported(tmp_path: Path) -> None:
    """Somebody may ship another candidate than the one that the judge liked best."""
    log, checks = ["candidate,item,score,split"], ["candidate,item,judge,score"]
    for candidate, more in (("seed", 1), ("final", 0)):
        log += [f"{candidate},v{item},{3 + item % 2 + more},val" for item in range(40)]
        checks += [f"{candidate},x{item},j,{3 + item % 2 + more}" for item in range(40)]
    (tmp_path / "log.csv").write_text("\n".join(log) + "\n")
    (tmp_path / "log.checks.csv").write_text("\n".join(checks) + "\n")

    done = epc("loop", "report", "log.csv", "log.checks.csv", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "j reports -1.00 [-1.00, -1.00] points" in done.stdout
