"""Card of one model: all that the registry knows of it; verdict files may be added to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from epc.analysis.headline import headline, is_of
from epc.analysis.judge_card import (
    DAYS_LEFT,
    SECTIONS,
    Card,
    CardFigure,
    CardSource,
    Fault,
    PlatformService,
)
from epc.analysis.loop import RunsReport
from epc.analysis.verdicts_names import FIGURES, alone_in_words, family
from epc.analysis.verdicts_rows import fits
from epc.answers.coupling import coupling_of
from epc.answers.limits import limits_of
from epc.answers.quotable import figures_on, measured_of
from epc.answers.replacement import agreeing_of, replacement_on
from epc.answers.snapshot_status import status_on
from epc.answers.words import month, verdict_clause
from epc.records.choices import Picked
from epc.records.manifest import Determinism
from epc.records.typed import parse
from epc.records.verdicts.types import UNKNOWN, Source
from epc.registry.expiry import Expiry, kept_until
from epc.registry.figures import figure_at, figures_of, misread
from epc.registry.kinds.loop import reports_of
from epc.registry.kinds.table import KINDS
from epc.registry.lifecycles import ServiceTerm
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import (
    Figures,
    Group,
    Subject,
    VerdictFile,
    pointing,
    recorded_of,
    target_of,
)
from epc.statistics.figures import ClusteredFigure
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
    subject: Subject,
    as_of: date,
    recorded: Sequence[VerdictFile] = (),
    settings: Sequence[str] = (),
) -> Card:
    """Return all that is known of a model on a day; verdict files may say more.

    Of recorded verdicts those whose setting's name fits a pattern, all if there is none.
    """
    served = [(life, registry.of_life(subject.name, life, as_of)) for life in subject.lives]
    means, _ = target_of(registry, subject, as_of)
    target, measured = measured_of(registry, subject, as_of)
    states = [
        (s, status_on(registry, str(s.tag), as_of).state, _why_not(registry, s, as_of))
        for s in measured
    ]
    verdict_files = [
        (verdict_file, groups)
        for verdict_file in recorded
        if (groups := recorded_of(verdict_file, subject))
    ]
    days_left = (_days_left(registry.meant(life, as_of), state, as_of) for life, state in served)
    figures = [
        figure
        for snapshot in states
        if not registry.is_said_anew(snapshot[0], as_of)
        for figure in _dated(registry, snapshot[0], as_of, _of_snapshot(*snapshot, settings))
    ]
    published = {_without_origin(figure) for figure in figures} if verdict_files else set()
    observed = [
        figure
        for verdict_file, groups in verdict_files
        for group in groups
        for figure in _observed(verdict_file.origin, verdict_file.figures.source, group, _NOT_TODAY)
        if _without_origin(figure) not in published
    ]
    picked, picked_month = _picked(registry, states, as_of)
    quotable = figures_on(registry, target, measured, as_of, settings)
    counted = [snapshot for snapshot, _, why in states if not why]
    today = replacement_on(registry, None, subject.text, as_of)
    return Card(
        name=registry.plain_name(subject.name),
        maker=subject.maker,
        as_of=as_of.isoformat(),
        aliases=tuple(pointing(registry, subject)),
        served=tuple(served_by(life, state) for life, state in served),
        figures=(*days_left, *figures, *observed),
        rests_on=(
            *(_basis(*snapshot) for snapshot in states),
            *(_file(verdict_file, groups) for verdict_file, groups in verdict_files),
        ),
        drift=tuple(line for s in measured for line in _drift(registry, str(s.tag), as_of)),
        faults=tuple(
            Fault(of=str(snapshot.tag), id=fault.id, says=fault.says)
            for snapshot in measured
            for fault in snapshot.card.known_faults
        ),
        picked=picked,
        picked_month=picked_month,
        optimised=_optimised(states),
        means=means or None,
        limits=limits_of(registry, measured, as_of),
        quotable=quotable,
        coupling=coupling_of(registry, quotable, counted, as_of),
        instead=today.first,
        agreeing=agreeing_of(registry, today),
        of_files=tuple(_of_files(observed)),
    )


def _of_files(figures: Iterable[CardFigure]) -> Iterator[str]:
    """Yield what a user's verdict files say first, and where it is from."""
    best = headline(figure for figure in figures if not figure.subset)
    if best and best.value is not None:
        prompt = "prompt not stated" if best.prompt == UNKNOWN else f"prompt {best.prompt}"
        low, high = best.ci95 or (None, None)
        ends = None if low is None or high is None else (low, high)
        observed = ClusteredFigure(value=best.value, ci95=ends, n=best.n, items=best.items or 0)
        yield f"it {verdict_clause(best.name, observed)}"
        yield f"source: {best.source}, {prompt}"


