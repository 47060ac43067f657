"""Text that is only text: what a contributor may write in a field that others will read.

Every page and comment escapes what it shows. This is the second line: what could do harm where
somebody forgets is refused at the door. Four kinds of field: a *name* (of a person, a strategy),
a *label* (what a machine calls a model, a version, an address), *prose* (a sentence about the
measurement), and a *prompt* (what models were shown).
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

from epc.printable import FORMULA, is_seen

Kind = Literal["name", "label", "prose", "prompt"]

MOST: Final = {"name": 200, "label": 300, "prose": 2_000, "prompt": 20_000}
_MARKS: Final = {
    "name": " .,'()&/:+_-\u2019",
    "label": " .,'()&/:+_-@?=%~",
    "prose": " .,;:!?'\"()&/%+=_#\u2019\u201c\u201d\u2013\u2014-",
}
_HTML: Final = re.compile(r"<[A-Za-z/!?]")
_TEMPLATE: Final = re.compile(r"\{\{|\{%|\{#")
_MARKDOWN: Final = re.compile(r"\]\(|!\[|^[ >]{0,9}\[[^\]\n]{1,99}\]:", re.MULTILINE)
_SCHEME: Final = re.compile(
    r"\b(?:javascript|vbscript)\s*:|\bdata:[\w.+-]{1,99}[/;,]|\bfile:/", re.IGNORECASE
)
_LINES: Final = "\n\t"
_JOINERS: Final = "\u200c\u200d"  # what several scripts and emoji are spelt with
_JOINED: Final = 0x0590  # Hebrew is the first script beyond those that are never spelt with one


def problems(text: str, kind: Kind) -> Iterator[str]:
    """Yield every way in which a text is more than text."""
    if len(text) > MOST[kind]:
        yield f"{len(text):,} characters, expected at most {MOST[kind]:,}"
        text = text[: MOST[kind]]
    hidden = [at for at, char in enumerate(text) if _is_hidden(char)]
    if kind == "prompt":
        hidden = [at for at in hidden if text[at] not in _LINES and not _joins(text, at)]
    if hidden:
        yield f"holds a character that is not seen, U+{ord(text[hidden[0]]):04X}"
    if text.startswith(FORMULA):
        yield f"begins with {text[0]!a}, as a formula of a spreadsheet does"
    if kind != "prompt" and (odd := [c for c in text if not _is_plain(c, _MARKS[kind])]):
        yield f"holds {odd[0]!a}, which a {kind} here cannot have"
    if kind == "prose" and "://" in text:
        yield "holds an address, which no field here can have"
    yield from _active(text)


def _active(text: str) -> Iterator[str]:
    """Yield what would be more than text if a page showed it without escaping."""
    patterns = (
        (_HTML, "HTML"),
        (_TEMPLATE, "a template's braces"),
        (_MARKDOWN, "a Markdown link or picture"),
        (_SCHEME, "an address that runs or opens something"),
    )
    for pattern, what in patterns:
        if pattern.search(text):
            yield f"holds what reads as {what}"


def _is_hidden(char: str) -> bool:
    """Whether a character is not seen, and no space that is: a no-break space is one."""
    return not is_seen(char) and unicodedata.category(char) != "Zs"


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands where scripts and emoji are spelt with one: between two of theirs.

    Elsewhere a row of joiners could spell what only a model reads.
    """
    around = text[at - 1 : at] + text[at + 1 : at + 2]
    beyond = len(around) == len("ab") and all(ord(c) >= _JOINED and is_seen(c) for c in around)
    return text[at] in _JOINERS and beyond


def _is_plain(char: str, marks: str) -> bool:
    return char in marks or unicodedata.category(char)[0] in "LMN"
