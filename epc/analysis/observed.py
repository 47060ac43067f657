"""What verdicts that others recorded say of their judges (Reading R77).

Each figure has a 95% interval clustered by item, and is left out where the data do not allow it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

import numpy as np

from epc.analysis.observed_rows import TIE, UNREADABLE, Rows, rows_of, same_settings
from epc.records.observed.checking import asks
from epc.records.observed.columns import Verdicts
from epc.records.observed.types import Header, Setting, Source
from epc.statistics.clusters import clustered_mean_of_shares, clustered_share
from epc.statistics.intervals import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]
    Values = NDArray[np.float64]
    Mask = NDArray[np.bool_]


# What is measured, and why it is left out where it is.
FIGURES: Final[Mapping[str, str]] = {
    "place_consistency": "no item was asked in both orders",
    "place_consistency_readable": "no item was asked in both orders with readable answers",
    "first_place": "no item was decided in both orders",
    "accuracy": "no verdict has a gold label",
    "accuracy_gold_first": "no verdict has a gold label and a known order",
    "accuracy_gold_second": "no verdict has a gold label and a known order",
    "ties": "no verdict compares two candidates",
    "unreadable": "no verdicts",
    "repeat_consistency": "nothing was asked twice and answered in other words",
    "repeat_consistency_all": "nothing was asked twice",
    "longer": "no two candidates of different length were decided between",
    "longer_by_gold": "the longer candidate is not both better and worse by the gold labels",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A share, its interval, and what it rests on."""

    value: float
    ci95: Interval | None
    n: int
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What one judge was asked in one way, under whatever names, and the figures of that."""

    settings: Sequence[str]
    setting: Setting
    verdicts: int
    items: int
    equal_answers: int
    equal_answers_other_verdict: int
    figures: Mapping[str, Figure]
    left_out: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All figures of a verdict file, and what was found in it that is no evidence."""

    source: Source
    verdicts: int
    items: int
    duplicates: int
    items_under_two_names: int
    left_out: Mapping[str, int]
    groups: Sequence[Group]


def measure(header: Header, verdicts: Verdicts, patterns: Sequence[str] = ()) -> Report:
    """Return every figure that a verdict file allows, for the settings that fit a pattern.

    A group is what one judge was asked with one prompt, by its digest, and one decoding: names
    that ask the same are one group. A verdict that stands twice counts once.
    """
    _, once = np.unique(asks(verdicts), return_index=True)
    rows = rows_of(verdicts)
    names = verdicts.setting.names
    members = [
        [name for name in group if name in names] for group in same_settings(header.settings)
    ]
    chosen = [group for group in members if group and _fits(group, patterns)]
    group_of = {name: place for place, group in enumerate(chosen) for name in group}
    places = np.array([*(group_of.get(name, -1) for name in names), -1])[verdicts.setting.codes]
    once = once[np.argsort(places[once], kind="stable")]
    edges = np.searchsorted(places[once], np.arange(len(chosen) + 1))
    return Report(
        source=header.source,
        verdicts=len(verdicts),
        items=len(verdicts.item.names),
        duplicates=len(verdicts) - len(once),
        items_under_two_names=len(verdicts.item.names) - len(np.unique(rows.cluster)),
        left_out=header.left_out,
        groups=[
            _group(group, header.settings[group[0]], rows[once[edges[place] : edges[place + 1]]])
            for place, group in enumerate(chosen)
        ],
    )


def _fits(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name, each) for name in names for each in patterns)


def _group(names: Sequence[str], setting: Setting, rows: Rows) -> Group:
    equal, contradicted, repeats = _repeats(rows)
    figures = {**dict(_of_places(rows)), **dict(_of_gold(rows)), **dict(_of_all(rows)), **repeats}
    return Group(
        settings=names,
        setting=setting,
        verdicts=len(rows.item),
        items=len(np.unique(rows.cluster)),
        equal_answers=equal,
        equal_answers_other_verdict=contradicted,
        figures={name: figures[name] for name in FIGURES if name in figures},
        left_out={name: why for name, why in FIGURES.items() if name not in figures},
    )


