"""`epc simulate EVALUATOR`."""

from typing import TYPE_CHECKING

import click

from epc.cli.common import print_result
from epc.cli.countdown import spread
from epc.cli.options import Whole, format_option, with_default
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS, REFERENCE_DOMAINS, ROUNDS

if TYPE_CHECKING:
    from epc.protocol.rules import Rule
    from epc.simulation.synthetic import Simulation

_SEEDS = 10_000
_MOST_SEEDS = 100_000_000
_STRATEGIES = 11
_TITLES = {pair.key: f"{pair.source} -> {pair.target}" for pair in REFERENCE_DOMAINS.pairs}


@click.command()
@click.argument("evaluator", metavar="EVALUATOR")
@with_default("--seeds", Whole(2, _MOST_SEEDS), _SEEDS, "How many seeds to simulate.")
@with_default("--rounds", Whole(0, 100_000), ROUNDS, "Rounds in a phase.")
@with_default(
    "--strategies",
    Whole(1, 127),
    _STRATEGIES,
    "How many strategies the agent chooses from.",
)
@click.option(
    "--rule",
    metavar="RULE",
    default="weights",
    show_default=True,
    help="The learning rule, such as thompson, bradley-terry:step=0.5, bayes:high=0.7,low=0.3 or "
    "weights:alpha_win=0.06.",
)
@format_option
def command(
    evaluator: str,
    seeds: int,
    rounds: int,
    strategies: int,
    rule: str,
    form: str,
) -> None:
    r"""Compute the protocol's figures for a synthetic EVALUATOR: no calls, no models.

    \b
    coin-flip, always-a, always-b   never look at the answers
    position-bias:a=0.8             says A with this probability, whatever is shown
    favourite:high=0.95,low=0.1     one favourite, the same in both domains
    domain-favourites:...           another favourite in each domain
    one-domain:high=0.7,low=0.5     a favourite in the visual domain only
    scattered:sd=0.5                every strategy with odds of its own, different in each domain
    scattered-alike:sd=0.5          the same in both domains
    length:slope=1                  prefers longer answers; text=100/200/... states lengths
    coin-flip:tie=0.3               any of them, with 30% ties

    \b
    Example:
      epc simulate coin-flip
      epc simulate domain-favourites:high=0.7,low=0.4 --seeds 1000000
      epc simulate domain-favourites --rule thompson
    """
    from epc.protocol.rules import rule_json
    from epc.records.design_findings import written_rule
    from epc.simulation.evaluators import evaluator as preferences
    from epc.simulation.synthetic import parts, simulate, summarise

    preferences(evaluator, strategies=strategies)
    learning = written_rule(rule)
    points = parts(evaluator, seeds=seeds, rounds=rounds, strategies=strategies, rule=learning)
    summary = summarise(spread(simulate, points, evaluator), seeds)
    settings = {"evaluator": evaluator, "rounds": rounds, "strategies": strategies}
    settings |= {"rule": rule_json(learning), "stream": 0}
    print_result(
        form,
        lambda: {**settings, **summary.as_json()},
        lambda: _lines(evaluator, rounds, summary, learning),
    )


def _lines(evaluator: str, rounds: int, summary: "Simulation", rule: "Rule") -> list[str]:
    from epc.protocol.rules import rule_text

    lines = [
        f"{evaluator}, {summary.seeds:,} seeds of {rounds} rounds a phase, {rule_text(rule)}",
        "",
        f"{'':<28}{'mean':>9}{'+-':>8}{'90% of seeds':>20}{'95% of seeds':>20}",
    ]
    names = {
        **{f"gamma_{d}": f"gamma {_TITLES[d]}" for d in DIRECTIONS},
        **{f"control_gamma_{d}": f"  its control, {_TITLES[d]}" for d in DIRECTIONS},
        **{f"jsd_{d}": f"JSD {_TITLES[d]}" for d in DIRECTIONS},
        **{f"control_jsd_{d}": f"  its control, {_TITLES[d]}" for d in DIRECTIONS},
        **{f"pci_{d}": f"PCI {d}" for d in DOMAINS},
    }
    for key, name in names.items():
        spread = summary.spread[key]
        lines.append(
            f"{name:<28}{spread.mean:>9.4f}{spread.standard_error:>8.4f}"
            f"{f'{spread.q05:.3f} to {spread.q95:.3f}':>20}"
            f"{f'{spread.q025:.3f} to {spread.q975:.3f}':>20}"
        )
    for direction in DIRECTIONS:
        mean, error = summary.excess[direction]
        lines.append(f"{'excess ' + _TITLES[direction]:<28}{mean:>9.4f}{error:>8.4f}")
    for direction, reading in summary.readings.items():
        lines.append(f"{'by EPC-5.2 ' + _TITLES[direction]:<28}   {reading}")
    for direction in DIRECTIONS:
        rate = summary.zero[direction] / summary.seeds
        lines.append(f"{'zero ' + _TITLES[direction]:<28}{rate:>9.4f}")
    return [*lines, "", "+- is the simulation's own standard error of the mean."]
