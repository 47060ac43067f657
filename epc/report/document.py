"""A report as a document: a word, sections of sentences, facts, lists, tables, pictures, findings.

A result is turned into one once. `printed` is its form for a terminal, `rendered` of
`epc.report.page.markup`, with its template, the one for a page.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias, Union

from msgspec import Struct

from epc.errors import Finding
from epc.printable import GAP, aligned, begun

if TYPE_CHECKING:
    from epc.report.charts.audit import AuditPicture
    from epc.report.charts.chart import Chart

_WIDTH: Final = 120  # characters; a wider table goes on below
_MOST_ROWS: Final = 40
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class Toned(str):
    """A word that a page shows in the colour of its `tone`."""

    __slots__ = ("tone",)
    tone: str

    def __new__(cls, text: str, tone: str) -> Self:
        """Return a word with its tone."""
        word = super().__new__(cls, text)
        word.tone = tone
        return word


def number_word(count: int) -> str:
    """Return a small number as a word, a larger one in digits."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


class Conclusion(Struct, frozen=True):
    """Conclusion of a result: a word, and what it means, where that is not plain."""

    word: Toned
    sentence: str = ""


class Facts(Struct, frozen=True):
    """Facts, each with its label; one without goes on with the one before."""

    pairs: Sequence[tuple[str, str]]


class Listed(Struct, frozen=True):
    """Sentences below each other."""

    items: Sequence[str]


class Statements(Listed, frozen=True):
    """Sentences that a page sets apart, their intervals lighter."""


class Table(Struct, frozen=True):
    """Rows of cells, the first of them the head."""

    name: str
    rows: Sequence[tuple[str, ...]]


class Findings(Struct, frozen=True):
    """Findings, or what is said where there are none."""

    entries: Sequence[Finding]
    if_empty: str = ""


class Verbatim(Struct, frozen=True):
    """Text as somebody wrote it."""

    text: str


class Section(Struct, frozen=True):
    """Parts under a title.

    On a page they are folded, open, or a card. Of a `brief` one a terminal shows the title alone.
    """

    title: str
    parts: Sequence["Part"]
    form: Literal["folded", "open", "card", "brief"] = "folded"


class Beside(Struct, frozen=True):
    """Cards or pictures beside each other."""

    parts: Sequence["Section | Chart | AuditPicture"]


Part: TypeAlias = Union[
    str,
    Conclusion,
    Facts,
    Listed,
    Table,
    Findings,
    Verbatim,
    Section,
    Beside,
    "Chart",
    "AuditPicture",
]


def sentence(text: str) -> str:
    """Return words as a sentence."""
    return f"{begun(text)}."


def printed(parts: Iterable[Part]) -> str:
    """Return a document as a terminal shows it: without pictures, whose figures are in tables."""
    return "\n".join(line.rstrip() for line in _below(parts)).strip("\n")


def _below(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the lines of parts; an empty one stands before a table and after a section."""
    before: Part | None = None
    for part in parts:
        if lines := [*_lines(part)]:
            after = isinstance(before, Section | Beside) and not isinstance(part, Section)
            if after or (before is not None and isinstance(part, Table)):
                yield ""
            yield from lines
            before = part


def _lines(part: Part) -> Iterator[str]:  # noqa: C901  (a form for each kind of part)
    match part:
        case Conclusion(word, sentence):
            yield from (word, f"  {sentence}") if sentence else (word,)
        case Facts(pairs):
            yield from aligned(pairs)
        case Listed(items):
            yield from (f"- {item}" for item in items)
        case Table(_, rows):
            yield from _table(rows)
        case Findings(entries, none):
            for text in map(str, entries) if entries else [none]:
                yield from text.split("\n")
        case Section(title, _, "brief"):
            yield title
        case Section(title, inner):
            yield from ("", title, *(f"  {line}" for line in _below(inner)))
        case Beside(inner):
            yield from _below(inner)
        case Verbatim(text) | str(text):
            yield from text.split("\n")
        case _:  # a picture, whose figures are in tables
            pass


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield a table in as many blocks of columns, each with the first, as its width takes."""
    visible = rows[: _MOST_ROWS + 1]
    first, *columns = ([*column] for column in zip(*visible, strict=True))
    while True:
        block = [first, *columns[:1]]
        while len(block) <= len(columns) and _width(*block, columns[len(block) - 1]) <= _WIDTH:
            block.append(columns[len(block) - 1])
        yield from aligned(list(zip(*block, strict=True)))
        columns = columns[len(block) - 1 :]
        if not columns:
            break
        yield ""
    if omitted := len(rows) - len(visible):
        yield f"... {omitted:,} more rows: --format json has them all"


def _width(*columns: Sequence[str]) -> int:
    return sum(max(map(len, column)) + len(GAP) for column in columns) - len(GAP)
