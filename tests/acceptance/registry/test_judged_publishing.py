"""Which of a judge's evaluations are published, beside those that are, and which are refused."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from judge_support import grid, imported, record_for, reply_row, write_rows
from judged_support import TAG, WHO, document
from registry_support import generation_record, life_record
from site_support import epc, evaluated, evaluated_by_endpoint

from epc.records.judging.recheck import recheck


def publish(
    clone: Path, folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> str:
    done = epc(
        clone, "admin", "snapshot", "publish", str(folder), *(arguments or WHO), "--no-git", env=env
    )
    return done.stdout.strip()


def test_two_evaluations_of_other_outputs_are_not_like_for_like(clone: Path) -> None:
    rows = grid("12345", "ABC")
    other_tag = publish(clone, evaluated(clone.parent / "other", rows=rows))

    done = epc(clone, "compare", TAG, other_tag, "--format", "json", code=1)

    actual_document = json.loads(done.stdout)
    assert (other_tag, list(actual_document["conditions"])) == ("v1.1-CarelessJudge", ["samples"])
    assert "verdict/PASS" in actual_document["figures"]


def test_a_later_evaluation_ends_no_earlier_one(clone: Path) -> None:
    later_environment = {"SOURCE_DATE_EPOCH": "1775044800"}  # 2026-04-01
    same_tag = publish(
        clone, evaluated(clone.parent / "same", env=later_environment), env=later_environment
    )

    lines = (clone / "snapshots" / "events.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]

    assert [event["event"] for event in events] == ["published", "published"]
    done = epc(clone, "compare", TAG, same_tag)  # asked the same on any day, it says the same
    assert done.stdout.startswith("like for like")


def test_the_same_evaluation_is_never_published_twice(clone: Path, evaluation: Path) -> None:
    assert publish(clone, evaluation) == TAG
    assert len((clone / "snapshots" / "events.jsonl").read_text().splitlines()) == 1


def refused(clone: Path, folder: Path, *arguments: str) -> str:
    before = sorted(p for p in clone.rglob("*") if ".git" not in p.parts)
    output = epc(
        clone, "admin", "snapshot", "publish", str(folder), *(arguments or WHO), code=2
    ).stderr
    assert sorted(p for p in clone.rglob("*") if ".git" not in p.parts) == before
    assert "fix: " in output or "epc judge" in output
    return output


def test_several_judges_are_refused_with_the_remedy(clone: Path) -> None:
    folder = evaluated(clone.parent / "two", plan=("--judge", "mock/judge"))

    text = refused(clone, folder)

    assert "has 2 judges" in text
    assert "plan one judge a folder" in text


def test_what_is_not_judged_yet_is_refused(clone: Path) -> None:
    table = write_rows(clone.parent / "outputs.jsonl", grid())
    folder = clone.parent / "planned"
    epc(clone, "judge", "plan", str(table), "--judge", "mock/judge", "--out", str(folder))

    assert "not judged yet" in refused(clone, folder)


def test_reading_r23_a_judge_without_a_valid_evaluation_is_published_as_failed(clone: Path) -> None:
    blank = [{**row, "output": " "} for row in grid()]  # nothing can be quoted from these
    folder = evaluated(clone.parent / "blank", judge="mock/judge", rows=blank)

    tag = publish(clone, folder, "--generation", "DigestJudge", "--contributor", "A. Name")

    figures = document(clone / "snapshots" / tag, "metrics.json")["figures"]
    assert (figures["n"], figures["valid"], figures["invalid"]["mean"]) == (4, 0, 1.0)
    assert figures["verdict"]["PASS"] == {"mean": None, "ci95": None, "hits": 0}
    assert figures["bounds"]["verdicts"]["PASS"] == [0.0, 1.0]
    why = "no evaluation by this judge is valid"
    assert f"FAILED     {why}" in epc(clone, "snapshot", "show", tag).stdout
    listed = epc(clone, "snapshot", "list").stdout
    (row,) = [line for line in listed.splitlines() if tag in line]
    assert row.split()[2:5] == ["judge", "4", "failed"]
    output = epc(clone, "compare", TAG, tag, code=1).stdout
    assert f"{tag} is a failed run: {why}" in output
    assert epc(clone, "snapshot", "recompute", tag).stdout == f"{tag}  as published\n"
    epc(clone, "snapshot", "verify")


def test_what_a_judge_said_of_itself_is_in_none_of_the_primary_shares(clone: Path) -> None:
    rows = grid("12", "AB", targets=("mock/judge", "m/x"))
    digest = ("--generation", "DigestJudge", "--contributor", "A. Name")
    tag = publish(clone, evaluated(clone.parent / "both", judge="mock/judge", rows=rows), *digest)

    figures = document(clone / "snapshots" / tag, "metrics.json")["figures"]

    assert (figures["n"], figures["self_judging"]["n"]) == (4, 4)
    assert [group["value"] for group in figures["targets"]] == ["m/x"]
    hits = [share["hits"] for share in figures["verdict"].values()]
    assert sum(hits) == figures["valid"] == 4
    assert epc(clone, "snapshot", "recompute", tag).stdout == f"{tag}  as published\n"


def test_a_judge_that_judged_itself_alone_is_no_evidence(clone: Path) -> None:
    rows = grid("12", "AB", targets=("mock/judge",))
    folder = evaluated(clone.parent / "itself", judge="mock/judge", rows=rows)

    assert "has no cross-judged sample" in refused(clone, folder)


def test_an_archive_that_its_replies_do_not_give_is_refused(clone: Path, evaluation: Path) -> None:
    folder = clone.parent / "forged"
    shutil.copytree(evaluation, folder)
    path = folder / "valid_evaluations" / "cross_judge" / "records.jsonl"
    text = path.read_text()
    assert '"verdict":"FAIL"' in text
    path.write_text(text.replace('"verdict":"FAIL"', '"verdict":"PASS"', 1))
    assert recheck(folder).findings

    printed_text = refused(clone, folder)

    assert "is not whole" in printed_text
    assert f"epc judge check {folder}" in printed_text


def test_replies_that_were_imported_are_refused(clone: Path, tmp_path: Path) -> None:
    rows = grid()
    replies = [reply_row(row, "j/1", record_for(row, "j/1")) for row in rows]
    imported(tmp_path / "imported", rows, replies, judges=("j/1",))

    assert "imported" in refused(clone, tmp_path / "imported")


def test_a_judge_whose_generation_nobody_knows_is_refused_until_it_is_known(clone: Path) -> None:
    folder = evaluated_by_endpoint(clone.parent / "hosted")
    own_arguments = ("--weights", f"sha256:{'ab' * 32}")
    arguments = ("--generation", "Judge-9", "--contributor", "A. Name", *own_arguments)

    text = refused(clone, folder, *arguments)

    assert "nothing is known of Judge-9 on self-hosted" in text
    known_generation_record = generation_record(
        "Judge-9", life_record(platform="self-hosted", model="judge-1")
    )
    (clone / "snapshots" / "evaluators" / "Judge-9.json").write_text(
        json.dumps(known_generation_record)
    )
    tag = publish(clone, folder, *arguments)
    card = document(clone / "snapshots" / tag, "snapshot.json")
    assert (tag, card["calibration"]) == ("v1.0-Judge-9", False)
    state = json.loads(
        epc(clone, "expiry", tag, "--as-of", "2026-04-01", "--format", "json").stdout
    )
    assert state[0]["until"] == "2026-09-27"  # 180 days after 2026-03-31, as for any figure


def test_a_judged_snapshot_replicates_nothing(clone: Path, evaluation: Path) -> None:
    text = refused(clone, evaluation, *WHO, "--replicates", TAG)

    assert "only measured snapshots can replicate one another" in text


def test_labels_of_people_are_published_as_numbers_alone_recomputed_and_refused_if_forged(
    clone: Path,
) -> None:
    rows = grid("12345", "AB")
    folder = evaluated(clone.parent / "labelled", rows=rows)
    names = [row["output_id"] for row in rows]
    said = [
        {"output_id": name, "labeller": who, "verdict": verdict, "notes": "private"}
        for name in names
        for who, verdict in (("Ann Smith", "FAIL"), ("Bo Jones", "PASS"), ("Cy Hill", "FAIL"))
    ]
    labels = write_rows(clone.parent / "labels.jsonl", said)
    epc(clone, "judge", "label", str(labels), str(folder))
    kept = (folder / "labels.jsonl").read_text()
    forged = shutil.copytree(folder, clone.parent / "forged")
    (forged / "labels.jsonl").write_text(kept.replace("person 1", "Ann Smith"))
    report = json.loads(epc(clone, "judge", "report", str(folder), "--format", "json").stdout)

    assert "is not whole" in refused(clone, forged)
    assert "holds more than output" in epc(clone, "judge", "check", str(forged), code=1).stdout
    tag = publish(clone, folder)
    figures = document(clone / "snapshots" / tag, "metrics.json")["figures"]

    assert kept.splitlines()[0] == (
        f'{{"labeller":"person 1","output_id":"{names[0]}","verdict":"FAIL"}}'
    )
    assert "Smith" not in kept
    assert "private" not in kept
    actual_labels = figures["labels"]
    assert (actual_labels["outputs"], actual_labels["undecided"], actual_labels["labellers"]) == (
        10,
        0,
        3,
    )
    assert (actual_labels["labelled"], actual_labels["lost"]) == (
        figures["valid"],
        10 - figures["valid"],
    )
    assert actual_labels["same_verdict"]["hits"] == figures["verdict"]["FAIL"]["hits"]
    (against,) = report["evaluations"][0]["labels"]["judges"]
    by_people = {**actual_labels["pass"]}
    del by_people["people"]
    of_report = against["passes"]["figures"]
    assert by_people
    assert all(part["mean"] == of_report[name]["value"] for name, part in by_people.items())
    assert epc(clone, "snapshot", "recompute", tag).stdout == f"{tag}  as published\n"
    text = f"says the same of {actual_labels['same_verdict']['hits']} of {figures['valid']} outputs"
    assert text in epc(clone, "snapshot", "show", tag).stdout
    epc(clone, "snapshot", "verify")


def test_what_tests_say_of_a_judge_is_published_recomputed_and_refused_if_forged(
    clone: Path,
) -> None:
    rows = [{**row, "output": f"{row['output']} {row['output']}"} for row in grid("12345678", "A")]
    folder = evaluated(clone.parent / "tested", rows=rows)
    tested = json.loads(
        epc(clone, "judge", "competence", str(folder), "--format", "json", code=1).stdout
    )["competence"][0]
    forged = shutil.copytree(folder, clone.parent / "forged")
    (part,) = (forged / "competence").glob("*/planted")
    path = part / "samples.jsonl"
    path.write_text(path.read_text().replace('"kind":"padded"', '"kind":"truncated"', 1))

    assert "is not whole" in refused(clone, forged)
    output = epc(clone, "judge", "check", str(forged), code=1).stdout
    assert "is not the text that its kind says" in output
    assert "publish the set beside which it stands" in refused(clone, part)
    tag = publish(clone, folder)
    figures = document(clone / "snapshots" / tag, "metrics.json")["figures"]["competence"]

    overall = tested["overall"]
    assert (figures["word"], figures["pairs"]) == ("incapable", overall["pairs"])
    assert figures["detected"]["hits"] == overall["count"]
    assert epc(clone, "snapshot", "recompute", tag).stdout == f"{tag}  as published\n"
    shown_output = epc(clone, "snapshot", "show", tag).stdout
    pairs = overall["pairs"] - overall["at_floor"]
    assert f"incapable: scored {overall['count']} of {pairs} spoilt texts below" in shown_output
    epc(clone, "snapshot", "verify")
    epc(clone, "snapshot", "fetch", tag, "--out", str(clone.parent / "again"))
    assert epc(clone, "judge", "check", str(clone.parent / "again")).returncode == 0
