"""`epc plan`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from epc.cli.common import echo_json, exit_with, now, open_registry, print_result
from epc.cli.countdown import spread
from epc.cli.options import (
    Finite,
    format_option,
    refuse_options,
    registry_option,
    with_default,
)
from epc.cli.planning import CROSSING, PlanReport, require_coupled
from epc.spec.epc_v1 import PUBLICATION_SEEDS, ROUNDS, SCREENING_SEEDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from epc.engine.cost_estimate import Need, Way

_SIMULATED = 20_000
_STRATEGIES = 11
# Options of every question but that of --judge.
_OF_DESIGNS = ("subject", "pilot", "width", "power", "evaluator", "executor")
_RUNS = 400  # simulated measurements of the design that is recommended


@dataclass(frozen=True, slots=True, kw_only=True)
class _Width:
    """How gamma spreads over seeds, and how wide that makes the interval of its mean."""

    sd: float
    width_at: Mapping[str, float]
    width: float
    seeds: int

    def lines(self, subject: str) -> list[str]:
        lines = [f"{subject}: for these tasks, gamma spreads over single seeds by {self.sd:.3f}"]
        for n, width in self.width_at.items():
            lines.append(f"{n} seeds give its mean a 95% interval {width:.2f} wide")
        lines.append(f"a width of {self.width:g} takes {self.seeds:,} seeds")
        return lines


@click.command()
@click.argument("subject", metavar="[EVALUATOR|RUN]", required=False)
@click.option(
    "--pilot",
    metavar="RUN|SNAPSHOT",
    help="Whether answers repeat, and how tasks move them: from a run of 50 verdicts or more, or a "
    "published snapshot by its tag or folder.",
)
@with_default(
    "--width", Finite(0, min_open=True), 0.1, "How wide the 95% interval of gamma's mean may be."
)
@click.option(
    "--power",
    type=Finite(0, 1, min_open=True, max_open=True),
    help="How often the audit shall call such an evaluator `coupled`, e.g. 0.9.",
)
@click.option("--evaluator", metavar="MODEL", help="The evaluator, to compute tokens and cost.")
@click.option("--executor", metavar="MODEL", help="The executor, to compute tokens and cost.")
@click.option(
    "--judge",
    metavar="MODEL",
    help="Instead: how often this judge must be asked, or with whom, to be right as often as "
    "--accuracy says, on the questions that the registry's judges were compared on.",
)
@click.option(
    "--accuracy",
    type=Finite(0, 1, min_open=True, max_open=True),
    help="The share of questions that --judge has to decide rightly, e.g. 0.85.",
)
@click.option("--domain", default="all", show_default=True, help="The kind of task, for --judge.")
@format_option
@registry_option
def command(
    subject: str | None,
    pilot: str | None,
    width: float,
    power: float | None,
    evaluator: str | None,
    executor: str | None,
    judge: str | None,
    accuracy: float | None,
    domain: str,
    form: str,
    registry: str | None,
) -> None:
    r"""Say what a precision or a power takes, and what it costs.

    EVALUATOR is written as for `epc simulate`; a RUN plans by its own spread between seeds. With
    --power or --pilot, whole measurements of EVALUATOR are simulated and put to the audit's rule:
    few tasks and many, few seeds and many, every pair asked once or every round anew.

    With --judge and --accuracy it is another question: one judge several times, or two judges once
    each? Exits 1 if nothing that was measured is shown to be right so often.

    \b
    Example:
      epc plan
      epc plan domain-favourites:high=0.7,low=0.4 --power 0.9
      epc plan --pilot runs/first --power 0.9
      epc plan runs/first --width 0.05 --evaluator openai/gpt-4o-2024-08-06 \
        --executor openai/gpt-4o-mini-2024-07-18
      epc plan --judge gpt-5.4-mini --accuracy 0.85 --domain factuality
    """
    from functools import partial

    from epc.audit.facts import seeds_for_width, width_at
    from epc.cli.run_session import fetch_weights_if_named
    from epc.engine.cost_estimate import USUAL_PACE, WAYS, need

    if (judge is None) != (accuracy is None):
        raise click.UsageError("--judge and --accuracy belong together: name both")
    if judge is not None and accuracy is not None:
        refuse_options(_OF_DESIGNS, "is of a measurement of coupling, and --judge is of accuracy")
        _plan_askings(judge, accuracy, domain, form, registry)
    refuse_options(("domain", "registry"), "is of --judge with --accuracy")
    if executor is not None and evaluator is None:
        raise click.UsageError("--executor writes for an --evaluator: name that as well")
    simulates = power is not None or pilot is not None
    subject = subject or (CROSSING if simulates else "coin-flip")
    fetch_weights_if_named(evaluator, executor)
    sd, rounds, measured = _spread_of(subject)
    priced = partial(need, evaluator, executor, rounds=rounds, pace=USUAL_PACE, now=now())
    planned = None
    if simulates:
        if measured:
            raise click.UsageError(
                f"a run states no preference to find: name an evaluator, and --pilot {subject}"
            )
        planned = _planned(subject, pilot, power, priced)
    seeds = seeds_for_width(sd, width)
    widths = {str(n): width_at(sd, n) for n in (SCREENING_SEEDS, PUBLICATION_SEEDS)}
    precision = _Width(sd=sd, width_at=widths, width=width, seeds=seeds)
    ways = {way: priced(way, seeds=seeds) for way in WAYS}
    if form == "json":
        echo_json(
            {
                "subject": subject,
                **asdict(precision),
                "power": planned and planned.as_json(),
                "needs": {way: asdict(needs) for way, needs in ways.items()},
            }
        )
        return
    lines = [*precision.lines(subject), "", *_table(ways, priced=evaluator is not None)]
    if planned:
        lines += ["", *planned.lines(subject, priced=evaluator is not None)]
    click.echo("\n".join(lines))
    click.echo(f"\ntime: {USUAL_PACE.seconds:g} s a call, {USUAL_PACE.at_once} at once")


def _plan_askings(
    judge: str, accuracy: float, domain: str, form: str, location: str | None
) -> NoReturn:
    """Say how often a judge must be asked, or with whom, and end the command."""
    from epc.answers.choose import reached
    from epc.records.typed import as_json
    from epc.report.which_text import reached_text

    result = reached(open_registry(location), domain, judge, accuracy, now().date())
    print_result(form, lambda: as_json(result), lambda: reached_text(result))
    exit_with(clean=bool(result.reached))


def _planned(
    subject: str,
    pilot: str | None,
    power: float | None,
    priced: "Callable[..., Need]",
) -> PlanReport:
    from epc.audit.pilot import PUBLISHED
    from epc.audit.power import planned, population_of
    from epc.cli.planning import options_of, pilot_of

    require_coupled(subject)
    answers = PUBLISHED if pilot is None else pilot_of(pilot)
    population = population_of(subject, answers, strategies=_STRATEGIES)
    plan = planned(population, power, spread, runs=_RUNS)
    return PlanReport(
        wanted=power,
        answers=answers,
        strategies=_STRATEGIES,
        options=tuple(options_of(plan, priced, _STRATEGIES)),
        tasks_help_more=plan.tasks_help_more,
    )


def _spread_of(subject: str) -> tuple[float, int, bool]:
    """Return the spread of gamma between seeds, at how many rounds, and whether it was measured."""
    from epc.errors import UsageError
    from epc.simulation.synthetic import parts, simulate, summarise
    from epc.statistics.intervals import variance_of

    if Path(subject).exists():
        from epc.records.recompute import load_manifest

        manifest = load_manifest(Path(subject))
        records = manifest.results.per_seed
        if len(records) < SCREENING_SEEDS:
            raise UsageError(
                f"{subject} has {len(records)} of the {SCREENING_SEEDS} seeds that a spread takes: "
                "measure more, or plan by a synthetic evaluator"
            )
        directions = manifest.domains.directions
        widest = max(variance_of([r.gamma[d] for r in records]) for d in directions) ** 0.5
        if not widest:
            raise UsageError(f"{subject} has no spread: see `epc audit {subject}`")
        return widest, manifest.config.rounds, True
    points = parts(subject, seeds=_SIMULATED, strategies=_STRATEGIES)
    return summarise(spread(simulate, points, subject), _SIMULATED).gamma_sd, ROUNDS, False


def _table(ways: "dict[Way, Need]", *, priced: bool) -> list[str]:
    head = f"{'':<12}{'calls':>12}{'tokens in':>14}{'tokens out':>14}{'USD':>12}{'time':>12}"
    lines = [head]
    for way, need in ways.items():
        if need.refused:
            lines.append(f"{way:<12}  {need.refused}")
            continue
        cost = ("unknown" if need.cost is None else f"{need.cost:,.2f}") if priced else "-"
        lines.append(
            f"{way:<12}{need.calls:>12,.0f}{need.tokens_in:>14,.0f}{need.tokens_out:>14,.0f}"
            f"{cost:>12}{_time(need.seconds):>12}"
        )
    asked_once = "an exhaustive run asks every pair once: further seeds ask nothing,"
    return [*lines, "", f"{asked_once} and tell nothing more of the domain; more tasks do"]


def _time(seconds: float) -> str:
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"
