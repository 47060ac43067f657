"""Documents and records that are not what they seem: each refused with the finding that says so.

Over 400 lines, because it is mostly three tables of cases and the small forgeries they share.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attack_support import attack, attacks
from engine_support import epc
from records_support import make_run
from submissions_support import (
    EXECUTOR,
    OPENAI,
    PUBLISHED,
    SLUG,
    Offered,
    Wanted,
    errors,
    matching_errors,
    published_run,
    rename,
    tree,
)

from epc.records.typed import parse
from epc.registry.submissions.report import Report, headline
from epc.registry.submissions.summary import markdown

Build = Callable[[Offered], object]
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2"


def inserted(name: str, text: str) -> Build:
    """Put text right behind a document's first brace."""

    def build(submission: Offered) -> None:
        path = submission.folder / name
        path.write_text("{" + text + path.read_text()[1:])

    return build


DOCUMENTS: dict[str, tuple[Build, Wanted]] = {
    "NaN in a manifest": (
        lambda given: number(given, "NaN"),
        ("RFC 8259", "manifest.json/results/summary/cpci/mean", "NaN is not a JSON number"),
    ),
    "a key twice in a statement": (
        inserted("submission.json", '"contributor": "Somebody else",'),
        ("RFC 8259", "submission.json/contributor", "appears twice"),
    ),
    "a nesting bomb in a statement": (
        inserted("submission.json", '"x": ' + "[" * 20_000 + "]" * 20_000 + ","),
        ("RFC 8259", "submission.json", "nested more than 64 deep"),
    ),
    "a lone surrogate": (
        inserted("submission.json", '"\\ud800": 1,'),
        ("RFC 8259", "submission.json", "lone surrogate"),
    ),
    "a key that nobody asked for": (
        lambda given: given.statement(tag="v9.9-GPT4o-0806"),
        ("Submission S7", "submission.json/tag", "no such key"),
    ),
    "a licence that takes back": (
        lambda given: given.statement(licence="All rights reserved"),
        ("Submission S7", "submission.json/licence", ""),
    ),
    "a contributor of white space": (
        lambda given: given.statement(contributor="   "),
        ("Submission S5", "submission.json/contributor", "says nothing"),
    ),
    "an essay on conflicts": (
        lambda given: given.statement(conflicts="x" * 2_001),
        ("Submission S7", "submission.json/conflicts", "xxx..."),
    ),
    "raw files above the folder": (
        lambda given: raw_path(given, "../../../params.yaml"),
        ("EPC-2.8", "manifest.json/raw/trials/path", ""),
    ),
    "a manifest alone": (
        lambda given: given.run.save(given.run.manifest() | {"raw": None}),
        ("EPC-2.5(d)", "manifest.json/raw", "names no raw files"),
    ),
    "six thousand seeds": (
        lambda given: given.manifest(lambda m: m["config"].update(seeds=list(range(6_000)))),
        ("Submission S3", "manifest.json/config/seeds", "6,000, expected at most 5,000"),
    ),
    "a hundred thousand rounds": (
        lambda given: given.manifest(lambda m: m["config"].update(rounds=100_000)),
        ("Submission S3", "manifest.json/config/rounds", "100,000"),
    ),
    "no rounds at all": (
        lambda given: given.manifest(lambda m: m["config"].update(rounds=0)),
        ("Submission S3", "manifest.json/config/rounds", "expected at least 1"),
    ),
    "a thousand strategies": (
        lambda given: given.manifest(lambda m: m.update(strategies=m["strategies"] * 100)),
        ("Submission S3", "manifest.json/strategies", "1,100"),
    ),
    "a thousand tasks": (
        lambda given: given.manifest(lambda m: m["tasks"].update(text=["x"] * 1_000)),
        ("Submission S3", "manifest.json/tasks/text", "1,000"),
    ),
    "a link in a group's name": (
        lambda given: given.manifest(
            lambda m: m.update(groups={d: ["[x](y)"] * len(m["tasks"][d]) for d in m["tasks"]})
        ),
        ("Submission S5", "manifest.json/groups/visual/0", "reads as a Markdown link"),
    ),
    "a key in a sentence": (
        lambda given: given.statement(conflicts=f"paid by {KEY}"),
        ("Submission S6", "submission.json:2", "holds an OpenAI"),
    ),
    "a key in a name": (
        lambda given: given.statement(contributor=f"A. {KEY}"),
        ("Submission S6", "submission.json:3", "holds an OpenAI"),
    ),
    "a key that is spelt in escapes": (
        inserted("manifest.json", '"x": "\\u0073k-proj-' + KEY[8:] + '",'),
        ("Submission S6", "manifest.json:1", "holds an OpenAI"),
    ),
    "a token in a kept header": (
        lambda given: first_call(given, headers={"authorization": "Bearer abcdef0123456789abcdef"}),
        ("Submission S6", "calls.jsonl:1", "holds a bearer token"),
    ),
    "a password in an address": (
        lambda given: given.manifest(
            lambda m: m["evaluator"].update(endpoint="https://me:hunter22@example.org/v1")
        ),
        ("Submission S6", "manifest.json:", "user and password"),
    ),
}


