"""Gain by a judge's picks: the best of n (Reading R94), and an agent that learns of picks.

Of picks: strategy s hands in the answer that judge s scores highest. The judge that trains sees how
many of the other answers it scores lower, gold says whether it is right. So any bank with several
judges and labels is a table of strategies and tasks, and its domains are two kinds of task (Reading
R91).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import comb
from pathlib import Path
from typing import Final

from epc.analysis.verdicts_figures import average, figure_of
from epc.analysis.verdicts_lists import lists_of, side_by_side
from epc.analysis.verdicts_rows import fits, same_settings
from epc.arrays import Array, Codes, Flags, np
from epc.audit.quality import LabelledVerdicts, Quality, quality
from epc.errors import MalformedError, UsageError
from epc.protocol.weights import UpdateRule
from epc.records.banks import Bank, complete, is_bank, read_banks
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.types import Header
from epc.records.verdicts.verdict_file import read
from epc.spec.coupling import NotMeasured
from epc.statistics.clusters import bounded_mean, linearised_interval
from epc.statistics.figures import ClusteredFigure
from epc.statistics.selection import MOST_COMBINATIONS, Picks, picks, turning_point

ALL: Final = "all"
LEAST: Final = 10  # questions of a domain, from which on it is stated by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """Worth of the best of n by a judge's scores over an answer taken at random.

    `believed` is by the askings that picked it, `fresh` by the others, `luck` their difference and
    `luck_share` its part of the believed gain. Of the fresh gain at least `taste_least` and at most
    `taste_most` are paid for something else than gold. `gold` is the picks' mean label, and
    `gold_gain` how much more that is than of an answer at random; `gold_gain_lower` is what picking
    by a lower bound gains beside that. Absent is what cannot be said.
    """

    n: int
    figures: Mapping[str, ClusteredFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The n from which on more choice is shown to make the picks worse by gold; None up to `most`.

    The gain first falls between `low` and `n`, in 95% of tables at least; None is beyond `most`.
    """

    n: int | None
    low: int | None
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Worth of picking in one domain, by n."""

    items: int
    gains: Sequence[Gains]
    threshold: Threshold | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Worth of picking by one judge, with `k` of its `askings`, by their mean or a lower bound."""

    judge: str
    k: int
    askings: int
    arranged: bool
    pick: str
    left_out: int
    domains: Mapping[str, Domain]


def banks_in(path: Path, patterns: Sequence[str] = ()) -> list[Bank]:
    """Return what each judge of a file scored: of a table of scores, or of a verdict file.

    Raises: MalformedError at the first thing that cannot be read; UsageError if no judge fits.
    """
    if path.suffix == ".csv" or is_bank(path):
        banks = [*read_banks(path)]
        _require_fit(patterns, [bank.judge for bank in banks])
        banks = [bank for bank in banks if fits([bank.judge], patterns)]
    else:
        header, verdicts, findings = read(path)
        if findings or header is None or verdicts is None:
            raise MalformedError(findings[0])
        _require_fit(patterns, [*header.settings])
        banks = [*banks_of(header, verdicts, patterns)]
    if not banks:
        raise UsageError(f"{path} has no judge of several answers that fits")
    return banks


