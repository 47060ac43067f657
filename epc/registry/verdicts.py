"""Verdicts that others recorded, in the registry: one judge of one source (Reading R77).

What is offered is a folder, as with every other kind:

    observed.json       the header of the verdicts, their number, and the digest of their lines
    verdicts.parquet    the verdicts; .jsonl where it was written without pyarrow

It states what the source states. Nobody can add a date, a platform or a temperature to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from epc.analysis.verdicts import measure_by, with_others
from epc.analysis.verdicts_audit import measure_with_labels
from epc.analysis.verdicts_figures import computed_with
from epc.analysis.verdicts_rows import by_question
from epc.digests import file_sha256
from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.earlier import Clusters
from epc.records.schemas import findings as schema_findings
from epc.records.typed import as_json, parse
from epc.records.verdicts.columns import Verdicts, columns_of
from epc.records.verdicts.converting import Request
from epc.records.verdicts.shapes import convert
from epc.records.verdicts.types import Choices, Header, JudgePart, Row
from epc.records.verdicts.verdict_file import content_digest, cut, rows_of, sound, write
from epc.registry.history import commit_of, has_commit
from epc.registry.layout import OBSERVED, VERDICTS
from epc.registry.record import Fault
from epc.statistics.observed import TODAY, Intervals

_FORMS: Final = ("verdicts.parquet", VERDICTS)
_WHOLE: Final = "source.jsonl"  # all judges' verdicts, where nobody may pass them on
_CLAUSE: Final = "Reading R77"
# Licences by which anybody may pass verdicts on, with attribution or without (SPDX).
_FREE: Final = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CDLA-Permissive-2.0", "ISC"),
        *("CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC0-1.0"),
        *("MIT", "ODC-By-1.0", "PDDL-1.0", "Unlicense"),
    }
)


def cut_to(file: Path, judge: str, folder: Path, *, plain: bool = False) -> Path:
    """Write a judge's part of a verdict file into a folder, as it is published; return the folder.

    A `plain` one is of lines that people can read, as a pull request has it.

    Raises: UsageError if the file has findings, or no such judge; WorldError if the disk refuses.
    """
    _cut_to(*sound(file), judge, folder, plain=plain)
    return folder


def _cut_to(
    header: Header, verdicts: Verdicts, judge: str, folder: Path, *, plain: bool = False
) -> None:
    _write(folder, judge, *cut(header, verdicts, judge), plain=plain)
    if not is_free(header):
        write(
            folder / _WHOLE,
            replace(header, source=replace(header.source, texts=False)),
            rows_of(verdicts),
        )


def is_free(header: Header) -> bool:
    """Return whether the licence of a source lets its verdicts stand here."""
    return header.source.licence in _FREE


def verdicts_in(folder: Path) -> tuple[JudgePart, Verdicts]:
    """Return the verdicts of a folder, and what it says of them.

    Raises: UsageError if one is damaged, or does not fit the other.
    """
    document = document_of(folder)
    header, verdicts = kept_verdicts(folder)
    if (header, content_digest(header, verdicts)) != (document.header, document.sha256):
        raise UsageError(f"{folder} is not whole: its verdicts are not those of {OBSERVED}")
    return document, verdicts


def others_in(folder: Path) -> tuple[Header, Verdicts] | None:
    """Return the verdicts of all judges of a source that keeps them to itself, if they are here.

    Raises: UsageError if they are damaged.
    """
    path = folder / _WHOLE
    return sound(path) if path.is_file() else None


def kept_verdicts(folder: Path) -> tuple[Header, Verdicts]:
    """Return the verdicts of a folder.

    Raises: UsageError if they are damaged.
    """
    return sound(file_in(folder))


def rebuild(folder: Path, source: Path) -> None:
    """Write the verdicts of a folder beside its document, as their source gives them again.

    Raises: UsageError if the source is another one, or gives others; WorldError if the disk fails.
    """
    document = document_of(folder)
    origin, import_options = document.header.source, document.header.made
    if import_options is None:
        raise UsageError("the file does not say how it was made: there is no recipe")
    commit = commit_of(source)
    if commit and commit != origin.commit:
        fix = f"git -C {source} checkout {origin.commit}"
        if origin.commit and not has_commit(source, origin.commit):
            fix = f"give a whole clone of {origin.repository}: this one lacks that commit"
        raise UsageError(
            f"{source} is at commit {commit}, and the verdicts are of {origin.commit}\n  fix: {fix}"
        )
    request = Request(
        commit=origin.commit,
        repository=origin.repository,
        licence=origin.licence,
        columns=import_options.columns,
        labels=import_options.labels,
        constants=import_options.constants or {},
        ignored=import_options.ignored or (),
        rows=import_options.rows or "",
        scales=import_options.scales or {},
        paths=frozenset(import_options.files),
    )
    done = convert(import_options.shape, source, request)
    differences = [*_other_files(document.header, source), *map(str, done.findings)]
    if done.header and not differences:
        source_header, source_verdicts = done.header, columns_of(done.rows)
        header, rows = cut(source_header, source_verdicts, document.judge)
        header = rebuilt_header(header, document.header)
        if content_digest(header, columns_of(rows)) == document.sha256:
            _cut_to(
                rebuilt_header(source_header, document.header),
                source_verdicts,
                document.judge,
                folder,
            )
            return
        equal_settings = header.settings == document.header.settings
        problem = (
            f"{len(rows):,} verdicts with other lines"
            if equal_settings
            else "its settings are other ones"
        )
        differences = [f"its files of verdicts are the same: {problem}"]
    raise UsageError("\n".join([f"{source} does not give these verdicts", *differences]))


def rebuilt_header(header: Header, claim: Header) -> Header:
    """Return a header that was made again, with the stated count of what was left out.

    Files that were left out whole are not read again, so a rebuilt count may be smaller.
    """
    counted, claimed_counts = header.left_out, claim.left_out
    smaller = all(count <= claimed_counts.get(reason, 0) for reason, count in counted.items())
    return replace(header, left_out=claimed_counts) if smaller else header


def _other_files(header: Header, source: Path) -> Iterator[str]:
    """Yield each file of a source that is missing or changed since the verdicts were made."""
    for file in header.files.values():
        path = source if source.is_file() else source / file.path
        if not path.is_file():
            yield f"{file.path} is missing"
        elif (digest := file_sha256(path)) != file.sha256:
            yield f"{file.path} has SHA-256 {digest}, and had {file.sha256}"


def document_findings(value: Any) -> list[Finding]:
    """Return what is wrong with an `observed.json`."""
    findings = schema_findings("observed", value, clause=_CLAUSE)
    return findings or schema_findings(
        "verdict_header", value["header"], where="/header", clause=_CLAUSE
    )


def document_of(folder: Path) -> JudgePart:
    """Return what a folder says of its verdicts.

    Raises: UsageError if that is damaged.
    """
    value, wrong = strict_json.read(folder / OBSERVED)
    if findings := wrong or document_findings(value):
        raise UsageError("\n".join([f"{folder / OBSERVED} is damaged", *map(str, findings)]))
    return parse(value, JudgePart)


def file_in(folder: Path) -> Path:
    """Return the file of verdicts in a folder.

    Raises: UsageError if there is none.
    """
    file = next((folder / name for name in _FORMS if (folder / name).is_file()), None)
    if file is None:
        raise UsageError(f"{folder} has no {' or '.join(_FORMS)}")
    return file


def figures_of_verdicts(
    header: Header,
    verdicts: Verdicts,
    choices: Choices,
    other_judges: tuple[Header, Verdicts] | None = None,
) -> Json:
    """Return what is published of verdicts: all that `epc audit` measures.

    Of a judge whose verdicts stay with their source, beside `other_judges` of it as well.

    Raises: UsageError if the choices name what the verdicts do not have.
    """
    return figures_by([TODAY], header, verdicts, choices, other_judges)[0]


def figures_by(
    intervals: Sequence[Intervals],
    header: Header,
    verdicts: Verdicts,
    choices: Choices,
    other_judges: tuple[Header, Verdicts] | None = None,
    *,
    clusters: Clusters = by_question,
    labels: bool = True,
) -> list[Json]:
    """Return `figures_of_verdicts` by each way to compute intervals, the file measured once.

    With `labels` also the figures beside labels, which records published before have not. Published
    figures are verified with their `clusters` and intervals, and no others than today's are used.

    Raises: UsageError if the choices name what the verdicts do not have.
    """
    by_kind = measure_with_labels if labels else measure_by
    reports = by_kind(intervals, header, verdicts, choices, clusters)
    if other_judges is None:
        return [{"n": report.verdicts, **as_json(report)} for report in reports]
    source_header, source_verdicts = other_judges
    judges = sorted({setting.judge.name for setting in source_header.settings.values()})
    documents = []
    for kind, report in zip(intervals, reports, strict=True):
        with computed_with(kind):
            of_source = with_others(report, source_header.settings, source_verdicts, choices)
        documents.append({"n": of_source.verdicts, "beside": judges, **as_json(of_source)})
    return documents


def _write(
    folder: Path, judge: str, header: Header, rows: Sequence[Row], *, plain: bool = False
) -> None:
    """Write verdicts and what is said of them; as Parquet, where that can be written."""
    sha256 = content_digest(header, columns_of(rows))
    document = JudgePart(judge=judge, header=header, verdicts=len(rows), sha256=sha256)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / _FORMS[plain or find_spec("pyarrow") is None], header, rows)
    strict_json.write(folder / OBSERVED, as_json(document))


def read_faults(file: Path) -> tuple[Fault, ...]:
    """Return the known faults that a file lists.

    Raises: UsageError if it lists none in their shape.
    """
    value, wrong = strict_json.read(file)
    try:
        if not wrong:
            return parse(value, tuple[Fault, ...])
    except ValueError as error:
        raise UsageError(f"{file} is no list of {{id, says}}: {error}") from error
    raise UsageError(f"{file} is no list of {{id, says}}: {wrong[0].problem}")
