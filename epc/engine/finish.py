"""Turning what a run got into its folder: sorted raw files, then the manifest, last.

The manifest's results are not the live ones: they are recomputed from the written trials by the
same code that validation uses, and the live weights must equal them to the last bit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from epc import __version__
from epc.analysis.sharing import with_origin
from epc.engine.calls import Role
from epc.engine.canary import is_of_canary
from epc.engine.journal import Journal, damaged_lines
from epc.engine.plan import Plan
from epc.engine.questions import Questions
from epc.errors import EpcError, ExitCode
from epc.protocol.phases import Outcome
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.canary import Canary
from epc.records.config_json import config_json, configuration_json
from epc.records.findings import Findings
from epc.records.layout import MANIFEST, describe, weight_lines, write_lines, write_rows
from epc.records.manifest import SCHEMA_VERSION, Head
from epc.records.recompute import recompute
from epc.records.usage import Usage
from epc.spec.epc_v1 import PHASE


class SelfCheckError(EpcError):
    """What was written does not give back what was measured: a fault of this program."""

    exit_code = ExitCode.WORLD


def finish(
    folder: Path,
    *,
    plan: Plan,
    questions: Questions,
    trials: Iterable[str],
    journal: Journal,
    outcomes: dict[int, Outcome],
    now: datetime,
    canary: Canary | None = None,
) -> Json:
    """Write a run's raw files and manifest, and return the manifest.

    Raises: WorldError if the disk fails; SelfCheckError if the trials do not replay.
    """
    evaluator, executor = questions.evaluator, questions.executor
    head: Json = {
        "schema_version": SCHEMA_VERSION,
        **configuration_json(questions.config),
        "config": config_json(
            questions.config, seeds=plan.seeds, reuse=plan.reuse, exhaustive=plan.exhaustive
        ),
        "evaluator": {
            **_model_json(evaluator),
            "measurement_date": plan.measurement_date,
            "method": questions.config.method,
        },
        "executor": None
        if executor is None
        else {**_model_json(executor), "prompt_template": questions.config.executor_prompt},
        "provenance": {
            "created": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "software": {
                "epc": __version__,
                "numpy": version("numpy"),
                "python": python_version(),
            },
        },
    }
    if damage := damaged_lines(folder):
        head["provenance"]["journal_damage"] = damage
    if canary is not None:
        head["canary"] = canary.as_json()
    calls = (call for call in journal.calls() if not is_of_canary(call))
    written = write_record(folder, head, trials=trials, calls=calls)
    if not _same_weights(written["results"]["per_seed"], outcomes):
        (folder / MANIFEST).unlink()
        raise SelfCheckError("the written trials do not give back the run's weights")
    return written


def write_record(folder: Path, head: Json, *, trials: Iterable[str], calls: Iterable[Json]) -> Json:
    """Write raw files and a manifest with everything that follows from them.

    `head` is the manifest without results, raw and what is counted from the calls; `trials` are
    the lines of trials.jsonl in their order, the calls come in that of their ids.

    Raises: WorldError if the disk fails; SelfCheckError if the trials do not replay.
    """
    usage = Usage()
    write_lines(folder, "trials", trials)
    write_rows(folder, "calls", usage.counted(map(with_origin, calls)))
    document: Json = {**head, "provenance": {**head["provenance"], **usage.as_json()}}
    findings = Findings()
    again = recompute(Head.parse(document), folder, findings)
    if findings.kept():
        raise SelfCheckError(f"the written trials do not replay: {findings.kept()[0]}")
    document["results"] = again.results()
    write_lines(folder, "weights", weight_lines(again.per_seed))
    document["raw"] = describe(folder)
    strict_json.write(folder / MANIFEST, document)
    return document


def trial_order(trial: Json) -> tuple[int, int, int]:
    """Return what the rows of trials.jsonl are sorted by."""
    return trial["seed"], PHASE[trial["phase"]].stream, trial["round"]


def _model_json(role: Role) -> Json:
    return {**asdict(role.model.identity), "decoding": role.decoding_json}


def _same_weights(per_seed: Sequence[Json], outcomes: dict[int, Outcome]) -> bool:
    return {record["seed"] for record in per_seed} == set(outcomes) and all(
        tuple(record["weights"][phase].values()) == outcomes[record["seed"]][phase].weights
        for record in per_seed
        for phase in record["weights"]
    )
