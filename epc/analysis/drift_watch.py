"""The history of an evaluator that is asked again every day, and where it stands (Reading R92).

Over 400 lines: a history and every rule of where it stands are read as one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from epc.analysis.comparability import are_facts
from epc.arrays import np
from epc.audit import drift
from epc.audit.drift import compare_mixed
from epc.digests import sha256
from epc.errors import Finding, UsageError, able_to, refuse
from epc.protocol.results import Json
from epc.protocol.table import VERDICTS
from epc.protocol.verdict import Verdict, parse_verdict
from epc.records.calls import AskedPair, PairKey
from epc.records.layout import IDENTITY
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps_line, read_lines, write_text
from epc.records.typed import as_json, parse
from epc.spec.epc_v1 import WATCH_CHANGES, WATCH_TOLERATED
from epc.statistics.e_process import WATCH_ERROR, WINDOW, Bets, State, watch
from epc.statistics.inference import binomial_tail

HISTORY: Final = "watch.jsonl"
_SCHEMA: Final = "watch_day"
_OLD: Final = "changed"  # a key of the days that were compared with single recorded answers
_SHUFFLING: Final = 20261125
_MOST_TOLERATED: Final = 0.45  # at a half a panel tells nothing, and quiet could not be bet on
_ROUNDING: Final = 1e-9


class WatchedAnswer(Struct, frozen=True, kw_only=True):
    """A question of a day and its answers: three on the first day, one on each later day.

    `before` is what they are compared with: the run's answer, or the first of the first day.
    """

    domain: str
    strategy: str
    task: str
    prompt: str
    before: str
    raws: tuple[str, ...]
    answered_at: tuple[str | None, ...]

    @property
    def key(self) -> PairKey:
        """The pair that was asked."""
        return self.domain, self.strategy, self.task

    @property
    def question(self) -> tuple[PairKey, str, str]:
        """Return the pair, prompt and earlier reply that the answers must belong to."""
        return self.key, self.prompt, self.before

    @property
    def verdicts(self) -> list[Verdict]:
        """The answers as verdicts."""
        return [parse_verdict(raw) for raw in self.raws]

    @property
    def unanimous(self) -> bool:
        """Return whether all askings gave one verdict."""
        return len(set(self.verdicts)) == 1

    @property
    def changed(self) -> bool:
        """Return whether the first answer gives another verdict than the one before."""
        return self.verdicts[0] is not parse_verdict(self.before)


class Day(Struct, frozen=True, kw_only=True):
    """A line of the history. The first is the day of the panel: all candidates' answers."""

    day: str
    time: str = msgspec.field(name="at")
    epc: str
    evaluator: ModelIdentity
    served_models: tuple[str, ...]
    system_fingerprints: tuple[str, ...]
    pairs: int
    answers: tuple[WatchedAnswer, ...]

    @property
    def changed(self) -> int:
        """How many answers give another verdict than before."""
        return sum(answer.changed for answer in self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The days of a watch; `superseded` are those of before November 2026, which had no panel."""

    days: tuple[Day, ...] = ()
    superseded: tuple[str, ...] = ()

    @property
    def panel(self) -> tuple[WatchedAnswer, ...]:
        """The pairs that are asked every day: the first ones that were answered unanimously."""
        if not self.days:
            return ()
        first = self.days[0]
        return tuple(answer for answer in first.answers if answer.unanimous)[: first.pairs]

    @property
    def flips(self) -> float:
        """How often two askings of one pair differed on the first day."""
        repeats = [answer.verdicts for day in self.days[:1] for answer in day.answers]
        twice = [a is not b for verdicts in repeats for a, b in combinations(verdicts, 2)]
        return sum(twice) / len(twice) if twice else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SinceRun:
    """The run against the first day of its watch.

    `turned` of `pairs` got one verdict in every asking, and it was not the run's. `p_value` is
    None where answers are facts: one such pair is drift.
    """

    verdict: drift.State
    pairs: int
    turned: int
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftStatus:
    """Status of a watched evaluator: since the run, and by `verdict` since the first day.

    `facts`: its answers cannot come out otherwise unless it was changed, so nothing is bet and a
    single changed verdict is drift.
    """

    verdict: State
    history: History
    since_run: SinceRun | None
    facts: bool
    tolerated: float
    bets: Bets
    findings: list[Finding]

    @property
    def drifted(self) -> bool:
        """Return whether either answer is that the evaluator drifted."""
        since = self.since_run
        return self.verdict == "drifted" or (since is not None and since.verdict == "drifted")

    @property
    def days(self) -> tuple[Day, ...]:
        """The days that are compared with the panel."""
        return self.history.days[1:]

    @property
    def power(self) -> dict[float, float]:
        """The chance that the panel shows more than is tolerated, by the share that changed."""
        pairs = len(self.history.panel)
        enough = 1 if self.facts else int(self.tolerated * pairs + _ROUNDING) + 1
        return {share: binomial_tail(enough, pairs, share) for share in WATCH_CHANGES}

    def day_of(self, index: int | None) -> str | None:
        """Return the date of a day that is compared with the panel."""
        return None if index is None else self.days[index].day

    @property
    def alarm(self) -> str | None:
        """The day on which it was drift."""
        if self.facts:
            return next((day.day for day in self.days if day.changed), None)
        return self.day_of(self.bets.alarm)

    def as_json(self) -> Json:
        """Return the standing as `epc watch --format json` prints it."""
        bets = None if self.facts else self.bets
        panel = self.history.panel
        return {
            "verdict": self.verdict,
            "since_run": self.since_run and as_json(self.since_run),
            "days": [{"day": day.day, "changed": day.changed} for day in self.days],
            "first_day": self.history.days[0].day if self.history.days else None,
            "candidates": len(self.history.days[0].answers) if self.history.days else 0,
            "flips": self.history.flips,
            "power": {f"{share:g}": chance for share, chance in self.power.items()},
            "superseded": len(self.history.superseded),
            "pairs": len(panel),
            "panel": sha256(
                dumps_line([[*answer.question[0], *answer.question[1:]] for answer in panel])
            ),
            "facts": self.facts,
            "tolerated": 0.0 if self.facts else self.tolerated,
            "capital": bets and bets.capital,
            "peak": bets and bets.peak,
            "quiet": bets and bets.quiet,
            "needed": 1 / WATCH_ERROR,
            "ceiling": bets and bets.ceiling,
            "window": WINDOW,
            "recent": bets and bets.recent,
            "held": bets and self.day_of(bets.last_held_day),
            "alarm": self.alarm,
            "changed": changed_pairs(self.days),
            "findings": [finding.as_json() for finding in self.findings],
        }


def candidates(pool: Mapping[PairKey, AskedPair], number: int) -> list[PairKey]:
    """Return the pairs to be asked on the first day: balanced, the same whenever they are chosen.

    The domains take turns, and within a domain its strategies do; which strategy is first, and
    which of its tasks, the digest of the question decides. Equal questions are asked once.
    """
    distinct = {item.text: key for key, item in reversed(list(pool.items()))}
    digests = {key: sha256(text) for text, key in distinct.items()}
    turns: dict[str, list[tuple[int, str, PairKey]]] = {key[0]: [] for key in sorted(pool)}
    counts: Counter[tuple[str, str]] = Counter()
    for key in sorted(digests, key=lambda key: digests[key]):
        domain, strategy, _ = key
        turns[domain].append((counts[domain, strategy], digests[key], key))
        counts[domain, strategy] += 1
    order = zip_longest(*map(sorted, turns.values()))
    return [turn[2] for round_turns in order for turn in round_turns if turn is not None][:number]


def read_history(path: Path) -> History:
    """Return the days of a history, in order. Days of an older rule are counted, not read.

    Raises: MalformedError at the first line that cannot be used; WorldError if it cannot be read.
    """
    days: list[Day] = []
    superseded: list[str] = []
    if not path.exists():
        return History()
    for index, row, problems in read_lines(path, "watch"):
        if not problems and isinstance(row, dict) and _OLD in row:
            superseded.append(str(row.get("day")))
            continue
        where = f"/watch/{index}"
        row_problems = problems or schema_findings(_SCHEMA, row, where=where, clause="Reading R92")
        refuse(row_problems)
        day = parse(row, Day)
        refuse(_misplaced(day, where, days))
        days.append(day)
    return History(days=tuple(days), superseded=tuple(superseded))


def append_day(path: Path, day: Day) -> None:
    """Write the history with one day more, whole or not at all."""
    with able_to("read", path):
        before = path.read_text("utf-8") if path.exists() else ""
    write_text(path, (before, dumps_line(as_json(day))))


def standing(
    manifest: Manifest, pool: Mapping[PairKey, AskedPair], history: History
) -> DriftStatus:
    """Return where an evaluator stands after the days of its history.

    Raises: UsageError if the history is that of another run, or was changed.
    """
    _require_same_questions(pool, history)
    panel, days = history.panel, history.days[1:]
    answered = [day.evaluator for day in history.days]
    facts = bool(answered) and all(are_facts(manifest.evaluator, answer) for answer in answered)
    allowed = tolerated(history.flips, len(panel))
    bets = watch([day.changed / len(day.answers) for day in days], tolerated=allowed)
    verdict = bets.state
    if facts and days:
        verdict = "drifted" if any(day.changed for day in days) else "holds"
    return DriftStatus(
        verdict=verdict,
        history=history,
        since_run=_since_run(history.days[0], facts=facts) if history.days else None,
        facts=facts,
        tolerated=allowed,
        bets=bets,
        findings=[*_superseded(history), *_identity_changes(manifest, history.days)],
    )


def tolerated(flips: float, pairs: int) -> float:
    """Return the share of the panel that may answer otherwise on an average day.

    That of the spec; the share of the first day's askings that differed, if that is more; or one
    pair of a panel so small that this is more (Reading R92).
    """
    return min(_MOST_TOLERATED, max(WATCH_TOLERATED, flips, 1 / max(1, pairs)))


def changed_pairs(days: Sequence[Day]) -> list[Json]:
    """Return the pairs whose verdict changed on some day, and on how many; the last answer too."""
    if not days:
        return []
    counts = Counter(
        index for day in days for index, answer in enumerate(day.answers) if answer.changed
    )
    last = days[-1].answers
    return [
        {
            "domain": last[index].domain,
            "strategy": last[index].strategy,
            "task": last[index].task,
            "before": last[index].before,
            "raw": last[index].raws[0],
            "days": counts[index],
        }
        for index in sorted(counts)
    ]


def _require_same_questions(pool: Mapping[PairKey, AskedPair], history: History) -> None:
    pool_questions = {(key, item.text, item.raw) for key, item in pool.items()}
    panel = [(answer.key, answer.prompt, answer.raws[0]) for answer in history.panel]
    for index, day in enumerate(history.days):
        questions = [answer.question for answer in day.answers]
        if questions != panel if index else not pool_questions.issuperset(questions):
            raise UsageError(
                f"the history of {day.day} has other questions or earlier answers than the run "
                "and its first day: restore it as it was written, or name another one with "
                "--history"
            )


def _since_run(first: Day, *, facts: bool) -> SinceRun:
    """Compare the run's one answer to a pair with three of the first day, as in `epc compare`."""
    turned = sum(answer.unanimous and answer.changed for answer in first.answers)
    if facts:
        verdict: drift.State = "drifted" if turned else "same"
        return SinceRun(verdict=verdict, pairs=len(first.answers), turned=turned, p_value=None)
    comparison = compare_mixed(
        [parse_verdict(answer.before) for answer in first.answers],
        np.array([[a.verdicts.count(v) for v in VERDICTS] for a in first.answers]),
        rng=np.random.default_rng(_SHUFFLING),
    )
    return SinceRun(
        verdict=comparison.verdict,
        pairs=comparison.pairs,
        turned=turned,
        p_value=comparison.p_value,
    )


def _misplaced(day: Day, where: str, days: Sequence[Day]) -> list[Finding]:
    """Return what of a day does not fit its place in the history, or its date."""
    problems = []
    if days and day.day <= days[-1].day:
        problems.append(("/day", f"{day.day} does not come after {days[-1].day}"))
    for index, answer in enumerate(day.answers):
        # Reading R76: an answer of an earlier day is no answer of this one.
        early = [time for time in answer.answered_at if time is not None and time[:10] < day.day]
        if early:
            problems.append((f"/answers/{index}/answered_at", f"{early[0]} is before {day.day}"))
    remedy = "restore the history as it was written"
    return [
        Finding("Reading R92", where + pointer, problem, remedy) for pointer, problem in problems
    ]


def _superseded(history: History) -> list[Finding]:
    days = history.superseded
    if not days:
        return []
    problem = (
        f"the days until {days[-1]} ({len(days)}) were compared with one recorded answer a pair, "
        "which gives false alarms; they no longer count"
    )
    remedy = (
        "nothing to do: the panel is asked anew"
        if history.days
        else ("`epc watch` asks a new panel on its next day")
    )
    return [Finding("Reading R92", "/watch", problem, remedy, "warning")]


def _identity_changes(manifest: Manifest, days: Sequence[Day]) -> list[Finding]:
    """Return how the evaluator that answered last describes itself otherwise than the run's."""
    if not days:
        return []
    day = days[-1]
    pairs = [
        (f"/evaluator/{key}", getattr(manifest.evaluator, key), getattr(day.evaluator, key))
        for key in IDENTITY
    ]
    for key in ("served_models", "system_fingerprints"):
        measured = sorted(getattr(manifest.provenance, key)["evaluator"])
        current = list(getattr(day, key))
        if set(current) - set(measured):
            pairs.append((f"/provenance/{key}/evaluator", measured, current))
    return [
        Finding(
            clause="EPC-2.2",
            where=where,
            problem=f"was {before}, is {current} on {day.day}",
            remedy="if the evaluator was replaced, measure it anew",
            severity="warning",
        )
        for where, before, current in pairs
        if before != current
    ]
