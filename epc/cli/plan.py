"""`epc plan EVALUATOR`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epc.cli.common import Finite, echo_json, format_option, now
from epc.cli.grid import grid_options
from epc.spec.epc_v1 import PUBLICATION_SEEDS, ROUNDS, SCREENING_SEEDS

if TYPE_CHECKING:
    from epc.engine.cost_estimate import Need, Way

_SIMULATED = 20_000
_STRATEGIES = 11


@click.command()
@click.argument("subject", metavar="EVALUATOR|RUN", default="coin-flip")
@click.option(
    "--width",
    type=Finite(0, min_open=True),
    default=0.1,
    show_default=True,
    help="How wide the 95% interval of gamma's mean may be.",
)
@click.option(
    "--power",
    type=Finite(0, 1, min_open=True, max_open=True),
    help="How often the audit shall call such an evaluator `coupled`, e.g. 0.9.",
)
@click.option("--evaluator", metavar="MODEL", help="The evaluator, to compute tokens and cost.")
@click.option("--executor", metavar="MODEL", help="The executor, to compute tokens and cost.")
@click.option(
    "--latency",
    type=Finite(0),
    default=1.0,
    show_default=True,
    metavar="S",
    help="Seconds that a call takes.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=128,
    show_default=True,
    help="Calls under way at once.",
)
@grid_options
@format_option
def command(
    subject: str,
    width: float,
    power: float | None,
    evaluator: str | None,
    executor: str | None,
    latency: float,
    concurrency: int,
    spread: Any,
    form: str,
) -> None:
    r"""Say how many seeds a precision takes, and what they cost.

    EVALUATOR is written as for `epc simulate`. With a RUN, the plan uses that run's own spread
    between seeds.

    \b
    Example:
      epc plan
      epc plan domain-favourites:high=0.7,low=0.4 --power 0.9
      epc plan runs/first --width 0.05 --evaluator openai/gpt-4o-2024-08-06 \
        --executor openai/gpt-4o-mini-2024-07-18
    """
    from epc.audit.precision import seeds_for_width, width_at
    from epc.cli.run_session import fetch_weights_if_named
    from epc.engine.cost_estimate import Pace, needs

    if executor is not None and evaluator is None:
        raise click.UsageError("--executor writes for an --evaluator: name that as well")
    fetch_weights_if_named(evaluator, executor)
    sd, rounds, measured = _spread_of(subject, spread)
    seeds = seeds_for_width(sd, width)
    found = {
        "subject": subject,
        "sd": sd,
        "width_at": {str(n): width_at(sd, n) for n in (SCREENING_SEEDS, PUBLICATION_SEEDS)},
        "width": width,
        "seeds": seeds,
        "power": None if power is None else _power(subject, power, spread, measured=measured),
    }
    pace = Pace(seconds=latency, at_once=concurrency)
    ways = needs(evaluator, executor, seeds=seeds, rounds=rounds, pace=pace, now=now())
    if form == "json":
        from dataclasses import asdict

        echo_json({**found, "needs": {way: asdict(need) for way, need in ways.items()}})
        return
    click.echo("\n".join([*_lines(found), "", *_table(ways, priced=evaluator is not None)]))
    click.echo(f"\ntime: {latency:g} s a call, {concurrency} at once")


def _spread_of(subject: str, spread: Any) -> tuple[float, int, bool]:
    """Return the spread of gamma between seeds, at how many rounds, and whether it was measured."""
    from epc.audit.precision import sd_of
    from epc.errors import UsageError
    from epc.simulation.synthetic import parts, simulate, summarise
    from epc.spec.epc_v1 import DIRECTIONS
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
        widest = max(variance_of([r.gamma[d] for r in records]) for d in DIRECTIONS) ** 0.5
        if not widest:
            raise UsageError(f"{subject} has no spread: see `epc audit {subject}`")
        return widest, manifest.config.rounds, True
    points = parts(subject, seeds=_SIMULATED, strategies=_STRATEGIES)
    return sd_of(summarise(spread(simulate, points, subject), _SIMULATED)), ROUNDS, False


def _power(subject: str, wanted: float, spread: Any, *, measured: bool) -> dict[str, Any]:
    from epc.audit.precision import couples, power_at, powers
    from epc.errors import UsageError

    if measured or not couples(subject):
        raise UsageError(
            "--power asks how often a stated difference is found: name an evaluator whose domains "
            "differ, such as domain-favourites:high=0.7,low=0.4"
        )
    tried = list(powers(subject, wanted, spread))
    seeds, reached = tried[-1]
    return {
        "wanted": wanted,
        "fresh": [{"seeds": n, "power": share} for n, share in tried],
        "seeds": seeds if reached >= wanted else None,
        "exhaustive": power_at(subject, 2, "exhaustive", spread),
    }


def _lines(found: dict[str, Any]) -> list[str]:
    lines = [f"{found['subject']}: gamma spreads over single seeds by {found['sd']:.3f}"]
    for n, width in found["width_at"].items():
        lines.append(f"{n} seeds give its mean a 95% interval {width:.2f} wide")
    lines.append(f"a width of {found['width']:g} takes {found['seeds']:,} seeds")
    if power := found["power"]:
        tried = power["fresh"][-1]
        reached = (
            f"{power['seeds']} fresh seeds give {tried['power']:.2f}"
            if power["seeds"]
            else f"even {tried['seeds']} fresh seeds give {tried['power']:.2f} only"
        )
        lines.append(f"power {power['wanted']:g}: {reached}; an exhaustive run has ")
        lines[-1] += f"{power['exhaustive']:.2f}, from 10 seeds on"
    return lines


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
