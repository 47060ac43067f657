"""Gain by gold of an agent that follows a judge, and the cost by gold of a detour.

Policies come from the judge's verdicts on one half of the tasks, their worth from gold on the other
half, and the other way round: so nobody is flattered by having chosen what happened to win. The
same agent trained by gold shows what a detour costs where nobody misjudges anything.

One estimator stands here from labels to interval, in the order of its steps, to be read as one.

Source: Reading R91.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Any, Final, Literal, NamedTuple
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from epc.arrays import Array, Counts, np
from epc.audit.transfer import Rates, Way, policies, won_shares
from epc.protocol.rules import Rule
from epc.spec.coupling import MARGIN, NotMeasured
from epc.spec.domains import Direction, Domain, Pair
from epc.statistics.figures import Figure
from epc.statistics.inference import ALPHA, t_point
from epc.statistics.intervals import mean, variance_of

Word = Literal["gains", "harms", "gain_not_shown"]

FEWEST_GROUPS: Final = 4  # of a domain: two in each half
_DENSE: Final = 0.5  # of the groups, that have labels of a strategy, for an agent trained by gold
_CUTS: Final = 8
_TWO: Final = 2  # strategies
_BLOCKS: Final = 16  # of a domain's groups, at most, each of which is left out in turn
_WHEELS: Final = 2048
_WHEELS_WITHOUT: Final = 128
_STREAM: Final = 20261127
# By the study: of what sets cuts apart so much is taken off a variance, and so much it is at least.
_TAKEN: Final = {"gain": (0.0, 1.5), "detour": (0.5, 0.5)}
_ROUNDED: Final = 1e-9  # of a sum of squares: less is rounding


class Blind(Struct, frozen=True, kw_only=True):
    """Two strategies that gold separates and the judge does not, or the other way round.

    Both are the first strategy's win rate less the second's. The interval by gold holds for all
    pairs together.
    """

    strategies: tuple[str, str]
    gold: Figure
    judge: Figure
    reversed: bool


class Work(Struct, frozen=True, kw_only=True):
    """Worth of an agent in one domain by gold, in win rate.

    `start` is the worth of all strategies alike. Gains are over that, of the agent that a detour is
    held against, which was trained here twice: `proxy_gain` of the one that the judge trained, as
    the judge sees it, `gold_gain` the same by gold, `gold_trained_gain` of the one that gold
    trained. `floor` is the share of choices by which two agents differ that were trained at home on
    different halves of the tasks.
    """

    groups: int
    labels: int
    start: Figure
    proxy_gain: Figure
    gold_gain: Figure
    floor: Figure
    blind: tuple[Blind, ...]
    word: Word
    gold_trained_gain: Figure | None


class Detour(Struct, frozen=True, kw_only=True):
    """Cost of training in the other domain first, in win rate, against training here twice.

    `regret` is by the judge's own verdicts, `gold_loss` by gold; `gold_trained_loss` is that of an
    agent trained by gold, and `beyond` what the first loses more than that one.
    """

    regret: Figure
    gold_loss: Figure
    gold_trained_loss: Figure | None
    beyond: Figure | None


class Quality(Struct, frozen=True, kw_only=True):
    """Figures of the work by gold; where nothing is known, `NotMeasured` stands in their place."""

    domains: Mapping[Domain, Work]
    directions: Mapping[Direction, Detour]
    measured: Literal[True] = field(default_factory=lambda: True)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledVerdicts:
    """Verdicts and labels of one domain, by group of tasks and strategy.

    Shapes: each (groups, K); `won` of `decided` verdicts, `gold` summed over `labels`.
    """

    won: Array
    decided: Array
    tied: Array
    gold: Array
    labels: Array

    @property
    def ties(self) -> Array:
        """How often a strategy's comparison ends undecided. Shapes: (K,)."""
        tied = self.tied.sum(axis=0)
        share: Array = tied / np.maximum(1, tied + self.decided.sum(axis=0))
        return share

    def in_order(self, order: Sequence[int]) -> "LabelledVerdicts":
        """Return the strategies in this order, and the groups in the order of their content."""
        parts = [getattr(self, name)[:, order] for name in self.__slots__]
        rows = sorted(np.stack(parts, axis=1).tolist())
        return LabelledVerdicts(
            **dict(zip(self.__slots__, np.array(rows).transpose(1, 0, 2), strict=True))
        )

    @property
    def is_dense(self) -> bool:
        """Return whether gold could train an agent: enough groups have labels of every strategy."""
        return bool(((self.labels > 0).mean(axis=0) >= _DENSE).all())


