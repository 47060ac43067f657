"""What verdicts are made from: the shapes of sources that `epc observe import` reads."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from epc.errors import Finding
from epc.records.observed import inspect, promptfoo, recipes, table, traces
from epc.records.observed.checking import CLAUSE
from epc.records.observed.converting import Conversion, Request, Shape
from epc.records.observed.types import Fault, Made

# What people bring; published sources have a recipe each.
_SHAPES: Final = {
    "csv": Shape(table.EXPECTED, (), table.convert, states=table.FIELDS),
    "inspect": Shape(inspect.EXPECTED, inspect.FAULTS, inspect.convert),
    "promptfoo": Shape(promptfoo.EXPECTED, promptfoo.FAULTS, promptfoo.convert),
    **traces.SHAPES,
}


def names() -> list[str]:
    """Return every shape that can be read here."""
    return [*_SHAPES, *recipes.names()]


def expected_of(shape: str) -> str:
    """Return in words how a shape lays verdicts out."""
    return _SHAPES[shape].expected if shape in _SHAPES else recipes.known(shape).expected


def known_faults(shape: str) -> tuple[Fault, ...]:
    """Return what is known to be wrong with the source that a shape is of.

    Raises: UsageError if its recipe is not here.
    """
    if shape in _SHAPES:
        return _SHAPES[shape].faults
    return recipes.known(shape).faults


def faults_of(shape: str, models: Collection[str]) -> list[Fault]:
    """Return the known faults of these judges' verdicts.

    Raises: UsageError if its recipe is not here.
    """
    return [f for f in known_faults(shape) if not f.models or {*f.models} & {*models}]


def convert(shape: str, source: Path, request: Request) -> Conversion:
    """Return a source's verdicts, or findings that show what was expected.

    Raises: UsageError if no recipe is here at all; WorldError if one fails.
    """
    states = _SHAPES[shape].states if shape in _SHAPES else ()
    if (request.columns and shape != "csv") or (request.constants and not states):
        problem = f"{shape} has no columns, so --map and --set say nothing of it"
        finding = Finding(CLAUSE, "--shape", problem, "leave them out, or name the shape csv")
        return Conversion(findings=[finding])
    if shape in _SHAPES:
        done = _SHAPES[shape].convert(source, request)
    elif shape in recipes.names() or not recipes.names():
        done = recipes.run(shape, source, request)
    else:
        listed = "".join(f"\n  {name}: {expected_of(name)}" for name in names())
        problem = f"there is no shape {shape!r}"
        remedy = f"name one of these, or map a table's columns with csv:{listed}"
        finding = Finding(clause=CLAUSE, where="--shape", problem=problem, remedy=remedy)
        return Conversion(findings=[finding])
    if done.header is None:
        return done
    files = sorted(file.path for file in done.header.files.values()) if source.is_dir() else ()
    made = Made(
        shape=shape,
        files=files,
        columns=request.columns,
        labels=request.words,
        constants=request.constants or None,
    )
    return replace(done, header=replace(done.header, made=made))
