"""Which words of trust the snapshots have earned, from their files alone (Reading R99).

A card's word is a claim. `epc snapshot verify` derives it anew, each time: figures from the raw
files, an attestation from its bundle, a repetition from both measurements.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.layout import ATTESTATION, CALLS, MANIFEST
from epc.records.manifest import Manifest
from epc.registry import layout, spot_checks
from epc.registry.attestation import attested
from epc.registry.card_types import MeasuredCard
from epc.registry.figures import disagreement
from epc.registry.file_sources import reader
from epc.registry.recomputing import recomputable, recompute
from epc.registry.registry import Registry
from epc.registry.store import fetched
from epc.registry.sums import parse_sums

_READING: Final = "Reading R99"
_REMEDY: Final = "take the snapshot out, and publish it as `epc admin submission publish` does"
_CALLS: Final = f"raw/{CALLS}"


def check(checkout: Path, registry: Registry, findings: Findings) -> None:
    """Note each word of trust that does not follow from files that are as they were published.

    Raises: MissingExtraError if there is an attestation and nothing to verify it with; WorldError
    if the disk or git fails.
    """
    for again in recompute(checkout, registry, recomputable(registry, ())):
        if not again.ok:
            says = f"says {registry.snapshots[again.tag].trust}, and its raw files say otherwise"
            _note(again.tag, f"{says}: {(*again.changed, *again.problems)[0]}", findings)
    for tag, snapshot in registry.snapshots.items():
        card = snapshot.card
        if isinstance(card, MeasuredCard) and "attested" in (
            card.trust,
            card.attested and "attested",
        ):
            _attested(checkout, card, findings)
            if card.replicates:
                _repeated(checkout, registry, tag, card.replicates, findings)
    spot_checks.check(checkout, findings)


def _attested(checkout: Path, card: MeasuredCard, findings: Findings) -> None:
    home = checkout / layout.FOLDER
    sums, pointer = _sums(home, card.tag), (home / card.tag / layout.POINTER).read_text("utf-8")
    kept = dict(fetched(pointer, sums, reader(str(home / layout.STORE)), {ATTESTATION}))
    if ATTESTATION not in kept:
        _note(card.tag, "says attested, and keeps no attestation", findings)
        return
    digests = {MANIFEST: sums[MANIFEST]}
    digests |= {n.removeprefix("raw/"): value for n, value in sums.items() if n.startswith("raw/")}
    del digests[ATTESTATION]
    shows, wrong = attested(kept[ATTESTATION], digests, card.login or "", checkout)
    for finding in wrong:
        _note(card.tag, f"says attested; its attestation {finding.problem}", findings)
    if shows and (card.trust, card.attested) != ("attested", shows):
        _note(card.tag, f"says {card.trust}, {card.attested}; its attestation {shows}", findings)
    manifest = Manifest.parse(strict_json.read(home / card.tag / MANIFEST)[0])
    if manifest.evaluator.method == "recorded":
        _note(card.tag, "says attested, and its verdicts were recorded before", findings)


def _repeated(
    checkout: Path, registry: Registry, tag: str, repeated: str, findings: Findings
) -> None:
    """Note that an attested measurement does not repeat what it says that it repeats."""
    own, other = registry.snapshots[tag], registry.snapshots.get(repeated)
    problem = disagreement(other, own) if other else "there is no such snapshot"
    home = checkout / layout.FOLDER
    if not problem and _sums(home, tag)[_CALLS] == _sums(home, repeated)[_CALLS]:
        problem = "the answers are the same"
    if problem:
        _note(tag, f"does not repeat {repeated}: {problem}", findings)


def _sums(home: Path, tag: str) -> Mapping[str, str]:
    return parse_sums((home / tag / layout.SUMS).read_text("utf-8")) or {}


def _note(tag: str, problem: str, findings: Findings) -> None:
    findings.add(_READING, f"{layout.FOLDER}/{tag}/{layout.CARD}", problem, _REMEDY)
