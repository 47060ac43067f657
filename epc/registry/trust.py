"""Words of trust that snapshots have earned, from their files alone (Reading R99).

A card's word is a claim. `epc snapshot verify` derives it anew, each time: figures from the raw
files, and a repetition from both measurements.
"""

from pathlib import Path
from typing import Final

from epc.digests import parse_sums, sha256
from epc.records.findings import Findings
from epc.records.layout import CALLS
from epc.registry import layout
from epc.registry.comparison import disagreement
from epc.registry.names import is_one_contributor
from epc.registry.recomputing import recomputable, recompute
from epc.registry.record import Record
from epc.registry.registry import Registry

_READING: Final = "Reading R99"
_REMEDY: Final = "take the snapshot out, and publish it as `epc admin submission publish` does"
_ANSWERS: Final = (f"raw/{CALLS}", f"raw/{layout.VERDICTS}", "raw/verdicts.parquet")


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
            _check_repetition(registry, tag, repeated, findings)
    _check_copies(checkout, registry, findings)


def _check_copies(checkout: Path, registry: Registry, findings: Findings) -> None:
    """Note a later snapshot of somebody else with the very answers, or verdicts, of an earlier one.

    No two people get the same: a call has its moment, and how long it took.
    """
    first: dict[str, str] = {}
    published = (event.tag for event in registry.events if event.event == "published")
    for tag in (tag for tag in published if tag in registry.snapshots):
        if not (digest := _answers_digest(checkout, tag)):
            continue
        original = first.setdefault(digest, tag)
        names = [(card.contributor, card.login) for card in _cards(registry, original, tag)]
        if not is_one_contributor(*names):
            problem = f"has the very answers of {original}, by {names[0][0]}"
            _note(tag, f"{problem}: a copy under another name", findings)


def _cards(registry: Registry, *tags: str) -> list[Record]:
    return [registry.snapshots[tag].card for tag in tags]


def _answers_digest(checkout: Path, tag: str) -> str:
    """Return the SHA-256 of a snapshot's calls or verdicts; empty where it has none."""
    path = checkout / layout.FOLDER / tag / layout.SUMS
    sums = parse_sums(path.read_text("utf-8")) or {}
    digest = next((sums[name] for name in _ANSWERS if name in sums), "")
    return "" if digest == sha256(b"") else digest


def _check_repetition(registry: Registry, tag: str, repeated: str, findings: Findings) -> None:
    """Note that a measurement does not repeat the one that its card names."""
    original = registry.snapshots.get(repeated)
    if original is None:
        problem = "there is no such snapshot"
    else:
        problem = disagreement(original, registry.snapshots[tag])
    if problem:
        _note(tag, f"does not repeat {repeated}: {problem}", findings)


def _note(tag: str, problem: str, findings: Findings) -> None:
    findings.add(_READING, f"{layout.FOLDER}/{tag}/{layout.CARD}", problem, _REMEDY)
