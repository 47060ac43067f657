"""Other people's text on a terminal and in a log: what is seen, and nothing that acts.

Whoever offers a folder chooses its name, its contributor's, its model's. Printed raw, an escape
sequence rewrites a terminal, a line end forges a line, `::error::` at its beginning is a command to
a workflow, and what is not seen makes two names look like one.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

GAP: Final = "  "  # between columns
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula's start
_FORMULAS: Final = re.compile(f"(^|[\n\r])(?=[{re.escape(''.join(FORMULA))}])")
_COLONS: Final = re.compile(":(?=:)")
_COMMAND: Final = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
# Unicode's property Default_Ignorable_Code_Point (DerivedCoreProperties.txt, Unicode 15.0): what a
# font shows nothing for. Categories alone miss the fillers and the variation selectors.
_IGNORABLE: Final = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)


@cache
def is_ignorable(char: str) -> bool:
    """Return whether a character is shown by nothing, wherever it stands (Default_Ignorable)."""
    return any(first <= ord(char) <= last for first, last in _IGNORABLE)


def is_seen(char: str) -> bool:
    """Return whether a reader sees that a character is there; of white space only a space is."""
    return char == " " or (unicodedata.category(char)[0] not in "CZ" and not is_ignorable(char))


def one_line(text: str, longest: int = 300) -> str:
    """Return a text as it can be shown in a terminal, a log or a report: one line, no surprises.

    Characters that are not seen are spelt out, and what a workflow's log takes for a command is
    broken up.
    """
    return _COLONS.sub(": ", _cut(text, longest)).replace("##[", "## [")


def whole_line(text: str, longest: int = 300) -> str:
    """Return a text as `one_line` does for a line of its own, where only a beginning is a command.

    Names with colons, as ARNs have them, stay as they are further on.
    """
    return lines_shown(_cut(text, longest))


def code(text: str, longest: int = 300) -> str:
    """Return a text as a code span of Markdown that it cannot leave, not in a table either."""
    line = whole_line(text, longest).replace("`", "'").replace("|", "\u00a6").strip()
    return f"`{line}`" if line else "(nothing)"


def _cut(text: str, longest: int) -> str:
    return spelt(text if len(text) <= longest else f"{text[: longest - 3]}...")


def lines_shown(text: str) -> str:
    """Return a text of several lines of which a part is somebody else's: its own lines stay.

    A line end in that part still begins a line, which can be no command to a workflow.
    """
    safe = "\n".join(spelt(line) for line in text.split("\n"))
    return _COMMAND.sub(r"\1: ", safe).replace("##[", "## [")


def annotation(level: str, message: str, **properties: object) -> str:
    """Return a workflow's command that shows a message beside a file's line (GitHub Actions)."""
    location = ",".join(
        f"{name}={_data(spelt(str(value))).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
    )
    return f"::{level} {location}::{_data(message)}"


def inert(cell: object) -> object:
    """Return a table's cell of which no spreadsheet takes a line for a formula.

    An apostrophe stands before such a line, later ones too: not every program reads quoted line
    ends. A number stays one: only a text can be somebody else's.
    """
    return _FORMULAS.sub(r"\1'", cell) if isinstance(cell, str) else cell


def json_shown(text: str) -> str:
    """Return JSON in which characters that are not seen are escapes: the same value, only safer."""
    if text.isascii():
        return text
    return "".join(c if c == "\n" or is_seen(c) else _escape(c) for c in text)


def spelt(text: str) -> str:
    """Return a line in which each character that is not seen is spelt out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if is_seen(c) else f"\\u{{{ord(c):04x}}}" for c in text)


def _data(text: str) -> str:
    """Return a text as the message of a workflow's command has it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape(char: str) -> str:
    """Return a character as JSON escapes it: in UTF-16, so beyond the first plane in two."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[start : start + 2].hex()}" for start in range(0, len(units), 2))


def begun(text: str) -> str:
    """Return words as the beginning of a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def enumeration(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: `a`, `a and b`, `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def shortened(names: Sequence[object], limit: int) -> str:
    """Return the first names of a list, with dots behind them if there are more."""
    return ", ".join(map(str, names[:limit])) + (", ..." if len(names) > limit else "")


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows as lines, each column of one width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield GAP.join(c.ljust(width) for c, width in zip(row, widths, strict=True)).rstrip()
