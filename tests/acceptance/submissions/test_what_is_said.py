"""Whoever offers something wrong is told what it is and what to do, in as few lines as say it."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from program_support import as_text, run_program
from records_support import make_run
from submissions_support import PUBLISHED, Offered, published_run

from epc.records.checkout import answer
from epc.records.typed import parse
from epc.registry.submissions import checked
from epc.registry.submissions.comment import markdown
from epc.registry.submissions.report import Report, headline, text

Json = dict[str, Any]
Done = subprocess.CompletedProcess[str]
KEY = "sk-" + "proj-Ab3dEf6hIj9kLm2nOp5qRs8t"
NAMED = (
    *("--contributor", "A. Name", "--login", "a-name"),
    *("--licence", "CC-BY-4.0", "--conflicts", "none"),
)


def only(value: Json) -> Json:
    (submission,) = value["submissions"]
    return dict(submission)


def remedies(value: Json, place: str) -> list[str]:
    return [f["remedy"] for f in only(value)["findings"] if f["where"] == place]


def epc(folder: Path, *words: str | Path, **environment: str) -> Done:
    return as_text(run_program(*words, cwd=folder, env={**os.environ, **environment}))


def new(given: Offered, *words: str, **environment: str) -> Done:
    """Offer the honest run anew, in the checkout."""
    run = given.checkout / "runs" / "mine"
    run.parent.mkdir()
    given.folder.rename(run)
    (run / "submission.json").unlink()
    return epc(given.checkout, "submission", "new", run, *words, **environment)


def offer(honest: Offered, folder: Path, seeds: int) -> None:
    run = make_run(folder, seeds=seeds, rounds=30, exhaustive=True)
    honest.replace_run(run.folder)


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
    submission = only(value)
    told = [f for f in submission["findings"] if f["clause"] == "EPC-2.5(g)"]

    ok = seeds >= 10
    assert value["ok"] is ok
    assert [f["severity"] for f in submission["findings"]] == ["warning"] * len(
        submission["findings"]
    )
    assert [f["where"] for f in told] == (["manifest.json/results/summary/n"] if warned else [])
    for shown in ("\n".join(text(parse(value, Report))), markdown(parse(value, Report))):
        assert ("EPC-2.5(g)" in shown) is bool(warned)
        assert warned is None or warned in shown
    assert bool(submission["blocks"]) is not ok
    assert (headline(parse(value, Report)) == "This submission can be published.") is ok


def test_nothing_that_the_audit_says_stands_twice(honest: Offered) -> None:
    found = [(f["where"], f["problem"]) for f in only(honest.check())["findings"]]

    assert len(found) == len(set(found)) >= 1


@pytest.mark.parametrize(
    ("tag", "problem"),
    [
        ("submission an-honest-one", "there is no measured snapshot submission an-honest-one"),
        ("v7.7-deterministic", "there is no measured snapshot v7.7-deterministic"),
        (PUBLISHED, f"{PUBLISHED} is of another generation than deterministic"),
    ],
)
def test_what_cannot_be_replicated_is_refused_at_once(
    tag: str, problem: str, honest: Offered
) -> None:
    done = new(honest, "--replicates", tag)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"--replicates: {problem}" in done.stderr
    assert "fix: there is none to name, or leave --replicates out" in done.stderr
    assert list((honest.checkout / "submissions").iterdir()) == []


def test_a_tag_that_could_be_meant_is_named(honest: Offered, submissions_home: Path) -> None:
    honest.replace_run(published_run(submissions_home))

    done = new(honest, *NAMED, "--replicates", "v1.9-CoinFlip")

    assert done.returncode == 2
    assert f"fix: name {PUBLISHED}, or leave --replicates out" in done.stderr


@pytest.mark.parametrize(
    ("key", "remedy"),
    [
        ("licence", 'add "licence": "CC-BY-4.0", or "CC0-1.0"'),
        ("contributor", 'add "contributor": "A. Name"'),
        ("identity", "make the folder again with `epc submission new`"),
    ],
)
def test_a_key_that_is_missing_is_named_with_an_example(
    key: str, remedy: str, honest: Offered
) -> None:
    path = honest.folder / "submission.json"
    given = json.loads(path.read_text())
    del given[key]
    path.write_text(json.dumps(given))

    assert remedies(honest.check(), f"submission.json/{key}") == [remedy]


def test_a_value_that_is_wrong_is_answered_by_one_that_is_right(honest: Offered) -> None:
    honest.statement(licence="MIT", replicates="submission an-honest-one", tag="v9.9-Mine")

    value = honest.check()

    assert remedies(value, "submission.json/licence") == [
        'write "licence": "CC-BY-4.0", or "CC0-1.0"'
    ]
    assert remedies(value, "submission.json/replicates")[0].startswith(
        'write "replicates": null, or'
    )
    assert remedies(value, "submission.json/tag") == ["remove it"]


@pytest.mark.parametrize(
    ("name", "content", "problem", "remedy"),
    [
        ("submission.json", b"", "is empty", "who offers the run"),
        ("manifest.json", b"\x1f\x8b\x08\x00", "is packed by gzip", "a run's record"),
        ("manifest.json", b"\x7fELF\x02\x01\x00", "is binary data", "a run's record"),
        ("trials.jsonl", b"seed,phase\n", "begins with b's'", "a run's record"),
    ],
)
def test_a_file_that_is_no_json_is_called_what_it_is(
    name: str, content: bytes, problem: str, remedy: str, honest: Offered
) -> None:
    (honest.folder / name).write_bytes(content)

    (finding,) = only(honest.check())["findings"]

    assert finding["where"] == name
    assert problem in finding["problem"]
    assert remedy in finding["remedy"]


@pytest.mark.parametrize(
    "option", ["--contributor", "--conflicts", "--generation", "--replicates", "--slug"]
)
def test_a_secret_on_the_command_line_is_found_in_its_option(option: str, honest: Offered) -> None:
    done = new(honest, *NAMED, option, KEY)

    assert done.returncode == 2
    assert f"{option}: holds an OpenAI, Anthropic or OpenRouter key" in done.stderr
    assert "fix: revoke it" in done.stderr
    assert "submission.json" not in done.stderr
    assert KEY not in done.stderr + done.stdout


def test_a_value_of_the_environment_is_found_in_its_option(honest: Offered) -> None:
    words = (*NAMED, "--contributor", "correct-horse-battery")

    done = new(honest, *words, SOME_API_KEY="correct-horse-battery")

    assert done.returncode == 2
    assert "--contributor: holds the value of SOME_API_KEY" in done.stderr
    assert "correct-horse" not in done.stderr + done.stdout


def test_a_key_in_a_file_that_does_not_belong_is_to_be_revoked_all_the_same(
    honest: Offered,
) -> None:
    (honest.folder / ".env").write_text(f"# mine\nOPENAI_API_KEY={KEY}\n")

    value = honest.check()
    told = {f["clause"]: f for f in only(value)["findings"]}

    assert told["Submission S2"]["problem"] == "no such file belongs here"
    assert told["Submission S6"]["where"] == ".env:2"
    assert told["Submission S6"]["remedy"].startswith("revoke it")
    assert KEY not in json.dumps(value)


def test_another_run_s_weights_are_a_few_lines_and_the_digest_comes_first(
    honest: Offered, submissions_home: Path
) -> None:
    other = published_run(submissions_home) / "weights.jsonl"
    (honest.folder / "weights.jsonl").write_bytes(other.read_bytes())

    findings = only(honest.check())["findings"]
    rows = [f for f in findings if f["where"].startswith("weights.jsonl")]

    assert findings[0]["where"].startswith("manifest.json/raw/weights/")
    assert "the file has" in findings[0]["problem"]
    assert len(rows) == 6, "five, and how many more there are"
    assert "more findings like these are not listed" in rows[-1]["problem"]
    assert len(findings) < 12


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["submission", "check"], "name one with --base CHECKOUT"),
        (["admin", "evaluators", "check"], None),
    ],
)
def test_outside_a_checkout_only_an_option_that_there_is_gets_named(
    words: list[str], option: str | None, tmp_path: Path
) -> None:
    done = epc(tmp_path, *words)

    assert done.returncode == 2
    assert "fix: go to a checkout of it" in done.stderr
    assert option in done.stderr if option else "name one with" not in done.stderr


TOPICS = {
    "What is claimed": [
        "`generation: deterministic`",
        "`login: a-name, who opened the pull request`",
        "`licence: CC-BY-4.0`",
        "`conflicts: none`",
        "`replicates: nothing`",
        "to be published as `v1.0-deterministic`",
    ],
    "What the record says": ["`evaluator: mock/deterministic at mock`", "`seeds: 10, 0 to 9; 30 r"],
    "What both implementations recomputed": [
        "`first implementation: every figure follows from the trials`",
        "`second implementation: agrees within 1e-9`",
        "audit: `",
        "`gamma/text_to_visual ",
    ],
    "Endpoint": ["`evaluator: the platform's own address (mock)`"],
    "Attestation": ["`none: only the contributor's word says that this was measured`"],
    "What to look at": ["`fewer than 30 seeds: a screening`", "`read some answers in calls.jsonl"],
}


def test_the_comment_says_what_a_maintainer_must_judge_in_that_order(honest: Offered) -> None:
    said = markdown(parse(honest.check(author="a-name"), Report))

    parts = re.split(rf"^({'|'.join(TOPICS)}):$", said, flags=re.MULTILINE)
    assert parts[1::2] == list(TOPICS)
    for title, part in zip(parts[1::2], parts[2::2], strict=True):
        assert [line for line in TOPICS[title] if line not in part] == []


def test_the_comment_says_who_opened_it_and_what_a_record_did_not_hold(honest: Offered) -> None:
    honest.run.edit(lambda manifest: manifest["results"]["summary"].update(tie_rate=None))
    unconfirmed = markdown(parse(honest.check(), Report))
    other = markdown(parse(honest.check(author="mallory"), Report))

    assert "`login: a-name, which no event of GitHub confirmed`" in unconfirmed
    assert "`is the pull request a-name's?`" in unconfirmed
    assert "`login: a-name, while mallory opened the pull request`" in other
    assert "`second implementation: did not get to it`" in other


def test_submission_s11_the_second_computation_is_a_program_whose_findings_refuse(
    honest: Offered, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__main__.py").write_text('print(\'[["manifest.json/x", "says 1"]]\')')
    monkeypatch.setattr(checked, "ORACLE", tmp_path / "other")
    other = only(honest.check())
    monkeypatch.setattr(checked, "ORACLE", tmp_path / "none")
    none = only(honest.check())

    (found,) = (f for f in other["findings"] if f["clause"] == "Submission S11")
    assert (found["where"], found["problem"], other["ok"]) == ("manifest.json/x", "says 1", False)
    assert "second implementation: finds it otherwise" in other["dossier"]["recomputed"]
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
