"""Audits of a run, or of a table of verdicts, from Python, as `epc audit` makes them."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from epc.analysis.audit import Audit
from epc.analysis.audit import audit as audit_run
from epc.analysis.verdicts import Report
from epc.analysis.verdicts_audit import audit_of
from epc.api.frames import NotebookResult, frame
from epc.errors import Finding, UsageError, refuse
from epc.records.gold import drawn_by, joined
from epc.records.verdicts.converting import ColumnChoice, Request
from epc.records.verdicts.shapes import is_votes, opened
from epc.records.verdicts.types import Choices
from epc.report.document import Part
from epc.report.verdicts_text import as_document, cell_of, headlines, page_of, text

if TYPE_CHECKING:
    import pandas as pd

# What a finding tells the user of the command to do, and what it is here.
_FRAME = "DataFrame"
_ARGUMENTS = {"map": "columns", "label": "labels", "set": "constants", "same": "same"} | {
    "scale": "scales"
}
_OPTION = re.compile(r"--(map|label|set|same) (?:'([^']*)=([^'=]*)'|([\w.]+)=([\w.-]+))")
_BARE = re.compile(r"--(map|label|set|same)\b")
_COMMAND = re.compile(r"epc audit .*")
_MISSING = "; pandas reads `n/a` and empty cells as missing: read_csv(..., keep_default_na=False)"
_COLUMNS = ("judge", "figure", "value", "low", "high", "n", "questions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited(NotebookResult):
    """Audit of the judges of verdicts; printed it is the text of `epc audit`.

    `taken` says what the columns were taken for, and `report` has every figure.
    """

    report: Report
    taken: ColumnChoice

    def __repr__(self) -> str:
        summary = " ".join(headlines(self.report, self.taken))
        return f"<epc.Audited {self.report.source.name}: {summary}>"

    def __str__(self) -> str:
        return text(self.report, self.taken)

    @property
    def figures(self) -> "pd.DataFrame":
        """Table with a row for each figure of a judge, with its 95% interval."""
        rows = [
            (group.settings[0], name, f.value, *(f.ci95 or (None, None)), f.n, f.items)
            for group in self.report.groups
            for name, f in group.figures.items()
        ]
        return frame(rows, _COLUMNS)

    def as_json(self) -> Any:
        """Return what `epc audit --format json` prints."""
        return as_document(self.report, self.taken)

    def parts(self) -> Iterable[Part]:
        """Return what a notebook shows: its sentences, a picture, its tables."""
        return cell_of(self.report, self.taken)

    def html(self) -> str:
        """Return the report as one HTML document."""
        return page_of(self.report, self.taken, f"epc audit {self.report.source.name}")


def audit(
    what: "str | Path | pd.DataFrame",
    *,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    ignored: Sequence[str] = (),
    rows: str = "",
    scales: Mapping[str, str] | None = None,
    baseline: str | None = None,
    domains: Sequence[str] = (),
    same: Mapping[str, str] | None = None,
    gold: str | Path | None = None,
) -> Audited | Audit:
    """Return what a table of verdicts, a file of them, or a run shows of its judge.

    `columns` maps fields to columns, `labels` labels to a, b, tie or unreadable, and `constants`
    has what is the same in all rows. `ignored` columns are taken for nothing, `rows` names a
    document's list of rows, and `scales` has the scale of scores ("", or `judge` and `humans`
    apart). `baseline` and `domains` choose what transfer is measured
    between, `same` the author that a judge is, `gold` a file of labels. A run, by its path, gets
    the audit of a run.

    Raises: MalformedError with the line of the first verdict that cannot be used; UsageError if a
    choice names what is not there; WorldError if the disk fails.
    """
    request = Request(
        columns=columns or {},
        labels=labels or {},
        constants=constants or {},
        ignored=ignored,
        rows=rows,
        scales=scales or {},
    )
    choices = Choices(same=same or {}, baseline=baseline, domains=domains)
    labels_at = None if gold is None else Path(gold)
    if not isinstance(what, str | Path):
        with TemporaryDirectory(prefix="epc-") as folder:
            path = Path(folder) / _FRAME
            what.to_json(path, orient="records", lines=True, date_format="iso")
            return _of_verdicts(path, request, choices, labels_at)
    path = Path(what)
    if not path.exists():
        raise UsageError(f"{path} is no file or folder")
    if is_votes(path):
        return _of_verdicts(path, request, choices, labels_at)
    return audit_run(path, gold=labels_at)


def _in_python(finding: Finding, path: Path) -> Finding:
    """Return a finding with the arguments of `audit` for the options of the command."""
    remedy = finding.remedy
    if path.name == _FRAME and "no verdict" in finding.problem:
        remedy += _MISSING
    remedy = _COMMAND.sub(lambda command: _arguments(command[0]), remedy)
    messages = (
        _BARE.sub(_name, _OPTION.sub(_call, message)) for message in (finding.problem, remedy)
    )
    problem, remedy = messages
    return replace(finding, problem=problem, remedy=remedy)


def _arguments(command: str) -> str:
    """Return the arguments of `audit` that a command's options are."""
    _, _, _, *arguments = shlex.split(command)
    fields: dict[str, dict[str, str]] = {}
    single: dict[str, object] = {}
    for option, pair in zip(arguments[::2], arguments[1::2], strict=True):
        if option in ("--ignore", "--rows"):
            single |= {"ignored": [pair]} if option == "--ignore" else {"rows": pair}
            continue
        is_last = option in ("--label", "--scale")
        name, _, value = pair.rpartition("=") if is_last else pair.partition("=")
        values = fields.setdefault(_ARGUMENTS.get(option[2:], option[2:]), {})
        values[name] = f"{values[name]}, {value}" if name in values else value
    return ", ".join(f"{name}={value!r}" for name, value in {**fields, **single}.items())


def _call(option: re.Match[str]) -> str:
    _, label, word, name, value = option.groups()
    key, source_text = (label, word) if name is None else (name, value)
    return f"{_ARGUMENTS[option[1]]}={{{key!r}: {source_text!r}}}"


def _name(option: re.Match[str]) -> str:
    return _ARGUMENTS[option[1]]


def _of_verdicts(path: Path, request: Request, choices: Choices, labels_at: Path | None) -> Audited:
    votes = opened(path, request)
    refuse([_in_python(finding, path) for finding in votes.findings[:1]])
    assert votes.header is not None
    assert votes.verdicts is not None
    verdicts, answers = joined(labels_at, votes.verdicts) if labels_at else (votes.verdicts, None)
    drawn = drawn_by(labels_at) if labels_at else frozenset()
    report = audit_of(votes.header, verdicts, (), choices, gold=answers, drawn_by=drawn)
    return Audited(report=report, taken=votes.column_choice)