def _figure(
    name: str, hits: "Values | Mask", clusters: "Codes", n: "Values | None" = None
) -> Iterator[tuple[str, Figure]]:
    """Yield a share under its name, unless there is nothing to take it of."""
    counts = np.ones(len(hits)) if n is None else n
    if counts.sum() > 0:
        value, interval = clustered_share(hits.astype(np.float64), counts, clusters)
        items = len(np.unique(clusters[counts > 0]))
        yield name, Figure(value=value, ci95=interval, n=int(counts.sum()), items=items)


def _of_places(rows: Rows) -> Iterator[tuple[str, Figure]]:
    """Yield what exchanging the places shows; an unreadable answer agrees with nothing."""
    a, b = np.flatnonzero(rows.first == 0), np.flatnonzero(rows.first == 1)
    _, in_a, in_b = np.intersect1d(rows.ask[a], rows.ask[b], return_indices=True)
    one, other = rows[a[in_a]], rows[b[in_b]]
    readable = one.readable & other.readable
    same = readable & (one.verdict == other.verdict)
    yield from _figure("place_consistency", same, one.cluster)
    yield from _figure("place_consistency_readable", same[readable], one.cluster[readable])
    decided = (one.verdict < TIE) & (other.verdict < TIE) & readable
    chosen = (one.verdict == 0).astype(np.float64) + (other.verdict == 1)
    yield from _figure("first_place", chosen[decided] / 2, one.cluster[decided])


def _of_gold(rows: Rows) -> Iterator[tuple[str, Figure]]:
    """Yield how often the better candidate won; a tie or an unreadable answer is not right."""
    labelled = rows[rows.gold >= 0]
    right = labelled.verdict == labelled.gold
    yield from _figure("accuracy", right, labelled.cluster)
    for name, place in (("first", labelled.gold), ("second", 1 - labelled.gold)):
        chosen = labelled.first == place
        yield from _figure(f"accuracy_gold_{name}", right[chosen], labelled.cluster[chosen])


def _of_all(rows: Rows) -> Iterator[tuple[str, Figure]]:
    """Yield ties, unreadable answers, and how often the longer candidate won."""
    stated = rows[rows.verdict >= 0]
    yield from _figure("ties", stated.verdict == TIE, stated.cluster)
    yield from _figure("unreadable", stated.verdict == UNREADABLE, stated.cluster)
    decided = stated[(stated.verdict < TIE) & (stated.longer >= 0)]
    won = decided.verdict == decided.longer
    yield from _figure("longer", won, decided.cluster)
    strata = []
    for better in (decided.longer, 1 - decided.longer):
        chosen = decided.gold == better
        strata.append((won[chosen].astype(float), np.ones(chosen.sum()), decided.cluster[chosen]))
    if all(len(hits) for hits, _, _ in strata):
        value, interval = clustered_mean_of_shares(strata)
        clusters = np.concatenate([each for _, _, each in strata])
        n, items = len(clusters), len(np.unique(clusters))
        yield "longer_by_gold", Figure(value=value, ci95=interval, n=n, items=items)


def _repeats(rows: Rows) -> tuple[int, int, dict[str, Figure]]:
    """Return pairs of askings with one long answer, those whose verdicts differ, and agreement.

    Whether equal long answers were copied or given twice, nobody can see in them. So they are
    counted, and agreement is stated without them and with them.
    """
    stated = rows[rows.readable]
    _, first, question = np.unique(
        stated.item * 3 + stated.first + 1, return_index=True, return_inverse=True
    )

    def pairs(*keys: "Codes") -> "Values":
        """Return the pairs of a question's askings that are equal in some keys."""
        together, counts = np.unique(np.stack([question, *keys]), axis=1, return_counts=True)
        equal = counts * (counts - 1) / 2
        if len(keys) > 0 and keys[0] is stated.answer:
            equal = equal * (together[1] >= 0)
        sums = np.bincount(together[0], weights=equal, minlength=len(first))
        return sums.astype(np.float64)

    if not len(question):
        return 0, 0, {}
    asked, agreed = pairs(), pairs(stated.verdict)
    copied, agreed_copied = pairs(stated.answer), pairs(stated.answer, stated.verdict)
    clusters = stated.cluster[first]
    fresh = _figure("repeat_consistency", agreed - agreed_copied, clusters, asked - copied)
    every = _figure("repeat_consistency_all", agreed, clusters, asked)
    contradicted = int((copied - agreed_copied).sum())
    return int(copied.sum()), contradicted, {**dict(fresh), **dict(every)}