def _dated(
    registry: Registry, snapshot: Snapshot, as_of: date, figures: Iterable[CardFigure]
) -> Iterator[CardFigure]:
    """Yield a snapshot's figures with their month, and the known faults that mark them."""
    text = month(status_on(registry, str(snapshot.tag), as_of))
    faults = [fault for fault in registry.faults_of(snapshot) if fault.effect == "mark"]
    for figure in figures:
        marks = tuple(fault.id for fault in faults if fault.is_in([figure.setting]))
        yield replace(figure, month=text, marks=marks)


def _picked(
    registry: Registry, states: Sequence[tuple[Snapshot, Expiry, str]], as_of: date
) -> tuple[Mapping[str, Picked], str]:
    """Return what picking by a judge gains, by the newest snapshot that counts, and its month."""
    gains = registry.choices.picked if registry.choices else {}
    tags = [str(snapshot.tag) for snapshot, _, why in states if not why]
    tag = next((tag for tag in reversed(tags) if tag in gains), None)
    return (gains[tag], month(status_on(registry, tag, as_of))) if tag else ({}, "")


def _optimised(states: Sequence[tuple[Snapshot, Expiry, str]]) -> dict[str, RunsReport]:
    """Return what happens to an optimiser under a judge, by the newest runs that count."""
    runs = [snapshot for snapshot, _, why in states if "loop" in snapshot.figures and not why]
    return reports_of(runs[-1]) if runs else {}


def _without_origin(figure: CardFigure) -> CardFigure:
    """Return a figure without where it was read: the same verdicts are no second measurement."""
    return replace(figure, of="", state="", month="", marks=())


def served_by(life: ServiceTerm, state: Expiry) -> PlatformService:
    """Return a life with its state on a day, as a card has it."""
    return PlatformService(
        platform=life.platform,
        model=life.model,
        status=state.status,
        reason=state.reason,
        until=state.until.isoformat() if state.until else None,
        pinned=life.pinned,
        words=state.status_text,
        note=state.note,
        source=state.source,
        not_before=state.not_before.isoformat() if state.not_before else None,
    )


def _days_left(life: ServiceTerm, state: Expiry, as_of: date) -> CardFigure:
    """Return for how many days a platform still serves a model, as far as it says."""
    low, high = 0, None
    not_before = kept_until(life)
    if state.status == "expired":
        high = 0
    elif life.pinned:
        low = _FOREVER
    elif state.until:
        low = high = (state.until - as_of).days
    elif not_before:
        low = max(0, (not_before - as_of).days)
    return CardFigure(
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
        state=state.status_text,
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
) -> Iterator[CardFigure]:
    if "groups" not in snapshot.figures:
        yield from _figures(snapshot, state, why)
        return
    figures = parse(snapshot.figures, Figures)
    for group in figures.groups:
        if fits(group.settings, settings):
            out = why or misread(snapshot.card.known_faults, group.settings)
            group_figures = _observed(
                str(snapshot.tag), figures.source, group, state.status_text, out
            )
            is_plain = bool(snapshot.compared.intersection(group.settings))
            yield from (replace(figure, plain=is_plain) for figure in group_figures)
            if is_plain and not out:
                yield from _by_kind(str(snapshot.tag), figures.source, group, state.status_text)


def _by_kind(origin: str, source: Source, group: Group, state: str) -> Iterator[CardFigure]:
    """Yield how often a judge is right by kind of task: asked once, and as often as it was."""
    for subset, by_name in sorted(group.by_subset.items()):
        best = sorted(name for name in by_name if is_of(name, "best"))
        names = [*dict.fromkeys((*best[:1], *best[-1:]))] or ["accuracy"]
        chosen = {name: by_name[name] for name in names if name in by_name}
        group_part = replace(group, figures=chosen, transfer=None)
        for figure in _observed(origin, source, group_part, state):
            yield replace(figure, subset=subset, plain=True)