def number(submission: Offered, text: str) -> None:
    """Put what JSON cannot hold where a figure stands."""
    path = submission.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["results"]["summary"]["cpci"]["mean"] = "HERE"
    path.write_text(json.dumps(manifest).replace('"HERE"', text))


def append(submission: Offered, name: str, text: str) -> None:
    with (submission.folder / name).open("a") as file:
        file.write(text)


def raw_path(submission: Offered, path: str) -> None:
    manifest = submission.run.manifest()
    manifest["raw"]["trials"]["path"] = path
    submission.run.save(manifest, described=False)


def first_call(submission: Offered, **values: Any) -> None:
    submission.row("calls", 0, **values)


def consistently_better(submission: Offered) -> None:
    """Halve every gamma, in the seeds' records and in the means and intervals made from them."""

    def change(manifest: Any) -> None:
        for record in manifest["results"]["per_seed"]:
            for direction in record["gamma"]:
                record["gamma"][direction] /= 2
        for figure in manifest["results"]["summary"]["gamma"].values():
            figure["mean"] /= 2
            figure["ci95"] = [bound / 2 for bound in figure["ci95"]]

    submission.manifest(change)


def trials(change: Callable[[list[Any]], object]) -> Build:
    def build(submission: Offered) -> None:
        rows = submission.run.rows("trials")
        change(rows)
        submission.rows("trials", rows)

    return build


def flipped(row: Any) -> None:
    row["verdict"] = row["raw"] = "B" if row["verdict"] == "A" else "A"


def without_seed(seed: int) -> Build:
    """Leave a seed out, wherever it is told of."""

    def build(submission: Offered) -> None:
        kept = {
            n: [r for r in submission.run.rows(n) if r["seed"] != seed]
            for n in ("trials", "weights")
        }
        for name, rows in kept.items():
            submission.run.save_rows(name, rows)

        def change(manifest: Any) -> None:
            manifest["config"]["seeds"].remove(seed)
            results = manifest["results"]
            results["per_seed"] = [r for r in results["per_seed"] if r["seed"] != seed]

        submission.manifest(change)

    return build


RECORDS: dict[str, tuple[Build, Wanted]] = {
    "gammas bettered with their means": (
        consistently_better,
        ("EPC-2.5", "manifest.json/results/summary/gamma/text_to_visual/mean", "recomputed"),
    ),
    "a verdict that was turned with its raw text": (
        trials(lambda rows: flipped(rows[5])),
        ("EPC-2.5(d)", "trials.jsonl/5/raw", "is not the answer of the call"),
    ),
    "a digest that is not the file's": (
        lambda given: append(given, "weights.jsonl", "\n"),
        ("EPC-2.5(d)", "manifest.json/raw/weights/sha256", "the file has"),
    ),
    "a variant under the protocol's own tag": (
        lambda given: given.manifest(lambda m: m["config"].update(alpha_win=0.1)),
        ("Reading R13", "manifest.json/protocol_version", "AltLR"),
    ),
    "another generator's draws": (
        lambda given: given.manifest(lambda m: m["config"].update(generator="my own")),
        ("Submission S10", "manifest.json/config/generator", "cannot be checked"),
    ),
    "a seed that was left out of the middle": (
        without_seed(1),
        ("Submission S10", "manifest.json/config/seeds", "1 seeds are missing between 0 and 9"),
    ),
}


def as_openai(submission: Offered, **model: Any) -> None:
    submission.evaluator("GPT4o-0806", "openai", **(OPENAI | model))


