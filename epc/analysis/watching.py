"""The history of an evaluator that is asked again every day, and where it stands (Reading R46)."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

from epc.analysis.comparability import are_facts
from epc.errors import Finding, UsageError, refuse
from epc.protocol.results import Json
from epc.protocol.verdict import parse_verdict
from epc.records.asked import AskedPair, PairKey
from epc.records.layout import IDENTITY
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps_line, read_lines, write_text
from epc.statistics.e_process import TOLERATED, WATCH_ERROR, WINDOW, State, Watched, watch
from epc.statistics.intervals import share_interval

HISTORY: Final = "watch.jsonl"
PAIRS: Final = 24
_SCHEMA: Final = "watch_day"
_QUESTION: Final = ("domain", "strategy", "task", "prompt", "before")


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The pairs that are asked every day, and the SHA-256 of what was asked and answered."""

    items: dict[PairKey, AskedPair]
    sha256: str

    @property
    def asked(self) -> list[tuple[str, ...]]:
        """What every day's answers must say that they answer, in this order."""
        return [(*key, item.text, item.raw) for key, item in self.items.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a watched evaluator stands.

    `facts`: its answers cannot come out otherwise unless it was changed, so nothing is bet and a
    single changed verdict is drift.
    """

    verdict: State
    days: list[Json]
    panel: Panel
    facts: bool
    tolerated: float
    bets: Watched
    findings: list[Finding]

    def day_of(self, index: int | None) -> str | None:
        """Return the date of a day of the history."""
        return None if index is None else str(self.days[index]["day"])

    def as_json(self) -> Json:
        """Return the standing as `epc watch --format json` prints it."""
        bets = None if self.facts else self.bets
        alarm = self.bets.alarm
        if self.facts:
            alarm = next((i for i, day in enumerate(self.days) if day["changed"]), None)
        return {
            "verdict": self.verdict,
            "days": [{"day": day["day"], "changed": day["changed"]} for day in self.days],
            "pairs": len(self.panel.items),
            "panel": self.panel.sha256,
            "facts": self.facts,
            "tolerated": 0.0 if self.facts else self.tolerated,
            "capital": bets and bets.capital,
            "peak": bets and bets.peak,
            "quiet": bets and bets.quiet,
            "needed": 1 / WATCH_ERROR,
            "ceiling": bets and bets.ceiling,
            "window": WINDOW,
            "recent": bets and bets.recent,
            "held": bets and self.day_of(bets.held),
            "alarm": self.day_of(alarm),
            "changed": changed_pairs(self.days),
            "findings": [finding.as_json() for finding in self.findings],
        }


def choose_panel(pool: Mapping[PairKey, AskedPair], pairs: int) -> Panel:
    """Return the pairs to be asked every day: balanced, and the same whenever they are chosen.

    The domains take turns, and within a domain its strategies do; which strategy is first, and
    which of its tasks, the digest of the question decides. Equal questions are asked once.
    """
    distinct = {item.text: key for key, item in reversed(list(pool.items()))}
    digests = {key: _sha256(text) for text, key in distinct.items()}
    turns: dict[str, list[tuple[int, str, PairKey]]] = {key[0]: [] for key in sorted(pool)}
    taken: Counter[tuple[str, str]] = Counter()
    for key in sorted(digests, key=lambda key: digests[key]):
        domain, strategy, _ = key
        turns[domain].append((taken[domain, strategy], digests[key], key))
        taken[domain, strategy] += 1
    order = zip_longest(*map(sorted, turns.values()))
    chosen = [turn[2] for both in order for turn in both if turn is not None][:pairs]
    items = {key: pool[key] for key in chosen}
    described = [[*key, item.text, item.raw] for key, item in items.items()]
    return Panel(items=items, sha256=_sha256(dumps_line(described)))


def day_row(panel: Panel, answers: Sequence[Json], head: Json) -> Json:
    """Return a day's line of the history; `answers` are the calls, in the panel's order."""
    rows = []
    for (key, item), call in zip(panel.items.items(), answers, strict=True):
        verdict = parse_verdict(call["answer"])
        rows.append(
            {
                "domain": key[0],
                "strategy": key[1],
                "task": key[2],
                "prompt": item.text,
                "before": item.raw,
                "raw": call["answer"],
                "verdict": verdict.value,
                "changed": verdict is not item.verdict,
                "answered_at": call.get("answered_at"),
            }
        )
    return {
        **head,
        "panel": panel.sha256,
        "served_models": sorted({c["served_model"] for c in answers} - {None}),
        "system_fingerprints": sorted({c["system_fingerprint"] for c in answers} - {None}),
        "changed": sum(row["changed"] for row in rows),
        "answers": rows,
    }


def read_history(path: Path) -> list[Json]:
    """Return the days of a history, each one of them what it says it is.

    Raises: MalformedError at the first line that is not; WorldError if it cannot be read.
    """
    days: list[Json] = []
    if not path.exists():
        return days
    for index, row, problems in read_lines(path, "watch"):
        where = f"/watch/{index}"
        row_problems = problems or schema_findings(_SCHEMA, row, where=where, clause="Reading R46")
        if not row_problems:
            row_problems = _misstated(row, where, days)
        refuse(row_problems)
        days.append(row)
    return days


def append_day(path: Path, days: Sequence[Json], row: Json) -> None:
    """Write the history with one day more, whole or not at all."""
    write_text(path, (dumps_line(day) for day in (*days, row)))


def standing(manifest: Manifest, panel: Panel, days: list[Json]) -> Standing:
    """Return where an evaluator stands after the days of its history.

    Raises: UsageError if the history is that of another panel.
    """
    for day in days:
        if day["panel"] != panel.sha256:
            raise UsageError(
                f"the history of {day['day']} is that of another run or panel: "
                "name another one with --history"
            )
        if [tuple(answer[key] for key in _QUESTION) for answer in day["answers"]] != panel.asked:
            raise UsageError(
                f"the history of {day['day']} has other questions or first answers than the "
                "panel: restore it as it was written"
            )
    answered = [ModelIdentity.parse(day["evaluator"]) for day in days]
    facts = bool(days) and all(are_facts(manifest.evaluator, each) for each in answered)
    allowed = tolerated(manifest)
    bets = watch([day["changed"] / len(day["answers"]) for day in days], tolerated=allowed)
    verdict = bets.state
    if facts:
        verdict = "drifted" if any(day["changed"] for day in days) else "holds"
    return Standing(
        verdict=verdict,
        days=days,
        panel=panel,
        facts=facts,
        tolerated=allowed,
        bets=bets,
        findings=_unlike(manifest, days[-1]) if days else [],
    )


def tolerated(manifest: Manifest) -> float:
    """Return the share of the panel that may answer otherwise on an average day.

    A tenth; or, if the run was rechecked and its evaluator did flip, as many as that leaves
    possible, should that be more (Reading R46).
    """
    recheck = manifest.results.summary.determinism
    if recheck is None or not recheck.verdict_flips:
        return TOLERATED
    interval = share_interval(recheck.verdict_flips, recheck.asked)
    # At a half a panel tells nothing any more, and quiet could not be bet on.
    return min(0.45, max(TOLERATED, interval[1] if interval else TOLERATED))


def changed_pairs(days: Sequence[Json]) -> list[Json]:
    """Return the pairs whose verdict changed on some day, and on how many; the last answer too."""
    if not days:
        return []
    counts = Counter(
        index for day in days for index, row in enumerate(day["answers"]) if row["changed"]
    )
    last = days[-1]["answers"]
    kept = ("domain", "strategy", "task", "before", "raw")
    return [
        {**{key: last[index][key] for key in kept}, "days": counts[index]}
        for index in sorted(counts)
    ]


def _misstated(row: Json, where: str, days: Sequence[Json]) -> list[Finding]:
    """Return what a row says that does not follow from its own raw answers, or its place."""
    problems = []
    if days and row["day"] <= days[-1]["day"]:
        problems.append(("/day", f"{row['day']} does not come after {days[-1]['day']}"))
    for index, answer in enumerate(row["answers"]):
        now, before = parse_verdict(answer["raw"]), parse_verdict(answer["before"])
        if (answer["verdict"], answer["changed"]) != (now.value, now is not before):
            problems.append((f"/answers/{index}", "is not what its raw text gives"))
        # Reading R76: an answer of an earlier day is no answer of this one.
        if (answer.get("answered_at") or row["day"])[:10] < row["day"]:
            json_pointer = f"/answers/{index}/answered_at"
            problems.append((json_pointer, f"{answer['answered_at']} is before {row['day']}"))
    if row["changed"] != sum(answer["changed"] for answer in row["answers"]):
        problems.append(("/changed", "is not the number of answers that changed"))
    return [
        Finding(
            "Reading R46", where + json_pointer, problem, "restore the history as it was written"
        )
        for json_pointer, problem in problems
    ]


def _unlike(manifest: Manifest, day: Json) -> list[Finding]:
    """Return how the evaluator that answered last describes itself otherwise than the run's."""
    pairs = [
        (f"/evaluator/{key}", getattr(manifest.evaluator, key), day["evaluator"][key])
        for key in IDENTITY
    ]
    for key in ("served_models", "system_fingerprints"):
        measured = sorted(getattr(manifest.provenance, key)["evaluator"])
        if set(day[key]) - set(measured):
            pairs.append((f"/provenance/{key}/evaluator", measured, day[key]))
    return [
        Finding(
            clause="EPC-2.2",
            where=where,
            problem=f"was {before}, is {now} on {day['day']}",
            remedy="if the evaluator was replaced, measure it anew",
            severity="warning",
        )
        for where, before, now in pairs
        if before != now
    ]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
