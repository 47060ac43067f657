"""Joining runs of one measurement over different seeds into one record (`epc merge`)."""

import heapq
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from msgspec.structs import replace

from epc.engine.finish import in_order, write_record
from epc.engine.plan import Plan, load, save
from epc.errors import UsageError
from epc.json_text import pointer
from epc.protocol.results import Json
from epc.records.canary import TWICE, canary, in_words
from epc.records.layout import RAW
from epc.records.manifest import Manifest
from epc.records.rows import is_taken, with_origin
from epc.records.strict_json import dumps_line, read_lines
from epc.records.validate import validate

# What may differ between the shards of one measurement.
_OWN = ("results", "raw", "provenance", "canary")


def merge(folders: list[Path], out: Path) -> Json:
    """Write the run that all of the runs together are, and return its manifest.

    Its seeds are theirs; its answers are theirs, each once. The result is the one that a single
    run over all seeds gives.

    Raises: UsageError if a run is not valid, they are not shards of one measurement, or two of
    them have different answers to one prompt; WorldError if the disk fails.
    """
    if len(folders) < 2:  # noqa: PLR2004  (one run is merged already)
        raise UsageError("name at least two runs to merge")
    manifests: list[Manifest] = []
    for folder in folders:
        report = validate(folder)
        if report.manifest is None or not report.ok:
            raise UsageError(f"{folder} is not valid: see `epc validate {folder}`")
        manifests.append(report.manifest)
    for folder, manifest in zip(folders, manifests, strict=True):
        if manifest.canary is not None and manifest.canary.departed:
            raise UsageError(f"{folder}: {in_words(manifest.canary)}; leave it out")
    plans = [load(folder) for folder in folders]
    _require_one_measurement(folders, manifests)
    _require_one_evaluator(folders, manifests)
    seeds = _seeds(folders, manifests)
    for _ in _calls(folders):  # a conflict is found before anything is written
        pass
    day = max(manifest.evaluator.measurement_date for manifest in manifests)
    save(_plan(plans, seeds, day), out)
    head = {key: value for key, value in manifests[0].document.items() if key not in _OWN}
    head["config"] = {**head["config"], "seeds": seeds}
    head["evaluator"] = {**head["evaluator"], "measurement_date": day}
    created = max(manifest.provenance.created for manifest in manifests)
    software = dict(manifests[0].provenance.software)
    head["provenance"] = {"created": created, "software": software}
    if damage := sum(each.provenance.journal_damage for each in manifests):
        head["provenance"]["journal_damage"] = damage
    rows = (row for folder in folders for row in _rows(folder, "trials"))
    trials = (dumps_line(row) for row in in_order(rows, manifests[0].domains))
    return write_record(
        out,
        head,
        trials=trials,
        calls=((call, dumps_line(call).encode()) for call in map(with_origin, _calls(folders))),
    )


def _require_one_measurement(folders: list[Path], manifests: list[Manifest]) -> None:
    first = _comparable(manifests[0])
    for folder, manifest in zip(folders[1:], manifests[1:], strict=True):
        other = _comparable(manifest)
        keys = sorted(first.keys() | other.keys())  # accuracies stand in some manifests only
        differing = [key for key in keys if first.get(key) != other.get(key)]
        if differing:
            where = ", ".join(pointer(key) for key in differing)
            raise UsageError(f"{folders[0]} and {folder} are two measurements: {where} differ")


def _require_one_evaluator(folders: list[Path], manifests: list[Manifest]) -> None:
    """Hold the canaries of shards against the first of them (Reading R76).

    A run that took answers over was asked other pairs; its own canary has compared these.

    Raises: UsageError that names every shard whose panel another evaluator answered.
    """
    canaries = [
        (folder, manifest.canary.panels)
        for folder, manifest in zip(folders, manifests, strict=True)
        if manifest.canary is not None and manifest.canary.before is None
    ]
    if not canaries:
        return
    (first, panels), *others = canaries
    looks = canary([*panels[:TWICE], *(other[0] for _, other in others)]).looks
    pairs = len(panels[0].answers)
    odd = [
        f"{folder}: {look.odd} of {pairs} pairs of the canary got another verdict than twice at "
        f"the start of {first} (p {look.p_value:.2g})"
        for (folder, _), look in zip(others, looks, strict=False)  # no look without two panels
        if look.departed
    ]
    if odd:
        raise UsageError("\n".join([*odd, "another evaluator answered: leave one side out"]))


def _comparable(manifest: Manifest) -> Json:
    """Return what must be equal in all shards: everything but seeds, days and counts."""
    alike = {key: value for key, value in manifest.document.items() if key not in _OWN}
    alike["config"] = replace(manifest.config, seeds=())
    alike["evaluator"] = replace(manifest.evaluator, measurement_date="")
    alike["software"] = manifest.provenance.software
    return alike


def _seeds(folders: list[Path], manifests: list[Manifest]) -> list[int]:
    owner: dict[int, Path] = {}
    for folder, manifest in zip(folders, manifests, strict=True):
        for seed in manifest.config.seeds:
            if seed in owner:
                raise UsageError(f"seed {seed} is in {owner[seed]} and in {folder}")
            owner[seed] = folder
    return sorted(owner)


def _plan(plans: list[Plan], seeds: list[int], day: str) -> Plan:
    named = sorted({sha for plan in plans for sha in plan.reuse_answers_of})
    # The shards of several campaigns are one run of none.
    return replace(
        plans[0], seeds=seeds, measurement_date=day, reuse_answers_of=named, campaign=None
    )


def _calls(folders: list[Path]) -> Iterator[Json]:
    """Yield the calls of all runs by id, each once; the files are sorted already.

    Of an answer that one run took over from another, the call of the run that asked stands.
    """
    streams = [_rows(folder, "calls") for folder in folders]
    merged = heapq.merge(*streams, key=lambda row: str(row["id"]))
    for name, same in groupby(merged, key=lambda row: str(row["id"])):
        calls = list(same)
        if any(call["answer"] != calls[0]["answer"] for call in calls):
            raise UsageError(
                f"call {name} has two answers: the runs reused answers of a model that does not "
                "repeat itself; measure all seeds in one run, with --reuse none, or the later ones "
                "with --reuse-answers-of the first"
            )
        yield min(calls, key=lambda call: is_taken(call.get("origin")))


def _rows(folder: Path, name: str) -> Iterator[Json]:
    return (row for _, row, _ in read_lines(folder / RAW[name], name))
