"""Whether a submission's folder is safe to read, from names, sizes and first bytes alone."""

import gzip
import os
from dataclasses import replace
from pathlib import Path

import pytest

from epc.errors import Finding, Severity
from epc.records.findings import Findings
from epc.registry.kinds.adapter import kind_of
from epc.registry.submissions.folder import (
    inspect,
    located,
    look_alikes,
    name_problems,
    present_files,
    reasons,
)
from epc.registry.submissions.layout import NAMES, PLAIN, SECRETS, SIZE

RUN = ("submission.json", "manifest.json", "trials.jsonl", "calls.jsonl", "weights.jsonl")
JUDGED = ("submission.json", "judge.json", "run_log.json")
OBSERVED = ("submission.json", "observed.json", "verdicts.jsonl")


def folder(home: Path, *names: str) -> Path:
    folder = home / "an-honest-one"
    folder.mkdir()
    for name in names:
        (folder / name).write_text("{}\n")
    return folder


def folder_findings(made: Path) -> list[tuple[str, str, str]]:
    return [(f.clause, f.where, f.problem) for f in inspect(made).as_list()]


@pytest.mark.parametrize("names", [RUN, (*RUN, "probes.jsonl"), OBSERVED])
def test_a_folder_of_plain_files_of_known_names_is_safe(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    path = folder(tmp_path, *names)

    assert folder_findings(path) == []
    assert set(present_files(path)) == set(names)


@pytest.mark.parametrize(
    ("names", "missing"),
    [(RUN, name) for name in RUN] + [(OBSERVED, "submission.json"), (OBSERVED, "verdicts.jsonl")],
)
def test_submission_s2_each_file_that_is_missing_is_named(
    tmp_path: Path, names: tuple[str, ...], missing: str
) -> None:
    path = folder(tmp_path, *(name for name in names if name != missing))

    assert folder_findings(path) == [(PLAIN, missing, "is missing")]


def test_submission_s2_of_an_empty_folder_every_file_of_a_run_is_missing(tmp_path: Path) -> None:
    path = folder(tmp_path)

    assert folder_findings(path) == [(PLAIN, name, "is missing") for name in sorted(RUN)]


def test_submission_s2_what_is_no_plain_file_of_a_known_name_is_named(tmp_path: Path) -> None:
    path = folder(tmp_path, *RUN, "more.json")
    (path / "probes.jsonl").symlink_to("trials.jsonl")
    (path / "weights.jsonl").unlink()
    (path / "weights.jsonl").mkdir()
    (path / "attestation.json").write_text("{}")
    os.mkfifo(path / "pipe")
    (tmp_path / "other").hardlink_to(path / "trials.jsonl")

    assert folder_findings(path) == [
        (PLAIN, "attestation.json", "no such file belongs here"),
        (PLAIN, "more.json", "no such file belongs here"),
        (PLAIN, "pipe", "no such file belongs here"),
        (PLAIN, "pipe", "is a named pipe, expected a plain file"),
        (PLAIN, "probes.jsonl", "is a symbolic link, expected a plain file"),
        (PLAIN, "trials.jsonl", "has 2 names on this disk (a hard link)"),
        (PLAIN, "weights.jsonl", "is a folder, expected a plain file"),
    ]


def test_submission_s6_a_secret_in_a_file_that_does_not_belong_here_is_named(
    tmp_path: Path,
) -> None:
    path = folder(tmp_path, *RUN)
    (path / ".env").write_text("A=1\nKEY=" + "ghp_" + "a1B2" * 9 + "\n")

    assert (SECRETS, ".env:2", "holds a GitHub token") in folder_findings(path)


def test_what_is_offered_may_be_no_link_to_a_folder(tmp_path: Path) -> None:
    path = folder(tmp_path, *RUN)
    (tmp_path / "a-link").symlink_to(path)

    assert folder_findings(tmp_path / "a-link") == [
        (PLAIN, "", "is a symbolic link, expected a folder")
    ]


def test_submission_s3_a_file_may_have_its_bound_and_not_a_byte_more(tmp_path: Path) -> None:
    path = folder(tmp_path, *RUN)
    os.truncate(path / "submission.json", 65_536)
    assert folder_findings(path) == []

    os.truncate(path / "submission.json", 65_537)

    assert folder_findings(path) == [
        (SIZE, "submission.json", "65,537 bytes, expected at most 65,536")
    ]


def test_submission_s3_all_files_together_may_have_96_mebibytes(tmp_path: Path) -> None:
    """48 + 48 MiB are 100,663,296 bytes; three files of 3 bytes each come on top."""
    path = folder(tmp_path, *RUN)
    for name in ("trials.jsonl", "calls.jsonl"):
        os.truncate(path / name, 50_331_648)

    assert folder_findings(path) == [
        (SIZE, "", "100,663,305 bytes in all, expected at most 100,663,296")
    ]


def test_submission_s3_a_run_may_have_fifty_entries(tmp_path: Path) -> None:
    path = folder(tmp_path, *RUN, *(f"more-{n:02}" for n in range(45)))
    assert (SIZE, "", "has more than 50 entries") not in folder_findings(path)

    (path / "one-more").touch()

    assert (SIZE, "", "has more than 50 entries") in folder_findings(path)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b"", "is empty, expected JSON: a brace"),
        (b"[1]", "begins with b'[', expected JSON: a brace"),
        (gzip.compress(b"{}", mtime=0), "is packed by gzip, expected JSON: a brace"),
        (b"PK\x03\x04", "is packed as zip, expected JSON: a brace"),
        (b"\x89PNG\r\n", "is a picture, expected JSON: a brace"),
        (
            b"\x80\x00ab",
            "is binary data, which begins with b'\\x80\\x00ab', expected JSON: a brace",
        ),
    ],
)
def test_submission_s2_a_file_that_is_no_json_at_first_sight_is_named(
    tmp_path: Path, first: bytes, said: str
) -> None:
    path = folder(tmp_path, *RUN)
    (path / "manifest.json").write_bytes(first)

    assert folder_findings(path) == [(PLAIN, "manifest.json", said)]


