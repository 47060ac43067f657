"""Reading calls.jsonl: every answer a run got, indexed for the trials that refer to it."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import asdict, replace

from epc.audit.probes import Answer, Probe
from epc.protocol.config import Configuration
from epc.protocol.mitigation import MEMBER
from epc.protocol.prompt import executor_prompt
from epc.protocol.results import Json
from epc.records.composed import check
from epc.records.findings import Findings
from epc.records.layout import CallNames
from epc.records.manifest import Head
from epc.records.replies import contradictions
from epc.records.rows import Call, Trial, read_rows
from epc.records.typed import parse
from epc.records.usage import Usage
from epc.records.wrappers import member_decoding, members_of

_CLAUSE = "EPC-2.5(d)"
_EVALUATOR = "evaluator"


def read_calls(folder: Path, manifest: Head, usage: Usage, findings: Findings) -> dict[str, Call]:
    """Return the run's calls by id, counting them and noting what is wrong with the file.

    Raises: WorldError if the file cannot be read.
    """

    def counted() -> Iterator[tuple[int, Call]]:
        for index, row in read_rows(folder, "calls", findings, clause=_CLAUSE):
            call = call_of(row)
            check_reply(call, f"/calls/{index}", findings)
            usage.add(call)
            yield index, replace(call, reply=None, headers=None)

    return index_calls(counted(), manifest, findings)


def index_calls(
    rows: Iterable[tuple[int, Call]], manifest: Head, findings: Findings
) -> dict[str, Call]:
    """Return calls by id, given with their places in the file, noting what is wrong with them.

    An id must be the digest of what was asked, so a call that was edited or moved from another
    run no longer carries its own name. Either every call states its origin, or, in records that
    were written before any did, none (Reading R76).
    """
    names, models = call_names(manifest), _models(manifest)
    calls: dict[str, Call] = {}
    silent: list[int] = []
    for index, call in rows:
        where = f"/calls/{index}"
        _check_identity(call, models, names, where, findings)
        if call.id in calls:
            findings.add(
                _CLAUSE, f"{where}/id", f"{call.id} appears twice", "keep each answer once"
            )
        if call.origin is None:
            silent.append(index)
        calls[call.id] = call if call.reasoning is None else replace(call, reasoning=None)
    # Reading R76:
    if silent and (len(silent) < len(calls) or manifest.provenance.origins is not None):
        problem = f"{len(silent)} calls do not state when and how they were answered, as others do"
        findings.add("Reading R76", f"/calls/{silent[0]}/origin", problem, "restore the calls")
    check(manifest.evaluator, manifest.configuration, manifest.calibration, calls, findings)
    return calls


def call_names(manifest: Head) -> dict[str, CallNames]:
    """Return how the answers of each role of a run are named, those of a wrapper's members too.

    A member is asked just what its own run would ask, so its answers have the same names.
    """
    documents = {role: manifest.document[role] for role in manifest.asked}
    decodings: dict[str, Json] = {role: of["decoding"] for role, of in documents.items()}
    names: dict[str, CallNames] = {
        role: CallNames(role, model, decodings[role]) for role, model in documents.items()
    }
    members = members_of(manifest.evaluator.details)
    for number, member in enumerate(members if manifest.configuration.mitigation else (), 1):
        decoding = member_decoding(members, number, decodings[_EVALUATOR])
        names[f"{MEMBER}{number}"] = CallNames(_EVALUATOR, asdict(member), decoding)
    return names


def _models(manifest: Head) -> dict[str, str]:
    """Return the name of who was asked in each role."""
    members = enumerate(members_of(manifest.evaluator.details), 1)
    by_role: dict[str, str] = {role: model.model for role, model in manifest.asked.items()}
    return {**by_role, **{f"{MEMBER}{number}": member.model for number, member in members}}


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


def _check_identity(
    call: Call,
    models: Mapping[str, str],
    names: Mapping[str, CallNames],
    where: str,
    findings: Findings,
) -> None:
    role = call.role
    if role not in names:
        problem = f"the manifest names no {call.role}"
        findings.add(_CLAUSE, f"{where}/role", problem, "remove the call")
        return
    model = models[role]
    if call.model != model:
        message = f"says {call.model!r}, the manifest's {role} is {model!r}"
        findings.add("EPC-2.2", f"{where}/model", message, "keep one model a role")
    expected = names[role].name(call.prompt, call.occasion)
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

    met: dict[str | None, Probe] = {}
    for trial in trials:
        if trial.evaluation not in met:
            met[trial.evaluation] = Probe(
                kind="swap",
                answer=answer(trial, trial.response, strategies[trial.strategy]),
                against=answer(trial, trial.baseline, config.baseline_index),
                evaluation=trial.evaluation,
                first="answer",
            )
    return list(met.values())
