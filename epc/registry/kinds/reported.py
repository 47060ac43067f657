"""Reported: figures that a publication prints. Nobody offers one; maintainers transcribe it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from epc.errors import Finding
from epc.protocol.results import Json
from epc.registry.figures import misstated
from epc.registry.kinds.adapter import departure
from epc.registry.layout import FIGURES
from epc.registry.record import Record


def departures(_: Path, __: Record, figures: Json, ___: Mapping[str, str]) -> Iterator[Finding]:
    """Yield where the interval of a printed figure is not what its numbers allow."""
    for name, problem in misstated(figures):
        yield departure(f"/{FIGURES}/{name}/ci95", problem)
