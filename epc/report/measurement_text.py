"""A measurement in words and columns: the table that `epc run` and `epc show` print."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import astuple

from epc.analysis.audit import Audit, audit_manifest
from epc.records.manifest import Estimate, Manifest, Summary
from epc.records.usage import suspicions
from epc.report import reliability
from epc.report.audit_text import bearing, evaluator, findings
from epc.report.coupling_text import matrices
from epc.report.document import Facts, Listed, Part, Section, Table, printed
from epc.simulation.training import coin_bands
from epc.spec.domains import Direction, Domain, pair_title
from epc.spec.epc_v1 import MANY_ZEROS, MIN_TASKS, PUBLICATION_SEEDS
from epc.spec.reference import TASKS
from epc.statistics.figures import ONE_SEED, figure_text, interval_text, number_text, spread_text
from epc.statistics.intervals import spread_interval

if TYPE_CHECKING:
    from epc.audit.pilot import TaskQuality

_CAUSES: Final = {
    "no_update": "no verdict was ever counted",
    "collapse": "both runs ended on one strategy",
    "identical": "both runs took the same steps",
}


def report(manifest: Manifest, audited: Audit | None = None, ended: Sequence[str] = ()) -> str:
    """Return the printed form of a manifest: what was measured, the table, what to make of it.

    `audited` is the audit of the run it belongs to; without it, of what the manifest states.
    `ended` says since when its evaluator can no longer be measured.
    """
    audited = audited or audit_manifest(manifest)
    parts = (*bearing(audited), *measurement(manifest, audited, ended))
    return f"{title(manifest)}\nWhat these figures show: {printed(parts)}"


def measurement(manifest: Manifest, audited: Audit, ended: Sequence[str]) -> Iterator[Part]:
    """Yield what was measured, the figures, and what a reader must know before using them."""
    yield Section("What was measured", [Facts([*_measured(manifest)])])
    transfer = audited.facts.transfer
    name, tables = "Figures of the protocol", matrices(transfer) if transfer else ()
    yield Section(
        name,
        [
            Table(name, [*_figures(manifest, audited)]),
            Listed([*_how_to_read(manifest)]),
            *(Section(matrix, [Table(matrix, rows)], "open") for matrix, rows in tables),
        ],
    )
    yield findings(audited)
    old = (f"Version decay: its evaluator is {state} [EPC-5.3(1)]." for state in ended)
    yield evaluator(audited, (*old, *remarks(manifest)))


def title(manifest: Manifest) -> str:
    """Return which measurement it is."""
    return f"{manifest.protocol_version}, measured {manifest.evaluator.measurement_date}"


def _measured(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield what was measured, each fact with its label."""
    evaluator, executor, config = manifest.evaluator, manifest.executor, manifest.config
    answers = "answers reused" if manifest.reuses else "every round asked afresh"
    coverage = "exhaustive, " if config.exhaustive else ""
    calls, phases = manifest.provenance.calls, len(manifest.domains.phases)
    yield "evaluator", f"{evaluator.model} ({evaluator.method}, {evaluator.endpoint})"
    if executor is not None:
        yield "executor", f"{executor.model} ({executor.endpoint})"
    yield "seeds", f"{len(config.seeds)}, {config.rounds} rounds in each of {phases} phases"
    yield "calls", f"{calls['executor']} answers, {calls['evaluator']} comparisons"
    yield "", f"{coverage}{answers}"
    if manifest.is_whole:
        yield "verdicts", _recorded(manifest)
    if few := manifest.configuration.few_tasks:
        yield "tasks", f"{_few(few)}: fewer than the {MIN_TASKS} of EPC-2.4(a){_unmarked(manifest)}"
    if manifest.groups is not None:
        grouped = (
            f"{len(groups)} {domain} tasks in {len(set(groups))}"
            for domain, groups in manifest.groups.items()
        )
        yield "groups", ", ".join(grouped)


def _few(tasks: Mapping[Domain, int]) -> str:
    return " and ".join(f"{count} in {domain}" for domain, count in tasks.items())


