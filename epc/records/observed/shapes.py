"""What verdicts are made from: the shapes of sources that `epc observe import` reads."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from epc.errors import Finding
from epc.records.observed import (
    alpaca_eval,
    auto_j,
    inspect,
    judgebench,
    llmbar,
    mt_bench,
    pandalm,
    prometheus,
    promptfoo,
    table,
    wildbench,
)
from epc.records.observed.checking import CLAUSE
from epc.records.observed.converting import Conversion, Request
from epc.records.observed.types import Fault, Made


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A way to lay verdicts out: how it is read, and what is expected, in words.

    `faults` are those of the source that it was made for.
    """

    convert: Callable[[Path, Request], Conversion]
    expected: str
    faults: tuple[Fault, ...] = ()

    def faults_of(self, models: Collection[str]) -> list[Fault]:
        """Return the known faults of these judges' verdicts."""
        return [fault for fault in self.faults if not fault.models or {*fault.models} & {*models}]


SHAPES: Final[Mapping[str, Shape]] = {
    name: Shape(
        convert=module.convert, expected=module.EXPECTED, faults=getattr(module, "FAULTS", ())
    )
    for name, module in {
        "alpaca-eval": alpaca_eval,
        "auto-j": auto_j,
        "csv": table,
        "inspect": inspect,
        "judgebench": judgebench,
        "llmbar": llmbar,
        "mt-bench": mt_bench,
        "pandalm": pandalm,
        "prometheus": prometheus,
        "promptfoo": promptfoo,
        "wildbench": wildbench,
    }.items()
}


def convert(shape: str, source: Path, request: Request) -> Conversion:
    """Return a source's verdicts, or findings that show what was expected."""
    known = SHAPES.get(shape)
    if known and known.convert is not table.convert and (request.columns or request.constants):
        problem = f"{shape} has no columns, so --map and --set say nothing of it"
        finding = Finding(CLAUSE, "--shape", problem, "leave them out, or name the shape csv")
        return Conversion(findings=[finding])
    if known is None:
        listed = "".join(f"\n  {name}: {each.expected}" for name, each in SHAPES.items())
        problem = f"there is no shape {shape!r}"
        remedy = f"name one of these, or map a table's columns with csv:{listed}"
        finding = Finding(clause=CLAUSE, where="--shape", problem=problem, remedy=remedy)
        return Conversion(findings=[finding])
    done = known.convert(source, request)
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
