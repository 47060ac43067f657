"""Types that all shapes share: statements about a source in, verdicts or findings out."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from epc.digests import sha256
from epc.errors import Finding
from epc.records.verdicts.types import UNKNOWN, Fault, Header, Row, Source, SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Statements of the user about a source, beside its own.

    `columns` maps a field to a table's column (several, apart by a comma, of verdicts and of
    people), `labels` a table's label to ours; `constants` has the fields that are the same in each
    line and in no column. `ignored` columns are of no field. `rows` names a document's list of
    rows, `scales` the scale of scores, of `judge` and `humans` apart where they differ. `paths`
    holds those inside the source that may be read: a verdict file made of some of its files comes
    out again from a source that has them all. Empty, it lets every file be read.
    """

    commit: str | None = None
    repository: str | None = None
    licence: str | None = None
    texts: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    ignored: Sequence[str] = ()
    rows: str = ""
    scales: Mapping[str, str] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()

    def source(self, *, name: str, repository: str = UNKNOWN, licence: str = UNKNOWN) -> Source:
        """Return the statement of the source; what nobody states is `unknown` (Reading R77)."""
        return Source(
            name=name,
            repository=self.repository or repository,
            commit=self.commit or UNKNOWN,
            licence=self.licence or licence,
            texts=self.texts,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnUse:
    """A column and the field that it was taken for, with the reason; without a field not used.

    `values` are three of its values.
    """

    column: str
    taken_for: str | None
    why: str
    values: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChoice:
    """Choice of a table's columns: by field, and those that nothing was made of.

    `taken` says in ten words what the file was taken for, and `uses` the same of each column.
    `constants` are the fields that are the same in each row. `assumed` says in sentences what no
    column states, and `notes` which rows could not be used whole.
    """

    taken: str = ""
    uses: Sequence[ColumnUse] = ()

    columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    unused: Sequence[str] = ()
    assumed: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A source's verdicts, or why there are none: `header` is None where there are findings.

    `place` says where in the source a row's field stands, `column_choice` what its columns are.
    """

    header: Header | None = None
    rows: Collection[Row] = ()
    place: Callable[[int, str], str] | None = None
    findings: Sequence[Finding] = ()
    column_choice: ColumnChoice = ColumnChoice()


@dataclass(frozen=True, slots=True)
class Shape:
    """How a source is laid out: in words, with what is wrong with it, and what reads it.

    `states` are the fields that a user may state by `--set` where the source does not.
    """

    expected: str
    faults: tuple[Fault, ...]
    convert: Callable[[Path, Request], Conversion]
    states: tuple[str, ...] = ()


_SECONDS: Final = {10: 1.0, 13: 1e-3}  # by the digits of a time


def digest(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return sha256(text)


FAILS: Final = digest("fail")  # in the place of answer b, where verdicts are pass and fail


def day_of(text: str) -> str:
    """Return the day of a date or time, in UTC where it has a zone; what is neither comes back.

    Ten digits are seconds since 1970, thirteen are milliseconds.
    """
    digits = text.strip().removesuffix(".0")
    try:
        if digits.isdigit() and (seconds := _SECONDS.get(len(digits))):
            return datetime.fromtimestamp(int(digits) * seconds, UTC).date().isoformat()
        moment = datetime.fromisoformat(text.strip().replace(" UTC", "+00:00"))
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()
    except (ValueError, OverflowError):
        return text


def file_of(path: str, content: bytes) -> SourceFile:
    """Return the statement of a file by its path inside the source and its content."""
    return SourceFile(path=path, sha256=sha256(content))
