"""What the registry knows of one model, joined into its card; verdict files may be added to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from epc.analysis.headline import is_of
from epc.analysis.judge_card import DAYS_LEFT, SECTIONS, Card, Fault, Known, Rest, Served
from epc.analysis.loops import RunsReport
from epc.analysis.observed_names import FIGURES, family
from epc.analysis.observed_rows import fits
from epc.records.choices import Picked
from epc.records.manifest import Determinism
from epc.records.observed.types import Source
from epc.records.typed import parse
from epc.registry.expiry import Expiry, kept_until
from epc.registry.figures import at, figures_of, misread
from epc.registry.kinds.loop import reports_of
from epc.registry.kinds.table import KINDS
from epc.registry.lifecycles import Life
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import (
    Figures,
    Group,
    Recorded,
    Subject,
    pointing,
    recorded_of,
    target_of,
)
from epc.statistics.intervals import share_interval

_FOREVER: Final = 1_000_000  # days: nobody can retire pinned weights
_NO_EVIDENCE: Final = ("withdrawn", "drifted", "superseded")
_NOT_TODAY: Final = "recorded by others; says nothing of today"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """How many control pairs were asked."""

    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Controls:
    """The number of pairs in the part of an audit that is about them."""

    overall: _Pairs


def card_of(
    registry: Registry,
    who: Subject,
    as_of: date,
    recorded: Sequence[Recorded] = (),
    settings: Sequence[str] = (),
) -> Card:
    """Return all that is known of a model on a day; verdict files may say more.

    Of recorded verdicts those whose setting's name fits a pattern, all if there is none.
    """
    served = [(life, registry.of_life(who.name, life, as_of)) for life in who.lives]
    means, of_target = target_of(registry, who, as_of)
    measured = who.snapshots or of_target
    states = [
        (s, registry.of_tag(str(s.tag), as_of), _why_not(registry, s, as_of)) for s in measured
    ]
    own = [(each, groups) for each in recorded if (groups := recorded_of(each, who))]
    days_left = (_days_left(registry.meant(life, as_of), state, as_of) for life, state in served)
    figures = [
        figure
        for snapshot in states
        if not registry.is_said_anew(snapshot[0], as_of)
        for figure in _of_snapshot(*snapshot, settings)
    ]
    published = {_said(figure) for figure in figures} if own else set()
    observed = (
        figure
        for each, groups in own
        for group in groups
        for figure in _observed(each.of, each.figures.source, group, _NOT_TODAY)
        if _said(figure) not in published
    )
    return Card(
        name=who.name,
        maker=who.maker,
        as_of=as_of.isoformat(),
        aliases=tuple(pointing(registry, who)),
        served=tuple(_served(life, state) for life, state in served),
        figures=(*days_left, *figures, *observed),
        rests_on=(
            *(_rest(*snapshot) for snapshot in states),
            *(_file(each, groups) for each, groups in own),
        ),
        drift=tuple(line for s in measured for line in _drift(registry, str(s.tag), as_of)),
        faults=tuple(
            Fault(of=str(snapshot.tag), id=fault.id, says=fault.says)
            for snapshot in measured
            for fault in snapshot.card.known_faults
        ),
        picked=_picked(registry, states),
        optimised=_optimised(states),
        means=means or None,
    )


def _picked(
    registry: Registry, states: Sequence[tuple[Snapshot, Expiry, str]]
) -> Mapping[str, Picked]:
    """Return what picking by a judge gains, by the newest snapshot that counts."""
    known = registry.choices.picked if registry.choices else {}
    tags = [str(snapshot.tag) for snapshot, _, why in states if not why]
    return next((known[tag] for tag in reversed(tags) if tag in known), {})


def _optimised(states: Sequence[tuple[Snapshot, Expiry, str]]) -> dict[str, RunsReport]:
    """Return what happens to an optimiser under a judge, by the newest runs that count."""
    runs = [snapshot for snapshot, _, why in states if "loop" in snapshot.figures and not why]
    return reports_of(runs[-1]) if runs else {}


def _said(figure: Known) -> Known:
    """Return a figure without where it was read: the same verdicts are no second measurement."""
    return replace(figure, of="", state="")


def _served(life: Life, state: Expiry) -> Served:
    return Served(
        platform=life.platform,
        model=life.model,
        status=state.status,
        reason=state.reason,
        until=state.until.isoformat() if state.until else None,
        pinned=life.pinned,
        words=state.words,
        note=state.note,
        source=state.source,
        not_before=state.not_before.isoformat() if state.not_before else None,
    )


def _days_left(life: Life, state: Expiry, as_of: date) -> Known:
    """Return for how many days a platform still serves a model, as far as it says."""
    low, high = 0, None
    kept = kept_until(life)
    if state.status == "expired":
        high = 0
    elif life.pinned:
        low = _FOREVER
    elif state.until:
        low = high = (state.until - as_of).days
    elif kept:
        low = max(0, (kept - as_of).days)
    return Known(
        name=DAYS_LEFT,
        value=high,
        ci95=(low, high),
        n=1,
        unit="platform",
        items=None,
        of=f"{life.platform}/{life.model}",
        source=state.source or life.source,
        setting=life.platform,
        conditions=life.platform,
        state=state.words,
    )


def _why_not(registry: Registry, snapshot: Snapshot, as_of: date) -> str:
    """Return why a snapshot's figures are no evidence; empty if they are.

    An evaluator that was retired before does not make a figure count that was taken back later.
    """
    if snapshot.failed:
        return snapshot.failure
    event = registry.ended_by(str(snapshot.tag), *_NO_EVIDENCE, as_of=as_of)
    return f"{event.event}: {event.reason}" if event else ""


def _of_snapshot(
    snapshot: Snapshot, state: Expiry, why: str, settings: Sequence[str]
) -> Iterator[Known]:
    if "groups" not in snapshot.figures:
        yield from _figures(snapshot, state, why)
        return
    figures = parse(snapshot.figures, Figures)
    for group in figures.groups:
        if fits(group.settings, settings):
            out = why or misread(snapshot.card.known_faults, group.settings)
            known = _observed(str(snapshot.tag), figures.source, group, state.words, out)
            is_plain = bool(snapshot.compared.intersection(group.settings))
            yield from (replace(figure, plain=is_plain) for figure in known)
            if is_plain and not out:
                yield from _by_kind(str(snapshot.tag), figures.source, group, state.words)


def _by_kind(of: str, source: Source, group: Group, state: str) -> Iterator[Known]:
    """Yield how often a judge is right by kind of task: asked once, and as often as it was."""
    for subset, by_name in sorted(group.by_subset.items()):
        best = sorted(name for name in by_name if is_of(name, "best"))
        names = [*dict.fromkeys((*best[:1], *best[-1:]))] or ["accuracy"]
        chosen = {name: by_name[name] for name in names if name in by_name}
        one = replace(group, figures=chosen, transfer=None)
        for known in _observed(of, source, one, state):
            yield replace(known, subset=subset, plain=True)


def _figures(snapshot: Snapshot, state: Expiry, why: str) -> Iterator[Known]:
    """Yield a snapshot's figures, with those of its audit and its control pairs."""
    card, tag = snapshot.card, str(snapshot.tag)
    executor = f", executor {card.executor.model}" if card.executor else ""

    def known(
        name: str, value: float | None, ci95: tuple[float, float] | None, n: int, unit: str
    ) -> Known:
        return Known(
            name=name,
            value=value,
            ci95=ci95,
            n=n,
            unit=unit,
            items=None,
            of=tag,
            source=tag,
            setting=card.protocol_version,
            conditions=f"{card.protocol_version}, {card.days}{executor}",
            state=state.words,
            left_out=why,
        )

    unit = KINDS[snapshot.kind].unit
    for figure in figures_of(snapshot):
        if any(is_of(figure.name, name) for names in SECTIONS.values() for name in names):
            count = figure.n or snapshot.n
            plain = known(figure.name, figure.mean, figure.interval, count, unit)
            yield replace(plain, epc_5_2=figure.reading)
    audit = snapshot.audit
    if audit and audit.determinism:
        again = parse(audit.determinism, Determinism)
        if again.asked:
            share = share_interval(again.verdict_flips, again.asked)
            flips = again.verdict_flips / again.asked
            yield known("flip_rate", flips, share, again.asked, "askings")
    if audit and audit.competence:
        pairs = parse(audit.competence, _Controls).overall.pairs
        for name in ("accuracy", "order_consistency"):
            if share_right := at(audit.competence, f"overall/{name}"):
                mean, ends = share_right.mean, share_right.interval
                yield known(f"controls/{name}", mean, ends, pairs, "pairs")


