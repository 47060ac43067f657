"""The scenarios of the campaign: each one follows from its seed."""

import random
from dataclasses import dataclass

from campaign.endpoint import PERMANENT, REPORTED, TRANSIENT

SCENARIOS = 380
BY_DAY = SCENARIOS // 4
FAULTS = (*TRANSIENT, *REPORTED)
DAMAGE = ("torn", "half_line", "power_cut")
PROCESS = ("cancel", *DAMAGE, "disk", "fsync", "second", "max_calls")
KILLED = ("kill", "kill", "kill", "small_files", "rivals")
_HANGS = ("slow", "drip", "refused")  # each costs a deadline, or everybody's connection


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What goes wrong in one run, and how often. Everything else follows from the seed."""

    seed: int
    seeds: tuple[int, ...]
    rounds: int
    reuse: str
    exhaustive: bool
    concurrency: int
    transient: tuple[str, ...]
    share: float
    permanent: str | None
    process: str | None
    filtered: int
    cached: bool

    @property
    def killed(self) -> bool:
        """Return whether its sittings are processes of their own."""
        return self.process in KILLED


def scenario(seed: int) -> Scenario:
    """Return the scenario of a seed: single faults, combined ones, and what befalls a process."""
    rng = random.Random(seed)
    kind, turn = seed % 10, seed // 10
    transient: tuple[str, ...] = ()
    if kind in (0, 1, 2):
        transient = (FAULTS[(3 * turn + kind) % len(FAULTS)],)
    elif kind in (3, 4) or rng.random() < 0.5:
        transient = tuple(rng.sample(FAULTS, rng.randint(2, 5)))
    permanent = PERMANENT[turn % len(PERMANENT)] if kind == 5 or rng.random() < 0.1 else None
    process = None
    if kind in (6, 7):
        process = PROCESS[(2 * turn + kind - 6) % len(PROCESS)]
    elif kind in (8, 9):
        process = KILLED[(2 * turn + kind - 8) % len(KILLED)]
    exhaustive = seed % 29 == 3
    first = rng.randrange(1000) % 2  # few, so that scenarios have their undisturbed run in common
    return Scenario(
        seed=seed,
        seeds=(first, first + 1),
        rounds=2,
        reuse="memo" if exhaustive else rng.choice(("memo", "none")),
        exhaustive=exhaustive,
        concurrency=rng.choice((1, 3, 8, 32)),
        transient=transient,
        share=rng.uniform(0.05, 0.4) if len(transient) == 1 else rng.uniform(0.05, 0.25),
        permanent=permanent,
        process=process,
        filtered=rng.choice((0, 0, 3, 7)),
        cached=rng.random() < 0.2,
    )


def faults_of(case: Scenario, rng: random.Random) -> "Faults":
    """Return what becomes of each request of one sitting."""
    return Faults(case, rng)


class Faults:
    """Says of each request whether it fails and how."""

    def __init__(self, case: Scenario, rng: random.Random) -> None:
        self._case, self._rng = case, rng
        self._hangs = 2
        self._stop_at = rng.randrange(40) if case.permanent else None
        self._asked = 0

    def __call__(self, prompt: str) -> str | None:
        self._asked += 1
        if self._stop_at is not None and self._asked > self._stop_at:
            return self._case.permanent
        if not self._case.transient or self._rng.random() > self._case.share:
            return None
        fault = self._rng.choice(self._case.transient)
        if fault in _HANGS:
            self._hangs -= 1
            return fault if self._hangs >= 0 else None
        return fault