def dated(submission: Offered, **stamps: str) -> None:
    def change(manifest: Any) -> None:
        manifest["evaluator"]["measurement_date"] = stamps.get(
            "measured", manifest["evaluator"]["measurement_date"]
        )
        manifest["provenance"]["created"] = stamps.get("created", manifest["provenance"]["created"])

    submission.manifest(change)


def offered_twice(submission: Offered) -> None:
    """Offer one run a second time under another name."""
    import shutil

    shutil.copytree(submission.folder, submission.folder.with_name("the-same-again"))


CLAIMS: dict[str, tuple[Build, Wanted]] = {
    "an evaluator that nobody knows": (
        lambda given: given.evaluator("GPT5", "openai", **OPENAI | {"model": "openai/gpt-5"}),
        ("Submission S13", "submission.json/generation", "nothing is known of GPT5"),
    ),
    "another evaluator's name": (
        lambda given: as_openai(given, model="openai/gpt-3.5", version="gpt-3.5"),
        ("Submission S13", "submission.json/generation", "is not GPT4o-0806"),
    ),
    "a mock that is called a model": (
        lambda given: given.statement(generation="GPT4o-0806", platform="openai"),
        ("Submission S13", "submission.json/generation", "is a mock"),
    ),
    "another platform": (
        lambda given: given.evaluator("GPT4o-0806", "azure-openai", **OPENAI),
        ("Submission S13", "submission.json/platform", "was asked on openai"),
    ),
    "a gateway that is called direct": (
        lambda given: as_openai(
            given,
            model="openrouter/openai/gpt-4o-2024-08-06",
            endpoint="https://openrouter.ai/api/v1",
            gateway="openrouter",
        ),
        ("Submission S8", "manifest.json/evaluator/endpoint", "the gateway openrouter"),
    ),
    "a gateway's address under the maker's name": (
        lambda given: as_openai(given, endpoint="https://gateway.ai.cloudflare.com/v1/openai"),
        ("Submission S8", "manifest.json/evaluator/endpoint", "gateway.ai.cloudflare.com"),
    ),
    "an unknown address under the maker's name": (
        lambda given: as_openai(given, endpoint="https://api.openai.com.evil.example/v1"),
        ("Submission S8", "manifest.json/evaluator/endpoint", "is not known to be openai's own"),
    ),
    "a direct endpoint that is called a gateway": (
        lambda given: given.statement(endpoint="gateway"),
        ("Submission S8", "manifest.json/evaluator/endpoint", "is no gateway"),
    ),
    "a measurement of tomorrow": (
        lambda given: dated(given, measured="2026-07-11", created="2026-07-11T00:00:00Z"),
        ("Submission S9", "manifest.json/evaluator/measurement_date", "after today"),
    ),
    "a record that is older than its measurement": (
        lambda given: dated(given, created="2026-07-01T00:00:00Z"),
        ("Submission S9", "manifest.json/evaluator/measurement_date", "written on 2026-07-01"),
    ),
    "a record of the last day of the calendar": (
        lambda given: dated(given, created="9999-12-31T23:59:59Z"),
        ("Submission S9", "manifest.json/provenance/created", "after today, 2026-07-10"),
    ),
    "a day that no calendar has": (
        lambda given: dated(given, measured="2026-02-30"),
        ("EPC-2.8(2)", "manifest.json/evaluator/measurement_date", "no day of the calendar"),
    ),
    "an evaluator before its release": (
        lambda given: given.evaluator(
            "GPT9", "openai", **OPENAI | {"model": "openai/gpt-9", "version": "gpt-9"}
        ),
        ("Submission S9", "manifest.json/evaluator/measurement_date", "released it on 2026-07-05"),
    ),
    "a replication of nothing": (
        lambda given: given.statement(replicates="v9.9-deterministic"),
        ("Submission S7", "submission.json/replicates", "no measured snapshot"),
    ),
    "a replication of another generation": (
        lambda given: given.statement(replicates=PUBLISHED),
        ("Submission S7", "submission.json/replicates", "another generation"),
    ),
    "a statement about another run": (
        lambda given: given.statement(identity="0" * 64),
        ("Submission S12", "submission.json/identity", "the record gives"),
    ),
    "one run offered twice": (
        offered_twice,
        ("Submission S12", "manifest.json", f"is the same as submission {SLUG}"),
    ),
}


