"""Judges of a domain on a day, benchmark by benchmark, from what is published."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from epc.analysis.choosing import Choice
from epc.analysis.domains import (
    BENCHMARKS,
    Benchmark,
    BenchmarkAnswer,
    Candidate,
    DomainAnswer,
    domain_named,
    domains,
    is_decided,
    near_to,
    subset_named,
    unmeasured,
)
from epc.analysis.headline import NAMES
from epc.analysis.quotable import STATED
from epc.analysis.verdicts_rows import fits
from epc.answers.choose import choose
from epc.answers.resolve import resolve
from epc.answers.service import service_on
from epc.answers.snapshot_status import figure_state, status_on, turns_of
from epc.answers.turns import days_of_life, turns
from epc.answers.words import month
from epc.errors import UsageError
from epc.records.typed import parse
from epc.registry.figures import misread
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Figures
from epc.statistics.figures import figure_text

_SIDES: Final = ("tpr", "tnr", "weighted_kappa", "repeat_consistency_all")


def judges_for(
    registry: Registry,
    domain: str,
    day: date,
    *,
    platform: str | None = None,
    budget: float | None = None,
) -> Choice | DomainAnswer:
    """Return which judges may be used in a domain: of the benchmark of choices, or of another.

    A part of a domain follows it, as `translation:en-de`.

    Raises: UsageError if nothing is known of the domain or its part, the platform serves none of
    its judges, or a budget is given where no prices are known.
    """
    word, _, subset = domain.partition(":")
    if (name := domain_named(word)) is None:
        _require_known(registry, domain)
        return choose(registry, domain, day, platform=platform, budget=budget)
    if budget is not None:
        raise UsageError(
            f"nobody states prices of judges of {name}, so a budget says nothing\n"
            "  fix: leave --budget out"
        )
    answer = of_domain(registry, name, day, platform=platform)
    return _of_subset(answer, subset) if subset else answer


def _of_subset(answer: DomainAnswer, subset: str) -> DomainAnswer:
    """Return the answer of a part of a domain.

    Raises: UsageError if no benchmark of the domain states figures of it.
    """
    names: set[str] = set()
    for benchmark in answer.benchmarks:
        for candidate in benchmark.candidates:
            names.update(candidate.by_subset)
    wanted = subset_named(sorted(names), subset)
    if not wanted:
        known = (
            f"its parts are {', '.join(sorted(names))}" if names else "no part of it has figures"
        )
        raise UsageError(
            f"no judge has figures of {subset!r} in {answer.domain}: {known}\n"
            f"  fix: ask for one of them, or for --domain {answer.domain}"
        )
    benchmarks = tuple(_with_subsets(benchmark, wanted) for benchmark in answer.benchmarks)
    return replace(answer, subset=subset, benchmarks=benchmarks)


def _with_subsets(answer: BenchmarkAnswer, wanted: Collection[str]) -> BenchmarkAnswer:
    """Return a benchmark's answer of some parts; what is of all parts together is left out."""
    candidates = []
    for candidate in answer.candidates:
        chosen = {name: candidate.by_subset[name] for name in wanted if name in candidate.by_subset}
        if chosen:
            candidates.append(
                replace(candidate, by_subset=chosen, subsets=tuple(chosen), self_preference="")
            )
    return replace(answer, candidates=tuple(candidates))


def of_domain(
    registry: Registry, domain: str, day: date, *, platform: str | None = None
) -> DomainAnswer:
    """Return the judges of a domain that has benchmarks of its own, or none.

    Raises: UsageError if the platform serves none of them.
    """
    benchmarks = [benchmark for benchmark in BENCHMARKS if benchmark.domain == domain]
    answers = [_of_benchmark(registry, benchmark, day, platform) for benchmark in benchmarks]
    if platform and benchmarks and not any(answer.candidates for answer in answers):
        raise UsageError(
            f"{platform} serves no judge that was measured on {domain}\n"
            "  fix: see the platforms' names in `epc evaluators list`, or leave --platform out"
        )
    without_judges = unmeasured(domain)
    return DomainAnswer(
        domain=domain,
        as_of=day.isoformat(),
        platform=platform,
        benchmarks=tuple(answer for answer in answers if answer.candidates or answer.unserved),
        public=without_judges.public if without_judges else (),
        near=without_judges.near if without_judges else (),
    )


def turns_of_domains(registry: Registry, day: date) -> list[date]:
    """Return the days after a day on which something may turn of benchmarks' judges."""
    repositories = {benchmark.repository for benchmark in BENCHMARKS}
    days: set[date] = set()
    for tag, snapshot in registry.snapshots.items():
        if snapshot.card.origin and snapshot.card.origin.repository in repositories:
            days.update(turns_of(registry, tag, day))
            for target in resolve(registry, snapshot.tag.generation, day).everywhere:
                days.update(days_of_life(registry, target.life))
    return turns(registry, days, day)