def test_submission_s3_a_line_may_have_a_mebibyte_and_not_a_byte_more(tmp_path: Path) -> None:
    path = folder(tmp_path, *RUN)
    line = b"{" + b" " * 1_048_574 + b"}"
    (path / "trials.jsonl").write_bytes(b"{}\n" + line + b"\n" + line)
    assert folder_findings(path) == []

    (path / "trials.jsonl").write_bytes(b"{}\n" + line + b" \n")

    assert folder_findings(path) == [(SIZE, "trials.jsonl", "a line of more than 1,048,576 bytes")]


def test_a_folder_offers_what_its_plan_or_its_header_says_and_else_a_run(tmp_path: Path) -> None:
    assert kind_of(folder(tmp_path, *RUN)) == "measured"
    for name, kind in (("judge.json", "judged"), ("observed.json", "observed")):
        new_folder = tmp_path / kind
        new_folder.mkdir()
        (new_folder / name).symlink_to("elsewhere")
        assert kind_of(new_folder) == "measured", "a link says nothing"
        (new_folder / name).unlink()
        (new_folder / name).touch()
        assert kind_of(new_folder) == kind


def test_of_an_evaluation_the_files_in_its_folders_are_looked_at_too(tmp_path: Path) -> None:
    path = folder(tmp_path, *JUDGED)
    (path / "outputs").mkdir()
    (path / "outputs" / "more.txt").touch()
    (path / "elsewhere").mkdir()

    assert folder_findings(path) == [
        (PLAIN, "elsewhere", "no such file belongs here"),
        (PLAIN, "elsewhere", "is a folder, expected a plain file"),
        (PLAIN, "outputs/more.txt", "no such file belongs here"),
    ]
    assert present_files(path) == sorted(JUDGED)


@pytest.mark.parametrize(
    ("slug", "problem"),
    [
        ("a" * 64, None),
        ("a" * 65, "a name of 65 characters, expected at most 64"),
        ("an-honest-1", None),
        ("An-honest-one", "the name 'An-honest-one' has more than lower-case letters a-z"),
        ("an--honest", "the name 'an--honest' has more than"),
        ("com1", "com1 is a device on Windows"),
        ("com10", None),
        ("nul", "nul is a device on Windows"),
    ],
)
def test_submission_s4_a_folder_s_name_is_one_that_every_disk_can_hold(
    slug: str, problem: str | None
) -> None:
    findings = Findings()

    name_problems(slug, findings)

    clauses = [(finding.clause, finding.problem) for finding in findings.as_list()]
    if problem is None:
        assert clauses == []
    else:
        ((clause, said),) = clauses
        assert clause == NAMES
        assert said.startswith(problem)


def test_submission_s4_a_name_that_looks_like_an_earlier_one_is_named_with_it() -> None:
    assert list(look_alikes(["a-run", "b-run", "a-run", "c-run", "a-run"])) == [
        ("a-run", "a-run"),
        ("a-run", "a-run"),
    ]


@pytest.mark.parametrize(
    ("name", "first", "problem", "maker"),
    [
        (
            "submission.json",
            b"\x28\xb5\x2f\xfd",
            "is packed by zstd",
            "who offers the run, written by `epc submission new`",
        ),
        ("manifest.json", b"\xfd7zXZ", "is packed by xz", "a run's record, written by `epc run`"),
        ("calls.jsonl", b"BZh9", "is packed by bzip2", "a run's record, written by `epc run`"),
        ("probes.jsonl", b" {}", "begins with b' '", "a run's record, written by `epc run`"),
        (
            "weights.jsonl",
            b"a\0",
            r"is binary data, which begins with b'a\x00'",
            "a run's record, written by `epc run`",
        ),
    ],
)
def test_submission_s2_who_makes_a_file_is_told_with_what_it_is(
    tmp_path: Path, name: str, first: bytes, problem: str, maker: str
) -> None:
    path = folder(tmp_path, *RUN)
    (path / name).write_bytes(first)

    (finding,) = inspect(path).as_list()

    assert (finding.where, finding.problem) == (name, f"{problem}, expected JSON: a brace")
    assert finding.remedy == f"put back the file as it was: {maker}, JSON as text, not packed"


