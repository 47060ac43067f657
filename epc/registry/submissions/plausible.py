"""Can a manifest be what it says? What it shows of itself, before anything is recomputed.

Pure; the day is passed in.
"""

from collections.abc import Iterator
from datetime import date, datetime
from itertools import pairwise
from typing import Final

from epc.errors import Finding, Severity
from epc.printable import one_line
from epc.protocol.draws import GENERATOR
from epc.records.layout import MANIFEST
from epc.records.manifest import Manifest, ModelIdentity
from epc.registry import platforms
from epc.registry.expiry import misdated
from epc.registry.lifecycles import MOCKS
from epc.registry.submissions import layout
from epc.registry.submissions.statement import Endpoint

_GATEWAY: Final = "declare it a gateway: the figures are published as such"
_OWN_SERVER: Final = (
    "a server of your own is asked as ollama/, vllm/, llamacpp/ or openai-compatible/, and offered "
    f"on the platform {platforms.SELF_HOSTED}"
)
_MEASURE_AGAIN: Final = "measure again with `epc run`, whose records hold together"


def bounds(manifest: Manifest) -> Iterator[Finding]:
    """Yield what would make a manifest too much work to check."""
    config = manifest.config
    limits = (
        ("/config/seeds", len(config.seeds), layout.MOST_SEEDS),
        ("/config/rounds", config.rounds, layout.MOST_ROUNDS),
        ("/strategies", len(manifest.strategies), layout.MOST_STRATEGIES),
        ("/tasks", len(manifest.tasks), layout.MOST_DOMAINS),
        *((f"/tasks/{d}", len(tasks), layout.MOST_TASKS) for d, tasks in manifest.tasks.items()),
    )
    for where, count, limit in limits:
        if count > limit:
            problem = f"{count:,}, expected at most {limit:,}"
            yield _finding(layout.SIZE, where, problem, "ask in an issue how to offer more")
    if not config.rounds:
        yield _finding(layout.SIZE, "/config/rounds", "0, expected at least 1", _MEASURE_AGAIN)
    if manifest.raw is None:
        problem = "names no raw files, so nothing can be recomputed"
        yield _finding("EPC-2.5(d)", "/raw", problem, "offer the folder that the run wrote")


def seeds(manifest: Manifest) -> Iterator[Finding]:
    """Yield signs that seeds were chosen: a gap in their range, draws that cannot be checked."""
    sorted_seeds = sorted(manifest.config.seeds)
    missing = sorted_seeds[-1] - sorted_seeds[0] + 1 - len(sorted_seeds)
    if missing:
        gap = next(a + 1 for a, b in pairwise(sorted_seeds) if b != a + 1)
        first, last = sorted_seeds[0], sorted_seeds[-1]
        problem = f"{missing:,} seeds are missing between {first} and {last}, first {gap}"
        remedy = "offer every seed of the range: those that are left out decide the mean"
        yield _finding(layout.SEEDS, "/config/seeds", problem, remedy)
    elif sorted_seeds[0]:
        problem = f"the range begins at {sorted_seeds[0]}, not at 0: nobody can see why"
        remedy = "measure from seed 0, unless this repeats a measurement with fresh seeds"
        yield _finding(layout.SEEDS, "/config/seeds", problem, remedy, "warning")
    if manifest.config.generator != GENERATOR:
        problem = "the draws of another generator cannot be checked here"
        yield _finding(layout.SEEDS, "/config/generator", problem, f"use {GENERATOR}")


def endpoints(manifest: Manifest, declared: Endpoint) -> Iterator[Finding]:
    """Yield where what is declared, models' names and their addresses tell different stories."""
    yield from asked_at(manifest.evaluator, "evaluator", declared)
    if manifest.executor is not None:
        yield from asked_at(manifest.executor, "executor", declared)


def answered(manifest: Manifest) -> Iterator[Finding]:
    """Yield that an evaluator which is no mock judged a mock's answers: that measures nothing."""
    executor, evaluator = manifest.executor, manifest.evaluator
    if executor is None or not executor.model.startswith(MOCKS):
        return
    if not evaluator.model.startswith(MOCKS):
        problem = f"{one_line(executor.model)} answers with arbitrary text, which is no work"
        remedy = "measure again with a model as executor: local/smollm2-135m needs no key"
        yield _finding(layout.BASELINE, "/executor/model", problem, remedy)


