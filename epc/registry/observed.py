"""Verdicts that others recorded, in the registry: one judge of one source (Reading R77).

What is offered is a folder, as with every other kind:

    observed.json       the header of the verdicts, their number, and the digest of their lines
    verdicts.parquet    the verdicts; .jsonl where it was written without pyarrow

It states what the source states. Nobody can add a date, a platform or a temperature to it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from epc.analysis.observed import measure
from epc.analysis.observed_rows import Choices
from epc.digests import file_sha256
from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.json_difference import disagreements
from epc.records.observed.columns import Verdicts, columns_of
from epc.records.observed.converting import Request
from epc.records.observed.reading import read
from epc.records.observed.shapes import convert, faults_of
from epc.records.observed.types import UNKNOWN, Header, Observed, Row
from epc.records.observed.writing import content_digest, cut, judge_of, rows_of, write
from epc.records.schemas import findings as schema_findings
from epc.records.typed import as_json, parse
from epc.registry.cards import Said, observed_card_of
from epc.registry.expiry import day_of
from epc.registry.history import commit_of, has_commit
from epc.registry.layout import CARD, FIGURES, OBSERVED
from epc.registry.offers import Offer
from epc.registry.record import Fault, Record
from epc.registry.submissions.texts import problems
from epc.spec.coupling import RULE

_FORMS: Final = ("verdicts.parquet", "verdicts.jsonl")
_CLAUSE: Final = "Reading R77"
NO_CHOICES: Final = Choices()
_ADDRESS: Final = re.compile(rf"{UNKNOWN}|https://[A-Za-z0-9._~/-]+")
_COMMIT: Final = re.compile(rf"{UNKNOWN}|[0-9a-f]{{7,64}}")
# Licences by which anybody may pass verdicts on, with attribution or without (SPDX).
_FREE: Final = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CDLA-Permissive-2.0", "ISC"),
        *("CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC0-1.0"),
        *("MIT", "ODC-By-1.0", "PDDL-1.0", "Unlicense"),
    }
)


def is_observed(folder: Path) -> bool:
    """Return whether a folder holds recorded verdicts of one judge."""
    return (folder / OBSERVED).is_file()


def cut_to(file: Path, judge: str, folder: Path, *, plain: bool = False) -> Path:
    """Write a judge's part of a verdict file into a folder, as it is published; return the folder.

    A `plain` one is of lines that people can read, as a pull request has it.

    Raises: UsageError if the file has findings, or no such judge; WorldError if the disk refuses.
    """
    header, verdicts = _sound(file)
    _write(folder, judge, *cut(header, verdicts, judge), plain=plain)
    return folder


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


def offered_verdicts(folder: Path, declaration: Said, choices: Choices) -> Offer:
    """Check a folder of one judge's verdicts, and return what is offered of it.

    Known faults are those of the shape that it was made from, then what the contributor adds.

    Raises: UsageError if it is not whole, or nobody could make its verdicts again.
    """
    document, verdicts = verdicts_in(folder)
    source = document.header.source
    kept = is_free(document.header)
    if not kept and document.header.made is None:
        raise UsageError(
            f"{source.name}: the licence is {source.licence}, so the verdicts stay with their "
            "source, and the file does not say how it was made from it\n"
            "  fix: make it with `epc observe import`"
        )
    require_plain(document.header, verdicts)
    judge, made = judge_of(document.header), document.header.made
    known = faults_of(made.shape, [judge.model]) if made else []
    faults = (*(Fault(id=each.id, says=each.says) for each in known), *declaration.faults)
    declaration = replace(declaration, faults=tuple({fault.id: fault for fault in faults}.values()))
    days = _days(document.header, verdicts)
    raw = _file_in(folder)
    return Offer(
        run=folder,
        kind="observed",
        asked={},
        platform=None,
        days=days,
        said=declaration,
        figures=figures_of_verdicts(document.header, verdicts, choices),
        raw={raw.name: file_sha256(raw)} if kept else {},
        no_baseline=None,
        card=lambda tag, _: observed_card_of(
            tag, document, days=days, declaration=declaration, kept=kept
        ),
        stated=judge,
    )


def is_free(header: Header) -> bool:
    """Return whether the licence of a source lets its verdicts stand here."""
    return header.source.licence in _FREE


def require_plain(header: Header, verdicts: Verdicts) -> None:
    """Refuse names that are more than text, and a source that cannot be named in a command.

    Authors and subsets of verdicts stand in published figures, as the names of the header do.

    Raises: UsageError.
    """
    source = header.source
    if not _ADDRESS.fullmatch(source.repository) or not _COMMIT.fullmatch(source.commit):
        raise UsageError(
            f"the source is {source.repository!r} at {source.commit!r}, expected an https address "
            "and a commit, or unknown\n  fix: import it again with --repository and --commit"
        )
    columns = (verdicts.subset, verdicts.a_by, verdicts.b_by)
    names = (str(name) for column in columns for name in column.names)
    for text in (*_texts(as_json(header)), *names):
        for problem in problems(text, "prompt"):
            raise UsageError(f"a name {problem}: {text[:80]!a}\n  fix: write it plain")


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a document, its keys included."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def verdicts_in(folder: Path) -> tuple[Observed, Verdicts]:
    """Return the verdicts of a folder, and what it says of them.

    Raises: UsageError if one is damaged, or does not fit the other.
    """
    document = document_of(folder)
    header, verdicts = kept_verdicts(folder)
    if (header, content_digest(header, rows_of(verdicts))) != (document.header, document.sha256):
        raise UsageError(f"{folder} is not whole: its verdicts are not those of {OBSERVED}")
    return document, verdicts


def kept_verdicts(folder: Path) -> tuple[Header, Verdicts]:
    """Return the verdicts of a folder.

    Raises: UsageError if they are damaged.
    """
    return _sound(_file_in(folder))


def figures_of_verdicts(header: Header, verdicts: Verdicts, choices: Choices) -> Json:
    """Return what is published of verdicts: all that `epc observe report` measures.

    Raises: UsageError if the choices name what the verdicts do not have.
    """
    report = measure(header, verdicts, choices=choices)
    return {"n": report.verdicts, **as_json(report)}


def changed_figures(folder: Path, card: Record, stated: Json) -> list[str]:
    """Return which published figures and days the verdicts of a folder do not give.

    Raises: UsageError if the verdicts are not those that its document names.
    """
    document, verdicts = verdicts_in(folder)
    choices = parse(stated["choices"], Choices)
    again = figures_of_verdicts(document.header, verdicts, choices)
    _keep_older(again, stated)
    days = tuple(filter(None, (card.first_day, card.last_day)))
    undue = [f"/{CARD}/measured"] if days != _days(document.header, verdicts) else []
    return [*undue, *(f"/{FIGURES}/figures{where}" for where in disagreements(stated, again))]


def _keep_older(again: Json, stated: Json) -> None:
    """Put what an older rule said of transfer into figures; the digest of a record verifies it."""
    match again, stated:
        case {"groups": groups}, {"groups": older}:
            for now, then in zip(groups, older, strict=False):
                match then:
                    case {"transfer": {"rule": rule}} if rule == RULE:
                        pass
                    case {"transfer": dict() as transfer}:
                        now |= {"transfer": transfer}


def rebuild(folder: Path, source: Path) -> None:
    """Write the verdicts of a folder beside its document, as their source gives them again.

    Raises: UsageError if the source is another one, or gives others; WorldError if the disk fails.
    """
    document = document_of(folder)
    stated, made = document.header.source, document.header.made
    if made is None:
        raise UsageError("the file does not say how it was made: there is no recipe")
    now = commit_of(source)
    if now and now != stated.commit:
        fix = f"git -C {source} checkout {stated.commit}"
        if stated.commit and not has_commit(source, stated.commit):
            fix = f"give a whole clone of {stated.repository}: this one lacks that commit"
        raise UsageError(
            f"{source} is at commit {now}, and the verdicts are of {stated.commit}\n  fix: {fix}"
        )
    request = Request(
        commit=stated.commit,
        repository=stated.repository,
        licence=stated.licence,
        columns=made.columns,
        words=made.labels,
        constants=made.constants or {},
        only=frozenset(made.files),
    )
    done = convert(made.shape, source, request)
    other = [*_other_files(document.header, source), *map(str, done.findings)]
    if done.header and not other:
        header, rows = cut(done.header, columns_of(done.rows), document.judge)
        if content_digest(header, rows) == document.sha256:
            _write(folder, document.judge, header, rows)
            return
        same = header.settings == document.header.settings
        what = f"{len(rows):,} verdicts with other lines" if same else "its settings are other ones"
        other = [f"its files of verdicts are the same: {what}"]
    raise UsageError("\n".join([f"{source} does not give these verdicts", *other]))


def _other_files(header: Header, source: Path) -> Iterator[str]:
    """Yield each file of a source that is missing or changed since the verdicts were made."""
    for file in header.files.values():
        path = source if source.is_file() else source / file.path
        if not path.is_file():
            yield f"{file.path} is missing"
        elif (now := file_sha256(path)) != file.sha256:
            yield f"{file.path} has SHA-256 {now}, and had {file.sha256}"


def document_findings(value: Any) -> list[Finding]:
    """Return what is wrong with an `observed.json`."""
    findings = schema_findings("observed", value, clause=_CLAUSE)
    return findings or schema_findings(
        "verdict_header", value["header"], where="/header", clause=_CLAUSE
    )


def document_of(folder: Path) -> Observed:
    """Return what a folder says of its verdicts.

    Raises: UsageError if that is damaged.
    """
    value, wrong = strict_json.read(folder / OBSERVED)
    if findings := wrong or document_findings(value):
        raise UsageError("\n".join([f"{folder / OBSERVED} is damaged", *map(str, findings)]))
    return parse(value, Observed)


def _file_in(folder: Path) -> Path:
    file = next((folder / name for name in _FORMS if (folder / name).is_file()), None)
    if file is None:
        raise UsageError(f"{folder} has no {' or '.join(_FORMS)}")
    return file


def _sound(file: Path) -> tuple[Header, Verdicts]:
    header, verdicts, findings = read(file)
    if findings or header is None or verdicts is None:
        raise UsageError(
            f"{file} is not sound: {len(findings)} findings\n  fix: see `epc observe check {file}`"
        )
    return header, verdicts


def _write(
    folder: Path, judge: str, header: Header, rows: Sequence[Row], *, plain: bool = False
) -> None:
    """Write verdicts and what is said of them; as Parquet, where that can be written."""
    document = Observed(
        judge=judge, header=header, verdicts=len(rows), sha256=content_digest(header, rows)
    )
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / _FORMS[plain or find_spec("pyarrow") is None], header, rows)
    strict_json.write(folder / OBSERVED, as_json(document))


def _days(header: Header, verdicts: Verdicts) -> tuple[date, ...]:
    """Return the first and the last day on which verdicts were given, if all are dated."""
    undated = np.unique(verdicts.setting.codes[verdicts.date.codes < 0])
    settings = [header.settings[verdicts.setting.names[code]] for code in undated]
    texts = {*verdicts.date.names, *(setting.date for setting in settings)}
    days = [day for text in texts if (day := day_of(text))]
    # Reading R77: what the source does not state as a day stays unknown.
    return (min(days), max(days)) if len(days) == len(texts) else ()
