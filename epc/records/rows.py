"""Reading the raw files of a run, row by row."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.layout import PROBES, RAW
from epc.records.row_types import Call, ProbeRow, Trial, WeightRow
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import read_lines
from epc.records.typed import parse

_SCHEMAS = {"trials": "trial", "calls": "call", "weights": "weight", "probes": "probe"}
_FILES = {**RAW, "probes": PROBES}
_NAMES: Final[Mapping[type, str]] = {
    Trial: "trials",
    Call: "calls",
    WeightRow: "weights",
    ProbeRow: "probes",
}
T = TypeVar("T", Trial, Call, WeightRow, ProbeRow)
MAX_UNUSABLE: Final = 1000


def read_rows(
    folder: Path, name: str, findings: Findings, *, clause: str
) -> Iterator[tuple[int, Json]]:
    """Yield each usable row of a raw file with its index, noting what is wrong with the others.

    Reading stops after `MAX_UNUSABLE` rows that cannot be used, so that a large file of nothing
    but mistakes is checked in bounded time.

    Raises: WorldError if the file cannot be read.
    """
    unusable = 0
    for index, row, problems in read_lines(folder / _FILES[name], name):
        row_problems = problems or schema_findings(
            _SCHEMAS[name], row, where=f"/{name}/{index}", clause=clause
        )
        if row_problems:
            findings.extend(row_problems)
            unusable += 1
        else:
            yield index, row
        if unusable == MAX_UNUSABLE:
            problem = f"{unusable:,} rows cannot be used; what follows is not read"
            findings.add(clause, f"/{name}/{index}", problem, "mend these first")
            return


def read_typed(
    folder: Path, kind: type[T], findings: Findings, *, clause: str
) -> Iterator[tuple[int, T]]:
    """Yield each usable row of the raw file that holds a kind of row, as `read_rows` does.

    Raises: WorldError if the file cannot be read.
    """
    for index, row in read_rows(folder, _NAMES[kind], findings, clause=clause):
        yield index, parse(row, kind)
