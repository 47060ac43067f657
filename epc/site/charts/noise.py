"""The band that a picture lays under a figure: the run's own noise floor, or a coin flip's."""

from typing import Final

from epc.protocol.config import Configuration
from epc.registry.snapshots import Snapshot
from epc.simulation.noise import Band, coin_bands
from epc.site.evidence import Evidence

# A variant whose coin flips are not the protocol's; how they are, a reported snapshot does not say.
_OTHER_COINS: Final = ("AltRounds", "AltLR", "AltStrategies")


def bands_of(snapshot: Snapshot, evidence: Evidence | None) -> dict[str, Band] | None:
    """Return a coin flip's bands under a snapshot's conditions; None where these are not known."""
    if evidence is not None:
        return evidence.coin
    if any(label in snapshot.card.protocol_version for label in _OTHER_COINS):
        return None
    return coin_bands(Configuration())