def domains_of(
    registry: Registry, snapshots: Iterable[Snapshot], day: date
) -> Iterator[tuple[Benchmark, Candidate]]:
    """Yield each benchmark on which the judge of some snapshots has a figure, in its best way."""
    for benchmark in BENCHMARKS:
        ways = [
            candidate
            for snapshot in _measured_on(registry, benchmark, snapshots, day)
            for candidate in _candidates(registry, snapshot, benchmark, day)
        ]
        if ways and benchmark.figure:
            yield benchmark, min(ways, key=lambda candidate: candidate.rank)


def _measured_on(
    registry: Registry, benchmark: Benchmark, snapshots: Iterable[Snapshot], day: date
) -> Iterator[Snapshot]:
    """Yield the snapshots of a benchmark's source whose figures may be stated."""
    for snapshot in snapshots:
        origin = snapshot.card.origin
        is_of_source = origin is not None and origin.repository == benchmark.repository
        if is_of_source and figure_state(registry, str(snapshot.tag), day) in STATED:
            yield snapshot


def _require_known(registry: Registry, domain: str) -> None:
    """Refuse a domain of which nothing is known, with those that are near.

    Raises: UsageError.
    """
    if registry.choices is None:
        return
    try:
        registry.choices.domain(domain)
    except UsageError as error:
        names = [*registry.choices.domains, *domains()]
        near = near_to(domain, names)
        hint = f"; near it: {' and '.join(near)}" if near else ""
        problem, _, fix = str(error).partition("\n")
        raise UsageError(f"{problem}{hint}\n{fix}, {', '.join(domains())}") from error


def _of_benchmark(
    registry: Registry, benchmark: Benchmark, day: date, platform: str | None
) -> BenchmarkAnswer:
    snapshots = [*_measured_on(registry, benchmark, registry.snapshots.values(), day)]
    candidates, unserved = [], []
    for snapshot in snapshots:
        service = service_on(registry, snapshot.tag.generation, day)
        served = {
            place: state.status_text
            for place, state in service.served.items()
            if platform in (None, place)
        }
        if service.weights and platform is None:
            served.setdefault("weights", "public")
        name = service.name.plain or snapshot.tag.generation
        if served:
            listed = _candidates(registry, snapshot, benchmark, day)
            candidates += [replace(candidate, judge=name, served=served) for candidate in listed]
        else:
            unserved.append(name)
    ranked = tuple(sorted(candidates, key=lambda candidate: candidate.rank))
    return BenchmarkAnswer(
        benchmark=benchmark,
        candidates=ranked,
        faults={
            fault.id: fault.says for snapshot in snapshots for fault in snapshot.card.known_faults
        },
        unserved=tuple(unserved),
        decided=is_decided(ranked),
    )


def _candidates(
    registry: Registry,
    snapshot: Snapshot,
    benchmark: Benchmark,
    day: date,
) -> Iterator[Candidate]:
    tag, faults = str(snapshot.tag), snapshot.card.known_faults
    marking = [fault for fault in registry.faults_of(snapshot) if fault.effect == "mark"]
    of_month, state = month(status_on(registry, tag, day)), figure_state(registry, tag, day)
    preference = _self_preference(registry, snapshot, day)
    for group in parse(snapshot.figures, Figures).groups:
        figures = dict(group.all_figures)
        figure, always = figures.get(benchmark.figure), group.labels.always
        if not fits(group.settings, benchmark.settings) or bool(benchmark.figure) != bool(figure):
            continue
        if misread(faults, group.settings) or group.setting.modality != benchmark.modality:
            continue
        yield Candidate(
            judge=snapshot.tag.generation,
            setting=group.settings[0],
            tag=tag,
            figure=figure,
            verdicts=group.verdicts,
            subsets=tuple(sorted(group.by_subset)),
            sides={name: figures[name] for name in _SIDES if name in figures},
            month=of_month,
            state=state,
            faults=tuple(fault.id for fault in faults),
            marks=tuple(fault.id for fault in marking if fault.is_in(group.settings)),
            always=always.share if always and benchmark.domain == "choices" else None,
            alone=group.alone,
            self_preference=preference,
            by_subset={} if figure else dict(sorted(group.by_subset.items())),
        )


def _self_preference(registry: Registry, snapshot: Snapshot, day: date) -> str:
    """Return how far a judge favours its own answers, if any source of it says so."""
    for source in registry.snapshots.values():
        if source.tag.generation != snapshot.tag.generation or "groups" not in source.figures:
            continue
        if figure_state(registry, str(source.tag), day) not in STATED:
            continue
        for group in parse(source.figures, Figures).groups:
            for name in NAMES["self_preference"]:
                if figure := group.figures.get(name):
                    unit = "points of its scale" if name.endswith("score") else "of win rate"
                    value = figure_text(figure.value, figure.ci95)
                    return f"favours its own answers by {value} {unit} ({source.tag})"
    return ""
