"""Reading calls.jsonl: every answer a run got by its name, and what was asked and said by pair."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from msgspec.structs import asdict, replace

from epc.arrays import Counts, np
from epc.audit.probes import Answer, Probe
from epc.errors import Finding, MalformedError, refuse
from epc.protocol.config import Configuration
from epc.protocol.prompt import Pair, executor_prompt
from epc.protocol.results import Json
from epc.protocol.table import VERDICTS
from epc.protocol.verdict import Verdict
from epc.records.composed import check
from epc.records.derive import derive
from epc.records.findings import Findings
from epc.records.layout import MEMBER, RAW, CallNames, digest
from epc.records.manifest import Head, Manifest, RawName, member_decoding
from epc.records.replies import contradictions
from epc.records.rows import Call, Trial, read_typed
from epc.records.trials import CLAUSE
from epc.records.typed import parse
from epc.records.usage import Usage
from epc.spec.domains import Domain

_CLAUSE = "EPC-2.5(d)"
_EVALUATOR = "evaluator"


def read_calls(folder: Path, manifest: Head, usage: Usage, findings: Findings) -> dict[str, Call]:
    """Return the run's calls by id, counting them and noting what is wrong with the file.

    Raises: WorldError if the file cannot be read.
    """

    def counted() -> Iterator[tuple[int, Call]]:
        for index, call in read_typed(folder, Call, findings, clause=_CLAUSE):
            usage.add(call)
            yield index, call

    return index_calls(counted(), manifest, findings)


def index_calls(
    rows: Iterable[tuple[int, Call]], manifest: Head, findings: Findings
) -> dict[str, Call]:
    """Return calls by id, given with their places in the file, noting what is wrong with them.

    An id must be the digest of what was asked, so a call that was edited or moved from another
    run no longer carries its own name. Either every call states its origin, or, in records that
    were written before any did, none (Reading R76).
    """
    names = call_names(manifest)
    calls: dict[str, Call] = {}
    silent: list[int] = []
    for index, call in rows:
        where = f"/calls/{index}"
        check_call(call, names, where, findings)
        if call.id in calls:
            findings.add(
                _CLAUSE, f"{where}/id", f"{call.id} appears twice", "keep each answer once"
            )
        if call.origin is None:
            silent.append(index)
        calls[call.id] = replace(call, reply=None, headers=None, reasoning=None)
    # Reading R76:
    if silent and (len(silent) < len(calls) or manifest.provenance.origins is not None):
        problem = f"{len(silent)} calls do not state when and how they were answered, as others do"
        findings.add("Reading R76", f"/calls/{silent[0]}/origin", problem, "restore the calls")
    check(manifest.evaluator, calls, findings)
    return calls


def call_names(manifest: Head) -> dict[str, CallNames]:
    """Return how the answers of each role of a run are named, and those of an evaluator's members.

    A member is asked just what its own run would ask, so its answers have the same names.
    """
    documents = {role: manifest.document[role] for role in manifest.models}
    decodings: dict[str, Json] = {
        role: document["decoding"] for role, document in documents.items()
    }
    names: dict[str, CallNames] = {
        role: CallNames(role, model, decodings[role]) for role, model in documents.items()
    }
    members = manifest.evaluator.members
    for number, member in enumerate(members, 1):
        decoding = member_decoding(members, number, decodings[_EVALUATOR])
        names[f"{MEMBER}{number}"] = CallNames(_EVALUATOR, asdict(member), decoding)
    return names


def check_reply(call: Call, where: str, findings: Findings) -> None:
    """Note what of a call its own reply contradicts."""
    for key, problem in contradictions(call):
        remedy = "restore the call as it was answered"
        findings.add(_CLAUSE, f"{where}/{key}", problem, remedy)


def call_of(row: Json) -> Call:
    """Return the call that a row of valid shape holds."""
    return parse(row, Call)


def without_reply(row: Json) -> Call:
    """Return the call that a row of valid shape holds, as far as any figure rests on it."""
    return parse({**row, "reply": None, "headers": None}, Call)


def check_call(call: Call, names: Mapping[str, CallNames], where: str, findings: Findings) -> None:
    """Note what of a call is not its reply's, or not what its record says was asked of whom."""
    check_reply(call, where, findings)
    role = names.get(call.role)
    if role is None:
        problem = f"the record names no {call.role}"
        findings.add(_CLAUSE, f"{where}/role", problem, "remove the call")
        return
    if call.model != role.model:
        message = f"says {call.model!r}, the record's {call.role} is {role.model!r}"
        findings.add("EPC-2.2", f"{where}/model", message, "keep one model a role")
    expected = role.name(call.prompt, call.occasion)
    if call.id != expected:
        message = f"says {call.id}, what was asked gives {expected}"
        findings.add(_CLAUSE, f"{where}/id", message, "restore the call as it was answered")


def answers_of(config: Configuration, calls: Mapping[str, Call], template: str) -> Iterator[Answer]:
    """Yield every answer of the executor with the strategy and task that it was given for."""
    by_prompt: dict[str, tuple[str, int, int]] = {}
    for domain, tasks in config.tasks.items():
        for task, text in enumerate(tasks):
            for index, strategy in enumerate(config.strategies):
                prompt = executor_prompt(
                    strategy_prompt=strategy.prompt, task=text, template=template
                )
                by_prompt.setdefault(prompt, (domain, task, index))
    for name, call in calls.items():
        if call.role == "executor" and call.prompt in by_prompt:
            domain, task, index = by_prompt[call.prompt]
            yield Answer(call=name, domain=domain, task=task, strategy=index, text=call.answer)


def comparisons_of(
    config: Configuration, trials: Iterable[Trial], calls: Mapping[str, Call]
) -> list[Probe]:
    """Return the distinct comparisons of a run's rounds, as they were asked.

    Each names the call with the run's own verdict in `evaluation`.
    """
    strategies = {strategy.name: index for index, strategy in enumerate(config.strategies)}

    def answer(trial: Trial, name: str | None, strategy: int) -> Answer:
        assert name is not None
        return Answer(
            call=name,
            domain=config.domains.phase[trial.phase].domain,
            task=trial.task,
            strategy=strategy,
            text=calls[name].answer,
        )

    probes: dict[str | None, Probe] = {}
    for trial in trials:
        if trial.evaluation not in probes:
            probes[trial.evaluation] = Probe(
                kind="swap",
                answer=answer(trial, trial.response, strategies[trial.strategy]),
                against=answer(trial, trial.baseline, config.baseline_index),
                evaluation=trial.evaluation,
                first="answer",
            )
    return list(probes.values())


PairKey = tuple[Domain, str, str]  # domain, strategy, task: by their words, not their places


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPair:
    """A comparison that was asked once: the two answers, its text, what was said of them.

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
    """Return whether a manifest's raw files are beside it."""
    return manifest.raw is not None and all((folder / file).exists() for file in RAW.values())


def run_calls(manifest: Manifest, folder: Path) -> dict[str, Call]:
    """Return a run's calls, which must be those of its manifest.

    Raises: MalformedError at what does not fit; WorldError if the file cannot be read.
    """
    _require_digest(manifest, folder, "calls")
    findings = Findings()
    calls = read_calls(folder, manifest, Usage(), findings)
    refuse(findings.as_list())
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
        if key in keys and trial.parsed_verdict in VERDICTS:
            counts[seeds[seed], keys[key], VERDICTS.index(trial.parsed_verdict)] += 1
    refuse(findings.as_list())
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
