"""`epc admin upkeep`: what the registry needs today."""

from datetime import datetime
from functools import partial

import click

from epc.cli.admin.evaluators import LITELLM, claims_in_lists, from_option, given_list, title
from epc.cli.common import checkout_here, echo_json, exit_with, print_note, say
from epc.cli.options import as_of_option, printed_as


@click.command()
@as_of_option
@from_option
@click.option("--links", is_flag=True, help="Ask also whether the cited addresses still answer.")
@printed_as(
    "json",
    "markdown",
    says="How to print the result; markdown is an issue's text, empty if there is nothing to do.",
)
def command(as_of: datetime, sources: tuple[str, ...], links: bool, form: str) -> None:
    r"""Say what the registry of the checkout around here needs today.

    It lists snapshots that expired lately or expire soon, snapshots whose state nobody can tell,
    dates for which a source says otherwise, and addresses that are gone. Exits 1 if there is
    anything to do. It says how long ago lists last had the models without a stated end, and of the
    models in a wheel of litellm how many have a state here, and why the others have none.

    \b
    Example:
      epc admin upkeep --links --format markdown
    """
    from epc.answers.service import states
    from epc.answers.snapshot_status import snapshot_states
    from epc.registry.reading import of_folder
    from epc.registry.upkeep import report
    from epc.registry.upkeep.links import addresses, ask_all
    from epc.registry.upkeep.report import coverage

    checkout = checkout_here()
    registry = of_folder(checkout)
    day = as_of.date()
    source_claims = claims_in_lists(sources, platform=None, default_day=day)
    tables = [source for source in sources if title(source).startswith(LITELLM)]
    states_of = partial(states, registry, day=day)
    covered = [coverage(registry, given_list(table), title(table), states_of) for table in tables]
    replies = ask_all(addresses(checkout, registry)) if links else None
    newest = covered[-1] if covered else None
    snapshots = snapshot_states(registry, day).values()
    upkeep = report.upkeep(registry, source_claims, replies, snapshots, as_of=day, coverage=newest)
    if form == "json":
        echo_json(upkeep.as_json())
    elif form == "markdown":
        click.echo(report.markdown(upkeep), nl=False)
        print_note("nothing needs anybody" if upkeep.clean else "there is something to do")
        for part in (part for part in (upkeep.sightings, newest) if part):
            print_note("\n".join(part.lines))
    else:
        say(report.text(upkeep))
    exit_with(clean=upkeep.clean)
