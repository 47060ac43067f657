"""Transfer by gold from a bank: judges' picks are the strategies that another judge trains.

Strategy s hands in the answer that judge s scores highest. The judge that trains sees how many of
the other answers it scores lower, gold says whether it is right. So any bank with several judges
and labels is a table of strategies and tasks, and its domains are two kinds of task (Reading R91).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from epc.arrays import Array, np
from epc.audit.quality import Judged, Quality, quality
from epc.errors import UsageError
from epc.protocol.weights import UpdateRule
from epc.records.banks import Bank
from epc.spec.coupling import NotMeasured

_TWO: Final = 2
_EQUAL: Final = 1e-9  # of mean scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """What an agent learns from one judge that chooses among the others' picks, by gold."""

    judge: str
    pickers: Sequence[str]
    items: int
    quality: Quality | NotMeasured


def picked(
    banks: Sequence[Bank], judge: str | None, domains: Sequence[str], *, rounds: int
) -> Iterator[Picked]:
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
    chosen = _domains(order[0], domains)
    for bank in order:
        if judge in (None, bank.judge):
            pickers = [other for other in order if other is not bank]
            sides = {
                name: _judged(bank, pickers, bank.domain == code) for name, code in chosen.items()
            }
            yield Picked(
                judge=bank.judge,
                pickers=[other.judge for other in pickers],
                items=len(common),
                quality=quality(
                    sides, [other.judge for other in pickers], rounds=rounds, rule=UpdateRule()
                ),
            )


def _domains(bank: Bank, names: Sequence[str]) -> dict[str, int]:
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


def _judged(bank: Bank, pickers: Sequence[Bank], own: Array) -> Judged:
    """Return one domain as verdicts of a judge on picks, with their labels, by cluster."""
    shares = np.stack([_picks(other.scores[own].mean(axis=1)) for other in pickers], axis=1)
    scores = bank.scores[own].mean(axis=1)
    apart = scores[:, :, None] - scores[:, None, :]
    beaten = (apart > _EQUAL).sum(axis=2) + ((np.abs(apart) <= _EQUAL).sum(axis=2) - 1) / 2
    won = np.einsum("isr,ir->is", shares, beaten / (scores.shape[1] - 1))
    gold = np.einsum("isr,ir->is", shares, bank.gold[own])
    labelled = (~np.isnan(gold)).astype(np.float64)
    parts = np.stack([won, np.ones_like(won), np.zeros_like(won), np.nan_to_num(gold), labelled])
    _, group = np.unique(bank.cluster[own], return_inverse=True)
    sums = np.zeros((len(parts), int(group.max()) + 1, len(pickers)))
    for part, total in zip(parts, sums, strict=True):
        np.add.at(total, group, part)
    return Judged(**dict(zip(Judged.__slots__, sums, strict=True)))


def _picks(scores: Array) -> Array:
    """Return how an answer is handed in: the highest score, ties shared."""
    top = scores >= scores.max(axis=1, keepdims=True) - _EQUAL
    shares: Array = top / top.sum(axis=1, keepdims=True)
    return shares
