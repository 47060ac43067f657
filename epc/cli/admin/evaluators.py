"""`epc admin evaluators`: check and update the lifecycles of evaluators."""

import json
import sys
import zipfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from epc.cli.common import (
    checkout_here,
    echo_json,
    exit_with,
    now,
    print_finding_list,
    print_note,
)
from epc.cli.options import format_option
from epc.errors import UsageError

if TYPE_CHECKING:
    from epc.registry.lists import Claim

# The list in a package's wheel, by the name with which the wheel's begins.
_IN_PACKAGE: Final = {
    "bydtech_model_retire": "model_retire/models.json",
    "depdesk": "depdesk/data/catalog.json",
    "litellm": "litellm/model_prices_and_context_window_backup.json",
    "llm_sunset": "llm_sunset/snapshot.json",
    "model_prices": "model_prices/snapshot.json",
}
LITELLM: Final = "litellm"
_MOST_BYTES: Final = 32 * 2**20

from_option = click.option(
    "--from",
    "sources",
    multiple=True,
    default=("llm-sunset",),
    show_default=True,
    metavar="llm-sunset|FILE|-",
    help="The installed package, a list in a file or in a package's wheel, or standard input. "
    "Several are read in their order.",
)


def given_list(source: str) -> Any:
    """Return a source's list.

    Raises: UsageError if there is none.
    """
    try:
        return json.loads(_text(source))
    except ModuleNotFoundError as error:
        raise UsageError(
            "the package llm-sunset is not installed\n  fix: pip install llm-sunset"
        ) from error
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UsageError(f"cannot read {source}: {error}\n  fix: name a JSON file") from error


def claims_in_lists(
    sources: Iterable[str], *, platform: str | None, default_day: date
) -> list["Claim"]:
    """Return what lists claim, in their order.

    Raises: UsageError if there is no such list.
    """
    from epc.registry.lists import claims

    source_claims: list[Claim] = []
    for source in sources:
        document = given_list(source)
        try:
            source_claims += claims(
                document, platform=platform, default_day=default_day, title=title(source)
            )
        except ValueError as error:
            raise UsageError(
                f"{source} is no list of models: {error}\n  fix: see --help"
            ) from error
    return source_claims


def title(source: str) -> str:
    """Return what a list is called: its package and version, where it is in a wheel."""
    package, _, suffix = Path(source).name.partition("-")
    if not source.endswith(".whl"):
        return source
    return f"{package.replace('_', '-')} {suffix.partition('-')[0]}"


def _text(source: str) -> str:
    if source == "llm-sunset":
        from importlib.resources import files

        return (files("llm_sunset") / "snapshot.json").read_text("utf-8")
    if source == "-":
        return sys.stdin.read()
    if source.endswith(".whl"):  # the list alone is read; nothing of the package is installed
        place = _IN_PACKAGE[Path(source).name.partition("-")[0]]
        with zipfile.ZipFile(source) as wheel, wheel.open(place) as member:
            return member.read(_MOST_BYTES).decode("utf-8")
    return Path(source).read_text("utf-8")


@click.group()
def command() -> None:
    """Maintain the lifecycles of evaluators."""


@command.command()
@format_option
def check(form: str) -> None:
    r"""Check the evaluator records of this checkout: schema, names, order of dates.

    \b
    Example:
      epc admin evaluators check
    """
    from epc.registry.checking import check as check_records

    findings = check_records(checkout_here())
    print_finding_list(findings, form)
    if form == "text":
        print_note(f"findings: {len(findings)}")
    exit_with(clean=not findings)


@command.command()
@from_option
@click.option("--platform", help="Platform of this list of models; of several, the one to read.")
@format_option
def sync(sources: tuple[str, ...], platform: str | None, form: str) -> None:
    r"""Propose updates as a diff; nothing is written.

    A replaced date stays beside its replacement. Each date keeps its kind: "not before" does not
    become an end. Apply what you believe with `git apply`. Models that only the source knows are
    candidates, listed on stderr (`candidates` in JSON); they are no proposals. Exits 1 if there is
    anything to propose.

    \b
    Example:
      epc admin evaluators sync | git apply
      curl -s -H "Authorization: Bearer $KEY" https://api.mistral.ai/v1/models |
        epc admin evaluators sync --from - --platform mistral
    """
    from epc.registry.reading import of_folder
    from epc.registry.sync import candidates, diff

    source_claims = claims_in_lists(sources, platform=platform, default_day=now().date())
    if not source_claims:
        raise UsageError(
            f"{' and '.join(sources)} names no end of any model\n"
            "  fix: name a list as llm-sunset has, or a models endpoint's answer with --platform"
        )
    registry = of_folder(checkout_here())
    records = registry.records
    patch, new = diff(records, source_claims), candidates(registry.all_records, source_claims)
    if form == "json":
        echo_json({"diff": patch, "candidates": [claim.as_json() for claim in new]})
    else:
        click.echo(patch, nl=False)
        print_note(f"candidates, not in this registry: {len(new)}")
        for claim in new:
            day = f"{claim.kind} {claim.retires}" if claim.retires else "no end is published"
            print_note(f"  {claim.platform}/{claim.model}: {day} [{claim.source}]")
    exit_with(clean=not patch)