def _figures(snapshot: Snapshot, state: Expiry, why: str) -> Iterator[CardFigure]:
    """Yield a snapshot's figures, with those of its audit and its control pairs."""
    card, tag = snapshot.card, str(snapshot.tag)
    executor = f", executor {card.executor.model}" if card.executor else ""

    def card_figure(
        name: str, value: float | None, ci95: tuple[float, float] | None, n: int, unit: str
    ) -> CardFigure:
        return CardFigure(
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
            state=state.status_text,
            left_out=why,
        )

    unit = KINDS[snapshot.kind].unit
    for figure in figures_of(snapshot):
        if any(is_of(figure.name, name) for names in SECTIONS.values() for name in names):
            count = figure.n or snapshot.n
            plain = card_figure(figure.name, figure.mean, figure.interval, count, unit)
            yield replace(plain, epc_5_2=figure.reading)
    audit = snapshot.audit
    if audit and audit.determinism:
        determinism = parse(audit.determinism, Determinism)
        if determinism.comparisons:
            share = share_interval(determinism.verdict_flips, determinism.comparisons)
            flips = determinism.verdict_flips / determinism.comparisons
            yield card_figure("flip_rate", flips, share, determinism.comparisons, "askings")
    if audit and audit.competence:
        pairs = parse(audit.competence, _Controls).overall.pairs
        for name in ("accuracy", "order_consistency"):
            if share_right := figure_at(audit.competence, f"overall/{name}"):
                mean, ends = share_right.mean, share_right.interval
                yield card_figure(f"controls/{name}", mean, ends, pairs, "pairs")


def _basis(snapshot: Snapshot, state: Expiry, why: str) -> CardSource:
    card, tag = snapshot.card, str(snapshot.tag)
    source = f"by {card.contributor}"
    if citation := card.citation:
        source = f"{citation.work}, {citation.place}, {citation.address}"
    elif origin := card.origin:
        source = f"{origin.repository}, commit {origin.commit}, licence {card.licence}"
    elif card.source:
        source = f"{source}; {card.source}"
    return CardSource(
        of=tag,
        kind="calibration" if card.calibration else card.kind,
        trust=snapshot.trust,
        n=snapshot.n,
        unit=KINDS[snapshot.kind].unit,
        word=snapshot.verdict,
        quality=snapshot.quality,
        failed=snapshot.failed,
        state=state.status_text,
        source=source,
        counts=not why,
    )


def _drift(registry: Registry, tag: str, as_of: date) -> Iterator[str]:
    """Yield what was recorded of changes: events but its publication."""
    for event in registry.by_tag.get(tag, []):
        if event.event != "published" and event.date <= as_of:
            yield f"{event.date}  {tag}  {event.event}: {event.reason}"


def _observed(
    origin: str, source: Source, group: Group, state: str, left_out: str = ""
) -> Iterator[CardFigure]:
    """Yield the figures of what one judge was asked in one way."""
    setting, name = group.setting, group.settings[0]
    prompt = setting.prompt.name.removesuffix(".txt").rpartition("/")[2]
    decoding = "decoding unknown" if isinstance(setting.decoding, str) else "decoding stated"
    for figure, estimate in group.all_figures:
        yield CardFigure(
            name=figure,
            value=estimate.value,
            ci95=estimate.ci95,
            n=estimate.n,
            unit=FIGURES[family(figure)].counted if family(figure) in FIGURES else "verdicts",
            items=estimate.items,
            of=origin,
            source=source.name,
            setting=name,
            prompt=prompt,
            conditions=f"{source.name}, prompt {prompt}, {decoding}, date {setting.date}",
            state=state,
            note=alone_in_words(group.alone) if group.alone and is_of(figure, "alone") else "",
            left_out=left_out or setting.note or "",
        )


def _file(recorded: VerdictFile, groups: Sequence[Group]) -> CardSource:
    source = recorded.figures.source
    return CardSource(
        of=recorded.origin,
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
