"""`epc admin github`: steps of workflows, for a laptop too."""

from pathlib import Path
from typing import Final

import click

from epc.cli.common import checkout_here, print_note
from epc.cli.groups import CommandGroup
from epc.cli.options import FILE, NEW, Whole
from epc.errors import UsageError
from epc.printable import one_line

_LONGEST_PATH: Final = 4_096


@click.group(cls=CommandGroup)
def command() -> None:
    """Read from GitHub and write there with its program gh, for the workflows."""


@command.command()
@click.option(
    "--event",
    type=FILE,
    metavar="FILE",
    help="GitHub's account of what happened; in a workflow $GITHUB_EVENT_PATH.",
)
@click.option("--pull", type=Whole(1), help="In its place: a pull request's number.")
@click.option("--out", type=NEW, required=True, help="A new folder.")
def fetch(event: Path | None, pull: int | None, out: Path) -> None:
    r"""Write a pull request's submissions to a folder, as data; nothing is checked out.

    OUT/changed lists every path that a merge would change. OUT/submissions holds the submissions.
    With --event, OUT/author holds the login of whoever opened it. Prints the folders.

    \b
    Example:
      epc admin github fetch --pull 12 --out offered
      epc submission check offered/submissions --base . --changed offered/changed
    """
    from epc.registry.github.pulls import fetch_pull, offered

    pull_request = offered(event) if event else None
    number = pull_request.number if pull_request else pull
    if number is None:
        raise UsageError("nothing to look at\n  fix: give --event FILE or --pull N")
    head, author = (pull_request.head, pull_request.author) if pull_request else (None, None)
    for folder in fetch_pull(checkout_here(), number, out, head=head, author=author):
        click.echo(one_line(str(folder), longest=_LONGEST_PATH))


@command.command()
@click.argument("text", type=FILE)
@click.option("--branch", required=True, metavar="NAME", help="The branch to push HEAD as.")
@click.option("--title", required=True, help="The title of the pull request.")
def propose(text: Path, branch: str, title: str) -> None:
    r"""Push HEAD as a branch and keep the one pull request for it, with the file TEXT as its text.

    A branch that was pushed before is replaced. If HEAD has no commit that origin's main lacks, an
    open pull request of that branch is closed.

    \b
    Example:
      epc admin github propose build/publication.md --branch publication --title "Publish"
    """
    from epc.registry.github.gh import propose as propose_to

    print_note(propose_to(checkout_here(), text.read_text("utf-8"), branch=branch, title=title))


@command.command()
@click.argument("text", type=FILE)
@click.option("--kind", required=True, metavar="NAME", help="TEXT begins with <!-- epc-NAME -->.")
@click.option("--title", required=True, help="The title of a new issue.")
def issue(text: Path, kind: str, title: str) -> None:
    r"""Open the one issue of a kind with the file TEXT, change it, or close it if TEXT is empty.

    \b
    Example:
      epc admin github issue upkeep.md --kind upkeep --title "What the registry needs"
    """
    from epc.registry.github.gh import keep_issue

    print_note(keep_issue(text.read_text("utf-8"), begins=f"<!-- epc-{kind} -->", title=title))
