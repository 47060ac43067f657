"""An optimiser's log with its checks and its plan: who was tried, scored, chosen and checked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Self

from epc.errors import UsageError
from epc.records.loop import (
    GOLD,
    Check,
    Log,
    LogLine,
    LoopPlan,
    loop_paths,
    read_checks,
    read_log,
    read_plan,
)

VALIDATION: Final = ("val", "valid", "validation", "valset", "dev")
Scores = Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Files:
    """A log with its checks, which the file `place` holds; `plan_sha256` is the plan's digest."""

    log: Log
    checks: Sequence[Check]
    place: str = "checks"
    plan: LoopPlan | None = None
    plan_sha256: str | None = None

    @classmethod
    def read(cls, log: Path, checks: Path | None = None) -> Self:
        """Return a log with its checks, or those beside it, and the plan beside it if there is one.

        Raises: UsageError if there are no checks; MalformedError for a file that cannot be used;
        WorldError if the disk refuses.
        """
        path, usual, _ = loop_paths(log)
        if checks is None and not usual.exists():
            raise UsageError(unchecked(log))
        plan, digest = read_plan(path) if path.exists() else (None, None)
        place = checks or usual
        return cls(
            log=read_log(log),
            checks=read_checks(place),
            place=place.name,
            plan=plan,
            plan_sha256=digest,
        )

    @cached_property
    def judge(self) -> str:
        """The judge that the optimiser saw."""
        logged = next((row.judge for row in self.log.rows if row.judge), "")
        if not logged and self.plan:
            return self.plan.judge.model
        return logged or next((check.judge for check in self.checks if check.judge != GOLD), "")

    @cached_property
    def candidates(self) -> list[str]:
        """The candidates of the log, in their order."""
        return list(dict.fromkeys(str(row.candidate) for row in self.log.rows))

    @property
    def seed(self) -> str:
        """The candidate that the optimiser began with."""
        return self.plan.seed if self.plan else self.candidates[0]

    @cached_property
    def final(self) -> str:
        """The candidate to ship: the plan's, the one that was checked, or the best."""
        if self.plan:
            return self.plan.final
        checked = dict.fromkeys(str(row.candidate) for row in self.checks)
        non_seeds = [name for name in checked if name != self.seed]
        if checked:
            return non_seeds[0] if non_seeds else self.seed
        return best(self.validation)

    @cached_property
    def validation(self) -> dict[str, dict[str, float]]:
        """The mean score of each candidate on each validation item."""
        return validation_scores(self.log.rows)

    @cached_property
    def retest(self) -> frozenset[tuple[str, str]]:
        """Candidates and items whose logged outputs the plan has scored again."""
        outputs = self.plan.repeats if self.plan else ()
        return frozenset((logged.candidate, logged.item) for logged in outputs)

    def rows(self, judge: str) -> Iterator[Check]:
        """Yield the checks by a judge on test items."""
        for check in self.checks:
            if check.judge == judge and not self._is_again(check):
                yield check

    @cached_property
    def tested(self) -> list[Check]:
        """The checks on test items."""
        return [check for check in self.checks if not self._is_again(check)]

    def _is_again(self, check: Check) -> bool:
        return bool(self.retest) and (str(check.candidate), str(check.item)) in self.retest

    @cached_property
    def checked(self) -> dict[str, str | None]:
        """The checked items, each with the digest of its text if that is known."""
        texts = self.plan.texts if self.plan else {}
        return {str(row.item): row.text or texts.get(str(row.item)) for row in self.tested}

    @cached_property
    def judges_b(self) -> list[str]:
        """Other judges of the checks."""
        names = dict.fromkeys(check.judge for check in self.tested)
        return [name for name in names if name not in (GOLD, self.judge)]


def unchecked(log: Path) -> str:
    """Return that a log has no checks, and how it gets them."""
    first = f"epc loop plan {log} --test ITEMS, then epc loop check"
    return f"{loop_paths(log)[1]} is not there\n  fix: {first}"


def is_validation(row: LogLine) -> bool:
    """Return whether a line is of an item that chose the final: all are, without splits."""
    return row.split is None or row.split.lower() in VALIDATION


def validation_scores(rows: Iterable[LogLine]) -> dict[str, dict[str, float]]:
    """Return the mean score of each candidate on each validation item, candidates in order.

    Of a log without splits every item is one.
    """
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if is_validation(row):
            scores[str(row.candidate)][str(row.item)].append(float(row.score))
    return {
        name: {item: sum(item_scores) / len(item_scores) for item, item_scores in items.items()}
        for name, items in scores.items()
    }


def best(validation: Mapping[str, Scores]) -> str:
    """Return the candidate with the best mean over all validation items, the first of equals."""
    item_count = max(map(len, validation.values()))
    complete = {name: items for name, items in validation.items() if len(items) == item_count}
    return max(complete, key=lambda name: sum(complete[name].values()))
