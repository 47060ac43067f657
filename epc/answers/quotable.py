"""Figures of a judge that may be quoted on a day: the headline, the others, and what was."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from epc.analysis.headline import NAMES, Key, key_of
from epc.analysis.quotable import STATED, QuotableFigure, QuotableFigures, ordered, unit_of
from epc.analysis.verdicts_rows import fits
from epc.answers import words
from epc.answers.choose import listed_alone, turns_of_listing
from epc.answers.snapshot_status import figure_state, status_on, turns_of
from epc.answers.subjects import subject
from epc.digests import sha256
from epc.records.choices import ALL
from epc.records.faults import FaultEffect
from epc.records.typed import parse
from epc.registry.figures import misread
from epc.registry.lifecycles import Generation
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Figures, Group, Subject, subject_of_page, target_of
from epc.statistics.figures import ClusteredFigure, Figure

_DIGITS: Final = 12  # of the digest of an item set


def quotable_figures(registry: Registry, text: str, day: date) -> QuotableFigures:
    """Return the figures of the model of a name that may be quoted on a day.

    An alias has its target's figures. What was taken back is never among them.

    Raises: UsageError if nobody knows the name.
    """
    target, snapshots = measured_of(registry, subject(registry, text, day), day)
    today_figures = figures_on(registry, target, snapshots, day)
    days = {turn for snapshot in snapshots for turn in turns_of(registry, str(snapshot.tag), day)}
    if today_figures.common:
        days.update(turns_of_listing(registry, day))
    for turn in sorted(days):
        later_figures = figures_on(registry, target, snapshots, turn)
        if replace(later_figures, as_of=day) != today_figures:
            return replace(today_figures, next=turn)
    return today_figures


def figures_on(
    registry: Registry,
    target: str,
    snapshots: Sequence[Snapshot],
    day: date,
    settings: Sequence[str] = (),
) -> QuotableFigures:
    """Return what may be quoted of the judge of some snapshots, without the day of its change.

    Of settings whose names fit a pattern, all if there is none.
    """
    every = (*_common(registry, snapshots, day), *_recorded(registry, snapshots, day))
    figures = [figure for figure in every if fits([figure.setting], settings)]
    stated = ordered(figure for figure in figures if figure.state in STATED)
    history = ordered(figure for figure in figures if figure.state == "ended")
    keys = {figure.key for figure in stated}
    return QuotableFigures(
        target=target,
        as_of=day,
        headline=stated[0] if stated else None,
        other_figures=tuple(stated[1:]),
        history=tuple(history),
        missing=tuple(key for key in NAMES if key not in keys),
    )


def headlines(registry: Registry, day: date) -> dict[str, QuotableFigure]:
    """Return the headline of each judge that has one, by its name here; an alias has its target's.

    They are those of the judges' pages.
    """
    by_name: dict[str, list[Snapshot]] = {}
    for snapshot in registry.snapshots.values():
        by_name.setdefault(snapshot.tag.generation, []).append(snapshot)
    names = {name for name, entry in registry.generations.items() if _is_alias(entry)}
    by_judge: dict[str, QuotableFigure] = {}
    for name in sorted(names | by_name.keys()):
        judge = subject_of_page(registry, name, by_name.get(name, ()))
        headline = figures_on(registry, *measured_of(registry, judge, day), day).headline
        if headline:
            by_judge[name] = headline
    return by_judge


def _is_alias(generation: Generation) -> bool:
    return any(life.points_to for life in generation.lives)


def right_by_domain(registry: Registry, figures: QuotableFigures) -> dict[str, Figure]:
    """Return the share right of each domain's common questions, in the way that is quoted."""
    common, choices = figures.common, registry.choices
    if common is None or choices is None:
        return {}
    quoted = ((common.tag,), common.askings)
    ways = [n for n, way in enumerate(choices.ways) if (way.tags, way.askings) == quoted]
    return {name: choices.figure(domain, ways[0]) for name, domain in choices.domains.items()}


def measured_of(registry: Registry, judge: Subject, day: date) -> tuple[str, tuple[Snapshot, ...]]:
    """Return the model whose figures are a judge's on a day, and the snapshots that have them.

    An alias of which nothing is published has its target's.
    """
    means, of_target = target_of(registry, judge, day)
    return means or judge.name, judge.snapshots or of_target


