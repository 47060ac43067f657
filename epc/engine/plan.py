"""Plan of a run, as it stands in run.json."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field, structs, to_builtins

from epc.engine.composite import Composite, every_model
from epc.engine.journal import nothing_lost, write_journal
from epc.engine.model import Model
from epc.engine.remote import require_decoding
from epc.engine.verdicts import RecordedVerdicts
from epc.errors import MalformedError, UsageError, refuse
from epc.protocol.config import Configuration, Decoding
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.designs import Design
from epc.records.layout import JOURNAL, MANIFEST, PLAN, REUSABLE, decoding_json, decoding_of
from epc.records.schemas import findings as schema_findings
from epc.spec.domains import Domain
from epc.spec.epc_v1 import ControlMethod

Reuse = Literal["none", "memo"]


class Plan(Struct, frozen=True, kw_only=True):
    """A run's request: enough to carry it out, and to finish it later from its folder alone.

    `identity` is what the models said of themselves at the start; a run is only resumed with the
    same weights, runtime and endpoints, because its answers would otherwise come from two.
    `decoding` holds the roles whose decoding was asked for, as it stands in manifests.
    `reuse_answers_of` are the SHA-256 of calls.jsonl of the runs whose answers may be taken.
    `design` is the whole design, so that a run needs its file no more; None is the reference.
    `groups` are those of recorded tasks, in their order; None is each task by itself, or the
    design's (Reading R74). `campaign` is what a record says of the campaign that the run is one of.
    """

    evaluator: str
    executor: str | None
    seeds: list[int]
    rounds: int
    reuse: Reuse
    exhaustive: bool
    recheck: int
    control: ControlMethod
    measurement_date: str
    epc_version: str
    identity: dict[str, Any]
    controls: int = 0
    decoding: dict[str, Json] = field(default_factory=dict)
    reuse_answers_of: list[str] = field(default_factory=list)
    groups: dict[Domain, list[str]] | None = None
    design: Json | None = None
    campaign: Json | None = None

    def document(self) -> Json:
        """Return run.json."""
        left_out = ("campaign", None)  # as in plans of before
        return {key: value for key, value in to_builtins(self).items() if (key, value) != left_out}


def identities(evaluator: Model, executor: Model | None) -> Json:
    """Return what a plan keeps of its models."""
    models = {"evaluator": evaluator, "executor": executor}
    return {
        role: structs.asdict(model.identity) for role, model in models.items() if model is not None
    }


def configuration(plan: Plan, evaluator: Model) -> Configuration:
    """Return the protocol configuration that a plan and its evaluator amount to."""
    decoding = decoding_for(plan.decoding, "evaluator", evaluator)
    designed = Configuration() if plan.design is None else Design.parse(plan.design).config
    groups = designed.groups
    if plan.groups is not None:
        groups = {domain: tuple(names) for domain, names in plan.groups.items()}
    if isinstance(evaluator, RecordedVerdicts):
        return Configuration(
            rounds=plan.rounds,
            method="recorded",
            decoding=decoding,
            strategies=evaluator.table.strategies,
            tasks=evaluator.table.tasks,
            control=plan.control,
            groups=groups,
        )
    return replace(
        designed,
        rounds=plan.rounds,
        method=evaluator.method,
        decoding=decoding,
        control=plan.control,
        groups=groups,
        member_methods=evaluator.methods if isinstance(evaluator, Composite) else (),
    )


def checker_of(plan: Plan) -> str | None:
    """Return the program that checks the answers of a plan, if its design names one."""
    return None if plan.design is None else Design.parse(plan.design).checker


def asked_decoding(
    settings: dict[str, dict[str, Any]], models: dict[str, Model]
) -> dict[str, Json]:
    """Return the whole decoding of each role for which something was asked.

    Raises: UsageError if a role decodes nothing that could be asked for.
    """
    for role in settings:
        model = models.get(role)
        if model is None:
            raise UsageError(f"there is no {role} here: leave its decoding out")
    decodings: dict[str, Json] = {}
    for role, changes in settings.items():
        model, decoding = models[role], replace(models[role].default_decoding(role), **changes)
        for member in every_model([model]):
            require_decoding(member, decoding)
        decodings[role] = decoding_json(decoding)
    return decodings


def decoding_for(decodings: dict[str, Json], role: str, model: Model) -> Decoding:
    """Return how a model decodes in a role: as asked, or its own way."""
    return decoding_of(decodings[role]) if role in decodings else model.default_decoding(role)


class FreshAnswersError(UsageError):
    """A model's answers are of their round alone, and were to be reused."""


