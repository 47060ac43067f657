"""Units that are judged, samples (a unit before one judge), and the identifiers in sources.

A source may have identifiers in fields, in the names of its files, or several in one text, such as
`q3_weak_explicit.pdf`. A pattern takes such a text apart, and a template puts identifiers together
(JUDGE-0, JUDGE-1).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from epc.digests import sha256
from epc.errors import Finding
from epc.json_text import pointer
from epc.spec.judge_v1 import CROSS, IDENTIFIERS, SELF, Method

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))


class Unit(Struct, frozen=True, kw_only=True):
    """The output of one model to one question under one prompt variant (JUDGE-0).

    `output_id` traces it back to the raw output, and is its own in the whole set.
    """

    question_id: str
    prompt_variant: str
    target_model: str
    output_id: str

    def before(self, judge_model: str) -> "Sample":
        """Return this unit as a judge meets it."""
        return Sample(
            question_id=self.question_id,
            prompt_variant=self.prompt_variant,
            target_model=self.target_model,
            output_id=self.output_id,
            judge_model=judge_model,
            method=method_of(judge_model, self.target_model),
        )


class Sample(Struct, frozen=True, kw_only=True):
    """A unit, who judges it, and by which method: what a record must say that it is about."""

    question_id: str
    prompt_variant: str
    target_model: str
    output_id: str
    judge_model: str
    method: Method

    @property
    def id(self) -> str:
        """Twenty hexadecimal digits of the SHA-256 of everything that makes it this sample.

        Names come from here and never from what a model wrote, so no text reaches a file name.
        """
        text = _ENCODER.encode(list(self.as_json().values()))
        return sha256(text)[:20]

    def as_json(self) -> dict[str, str]:
        """Return the sample as a plain JSON object."""
        return asdict(self)

    def blind(self) -> "Sample":
        """Return the sample as a judge meets it that shall not know whose output it scores.

        The name of an output tells whose it is as well, and so does the method.
        """
        digest = self.unit.before("").id[:12]
        return replace(
            self, target_model="target", judge_model="judge", method=CROSS, output_id=digest
        )

    @property
    def unit(self) -> Unit:
        """The unit that is judged, whoever judges it."""
        return Unit(
            question_id=self.question_id,
            prompt_variant=self.prompt_variant,
            target_model=self.target_model,
            output_id=self.output_id,
        )


def method_of(judge_model: str, target_model: str) -> Method:
    """Return the method that a judge and a target amount to: equal names are the same model.

    Source: JUDGE-1.1, JUDGE-1.2.
    """
    return SELF if judge_model == target_model else CROSS


def repeats(units: Sequence[Unit]) -> Iterator[Finding]:
    """Yield every output id that is in a set more than once (JUDGE-7.2)."""
    for output_id, count in Counter(unit.output_id for unit in units).items():
        if count > 1:
            yield Finding(
                clause="JUDGE-7.2",
                where="",
                problem=f"the output id {output_id!r} stands {count} times",
                remedy="give each output an id of its own, and list it once",
            )


def gaps(units: Sequence[Unit]) -> Iterator[Finding]:
    """Yield every cell of question x variant x target that holds fewer outputs than the others.

    Source: JUDGE-7.1 ("aligned by question x variant x target_model").
    """
    cells = Counter((u.question_id, u.prompt_variant, u.target_model) for u in units)
    expected = max(cells.values(), default=0)
    axes = [list(dict.fromkeys(cell[axis] for cell in cells)) for axis in range(3)]
    for question, variant, target in product(*axes):
        count = cells[question, variant, target]
        if count < expected:
            cell = f"question {question!r}, variant {variant!r}, target {target!r}"
            yield Finding(
                clause="JUDGE-7.1",
                where="",
                problem=f"{cell}: {count} of {expected} outputs",
                remedy="add what is missing, or plan with --allow-gaps",
            )


NAMES: Final = (*IDENTIFIERS, "judge_model")
FILE_NAME: Final = "file name"
_LONGEST: Final = 300  # characters of a text that is taken apart
_PART: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A text of the source, by JSON Pointer or `file name`, and the forms it may have."""

    source: str
    forms: Sequence[str]

    @property
    def names(self) -> set[str]:
        """The names of the parts."""
        return {name for form in self.forms for name in _PART.findall(form)}

    def parts(self, text: str) -> dict[str, str]:
        """Return the parts of a text by the first form that it has, or nothing."""
        for form in self.forms if len(text) <= _LONGEST else ():
            match = re.fullmatch("".join(_expression(form)), text)
            if match is not None:
                return match.groupdict()
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """How identifiers follow from a record: by template, else from a pattern's part."""

    patterns: tuple[Pattern, ...] = ()
    templates: Mapping[str, str]

    @property
    def derived(self) -> set[str]:
        """The identifiers that no field of a record states."""
        parts = {name for pattern in self.patterns for name in pattern.names}
        return {*self.templates, *(parts & set(NAMES))}

    def identifiers(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the derived identifiers; `texts` are the source's, by pointer or `file name`."""
        parts: dict[str, str] = {}
        for pattern in self.patterns:
            parts.update(pattern.parts(texts.get(pattern.source, "")))
        identifiers = {name: text for name, text in parts.items() if name in NAMES}
        pieces = {**texts, **parts}
        for name, template in self.templates.items():
            needed = _PART.findall(template)
            if all(part in pieces for part in needed):
                identifiers[name] = _PART.sub(lambda part: pieces[part[1]], template)
        return identifiers

    def sources(self) -> set[str]:
        """Return the places whose texts are needed."""
        of_templates = {
            part for template in self.templates.values() for part in _PART.findall(template)
        }
        return {pattern.source for pattern in self.patterns} | {
            part for part in of_templates if part.startswith("/")
        }


def read_identity(
    *, patterns: Iterable[Mapping[str, Any]] = (), templates: Mapping[str, str] | None = None
) -> Identity:
    """Return what a mapping says of identifiers."""
    return Identity(
        patterns=tuple(Pattern(**pattern) for pattern in patterns),
        templates=templates or {},
    )


def problems(identity: Identity) -> Iterator[tuple[str, str, str]]:
    """Yield what makes no sense: where, the problem, the remedy."""
    for index, pattern in enumerate(identity.patterns):
        where = pointer("patterns", index)
        for form in pattern.forms:
            names = _PART.findall(form)
            if not names or len(set(names)) < len(names) or not all(map(_NAME.fullmatch, names)):
                yield (
                    where,
                    f"{form!r} names no parts, or one twice",
                    "write {question_id}_{part}.txt",
                )
            elif "}{" in form:
                yield (
                    where,
                    f"{form!r} has two parts with nothing between them",
                    "part them by a text",
                )
    defined = {name for pattern in identity.patterns for name in pattern.names}
    for name, template in identity.templates.items():
        for part in _PART.findall(template):
            if part not in defined and not part.startswith("/"):
                problem = f"{template!r} has the part {part!r}, which no pattern yields"
                yield (
                    pointer("templates", name),
                    problem,
                    "name a part, or a pointer such as {/variant}",
                )


def _expression(form: str) -> Iterator[str]:
    position = 0
    for part in _PART.finditer(form):
        yield re.escape(form[position : part.start()])
        yield f"(?P<{part[1]}>.+?)"
        position = part.end()
    yield re.escape(form[position:])
