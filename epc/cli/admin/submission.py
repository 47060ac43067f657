"""`epc admin submission`: publishing what was merged."""

import click

from epc.cli.common import echo_json, exit_with, locked_here, now, print_note, say
from epc.cli.groups import CommandGroup


@click.group(cls=CommandGroup)
def command() -> None:
    """Handle submissions, as workflows do."""


@command.command()
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text")
def publish(form: str) -> None:
    r"""Publish every merged submission: each becomes a snapshot, or is refused by itself.

    Each one is checked again and published as `epc admin snapshot publish` does. One
    that is refused stays where it is and stops no other. Nothing is pushed. Exits 1 if any was
    refused.

    \b
    Example:
      epc admin submission publish
    """
    from epc.records.typed import as_json
    from epc.registry.submissions.merged import markdown, promote_all

    with locked_here() as lock:
        outcomes = promote_all(lock, day=now().date(), progress=print_note)
    refused = [outcome for outcome in outcomes if outcome.tag is None]
    for outcome in refused:
        print_note(f"refused {outcome.slug}: {outcome.refused}")
    if form == "json":
        echo_json([as_json(outcome) for outcome in outcomes])
    elif form == "markdown":
        click.echo(markdown(outcomes), nl=False)
    else:
        for outcome in outcomes:
            say(outcome.tag or f"{outcome.slug}  refused")
    exit_with(clean=not refused)
