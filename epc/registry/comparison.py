"""Two records side by side: what differs, the figures that both have, whether they agree.

Pure: it takes values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import to_builtins

from epc.errors import UsageError
from epc.protocol.metrics import COIN_GAMMA, COIN_MEAN
from epc.protocol.results import Json
from epc.registry.figures import Figure, figure_at, figures_by_name, has_reference_coin
from epc.registry.names import is_one_contributor
from epc.registry.record import Model
from epc.registry.snapshots import Snapshot
from epc.statistics.figures import spread_text

# Of a card, what must agree for two figures to be of one thing (`like for like`).
_CONDITIONS: Final = ("generation", "protocol_version", "evaluator", "executor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One of two records: its conditions must agree for figures to be of one thing, facts may not.

    `figures` are those that a comparison is about, by name.
    """

    name: str
    snapshot: Snapshot
    conditions: Mapping[str, Any]
    figures: Mapping[str, Figure]
    facts: Mapping[str, str] = field(default_factory=dict)
    state: str = ""

    def floor(self, gamma: Figure) -> str:
        """Return the noise floor that belongs to a gamma."""
        direction = gamma.name.partition("/")[2]
        measured = figure_at(self.snapshot.figures, f"control/noise_floor/{direction}")
        if measured is not None and measured.spread:
            return spread_text(measured.mean, *measured.spread)
        if measured is None and has_reference_coin(self.snapshot):
            return f"{spread_text(COIN_MEAN, *COIN_GAMMA)}, a coin flip's"
        return "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two records side by side."""

    left: Operand
    right: Operand

    @property
    def condition_differences(self) -> dict[str, tuple[Any, Any]]:
        """The conditions that are not the same, which make figures those of different things."""
        return _differences(self.left.conditions, self.right.conditions)

    @property
    def differences(self) -> dict[str, tuple[Any, Any]]:
        """All that is known of both and is not the same: conditions first, then facts."""
        return self.condition_differences | _differences(self.left.facts, self.right.facts)

    @property
    def like_for_like(self) -> bool:
        """Whether the two measured the same thing in the same way."""
        return not self.condition_differences

    @property
    def failed(self) -> list[Operand]:
        """Those that are failed runs; their figures can be compared with none."""
        return [operand for operand in (self.left, self.right) if operand.snapshot.failed]

    @property
    def figures(self) -> dict[str, tuple[Figure, Figure]]:
        """The figures that both have."""
        return _in_both(self.left.figures, self.right.figures)

    @property
    def gammas(self) -> dict[str, tuple[Figure, Figure]]:
        """The mean gammas that both have, by direction."""
        return {
            name: figures for name, figures in self.figures.items() if name.startswith("gamma/")
        }

    @property
    def apart(self) -> list[str]:
        """The gammas whose intervals have no value in common."""
        return [name for name, figures in self.gammas.items() if not _overlap(*figures)]

    def operands(self, figures: tuple[Figure, Figure]) -> Iterator[tuple[Operand, Figure]]:
        """Pair each of two figures with the operand that it is of."""
        return zip((self.left, self.right), figures, strict=True)

    def as_json(self) -> Json:
        """Return the comparison of two snapshots as plain JSON."""
        differences = self.condition_differences.items()
        return {
            "like_for_like": self.like_for_like,
            "failed": [*dict.fromkeys(operand.name for operand in self.failed)],
            "conditions": {key: to_builtins(pair) for key, pair in differences},
            "figures": {
                name: {"a": a.mean, "b": b.mean, "difference": b.mean - a.mean}
                for name, (a, b) in self.figures.items()
            },
        }


def compare_snapshots(a: Snapshot, b: Snapshot) -> Comparison:
    """Return two snapshots side by side.

    Raises: UsageError if one alone is of recorded verdicts.
    """
    # Reading R77: somebody else's record of another day is no measurement to set beside one.
    if (a.card.origin is None) != (b.card.origin is None):
        recorded, measured = (a, b) if a.card.origin else (b, a)
        raise UsageError(
            f"{recorded.tag} is of verdicts that others recorded, and {measured.tag} is "
            f"{measured.kind}: they have no figure in common\n"
            "  fix: compare it with another observed snapshot"
        )
    # Those of another kind are other ones.
    condition_sets = [s.card.conditions or {} for s in (a, b) if a.kind == b.kind]
    keys = dict.fromkeys(
        [*_CONDITIONS, *(key for conditions in condition_sets for key in conditions)]
    )
    left, right = (
        Operand(
            name=str(snapshot.tag),
            snapshot=snapshot,
            conditions={key: _condition(snapshot, key) for key in keys},
            figures=figures_by_name(snapshot),
        )
        for snapshot in (a, b)
    )
    return Comparison(left=left, right=right)


def disagreement(a: Snapshot, b: Snapshot) -> str:
    """Return why one measurement is no replication of another; empty if it is one.

    A replication is a second contributor's, of the same thing in the same way, and agrees: the
    intervals of mean gamma have a value in common, in both directions.
    """
    if not (a.card.audit and b.card.audit):
        return "only measured snapshots can replicate one another"
    comparison = compare_snapshots(a, b)
    contributors = [(card.contributor, card.login) for card in (a.card, b.card)]
    if is_one_contributor(*contributors):
        return "a replication is a second contributor's"
    if not comparison.like_for_like:
        return f"not like for like: {', '.join(comparison.condition_differences)} differ"
    return first_apart(comparison)


def first_apart(comparison: Comparison) -> str:
    """Return which mean gamma of two records lies apart; empty if all intervals share a value."""
    for name in comparison.apart:
        left, right = comparison.gammas[name]
        return f"{name}: {left} and {right} have no value in common"
    return ""


def _condition(snapshot: Snapshot, key: str) -> Any:
    """Return a condition; of a model, who it is and not how a table spells it."""
    if key not in _CONDITIONS:
        return (snapshot.card.conditions or {}).get(key)
    value = getattr(snapshot.card, key)
    return value.identity if isinstance(value, Model) else value


def _differences(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {key: values for key, values in _in_both(left, right).items() if values[0] != values[1]}


def _in_both(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {key: (value, right[key]) for key, value in left.items() if key in right}


def _overlap(left: Figure, right: Figure) -> bool:
    """Return whether the intervals of two figures share a value."""
    a, b = left.interval, right.interval
    return a is not None and b is not None and max(a[0], b[0]) <= min(a[1], b[1])
