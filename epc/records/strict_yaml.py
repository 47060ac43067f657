"""YAML files that people write by hand, read strictly and safely.

A value is a mapping, a list, text, a number, true, false or null, as in JSON. `yes`, `no` and
dates are text. What can hide a mistake or do harm is a finding: a key that appears twice, an anchor
or alias (a few lines of them can mean gigabytes), a tag, a second document, deep nesting. Every
value is known by its JSON Pointer and its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final

import yaml

from epc.json_text import pointer, storable
from epc.records.findings import Findings
from epc.records.strict_json import read_text

MAX_BYTES: Final = 2**20
MAX_DEPTH: Final = 16
_CLAUSE: Final = "YAML 1.2"
_PARSER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # wheels bring the fast one
_INTEGER: Final = re.compile(r"[-+]?(0|[1-9]\d{0,17})")
_NUMBER: Final = re.compile(r"[-+]?(0|[1-9]\d{0,17})?(\.\d{1,18})?([eE][-+]?\d{1,3})?")
_WORDS: Final = {"": None, "null": None, "~": None, "true": True, "false": False}
_NO_KEYS: Final = (yaml.MappingStartEvent, yaml.SequenceStartEvent, yaml.AliasEvent)


@dataclass(slots=True, kw_only=True)
class Document:
    """A file's value, what is wrong with its text, and the line of each pointer.

    Where something is wrong the value holds None.
    """

    value: Any = None
    findings: Findings = field(default_factory=Findings)
    lines: dict[str, int] = field(default_factory=dict)

    def line(self, where: str) -> int | None:
        """Return the line of a place, or of what it would stand in."""
        while where and where not in self.lines:
            where = where.rpartition("/")[0]
        return self.lines.get(where)


def read(path: Path) -> Document:
    """Return a file's document.

    Raises: WorldError if the file cannot be read.
    """
    text, problems = read_text(path)
    if not problems:
        return parse(text)
    document = Document()
    document.findings.extend(problems)
    return document


def parse(text: str) -> Document:
    """Return the document of a text, with every problem that does not end the reading."""
    document = Document()
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        problem = f"more than {MAX_BYTES:,} bytes"
        document.findings.add(_CLAUSE, "", problem, "keep the file small")
        return document
    try:
        _Reader(document, yaml.parse(text, Loader=_PARSER)).read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        document.lines[""] = mark.line + 1 if mark else 1
        _stop(document, f"not YAML: {error.problem or error.context}")
    except yaml.reader.ReaderError as error:
        document.lines[""] = text.count("\n", 0, error.position) + 1
        _stop(document, "not YAML: a character that may not stand in it")
    except ValueError:  # the slow parser's word for an escape of no character
        _stop(document, "not YAML: an escape that stands for no character")
    except _TooDeepError as error:
        document.lines[""] = error.line
        _stop(document, f"nested more than {MAX_DEPTH} deep")
    return document


def _stop(document: Document, problem: str) -> None:
    document.value = None
    document.findings.add(_CLAUSE, "", problem, "repair the text from here on")


class _TooDeepError(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Reader:
    """Makes a value of a parser's events; nesting is bounded, so recursion is."""

    def __init__(self, document: Document, events: Iterator[Any]) -> None:
        self._document = document
        self._events = events

    def read(self) -> None:
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
            elif not isinstance(event, yaml.StreamStartEvent | yaml.StreamEndEvent) and not (
                isinstance(event, yaml.DocumentEndEvent)
            ):
                value = self._value(event, "", 0)
                if documents == 1:
                    self._document.value = value
        if documents > 1:
            self._note("", "holds more than one document", "keep one of them")

    def _value(self, event: Any, where: str, depth: int) -> Any:
        self._document.lines.setdefault(where, event.start_mark.line + 1)
        if depth > MAX_DEPTH:
            raise _TooDeepError(event.start_mark.line + 1)
        if isinstance(event, yaml.AliasEvent):
            self._note(where, f"*{event.anchor} is an alias", "write the value out")
            return None
        if event.anchor is not None:
            self._note(where, f"&{event.anchor} is an anchor", "leave it out")
        explicit = event.tag is not None and event.tag != "!"
        if explicit:
            self._note(where, "a tag says how to read it", "leave the tag out")
        if isinstance(event, yaml.MappingStartEvent):
            value: Any = self._mapping(where, depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._sequence(where, depth)
        else:
            value = storable(event.value) if event.style else _scalar(event.value)
        return None if explicit else value

    def _sequence(self, where: str, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(event, f"{where}/{len(items)}", depth + 1))
        return items

    def _mapping(self, where: str, depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if isinstance(event, _NO_KEYS) or event.anchor:
                self._value(event, f"{where}/?", depth + 1)
                self._value(next(self._events), f"{where}/?", depth + 1)
                self._note(f"{where}/?", "a key that is no plain word", "write a word as the key")
                continue
            key = event.value
            below = where + pointer(key)
            if key in mapping:
                line = f"line {event.start_mark.line + 1}"
                self._note(below, f"the key appears twice: here and on {line}", "keep one of them")
                self._value(next(self._events), f"{below} of {line}", depth + 1)
                continue
            self._document.lines[below] = event.start_mark.line + 1
            mapping[key] = self._value(next(self._events), below, depth + 1)
        return mapping

    def _note(self, where: str, problem: str, remedy: str) -> None:
        self._document.findings.add(_CLAUSE, where, problem, remedy)


def _scalar(text: str) -> Any:
    """Return the value of text without quotes."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and text[-1].isdigit() and isfinite(number := float(text)):
        return number
    return text
