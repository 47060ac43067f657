"""Prompt of a judge, built so that the evaluated output cannot step out of its place."""

import json
import re
from string import Template
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from epc.digests import sha256
from epc.errors import Finding
from epc.spec.judge_v1 import META

if TYPE_CHECKING:
    from epc.judge.samples import Sample

# What a blind judge copies as the date: the true one would make another prompt every day.
BLIND_DATE: Final = "2000-01-01"
PLACES: Final = frozenset({"task", "output", "meta"})
_BLOCK: Final = re.compile(
    r"(\[\[([0-9a-f]{12}) output begins\]\]\n)(.*)\n\[\[\2 output ends\]\]", re.DOTALL
)
_META: Final = f'{{"{META[0]}": '
_CLAUSE: Final = "JUDGE-9.1"
_NO_TASK: Final = "(The task is not on record: judge by what the output itself shows.)"


def judge_prompt(
    template: str, *, sample: "Sample", output: str, task: str | None, timestamp: str
) -> str:
    """Return the prompt for one sample, with its names and the date as they are given.

    Task and output stand between two lines that carry a digest of both: a text cannot hold its
    own digest, so neither can close its block or open another. Filling is one pass, so `$meta`
    inside an output stays what it is. Identifiers are JSON strings: no line break of theirs acts.
    """
    mark = _mark(sample, output, task or "")
    meta = {name: timestamp if name == "timestamp" else getattr(sample, name) for name in META}
    values = {
        "task": _block(mark, "task", task) if task else _NO_TASK,
        "output": _block(mark, "output", output),
        "meta": json.dumps(meta),
    }
    return Template(template).substitute(values)


class Assignment(Struct, frozen=True, kw_only=True):
    """Assignment of a judge program: `text` is its prompt, `start` where the output begins."""

    text: str
    output: str
    meta: dict[str, str]
    start: int

    def reading(self, length: int) -> str:
        """Return the prompt with the output's first characters only."""
        return self.text[: self.start + length] + self.text[self.start + len(self.output) :]


def asked_in(text: str) -> Assignment | None:
    """Return what a prompt asks a judge for; None if it is no judge's."""
    block = _BLOCK.search(text)
    if block is None:
        return None
    around = text[: block.start()] + text[block.end() :]  # outputs may hold such an object as well
    try:
        meta, _ = json.JSONDecoder().raw_decode(around, around.rindex(_META))
    except ValueError:
        return None
    return Assignment(text=text, output=block[3], meta=meta, start=block.start(3))


def template_problem(template: str) -> Finding | None:
    """Return what keeps a prompt file from being used, or None."""
    problem = unfilled(template, PLACES)
    if problem is None and not {"output", "meta"} <= {*Template(template).get_identifiers()}:
        problem = "it never shows the output and the meta object to the judge"
    if problem is None:
        return None
    return Finding(
        _CLAUSE, "", problem, "use $output and $meta, and $task where the task is to stand"
    )


def unfilled(template: str, places: frozenset[str]) -> str | None:
    """Return what in a template would not be filled by texts for these places, or None."""
    written = Template(template)
    if not written.is_valid():
        return "a $ in it begins no placeholder; a bare dollar is written $$"
    if strange := {*written.get_identifiers()} - places:
        return f"it has a placeholder ${min(strange)} that nothing fills"
    return None


def _mark(sample: "Sample", *texts: str) -> str:
    """Return a mark that none of the texts holds."""
    # Replaced, not refused: a lone surrogate is no text, and need not be told apart here.
    content = "\x00".join((sample.id, *texts)).encode("utf-8", "replace")
    mark = sha256(content)[:12]
    while any(mark in text for text in texts):  # never met; holds by construction all the same
        mark = sha256(mark)[:12]
    return mark


def _block(mark: str, label: str, text: str) -> str:
    return f"[[{mark} {label} begins]]\n{text}\n[[{mark} {label} ends]]"