def _unmarked(manifest: Manifest) -> str:
    """Return the tag that a record of before Reading R90 states, which does not show few tasks."""
    recorded_tag = manifest.document["protocol_version"]
    return (
        ""
        if recorded_tag == manifest.protocol_version
        else f"; its record says {recorded_tag}, from before AltTasks"
    )


def _recorded(manifest: Manifest) -> str:
    """Say how many pairs recorded verdicts hold, and how many of their rows say nothing new."""
    counts = manifest.results.verdict_table.counts
    cells = [cell for rows in counts.values() for row in rows.values() for cell in row]
    coverage = f"{sum(map(any, cells)):,} of {len(cells):,} pairs are in the file"
    twice = manifest.evaluator.details.get("duplicates")
    return f"{coverage}; {twice:,} duplicate rows, not counted again" if twice else coverage


def _figures(manifest: Manifest, audited: Audit) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table, its head first: a label, and a cell for each direction."""
    summary, coin = manifest.results.summary, coin_bands(manifest.configuration)
    control = summary.control
    directions = manifest.domains.directions
    yield ("", *map(pair_title, directions))
    yield ("gamma", *(_estimate(summary.gamma[d]) for d in directions))
    yield ("  by EPC-5.2", *(audited.interpreted(d) for d in directions))
    if 1 < summary.n < PUBLICATION_SEEDS:
        yield ("  by Student's t", *(_students(manifest, d) for d in directions))
    floors = [control.noise_floor[d] for d in directions]
    yield ("  noise floor", *(spread_text(f.mean, f.q025, f.q975) for f in floors))
    if audited.excess is not None:
        yield ("  excess coupling", *(_estimate(control.excess[d], "+.3f") for d in directions))
    yield ("  coin flip", *[spread_text(*astuple(coin["gamma"]))] * len(directions))
    yield ("JSD, nats", *(_estimate(summary.jsd[d]) for d in directions))
    yield ("  coin flip", *[spread_text(*astuple(coin["jsd"]))] * len(directions))
    zero = summary.zero_coupling_rate
    yield ("zero-coupling rate", *(_estimate(zero[d], ".1%") for d in directions))
    ties = summary.tie_rate_by_phase
    yield ("tie rate, this phase", *(_estimate(ties[d], ".1%") for d in directions))


def _how_to_read(manifest: Manifest) -> Iterator[str]:
    """Yield what the cells of the table are."""
    summary = manifest.results.summary
    method = _METHODS[summary.control.method]
    yield (
        "mean over seeds [95% interval]; noise floor: the same without a change of domain, "
        f"{method} (95% of single seeds); coin flip: (90% of them)"
    )
    if 1 < summary.n < PUBLICATION_SEEDS:
        yield "few seeds: the protocol's bootstrap is too narrow, Student's interval is not"


_METHODS: Final = {
    "simulated": "simulated from this run's verdicts",
    "measured": "measured in this run",
}


def _students(manifest: Manifest, direction: Direction) -> str:
    interval = spread_interval([r.gamma[direction] for r in manifest.results.per_seed])
    return f"{'':<6}{interval_text(interval)}"


def _estimate(estimate: Estimate, form: str = ".3f") -> str:
    return figure_text(estimate.mean, estimate.ci95, form, ONE_SEED)


def remarks(manifest: Manifest) -> Iterator[str]:
    """Yield what a reader must know before using the figures, from the run's own numbers."""
    summary = manifest.results.summary
    yield from on_the_evaluator(summary)
    yield from _on_the_provider(manifest)
    yield from _on_the_zeros(summary)
    yield from reliability.lines(manifest)
    yield from _pitfalls(manifest)


def on_the_evaluator(summary: Summary) -> Iterator[str]:
    """Yield how many answers could be read, how many refused, and which place they prefer."""
    diagnostics = summary.diagnostics
    if diagnostics is None:
        return
    answers, itself = diagnostics.answers, diagnostics.self_comparisons
    if not answers.n:
        yield "NO VERDICT WAS EVER COUNTED: there was no round."
        return
    yield (
        f"The rounds use {answers.n} answers of the evaluator; "
        f"{answers.decided} ({100 * (answers.parse_rate or 0):.0f}%) decide for A or B."
    )
    if answers.refusals:
        yield f"It refused to judge in {answers.refusals} of them."
    if not answers.decided:
        yield "NO VERDICT WAS EVER COUNTED: gamma 0 is then a failed run, not stability."
        return
    yield f"Of those, {100 * (answers.share_of_a or 0):.0f}% choose A, the strategy's answer."
    if itself.n and not itself.decided:
        yield f"Two equal answers: a tie in all {itself.n}, so no preference for a place."
    elif itself.decided:
        yield f"Two equal answers: A in {100 * (itself.share_of_a or 0):.0f}% of {itself.decided}."