def _rest(snapshot: Snapshot, state: Expiry, why: str) -> Rest:
    card, tag = snapshot.card, str(snapshot.tag)
    source = f"by {card.contributor}"
    if citation := card.citation:
        source = f"{citation.work}, {citation.place}, {citation.address}"
    elif origin := card.origin:
        source = f"{origin.repository}, commit {origin.commit}, licence {card.licence}"
    elif card.source:
        source = f"{source}; {card.source}"
    return Rest(
        of=tag,
        kind="calibration" if card.calibration else card.kind,
        trust=snapshot.trust,
        n=snapshot.n,
        unit=KINDS[snapshot.kind].unit,
        word=snapshot.verdict,
        quality=snapshot.quality,
        failed=snapshot.failed,
        state=state.words,
        source=source,
        counts=not why,
    )


def _drift(registry: Registry, tag: str, as_of: date) -> Iterator[str]:
    """Yield what was recorded of changes: events but its publication."""
    for event in registry.by_tag.get(tag, []):
        if event.event != "published" and event.date <= as_of:
            yield f"{event.date}  {tag}  {event.event}: {event.reason}"


def _observed(
    of: str, source: Source, group: Group, state: str, left_out: str = ""
) -> Iterator[Known]:
    """Yield the figures of what one judge was asked in one way."""
    setting, name = group.setting, group.settings[0]
    prompt = setting.prompt.name.removesuffix(".txt").rpartition("/")[2]
    decoding = "decoding unknown" if isinstance(setting.decoding, str) else "decoding stated"
    for figure, estimate in group.every:
        yield Known(
            name=figure,
            value=estimate.value,
            ci95=estimate.ci95,
            n=estimate.n,
            unit=FIGURES[family(figure)].of if family(figure) in FIGURES else "verdicts",
            items=estimate.items,
            of=of,
            source=source.name,
            setting=name,
            prompt=prompt,
            conditions=f"{source.name}, prompt {prompt}, {decoding}, date {setting.date}",
            state=state,
            left_out=left_out or setting.note or "",
        )


def _file(recorded: Recorded, groups: Sequence[Group]) -> Rest:
    source = recorded.figures.source
    return Rest(
        of=recorded.of,
        kind="verdict file",
        trust="recorded by others",
        n=sum(group.verdicts for group in groups),
        unit="verdicts",
        word=None,
        failed=False,
        state=_NOT_TODAY,
        source=f"{source.repository}, commit {source.commit}, licence {source.licence}",
        counts=True,
    )
