"""Do two measurements agree more than their evaluator agrees with itself?

Pure but for `unrepeated`, which reads both measurements.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from epc.records.layout import MANIFEST
from epc.records.manifest import Manifest
from epc.registry import layout
from epc.registry.answers import calls_of, published_calls, re_executed
from epc.registry.submissions.identity import verdicts
from epc.statistics.intervals import Interval, share_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """How often an evaluator kept to its verdict of the comparisons that it was asked again."""

    kept: int
    asked: int

    def judged(self, share: float) -> str:
        """Say how a share of verdicts compares with what the evaluator shares with itself."""
        low, high = self._interval
        often = "more" if share > high else "less" if share < low else "no more"
        return f"{often} than it agrees with itself, {self.kept} of {self.asked} asked again"

    def is_exceeded_by(self, share: float) -> bool:
        """Whether two measurements agree more often than the evaluator can with itself."""
        _, high = self._interval
        return share > high

    @property
    def _interval(self) -> Interval:
        return share_interval(self.kept, self.asked) or (0.0, 1.0)


def repeats_of(manifest: Manifest) -> Repeats | None:
    """Return how often an evaluator repeated itself, as far as its own run shows.

    The run asked again, or it asked a pair afresh in several rounds: then each further answer
    counts as one asked again.
    """
    if again := manifest.results.summary.determinism:
        return Repeats(kept=again.asked - again.verdict_flips, asked=again.asked)
    if manifest.reuses:
        return None
    kept, askings = 0.0, 0
    for strategies in manifest.results.verdict_table.counts.values():
        for row in (row for rows in strategies.values() for row in rows if sum(row) > 1):
            n = sum(row)
            kept += sum(count * (count - 1) for count in row) / n
            askings += n - 1
    return Repeats(kept=round(kept), asked=askings) if askings else None


def unrepeated(run: Path, checkout: Path, tag: str) -> str:
    """Say why a run repeats a snapshot without answers of its own; empty if it has them.

    Raises: MalformedError or WorldError if the store cannot be read.
    """
    if problem := re_executed(calls_of(run), published_calls(checkout, tag)):
        return problem
    published = checkout / layout.FOLDER / tag / MANIFEST
    own, other = (
        Manifest.parse(json.loads(path.read_bytes())) for path in (run / MANIFEST, published)
    )
    repeats, share = repeats_of(own), verdicts(own).agreement(verdicts(other))
    if repeats and share is not None and repeats.is_exceeded_by(share):
        return f"{share:.0%} of its verdicts are the other's, {repeats.judged(share)}"
    return ""