def _common(
    registry: Registry, snapshots: Sequence[Snapshot], day: date
) -> Iterator[QuotableFigure]:
    """Yield the share right on the common questions, in the way that `choose` lists."""
    models = {snapshot.tag.generation for snapshot in snapshots}
    choices = registry.choices
    if choices is None or not any(way.models[0] in models for way in choices.ways):
        return
    questions = choices.domains[ALL].questions
    for model, option in listed_alone(registry, day).items():
        tag = option.way.tags[0] if option.way.tags else ""
        if model not in models or tag not in registry.snapshots or option.right.value is None:
            continue
        snapshot = registry.snapshots[tag]
        faults = [f for f in registry.faults_of(snapshot) if f.is_in(option.way.settings)]
        figure = QuotableFigure(
            key="right",
            name=ALL,
            value=option.right.value,
            ci95=option.right.ci95,
            unit="share",
            n=questions,
            items=questions,
            item_set=sha256(f"{choices.benchmark}: {questions}")[:_DIGITS],
            source=choices.benchmark,
            setting=option.way.settings[0],
            askings=option.way.askings,
            chance=choices.chance,
            is_common=True,
            is_plain=True,
            **_dates(registry, tag, day),
        )
        yield from _with_faults(figure, faults)


def _recorded(
    registry: Registry, snapshots: Sequence[Snapshot], day: date
) -> Iterator[QuotableFigure]:
    """Yield the figures of recorded verdicts, setting by setting."""
    for snapshot in snapshots:
        tag = str(snapshot.tag)
        if "groups" not in snapshot.figures or figure_state(registry, tag, day) == "taken_back":
            continue
        recorded = parse(snapshot.figures, Figures)
        dates = _dates(registry, tag, day)
        item_set = sha256(f"{recorded.source.repository}@{recorded.source.commit}")
        for group in recorded.groups:
            if group.setting.note or misread(snapshot.card.known_faults, group.settings):
                continue
            faults = [f for f in registry.faults_of(snapshot) if f.is_in(group.settings)]
            is_plain = bool(snapshot.compared.intersection(group.settings))
            for key, name, observed in _quoted(group):
                figure = QuotableFigure(
                    key=key,
                    name=name,
                    value=observed.value,
                    ci95=observed.ci95,
                    unit=unit_of(name),
                    n=observed.n,
                    items=observed.items,
                    item_set=sha256(f"{item_set}: {observed.items}")[:_DIGITS],
                    source=recorded.source.name,
                    setting=group.settings[0],
                    is_plain=is_plain,
                    modality=group.setting.modality,
                    tpr=group.label_figures.get("tpr") if name == "accuracy" else None,
                    tnr=group.label_figures.get("tnr") if name == "accuracy" else None,
                    **dates,
                )
                yield from _with_faults(figure, faults)


def _quoted(group: Group) -> Iterator[tuple[Key, str, ClusteredFigure]]:
    for name, figure in group.all_figures:
        if key := key_of(name):
            yield key, name, figure


def _dates(registry: Registry, tag: str, day: date) -> dict[str, Any]:
    """Return the fields of a figure that are its snapshot's."""
    status = status_on(registry, tag, day)
    return {
        "tag": tag,
        "month": words.month(status),
        "state": figure_state(registry, tag, day),
        "measured_from": status.measured_from,
        "measured_by": status.measured_by,
        "is_day_stated": status.is_day_stated,
        "until": status.state.until,
    }


def _with_faults(figure: QuotableFigure, faults: Sequence[FaultEffect]) -> Iterator[QuotableFigure]:
    """Yield a figure as known faults leave it, with the clause that states it, unless one forbids.

    Source: Reading R97.
    """
    effects = {fault.effect for fault in faults}
    if "forbid" in effects or figure.state == "taken_back":
        return
    key: Key = figure.key
    if key == "people" and "rename" in effects:
        key = "one_person"
    marks = [fault for fault in faults if fault.effect == "mark"]
    renamed = replace(figure, key=key, marks=tuple(fault.id for fault in marks))
    yield replace(renamed, says=words.figure(renamed, [fault.says for fault in marks]))
