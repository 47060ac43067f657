"""Asking the evaluator of a finished run again: a panel of its own questions, day by day.

The panel are pairs that were answered alike in three askings on the first day (Reading R92). One
recorded answer would be no reference: where it was itself a flip, its pair differs for ever.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path

from msgspec import structs

from epc.analysis.drift_watch import (
    HISTORY,
    Day,
    DriftStatus,
    WatchedAnswer,
    append_day,
    candidates,
    read_history,
    standing,
)
from epc.engine.budget import Limits, most_tokens, price_of
from epc.engine.calls import Caller, Watch
from epc.engine.forecast import Share, of_texts
from epc.engine.model import CallError
from epc.engine.panel import asked_anew
from epc.engine.plan import load
from epc.engine.roles import Question, Role
from epc.errors import EpcError, StoppedError, UsageError, WorldError
from epc.records.calls import AskedPair, PairKey, asked_by_run, call_of, has_raw
from epc.records.layout import PLAN, stamp
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.recompute import load_manifest, manifest_path
from epc.records.rows import Call
from epc.records.usage import RoleUsage
from epc.spec.epc_v1 import WATCH_ASKINGS, WATCH_CANDIDATES, WATCH_PAIRS
from epc.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """A run whose evaluator is watched: its record, its questions, and its history so far.

    `pairs` is how many a panel has.
    """

    manifest: Manifest
    evaluator: str
    pool: Mapping[PairKey, AskedPair]
    pairs: int
    history: Path

    def standing(self) -> DriftStatus:
        """Return where the evaluator stands by the history on disk.

        Raises: MalformedError if the history is damaged; UsageError if it is another run's.
        """
        return standing(self.manifest, self.pool, read_history(self.history))

    @property
    def due(self) -> dict[PairKey, str]:
        """Pairs that a day asks, with the answers to compare: the panel, or all candidates."""
        history = read_history(self.history)
        if history.days:
            return {answer.key: answer.raws[0] for answer in history.panel}
        number = ceil(self.pairs * WATCH_CANDIDATES / WATCH_PAIRS)
        return {key: self.pool[key].raw for key in candidates(self.pool, number)}

    @property
    def askings(self) -> int:
        """How often a day asks each pair: several times on the first, but facts never change."""
        first = not read_history(self.history).days
        evaluator = self.manifest.evaluator
        return WATCH_ASKINGS if first and not evaluator.gives_facts else 1


def begin(run: Path, *, history: Path | None = None, pairs: int | None = None) -> Watching:
    """Choose what a finished run's evaluator is asked; nothing is opened and nothing is sent.

    A history that has begun fixes how many pairs are asked. Recorded verdicts are looked up, not
    asked, so all of them are.

    Raises: UsageError if the run cannot be watched; MalformedError if its record is damaged.
    """
    manifest, folder = load_manifest(run), manifest_path(run).parent
    if not has_raw(manifest, folder):
        raise UsageError(f"{run} holds no raw answers: watch the run folder, not a manifest")
    if not manifest.reuses:
        raise UsageError(
            f"{run} asked every round afresh, so no verdict of it stands for a pair: watch a run "
            "that reused its answers (`--reuse memo` or `--exhaustive`)"
        )
    comparisons = asked_by_run(manifest, folder)
    if not comparisons:
        raise UsageError(f"{run} holds no comparison that could be asked again")
    path = history or folder / HISTORY
    days = read_history(path).days
    default = len(comparisons) if manifest.evaluator.method == "recorded" else WATCH_PAIRS
    begun = days[0].pairs if days else pairs or default
    if pairs not in (None, begun):
        raise UsageError(f"{path} watches {begun} pairs: name another one with --history")
    named = load(folder).evaluator if (folder / PLAN).exists() else manifest.evaluator.model
    return Watching(manifest=manifest, evaluator=named, pool=comparisons, pairs=begun, history=path)


def expect(watching: Watching) -> dict[str, Share]:
    """Return what a day will ask for (`--dry-run`): the first day, or one of the panel."""
    texts = [watching.pool[key].text for key in watching.due] * watching.askings
    evaluator = watching.manifest.evaluator
    lengths, token_bound = [*map(len, texts)], sum(map(most_tokens, texts))
    price = price_of(evaluator.model)
    return {"evaluator": of_texts(lengths, token_bound, decoding=evaluator.decoding, price=price)}


async def ask_today(
    watching: Watching,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits | None = None,
) -> DriftStatus:
    """Ask the panel, unless it was asked today, and return where the evaluator stands.

    A watch without a panel asks the candidates for one. If none of them was unanimous there is
    nothing to ask. Days are UTC days, and each counts once. A day is written when all of it was
    answered; until then its answers are kept beside the history, and the same call goes on from
    there.

    Raises: WorldError if the provider or the disk fails; StoppedError at a limit of the user's;
    UsageError if the history is ahead of the clock, or the evaluator cannot be opened.
    """
    now = clock().astimezone(UTC)
    today = now.date().isoformat()
    if _has(watching, today) or not watching.due:
        return watching.standing()
    folder = watching.history.with_name(f"{watching.history.name}.part")
    async with asked_anew(
        watching.evaluator,
        watching.manifest,
        folder,
        clock=clock,
        watch=watch,
        limits=limits or Limits(),
    ) as (role, caller):
        if not _has(watching, today):  # another process may have asked before this one held it
            append_day(watching.history, await _day(watching, caller, role, now))
        caller.journal.remove()
    return watching.standing()


async def _day(watching: Watching, caller: Caller, role: Role, now: datetime) -> Day:
    """Ask every pair at once; the day and the asking are part of an answer's name."""
    due, askings, today = watching.due, watching.askings, now.date().isoformat()
    items = [watching.pool[key] for key in due]
    wanted = [
        (
            Question(role=role, text=item.text, side="evaluation", pair=item.pair),
            f"watch/{today}/{asking}",
        )
        for item in items
        for asking in range(askings)
    ]
    try:
        calls = [*map(call_of, await caller.ask_all("panel", wanted))]
    except StoppedError as error:
        raise _failure(error) from None
    spent = RoleUsage()
    for call in calls:
        spent.add(call)
    return Day(
        day=today,
        time=stamp(now),
        epc=__version__,
        evaluator=ModelIdentity.parse(structs.asdict(role.model.identity)),
        served_models=tuple(sorted(spent.served_models)),
        system_fingerprints=tuple(sorted(spent.system_fingerprints)),
        pairs=watching.pairs,
        answers=tuple(
            _answered(key, watching.pool[key].text, before, calls[index * askings :][:askings])
            for index, (key, before) in enumerate(due.items())
        ),
    )


def _answered(key: PairKey, prompt: str, before: str, calls: Sequence[Call]) -> WatchedAnswer:
    domain, strategy, task = key
    return WatchedAnswer(
        domain=domain,
        strategy=strategy,
        task=task,
        prompt=prompt,
        before=before,
        raws=tuple(call.answer for call in calls),
        answered_at=tuple(call.answered_at for call in calls),
    )


def _failure(error: StoppedError) -> EpcError:
    """A provider that failed is the world's failure here: the day has not been watched."""
    if isinstance(error, CallError):
        return WorldError(
            f"{error}\n  the history is untouched; the same command asks what is left"
        )
    return StoppedError(f"{error}\n  the same command goes on today, and keeps what it has")


def _has(watching: Watching, today: str) -> bool:
    """Return whether a day is in the history.

    Raises: UsageError if the history goes on after it.
    """
    days = watching.standing().history.days
    if days and days[-1].day > today:
        raise UsageError(f"the history ends on {days[-1].day}, the clock says {today}")
    return bool(days) and days[-1].day == today
