"""What crosses between two subsets by recorded verdicts, in words and columns (Reading R70)."""

from collections.abc import Iterator

from epc.analysis.observed import Report
from epc.analysis.observed_transfer import Beside, Transferred
from epc.spec.coupling import MARGIN
from epc.statistics.intervals import Interval

_PEOPLE = {"regret": "regret", "redirected": "redirected choices"}


def lines(report: Report) -> Iterator[str]:
    """Yield what crosses by each judge, with the choices that it rests on."""
    for group in report.groups:
        if group.transfer:
            yield ""
            yield from _one(group.settings[0], group.transfer)


def _one(name: str, found: Transferred) -> Iterator[str]:
    shown = " and ".join(f"{domain} ({tasks:,} tasks)" for domain, tasks in found.domains.items())
    which = "chosen" if found.domains_chosen else "the two with most tasks"
    baseline = "chosen" if found.baseline_chosen else "in every comparison"
    yield f"transfer by {name}: {found.word}"
    yield f"  domains    {shown}: {which}"
    yield f"  baseline   {found.baseline}: {baseline}"
    decided = f"{100 * found.decided_share:.0f}% decided"
    yield f"  strategies {len(found.strategies)} authors, {found.verdicts:,} verdicts, {decided}"
    tasks = sum(found.left_out_tasks.values())
    if found.left_out_strategies or tasks:
        named = ", ".join(found.left_out_strategies) or "no author"
        yield f"  left out   {named}; {tasks:,} tasks: too little was decided there"
    yield from _directions(found)
    if found.test:
        unit = f"{found.test.method} of {found.test.unit}s"
        yield f"  p          {found.test.p_value:.4f} for both directions, by {unit}"
    if found.detectable is not None and found.word != "coupled":
        size = f"{found.detectable:.3f}"
        yield f"  power      a regret of {size} is found in 4 of 5 such files or more"
        yield f"             (the margin is {MARGIN})"


def _directions(found: Transferred) -> Iterator[str]:
    for direction, into in (found.directions or {}).items():
        yield f"  {direction}"
        share = _with(into.redirected, into.redirected_ci95)
        yield f"    redirected choices {share}, by chance {into.chance:.3f}"
        yield f"    regret             {_with(into.regret, into.regret_ci95)} of win rate"
        yield f"    harm               {_with(into.harm, into.harm_ci95)}"
        for figure, title in _PEOPLE.items():
            if found.people:
                yield f"    {_beside(title, found.people[direction][figure])}"


def _beside(title: str, both: Beside) -> str:
    return (
        f"{title}: judge {_with(both.judge, both.judge_ci95)}, persons "
        f"{_with(both.people, both.people_ci95)}, judge minus persons "
        f"{_with(both.difference, both.difference_ci95)}"
    )


def _with(value: float, interval: Interval | None) -> str:
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")
