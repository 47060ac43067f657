"""Is the work better by gold where an agent follows a judge, and what does a detour cost by gold?

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
    """What an agent is worth in one domain by gold, in win rate.

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
    """What training in the other domain first costs, in win rate, against training here twice.

    `regret` is by the judge's own verdicts, `gold_loss` by gold; `gold_trained_loss` is that of an
    agent trained by gold, and `beyond` what the first loses more than that one.
    """

    regret: Figure
    gold_loss: Figure
    gold_trained_loss: Figure | None
    beyond: Figure | None


class Quality(Struct, frozen=True, kw_only=True):
    """What is known of the work by gold; where nothing is, `NotMeasured` stands in its place."""

    domains: Mapping[Domain, Work]
    directions: Mapping[Direction, Detour]
    measured: Literal[True] = field(default_factory=lambda: True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One domain's verdicts and labels, by group of tasks and strategy.

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

    def in_order(self, order: Sequence[int]) -> "Judged":
        """Return the groups in the order of their content, the strategies in this one."""
        parts = [getattr(self, name)[:, order] for name in self.__slots__]
        rows = sorted(np.stack(parts, axis=1).tolist())
        return Judged(**dict(zip(self.__slots__, np.array(rows).transpose(1, 0, 2), strict=True)))

    @property
    def is_dense(self) -> bool:
        """Whether gold could train an agent: enough groups have labels of every strategy."""
        return bool(((self.labels > 0).mean(axis=0) >= _DENSE).all())


def judged_of(counts: Counts, gold: Array, labels: Array, groups: Sequence[str] | None) -> Judged:
    """Return a domain of a verdict table with its labels, by group of tasks.

    Shapes: counts (K, tasks, 3), won, lost and tied; gold and labels (K, tasks).
    """
    won, lost, tied = counts.astype(np.float64).transpose(2, 0, 1)
    parts = np.stack([won, won + lost, tied, gold, labels], axis=2)
    names = list(dict.fromkeys(groups or ()))
    if groups is not None:
        member = np.array([[name == own for own in groups] for name in names], np.float64)
        parts = np.einsum("gt,ktn->kgn", member, parts)
    return Judged(**dict(zip(Judged.__slots__, parts.transpose(2, 1, 0), strict=True)))


class _Values(NamedTuple):
    """Win rates by the judge and by gold, for several tables at once. Shapes: (K, tables)."""

    judge: Array
    gold: Array


def quality(
    domains: Mapping[Domain, Judged],
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
    order = sorted(range(len(strategies)), key=lambda at: strategies[at])
    sides = {name: side.in_order(order) for name, side in domains.items()}
    work: dict[Domain, Work] = {}
    detours: dict[Direction, Detour] = {}
    for one, other in combinations(sorted(sides), 2):
        both = sides[one], sides[other]
        seen = _seen(both, rounds=rounds, rule=rule)
        for at, (name, away) in enumerate(((one, other), (other, one))):
            figures = {
                each: _figure(
                    cuts[:, :, at],
                    parts[:, :, at],
                    both,
                    detour=each in Detour.__struct_fields__,
                )
                for each, (cuts, parts) in seen.items()
            }
            work.setdefault(name, _work(sides[name], figures, [strategies[k] for k in order]))
            detours[Pair(away, name).key] = Detour(**_only(figures, Detour))
    return Quality(domains=work, directions=detours)


def _work(side: Judged, figures: Mapping[str, Figure], names: Sequence[str]) -> Work:
    work = Work(
        word="gain_not_shown",
        groups=len(side.gold),
        labels=int(side.labels.sum()),
        blind=tuple(blind_spots(side, names)),
        **_only(figures, Work),
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


def _only(figures: Mapping[str, Figure], of: type[Struct]) -> dict[str, Any]:
    """Return the figures that a struct has; those of an agent that gold trained may be none."""
    own = {"gold_trained_gain", "gold_trained_loss", "beyond"}.intersection(of.__struct_fields__)
    known = {name: figure for name, figure in figures.items() if name in of.__struct_fields__}
    return dict.fromkeys(own) | known


def _seen(
    both: tuple[Judged, Judged], *, rounds: int, rule: Rule
) -> dict[str, tuple[Array, Array]]:
    """Return each figure of both domains: by every cut, and over all cuts without every block.

    It comes twice, from two halves of the wheels.

    Shapes: (2, cuts, 2), (2, blocks, 2), blocks of the first domain before those of the second.
    """
    upper, blocks = _cuts(both)
    dense = all(side.is_dense for side in both)
    whole = _of_tables(both, upper, rounds=rounds, rule=rule, wheels=_WHEELS, dense=dense)
    without = _of_tables(
        both,
        (upper[None] * (1 - blocks)[:, None, None]).reshape(-1, *upper.shape[1:]),
        rounds=rounds,
        rule=rule,
        wheels=_WHEELS_WITHOUT,
        dense=dense,
    )
    shape = 2, len(blocks), _CUTS, 2
    return {name: (cuts, without[name].reshape(shape).mean(axis=2)) for name, cuts in whole.items()}


def _cuts(both: tuple[Judged, Judged]) -> tuple[Array, Array]:
    """Return each cut's two halves, and the blocks; a row marks groups of both domains with 1.

    Groups are sorted, so cuts that do not know them would tear apart, or keep together, those that
    are alike, and in both domains the same ones. What is drawn follows from a domain's content.

    Shapes: (cuts, 2, groups), (blocks, groups).
    """
    sizes = [len(side.gold) for side in both]
    halves, blocks = [], []
    for side, size in zip(both, sizes, strict=True):
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
    both: tuple[Judged, Judged],
    halves: Array,
    *,
    rounds: int,
    rule: Rule,
    wheels: int,
    dense: bool,
) -> dict[str, Array]:
    """Return each figure of both domains for every cut, the mean of its two ways round.

    Shapes: halves (cuts, 2, groups); each figure (2, cuts, 2), by two halves of the wheels.
    """
    rows = halves.reshape(-1, halves.shape[2])
    first = len(both[0].gold)
    values = [
        _values(side, part)
        for side, part in zip(both, (rows[:, :first], rows[:, first:]), strict=True)
    ]
    ties = both[0].ties, both[1].ties
    by_judge = _trained([v.judge for v in values], ties, rounds=rounds, rule=rule, wheels=wheels)
    none = np.zeros_like(ties[0])
    by_gold = None
    if dense:
        rates = [np.clip(v.gold, 0, 1) for v in values]
        by_gold = _trained(rates, (none, none), rounds=rounds, rule=rule, wheels=wheels)
    figures: dict[str, list[Array]] = {}
    for at, worth in enumerate(values):
        judge, gold = (_turned(of) for of in worth)  # a policy is worth what the other half says
        twice, crossed = by_judge[at]
        gained, lost = twice - 1 / len(gold), twice - crossed
        home = twice.mean(axis=0)
        own = {
            "start": np.tile(gold.mean(axis=0), (2, 1)),
            "proxy_gain": (gained * judge).sum(axis=1),
            "gold_gain": (gained * gold).sum(axis=1),
            "floor": np.tile(np.abs(home - _turned(home)).sum(axis=0) / 2, (2, 1)),
            "regret": (lost * judge).sum(axis=1),
            "gold_loss": (lost * gold).sum(axis=1),
        }
        if by_gold:
            twice, crossed = by_gold[at]
            own |= {
                "gold_trained_gain": ((twice - 1 / len(gold)) * gold).sum(axis=1),
                "gold_trained_loss": ((twice - crossed) * gold).sum(axis=1),
                "beyond": ((lost - (twice - crossed)) * gold).sum(axis=1),
            }
        for name, value in own.items():
            figures.setdefault(name, []).append(value.reshape(2, -1, 2).mean(axis=2))
    return {name: np.stack(of, axis=2) for name, of in figures.items()}


def _turned(values: Array) -> Array:
    """Return the tables with the halves of each cut in each other's place."""
    turned: Array = values.reshape(len(values), -1, 2)[:, :, ::-1].reshape(values.shape)
    return turned


def _values(side: Judged, rows: Array) -> _Values:
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
        both = has * (side.decided > 0)
        verdict = side.won / np.maximum(1, side.decided)
        count = rows @ both
        x, y = (won_shares(rows @ (value * both), count).T for value in (verdict, label))
        together = (rows @ (both * verdict * label) - count * x * y).sum(axis=1, keepdims=True)
        spread = (rows @ (both * verdict**2) - count * x * x).sum(axis=1, keepdims=True)
        slope = np.divide(together, spread, out=np.zeros_like(spread), where=spread > _ROUNDED)
        gold += slope * (judge.T - x)
    return _Values(judge=judge, gold=np.ascontiguousarray(gold.T))


def _trained(
    rates: Sequence[Array], ties: tuple[Array, Array], *, rounds: int, rule: Rule, wheels: int
) -> list[tuple[Array, Array]]:
    """Return the policies of each domain: trained here twice, and there and then here.

    Shapes: rates (K, tables); each policy (2, K, tables), by two halves of the wheels.
    """
    one, two = zip(Rates(*rates), ties, strict=True)
    ways: list[Way] = [(one, one), (two, one), (two, two), (one, two)]
    ended = policies(ways, rounds=rounds, rule=rule, wheels=wheels)
    return [(ended[0], ended[1]), (ended[2], ended[3])]


def _figure(cuts: Array, without: Array, both: tuple[Judged, Judged], *, detour: bool) -> Figure:
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
    one, other = (mean(half) for half in cuts.tolist())
    counts = [min(len(side.gold), _BLOCKS) for side in both]
    blocks = np.split(without, [counts[0]], axis=1)
    variance = sum(max(0.0, (n - 1) * _spread(of)) for n, of in zip(counts, blocks, strict=True))
    # A mean over so many cuts has that much of one cut's spread beside what all have in common.
    together = max(0.0, (1 + 1 / _CUTS) * _CUTS / (_CUTS - 1) * _spread(cuts))
    taken, least = _TAKEN["detour" if detour else "gain"]
    variance = max(variance - taken * together, least * together)
    freedom = min(counts) // (2 if both[0].gold.shape[1] == _TWO else 1) - 1
    half = t_point(freedom) * sqrt(variance + (one - other) ** 2 / 4)
    value = mean([one, other])
    return Figure(value=value, ci95=(value - half, value + half))


def _spread(halves: Array) -> float:
    """Return the variance of parts that come twice, by wheels of their own. Shapes: (2, parts)."""
    one, other = ([x - mean(half) for x in half] for half in halves.tolist())
    return mean([a * b for a, b in zip(one, other, strict=True)])


def blind_spots(side: Judged, names: Sequence[str]) -> Iterator[Blind]:
    """Yield the pairs of strategies that gold separates and the judge does not, or reverses."""
    pairs = [*combinations(range(len(names)), 2)]
    verdict = side.won / np.where(side.decided > 0, side.decided, np.nan)
    label = side.gold / np.where(side.labels > 0, side.labels, np.nan)
    for one, other in pairs:
        gold = _apart(label[:, one] - label[:, other], ALPHA / len(pairs))
        judge = _apart(verdict[:, one] - verdict[:, other], ALPHA)
        if gold.ci95 is None or judge.ci95 is None or gold.ci95[0] <= 0 <= gold.ci95[1]:
            continue
        up = gold.ci95[0] > 0
        backwards = judge.ci95[1] < 0 if up else judge.ci95[0] > 0
        if backwards or judge.ci95[0] <= 0 <= judge.ci95[1]:
            two = names[one], names[other]
            yield Blind(strategies=two, gold=gold, judge=judge, reversed=backwards)


def _apart(differences: Array, error: float) -> Figure:
    known = differences[~np.isnan(differences)].tolist()
    if len(known) < 2:  # noqa: PLR2004  (two is what a spread takes, not a setting)
        return Figure(value=None, ci95=None)
    middle, half = (
        mean(known),
        t_point(len(known) - 1, error) * sqrt(variance_of(known) / len(known)),
    )
    return Figure(value=middle, ci95=(middle - half, middle + half))
