"""Counting an archive: valid and invalid add up to the evaluation set (Reading R23)."""

from collections import Counter
from dataclasses import dataclass, field

from epc.records.judging.documents import Record, Totals
from epc.spec.judge_v1 import FLAGS, Flag


@dataclass(slots=True)
class Tally:
    """The counts of one method.

    `replies` that do not belong to exactly one sample of the set are `surplus`: they are kept and
    counted, and stand beside the set. So samples = valid + invalid, and
    replies = samples - not_judged + surplus.
    """

    valid: int = 0
    not_judged: int = 0
    replies: int = 0
    flags: Counter[Flag] = field(default_factory=Counter)
    _samples: set[str] = field(default_factory=set)

    def add(self, record: Record) -> None:
        """Count one record."""
        if record.output_sha256 is not None:  # else it is about nothing in the set
            self._samples.add(record.id)
        if record.raw is None:
            self.not_judged += 1
        else:
            self.replies += 1
        self.valid += record.valid
        self.flags.update(record.flags)

    def totals(self) -> Totals:
        """Return the counts as they stand in the run log."""
        samples = len(self._samples)
        return Totals(
            samples=samples,
            valid=self.valid,
            invalid=samples - self.valid,
            not_judged=self.not_judged,
            replies=self.replies,
            surplus=self.replies - (samples - self.not_judged),
            flags={flag: self.flags[flag] for flag in FLAGS if self.flags[flag]},
        )
