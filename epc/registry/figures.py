"""A snapshot's figures side by side: of all kinds alike.

Pure: it takes JSON that schemas have admitted.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from epc.analysis.headline import NAMES, headline, is_of
from epc.protocol.metrics import COIN_GAMMA, interpreted
from epc.protocol.results import Json
from epc.records.typed import parse
from epc.registry.record import AuditSummary, Fault
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Group
from epc.statistics.figures import NO_INTERVAL, figure_text
from epc.statistics.intervals import Interval, moments_interval, share_interval

_SPREAD: Final = ("q025", "q975")
FAILED_RUN: Final = "a failed run"
_ROUNDING: Final = 1e-9
# Variants whose coin flips are not the protocol's; how they are, a reported snapshot does not say.
_OTHER_COINS: Final = ("AltLR", "AltRounds", "AltRule", "AltStrategies")
# Of recorded verdicts, what says most about a judge first.
_FIRST: Final = (*(name for names in NAMES.values() for name in names), "ties")
# How a known fault says that a setting was misread.
_MISREAD: Final = re.compile(r"The figures of (\S+) carry this fault\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Figure with its place among the others, such as `gamma/text_to_visual`.

    `spread` is where 95% of single seeds lie, which a noise floor has and a mean's interval is not.
    `n` is its own where it is not the snapshot's, of so many independent `items`; `left_out` says
    why it is no evidence. `reading` is what the paper makes of a gamma, and whether the noise
    allows it. `plain` is a figure of the prompt with which judges are compared.
    """

    name: str
    mean: float
    interval: Interval | None
    sd: float | None = None
    hits: int | None = None
    spread: Interval | None = None
    n: int | None = None
    items: int | None = None
    left_out: str = ""
    reading: str = ""
    plain: bool = False

    def __str__(self) -> str:
        if self.spread:
            low, high = self.spread
            return f"{self.mean:.3f} ({low:.3f} to {high:.3f} for 95% of single seeds)"
        out = f"  (left out: {self.left_out})" if self.left_out else ""
        return figure_text(self.mean, self.interval, absent=NO_INTERVAL) + out

    @property
    def value(self) -> float:
        """The figure itself, under the name that it has on a card."""
        return self.mean

    @property
    def rests_on(self) -> str:
        """Basis of the figure: `n = 2,400 of 1,095 items`; empty where the row states it."""
        return f"n = {self.n:,} of {self.items:,} items" if self.items else ""


def figures(document: Json, prefix: str = "", faults: Sequence[Fault] = ()) -> Iterator[Figure]:
    """Yield every figure that has a mean, in the order of their names.

    `faults` are what is known to be wrong with them.
    """
    for key, value in sorted(document.items()):
        if isinstance(value, dict) and "mean" in value:
            if value["mean"] is not None:
                yield _figure(f"{prefix}{key}", value)
        elif isinstance(value, dict):
            yield from figures(value, f"{prefix}{key}/")
        elif key == "groups":
            for group in value:
                yield from _of_group(group, faults)


def headline_of_groups(
    document: Json, faults: Sequence[Fault] = (), compared: Collection[str] = ()
) -> Figure | None:
    """Return the headline of recorded verdicts, if they have one (Reading R97).

    `compared` are the settings with which judges are compared.
    """
    groups: Iterable[Json] = document.get("groups") or ()
    return headline(figure for group in groups for figure in _of_group(group, faults, compared))


def added(old: Json, new: Json) -> str:
    """Return what figures of recorded verdicts say that older ones of them do not; empty if less.

    Figures that leave out what the older ones say add nothing.
    """
    if _beside_others(new) < _beside_others(old):
        return ""
    additions = {
        "held against those of the source's other judges": _beside_others,
        "with what crosses between two of the source's domains": _beside_domains,
    }
    return " and ".join(clause for clause, has in additions.items() if has(new) > has(old))


def _beside_others(document: Json) -> bool:
    """Return whether recorded verdicts were held against other judges' of their source."""
    return "beside" in document


def _beside_domains(document: Json) -> bool:
    """Return whether it was worked out what crosses between domains of recorded verdicts."""
    return any(is_of(figure.name, "transfer/regret") for figure in figures(document))


def misread(faults: Iterable[Fault], settings: Sequence[str]) -> str:
    """Return which known misreading a pool of settings contains; empty if none."""
    for fault in faults:
        match = _MISREAD.search(fault.says)
        if match and match[1] in settings:
            return f"known misreading, {fault.id}"
    return ""


def rank(name: str) -> tuple[int, str]:
    """Return the place of a figure of recorded verdicts among the others."""
    head = name.partition("/")[0]
    return (_FIRST.index(head) if head in _FIRST else len(_FIRST), name)


def _of_group(
    document: Json, faults: Sequence[Fault], compared: Collection[str] = ()
) -> Iterator[Figure]:
    """Yield the figures of one setting of recorded verdicts, under its name."""
    group = parse(document, Group)
    plain = any(name in compared for name in group.settings)
    left_out = group.setting.note or misread(faults, group.settings)
    for name, figure in group.all_figures:
        yield Figure(
            name=f"{name}/{group.settings[0]}",
            mean=figure.value,
            interval=figure.ci95,
            n=figure.n,
            items=figure.items,
            left_out=left_out,
            plain=plain,
        )


