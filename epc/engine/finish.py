"""Turning what a run got into its folder: sorted raw files, then the manifest, last.

The manifest's results are not the live ones: they are recomputed from the written trials by the
same code that validation uses, and the live weights must equal them to the last bit.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from epc import __version__
from epc.core.config import Configuration
from epc.core.protocol import Outcome
from epc.core.results import Json
from epc.engine.calls import Role
from epc.engine.plan import Plan
from epc.errors import EpcError, ExitCode
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.layout import MANIFEST, decoding_json, describe, weight_rows, write_rows
from epc.records.manifest import config_json, configuration_json
from epc.records.recompute import recompute
from epc.spec.epc_v1 import PHASE_NAMES
from epc.spec.reference import EXECUTOR_PROMPT


class SelfCheckError(EpcError):
    """What was written does not give back what was measured: a fault of this program."""

    exit_code = ExitCode.WORLD


def finish(
    folder: Path,
    *,
    plan: Plan,
    config: Configuration,
    roles: Sequence[Role],
    trials: Sequence[Json],
    calls: Sequence[Json],
    outcomes: dict[int, Outcome],
    now: datetime,
) -> Json:
    """Write a run's raw files and manifest, and return the manifest.

    Raises: WorldError if the disk fails; SelfCheckError if the trials do not replay.
    """
    write_rows(folder, "trials", sorted(trials, key=_trial_order))
    write_rows(folder, "calls", sorted(calls, key=lambda call: str(call["id"])))
    models = {role.name: role for role in roles}
    manifest: Json = {
        **configuration_json(config),
        "config": config_json(
            config, seeds=plan.seeds, reuse=plan.reuse, exhaustive=plan.exhaustive
        ),
        "evaluator": {
            **_model_json(models["evaluator"]),
            "measurement_date": plan.measurement_date,
            "method": config.method,
        },
        "executor": None,
        "provenance": _provenance(calls, now),
    }
    if "executor" in models:
        manifest["executor"] = {
            **_model_json(models["executor"]),
            "prompt_template": EXECUTOR_PROMPT,
        }
    findings = Findings()
    again = recompute(manifest, folder, findings)
    if findings.kept() or not _same_weights(again.per_seed, outcomes):
        first = str(findings.kept()[0]) if findings.kept() else "the weights differ"
        raise SelfCheckError(f"the written trials do not give back the run: {first}")
    manifest["results"] = again.results()
    write_rows(folder, "weights", weight_rows(again.per_seed))
    manifest["raw"] = describe(folder)
    strict_json.write(folder / MANIFEST, manifest)
    return manifest


def _trial_order(trial: Json) -> tuple[int, int, int]:
    return trial["seed"], PHASE_NAMES.index(trial["phase"]), trial["round"]


def _model_json(role: Role) -> Json:
    return {**asdict(role.model.identity), "decoding": decoding_json(role.decoding)}


def _provenance(calls: Sequence[Json], now: datetime) -> Json:
    """Return where and with what the run was made, and what it used."""
    return {
        "created": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "software": {
            "epc": __version__,
            "numpy": version("numpy"),
            "python": python_version(),
        },
        "calls": {
            role: sum(call["role"] == role for call in calls) for role in ("executor", "evaluator")
        },
        "tokens": {
            "in": sum(call["tokens_in"] or 0 for call in calls),
            "out": sum(call["tokens_out"] or 0 for call in calls),
        },
        "served_models": _distinct(calls, "served_model"),
        "system_fingerprints": _distinct(calls, "system_fingerprint"),
    }


def _distinct(calls: Sequence[Json], key: str) -> list[str]:
    return sorted({call[key] for call in calls if call[key] is not None})


def _same_weights(per_seed: Sequence[Json], outcomes: dict[int, Outcome]) -> bool:
    return {record["seed"] for record in per_seed} == set(outcomes) and all(
        tuple(record["weights"][phase].values()) == outcomes[record["seed"]][phase].weights
        for record in per_seed
        for phase in PHASE_NAMES
    )
