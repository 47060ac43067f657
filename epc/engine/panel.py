"""Asking the evaluator of a finished measurement again: who is asked, what, in which limits."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from pathlib import Path

from epc.audit.probes import CONTROLS, Probe, exchanges, planted
from epc.engine.budget import Limits
from epc.engine.calls import Caller, Watch
from epc.engine.catalog import open_model
from epc.engine.composite import put_within
from epc.engine.controls import ask, kept_rows
from epc.engine.plan import identities, load
from epc.engine.roles import Role
from epc.engine.sitting import asked_within, require_same
from epc.errors import UsageError, refuse
from epc.protocol.config import Configuration
from epc.protocol.results import Json
from epc.records.calls import (
    answers_of,
    call_names,
    comparisons_of,
    read_calls,
)
from epc.records.findings import Findings
from epc.records.layout import IDENTITY, PLAN, PROBING, describe
from epc.records.manifest import Manifest, plain
from epc.records.recompute import load_manifest, manifest_path
from epc.records.rows import Call, Trial, read_typed
from epc.records.usage import Usage


@asynccontextmanager
async def asked_anew(
    name: str,
    manifest: Manifest,
    folder: Path,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
) -> AsyncIterator[tuple[Role, Caller]]:
    """Have a measurement's evaluator asked within the block; a journal in the folder keeps it.

    Nothing comes from any cache.

    Raises: UsageError if the evaluator cannot be opened; WorldError if the disk fails.
    """
    model = open_model(name)
    put_within(model, manifest.configuration)
    role = Role(name="evaluator", model=model, decoding=manifest.evaluator.decoding)
    async with asked_within([role], folder, clock=clock, watch=watch, limits=limits) as caller:
        yield role, caller


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedProbes:
    """A finished run and what its evaluator is to be asked.

    `probes` are all that were wanted, `missing` those of them without an answer yet, and `short`
    says how many pairs of each sort the run's answers did not give (Reading R41).
    """

    folder: Path
    evaluator: str
    manifest: Manifest
    probes: list[Probe]
    missing: int
    short: dict[str, int]


def reopen(run: Path, *, swap: int = 0, controls: int = 0) -> OpenedProbes:
    """Choose what a finished run's evaluator is to be asked; nothing is opened and nothing sent.

    What was asked before counts towards both numbers.

    Raises: UsageError if the run has nobody to ask; MalformedError if its record is damaged;
    WorldError if the disk fails.
    """
    manifest, folder = load_manifest(run), manifest_path(run).parent
    config, executor = manifest.configuration, manifest.executor
    if executor is None or config.method == "recorded":
        raise UsageError(
            f"{manifest.evaluator.model}: recorded verdicts cannot be asked anything more; "
            "measure the evaluator itself to probe it"
        )
    if manifest.raw is None:
        raise UsageError(f"{run}: its answers are not here; probe the run folder, not a manifest")
    if describe(folder) != plain(manifest.raw):
        raise UsageError(f"{run} is not as it was measured: see `epc validate {run}`")
    findings = Findings()
    calls = read_calls(folder, manifest, Usage(), findings)
    trials = [row for _, row in read_typed(folder, Trial, findings, clause="EPC-2.5(d)")]
    refuse(findings.as_list())
    probe_rows = kept_rows(folder)
    comparisons = comparisons_of(config, trials, calls) if swap else []
    swaps = list(islice(exchanges(comparisons, config), swap))
    pairs = _planted(config, calls, executor.prompt_template, probe_rows.values(), wanted=controls)
    probes = [*swaps, *chain.from_iterable(pairs)]
    names = call_names(manifest)["evaluator"]
    named = {names.name(probe.text(config), probe.place) for probe in probes}
    already = len({row["answer"] for row in probe_rows.values() if row["probe"] in CONTROLS})
    return OpenedProbes(
        folder=folder,
        evaluator=load(folder).evaluator if (folder / PLAN).exists() else manifest.evaluator.model,
        manifest=manifest,
        probes=probes,
        missing=len(named - probe_rows.keys()),
        short={
            "swap": max(0, swap - len(swaps)),
            "controls": max(0, controls - already - len(pairs)),
        },
    )


async def probe(
    reopened: OpenedProbes,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits | None = None,
) -> None:
    """Ask what is missing and keep it in probes.jsonl; `epc.records.probes` reads it.

    Nothing is opened where nothing is missing.

    Raises: UsageError if the evaluator is no longer the run's; StoppedError if a call got no
    answer or a limit was reached, and the same call goes on from there; WorldError if the disk
    fails.
    """
    if not reopened.missing:
        return
    manifest, folder = reopened.manifest, reopened.folder
    async with asked_anew(
        reopened.evaluator,
        manifest,
        folder / PROBING,
        clock=clock,
        watch=watch,
        limits=limits or Limits(),
    ) as (role, caller):
        identity = {key: getattr(manifest.evaluator, key) for key in IDENTITY}
        require_same(identities(role.model, None), {"evaluator": identity})
        config = manifest.configuration
        await ask(reopened.probes, folder, role=role, config=config, caller=caller)


def _planted(
    config: Configuration,
    calls: Mapping[str, Call],
    template: str,
    probe_rows: Iterable[Json],
    wanted: int,
) -> list[tuple[Probe, Probe]]:
    """Return the planted pairs that are still wanted beside those that were asked before."""
    used = {row["answer"] for row in probe_rows if row["probe"] in CONTROLS}
    pairs = planted(answers_of(config, calls, template), config) if wanted else iter(())
    new = (pair for pair in pairs if pair[0].answer.call not in used)
    return list(islice(new, max(0, wanted - len(used))))
