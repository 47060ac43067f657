"""`epc admin submission`: the comment on a check, and publishing what was merged."""

from pathlib import Path

import click

from epc.cli.common import echo_json, leave, locked_here, note, now, say
from epc.cli.options import FILE


@click.group()
def command() -> None:
    """What workflows do with submissions."""


@command.command()
@click.argument("report", type=FILE)
def comment(report: Path) -> None:
    r"""Print a check's REPORT as the Markdown of a pull request's comment.

    The report is untrusted. The comment shows every text of it literally: nothing in it can make a
    link, a picture or a mention. If the report cannot be used, the comment says so.

    \b
    Example:
      epc admin submission comment report.json
    """
    from epc.registry.submissions.comment import comment as comment_of

    click.echo(comment_of(report), nl=False)


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
