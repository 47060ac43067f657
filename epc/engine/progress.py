"""Progress of a run: the engine counts, whoever shows it only reads."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from epc.engine.budget import Budget


class Stage(Struct, kw_only=True):
    """Stage of a run: what is done of how much, and of each part (a phase, a domain)."""

    name: str
    total: int
    parts: Mapping[str, int] = field(default_factory=dict)
    done: int = 0
    done_of: Counter[str] = field(default_factory=Counter)


class Progress(Struct, kw_only=True):
    """Progress of a run. The engine counts, whoever shows it only reads.

    The last of `stages` is under way. `verdicts` counts the evaluator's, a comparison once.
    `failures` are attempts that got no answer and are tried again; `last_failure` says why the last
    of them got none.
    """

    budget: Budget = field(default_factory=Budget)
    stages: list[Stage] = field(default_factory=list)
    calls: int = 0
    reused: int = 0
    from_cache: int = 0
    from_runs: int = 0
    from_journal: int = 0
    retries: int = 0
    failures: int = 0
    last_failure: str = ""
    tokens: int = 0
    cost: float | None = None
    torn: int = 0
    damaged: int = 0
    too_large: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    @property
    def lost(self) -> int:
        """Answers that may be billed and did not reach us."""
        return self.budget.lost

    def begin(self, stage: str, total: int, parts: Mapping[str, int] | None = None) -> None:
        """Enter the next stage of the run."""
        self.stages.append(Stage(name=stage, total=total, parts=parts or {}))

    def advance(self, part: str | None = None) -> None:
        """Count one more of the stage as done, and of the part that it belongs to."""
        self.stages[-1].done += 1
        if part is not None:
            self.stages[-1].done_of[part] += 1

    def failed(self, why: str) -> None:
        """Note an attempt that got no answer and is tried again."""
        self.failures += 1
        self.last_failure = why

    @classmethod
    def total(cls, parts: "Sequence[Progress]") -> "Progress":
        """Return the sum of several runs that share a budget; the stages stay their own."""
        combined = cls(budget=parts[0].budget if parts else Budget())
        for part in parts:
            for name in _COUNTS:
                setattr(combined, name, getattr(combined, name) + getattr(part, name))
            combined.verdicts.update(part.verdicts)
            combined.last_failure = part.last_failure or combined.last_failure
            combined.cost = (
                part.cost if combined.cost is None else max(combined.cost, part.cost or 0.0)
            )
        return combined


_COUNTS: Final = (
    *("calls", "reused", "from_cache", "from_runs", "from_journal", "retries", "failures"),
    *("tokens", "torn", "damaged", "too_large"),
)
