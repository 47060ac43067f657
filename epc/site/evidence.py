"""What a measured snapshot's own files say: of its manifest and its trials, and of nothing else.

`epc.site.accounting` works it out.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from markupsafe import Markup

from epc.protocol.config import Configuration
from epc.records.manifest import Manifest
from epc.registry.figures import has_reference_coin
from epc.registry.snapshots import Snapshot
from epc.simulation.noise import Band, coin_bands

FACTS, NOTE, ACCOUNT = "facts.json", "note.md", "account.md"
GALLERY, PICTURES = "gallery.html", "pictures"
_WINS, _LOSSES, _TIES = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRate:
    """How often a strategy won against the baseline, over the distinct comparisons of a domain.

    A round asked anew is a comparison of its own. `rate` is None where nothing was decided.
    """

    strategy: str
    domain: str
    wins: int
    losses: int
    ties: int

    @property
    def rate(self) -> float | None:
        """The share of wins among what was decided."""
        decided = self.wins + self.losses
        return self.wins / decided if decided else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the site shows of a measured snapshot's manifest and trials.

    `coin` is what a coin flip gives in its setting. What is long stays in files below `home`.
    """

    coin: dict[str, Band]
    win_rates: tuple[WinRate, ...]
    home: Path

    @classmethod
    def of(cls, home: Path) -> Self:
        """Read what is kept in a folder."""
        facts = json.loads((home / FACTS).read_bytes())
        return cls(
            coin={name: Band(**band) for name, band in facts["coin"].items()},
            win_rates=tuple(WinRate(**rate) for rate in facts["win_rates"]),
            home=home,
        )

    @property
    def note(self) -> Markup:
        """How its noise floor came about, in a paragraph of its page."""
        return self._read(NOTE)

    @property
    def account(self) -> Markup:
        """The sections of its page that say what was asked, how, and what was answered."""
        return self._read(ACCOUNT)

    @property
    def gallery(self) -> Markup:
        """Its pictures, as one piece of markup."""
        return self._read(GALLERY)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files that go with its pictures, by their places beside its page."""
        for path in sorted((self.home / PICTURES).iterdir()):
            yield f"{PICTURES}/{path.name}", path.read_bytes()

    def _read(self, name: str) -> Markup:
        return Markup((self.home / name).read_bytes().decode())  # noqa: S704  (made by our templates)


def bands_of(snapshot: Snapshot, evidence: Evidence | None) -> dict[str, Band] | None:
    """Return a coin flip's bands under a snapshot's conditions; None where these are not known."""
    if evidence is not None:
        return evidence.coin
    return coin_bands(Configuration()) if has_reference_coin(snapshot) else None


def win_rates(manifest: Manifest) -> Iterator[WinRate]:
    """Yield the win rate of each strategy in each domain."""
    counts = manifest.results.verdict_table.counts
    for strategy in manifest.names:
        for domain in manifest.domains.names:
            cells = counts[domain].get(strategy, ())
            yield WinRate(
                strategy=strategy,
                domain=domain,
                wins=sum(cell[_WINS] for cell in cells),
                losses=sum(cell[_LOSSES] for cell in cells),
                ties=sum(cell[_TIES] for cell in cells),
            )
