"""Reported: figures that a publication prints. Nobody offers one; maintainers transcribe it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from epc.errors import Finding
from epc.protocol.results import Json
from epc.registry.figures import misstated
from epc.registry.kinds.adapter import departure
from epc.registry.layout import FIGURES
from epc.registry.record import Record

# How a citation that is kept as printed names a figure, and then its numbers.
_PRINTED: Final = {
    "n": "N =",
    "gamma": "gamma",
    "zero_coupling_rate": "zero-coupling",
    "jsd": "JSD",
    "pci": "PCI",
    "accuracy": "accuracy",
    "ece": "ECE",
    "brier": "Brier",
}
_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"


def departures(_: Path, card: Record, figures: Json, __: Mapping[str, str]) -> Iterator[Finding]:
    """Yield where a figure is not as printed, or its interval not what its numbers allow."""
    for name, problem in misstated(figures):
        yield departure(f"/{FIGURES}/{name}/ci95", problem)
    printed = card.citation.as_printed if card.citation else ""
    for name, figure in figures.items():
        match = re.search(rf"\b{_PRINTED.get(name, name)} ({_NUMBER}(?:, {_NUMBER})*)", printed)
        numbers = [float(number) for number in match[1].split(", ")] if match else []
        means = _means(figure)
        if numbers and means != numbers[: len(means)]:
            problem = f"says {', '.join(map(str, means))}, its citation prints {match and match[1]}"
            yield departure(f"/{FIGURES}/{name}", problem)


def _means(figure: Json | float) -> list[float]:
    """Return the printed numbers that a figure holds, direction by direction."""
    if not isinstance(figure, dict):
        return [float(figure)]
    if "mean" in figure:
        return [float(figure["mean"])]
    return [float(part["mean"]) for part in figure.values()]
