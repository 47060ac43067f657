"""How often ways to decide are right on common questions: the table behind `epc which`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Final

from epc.analysis.verdicts_lists import Askings, Lists, best, lists_of, side_by_side
from epc.arrays import Array, Codes, np
from epc.protocol.draws import generator
from epc.records.choices import ALL, Choices, Domain, Way
from epc.records.verdicts.columns import Verdicts
from epc.statistics.all_pairs import all_pairs_point, mean_of_strata

_ASKINGS: Final = (1, 2, 4, 8)
_DIGITS: Final = 6  # of a share; a covariance has as many significant ones
_STREAM: Final = 20261128  # of what chance alone does to all pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceEstimate:
    """Cost of 1,000 questions in US dollars, and by what it was computed or why it was not."""

    usd: float | None
    basis: str


# The price of 1,000 questions of so many tokens read and written by a model.
PriceOf = Callable[[str, float, float], PriceEstimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkJudge:
    """A judge, and the settings in which it was asked about a benchmark with its plain prompt."""

    model: str
    tag: str
    source: str
    prompt: str
    settings: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgeAnswers:
    """Answers of a judge: `askings` of lists that it scored, or how often its picks are `right`.

    `times` is how often each list was asked about; scored ones asked less often are left out.
    """

    judge: BenchmarkJudge
    lists: Codes
    times: int
    askings: Askings | None
    right: Array | None
    tokens: tuple[float, float]


def choices(
    judges: Sequence[BenchmarkJudge],
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
    answers = [_judge(benchmark_judge, verdicts) for benchmark_judge in judges]
    common = reduce(np.intersect1d, [judge.lists for judge in answers])
    rows = [*_ways(answers, common, price_of)]
    right = np.array([shares for _, shares in rows])
    _, first = np.unique(verdicts.item.codes, return_index=True)
    index_of = dict(zip(verdicts.item.codes[first].tolist(), first.tolist(), strict=True))
    subsets = verdicts.subset.codes[[index_of[code] for code in common.tolist()]]
    return Choices(
        benchmark=benchmark,
        decides=decides,
        chance=chance,
        ways=tuple(way for way, _ in rows),
        domains=_domains(right, subsets, verdicts.subset.names),
    )


# Reading R105: how many questions a benchmark has of a domain says nothing of a user's tasks.
def _domains(right: Array, subsets: Codes, names: Sequence[str]) -> dict[str, Domain]:
    """Return the figures of each domain, and those of all: the mean of the domains.

    A domain of one question shows no spread, and is left out of both.

    Shapes: (ways, questions), (questions,).
    """
    chosen = {name: subsets == code for code, name in enumerate(names)}
    listed = {name: flags for name, flags in sorted(chosen.items()) if flags.sum() > 1}
    everything = np.any([*listed.values()], axis=0) if listed else np.ones(len(subsets), bool)
    strata = subsets[everything] if listed else np.zeros(len(subsets), np.int64)
    domains = {ALL: _domain(right[:, everything], strata)}
    for name, flags in listed.items():
        domains[name] = _domain(right[:, flags], subsets[flags])
    return domains


def _judge(benchmark_judge: BenchmarkJudge, verdicts: Verdicts) -> _JudgeAnswers:
    judge_verdicts = verdicts[verdicts.are_of(benchmark_judge.settings)]
    lists = lists_of(judge_verdicts)
    side = side_by_side(lists)
    if (lists.order >= 0).any():
        times = int(np.unique(lists.list, return_counts=True)[1].min(initial=1))
        list_codes, askings, right = side.list, None, _right_by_place(lists)
    else:
        times = int(side.count.max(initial=0))
        complete = side[side.count == times]
        list_codes, askings, right = complete.list, complete, None
    read, written = (
        judge_verdicts.input_tokens.as_numbers(),
        judge_verdicts.output_tokens.as_numbers(),
    )
    return _JudgeAnswers(
        judge=benchmark_judge,
        lists=list_codes,
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
    judges: Sequence[_JudgeAnswers], common: Codes, price_of: PriceOf
) -> Iterator[tuple[Way, Array]]:
    scored = []
    for judge in judges:
        index = np.searchsorted(judge.lists, common)
        if judge.right is not None:
            yield _way([judge], 1, price_of), judge.right[index]
        elif judge.askings is not None:
            askings = judge.askings[index]
            for k in (k for k in _ASKINGS if k <= judge.times):
                yield _way([judge], k, price_of), best([(askings, k)])
            scored += [(judge, askings)] if judge.times > 1 else []
    for (left, askings), (right, other_askings) in combinations(scored, 2):
        if left.judge.source == right.judge.source:
            yield _way([left, right], 1, price_of), best([(askings, 1), (other_askings, 1)])


def _way(judges: Sequence[_JudgeAnswers], askings: int, price_of: PriceOf) -> Way:
    prices = []
    for judge in judges:
        read, written = judge.tokens
        prices.append(price_of(judge.judge.model, read, written * askings))
    costs = [priced.usd for priced in prices if priced.usd is not None]
    return Way(
        models=tuple(judge.judge.model for judge in judges),
        askings=askings,
        prompt=", ".join(dict.fromkeys(judge.judge.prompt for judge in judges)),
        source=", ".join(dict.fromkeys(judge.judge.source for judge in judges)),
        tags=tuple(judge.judge.tag for judge in judges),
        settings=tuple(sorted(name for judge in judges for name in judge.judge.settings)),
        usd=round(sum(costs), 4) if len(costs) == len(prices) else None,
        priced="; ".join(dict.fromkeys(priced.basis for priced in prices)),
        times=min(judge.times for judge in judges),
    )


def _domain(right: Array, strata: Codes) -> Domain:
    """Return the shares, their covariance, and what shows a difference of two.

    Shapes: (ways, questions), (questions,).
    """
    shares, off = mean_of_strata(right, strata)
    return Domain(
        questions=right.shape[1],
        right=tuple(round(float(mean), _DIGITS) for mean in shares),
        covariance=tuple(
            tuple(float(f"{value:.{_DIGITS}g}") for value in row[: index + 1])
            for index, row in enumerate((off @ off.T).tolist())
        ),
        point=all_pairs_point(right, generator([_STREAM]), strata=strata),
    )