def reuse_for(
    reuse: Reuse | None,
    *,
    exhaustive: bool,
    models: dict[str, Model],
    decoding: dict[str, Json],
) -> Reuse:
    """Return whether answers are reused: as asked, or wherever it is admissible.

    Raises: FreshAnswersError where reuse was asked for and would falsify the run (Reading R16).
    """
    fickle = [
        f"{model.identity.model} answers each round afresh"
        for model in models.values()
        if not model.repeatable
    ]
    for role, model in models.items():
        temperature = decoding_for(decoding, role, model).temperature
        if temperature != 0:
            temperature_text = (
                "its provider's own temperature"
                if temperature is None
                else f"temperature {temperature:g}"
            )
            fickle.append(f"the {role} decodes at {temperature_text}, not at 0")
    wanted = "memo" if exhaustive else reuse
    if wanted == "memo" and fickle:
        raise FreshAnswersError(
            f"{fickle[0]}, so its answers cannot be reused (Reading R16): "
            "use `--reuse none` without `--exhaustive`"
        )
    if exhaustive and reuse == "none":
        raise UsageError("--exhaustive reuses every answer: leave `--reuse none` out")
    return wanted or ("none" if fickle else "memo")


def save(plan: Plan, folder: Path, *, reusable: Sequence[Json] = ()) -> None:
    """Write run.json into a new run folder, after the calls that it may take over.

    Raises: UsageError if the folder already holds something.
    """
    if entries := made_folder(folder):
        started = PLAN in entries and MANIFEST not in entries
        remedy = f"`epc resume {folder}` finishes it" if started else "choose another --out"
        raise UsageError(f"{folder} is not empty: {remedy}")
    if reusable:
        (folder / REUSABLE).mkdir()
        write_journal(folder / REUSABLE, reusable)
    strict_json.write(folder / PLAN, plan.document())


def made_folder(folder: Path) -> list[str]:
    """Make a folder that is not there yet and return the names of what it holds.

    Raises: UsageError if the disk refuses.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [path.name for path in folder.iterdir()]
    except OSError as error:
        raise UsageError(f"cannot make {folder}: {error.strerror or error}") from error


def discard(folder: Path) -> bool:
    """Remove a run folder in which nobody was asked yet; return whether it was such a one.

    Another folder or file in it is somebody's, and then it stays.
    """
    with suppress(OSError):
        entries = {path.name for path in folder.iterdir()}
        if PLAN in entries and entries <= {PLAN, JOURNAL} and nothing_lost(folder):
            for name in entries:
                (folder / name).unlink()
            folder.rmdir()
            return True
    return False


def load(folder: Path) -> Plan:
    """Read run.json.

    Raises: UsageError if the folder is no run; MalformedError if the file was damaged.
    """
    path = folder / PLAN
    if not path.exists():
        has = f"; it holds a {MANIFEST} only" if (folder / MANIFEST).exists() else ""
        raise UsageError(f"{folder} is no run folder: it has no {PLAN}{has}")
    value, problems = strict_json.read(path)
    refuse(problems or schema_findings("plan", value, clause="EPC-2.8"))
    if value.get("design") is not None:
        from epc.records.design_findings import findings_of
        from epc.records.strict_yaml import Document

        problems = findings_of(Document(value=value["design"]))
        if errors := [finding for finding in problems if finding.severity == "error"]:
            raise MalformedError(replace(errors[0], where=f"/design{errors[0].where}"))
    value.pop("canary", None)  # plans of before may have it
    return Plan(**value)