def judged_of(
    counts: Counts, gold: Array, labels: Array, groups: Sequence[str] | None
) -> LabelledVerdicts:
    """Return a domain of a verdict table with its labels, by group of tasks.

    Shapes: counts (K, tasks, 3), won, lost and tied; gold and labels (K, tasks).
    """
    won, lost, tied = counts.astype(np.float64).transpose(2, 0, 1)
    parts = np.stack([won, won + lost, tied, gold, labels], axis=2)
    names = list(dict.fromkeys(groups or ()))
    if groups is not None:
        member = np.array([[name == group for group in groups] for name in names], np.float64)
        parts = np.einsum("gt,ktn->kgn", member, parts)
    return LabelledVerdicts(
        **dict(zip(LabelledVerdicts.__slots__, parts.transpose(2, 1, 0), strict=True))
    )


class _Values(NamedTuple):
    """Win rates by the judge and by gold, for several tables at once. Shapes: (K, tables)."""

    judge: Array
    gold: Array


def quality(
    domains: Mapping[Domain, LabelledVerdicts],
    strategies: Sequence[str],
    *,
    rounds: int,
    rule: Rule,
) -> Quality | NotMeasured:
    """Return what gold says of two domains or more, or why it can say nothing.

    Each two domains are looked at by themselves.
    """
    for name, side in domains.items():
        groups = int((side.labels.sum(axis=1) > 0).sum())
        if groups < FEWEST_GROUPS:
            why = f"{groups} tasks of {name} have labels; at least {FEWEST_GROUPS} are needed"
            return NotMeasured(why=why, how="label more of them")
        if not (side.labels.sum(axis=0) > 0).all():
            lacking = strategies[int((side.labels.sum(axis=0) == 0).argmax())]
            why = f"no task of {name} has a label of the strategy {lacking!r}"
            return NotMeasured(why=why, how="label its answers as well")
    order = sorted(range(len(strategies)), key=lambda index: strategies[index])
    sides = {name: side.in_order(order) for name, side in domains.items()}
    work: dict[Domain, Work] = {}
    detours: dict[Direction, Detour] = {}
    for left, right in combinations(sorted(sides), 2):
        pair = sides[left], sides[right]
        cut_figures = _figures_by_cut(pair, rounds=rounds, rule=rule)
        for index, (name, away) in enumerate(((left, right), (right, left))):
            figures = {
                figure_name: _figure(
                    cuts[:, :, index],
                    parts[:, :, index],
                    pair,
                    detour=figure_name in Detour.__struct_fields__,
                )
                for figure_name, (cuts, parts) in cut_figures.items()
            }
            work.setdefault(name, _work(sides[name], figures, [strategies[k] for k in order]))
            detours[Pair(away, name).key] = Detour(**_fields_of(figures, Detour))
    return Quality(domains=work, directions=detours)


def _work(side: LabelledVerdicts, figures: Mapping[str, Figure], names: Sequence[str]) -> Work:
    work = Work(
        word="gain_not_shown",
        groups=len(side.gold),
        labels=int(side.labels.sum()),
        blind=tuple(blind_spots(side, names)),
        **_fields_of(figures, Work),
    )
    # A distance is above 0 by noise alone, which the jackknife takes for spread: no interval.
    floor = Figure(value=work.floor.value, ci95=None)
    return replace(work, floor=floor, word=word_of(work.gold_gain))


