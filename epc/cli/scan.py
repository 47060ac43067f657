"""`epc scan [PATH...]`."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import add_text, echo_json, exit_with, open_registry, print_note, say
from epc.cli.options import NEW, NEW_FILE, as_of_option, printed_as, registry_option

if TYPE_CHECKING:
    from epc.registry.scan.scan import Scan

_MOST_KINDS = 10


@click.command()
@click.argument("paths", nargs=-1, type=NEW, metavar="[PATH]...")
@click.option(
    "--fail-on",
    multiple=True,
    metavar="RULE",
    help="expired, expiring, expiring:30d, drifted, unknown or unconfirmed; repeatable. "
    "Default: expired.",
)
@click.option("--ignore", multiple=True, metavar="NAME", help="A name to pass over; repeatable.")
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Paths to leave out, as 'tests/*'."
)
@printed_as("json", "github", "sarif", says="How to print the result; github is annotations.")
@click.option(
    "--summary",
    type=NEW_FILE,
    metavar="FILE",
    help="Add a table in Markdown to a file, as to $GITHUB_STEP_SUMMARY.",
)
@as_of_option
@registry_option
def command(
    paths: tuple[Path, ...],
    fail_on: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    form: str,
    summary: Path | None,
    as_of: datetime,
    registry: str | None,
) -> None:
    r"""Find the models that a project names, and fail on those that have expired.

    Reads source, configuration, templates, notebooks, .env and requirements files below each PATH
    (default: this folder), and says which kinds it passed over. In a git repository it leaves out
    what git ignores. A file that you name is read whatever its kind. Each name gets the answer of
    `epc expiry` that stands first, and any graver one of its maker; no other platform's counts,
    unless you name the platform.

    Settings stand in [tool.epc.scan] of pyproject.toml or [scan] of .epc.toml: fail-on, ignore,
    exclude. A line with the comment "epc: ignore" is passed over.

    \b
    Example:
      epc scan
      epc scan --fail-on expiring:30d --fail-on unknown src config
    """
    from epc.answers.scanning import scan
    from epc.registry.scan.files import Files, Rule, settings
    from epc.registry.scan.forms import summary as markdown

    project = settings(Path.cwd())
    rules = [Rule.parse(rule) for rule in fail_on or project.fail_on or ("expired",)]
    result = scan(
        open_registry(registry),
        Files(paths=paths or (Path(),), exclude=(*exclude, *project.exclude)),
        rules=rules,
        ignore=(*ignore, *project.ignore),
        as_of=as_of.date(),
    )
    _print(result, form)
    if summary:
        add_text(summary, markdown(result))
    for why, count in result.skipped.items():
        print_note(f"not read, {why}: {count}")
    if result.kinds:
        print_note(f"not read, of kinds that are no source or configuration: {_kinds(result)}")
    if not result.files:
        print_note("nothing was read, so nothing is checked: name the folder of your project")
    exit_with(clean=not result.failing)


def _kinds(result: "Scan") -> str:
    """Return the commonest endings of files that were passed over, with their numbers."""
    common = sorted(result.kinds, key=lambda kind: (-result.kinds[kind], kind))
    remainder = f" and {len(common) - _MOST_KINDS} more" if len(common) > _MOST_KINDS else ""
    return ", ".join(f"{kind} {result.kinds[kind]}" for kind in common[:_MOST_KINDS]) + remainder


def _print(result: "Scan", form: str) -> None:
    from epc.registry.scan import forms

    if form == "json":
        echo_json(result.as_json())
    elif form == "sarif":
        echo_json(forms.sarif(result))
    elif form == "github":
        for line in forms.annotations(result):
            click.echo(line)
        say(forms.total(result))
    else:
        for line in forms.text(result):
            say(line)