def asked_at(model: ModelIdentity, role: str, declared: Endpoint) -> Iterator[Finding]:
    """Yield what is wrong with how a role's model says that it was asked.

    An executor's gateway changes answers, which are all there to be read: nobody declares it.
    """
    where, kind = f"/{role}/endpoint", platforms.kind_of(model)
    if declared == "recorded":
        remedy = "declare it direct, or a gateway"
        yield _finding(layout.ENDPOINT, where, "was asked, declared recorded by others", remedy)
        return
    address = one_line(model.endpoint)
    if problem := platforms.contradiction(model):
        yield _finding(layout.ENDPOINT, where, problem, _OWN_SERVER)
    elif kind == "unknown":
        platform_names = " or ".join(sorted(platforms.named(model.model) or ())) or "any platform"
        problem = f"{address} is not known to be {platform_names}'s own"
        if declared == "direct" and role == "evaluator":
            problem += ", declared direct"
            yield _finding(layout.ENDPOINT, where, problem, f"{_GATEWAY}; {_OWN_SERVER}")
        elif role == "executor":
            remedy = "say in the pull request whose it is"
            yield _finding(layout.ENDPOINT, where, problem, remedy, "warning")
    elif role == "evaluator" and declared == "direct" and kind == "gateway":
        by = model.gateway or platforms.host_of(model.endpoint)
        problem = f"was asked through the gateway {one_line(str(by))}, declared direct"
        yield _finding(layout.ENDPOINT, where, problem, _GATEWAY)
    elif role == "evaluator" and declared == "gateway" and kind == "direct":
        problem, remedy = f"{address} is no gateway, declared one", "declare it direct"
        yield _finding(layout.ENDPOINT, where, problem, remedy)


def weighed(model: ModelIdentity, weights: str | None, where: str) -> Iterator[Finding]:
    """Yield that a server of one's own states no weights, or that a platform's model does.

    Such a server answers to any name: what it served is told by its weights alone.
    """
    self_hosted = platforms.platform_of(model) == platforms.SELF_HOSTED
    name = one_line(model.model)
    if self_hosted and weights is None:
        problem = f"{name} was served by the contributor, and nothing says which weights"
        remedy = "state their digest as sha256:... (`sha256sum` of the file, or the server's own)"
    elif weights is not None and not self_hosted:
        problem = f"states weights, and {name} was not asked on {platforms.SELF_HOSTED}"
        remedy = "leave the weights out"
    else:
        return
    yield Finding(clause=layout.KNOWN, where=where, problem=problem, remedy=remedy)


def sourced(source: str | None, where: str, *, recorded: bool) -> Iterator[Finding]:
    """Yield that recorded verdicts do not say whose they are, or that answered ones do.

    What a file holds was given by somebody, on some day, in some way: only its owner can say so.
    """
    if recorded and source is None:
        problem = "verdicts from a file, and nothing says whose they are"
        remedy = "say who gave them, when, how they were asked, and where they were taken from"
    elif source is not None and not recorded:
        problem, remedy = "states a source, and the verdicts were not recorded", "leave it out"
    else:
        return
    # Reading R77: what a source does not state is unknown, and nothing is filled in.
    yield Finding(clause="Reading R77", where=where, problem=problem, remedy=remedy)


def days(manifest: Manifest, today: date) -> Iterator[Finding]:
    """Yield dates that cannot be: in the future, long ago, or made before it was measured."""
    dates: list[date] = []
    for pointer, text, verb in (
        ("/evaluator/measurement_date", manifest.evaluator.measurement_date, "measured"),
        ("/provenance/created", manifest.provenance.created, "written"),
    ):
        try:
            day = datetime.fromisoformat(text).date()
        except ValueError:
            problem = "a day that no calendar has"
            yield _finding(layout.DATES, pointer, problem, _MEASURE_AGAIN)
            continue
        dates.append(day)
        if wrong := misdated(day, today):
            remedy = "set the clock, and measure again"
            yield _finding(layout.DATES, pointer, f"{verb} {wrong}", remedy)
    if dates != sorted(dates):
        measured, created = dates
        problem = f"measured on {measured}, and written on {created} already"
        yield _finding(layout.DATES, "/evaluator/measurement_date", problem, _MEASURE_AGAIN)


def _finding(
    clause: str, where: str, problem: str, remedy: str, severity: Severity = "error"
) -> Finding:
    path = f"{MANIFEST}{where}"
    return Finding(clause=clause, where=path, problem=problem, remedy=remedy, severity=severity)
