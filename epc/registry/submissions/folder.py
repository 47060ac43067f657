"""Is a submission's folder safe to read? Answered from names and sizes, before anything is parsed.

A folder that fails here is not looked into any further.
"""

import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from epc.errors import Finding, able_to
from epc.records.findings import Findings
from epc.records.judging.documents import RECORDS
from epc.records.layout import MANIFEST, RAW
from epc.registry.kinds.adapter import adapter, kind_of
from epc.registry.layout import OBSERVED, VERDICTS
from epc.registry.names import skeleton
from epc.registry.submissions import layout
from epc.registry.submissions.texts import LEAKED, scan

_CHUNK: Final = 2**20
_FIRST: Final = 64
_PACKED: Final = {
    b"\x1f\x8b": "packed by gzip",
    b"PK": "packed as zip",
    b"\x28\xb5\x2f\xfd": "packed by zstd",
    b"\xfd7zXZ": "packed by xz",
    b"BZh": "packed by bzip2",
    b"\x89PNG": "a picture",
}
_MAKER: Final = {
    layout.STATEMENT: "who offers the run, written by `epc submission new`",
    **dict.fromkeys((MANIFEST, *layout.LINES), "a run's record, written by `epc run`"),
    **dict.fromkeys((OBSERVED, VERDICTS), "verdicts, written by `epc submission new`"),
}
_REMEDY: Final = f"keep {', '.join(layout.FILES)} as plain files, and nothing else"


def inspect(folder: Path) -> Findings:
    """Return everything that makes a folder unsafe to read, each at its file's name.

    Raises: WorldError if the disk fails.
    """
    findings = Findings()
    name_problems(folder.name, findings)
    with able_to("read", folder):
        kind = folder.lstat().st_mode
        if not stat.S_ISDIR(kind):
            findings.add(layout.PLAIN, "", f"is {_kind(kind)}, expected a folder", _REMEDY)
            return findings
        files = adapter(kind_of(folder)).FILES
        present = dict(islice(_entries(folder, files), files.limit + 1))
        if len(present) > files.limit:
            findings.add(layout.SIZE, "", f"has more than {files.limit} entries", _REMEDY)
        total = sum(_entry(name, entry, findings, files) for name, entry in sorted(present.items()))
        for name in sorted(files.needs - present.keys()):
            findings.add(
                layout.PLAIN, name, "is missing", "make the folder with `epc submission new`"
            )
        if total > layout.LARGEST_ALL:
            problem = f"{total:,} bytes in all, expected at most {layout.LARGEST_ALL:,}"
            findings.add(layout.SIZE, "", problem, "offer fewer seeds, or an exhaustive run")
        if not len(findings):
            _contents(folder, findings)
    return findings


def present_files(folder: Path) -> list[str]:
    """Return which files of a submission are in a folder, in the order of their names."""
    files = adapter(kind_of(folder)).FILES
    return sorted(name for name, _ in _entries(folder, files) if files.admits(name))


def name_problems(slug: str, findings: Findings) -> None:
    """Note what is wrong with the name of a submission's folder."""
    wanted = "lower-case letters a-z, digits and single hyphens"
    if len(slug) > layout.LONGEST_SLUG:
        problem = f"a name of {len(slug)} characters, expected at most {layout.LONGEST_SLUG}"
        findings.add(layout.NAMES, "", problem, "choose a shorter one")
    elif not layout.SLUG.fullmatch(slug):
        findings.add(layout.NAMES, "", f"the name {slug!a} has more than {wanted}", f"use {wanted}")
    elif slug in layout.DEVICES:
        findings.add(layout.NAMES, "", f"{slug} is a device on Windows", "choose another name")


