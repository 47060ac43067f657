"""What a wrapper does to an evaluator's transfer, and what it costs (`epc compare`).

Both judged the same tasks, so the reduction is a difference of pairs: a task that is left out of
one is left out of the other, and both are trained by the same draws.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from epc.analysis.sharing import shared_by_runs
from epc.audit.transfer import reductions
from epc.audit.units import LeftOut, paired_units
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.protocol.table import VerdictTable
from epc.records.layout import IDENTITY
from epc.records.manifest import Manifest, verdict_table
from epc.records.recompute import load_manifest, manifest_path
from epc.records.usage import ROLES
from epc.spec.domains import Direction, Domain
from epc.spec.epc_v1 import AGREEMENT
from epc.statistics.intervals import Interval

REGRET, REDIRECTED = FIGURES = ("regret", "redirected")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """One figure of one direction, plain and mitigated; `less` is by how much it fell.

    `share` is `less` of the plain figure, where that is clear of 0; None where it is not, because
    a share of next to nothing says nothing.
    """

    plain: float
    plain_ci95: Interval | None
    mitigated: float
    mitigated_ci95: Interval | None
    less: float
    less_ci95: Interval | None

    @property
    def reducible(self) -> bool:
        """Whether the plain figure is clear of 0, and of what rounding leaves of it."""
        return self.plain_ci95 is not None and self.plain_ci95[0] > AGREEMENT

    @property
    def share(self) -> float | None:
        """The share of the plain figure by which it fell."""
        return self.less / self.plain if self.reducible else None

    def as_json(self) -> Json:
        """Return it as plain JSON."""
        return {**asdict(self), "share": self.share}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mitigated:
    """What one wrapper does: by direction and figure, and its price in calls.

    `reductions` is None where too little was decided in one of the two runs (Reading R72). `floor`
    is what chance redirects in the wrapper's run. `strategies` and `tasks` count what both runs
    decided on; `decided` is the share of all pairs that were no tie, plain and mitigated. `shared`
    says that the executor's answers are the same.
    """

    path: str
    evaluator: str
    decided: tuple[float, float]
    strategies: int
    tasks: dict[Domain, int]
    reductions: dict[Direction, dict[str, Reduction]] | None
    floor: dict[Direction, float]
    calls: int
    times: float
    shared: bool

    @property
    def nothing(self) -> bool:
        """Whether no direction has a regret that could be reduced."""
        by_direction = (self.reductions or {}).values()
        return not any(reductions[REGRET].reducible for reductions in by_direction)

    def as_json(self) -> Json:
        """Return it as `epc compare --format json` prints it."""
        by_direction = None
        if self.reductions is not None:
            by_direction = {
                direction: {name: reduction.as_json() for name, reduction in reductions.items()}
                for direction, reductions in self.reductions.items()
            }
        return {**asdict(self), "reductions": by_direction, "nothing_to_reduce": self.nothing}


def wraps(plain: Manifest, wrapper: Manifest) -> bool:
    """Return whether the second run's evaluator is a wrapper round the first's."""
    identity = [getattr(plain.evaluator, key) for key in IDENTITY]
    members = wrapper.evaluator.members
    return any([getattr(member, key) for key in IDENTITY] == identity for member in members)


def mitigated(plain: Path, wrapped: Sequence[Path]) -> list[Mitigated]:
    """Return what each wrapper does to what crosses in a plain run.

    Raises: UsageError if a run is of no wrapper of the plain one's evaluator, or was asked about
    other tasks, strategies or rounds; MalformedError if one cannot be used; WorldError if a file
    cannot be read.
    """
    first = load_manifest(plain)
    return [_one(first, plain, load_manifest(path), path) for path in wrapped]


def _one(plain: Manifest, plain_path: Path, wrapper: Manifest, path: Path) -> Mitigated:
    _require_alike(plain, wrapper, plain_path, path)
    tables = verdict_table(plain), verdict_table(wrapper)
    config, by_direction = plain.configuration, {}
    bearable, dropped = True, LeftOut(strategies=(), tasks={})
    for pair in tables[0].domains.pairs:
        of_pair = [table.of_domains(pair.domains) for table in tables]
        names = [strategy.name for strategy in config.strategies]
        units, dropped = paired_units(of_pair[0], of_pair[1], names, config.groups)
        bearable = bearable and all(side.bearable for side in units)
        if bearable:
            into = reductions(*units, rounds=config.rounds, rule=config.rule)
            figures = into[units[0].domains.index(pair.target)]
            by_direction[pair.key] = {
                name: Reduction(**figures[name].named("plain", "mitigated", "less"))
                for name in FIGURES
            }
    transfer = wrapper.results.summary.transfer
    executor, evaluator = ROLES
    used = sum(member.calls for member in wrapper.provenance.members)
    folders = manifest_path(plain_path).parent, manifest_path(path).parent
    shared = shared_by_runs(plain, wrapper, folders)[executor]
    return Mitigated(
        path=str(path),
        evaluator=wrapper.evaluator.model,
        decided=(_decided(tables[0]), _decided(tables[1])),
        strategies=len(config.strategies) - len(dropped.strategies),
        tasks={d: len(tasks) - len(dropped.tasks.get(d, ())) for d, tasks in config.tasks.items()},
        reductions=by_direction if bearable else None,
        floor={d: into.chance for d, into in ((transfer and transfer.directions) or {}).items()},
        calls=used,
        times=used / max(1, plain.provenance.calls[evaluator]),
        shared=shared.count == shared.answers or plain.executor == wrapper.executor,
    )


def _require_alike(plain: Manifest, wrapper: Manifest, plain_path: Path, path: Path) -> None:
    if plain.evaluator.members or not wraps(plain, wrapper):
        raise UsageError(
            f"{path}: {wrapper.evaluator.model} is no wrapper round {plain.evaluator.model}, as it "
            f"was measured in {plain_path}\n"
            "  fix: name the plain run first, then runs of balanced:, panel: or band= "
            "round the same model"
        )
    config, wrapped_config = plain.configuration, wrapper.configuration
    for condition, value, wrapped_value in (
        ("tasks", config.tasks, wrapped_config.tasks),
        ("strategies", config.strategies, wrapped_config.strategies),
        ("groups", config.groups, wrapped_config.groups),
        ("rounds", config.rounds, wrapped_config.rounds),
        ("learning rule", config.rule, wrapped_config.rule),
    ):
        if value != wrapped_value:
            raise UsageError(
                f"{path}: has other {condition} than {plain_path}\n"
                "  fix: measure both with one design"
            )


def _decided(table: VerdictTable) -> float:
    total = sum(int(counts.sum()) for counts in table.counts.values())
    ties = sum(int(counts[..., 2].sum()) for counts in table.counts.values())
    return (total - ties) / total if total else 0.0