def headline_of(snapshot: Snapshot) -> Figure | None:
    """Return the headline of a snapshot of recorded verdicts, if it has one."""
    return headline_of_groups(snapshot.figures, snapshot.card.known_faults, snapshot.compared)


def figures_of(snapshot: Snapshot) -> Iterator[Figure]:
    """Yield a snapshot's own figures, then those of its audit by the newest rule."""
    for figure in figures(snapshot.figures, faults=snapshot.card.known_faults):
        is_gamma = figure.name.startswith("gamma/")
        yield replace(figure, reading=reading_of(snapshot, figure)) if is_gamma else figure
    if snapshot.audit:
        yield from transferred(snapshot.audit)


def figures_by_name(snapshot: Snapshot) -> dict[str, Figure]:
    """Return a snapshot's figures by their names, as those of another judge are called.

    A source's settings may all begin with its name of the judge: `accuracy/judge/prompt` is then
    called `accuracy/prompt`.
    """
    figures = {figure.name: figure for figure in figures_of(snapshot)}
    settings = [parse(g, Group).settings[0] for g in snapshot.figures.get("groups") or ()]
    heads = {setting.partition("/")[0] for setting in settings}
    if len(heads) != 1 or not all("/" in setting for setting in settings):
        return figures
    (head,) = heads
    return {name.replace(f"/{head}/", "/", 1): figure for name, figure in figures.items()}


def transferred(audit: AuditSummary) -> Iterator[Figure]:
    """Yield what crosses between the domains: for the domain, then for these tasks alone."""
    for name in ("chance", "crossing", "harm", "redirected", "regret"):
        for direction, into in audit.crossing.items():
            interval = getattr(into, f"{name}_ci95", None)
            yield Figure(
                name=f"transfer/{name}/{direction}", mean=getattr(into, name), interval=interval
            )
    for name in ("redirected", "regret"):
        for direction, into in audit.crossing.items():
            task_figures = into.these_tasks
            interval = getattr(task_figures, f"{name}_ci95")
            figure_name = f"transfer/these_tasks/{name}/{direction}"
            yield Figure(name=figure_name, mean=getattr(task_figures, name), interval=interval)


def figure_at(document: Mapping[str, Any], name: str) -> Figure | None:
    """Return the figure of a name, without a look at all the others."""
    value: Any = document
    for key in name.split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    has_mean = isinstance(value, dict) and value.get("mean") is not None
    return _figure(name, value) if has_mean else None


def reading_of(snapshot: Snapshot, gamma: Figure) -> str:
    """Return what the paper makes of a snapshot's gamma, and whether the noise allows it.

    A published figure without a control is held against a coin flip, where its conditions are
    those of the reference.
    """
    if snapshot.failed:
        return FAILED_RUN
    excess = figure_at(snapshot.figures, f"control/excess/{gamma.name.partition('/')[2]}")
    if excess is not None:
        return interpreted(gamma.mean, excess.interval)
    return interpreted(gamma.mean, coin=COIN_GAMMA if has_reference_coin(snapshot) else None)


def has_reference_coin(snapshot: Snapshot) -> bool:
    """Return whether a coin flip in its place has the gamma of the reference design."""
    return not any(label in snapshot.card.protocol_version for label in _OTHER_COINS)


def _figure(name: str, value: Json) -> Figure:
    return Figure(
        name=name,
        mean=value["mean"],
        interval=_interval(value.get("ci95")),
        sd=value.get("sd"),
        hits=value.get("hits"),
        spread=_interval([value[bound] for bound in _SPREAD if bound in value]),
        n=value.get("n"),
    )


def _interval(bounds: Sequence[float] | None) -> Interval | None:
    return (bounds[0], bounds[1]) if bounds else None


def derived_interval(figure: Figure, n: int) -> Interval | None:
    """Return the interval that a reported figure's own numbers allow; None where they allow none.

    A count of seeds has Wilson's (Reading R33), a mean with a standard deviation Student's t
    (Reading R39), a mean alone none (Reading R56).
    """
    if figure.hits is not None:
        return share_interval(figure.hits, n)
    if figure.sd is not None:
        return moments_interval(figure.mean, figure.sd, n)
    return None


def misstated(document: Json) -> Iterator[tuple[str, str]]:
    """Yield each reported figure whose interval is not the one that its numbers allow, and why."""
    for figure in figures(document):
        right = derived_interval(figure, document["n"])
        if (right is None) != (figure.interval is None):
            allowed = "allow one" if right else "allow none"
            yield figure.name, f"its numbers {allowed}"
        elif right and figure.interval:
            apart = max(abs(a - b) for a, b in zip(right, figure.interval, strict=True))
            if apart > _ROUNDING:
                yield figure.name, f"says {list(figure.interval)}, recomputed {list(right)}"
