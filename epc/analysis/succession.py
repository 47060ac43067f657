"""Succession of a judge: how far others agree with it on items that both were asked about.

They are compared like for like only: the same prompt, the same candidate first (Reading R27).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Final

from epc.analysis.agreement import (
    BETTER,
    Agreement,
    JudgeAgreements,
    ReplacementJudge,
    UncomparedJudge,
)
from epc.analysis.choosing import Alternative
from epc.analysis.verdicts_by_item import Ballot, ItemVerdict, Key, merged
from epc.arrays import Codes, np
from epc.records.verdicts.types import UNKNOWN
from epc.statistics.clusters import bounded_mean, clustered_mean, clustered_share
from epc.statistics.figures import ClusteredFigure

_LEAST_ITEMS: Final = 10  # fewer of a kind of task say nothing of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """Agreement with one other judge, and whether anybody still serves it."""

    agreement: Agreement
    state: str
    living: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The cheapest measurement that would tell more: why, by which command, for how many calls."""

    why: str
    command: str
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """Judges that may replace a judge, best first.

    `first` is the one to turn to, if the judge has an end, and `agreeing` are those that are shown
    to agree and that somebody serves, each in words.
    `named` are whom platforms name in its place, with their state, and `named_by` these platforms.
    `recorded` counts the items on which its own verdicts are at hand; `elsewhere` are commands that
    get those that stay with their source. `aliases` are names whose verdicts may be its own, and
    count as nobody's. `alternatives` are judges that somebody serves, with any prompt, on questions
    of which the right answer is known.
    """

    name: str
    as_of: str
    state: tuple[str, ...]
    named: Mapping[str, str]
    aliases: tuple[str, ...]
    recorded: int
    elsewhere: tuple[str, ...]
    successors: tuple[Successor, ...]
    measurement: Measurement
    unlike: tuple[UncomparedJudge, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    named_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_end: bool = False
    first: ReplacementJudge | None = None
    agreeing: Mapping[str, str] = field(default_factory=dict)

    @property
    def instead(self) -> list[str]:
        """Models that platforms name in its place, each with its state, as lines."""
        return [
            f"{' and '.join(self.named_by[name])} names {name} instead: {state}"
            for name, state in self.named.items()
        ]

    @property
    def living(self) -> list[Successor]:
        """Successors that somebody still serves, over all tasks."""
        return [s for s in self.successors if s.living and s.agreement.subset is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """Another judge, asked in that of its `ways` in which it agrees best, also by kinds of task."""

    successor: Successor
    kinds: tuple[Agreement, ...]
    ways: int


def best_of_each(succession: Succession) -> Iterator[Best]:
    """Yield each other judge once, in the order of the successors."""
    by_model: dict[str, list[Successor]] = {}
    for successor in succession.successors:
        by_model.setdefault(successor.agreement.model, []).append(successor)
    for group in by_model.values():
        unsplit = [successor for successor in group if successor.agreement.subset is None]
        best = unsplit[0].agreement
        kinds = (
            successor.agreement for successor in group if successor.agreement.subset is not None
        )
        same_way = (agreement for agreement in kinds if _way(agreement) == _way(best))
        yield Best(successor=unsplit[0], kinds=tuple(same_way), ways=len(unsplit))


def _way(agreement: Agreement) -> tuple[str, str, tuple[str, ...], bool]:
    return agreement.judge, agreement.prompt, agreement.sources, agreement.same_decoding


def judge_agreements(
    own_ballots: Sequence[Ballot], other_ballots: Sequence[Ballot]
) -> JudgeAgreements:
    """Return how far each other judge agrees with one, best first, then by kinds of task."""
    agreements: list[Agreement] = []
    hidden: list[UncomparedJudge] = []
    for mine, theirs in product(merged(own_ballots), merged(other_ballots)):
        prompt, others_prompt = mine.setting.prompt, theirs.setting.prompt
        if prompt.is_one(others_prompt):
            agreements += of_pair(mine, theirs)
        elif UNKNOWN in (prompt.sha256, others_prompt.sha256):  # it may have been one prompt
            common = {item for item, _ in mine.verdicts} & {item for item, _ in theirs.verdicts}
            hidden.append(UncomparedJudge(model=theirs.model, items=len(common)))
    largest: dict[str, UncomparedJudge] = {}
    for judge in sorted(hidden, key=lambda judge: -judge.items):
        if judge.items:
            largest.setdefault(judge.model, judge)
    return JudgeAgreements(
        recorded=len({item for ballot in own_ballots for item, _ in ballot.verdicts}),
        agreements=tuple(
            sorted(
                agreements,
                key=lambda agreement: (
                    agreement.subset is not None,
                    -agreement.floor,
                    agreement.judge,
                ),
            )
        ),
        unlike=tuple(largest.values()),
    )


def of_pair(mine: Ballot, theirs: Ballot) -> Iterator[Agreement]:
    """Yield how far two judges agree, asked in one way each: on all items, then by kind."""
    common = [key for key in mine.verdicts if key in theirs.verdicts]
    # Reading R76: one answer that both have is no second opinion.
    apart = [k for k in common if not mine.verdicts[k].answers & theirs.verdicts[k].answers]
    copied = len(common) - len(apart)
    kinds = {subset for key in apart if (subset := mine.verdicts[key].subset)}
    yield from _agreement(mine, theirs, apart, None, copied)
    for subset in sorted(kinds) if len(kinds) > 1 else ():
        chosen = [key for key in apart if mine.verdicts[key].subset == subset]
        yield from _agreement(mine, theirs, chosen, subset, copied)


def _agreement(
    mine: Ballot, theirs: Ballot, keys: Sequence[Key], subset: str | None, copied: int
) -> Iterator[Agreement]:
    """Yield the agreement over some items, unless there are too few to speak of a kind of task."""
    items = dict.fromkeys(item for item, _ in keys)
    # Pairs of one question share more than chance does: the question is the unit.
    units = {unit: index for index, unit in enumerate(dict.fromkeys(item[0] for item in items))}
    if not items or (subset is not None and len(items) < _LEAST_ITEMS):
        return
    clusters = np.array([units[item[0]] for item, _ in keys], np.int64)
    pairs = [(mine.verdicts[key], theirs.verdicts[key]) for key in keys]
    hits = np.array([*map(_alike, pairs)])
    value, ci95 = clustered_share(hits, np.ones(len(keys)), clusters)
    yield Agreement(
        judge=theirs.name,
        model=theirs.model,
        sources=tuple(dict.fromkeys((*mine.sources, *theirs.sources))),
        prompt=mine.setting.prompt.name,
        same_decoding=mine.setting.decoding == theirs.setting.decoding != UNKNOWN,
        subset=subset,
        items=len(items),
        shared_answers=copied,
        alike=ClusteredFigure(value=value, ci95=ci95, n=len(keys), items=len(units)),
        chance=_chance(pairs, [first for _, first in keys]),
        shifts=dict(_shifts(pairs, [first for _, first in keys], clusters)),
    )


def _alike(pair: tuple[ItemVerdict, ItemVerdict]) -> float:
    left, right = pair
    if left.score is not None and right.score is not None:
        return float(left.score == right.score)
    return _sum_of_products(left.saying, right.saying)


def _sum_of_products(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the sum of products, whose last bit is the same on every processor, unlike BLAS's."""
    return sum(x * y for x, y in zip(left, right, strict=True))


def _chance(pairs: Sequence[tuple[ItemVerdict, ItemVerdict]], first: Sequence[int]) -> float:
    """Return the agreement of two judges that answer as often alike by place, independently."""
    if all(left.score is not None and right.score is not None for left, right in pairs):
        counts = [Counter(pair[side].score for pair in pairs) for side in (0, 1)]
        return sum(counts[0][s] * counts[1][s] for s in counts[0]) / len(pairs) ** 2
    sides = [
        np.array(
            [
                (b, a, tie) if position == 1 else (a, b, tie)
                for pair, position in zip(pairs, first, strict=True)
                for a, b, tie in [pair[side].saying]
            ]
        )
        for side in (0, 1)
    ]
    return _sum_of_products(*(side.mean(axis=0).tolist() for side in sides))


def _shifts(
    pairs: Sequence[tuple[ItemVerdict, ItemVerdict]], first: Sequence[int], clusters: Codes
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how far a user's figures move where the other judge takes over.

    That is the share of the first place, the share right with ties as wrong, the mean score.
    """
    compared = [left.score is None and right.score is None for left, right in pairs]
    for name, chosen in (
        ("first_place", first),
        (BETTER, [left.gold for left, _ in pairs]),
    ):
        rows = [
            (right.saying[candidate] - left.saying[candidate], cluster)
            for (left, right), candidate, cluster, fits in zip(
                pairs, chosen, clusters.tolist(), compared, strict=True
            )
            if fits and candidate in (0, 1)
        ]
        yield from _mean(name, rows, of_shares=True)
    scores = [
        (right.score - left.score, cluster)
        for (left, right), cluster in zip(pairs, clusters.tolist(), strict=True)
        if left.score is not None and right.score is not None
    ]
    yield from _mean("score", scores)


def _mean(
    name: str, rows: Sequence[tuple[float, int]], *, of_shares: bool = False
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield a mean difference; that of shares, with its interval, lies between -1 and 1."""
    if rows:
        values, clusters = np.array([v for v, _ in rows]), np.array([c for _, c in rows], np.int64)
        mean = partial(bounded_mean, ends=(-1.0, 1.0)) if of_shares else clustered_mean
        value, interval = mean(values, clusters)
        yield (
            name,
            ClusteredFigure(value=value, ci95=interval, n=len(rows), items=len(set(clusters))),
        )
