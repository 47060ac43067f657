"""`epc admin evaluators`: check and update the lifecycles of evaluators."""

import click

from epc.cli.common import (
    checkout_here,
    echo_json,
    leave,
    note,
    now,
    say_findings,
)
from epc.cli.lists import claimed, from_option
from epc.cli.options import format_option
from epc.errors import UsageError


@click.group()
def command() -> None:
    """What a maintainer does to the lifecycles of evaluators."""


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
    say_findings(findings, form)
    if form == "text":
        note(f"findings: {len(findings)}")
    leave(clean=not findings)


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

    source_claims = claimed(sources, platform=platform, seen=now().date())
    if not source_claims:
        raise UsageError(
            f"{' and '.join(sources)} names no end of any model\n"
            "  fix: name a list as llm-sunset has, or a models endpoint's answer with --platform"
        )
    registry = of_folder(checkout_here())
    records = registry.records
    known = [*records, *(generation.record for generation in registry.catalogue.values())]
    patch, new = diff(records, source_claims), candidates(known, source_claims)
    if form == "json":
        echo_json({"diff": patch, "candidates": [claim.as_json() for claim in new]})
    else:
        click.echo(patch, nl=False)
        note(f"candidates, not in this registry: {len(new)}")
        for claim in new:
            day = f"{claim.kind} {claim.retires}" if claim.retires else "no end is published"
            note(f"  {claim.platform}/{claim.model}: {day} [{claim.source}]")
    leave(clean=not patch)
