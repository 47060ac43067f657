"""Beside the word: do ties differ between domains, do tasks fall into topics, does length win?

A judge that cannot answer in one domain has a failure of format there, which is a fact of its own
and no coupling (Reading R72). Topics that nobody declared are the worst trap that is known: tasks
that belong together are no independent witnesses (Reading R74). And a judge that likes long answers
in one domain only couples by format, not by substance (EPC-5.3).
"""

from collections.abc import Mapping, Sequence
from statistics import correlation
from typing import Final

from msgspec import Struct

from epc.arrays import Array, Generator, np
from epc.audit.permutation import arrangements, share_as_large
from epc.audit.units import Units
from epc.protocol.draws import generator
from epc.protocol.table import VerdictTable
from epc.spec.domains import Domain

_SHUFFLED: Final = 199
_STREAM: Final = 20261126
_TIED: Final = 1e-9
_FEWEST: Final = 4  # units; of three every two are alike in something


class TieTest(Struct, frozen=True, kw_only=True):
    """How often each domain's comparisons end undecided, and whether that differs.

    Both are 0 and 1 where a domain has no comparison left.
    """

    share: Mapping[Domain, float]
    p_value: float


def tie_test(units: Units) -> TieTest:
    """Return the domains' shares of ties, with the p-value of dealing the units out anew.

    Source: Reading R72.
    """
    if not units.fewest:
        return TieTest(share=dict.fromkeys(sorted(units.domains), 0.0), p_value=1.0)
    tied = units.tied.sum(axis=1)
    totals = tied + units.decided.sum(axis=1)
    every = arrangements(*units.numbers.values())
    first, second = ((side @ tied) / np.maximum(1, side @ totals) for side in (every, 1 - every))
    p_value = share_as_large(np.abs(first - second))
    share = dict(zip(units.domains, (float(first[0]), float(second[0])), strict=True))
    return TieTest(share={domain: share[domain] for domain in sorted(share)}, p_value=p_value)


def clusters(units: Units) -> dict[Domain, float | None]:
    """Return, for each domain, the p-value of its units being no more alike than by chance.

    What strategies and units explain is taken off the win rates. If some units share what is left,
    few patterns explain most of it; shuffled among units, strategy by strategy, none does. None
    where a domain has too few units to say.

    Source: Reading R74; J. L. Horn, Psychometrika 30 (1965), 179-185 (against shuffled data).
    """
    p_values: dict[Domain, float | None] = {}
    for part, domain in enumerate(units.domains):
        own = slice(0, units.first) if part == 0 else slice(units.first, None)
        won, decided = units.won[own], units.decided[own]
        if len(won) < _FEWEST:
            p_values[domain] = None
            continue
        shares = np.where(decided > 0, won / np.maximum(1, decided), np.nan)
        rng = generator([_STREAM])
        p_values[domain] = _shared_patterns(shares, rng)
    return {domain: p_values[domain] for domain in sorted(p_values)}


def length_correlation(
    table: VerdictTable, lengths: Mapping[Domain, Sequence[float | None]]
) -> dict[Domain, float | None]:
    """Return, for each domain, how win rate goes with the length of a strategy's answers.

    Pearson's correlation over strategies; None where fewer than three were judged, or where one of
    the two is the same for all.

    Shapes: the mean lengths of K strategies, in characters; None where no answer is known.
    Source: EPC-5.3 (format as a confound).
    """
    correlations: dict[Domain, float | None] = {}
    for domain, counts in table.counts.items():
        won, lost, _ = counts.sum(axis=1).T.tolist()
        pairs = [
            (length, wins / (wins + losses))
            for length, wins, losses in zip(lengths[domain], won, lost, strict=True)
            if length is not None and wins + losses
        ]
        varied = len(pairs) > 2 and all(len(set(side)) > 1 for side in zip(*pairs, strict=True))  # noqa: PLR2004  (two points always lie on a line)
        correlations[domain] = correlation(*zip(*pairs, strict=True)) if varied else None
    return correlations


def _shared_patterns(shares: Array, rng: Generator) -> float:
    """Return the p-value of a few patterns explaining so much.

    Shapes: (units, K), NaN where nothing was decided.
    """
    middle = np.nanmean(shares, axis=0)
    left = np.where(np.isnan(shares), 0.0, shares - middle)
    observed = _concentration(left)
    as_extreme = 0
    for _ in range(_SHUFFLED):
        as_extreme += _concentration(rng.permuted(left, axis=0)) >= observed * (1 - _TIED)
    return (1 + as_extreme) / (1 + _SHUFFLED)


def _concentration(left: Array) -> float:
    """Return the sum of the fourth powers of the singular values, as a share of all squared."""
    centred = left - left.mean(axis=1, keepdims=True)
    products = np.einsum("uk,ul->kl", centred, centred)
    total = float((centred * centred).sum())
    return float((products * products).sum()) / total**2 if total else 0.0