def look_alikes(slugs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each name with an earlier one that a reader, or a disk, cannot tell it from."""
    by_skeleton: defaultdict[str, list[str]] = defaultdict(list)
    for slug in slugs:
        twins = by_skeleton[skeleton(slug)]
        if twins:
            yield slug, twins[0]
        twins.append(slug)


def _entries(
    folder: Path, files: layout.Files, before: str = ""
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield what is in a folder, and in the folders within it that belong there."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = f"{before}{entry.name}"
            if files.folders.fullmatch(name) and entry.is_dir(follow_symlinks=False):
                yield from _entries(Path(entry.path), files, before=f"{name}/")
            else:
                yield name, entry


def _entry(name: str, entry: os.DirEntry[str], findings: Findings, files: layout.Files) -> int:
    """Note what is wrong with one entry, and return its size if it is a plain file."""
    status = entry.stat(follow_symlinks=False)
    is_admitted = files.admits(name)
    if not is_admitted:
        findings.add(layout.PLAIN, ascii(name)[1:-1], "no such file belongs here", _REMEDY)
    if not stat.S_ISREG(status.st_mode):
        problem = f"is {_kind(status.st_mode)}, expected a plain file"
        findings.add(layout.PLAIN, ascii(name)[1:-1], problem, _REMEDY)
        return 0
    if status.st_nlink > 1:
        problem = f"has {status.st_nlink} names on this disk (a hard link)"
        findings.add(layout.PLAIN, ascii(name)[1:-1], problem, "copy the file")
    largest = layout.largest(name)
    if is_admitted and status.st_size > largest:
        problem = f"{status.st_size:,} bytes, expected at most {largest:,}"
        findings.add(layout.SIZE, name, problem, "offer fewer seeds, or an exhaustive run")
    if not is_admitted and status.st_size <= layout.LONGEST_LINE:
        for line, secret in scan(Path(entry.path), {}):
            findings.add(layout.SECRETS, f"{ascii(name)[1:-1]}:{line}", f"holds {secret}", LEAKED)
    return status.st_size


def _contents(folder: Path, findings: Findings) -> None:
    """Note files that are no JSON at first sight, and lines that are too long to be parsed."""
    for name in present_files(folder):
        with (folder / name).open("rb") as file:
            first = file.read(_FIRST)
            is_lines, bare = name.endswith(".jsonl"), not first and name.endswith(f"/{RECORDS}")
            is_json = is_lines or name.endswith(".json")
            if is_json and not first.startswith(b"{") and not bare:
                maker = _MAKER.get(name, "an evaluation's record, written by `epc judge run`")
                remedy = f"put back the file as it was: {maker}, JSON as text, not packed"
                findings.add(layout.PLAIN, name, _content_problem(first), remedy)
            elif is_lines and (longest := _longest_line(folder / name)):
                problem = f"a line of more than {longest:,} bytes"
                findings.add(layout.SIZE, name, problem, "one JSON object a line")


def _content_problem(first: bytes) -> str:
    """Say what a file is, from its first bytes, that is no JSON object."""
    if not first:
        return "is empty, expected JSON: a brace"
    for mark, packing in _PACKED.items():
        if first.startswith(mark):
            return f"is {packing}, expected JSON: a brace"
    if b"\0" in first:
        return f"is binary data, which begins with {first[:4]!a}, expected JSON: a brace"
    return f"begins with {first[:1]!a}, expected JSON: a brace"


def _longest_line(path: Path) -> int:
    """Return the bound if a line is longer than it, else 0; a chunk at a time."""
    length = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            parts = chunk.split(b"\n")
            lengths = [length + len(parts[0]), *map(len, parts[1:])]
            if max(lengths) > layout.LONGEST_LINE:
                return layout.LONGEST_LINE
            length = lengths[-1]
    return 0


_KINDS: Final = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISREG, "a file"),
)


def _kind(mode: int) -> str:
    return next((name for test, name in _KINDS if test(mode)), "something else")


_MOST_LISTED: Final = 5  # of one file: another run's raw file is wrong in every row
_SEEDS: Final = "/results/per_seed/"


def located(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield validation's findings with the file that each is in: of each part the first few.

    Digests come first: that a file is another one explains whatever else is wrong with it.
    """
    counts: Counter[str] = Counter()
    left: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=lambda candidate: not candidate.where.startswith("/raw/")):
        part = _part(finding.where)
        counts[part] += 1
        if part and counts[part] > _MOST_LISTED:
            left[part].append(finding)
        else:
            yield replace(finding, where=_place(finding.where))
    for part, unlisted in left.items():
        grave = any(finding.severity == "error" for finding in unlisted)
        yield Finding(
            clause=unlisted[0].clause,
            where=part,
            problem=f"{len(unlisted):,} more findings like these are not listed",
            remedy="mend what is listed first; `epc validate` on this folder lists more",
            severity="error" if grave else "warning",
        )


def reasons(
    findings: Sequence[Finding], validation_findings: Sequence[Finding]
) -> Iterator[Finding]:
    """Yield what an audit found, beyond what validation found already.

    As warnings: a record may be in order, and bear no claim.
    """
    for finding in findings:
        if finding not in validation_findings:
            yield replace(finding, where=_place(finding.where), severity="warning")


def _place(where: str) -> str:
    """Return a place in a run as one in its folder."""
    top, _, inner = where.removeprefix("/").partition("/")
    return f"{RAW[top]}/{inner}".rstrip("/") if top in RAW else f"{MANIFEST}{where}"


def _part(where: str) -> str:
    """Return the raw file that a place is in, or the seeds' records; empty for any other."""
    top = where.removeprefix("/").partition("/")[0]
    if top in RAW:
        return RAW[top]
    return f"{MANIFEST}{_SEEDS[:-1]}" if where.startswith(_SEEDS) else ""
