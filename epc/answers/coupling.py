"""Coupling of a judge, by the protocol or from verdicts that others recorded, in one line."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from epc.analysis.judge_card import JudgeCoupling
from epc.analysis.quotable import QuotableFigure, QuotableFigures
from epc.answers import words
from epc.answers.snapshot_status import figure_state, status_on
from epc.audit.coupling import Into
from epc.records.typed import parse
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Crossing, Figures
from epc.spec.domains import Pair
from epc.statistics.figures import Figure


def coupling_of(
    registry: Registry, figures: QuotableFigures, counted: Sequence[Snapshot], day: date
) -> JudgeCoupling | None:
    """Return what crosses by a judge's verdicts, where most does; None where nothing tells.

    Its newest measurement by the protocol says so, or else the regret of recorded verdicts that may
    be stated. `counted` are the snapshots whose figures count.
    """
    audited = [s for s in counted if s.audit and s.audit.crossing]
    if audited:
        return _measured(registry, audited[-1], day)
    regret = figures.figure("regret")
    return _recorded(registry, regret) if regret else None


def _measured(registry: Registry, snapshot: Snapshot, day: date) -> JudgeCoupling:
    assert snapshot.audit
    tag, crossing = str(snapshot.tag), snapshot.audit.crossing
    direction, into = max(crossing.items(), key=lambda item: item[1].regret)
    return _coupling(
        direction,
        into,
        tag=tag,
        word=snapshot.audit.verdict,
        month=words.month(status_on(registry, tag, day)),
        is_stale=figure_state(registry, tag, day) == "stale",
    )


def _recorded(registry: Registry, regret: QuotableFigure) -> JudgeCoupling | None:
    """Return what crosses in the setting that a regret is stated of."""
    recorded = parse(registry.snapshots[regret.tag].figures, Figures)
    direction = regret.name.rpartition("/")[2]
    for group in recorded.groups:
        transfer = group.transfer
        if group.settings[0] != regret.setting or not (transfer and transfer.directions):
            continue
        return _coupling(
            direction,
            transfer.directions[direction],
            tag=regret.tag,
            word=transfer.word,
            month=regret.month,
            is_stale=regret.state == "stale",
            systems=transfer.compared,
            domains=len(transfer.domains),
            recorded_in=recorded.source.name,
        )
    return None


def _coupling(direction: str, into: Into | Crossing, **facts: Any) -> JudgeCoupling:
    """Return what crosses in a direction, with what says so; `facts` are its other fields."""
    pair = Pair.parse(direction)
    coupling = JudgeCoupling(
        source=pair.source,
        target=pair.target,
        regret=Figure(value=into.regret, ci95=into.regret_ci95),
        redirected=Figure(value=into.redirected, ci95=into.redirected_ci95),
        chance=into.chance,
        **facts,
    )
    return replace(coupling, says=words.coupling(coupling))
