"""What a run asked its evaluator and what it said, by pair: the raw side of two tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from epc.arrays import Counts, np
from epc.errors import Finding, MalformedError, refuse
from epc.protocol.config import Configuration
from epc.protocol.prompt import Pair
from epc.protocol.table import VERDICTS
from epc.protocol.verdict import Verdict
from epc.records.calls import read_calls
from epc.records.derive import derive
from epc.records.findings import Findings
from epc.records.layout import RAW, digest
from epc.records.manifest import Manifest, RawName
from epc.records.rows import Call, Trial, read_typed
from epc.records.trials import CLAUSE
from epc.records.usage import Usage
from epc.spec.domains import Domain

PairKey = tuple[Domain, str, str]  # domain, strategy, task: by their words, not their places


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPair:
    """One comparison that was asked once: the two answers, its text, what was said of them.

    `call` is the name of the call that said it.
    """

    call: str
    pair: Pair
    text: str
    raw: str
    verdict: Verdict


def asked_by_run(manifest: Manifest, folder: Path) -> dict[PairKey, AskedPair]:
    """Return every pair that a run which reused its answers has a verdict for.

    Raises: MalformedError at what does not fit; WorldError if a file cannot be read.
    """
    executor, config = manifest.executor, manifest.configuration
    if executor is not None and config.baseline not in {s.name for s in config.strategies}:
        _refuse("/config/baseline", f"{config.baseline!r} is not among /strategies")
    template = executor.prompt_template if executor else None
    return asked_once(config, run_calls(manifest, folder), template)


def has_raw(manifest: Manifest, folder: Path) -> bool:
    """Whether a manifest's raw files are beside it."""
    return manifest.raw is not None and all((folder / file).exists() for file in RAW.values())


def run_calls(manifest: Manifest, folder: Path) -> dict[str, Call]:
    """Return a run's calls, which must be those of its manifest.

    Raises: MalformedError at what does not fit; WorldError if the file cannot be read.
    """
    _require_digest(manifest, folder, "calls")
    findings = Findings()
    calls = read_calls(folder, manifest, Usage(), findings)
    refuse(findings.kept())
    return calls


def asked_once(
    config: Configuration, calls: Mapping[str, Call], executor_template: str | None
) -> dict[PairKey, AskedPair]:
    """Return every pair of a run that reused its answers, as far as it was asked."""
    pairs: dict[PairKey, AskedPair] = {}
    for entry in derive(config, (), executor_template, calls).answered():
        task = config.tasks[entry.domain][entry.task]
        pair = Pair(
            domain=entry.domain,
            task=task,
            strategy=entry.name,
            response=calls[entry.response].answer if entry.response else None,
            baseline=calls[entry.baseline].answer if entry.baseline else None,
        )
        assert entry.evaluation is not None
        text = calls[entry.evaluation].prompt
        pairs[entry.domain, entry.name, task] = AskedPair(
            call=entry.evaluation, pair=pair, text=text, raw=entry.raw, verdict=entry.verdict
        )
    return pairs


def counts_by_seed(manifest: Manifest, folder: Path, keys: Mapping[PairKey, int]) -> Counts:
    """Return how often each seed's rounds ended in each verdict, for the pairs that are wanted.

    Only the rounds of the protocol's phases.

    Shapes: (seeds, pairs, 3), seeds in rising order, pairs by the index that `keys` gives them.
    Raises: MalformedError at a row that does not fit; WorldError if the file cannot be read.
    """
    _require_digest(manifest, folder, "trials")
    config = manifest.configuration
    seeds = {seed: index for index, seed in enumerate(sorted(manifest.config.seeds))}
    counts = np.zeros((len(seeds), len(keys), 3), np.int64)
    findings = Findings()
    phases = {phase.name: phase.domain for phase in config.domains.phases}
    for index, trial in read_typed(folder, Trial, findings, clause=CLAUSE):
        if trial.phase not in phases:
            continue  # a round of a measured control, which the other run may not have
        domain, seed, task = phases[trial.phase], trial.seed, trial.task
        if seed not in seeds or task >= len(config.tasks[domain]):
            _refuse(f"/trials/{index}", f"seed {seed}, task {task} is no round of this run")
        key = domain, trial.strategy, config.tasks[domain][task]
        if key in keys and trial.stated in VERDICTS:
            counts[seeds[seed], keys[key], VERDICTS.index(trial.stated)] += 1
    refuse(findings.kept())
    return counts


def pair_keys(config: Configuration) -> list[PairKey]:
    """Return every pair of a configuration, in its order."""
    return [
        (domain, strategy.name, task)
        for domain, tasks in config.tasks.items()
        for strategy in config.strategies
        for task in tasks
    ]


def _require_digest(manifest: Manifest, folder: Path, name: RawName) -> None:
    assert manifest.raw is not None
    if manifest.raw[name].sha256 != digest(folder / RAW[name])["sha256"]:
        problem = f"{folder / RAW[name]} is not the file that the manifest describes"
        _refuse(f"/raw/{name}/sha256", problem)


def _refuse(where: str, problem: str) -> NoReturn:
    remedy = "restore it; `epc validate` says what else does not fit"
    raise MalformedError(Finding(clause=CLAUSE, where=where, problem=problem, remedy=remedy))
