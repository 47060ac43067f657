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

Kind = Literal["name", "label", "prose", "prompt"]

MOST: Final = {"name": 200, "label": 300, "prose": 2_000, "prompt": 20_000}
_MARKS: Final = {
    "name": " .,'()&/:+_-\u2019",
    "label": " .,'()&/:+_-@?=%~",
    "prose": " .,;:!?'\"()&/%+=_#\u2019\u201c\u201d\u2013\u2014-",
}
_FORMULA: Final = "=+-@\t\r"
_HTML: Final = re.compile(r"<[A-Za-z/!?]")
_TEMPLATE: Final = re.compile(r"\{\{|\{%|\{#")
_MARKDOWN: Final = re.compile(r"\]\(|!\[|^[ >]{0,9}\[[^\]\n]{1,99}\]:", re.MULTILINE)
_SCHEME: Final = re.compile(
    r"\b(?:javascript|vbscript)\s*:|\bdata:[\w.+-]{1,99}[/;,]|\bfile:/", re.IGNORECASE
)
_HIDDEN: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_JOINERS: Final = "\u200c\u200d"  # what several scripts and emoji are spelt with
_COLONS: Final = re.compile(":(?=:)")


def problems(text: str, kind: Kind) -> Iterator[str]:
    """Yield every way in which a text is more than text."""
    if len(text) > MOST[kind]:
        yield f"{len(text):,} characters, expected at most {MOST[kind]:,}"
        text = text[: MOST[kind]]
    allowed = "\n\t" + _JOINERS if kind == "prompt" else ""
    hidden = [c for c in text if unicodedata.category(c) in _HIDDEN and c not in allowed]
    if hidden:
        yield f"holds a character that is not seen, U+{ord(hidden[0]):04X}"
    if text[:1] in _FORMULA and text:
        yield f"begins with {text[0]!a}, as a formula of a spreadsheet does"
    if kind != "prompt" and (odd := [c for c in text if not _is_plain(c, _MARKS[kind])]):
        yield f"holds {odd[0]!a}, which a {kind} here cannot have"
    if kind == "prose" and "://" in text:
        yield "holds an address, which no field here can have"
    yield from _active(text)


def _active(text: str) -> Iterator[str]:
    """Yield what would be more than text if a page showed it without escaping."""
    told = (
        (_HTML, "HTML"),
        (_TEMPLATE, "a template's braces"),
        (_MARKDOWN, "a Markdown link or picture"),
        (_SCHEME, "an address that runs or opens something"),
    )
    for pattern, what in told:
        if pattern.search(text):
            yield f"holds what reads as {what}"


def shown(text: str, longest: int = 300) -> str:
    """Return a text as it can be shown in a terminal, a log or a report: one line, no surprises.

    Characters that are not seen are spelt out, and what a workflow's log takes for a command is
    broken up.
    """
    cut = text if len(text) <= longest else f"{text[: longest - 3]}..."
    seen = (c if _is_seen(c) else f"\\u{{{ord(c):04x}}}" for c in cut)
    return _COLONS.sub(": ", "".join(seen)).replace("##[", "## [")


def _is_plain(char: str, marks: str) -> bool:
    return char in marks or unicodedata.category(char)[0] in "LMN"


def _is_seen(char: str) -> bool:
    return char == " " or unicodedata.category(char)[0] not in "CZ"
