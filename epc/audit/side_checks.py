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
from epc.spec.coupling import CLUSTER_LEVEL
from epc.spec.domains import Domain

_SHUFFLED: Final = 999
_ENOUGH: Final = 10  # shuffles that explain as much: more would not make the p-value small
_STREAM: Final = 20261126
_TIED: Final = 1e-9
_TINY: Final = 1e-12
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
    deals = arrangements(*units.numbers.values())
    first, second = ((side @ tied) / np.maximum(1, side @ totals) for side in (deals, 1 - deals))
    p_value = share_as_large(np.abs(first - second))
    share = dict(zip(units.domains, (float(first[0]), float(second[0])), strict=True))
    return TieTest(share={domain: share[domain] for domain in sorted(share)}, p_value=p_value)


def clusters(units: Units) -> dict[Domain, float | None]:
    """Return, for each domain, the p-value of its units being no more alike than by chance.

    What strategies and units explain is taken off the win rates, and how sharply a unit tells the
    strategies apart. If some units share what is left, few patterns explain most of it; shuffled
    among units, strategy by strategy, none does. With three strategies there is one pattern, so
    nothing is found. None where a domain has too few units to say.

    Source: Reading R74; J. L. Horn, Psychometrika 30 (1965), 179-185 (against shuffled data).
    """
    p_values: dict[Domain, float | None] = {}
    for part, domain in enumerate(units.domains):
        columns = slice(0, units.first) if part == 0 else slice(units.first, None)
        won, decided = units.won[columns], units.decided[columns]
        if len(won) < _FEWEST:
            p_values[domain] = None
            continue
        shares = np.where(decided > 0, won / np.maximum(1, decided), np.nan)
        rng = generator([_STREAM])
        p_values[domain] = _shared_patterns(shares, rng)
    return {domain: p_values[domain] for domain in sorted(p_values)}


def clustered(p_values: Mapping[Domain, float | None]) -> dict[Domain, float]:
    """Return the domains whose units are more alike than by chance, each with its p-value.

    Source: Readings R71 and R74; the level is that of all domains together (Bonferroni).
    """
    return {
        domain: p
        for domain, p in p_values.items()
        if p is not None and p * len(p_values) <= CLUSTER_LEVEL
    }


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
    Source: J. Besag, P. Clifford, Biometrika 78 (1991), 301-304 (stopping at so many).
    """
    middle = np.nanmean(shares, axis=0)
    deviations = np.where(np.isnan(shares), 0.0, shares - middle)
    profile = middle - middle.mean()
    observed = _concentration(deviations, profile)
    as_extreme = 0
    for shuffled in range(1, 1 + _SHUFFLED):
        order = rng.random(deviations.shape).argsort(axis=0)
        mixed = np.take_along_axis(deviations, order, axis=0)
        as_extreme += _concentration(mixed, profile) >= observed * (1 - _TIED)
        if as_extreme == _ENOUGH:
            return _ENOUGH / shuffled
    return (1 + as_extreme) / (1 + _SHUFFLED)


def _concentration(deviations: Array, profile: Array) -> float:
    """Return the sum of the fourth powers of the singular values, as a share of all squared.

    Each unit counts as much as another, however far apart its strategies are.
    """
    centred = deviations - deviations.mean(axis=1, keepdims=True)
    along = np.einsum("uk,k->u", centred, profile) / max(float((profile * profile).sum()), _TINY)
    centred -= along[:, None] * profile
    lengths = np.sqrt((centred * centred).sum(axis=1, keepdims=True))
    centred = np.where(lengths > _TIED, centred / np.maximum(lengths, _TIED), 0.0)
    products = np.einsum("uk,ul->kl", centred, centred)
    total = float((centred * centred).sum())
    return float((products * products).sum()) / total**2 if total else 0.0
