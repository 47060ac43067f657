"""`epc admin submission`: checking what a pull request offers, publishing what was merged."""

from pathlib import Path

import click

from epc.cli.common import (
    add_text,
    echo_json,
    exit_with,
    locked_here,
    now,
    print_note,
    print_result,
    say,
)
from epc.cli.groups import CommandGroup
from epc.cli.options import FILE, FOLDER, NEW, NEW_FILE, format_option


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


@command.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=NEW)
@click.option(
    "--base",
    metavar="CHECKOUT",
    type=FOLDER,
    help="The trusted checkout to hold it against; the one around here.",
)
@click.option(
    "--changed",
    metavar="FILE",
    type=FILE,
    help="The paths that a pull request changes, one a line or separated by NUL.",
)
@click.option("--merge", metavar="COMMIT", help="What merging the pull request would make.")
@click.option("--author", metavar="LOGIN", help="Who opened the pull request, by GitHub's word.")
@click.option(
    "--summary",
    type=NEW_FILE,
    metavar="FILE",
    help="Add the report in Markdown to a file, as to $GITHUB_STEP_SUMMARY.",
)
@format_option
def check(
    paths: tuple[Path, ...],
    base: Path | None,
    changed: Path | None,
    merge: str | None,
    author: str | None,
    summary: Path | None,
    form: str,
) -> None:
    r"""Check what a pull request offers, as `epc submission check` does what is here.

    A pull request that publishes has to hold what `epc admin submission publish` makes. Exits 1 if
    the submission cannot be published.

    --summary shows every text of what is offered literally: nothing in it can make a link, a
    picture or a mention.

    \b
    Example:
      epc admin submission check offered/submissions --base . --changed offered/changed
    """
    from functools import partial

    from epc.cli.admin.snapshot import price_of_questions
    from epc.records.findings import Findings
    from epc.records.typed import as_json
    from epc.registry.reading import find_checkout
    from epc.registry.submissions import layout, unpublished
    from epc.registry.submissions.brought import Records, look
    from epc.registry.submissions.check import check as check_all
    from epc.registry.submissions.check import read_changed
    from epc.registry.submissions.checked import Base
    from epc.registry.submissions.report import text
    from epc.registry.submissions.summary import markdown

    checkout = find_checkout(base or Path.cwd(), up=base is None, option="--base CHECKOUT")
    trusted = Base.from_checkout(checkout, now().date())
    snapshot_findings = Findings() if merge else None
    records: Records = {}
    if merge and snapshot_findings is not None:
        commit = unpublished.resolved(checkout, merge)
        prices = partial(price_of_questions, trusted.registry)
        unpublished.check(checkout, commit, trusted.today, snapshot_findings, prices)
        records = look(checkout, commit, trusted, snapshot_findings)
    value = check_all(
        paths or (checkout / layout.FOLDER,),
        trusted,
        changed=read_changed(changed) if changed else None,
        snapshot_findings=snapshot_findings,
        records=records,
        author=author,
    )
    print_result(form, lambda: as_json(value), lambda: text(value))
    if summary:
        add_text(summary, markdown(value))
    exit_with(clean=value.ok)
