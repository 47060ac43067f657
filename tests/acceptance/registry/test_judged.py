"""A judge's evaluations from publication to recomputation, with real git, real DVC, real replies.

What is published here was judged by the careless mock, about half of whose replies are invalid.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from judge_support import write_rows
from judged_support import TAG, document
from registry_support import Checkout, Json, flip, git
from scipy.stats import norm, t
from site_support import epc

from epc.registry.verify import verify
from epc.spec.judge_v1 import DIMENSIONS


def errors(checkout: Path) -> list[str]:
    return [f.where for f in verify(checkout) if f.severity == "error"]


def test_an_evaluation_is_published_as_a_snapshot_of_its_own_kind(origin: Checkout) -> None:
    folder = origin.home / TAG
    card = document(folder, "snapshot.json")
    names = {path.name for path in folder.iterdir()}

    assert names == {
        *("snapshot.json", "metrics.json", "judge.json", "run_log.json"),
        *("raw.dvc", "SHA256SUMS"),
    }
    assert (card["kind"], card["protocol_version"]) == ("judged", "Judge-v1.0")
    assert (card["calibration"], card["trust"], card["executor"]) == (True, "recomputed", None)
    assert card["measured"] == {"from": "2026-03-31", "to": "2026-03-31"}
    assert errors(origin.folder) == []


def question_of(record: Json) -> str:
    question: str = record["sample"]["question_id"]
    return question


def test_every_share_is_a_count_of_the_archived_records_with_an_interval_by_question(
    origin: Checkout, evaluation: Path
) -> None:
    def archived(place: str) -> list[Json]:
        path = evaluation / place / "cross_judge" / "records.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    valid, invalid = archived("valid_evaluations"), archived("invalid_evaluations")
    figures = document(origin.home / TAG, "metrics.json")["figures"]

    compared: list[Json] = []

    def is_share(stated_document: Json, seen: list[tuple[str, int, int]]) -> None:
        """Compare with Wilson's interval at the number of observations that the spread allows."""
        hits, n = sum(hit for _, hit, _ in seen), sum(of for _, _, of in seen)
        share = hits / n
        assert (stated_document["hits"], stated_document["mean"]) == (hits, share)
        off: dict[str, float] = {}
        for question, hit, of in seen:
            off[question] = off.get(question, 0) + (hit - share * of) / n
        count = len(off)
        variance = sum(part**2 for part in off.values()) * count / (count - 1)
        as_many = min(share * (1 - share) / variance, n) if variance > 1e-15 else count
        as_many *= (norm.ppf(0.975) / t.ppf(0.975, count - 1)) ** 2
        compared.append(stated_document)
        half = norm.ppf(0.975) * (share * (1 - share) / as_many + 3.841459 / 4 / as_many**2) ** 0.5
        middle, width = share + 3.841459 / 2 / as_many, 1 + 3.841459 / as_many
        low, high = max(0, (middle - half) / width), min(1, (middle + half) / width)
        assert stated_document["ci95"] == pytest.approx([low, high], abs=1e-6)

    assert 0 < len(valid) < len(valid) + len(invalid) == 12
    assert (figures["n"], figures["valid"]) == (12, len(valid))
    both = [*valid, *invalid]
    for verdict in ("PASS", "PARTIAL", "FAIL"):
        is_share(
            figures["verdict"][verdict],
            [(question_of(r), r["verdict"] == verdict, 1) for r in valid],
        )
    is_share(figures["invalid"], [(question_of(r), not r["valid"], 1) for r in both])
    for kind, stated_quote in figures["quotes"].items():
        quotes = [(question_of(r), r["quotes"]) for r in both if r["quotes"]["given"]]
        is_share(stated_quote, [(where, found[kind], found["given"]) for where, found in quotes])
    assert figures["invented_quotes"]["quotes"] == sum(r["quotes"]["given"] for r in both)
    assert figures["invented_quotes"]["hits"] == figures["quotes"]["invented"]["hits"] > 0
    assert compared
    passed = figures["verdict"]["PASS"]["hits"]
    assert figures["bounds"]["verdicts"]["PASS"] == [passed / 12, (passed + len(invalid)) / 12]
    total = sum(record["scores"][name] for record in valid for name in DIMENSIONS)
    assert figures["overall_score"]["mean"] == pytest.approx(total / len(valid), abs=1e-12)
    for group in figures["variants"]:
        own_rows = [r for r in valid if r["sample"]["prompt_variant"] == group["value"]]
        assert (group["n"], group["valid"]) == (4, len(own_rows))
    assert [group["value"] for group in figures["variants"]] == ["A", "B", "C"]
    flags = Counter(flag for record in invalid for flag in record["flags"])
    assert figures["totals"]["cross_judge"]["flags"] == dict(flags)


def test_it_says_what_the_report_of_the_folder_says(origin: Checkout, evaluation: Path) -> None:
    arguments = ("judge", "report", str(evaluation), "--format", "json")
    (report,) = json.loads(epc(evaluation, *arguments).stdout)["evaluations"]
    figures = document(origin.home / TAG, "metrics.json")["figures"]
    primary = report["primary"]["all"]

    for name, stated in figures["verdict"].items():
        verdict = primary["verdicts"][name]
        assert (stated["mean"], stated["ci95"]) == (verdict["share"], verdict["ci95"])
    assert figures["overall_score"] == primary["overall_score"]
    assert figures["dimensions"] == primary["dimensions"]
    assert figures["remarks"] == report["remarks"]
    assert figures["totals"] == report["totals"]
    rows = csv.DictReader(epc(evaluation, *arguments[:3], "--format", "csv").stdout.splitlines())
    by_target = {
        row["measure"]: float(row["estimate"])
        for row in rows
        if (row["section"], row["axis"]) == ("primary", "target_model") and row["estimate"]
    }
    (target,) = figures["targets"]
    assert by_target["FAIL"] == target["verdict"]["FAIL"]["mean"]
    assert by_target["invalid"] == target["invalid"]["mean"]


