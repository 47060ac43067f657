"""Text on a terminal: lines no wider than it is, and the states that it names in their colours.

Elsewhere a text stays as it is, and so it does for whoever sets NO_COLOR, without the colours.
"""

import os
import re
import shutil
from collections.abc import Iterator
from typing import IO, Final

import click

from epc.printable import GAP

_LEAST: Final = 40  # columns, below which nothing is wrapped
_COMMAND: Final = re.compile("(?:^|[:`] ?) *epc [a-z]")  # which somebody copies
_CELL: Final = re.compile(r"\S+(?: \S+)*")  # of a row, whose cells stand two blanks apart
_HANG: Final = 2  # columns by which a line goes on further in
_STATES: Final = {
    "red": "expired|drifted|DRIFTED|WORSE|harms|refused|missing|coupled|collapsed",
    "yellow": "expiring|unconfirmed|undated|stale|unknown|inconclusive|not_shown|limited|"
    "CANNOT TELL YET|CANNOT TELL ANY MORE|NOT SHOWN|NO CHANGE SHOWN|QUALITY NOT MEASURED",
    "green": "current|ok|HOLDS|SAME|BETTER|ship",
}
_COLOURS: Final = {
    state: colour for colour, states in _STATES.items() for state in states.split("|")
}
# A state begins a line, or stands in a column of its own, or behind a name with its platform.
_STATE: Final = re.compile(
    rf"(?:^|(?<=  )|(?<=\) ))({'|'.join(_COLOURS)})"
    r"(?=$|  |[:,]| since | on | \()|(?<= )(expired)(?= since )",
    re.MULTILINE,
)


def fitted(text: str, stream: IO[str]) -> str:
    """Return a text as a stream shows it: wrapped and coloured on a terminal, else as it is."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return text
    wide = shutil.get_terminal_size().columns
    lines = [part for line in text.split("\n") for part in wrapped(line, wide)]
    joined = "\n".join(lines)
    return joined if os.environ.get("NO_COLOR") else coloured(joined)


def _row(line: str, hang: int, wide: int) -> Iterator[str]:
    """Yield a row of a table in lines of whole cells; a cell that is wider is wrapped by words."""
    cells = [*_CELL.finditer(line)]
    fitting = [cell for cell in cells if cell.end() <= wide] or cells[:1]
    printed = line[: fitting[-1].end()]
    for cell in cells[len(fitting) :]:
        *whole, printed = wrapped(printed, wide)
        yield from whole
        if len(printed) + len(GAP) + len(cell[0]) <= wide and cell is not cells[len(fitting)]:
            printed += f"{GAP}{cell[0]}"
        else:
            yield printed
            printed = f"{' ' * hang}{cell[0]}"
    yield from wrapped(printed, wide)


def coloured(text: str) -> str:
    """Return a text whose states stand in their colours."""
    return _STATE.sub(lambda state: click.style(state[0], fg=_COLOURS[state[0]]), text)


def wrapped(line: str, wide: int) -> Iterator[str]:
    """Yield a line in as many as a width takes; a command stays whole.

    What goes on stands further in: below the value of a label, or two columns. A row of a table
    goes on with the cell that does not fit.
    """
    body = line.lstrip(" ")
    indent = len(line) - len(body)
    _, gap, value = body.partition(GAP)
    hang = indent + _HANG
    if gap:
        hang = len(line) - len(value.lstrip(" "))
    if len(line) <= wide or wide < _LEAST or _COMMAND.search(line):
        yield line
        return
    if GAP in value.strip(" "):
        yield from _row(line, indent + _HANG + len(GAP), wide)
        return
    if hang > wide // 2:
        hang = indent + _HANG
    head, tail = line[:hang], line[hang:]
    while len(head) + len(tail) > wide:
        room = wide - len(head)
        cut = tail.rfind(" ", 0, room + 1)
        if cut <= 0:
            cut = tail.find(" ")
        if cut <= 0:
            break
        yield f"{head}{tail[:cut]}".rstrip()
        head, tail = " " * hang, tail[cut + 1 :]
    yield f"{head}{tail}"