def test_submission_s2_of_verdicts_and_evaluations_who_makes_them_is_told_too(
    tmp_path: Path,
) -> None:
    seen_folder, judged = tmp_path / "seen", tmp_path / "judged"
    seen_folder.mkdir()
    judged.mkdir()
    (folder(seen_folder, *OBSERVED) / "verdicts.jsonl").write_text("[]\n")
    (folder(judged, *JUDGED) / "run_log.json").write_text("[]\n")

    remedies = [
        inspect(home / "an-honest-one").as_list()[0].remedy for home in (seen_folder, judged)
    ]

    assert remedies == [
        f"put back the file as it was: {maker}, JSON as text, not packed"
        for maker in (
            "verdicts, written by `epc submission new`",
            "an evaluation's record, written by `epc judge run`",
        )
    ]


def test_submission_s6_a_strange_file_is_looked_into_up_to_a_mebibyte(tmp_path: Path) -> None:
    path = folder(tmp_path, *RUN)
    key = b"ghp_" + b"a1B2" * 9
    strange = path / "b\u00e9.txt"
    for size, clauses in ((1_048_576, [PLAIN, SECRETS]), (1_048_577, [PLAIN])):
        strange.write_bytes(key.rjust(size))
        actual_clauses = [(f.clause, f.where.partition(":")[0]) for f in inspect(path).as_list()]
        assert actual_clauses == [(clause, r"b\xe9.txt") for clause in clauses]


def test_submission_s2_every_finding_on_a_folder_has_a_remedy_of_its_own(tmp_path: Path) -> None:
    path = folder(tmp_path, *RUN[1:])
    os.truncate(path / "manifest.json", 16_777_217)
    (path / "weights.jsonl").unlink()
    (path / "weights.jsonl").hardlink_to(path / "trials.jsonl")
    (path / "more").mkdir()

    plain = (
        "keep submission.json, manifest.json, trials.jsonl, calls.jsonl, weights.jsonl, "
        "probes.jsonl as plain files, and nothing else"
    )
    assert [(f.where, f.remedy) for f in inspect(path).as_list()] == [
        ("manifest.json", "offer fewer seeds, or an exhaustive run"),
        ("more", plain),
        ("more", plain),
        ("trials.jsonl", "copy the file"),
        ("weights.jsonl", "copy the file"),
        ("submission.json", "make the folder with `epc submission new`"),
    ]


def wrong(where: str, severity: Severity = "error", clause: str = "EPC-1") -> Finding:
    return Finding(clause=clause, where=where, problem=where, remedy="mend", severity=severity)


def test_of_a_file_five_findings_are_listed_and_the_rest_are_counted() -> None:
    """Of 7 rows and of 6 seeds the first 5 stand; of the manifest itself everything does."""
    rows = [wrong(f"/trials/{n}", clause=f"EPC-{n}") for n in range(7)]
    few = [wrong(f"/weights/{n}") for n in range(5)]
    seeds = [wrong(f"/results/per_seed/{n}", "warning") for n in range(6)]
    other_findings = [wrong(f"/config/{n}") for n in range(6)]

    findings = list(located([*rows, *few, *seeds, *other_findings, wrong("/raw/trials/sha256")]))

    assert [f.where for f in findings] == [
        "manifest.json/raw/trials/sha256",
        *(f"trials.jsonl/{n}" for n in range(5)),
        *(f"weights.jsonl/{n}" for n in range(5)),
        *(f"manifest.json/results/per_seed/{n}" for n in range(5)),
        *(f"manifest.json/config/{n}" for n in range(6)),
        "trials.jsonl",
        "manifest.json/results/per_seed",
    ]
    assert [(f.clause, f.problem, f.severity) for f in findings[-2:]] == [
        ("EPC-5", "2 more findings like these are not listed", "error"),
        ("EPC-1", "1 more findings like these are not listed", "warning"),
    ]
    assert findings[-1].remedy == (
        "mend what is listed first; `epc validate` on this folder lists more"
    )


def test_one_grave_finding_among_those_that_are_counted_makes_them_grave() -> None:
    mild = [wrong("/calls", "warning")] * 6

    *listed, further_finding = located([*mild, wrong("/calls/6")])

    assert [f.where for f in listed] == ["calls.jsonl"] * 5
    assert (further_finding.severity, further_finding.where) == ("error", "calls.jsonl")


def test_why_an_audit_says_what_it_says_is_a_warning_unless_it_is_known() -> None:
    old, new = wrong("/trials/1"), wrong("/results/gamma")

    (finding,) = reasons([old, new], [old])

    assert finding == replace(new, where="manifest.json/results/gamma", severity="warning")
