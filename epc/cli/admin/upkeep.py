"""`epc admin upkeep`: what the registry needs today."""

from datetime import datetime

import click

from epc.cli.common import checkout_here, echo_json, leave, note, say
from epc.cli.lists import from_option, given_list
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
def command(as_of: datetime, source: str, links: bool, form: str) -> None:
    r"""Say what the registry of the checkout around here needs today.

    It lists snapshots that expired lately or expire soon, snapshots whose state nobody can tell,
    dates for which a source says otherwise, and addresses that are gone. Exits 1 if there is
    anything to do.

    \b
    Example:
      epc admin upkeep --links --format markdown
    """
    from epc.registry.reading import of_folder
    from epc.registry.sync import claims
    from epc.registry.upkeep import report
    from epc.registry.upkeep.links import addresses, ask_all

    checkout = checkout_here()
    registry = of_folder(checkout)
    source_claims = list(claims(given_list(source), platform=None, seen=as_of.date()))
    replies = ask_all(addresses(checkout, registry)) if links else None
    upkeep = report.upkeep(registry, source_claims, replies, as_of=as_of.date())
    if form == "json":
        echo_json(upkeep.as_json())
    elif form == "markdown":
        click.echo(report.markdown(upkeep), nl=False)
        note("nothing needs anybody" if upkeep.clean else "there is something to do")
    else:
        say(report.text(upkeep))
    leave(clean=upkeep.clean)
