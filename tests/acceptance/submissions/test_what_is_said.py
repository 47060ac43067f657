"""Whoever offers something wrong is told what it is and what to do, in as few lines as say it."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from golden_support import Golden
from program_support import as_text, run_program
from records_support import make_run
from submissions_support import PUBLISHED, Offered, errors, published_run

from epc.records.checkout import answer
from epc.records.strict_json import dumps
from epc.records.typed import parse
from epc.registry.submissions import checked
from epc.registry.submissions.report import Report, headline, text
from epc.registry.submissions.summary import markdown

Json = dict[str, Any]
KEY = "sk-" + "proj-Ab3dEf6hIj9kLm2nOp5qRs8t"
NAMED = (
    *("--contributor", "A. Name", "--login", "a-name"),
    *("--licence", "CC-BY-4.0", "--conflicts", "none"),
)


def sole_submission(value: Json) -> Json:
    (submission,) = value["submissions"]
    return dict(submission)


def offer(honest: Offered, folder: Path, seeds: int) -> None:
    run = make_run(folder, seeds=seeds, rounds=30, exhaustive=True)
    honest.replace_run(run.folder)


def errors_of(value: Json) -> str:
    return "\n".join(f"{f['where']}: {f['problem']}\n  fix: {f['remedy']}" for f in errors(value))


def test_the_words_of_a_submission(honest: Offered, submissions_home: Path, golden: Golden) -> None:
    """What a contributor is told at the command line, and a maintainer in the job's summary."""
    run, statement = honest.checkout / "runs" / "mine", honest.folder / "submission.json"
    shutil.copytree(honest.folder, run, ignore=shutil.ignore_patterns(statement.name))
    offered = json.loads(statement.read_text())
    cases = {
        "the summary": markdown(parse(honest.check(author="a-name"), Report)),
        "opened by somebody else": errors_of(honest.check(author="mallory")),
    }

    def check(case: str, **fields: Any) -> None:
        statement.write_text(dumps({**offered, **fields}))
        cases[case] = errors_of(honest.check())

    def command(
        case: str, *arguments: str, folder: Path = honest.checkout, **further_options: str
    ) -> None:
        done = as_text(run_program(*arguments, cwd=folder, env={**os.environ, **further_options}))
        assert (done.returncode, done.stdout) == (2, "")
        cases[case] = done.stderr.replace(str(folder), "FOLDER")

    check("another licence, a tag", licence="MIT", replicates="submission x", tag="v9.9-Mine")
    for key in ("licence", "contributor", "identity"):
        statement.write_text(dumps({name: offered[name] for name in offered if name != key}))
        cases[f"no {key}"] = errors_of(honest.check())
    (honest.folder / ".env").write_text(f"# mine\nOPENAI_API_KEY={KEY}\n")
    check("a key in a file that does not belong")
    shutil.rmtree(honest.folder)
    new = ("submission", "new", "runs/mine")
    for tag in ("submission x", "v7.7-deterministic", PUBLISHED):
        command(f"--replicates {tag}", *new, *NAMED, "--replicates", tag)
    other_arguments = ("submission", "new", str(published_run(submissions_home)))
    command("--replicates v1.9-CoinFlip", *other_arguments, *NAMED, "--replicates", "v1.9-CoinFlip")
    for option in ("--contributor", "--conflicts", "--generation", "--replicates", "--slug"):
        command(f"a key in {option}", *new, *NAMED, option, KEY)
    secret = "correct-horse-battery"  # noqa: S105  (a test's)
    command(
        "a value of the environment", *new, *NAMED, "--contributor", secret, SOME_API_KEY=secret
    )
    outside = honest.checkout.parent
    command("outside a checkout: check", "submission", "check", folder=outside)
    command("outside a checkout: evaluators", "admin", "evaluators", "check", folder=outside)

    assert not any(word in case for case in cases.values() for word in (KEY, secret))
    golden("submission", cases)


@pytest.mark.parametrize(
    ("seeds", "warned"),
    [
        (9, "9 seeds are too few for any claim"),
        (10, "10 seeds are a screening: expected 30 for publication"),
        (29, "29 seeds are a screening: expected 30 for publication"),
        (30, None),
    ],
)
def test_epc_2_5_g_ten_seeds_make_a_baseline_and_thirty_no_warning(
    seeds: int, warned: str | None, honest: Offered, tmp_path: Path
) -> None:
    offer(honest, tmp_path / "few", seeds)

    value = honest.check()
    submission = sole_submission(value)
    findings = [f for f in submission["findings"] if f["clause"] == "EPC-2.5(g)"]

    ok = seeds >= 10
    assert value["ok"] is ok
    assert [f["severity"] for f in submission["findings"]] == ["warning"] * len(
        submission["findings"]
    )
    assert [f["where"] for f in findings] == (["manifest.json/results/summary/n"] if warned else [])
    for shown in ("\n".join(text(parse(value, Report))), markdown(parse(value, Report))):
        assert ("EPC-2.5(g)" in shown) is bool(warned)
        assert warned is None or warned in shown
    assert bool(submission["blocks"]) is not ok
    assert (headline(parse(value, Report)) == "This submission can be published.") is ok


def test_nothing_that_the_audit_says_stands_twice(honest: Offered) -> None:
    places = [(f["where"], f["problem"]) for f in sole_submission(honest.check())["findings"]]

    assert len(places) == len(set(places)) >= 1


def test_another_run_s_weights_are_a_few_lines_and_the_digest_comes_first(
    honest: Offered, submissions_home: Path
) -> None:
    other_path = published_run(submissions_home) / "weights.jsonl"
    (honest.folder / "weights.jsonl").write_bytes(other_path.read_bytes())

    findings = sole_submission(honest.check())["findings"]
    rows = [f for f in findings if f["where"].startswith("weights.jsonl")]

    assert findings[0]["where"].startswith("manifest.json/raw/weights/")
    assert "the file has" in findings[0]["problem"]
    assert len(rows) == 6, "five, and how many more there are"
    assert "more findings like these are not listed" in rows[-1]["problem"]
    assert len(findings) < 12


def test_submission_s11_the_second_computation_is_a_program_whose_findings_refuse(
    honest: Offered, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__main__.py").write_text('print(\'[["manifest.json/x", "says 1"]]\')')
    monkeypatch.setattr(checked, "ORACLE", tmp_path / "other")
    other_document = sole_submission(honest.check())
    monkeypatch.setattr(checked, "ORACLE", tmp_path / "none")
    none = sole_submission(honest.check())

    (found,) = (f for f in other_document["findings"] if f["clause"] == "Submission S11")
    assert (found["where"], found["problem"], other_document["ok"]) == (
        "manifest.json/x",
        "says 1",
        False,
    )
    assert "second implementation: finds it otherwise" in other_document["dossier"]["recomputed"]
    (warned,) = (f for f in none["findings"] if f["clause"] == "Submission S11")
    assert warned["problem"].startswith("the second computation was not run")
    assert (warned["severity"], none["ok"]) == ("warning", True)
    assert "second implementation: was not run" in none["dossier"]["recomputed"]


def test_submission_s11_the_second_computation_names_a_figure_that_trials_do_not_give(
    honest: Offered,
) -> None:
    def other(manifest: Json) -> None:
        manifest["results"]["per_seed"][1]["gamma"]["text_to_visual"] += 1e-6

    honest.run.edit(other)
    question = {"folder": str(honest.run.folder), "report": None}

    found = answer(checked.ORACLE.parent, "oracle", question, list[tuple[str, str]])

    assert found[0][0] == "manifest.json/results/per_seed/1/gamma/text_to_visual"
