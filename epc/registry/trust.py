"""Words of trust that snapshots have earned, from their files alone (Reading R99).

A card's word is a claim. `epc snapshot verify` derives it anew, each time: figures from the raw
files, and a repetition from both measurements.
"""

from pathlib import Path
from typing import Final

from epc.digests import parse_sums
from epc.records.findings import Findings
from epc.records.layout import CALLS
from epc.registry import layout
from epc.registry.comparison import disagreement
from epc.registry.recomputing import recomputable, recompute
from epc.registry.registry import Registry

_READING: Final = "Reading R99"
_REMEDY: Final = "take the snapshot out, and publish it as `epc admin submission publish` does"
_CALLS: Final = f"raw/{CALLS}"


def check(checkout: Path, registry: Registry, findings: Findings) -> None:
    """Note each word of trust, and each repetition, that does not follow from the files.

    Raises: WorldError if the disk fails.
    """
    for result in recompute(checkout, registry, recomputable(registry, ())):
        if not result.ok:
            says = f"says {registry.snapshots[result.tag].trust}, and its raw files say otherwise"
            _note(result.tag, f"{says}: {(*result.changed, *result.problems)[0]}", findings)
    for tag, snapshot in registry.snapshots.items():
        if repeated := snapshot.card.replicates:
            _check_repetition(checkout, registry, tag, repeated, findings)


def _check_repetition(
    checkout: Path, registry: Registry, tag: str, repeated: str, findings: Findings
) -> None:
    """Note that a measurement does not repeat the one that its card names."""
    original = registry.snapshots.get(repeated)
    if original is None:
        problem = "there is no such snapshot"
    else:
        problem = disagreement(original, registry.snapshots[tag])
    if not problem and _calls_digest(checkout, tag) == _calls_digest(checkout, repeated):
        problem = "the answers are the same"
    if problem:
        _note(tag, f"does not repeat {repeated}: {problem}", findings)


def _calls_digest(checkout: Path, tag: str) -> str:
    """Return the SHA-256 of a measured snapshot's calls, as its sums list it."""
    text = (checkout / layout.FOLDER / tag / layout.SUMS).read_text("utf-8")
    return (parse_sums(text) or {})[_CALLS]


def _note(tag: str, problem: str, findings: Findings) -> None:
    findings.add(_READING, f"{layout.FOLDER}/{tag}/{layout.CARD}", problem, _REMEDY)
