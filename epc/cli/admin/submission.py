"""`epc admin submission`: publishing what was merged."""

import click

from epc.cli.common import echo_json, leave, locked_here, note, now, say


@click.group()
def command() -> None:
    """What workflows do with submissions."""


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
        outcomes = promote_all(lock, day=now().date(), tell=note)
    refused = [one for one in outcomes if one.tag is None]
    for one in refused:
        note(f"refused {one.slug}: {one.refused}")
    if form == "json":
        echo_json([as_json(one) for one in outcomes])
    elif form == "markdown":
        click.echo(markdown(outcomes), nl=False)
    else:
        for one in outcomes:
            say(one.tag or f"{one.slug}  refused")
    leave(clean=not refused)