KINDS = attacks(
    [*DOCUMENTS, *RECORDS, *CLAIMS],
    "publication",
    bounds=(
        "a nesting bomb in a statement",
        "an essay on conflicts",
        "six thousand seeds",
        "a hundred thousand rounds",
        "a thousand strategies",
        "a thousand tasks",
        "a record of the last day of the calendar",
    ),
    outside=("raw files above the folder",),
    rendering=("a link in a group's name",),
    injection=("a lone surrogate",),
)


@pytest.mark.parametrize("case", KINDS)
def test_a_hostile_record_is_refused_with_the_finding_that_says_why(
    case: str, honest: Offered
) -> None:
    build, wanted = (DOCUMENTS | RECORDS | CLAIMS)[case]
    build(honest)
    before = tree(honest.checkout)

    value = honest.check()

    assert value["ok"] is False
    assert matching_errors(value, wanted), errors(value)[:8]
    assert headline(parse(value, Report)).startswith("Refused: ")
    assert headline(parse(value, Report)) in markdown(parse(value, Report))
    assert tree(honest.checkout) == before
    assert KEY not in json.dumps(value)


@attack("publication")
def test_what_is_published_cannot_be_offered_again_under_another_date(
    honest: Offered, submissions_home: Path
) -> None:
    honest.replace_run(published_run(submissions_home))
    honest.statement(generation="CoinFlip")
    dated(honest, measured="2026-07-04", created="2026-07-04T00:00:00Z")

    value = honest.check()

    same_text = f"is the same as {PUBLISHED}"
    assert matching_errors(value, ("Submission S12", "manifest.json", same_text)), errors(value)[:5]
    assert len(errors(value)) == 1


@pytest.mark.parametrize("measured", ["0001-01-01", "9999-12-31"])
def test_submission_s9_a_day_at_an_end_of_the_calendar_leaves_the_report_whole(
    measured: str, honest: Offered
) -> None:
    """By the command: once it was an unforeseen error, and an empty report."""
    dated(honest, measured=measured)

    done = epc("submission", "check", "--format", "json", cwd=honest.checkout)

    assert (done.returncode, done.stderr) == (1, "")
    assert matching_errors(
        json.loads(done.stdout), ("Submission S9", "evaluator/measurement_date", "")
    )


def test_an_honest_submission_is_ready(honest: Offered) -> None:
    value = honest.check()

    assert value["ok"] is True, errors(value)
    assert headline(parse(value, Report)) == "This submission can be published."
    submission = value["submissions"][0]
    assert (submission["tag"], submission["n"]) == ("v1.0-deterministic", 10)
    assert submission["endpoint"] == "direct"


def test_an_honest_measurement_of_a_hosted_model_is_ready(honest: Offered) -> None:
    as_openai(honest)

    assert errors(honest.check()) == []


def test_a_gateway_that_is_declared_is_published_as_one(honest: Offered) -> None:
    as_openai(
        honest,
        model="openrouter/openai/gpt-4o-2024-08-06",
        endpoint="https://openrouter.ai/api/v1",
        gateway="openrouter",
    )
    honest.statement(endpoint="gateway")

    value = honest.check()

    assert errors(value) == []
    assert value["submissions"][0]["endpoint"] == "gateway"


def test_reading_r8_a_run_without_verdicts_is_no_baseline(honest: Offered, tmp_path: Path) -> None:
    verdicts = tmp_path / "ties.csv"
    rows = [
        f"{s},{d},t{n},tie"
        for s in ("step_by_step", "other")
        for d in ("text", "visual")
        for n in range(8)
    ]
    verdicts.write_text("\n".join(["strategy,domain,task,verdict", *rows]) + "\n")
    run = make_run(
        tmp_path / "ties", evaluator=f"recorded:{verdicts}", executor=None, seeds=10, rounds=30
    )
    honest.replace_run(run.folder)
    honest.statement(generation="GPT4o-0806", platform="openai")

    value = honest.check()
    submission = value["submissions"][0]

    assert value["ok"] is False
    assert submission["audit"]["verdict"] == "no_verdicts_counted"
    assert "no baseline" in submission["blocks"][0]
    if not errors(value):
        assert headline(parse(value, Report)).startswith("Not to be published")


def test_a_forger_who_renames_the_executor_leaves_every_reference_whole(honest: Offered) -> None:
    """The corpus's own tool works: what it forges is refused for what it claims, nothing else."""
    rename(honest.run, "executor", **EXECUTOR)
    honest.identify()

    assert errors(honest.check()) == []
