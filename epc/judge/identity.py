"""Whom a foreign record is about and from: its identifiers, wherever the source keeps them.

A source may have them in fields, in the names of its files, or several in one text, such as
`q3_weak_explicit.pdf`. A pattern takes such a text apart, and a template puts identifiers together.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epc.json_text import pointer
from epc.spec.judge_v1 import IDENTIFIERS

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

    def of(self, texts: Mapping[str, str]) -> dict[str, str]:
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
    at = 0
    for part in _PART.finditer(form):
        yield re.escape(form[at : part.start()])
        yield f"(?P<{part[1]}>.+?)"
        at = part.end()
    yield re.escape(form[at:])