def word_of(gain: Figure) -> Word:
    """Return the word for a gain by gold (Reading R91)."""
    low, high = gain.ci95 or (0.0, 0.0)
    if low > MARGIN:
        return "gains"
    return "harms" if high < 0 else "gain_not_shown"


def _fields_of(figures: Mapping[str, Figure], struct: type[Struct]) -> dict[str, Any]:
    """Return the figures that are fields of a struct; None where gold trained no agent."""
    optional = {"gold_trained_gain", "gold_trained_loss", "beyond"}.intersection(
        struct.__struct_fields__
    )
    present = {name: figure for name, figure in figures.items() if name in struct.__struct_fields__}
    return dict.fromkeys(optional) | present


def _figures_by_cut(
    pair: tuple[LabelledVerdicts, LabelledVerdicts], *, rounds: int, rule: Rule
) -> dict[str, tuple[Array, Array]]:
    """Return each figure of both domains: by every cut, and without each block over all cuts.

    It comes twice, from two halves of the wheels.

    Shapes: (2, cuts, 2), (2, blocks, 2), blocks of the first domain before those of the second.
    """
    upper, blocks = _cuts(pair)
    dense = all(side.is_dense for side in pair)
    full = _of_tables(pair, upper, rounds=rounds, rule=rule, wheels=_WHEELS, dense=dense)
    jackknife = _of_tables(
        pair,
        (upper[None] * (1 - blocks)[:, None, None]).reshape(-1, *upper.shape[1:]),
        rounds=rounds,
        rule=rule,
        wheels=_WHEELS_WITHOUT,
        dense=dense,
    )
    shape = 2, len(blocks), _CUTS, 2
    return {
        name: (cuts, jackknife[name].reshape(shape).mean(axis=2)) for name, cuts in full.items()
    }


def _cuts(pair: tuple[LabelledVerdicts, LabelledVerdicts]) -> tuple[Array, Array]:
    """Return the halves of each cut, and the blocks; a row marks groups of both domains with 1.

    Groups are sorted, so cuts that do not know them would tear apart, or keep together, those that
    are alike, and in both domains the same ones. What is drawn follows from a domain's content.

    Shapes: (cuts, 2, groups), (blocks, groups).
    """
    sizes = [len(side.gold) for side in pair]
    halves, blocks = [], []
    for side, size in zip(pair, sizes, strict=True):
        rng = np.random.default_rng([_STREAM, crc32(side.won.tobytes() + side.gold.tobytes())])
        upper = rng.random((_CUTS, size)).argsort(axis=1).argsort(axis=1) < size // 2
        halves.append(np.stack([upper, ~upper], axis=1))
        places = rng.permutation(size) % min(size, _BLOCKS)
        blocks.append(np.arange(min(size, _BLOCKS))[:, None] == places)
    first, second = blocks
    members = np.zeros((len(first) + len(second), sum(sizes)))
    members[: len(first), : sizes[0]] = first
    members[len(first) :, sizes[0] :] = second
    return np.concatenate(halves, axis=2).astype(np.float64), members