def _require_fit(patterns: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a pattern that no judge's name fits.

    Raises: UsageError.
    """
    for pattern in patterns:
        if not fits(names, [pattern]):
            raise UsageError(
                f"--setting {pattern}: no judge is called so\n  fix: one of {', '.join(names)}"
            )


def banks_of(header: Header, verdicts: Verdicts, patterns: Sequence[str] = ()) -> Iterator[Bank]:
    """Yield what each judge of a verdict file scored, or picked, of lists with a right answer.

    Settings whose header notes that they are no fair sample are left out, unless a pattern names
    them.
    """
    for names in same_settings(header.settings):
        note = header.settings[names[0]].note
        if (patterns and not fits(names, patterns)) or (note and not patterns):
            continue
        if bank := bank_of(names[0], verdicts[verdicts.are_of(names)]):
            yield bank


def bank_of(judge: str, verdicts: Verdicts) -> Bank | None:
    """Return what one judge scored, or picked, of lists with a right answer; None of no list."""
    lists = lists_of(verdicts)
    if not len(lists.list):
        return None
    arranged = len(np.unique(lists.order)) > 1
    if arranged:  # a judge that repeats itself would show no luck in the same arrangement
        _, once = np.unique(np.stack([lists.list, lists.order]), axis=1, return_index=True)
        lists = lists[np.sort(once)]
    side = side_by_side(lists)
    gold = np.where(np.isnan(side.scores).all(axis=1), np.nan, 0.0)
    gold[np.arange(len(gold)), side.right] = 1.0
    return complete(
        Bank(
            judge=judge,
            item=side.list,
            cluster=side.cluster,
            domain=side.subset,
            domains=verdicts.subset.names or [ALL],
            scores=side.scores,
            gold=gold,
            left_out=0,
            arranged=arranged,
        )
    )


def selections(banks: Sequence[Bank], k: int | None, *, lower: bool = False) -> Iterator[Selection]:
    """Yield what picking by each judge is worth.

    Without a `k` one asking picks, or by a lower bound half of them.

    Raises: UsageError if a judge was not asked so often, or in too many combinations.
    """
    for bank in banks:
        askings = bank.scores.shape[1]
        often = k or (max(2, askings // 2) if lower else 1)
        if often > askings:
            raise UsageError(f"{bank.judge} was asked {askings} times, not {often}")
        if comb(askings, often) > MOST_COMBINATIONS:
            raise UsageError(f"{often} of {askings} askings are too many combinations")
        if lower and often < 2:  # noqa: PLR2004  (one asking has no spread)
            raise UsageError("a lower bound takes at least 2 askings: --askings 2")
        mean = picks(bank.scores, bank.gold, often)
        by_bound = picks(bank.scores, bank.gold, often, lower=True) if lower else None
        yield Selection(
            judge=bank.judge,
            k=often,
            askings=askings,
            arranged=bank.arranged,
            pick="lower" if lower else "mean",
            left_out=bank.left_out,
            domains=dict(_domains(bank, mean, by_bound)),
        )


def _domains(bank: Bank, mean: Picks, by_bound: Picks | None) -> Iterator[tuple[str, Domain]]:
    masks = {ALL: np.ones(len(bank.item), np.bool_)}
    masks |= {name: bank.domain == code for code, name in enumerate(bank.domains) if name != ALL}
    for name, chosen in masks.items():
        clusters = bank.cluster[chosen]
        if len(np.unique(clusters)) < LEAST:
            continue
        ranked = by_bound or mean
        level = bank.gold[chosen].mean(axis=1)
        gains = []
        for index, n in enumerate(mean.sizes):
            figures = dict(_gains(ranked, index, chosen, clusters, level))
            if by_bound:
                gap = (by_bound.gold - mean.gold)[index, chosen]
                figures |= dict(_average("gold_gain_lower", gap, clusters))
            gains.append(Gains(n=n, figures=figures))
        threshold = None
        if not np.isnan(ranked.gold[:, chosen]).any():
            low, reached = turning_point(ranked.gold[:, chosen], clusters, ranked.sizes)
            threshold = Threshold(n=reached, low=low, most=ranked.sizes[-1])
        yield name, Domain(items=int(chosen.sum()), gains=gains, threshold=threshold)


def _gains(
    ranked: Picks, index: int, chosen: Flags, clusters: Codes, level: Array
) -> Iterator[tuple[str, ClusteredFigure]]:
    believed, fresh, gold, bought = (
        part[index, chosen] for part in (ranked.believed, ranked.fresh, ranked.gold, ranked.bought)
    )
    yield from _average("believed", believed, clusters)
    yield from _average("fresh", fresh, clusters)
    yield from _average("luck", believed - fresh, clusters)
    yield from _share("luck_share", believed - fresh, believed, clusters)
    if (priced := ~np.isnan(ranked.price[chosen])).any():
        yield from _average("taste_least", fresh - np.where(priced, bought, 0.0), clusters)
        price = ranked.price[chosen]
        middle, gain = float(price[priced].mean()), float(gold.mean())
        value = float(fresh.mean()) - middle * gain
        off = (fresh - fresh.mean() - middle * (gold - gain)) / len(fresh)
        off -= np.where(priced, price - middle, 0.0) * gain / priced.sum()
        yield "taste_most", _figure(value, off, clusters)
    labels = gold + level
    if 0 <= labels.min() <= labels.max() <= 1:  # a share, whose interval stays one
        yield "gold", figure_of(*bounded_mean(labels, clusters, (0.0, 1.0)), clusters)
    else:
        yield from _average("gold", labels, clusters)
    yield from _average("gold_gain", gold, clusters)


def _average(name: str, values: Array, clusters: Codes) -> Iterator[tuple[str, ClusteredFigure]]:
    return average(name, values, clusters) if not np.isnan(values).any() else iter(())


def _share(
    name: str, part: Array, total: Array, clusters: Codes
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield a part of a gain that is shown to be one; of none a share says nothing."""
    gain = dict(_average(name, total, clusters)).get(name)
    if gain and gain.ci95 and gain.ci95[0] > 0 and not np.isnan(part).any():
        value = float(part.sum() / total.sum())
        yield name, _figure(value, (part - value * total) / total.sum(), clusters)


def _figure(value: float, off: Array, clusters: Codes) -> ClusteredFigure:
    return figure_of(value, linearised_interval(value, off, clusters), clusters)


_TWO: Final = 2
_EQUAL: Final = 1e-9  # of mean scores


@dataclass(frozen=True, slots=True, kw_only=True)
class PickersQuality:
    """Quality by gold of what one judge teaches an agent that chooses among the others' picks."""

    judge: str
    pickers: Sequence[str]
    items: int
    quality: Quality | NotMeasured


def pickers_quality(
    banks: Sequence[Bank], judge: str | None, domains: Sequence[str], *, rounds: int
) -> Iterator[PickersQuality]:
    """Yield what each judge teaches an agent that chooses among the other judges' picks.

    Without names the domains are the two with most items.

    Raises: UsageError if a name is none, or there are too few judges or domains.
    """
    if judge is not None and judge not in {bank.judge for bank in banks}:
        names = ", ".join(bank.judge for bank in banks)
        raise UsageError(f"there is no judge {judge!r}: there are {names}")
    common = reduce(np.intersect1d, [bank.item for bank in banks])
    banks = [bank[np.isin(bank.item, common)] for bank in banks]
    if len({bank.scores.shape[2] for bank in banks}) > 1 or not len(common):
        raise UsageError("the judges have no items with the same answers in common")
    if len(banks) <= _TWO:
        raise UsageError("an agent takes at least two judges' picks to choose from, and one more")
    order = [bank[np.argsort(bank.item, kind="stable")] for bank in banks]
    chosen = _wanted_domains(order[0], domains)
    for bank in order:
        if judge in (None, bank.judge):
            pickers = [picker for picker in order if picker is not bank]
            sides = {
                name: _judged(bank, pickers, bank.domain == code) for name, code in chosen.items()
            }
            yield PickersQuality(
                judge=bank.judge,
                pickers=[picker.judge for picker in pickers],
                items=len(common),
                quality=quality(
                    sides, [picker.judge for picker in pickers], rounds=rounds, rule=UpdateRule()
                ),
            )


def _wanted_domains(bank: Bank, names: Sequence[str]) -> dict[str, int]:
    counts = {name: int((bank.domain == code).sum()) for code, name in enumerate(bank.domains)}
    wanted = names or sorted(counts, key=lambda name: (-counts[name], name))[:_TWO]
    for name in wanted:
        if not counts.get(name):
            raise UsageError(f"no common item is of the domain {name!r}: {', '.join(counts)}")
    if len(wanted) < _TWO:
        raise UsageError("transfer takes two domains: --domains A,B")
    return {_key(name): bank.domains.index(name) for name in wanted}


def _key(name: str) -> str:
    """Return a domain's name as a direction has it."""
    return "_".join(name.lower().split())


def _judged(bank: Bank, pickers: Sequence[Bank], mask: Array) -> LabelledVerdicts:
    """Return one domain as verdicts of a judge on picks, with their labels, by cluster."""
    shares = np.stack([_picks(picker.scores[mask].mean(axis=1)) for picker in pickers], axis=1)
    scores = bank.scores[mask].mean(axis=1)
    apart = scores[:, :, None] - scores[:, None, :]
    beaten = (apart > _EQUAL).sum(axis=2) + ((np.abs(apart) <= _EQUAL).sum(axis=2) - 1) / 2
    won = np.einsum("isr,ir->is", shares, beaten / (scores.shape[1] - 1))
    gold = np.einsum("isr,ir->is", shares, bank.gold[mask])
    labelled = (~np.isnan(gold)).astype(np.float64)
    parts = np.stack([won, np.ones_like(won), np.zeros_like(won), np.nan_to_num(gold), labelled])
    _, group = np.unique(bank.cluster[mask], return_inverse=True)
    sums = np.zeros((len(parts), int(group.max()) + 1, len(pickers)))
    for part, total in zip(parts, sums, strict=True):
        np.add.at(total, group, part)
    return LabelledVerdicts(**dict(zip(LabelledVerdicts.__slots__, sums, strict=True)))


def _picks(scores: Array) -> Array:
    """Return how an answer is handed in: the highest score, ties shared."""
    top = scores >= scores.max(axis=1, keepdims=True) - _EQUAL
    shares: Array = top / top.sum(axis=1, keepdims=True)
    return shares
