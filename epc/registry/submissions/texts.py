"""Text that is only text: what a contributor may write in a field that others will read.

Every page and summary escapes what it shows. This is the second line: what could do harm where
somebody forgets is refused at the door. Four kinds of field: a *name* (of a person, a strategy),
a *label* (what a machine calls a model, a version, an address), *prose* (a sentence about the
measurement), and a *prompt* (what models were shown).
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from epc.errors import able_to
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
    hidden = [index for index, char in enumerate(text) if _is_hidden(char)]
    if kind == "prompt":
        hidden = [
            index for index in hidden if text[index] not in _LINES and not _joins(text, index)
        ]
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
    for pattern, label in patterns:
        if pattern.search(text):
            yield f"holds what reads as {label}"


def _is_hidden(char: str) -> bool:
    """Return whether a character is not seen, and no space that is: a no-break space is one."""
    return not is_seen(char) and unicodedata.category(char) != "Zs"


def _joins(text: str, index: int) -> bool:
    """Return whether a joiner stands where scripts and emoji have one: between two of theirs.

    Elsewhere a row of joiners could spell what only a model reads.
    """
    around = text[index - 1 : index] + text[index + 1 : index + 2]
    beyond = len(around) == len("ab") and all(ord(c) >= _JOINED and is_seen(c) for c in around)
    return text[index] in _JOINERS and beyond


def _is_plain(char: str, marks: str) -> bool:
    return char in marks or unicodedata.category(char)[0] in "LMN"


# Shapes that issuers give to keys, so that they can be recognised. Each is searched in time that
# grows with the line alone: repetitions are bounded, or end where the next can begin.
_SHAPES: Final = {
    "an OpenAI, Anthropic or OpenRouter key": r"sk-(?=[\w-]{0,99}[0-9])[A-Za-z0-9_-]{20,}",
    "an Amazon key id": r"(?:AKIA|ASIA|AROA)[0-9A-Z]{16}",
    "a Google key": r"AIza[0-9A-Za-z_-]{35}",
    "a GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})",
    "a GitLab token": r"glpat-[A-Za-z0-9_-]{20,}",
    "a Slack token": r"xox[abprs]-[A-Za-z0-9-]{10,}",
    "a Hugging Face token": r"hf_[A-Za-z0-9]{30,}",
    "a JSON web token": r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "a bearer token": r"[Bb]earer (?=[\w.~+/-]{0,99}[0-9])[A-Za-z0-9._~+/-]{20,}",
    "a private key": r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY",
    "a user and password in an address": r"[a-z][a-z0-9+.-]{0,30}://[^\s/@:\"]{1,99}:[^\s/@\"]{1,99}@",
}
_SHAPE: Final = re.compile(
    "|".join(rf"(?<![\w.-])(?P<s{index}>{shape})" for index, shape in enumerate(_SHAPES.values()))
)
_NAMES: Final = list(_SHAPES)
LEAKED: Final = "revoke it, remove it, and measure again"
# A line without any of these has no shape of a secret, which is quickly seen.
_HINTS: Final = tuple(
    hint.encode()
    for hint in (
        *("sk-", "AKIA", "ASIA", "AROA", "AIza", "glpat-", "xox", "hf_", "eyJ"),
        *(
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "earer ",
            "PRIVATE KEY",
            "://",
            "\\u",
        ),
    )
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
# A value of the environment that is shorter, or plainer, would be found in ordinary words.
_SHORTEST: Final = 8
_LEAST_DISTINCT: Final = 6


def scan(path: Path, secrets: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield each line of a file, counted from 1, that holds a secret, and which kind.

    `secrets` are values that must not be there, with the name of what each is.

    Raises: WorldError if the file cannot be read.
    """
    with able_to("read", path), path.open("rb") as file:
        yield from scan_lines(file, secrets)


def scan_lines(lines: Iterable[bytes], secrets: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the numbers, from 1, and kinds of the lines that hold a secret."""
    forms = {
        form: name
        for value, name in secrets.items()
        if len(value) >= _SHORTEST and len(set(value)) >= _LEAST_DISTINCT
        for form in (value, json.dumps(value, ensure_ascii=False)[1:-1])
    }
    for number, line in enumerate(lines, start=1):
        if not forms and not any(hint in line for hint in _HINTS):
            continue
        text = _plain(line.decode("utf-8", "replace"))
        for name in dict.fromkeys(name for form, name in forms.items() if form in text):
            yield number, f"the value of {name}"
        for match in _SHAPE.finditer(text):
            yield number, _NAMES[int((match.lastgroup or "s0")[1:])]


def _plain(line: str) -> str:
    """Return a line of JSON with its escapes undone, which could hide a key from a search."""
    return _ESCAPE.sub(_undone, line) if "\\" in line else line


def _undone(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return match[2] if match[2] in '/"\\' else " "  # what else can be escaped is white space
