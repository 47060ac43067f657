"""Turning what a run got into its folder: sorted raw files, then the manifest, last.

The manifest's results are not the live ones: they are recomputed from the written trials by the
same code that validation uses, and the live weights must equal them to the last bit.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from epc.arrays import np
from epc.engine.journal import Journal, damaged_lines
from epc.engine.plan import Plan
from epc.engine.request import Questions
from epc.engine.roles import Role
from epc.errors import EpcError, ExitCode
from epc.protocol.phases import Outcome
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.accuracy import accuracy_beside
from epc.records.calls import index_calls, without_reply
from epc.records.findings import Findings
from epc.records.layout import (
    MANIFEST,
    config_json,
    configuration_json,
    describe,
    stamp,
    weight_lines,
    write_encoded,
    write_lines,
)
from epc.records.manifest import SCHEMA_VERSION, Head
from epc.records.recompute import recompute_with
from epc.records.schemas import findings as schema_findings
from epc.records.usage import Usage
from epc.spec.domains import Domains
from epc.version import __version__

if TYPE_CHECKING:
    from epc.records.rows import Call


class SelfCheckError(EpcError):
    """The written folder does not give back what was measured: a fault of this program."""

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
            "created": stamp(now),
            "software": {
                "epc": __version__,
                "numpy": np.__version__,
                "python": python_version(),
            },
            **({} if plan.campaign is None else {"campaign": plan.campaign}),
        },
    }
    if accuracy := accuracy_beside(folder, [s.name for s in questions.config.strategies]):
        head["accuracy"] = accuracy
    if damage := damaged_lines(folder):
        head["provenance"]["journal_damage"] = damage
    written = write_record(folder, head, trials=trials, calls=journal.lines())
    if not _same_weights(written["results"]["per_seed"], outcomes):
        (folder / MANIFEST).unlink()
        raise SelfCheckError("the written trials do not give back the run's weights")
    return written


def write_record(
    folder: Path, head: Json, *, trials: Iterable[str], calls: Iterable[tuple[Json, bytes]]
) -> Json:
    """Write raw files and a manifest with everything that follows from them.

    `head` is the manifest without results, raw and what is counted from the calls; `trials` are
    the lines of trials.jsonl in their order, the calls come with their lines in that of their ids.
    The trials are read back and replayed. The calls are checked as they pass, and their file by
    its digest: it holds these very lines.

    Raises: WorldError if the disk fails; SelfCheckError if the trials do not replay.
    """
    usage, findings, digest = Usage(), Findings(), sha256()
    call_rows: list[Call] = []

    def lines() -> Iterator[bytes]:
        for row, line in calls:
            findings.extend(schema_findings("call", row, where=f"/calls/{len(call_rows)}"))
            call_rows.append(without_reply(row))
            usage.add(call_rows[-1])
            digest.update(line)
            yield line

    write_lines(folder, "trials", trials)
    write_encoded(folder, "calls", lines())
    document: Json = {**head, "provenance": {**head["provenance"], **usage.as_json()}}
    manifest = Head.parse(document)
    by_id = index_calls(enumerate(call_rows), manifest, findings)
    recomputation = recompute_with(by_id, usage, manifest, folder, findings)
    if findings.as_list():
        raise SelfCheckError(f"the written trials do not replay: {findings.as_list()[0]}")
    document["results"] = recomputation.results()
    write_lines(folder, "weights", weight_lines(recomputation.per_seed))
    document["raw"] = describe(folder)
    if document["raw"]["calls"]["sha256"] != digest.hexdigest():
        raise SelfCheckError("calls.jsonl is not what was written to it")
    strict_json.write(folder / MANIFEST, document)
    return document


def in_order(trials: Iterable[Json], domains: Domains) -> list[Json]:
    """Return the rows of trials.jsonl in their order."""
    phases = domains.phase
    return sorted(trials, key=lambda t: (t["seed"], phases[t["phase"]].stream, t["round"]))


def _model_json(role: Role) -> Json:
    return {**asdict(role.model.identity), "decoding": role.decoding_json}


def _same_weights(per_seed: Sequence[Json], outcomes: dict[int, Outcome]) -> bool:
    return {record["seed"] for record in per_seed} == set(outcomes) and all(
        tuple(record["weights"][phase].values()) == outcomes[record["seed"]][phase].weights
        for record in per_seed
        for phase in record["weights"]
    )
