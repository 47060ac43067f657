"""Recipes: scripts of a checkout that make verdicts of one published source.

A recipe is `pipeline/recipes/NAME.py`. It runs in a process of its own, so the package needs none
of them: the question goes to its standard input, the answer comes from its standard output, and
the verdicts are written to a verdict file.
"""

import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from epc.errors import Finding, UsageError
from epc.records.checkout import ROOT, answer
from epc.records.verdicts.converting import Conversion, Request
from epc.records.verdicts.types import Fault, Header, Row
from epc.records.verdicts.verdict_file import stored, write

FOLDER: Final = ROOT / "pipeline" / "recipes"
_FILE: Final = "verdicts.jsonl"


class Question(Struct, frozen=True, kw_only=True):
    """Source to convert, and verdict file to write; without a source, what is known of it."""

    source: str | None = None
    out: str = ""
    request: Request = Request()


class Answer(Struct, frozen=True, kw_only=True):
    """Reply of a recipe: what it expects, the source's known faults, what kept it from verdicts."""

    expected: str
    faults: tuple[Fault, ...]
    findings: Sequence[Finding] = ()
    verdicts: int = 0


class _Rows(Collection[Row]):
    """The verdicts of a file, read anew each time: a million of them fill no memory."""

    def __init__(self, folder: str, count: int) -> None:
        self._file, self._count = Path(folder) / _FILE, count
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        return stored(self._file)

    def __contains__(self, row: object) -> bool:
        return any(row == member for member in self)


def main(
    convert: Callable[[Path, Request], Conversion], expected: str, faults: tuple[Fault, ...]
) -> None:
    """Answer the question on standard input: the whole of a recipe as a script."""
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=Question)
    findings: Sequence[Finding] = ()
    verdicts = 0
    if question.source is not None:
        done = convert(Path(question.source), question.request)
        findings = done.findings
        if done.header:
            write(Path(question.out), done.header, done.rows)
            verdicts = len(done.rows)
    reply = Answer(expected=expected, faults=faults, findings=findings, verdicts=verdicts)
    sys.stdout.buffer.write(msgspec.json.encode(reply))


def names() -> list[str]:
    """Return the shapes for which there is a recipe."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.py"))


def run(shape: str, source: Path, request: Request) -> Conversion:
    """Return a source's verdicts as its recipe makes them, or findings.

    Raises: UsageError if there is no such recipe here; WorldError if it fails.
    """
    folder = tempfile.mkdtemp()
    out = Path(folder) / _FILE
    done = _answer(shape, Question(source=str(source.absolute()), out=str(out), request=request))
    rows = _Rows(folder, done.verdicts)
    if done.findings or not out.exists():
        return Conversion(findings=done.findings)
    with out.open("rb") as file:
        header = msgspec.json.decode(next(islice(file, 1)), type=Header)
    return Conversion(header=header, rows=rows)


@cache
def facts_of(shape: str) -> Answer:
    """Return what a recipe expects and the known faults of its source.

    Raises: UsageError if there is no such recipe here; WorldError if it fails.
    """
    return _answer(shape, Question())


def _answer(shape: str, question: Question) -> Answer:
    if shape not in names():
        raise UsageError(
            f"the recipe for {shape!r} is not part of the installed program\n"
            "  fix: run this command with the program of a clone of the registry, which has "
            "pipeline/recipes"
        )
    return answer(FOLDER.parent, f"recipes.{shape.replace('-', '_')}", question, Answer)
