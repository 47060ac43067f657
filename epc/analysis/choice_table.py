"""How often ways to decide are right on common questions: the table behind `epc which`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Final

from epc.analysis.observed_lists import Askings, Lists, best, lists_of, side_by_side
from epc.arrays import Array, Codes, np
from epc.records.choices import ALL, Choices, Domain, Way
from epc.records.observed.columns import Verdicts

_ASKINGS: Final = (1, 2, 4, 8)
_DIGITS: Final = 6  # of a share; a covariance has as many significant ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What 1,000 questions cost in US dollars, and by what that was computed or why it was not."""

    usd: float | None
    words: str


# The price of 1,000 questions of so many tokens read and written by a model.
PriceOf = Callable[[str, float, float], Priced]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One judge, and the settings in which it was asked about a benchmark with its plain prompt."""

    model: str
    tag: str
    source: str
    prompt: str
    settings: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judge:
    """What a judge said: `askings` of lists that it scored, or how often its picks are `right`.

    `times` is how often each list was asked about; those asked less often are left out.
    """

    asked: Asked
    lists: Codes
    times: int
    askings: Askings | None
    right: Array | None
    tokens: tuple[float, float]


def choices(
    judges: Sequence[Asked],
    verdicts: Verdicts,
    price_of: PriceOf,
    *,
    benchmark: str,
    decides: str,
    chance: float,
) -> Choices:
    """Return how often each way is right, on the questions that every judge answered in full.

    Ways are each judge alone, 1, 2, 4 and 8 times, and two judges of a source once each whose
    scores were asked for more than once, and so are on one scale.
    """
    found = [_judge(asked, verdicts) for asked in judges]
    common = reduce(np.intersect1d, [judge.lists for judge in found])
    rows = [*_ways(found, common, price_of)]
    right = np.array([shares for _, shares in rows])
    _, first = np.unique(verdicts.item.codes, return_index=True)
    at = dict(zip(verdicts.item.codes[first].tolist(), first.tolist(), strict=True))
    subsets = verdicts.subset.codes[[at[code] for code in common.tolist()]]
    named = {ALL: np.ones(len(common), bool)}
    named |= {name: subsets == code for code, name in enumerate(verdicts.subset.names)}
    return Choices(
        benchmark=benchmark,
        decides=decides,
        chance=chance,
        ways=tuple(way for way, _ in rows),
        domains={
            name: _domain(right[:, chosen])
            for name, chosen in sorted(named.items(), key=lambda item: (item[0] != ALL, item[0]))
            if chosen.sum() > 1
        },
    )


def _judge(asked: Asked, verdicts: Verdicts) -> _Judge:
    own = verdicts[verdicts.are_of(asked.settings)]
    lists = lists_of(own)
    side = side_by_side(lists)
    if (lists.order >= 0).any():
        times, kept, askings, right = 1, side.list, None, _right_by_place(lists)
    else:
        times = int(side.count.max(initial=0))
        whole = side[side.count == times]
        kept, askings, right = whole.list, whole, None
    read, written = own.input_tokens.as_numbers(), own.output_tokens.as_numbers()
    return _Judge(
        asked=asked,
        lists=kept,
        times=times,
        askings=askings,
        right=right,
        tokens=(float(read.mean()), float(written.mean())),
    )


def _right_by_place(lists: Lists) -> Array:
    """Return how often the right candidate of each list was picked, each of its places alike.

    Shapes: (lists,), in the order of their numbers.
    """
    right = (lists.picked == lists.right).astype(np.float64)
    pairs, group = np.unique(np.stack([lists.list, lists.place]), axis=1, return_inverse=True)
    by_place = np.bincount(group, weights=right) / np.bincount(group)
    _, of_list = np.unique(pairs[0], return_inverse=True)
    shares: Array = np.bincount(of_list, weights=by_place) / np.bincount(of_list)
    return shares


def _ways(
    judges: Sequence[_Judge], common: Codes, price_of: PriceOf
) -> Iterator[tuple[Way, Array]]:
    scored = []
    for judge in judges:
        at = np.searchsorted(judge.lists, common)
        if judge.right is not None:
            yield _way([judge], 1, price_of), judge.right[at]
        elif judge.askings is not None:
            askings = judge.askings[at]
            for k in (k for k in _ASKINGS if k <= judge.times):
                yield _way([judge], k, price_of), best([(askings, k)])
            scored += [(judge, askings)] if judge.times > 1 else []
    for (one, askings), (other, other_askings) in combinations(scored, 2):
        if one.asked.source == other.asked.source:
            yield _way([one, other], 1, price_of), best([(askings, 1), (other_askings, 1)])


def _way(judges: Sequence[_Judge], askings: int, price_of: PriceOf) -> Way:
    prices = []
    for judge in judges:
        read, written = judge.tokens
        prices.append(price_of(judge.asked.model, read, written * askings))
    costs = [priced.usd for priced in prices if priced.usd is not None]
    return Way(
        models=tuple(judge.asked.model for judge in judges),
        askings=askings,
        prompt=", ".join(dict.fromkeys(judge.asked.prompt for judge in judges)),
        source=", ".join(dict.fromkeys(judge.asked.source for judge in judges)),
        tags=tuple(judge.asked.tag for judge in judges),
        settings=tuple(sorted(name for judge in judges for name in judge.asked.settings)),
        usd=round(sum(costs), 4) if len(costs) == len(prices) else None,
        priced="; ".join(dict.fromkeys(priced.words for priced in prices)),
    )


def _domain(right: Array) -> Domain:
    """Return the shares and their covariance. Shapes: (ways, questions)."""
    spread = np.atleast_2d(np.cov(right)) / right.shape[1]
    return Domain(
        questions=right.shape[1],
        right=tuple(round(float(mean), _DIGITS) for mean in right.mean(axis=1)),
        covariance=tuple(
            tuple(float(f"{value:.{_DIGITS}g}") for value in row[: at + 1])
            for at, row in enumerate(spread.tolist())
        ),
    )
