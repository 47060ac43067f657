"""A run's results again, from its trials alone (EPC-2.5)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epc.core.diagnostics import diagnose
from epc.core.results import Json, seed_record, summarise
from epc.errors import Finding, MalformedError
from epc.records import strict_json
from epc.records.calls import read_calls
from epc.records.findings import Findings
from epc.records.layout import MANIFEST
from epc.records.manifest import configuration_of
from epc.records.rows import read_rows
from epc.records.schemas import MANIFEST as MANIFEST_SCHEMA
from epc.records.schemas import findings as schema_findings
from epc.records.trials import CLAUSE, TrialReplay


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """The results that the trials give, as far as they could be replayed.

    `complete` is False where a seed is missing or could not be replayed; the summary is then
    None, because a mean over the remaining seeds would be another measurement's.
    """

    per_seed: list[Json]
    summary: Json | None
    complete: bool

    def results(self) -> Json:
        """Return the manifest's `results`.

        Raises: MalformedError if a seed is missing.
        """
        if self.summary is None:
            raise MalformedError(
                Finding(
                    clause="EPC-2.5(d)",
                    where="/trials",
                    problem="not every seed could be replayed",
                    remedy="see `epc validate` for each trial that stands in the way",
                )
            )
        return {"per_seed": self.per_seed, "summary": self.summary}


def manifest_path(path: Path) -> Path:
    """Return the manifest that a run folder, or a path to a manifest, stands for."""
    return path / MANIFEST if path.is_dir() else path


def load_manifest(path: Path) -> Json:
    """Return a run's manifest.

    Raises: MalformedError at its first problem; `epc validate` lists them all. WorldError if it
    cannot be read.
    """
    value, problems = read_manifest(path)
    if problems:
        raise MalformedError(problems[0])
    manifest: Json = value
    return manifest


def read_manifest(path: Path) -> tuple[Any, list[Finding]]:
    """Return a manifest's value, and what is wrong with its text or its shape."""
    file = manifest_path(path)
    if not file.exists():
        missing = Finding(
            clause="EPC-2.8",
            where="",
            problem=f"there is no {MANIFEST} here",
            remedy="name a finished run, or finish this one with `epc resume`",
        )
        return None, [missing]
    value, problems = strict_json.read(file)
    return value, problems or schema_findings(MANIFEST_SCHEMA, value)


def recompute(manifest: Json, folder: Path, findings: Findings) -> Recomputed:
    """Replay a run's trials and compute every figure again, noting what does not fit.

    Raises: WorldError if a raw file cannot be read.
    """
    config = configuration_of(manifest)
    seeds = sorted(int(seed) for seed in manifest["config"]["seeds"])
    executor = manifest["executor"]
    replay = TrialReplay(
        config=config,
        seeds=seeds,
        generator=manifest["config"]["generator"],
        executor_template=executor["prompt_template"] if executor else None,
        calls=read_calls(folder, manifest, findings),
        findings=findings,
    )
    replay.run(read_rows(folder, "trials", findings, clause=CLAUSE))
    names = [strategy.name for strategy in config.strategies]
    per_seed = [
        seed_record(seed, replay.outcomes[seed], names) for seed in seeds if seed in replay.outcomes
    ]
    complete = len(per_seed) == len(seeds)
    diagnostics = diagnose(replay.judged, baseline=config.baseline)
    return Recomputed(
        per_seed=per_seed,
        summary=summarise(per_seed, diagnostics) if complete else None,
        complete=complete,
    )