def _of_tables(
    pair: tuple[LabelledVerdicts, LabelledVerdicts],
    halves: Array,
    *,
    rounds: int,
    rule: Rule,
    wheels: int,
    dense: bool,
) -> dict[str, Array]:
    """Return each figure of both domains for every cut: the mean over both roles of its halves.

    Shapes: halves (cuts, 2, groups); each figure (2, cuts, 2), by two halves of the wheels.
    """
    rows = halves.reshape(-1, halves.shape[2])
    first = len(pair[0].gold)
    values = [
        _values(side, part)
        for side, part in zip(pair, (rows[:, :first], rows[:, first:]), strict=True)
    ]
    ties = pair[0].ties, pair[1].ties
    by_judge = _trained([v.judge for v in values], ties, rounds=rounds, rule=rule, wheels=wheels)
    no_ties = np.zeros_like(ties[0])
    by_gold = None
    if dense:
        rates = [np.clip(v.gold, 0, 1) for v in values]
        by_gold = _trained(rates, (no_ties, no_ties), rounds=rounds, rule=rule, wheels=wheels)
    figures: dict[str, list[Array]] = {}
    for index, worth in enumerate(values):
        judge, gold = (
            _turned(win_rates) for win_rates in worth
        )  # a policy is worth what the other half says
        twice, crossed = by_judge[index]
        gained, lost = twice - 1 / len(gold), twice - crossed
        home = twice.mean(axis=0)
        domain_figures = {
            "start": np.tile(gold.mean(axis=0), (2, 1)),
            "proxy_gain": (gained * judge).sum(axis=1),
            "gold_gain": (gained * gold).sum(axis=1),
            "floor": np.tile(np.abs(home - _turned(home)).sum(axis=0) / 2, (2, 1)),
            "regret": (lost * judge).sum(axis=1),
            "gold_loss": (lost * gold).sum(axis=1),
        }
        if by_gold:
            twice, crossed = by_gold[index]
            domain_figures |= {
                "gold_trained_gain": ((twice - 1 / len(gold)) * gold).sum(axis=1),
                "gold_trained_loss": ((twice - crossed) * gold).sum(axis=1),
                "beyond": ((lost - (twice - crossed)) * gold).sum(axis=1),
            }
        for name, value in domain_figures.items():
            figures.setdefault(name, []).append(value.reshape(2, -1, 2).mean(axis=2))
    return {name: np.stack(domain_values, axis=2) for name, domain_values in figures.items()}


def _turned(values: Array) -> Array:
    """Return the tables with the two halves of each cut exchanged."""
    turned: Array = values.reshape(len(values), -1, 2)[:, :, ::-1].reshape(values.shape)
    return turned


def _values(side: LabelledVerdicts, rows: Array) -> _Values:
    """Return a domain's win rates by the judge and by gold, for the groups that each row marks.

    Where labels are of some groups alone, the judge's verdicts on the others help as far as they
    go with gold (the regression estimator), which leaves the mean of whole labels as it is.

    Shapes: rows (tables, groups).
    Source: W. G. Cochran, Sampling Techniques (1977), 12.6.
    """
    judge = won_shares(rows @ side.won, rows @ side.decided)
    has = (side.labels > 0).astype(np.float64)
    label = side.gold / np.maximum(1, side.labels)
    gold = won_shares(rows @ (label * has), rows @ has).T
    if not has.all():
        overlap = has * (side.decided > 0)
        verdict = side.won / np.maximum(1, side.decided)
        count = rows @ overlap
        x, y = (won_shares(rows @ (value * overlap), count).T for value in (verdict, label))
        together = (rows @ (overlap * verdict * label) - count * x * y).sum(axis=1, keepdims=True)
        spread = (rows @ (overlap * verdict**2) - count * x * x).sum(axis=1, keepdims=True)
        slope = np.divide(together, spread, out=np.zeros_like(spread), where=spread > _ROUNDED)
        gold += slope * (judge.T - x)
    return _Values(judge=judge, gold=np.ascontiguousarray(gold.T))


def _trained(
    rates: Sequence[Array], ties: tuple[Array, Array], *, rounds: int, rule: Rule, wheels: int
) -> list[tuple[Array, Array]]:
    """Return the final policies of each domain: trained here twice, and first in the other domain.

    Shapes: rates (K, tables); each policy (2, K, tables), by two halves of the wheels.
    """
    domain_a, domain_b = zip(Rates(*rates), ties, strict=True)
    ways: list[Way] = [
        (domain_a, domain_a),
        (domain_b, domain_a),
        (domain_b, domain_b),
        (domain_a, domain_b),
    ]
    ended = policies(ways, rounds=rounds, rule=rule, wheels=wheels)
    return [(ended[0], ended[1]), (ended[2], ended[3])]


