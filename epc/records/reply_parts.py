"""A reply as a record holds it, in whatever protocol it came: answer, reasoning, end, tokens."""

import json
import re
from typing import Any, Final

import msgspec

from epc.json_text import storable

_LONGEST_NAME: Final = 300  # characters
_OPENING: Final = re.compile(r"\s*(?:<(think|thinking)>|\[(THINK)\])")
# Templates that open the block themselves leave only its end in the answer, on a line of its own.
_CLOSED: Final = "</think>"
_ONLY_CLOSED: Final = re.compile(rf"(?:\A|\n)[ \t]*{_CLOSED}[ \t]*(?:\n|\Z)")


class AnotherProtocolError(ValueError):
    """A reply of JSON that is of another protocol than was spoken."""


class ReplyContent(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a reply. Unit: tokens; those read include what a cache held."""

    answer: str
    reasoning: str
    finish_reason: str | None
    served_model: str | None
    system_fingerprint: str | None
    tokens_in: int | None
    tokens_out: int | None
    reasoning_tokens: int | None


def decoded(text: str) -> Any:
    """Return the JSON value of a text, also one that only Python takes: `NaN`, say.

    Raises: ValueError or RecursionError if it holds none.
    """
    try:
        return msgspec.json.decode(text)  # in half the time
    except (msgspec.DecodeError, UnicodeEncodeError):
        return json.loads(text)


def separated(text: str) -> tuple[str, str]:
    """Return what a model wrote for itself at the start of a text, and the answer after it.

    A block that was never closed is all reasoning: the answer had not begun.
    """
    blocks: list[str] = []
    while opened := _OPENING.match(text):
        name = opened[1] or opened[2]
        closing = f"[/{name}]" if opened[2] else f"</{name}>"
        inside, closed, after = text[opened.end() :].partition(closing)
        blocks.append(inside)
        text = after.lstrip() if closed else ""
    # A text is looked for in a tenth of the time of a pattern, and next to no answer holds it.
    if not blocks and _CLOSED in text and (closed_only := _ONLY_CLOSED.search(text)):
        blocks.append(text[: closed_only.start()])
        text = text[closed_only.end() :].lstrip()
    if not blocks:
        return "", text
    return "\n".join(filter(None, map(str.strip, blocks))), text


def named(value: Any) -> str | None:
    """Return a name that a provider gave, if it is one: text, not empty, not longer than names."""
    return storable(value) if isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME else None


def counted(value: Any) -> int | None:
    """Return a number of tokens that a provider gave, if it is one."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if is_count else None