def test_a_clone_fetches_it_back_and_every_record_checks_again(
    clone: Path, evaluation: Path
) -> None:
    epc(clone, "snapshot", "fetch", TAG, "--out", "again")

    repeated_folder = clone / "again"
    fetched = {
        p.relative_to(repeated_folder).as_posix() for p in repeated_folder.rglob("*") if p.is_file()
    }
    there = {p.relative_to(evaluation).as_posix() for p in evaluation.rglob("*") if p.is_file()}
    assert fetched == there
    for name in fetched:
        assert (repeated_folder / name).read_bytes() == (evaluation / name).read_bytes(), name
    assert len([name for name in fetched if name.startswith("outputs/")]) == 12
    done = epc(clone, "judge", "check", "again")
    assert done.stdout == "again: ok, findings: 0\n"


@pytest.mark.parametrize("words", ["check", "report", "run", "import"])
def test_nothing_is_read_from_or_written_into_the_published_folder(
    clone: Path, words: str, tmp_path: Path
) -> None:
    folder = clone / "snapshots" / TAG
    replies = [str(write_rows(tmp_path / "replies.jsonl", []))] if words == "import" else []

    done = epc(clone, "judge", words, *replies, str(folder), code=2)

    assert f"epc snapshot fetch {TAG} --out FOLDER" in done.stderr
    assert git(clone, "status", "--porcelain") == ""


def test_one_flipped_byte_in_a_judged_folder_is_found_and_named(clone: Path) -> None:
    names = ("raw.dvc", "judge.json", "run_log.json", "metrics.json", "snapshot.json")
    for name in names:
        flip(clone / "snapshots" / TAG / name)

    assert {f"snapshots/{TAG}/{name}" for name in names} <= {*errors(clone)}


def test_its_shares_are_taken_again_from_the_replies(clone: Path) -> None:
    done = epc(clone, "snapshot", "recompute", TAG)

    assert done.stdout == f"{TAG}  as published\n"


def test_a_share_that_the_replies_do_not_give_is_found(clone: Path) -> None:
    path = clone / "snapshots" / TAG / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["figures"]["verdict"]["PASS"]["mean"] = 0.99
    path.write_text(json.dumps(metrics))

    done = epc(clone, "snapshot", "recompute", TAG, "--format", "json", code=1)

    (found,) = json.loads(done.stdout)
    assert found["changed"] == ["/metrics.json/figures/verdict/PASS/mean"]
    assert found["problems"] == []


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        (
            "snapshot.json",
            lambda d: d["conditions"].update(retry_malformed=3),
            "are not the plan's",
        ),
        ("metrics.json", lambda d: d["figures"]["totals"].clear(), "are not the run log's"),
        ("run_log.json", lambda d: d["files"]["calls.jsonl"].update(sha256="0" * 64), "raw files"),
        ("metrics.json", lambda d: d["figures"].pop("invalid"), "metrics.json: {"),
        ("judge.json", lambda d: d.pop("judges"), "judges"),
    ],
)
def test_documents_that_contradict_each_other_are_found(
    clone: Path, name: str, change: Callable[[Json], object], said: str
) -> None:
    path = clone / "snapshots" / TAG / name
    input_document = json.loads(path.read_text())
    change(input_document)
    path.write_text(json.dumps(input_document))

    found = [str(f) for f in verify(clone) if f.severity == "error"]

    assert any(said in text for text in found), found


def test_the_list_keeps_shares_out_of_the_column_of_gammas(clone: Path) -> None:
    rows = {
        row["tag"]: row
        for row in json.loads(epc(clone, "snapshot", "list", "--format", "json").stdout)
    }
    figures = document(clone / "snapshots" / TAG, "metrics.json")["figures"]
    row = rows[TAG]

    assert (row["figure"], row["mean"]) == ("verdict/PASS", figures["verdict"]["PASS"]["mean"])
    assert row["ci95"] == figures["verdict"]["PASS"]["ci95"]
    assert (row["invalid"], row["excess"], row["audit"]) == (figures["invalid"]["mean"], None, None)
    text = epc(clone, "snapshot", "list").stdout
    gammas, shares = text.split("What mock and embedded judges said of outputs:")
    assert TAG not in gammas
    interval = row["ci95"] and " [{:.3f}, {:.3f}]".format(*row["ci95"])
    assert f"{row['mean']:.3f}{interval or ''} " in shares


def test_what_is_shown_is_what_its_documents_say(clone: Path) -> None:
    printed_document = json.loads(epc(clone, "snapshot", "show", TAG, "--format", "json").stdout)
    text = epc(clone, "snapshot", "show", TAG).stdout

    assert (
        printed_document["figures"]
        == document(clone / "snapshots" / TAG, "metrics.json")["figures"]
    )
    total = printed_document["figures"]["totals"]["cross_judge"]
    assert f"cross_judge: {total['valid']} valid, {total['invalid']} invalid" in text
    assert total["flags"]
    assert all(f"{flag} {count}" in text for flag, count in total["flags"].items())
    assert "verdict/PASS" in text
    assert "executor" not in text