def _figure(
    cuts: Array, jackknife: Array, pair: tuple[LabelledVerdicts, LabelledVerdicts], *, detour: bool
) -> Figure:
    """Return a figure with its interval by the jackknife over blocks of groups.

    The product of the two halves of the wheels has no noise of the wheels in it; what that does to
    the figure itself is added. The jackknife counts twice what two groups do together, which is
    what sets cuts of the same groups apart. Of a detour, which often costs nothing, half of that is
    taken off; of a gain nothing: intervals of few or unevenly judged strategies were too short.
    Both grow with the square of a difference between strategies: where groups happen to show none,
    leaving one out moves nothing, and what sets cuts apart is all that tells of the spread. Half of
    the groups train and half give values, which with two strategies nothing averages out: degrees
    of freedom are then those of a half.

    Shapes: (2, cuts), (2, blocks).
    Source: B. Efron and C. Stein, Annals of Statistics 9 (1981), 586-596.
    """
    first_half, second_half = (mean(half) for half in cuts.tolist())
    counts = [min(len(side.gold), _BLOCKS) for side in pair]
    blocks = np.split(jackknife, [counts[0]], axis=1)
    variance = sum(
        max(0.0, (n - 1) * _spread(block)) for n, block in zip(counts, blocks, strict=True)
    )
    # A mean over so many cuts has that much of one cut's spread beside what all have in common.
    together = max(0.0, (1 + 1 / _CUTS) * _CUTS / (_CUTS - 1) * _spread(cuts))
    discount, least = _TAKEN["detour" if detour else "gain"]
    variance = max(variance - discount * together, least * together)
    freedom = min(counts) // (2 if pair[0].gold.shape[1] == _TWO else 1) - 1
    half = t_point(freedom) * sqrt(variance + (first_half - second_half) ** 2 / 4)
    value = mean([first_half, second_half])
    return Figure(value=value, ci95=(value - half, value + half))


def _spread(halves: Array) -> float:
    """Return the variance of parts that come twice, by wheels of their own. Shapes: (2, parts)."""
    first, second = ([x - mean(half) for x in half] for half in halves.tolist())
    return mean([a * b for a, b in zip(first, second, strict=True)])


def blind_spots(side: LabelledVerdicts, names: Sequence[str]) -> Iterator[Blind]:
    """Yield the pairs of strategies that gold separates and the judge does not, or reverses."""
    pairs = [*combinations(range(len(names)), 2)]
    verdict = side.won / np.where(side.decided > 0, side.decided, np.nan)
    label = side.gold / np.where(side.labels > 0, side.labels, np.nan)
    for left, right in pairs:
        gold = _apart(label[:, left] - label[:, right], ALPHA / len(pairs))
        judge = _apart(verdict[:, left] - verdict[:, right], ALPHA)
        if gold.ci95 is None or judge.ci95 is None or gold.ci95[0] <= 0 <= gold.ci95[1]:
            continue
        up = gold.ci95[0] > 0
        backwards = judge.ci95[1] < 0 if up else judge.ci95[0] > 0
        if backwards or judge.ci95[0] <= 0 <= judge.ci95[1]:
            pair = names[left], names[right]
            yield Blind(strategies=pair, gold=gold, judge=judge, reversed=backwards)


def _apart(differences: Array, error: float) -> Figure:
    labelled = differences[~np.isnan(differences)].tolist()
    if len(labelled) < 2:  # noqa: PLR2004  (two is what a spread takes, not a setting)
        return Figure(value=None, ci95=None)
    middle, half = (
        mean(labelled),
        t_point(len(labelled) - 1, error) * sqrt(variance_of(labelled) / len(labelled)),
    )
    return Figure(value=middle, ci95=(middle - half, middle + half))
