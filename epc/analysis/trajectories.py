"""How a run's weights went, round by round: its trials through the update again (EPC-2.3).

What is kept of many seeds is, for each strategy and round, their mean and the range of 90% of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from epc.arrays import np
from epc.errors import Finding, MalformedError
from epc.protocol.config import Configuration
from epc.protocol.verdict import Verdict
from epc.protocol.weights import Weights
from epc.records.findings import Findings
from epc.records.layout import RAW
from epc.records.manifest import Manifest
from epc.records.recompute import manifest_path
from epc.records.rows import Trial, read_typed
from epc.spec.domains import Pair

if TYPE_CHECKING:
    from epc.protocol.rules import State

_QUANTILES: Final = (0.05, 0.95)

_Round = tuple[int, str, Verdict]
Point = tuple[float, float, float]  # mean, low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectories:
    """The weights' paths in each order of domains: a pure phase, and the coupled one after it.

    `paths` are by direction, strategy and round; a path begins with the uniform start and has
    twice `rounds` steps.
    """

    pairs: tuple[Pair, ...]
    strategies: tuple[str, ...]
    rounds: int
    seeds: int
    paths: tuple[tuple[tuple[Point, ...], ...], ...]


def trajectories(manifest: Manifest, trials: Iterable[Trial]) -> Trajectories:
    """Replay a run's trials, and hold where they end against the manifest.

    Raises: MalformedError if they end elsewhere, or are not the rounds that the manifest lists.
    """
    config, names = manifest.configuration, tuple(manifest.names)
    domains = config.domains
    rounds = _by_phase(trials)
    ends = {record.seed: record.weights for record in manifest.results.per_seed}
    if strange := sorted({seed for seed, _ in rounds} - set(ends)):
        raise _malformed(f"seed {strange[0]} is none of the manifest's")
    rows = []
    for seed, seed_weights in ends.items():
        paths = _paths(config, {p: rounds.get((seed, p), []) for p in domains.phase_names})
        for phase, path in paths.items():
            weights = tuple(seed_weights[phase].get(name) for name in names)
            if len(path) != config.rounds + 1 or path[-1] != weights:
                raise _malformed(f"seed {seed} does not end {phase} where the manifest says")
        rows.append([[*paths[pair.source], *paths[pair.key][1:]] for pair in domains.pairs])
    all_paths = np.array(rows)  # by seed, direction, step and strategy
    low, high = np.quantile(all_paths, _QUANTILES, axis=0)
    summed = np.stack([all_paths.mean(axis=0), low, high], axis=-1).transpose(0, 2, 1, 3)
    return Trajectories(
        pairs=domains.pairs,
        strategies=names,
        rounds=config.rounds,
        seeds=len(rows),
        paths=tuple(
            tuple(tuple(map(tuple, path)) for path in course) for course in summed.tolist()
        ),
    )


def trajectories_of(manifest: Manifest, run: Path) -> Trajectories | None:
    """Return how the weights of a run folder went; None where its trials are not at hand.

    Raises: MalformedError if its trials are not those of its manifest; WorldError if the disk
    fails.
    """
    folder = manifest_path(run).parent
    if manifest.raw is None or not (folder / RAW["trials"]).is_file():
        return None
    rows = read_typed(folder, Trial, Findings(), clause="EPC-2.5(d)")
    return trajectories(manifest, (trial for _, trial in rows))


def _by_phase(trials: Iterable[Trial]) -> dict[tuple[int, str], list[_Round]]:
    """Return what moved the weights, by seed and phase."""
    rounds: dict[tuple[int, str], list[_Round]] = {}
    for trial in trials:
        moved = (trial.round, trial.strategy, trial.parsed_verdict)
        rounds.setdefault((trial.seed, trial.phase), []).append(moved)
    return rounds


def _paths(config: Configuration, rounds: dict[str, list[_Round]]) -> dict[str, list[Weights]]:
    """Return the weights after each round of each phase of one seed, the start first.

    Phases come in the order of their streams, so that what a phase begins from is there.
    """
    index = {strategy.name: number for number, strategy in enumerate(config.strategies)}
    paths: dict[str, list[Weights]] = {}
    ends: dict[str, State] = {}
    rule = config.rule
    for phase, phase_rounds in rounds.items():
        start = config.domains.phase[phase].start
        state = ends[start] if start else rule.start(len(index))
        path = [rule.policy(state)]
        for _, strategy, verdict in sorted(phase_rounds):
            if verdict.decided and strategy in index:
                state = rule.after(state, chosen=index[strategy], won=verdict is Verdict.A)
            path.append(rule.policy(state))
        paths[phase], ends[phase] = path, state
    return paths


def _malformed(problem: str) -> MalformedError:
    remedy = "see `epc validate` for what is wrong with the run"
    return MalformedError(
        Finding(clause="EPC-2.5(d)", where="/trials", problem=problem, remedy=remedy)
    )
