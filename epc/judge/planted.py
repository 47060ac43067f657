"""Texts made from outputs so that the order of their scores is known beforehand.

A judge that reads must score an output that was cut, shuffled, exchanged or robbed of a section
below the output itself. It must score the same text alike, and may not score it higher because
something that says nothing stands after it. Nothing is drawn: the same outputs give the same texts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from epc.digests import sha256
from epc.spec.judge_v1 import Dimension

Kind = Literal[
    "truncated",
    "shuffled",
    "off_task",
    "section_removed",
    "same_text",
    "padded",
    "plain",
    "ablated",
    "ablation_control",
]
LOWER: Final[Sequence[Kind]] = ("truncated", "shuffled", "off_task", "section_removed")
OFF_TASK: Final[Kind] = "off_task"
SAME: Final[Kind] = "same_text"
PADDED: Final[Kind] = "padded"
PLAIN: Final[Kind] = "plain"
ABLATED: Final[Kind] = "ablated"
CONTROL: Final[Kind] = "ablation_control"

PAIRS: Final = 16  # outputs that texts are made from, unless more are asked for
_FEWEST_WORDS: Final = 12  # of fewer, half may be the whole answer
_PADDING: Final = (
    "The answer ends above.",
    "What follows adds nothing to it.",
    "It has been said already.",
    "These sentences may be left out.",
)
_HEADING: Final = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<marked>.+?)|\*\*(?P<bold>[^*\n]+)\*\*:?"
    r"|(?P<label>[^\W\d][\w ]{0,40}):)[ \t]*#*$",
    re.MULTILINE,
)
_FORMATTED: Final = re.compile(r"[{\[`]")  # JSON and code: what stands after them breaks them
_MARKS: Final = re.compile(r"^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+|\*\*|__|`+", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planting:
    """Change that was made to an output; `dimension` is the one whose quote was taken out."""

    kind: Kind
    of: str
    dimension: Dimension | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """An output as it stands in the set, and one that answers another task, if there is one."""

    output: str
    task: str | None
    off_task: str | None


def planted(original: Original) -> Iterator[tuple[Kind, str]]:
    """Yield each text that can be made of an output, with its kind."""
    output = original.output
    tokens = output.split()
    if len(tokens) >= _FEWEST_WORDS:
        ends = [word.end() for word in re.finditer(r"\S+", output)]
        yield "truncated", output[: ends[len(ends) // 2 - 1]]
        shuffled = " ".join(
            word
            for _, word in sorted(
                (sha256(f"{index}\0{word}"), word) for index, word in enumerate(tokens)
            )
        )
        if shuffled.split() != tokens:
            yield "shuffled", shuffled
    if original.task is not None and original.off_task is not None:
        yield OFF_TASK, original.off_task
    robbed = _without_section(output, original.task or "")
    if robbed is not None:
        yield "section_removed", robbed
    if tokens:
        yield SAME, output
    if tokens and not _FORMATTED.match(output.lstrip()):
        yield PADDED, _padded(output)
    plain = _MARKS.sub("", output)
    if plain.split() != output.split() and plain.strip():
        yield PLAIN, plain


def ablations(output: str, quote: str) -> tuple[str, str] | None:
    """Return an output without a quote, and without as many characters elsewhere.

    None where the quote does not stand in it, or leaves no room for the other.
    """
    start, size = output.find(quote), len(quote)
    if start < 0 or not quote.strip():
        return None
    places = [*range(start - size + 1), *range(start + size, len(output) - size + 1)]
    # Between words as the quote is: what begins within a word would damage more.
    places = [position for position in places if position == 0 or output[position - 1].isspace()]
    places = [position for position in places if output[position : position + size].strip()]
    if not places:
        return None
    position = places[int(sha256(f"{quote}\0{output}"), 16) % len(places)]
    return output[:start] + output[start + size :], output[:position] + output[position + size :]


def name_of(planting: Planting) -> str:
    """Return the output id of a planted text: it tells neither what was done nor to which."""
    text = "\0".join((planting.kind, planting.of, planting.dimension or ""))
    return f"output-{sha256(text)[:16]}"


def _padded(output: str) -> str:
    """Return an output half as long again."""
    added: list[str] = []
    while sum(map(len, added)) * 2 < len(output):
        added.append(_PADDING[len(added) % len(_PADDING)])
    return f"{output.rstrip()}\n\n{' '.join(added)}"


def _without_section(output: str, task: str) -> str | None:
    """Return an output without its last section that the task asks for by its heading."""
    end = len(output)
    for heading in reversed(list(_HEADING.finditer(output))):
        name = next(text for text in heading.groups() if text).strip(" :*")
        remainder = output[: heading.start()] + output[end:]
        named = name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", task, re.IGNORECASE)
        if named and remainder.strip():
            return remainder
        end = heading.start()
    return None