def _on_the_provider(manifest: Manifest) -> Iterator[str]:
    """Say what the provider did beside answering: another model, a second answer, retries."""
    for _, problem in suspicions(manifest):
        yield f"DOUBTFUL: {problem}."
    determinism = manifest.results.summary.determinism
    if determinism is not None and not determinism.verdict_flips:
        yield f"Asked again, none of {determinism.comparisons} comparisons got another verdict."


def _pitfalls(manifest: Manifest) -> Iterator[str]:
    """Yield those of EPC-5.3 that the run falls into and no audit finds: gateway, length, tasks."""
    if gateway := manifest.evaluator.gateway:
        yield (
            f"Asked through {gateway}, a third party's gateway: the figures may show what it does, "
            "and not the model [EPC-5.3(2)]."
        )
    related = (manifest.results.summary.length_correlation or {}).items()
    if by_domain := [
        f"{number_text(r, '+.2f')} in {domain}" for domain, r in related if r is not None
    ]:
        yield (
            f"Win rates of strategies go with the length of their answers by r = "
            f"{' and '.join(by_domain)}: "
            "so far PCI and gamma may be a taste for length [EPC-5.3(3)]."
        )
    if manifest.configuration.tasks != TASKS:
        yield "Its tasks are not the paper's, and gamma may depend on the tasks [EPC-5.3(6)]."


def _on_the_zeros(summary: Summary) -> Iterator[str]:
    for direction, rate in summary.zero_coupling_rate.items():
        if rate.mean > MANY_ZEROS:
            yield (
                f"{pair_title(direction)}: gamma is 0 in {100 * rate.mean:.0f}% of the seeds, "
                f"above {100 * MANY_ZEROS:.0f}%: the evaluator may distinguish nothing, or runs "
                "ended on one strategy; it shows no stability [EPC-5.2, EPC-5.3(4)]."
            )
    for direction, causes in sorted(summary.zero_causes.items()):
        for cause, count in causes.items():
            why = f"gamma is 0 in {count} of {summary.n} seeds: {_CAUSES[cause]} ({cause})."
            yield f"{pair_title(direction)}: {why}"


_SHOWN: Final = 56
_NOTHING: Final = "-"


def task_lines(
    qualities: "Sequence[TaskQuality]", tasks: Mapping[Domain, Sequence[str]]
) -> Iterator[str]:
    """Yield a line a task, and what the columns mean."""
    yield f"{'':8}{'decided':>10}{'win rate':>10}{'spread':>8}{'with rest':>11}  task"
    for domain in tasks:
        yield domain
        for row in (quality for quality in qualities if quality.domain == domain):
            yield _line(row, tasks[domain][row.task])
    yield ""
    yield "decided: strategies with an A or B, of those asked, without the baseline itself"
    yield "spread: how far the task tells strategies apart; 0 is not at all, 0.5 the most"
    yield "with rest: correlation with the win rates on the domain's other tasks, over strategies"


def _line(quality: "TaskQuality", task: str) -> str:
    decided = f"{quality.decided} of {quality.asked}"
    win_rate, spread = (
        _NOTHING if value is None else f"{value:.2f}"
        for value in (quality.win_rate, quality.spread)
    )
    correlation = _NOTHING if quality.with_rest is None else number_text(quality.with_rest, "+.2f")
    folded = " ".join(task.split())
    task_text = folded if len(folded) <= _SHOWN else f"{folded[:_SHOWN]}..."
    return f"{'':8}{decided:>10}{win_rate:>10}{spread:>8}{correlation:>11}  {task_text}"
