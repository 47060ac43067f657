"""Agreement of a judge's votes on items, by the figures of an audit (Readings R77 and R101)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain

from epc.analysis.verdicts_figures import every_two, share
from epc.analysis.verdicts_labels import PassRows, of_labels
from epc.arrays import ByRow, Codes, np
from epc.statistics.figures import ClusteredFigure

Votes = Sequence[Sequence[Hashable]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Askings(ByRow):
    """Askings of items, which weigh alike. Shapes: each (m,)."""

    cluster: Codes
    unit: Codes


def agreement_of_votes(
    votes: Votes, expected: Sequence[Hashable] | None = None
) -> ClusteredFigure | None:
    """Return how often the votes on an item are alike, or are what is expected; None of none.

    Repeats agree as `repeat_consistency_all` of an audit does, every two askings of an item;
    expected votes as its `agreement`. Of a single item with an expected vote each asking counts as
    an item.
    """
    size = [len(item_votes) for item_votes in votes]
    items = np.repeat(np.arange(len(votes)), size)
    if not len(items):
        return None
    if expected is None:
        return _of_repeats(votes, items)
    right = chain.from_iterable(
        [vote == wanted for vote in item_votes]
        for item_votes, wanted in zip(votes, expected, strict=True)
    )
    hits = np.fromiter(right, np.float64, len(items))
    units = items if len(votes) > 1 else np.arange(len(items))
    rows = PassRows(passes=hits, label=np.ones(len(hits)), cluster=units, unit=units)
    found = of_labels(rows)
    return found[0]["agreement"] if found else None


def _of_repeats(votes: Votes, items: Codes) -> ClusteredFigure | None:
    code_of: dict[Hashable, int] = {}
    flat = chain.from_iterable(votes)
    codes = np.array([code_of.setdefault(vote, len(code_of)) for vote in flat])
    left, right = every_two(items)
    pairs = _Askings(cluster=items[left], unit=items[left])
    return dict(share("agreement", codes[left] == codes[right], pairs)).get("agreement")
