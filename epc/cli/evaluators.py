"""`epc evaluators`: list, show, check, export, seal, sync; card and succeed."""

from datetime import datetime

import click

from epc.cli.common import (
    checkout_here,
    echo_json,
    leave,
    locked_here,
    note,
    now,
    open_registry,
    say,
    say_findings,
)
from epc.cli.judges import card, succeed
from epc.cli.lists import from_option, given_list
from epc.cli.options import as_of_option, format_option, registry_option
from epc.errors import UsageError


@click.group()
def command() -> None:
    """The lifecycles of evaluators: when each platform released, deprecated and retires them."""


command.add_command(card)
command.add_command(succeed)


@command.command(name="list")
@as_of_option
@format_option
@registry_option
def list_evaluators(as_of: datetime, form: str, registry: str | None) -> None:
    r"""List every evaluator generation on every platform, with its state.

    \b
    Example:
      epc evaluators list --as-of 2027-01-14
    """
    opened = open_registry(registry)
    states = [
        (generation, opened.of_life(life.model, life, as_of.date()))
        for generation in opened.generations.values()
        for life in generation.lives
    ]
    if form == "json":
        echo_json([{"generation": g.name, "maker": g.maker, **s.as_json()} for g, s in states])
        return
    for generation, state in states:
        where = f"{state.platform}/{state.id}"
        say(f"{generation.name:<36}  {where:<54}  {state.words}")


@command.command()
@click.argument("asked", metavar="EVALUATOR")
@registry_option
def show(asked: str, registry: str | None) -> None:
    r"""Show what is known about an evaluator as JSON: each date, its source, other dates.

    \b
    Example:
      epc evaluators show gpt-4o-2024-08-06
    """
    opened = open_registry(registry)
    meaning = opened.names.meaning(asked)
    wanted = {generation.name for generation, _ in (*meaning.matches, *meaning.elsewhere)}
    if not wanted:
        raise click.UsageError(
            f"{asked}: {opened.missing(asked)}\n  fix: see `epc evaluators list`"
        )
    echo_json([r for r in opened.given["evaluators"] if r["generation"] in wanted])


@command.command()
@format_option
def check(form: str) -> None:
    r"""Check the evaluator records of this checkout: schema, names, order of dates.

    \b
    Example:
      epc evaluators check
    """
    from epc.registry.checking import check as check_records

    findings = check_records(checkout_here())
    say_findings(findings, form)
    if form == "text":
        note(f"findings: {len(findings)}")
    leave(clean=not findings)


@command.command()
@click.option("--shape", type=click.Choice(["osv", "model-eol"]), required=True, help="Whose.")
@click.option("--maker", help="Only models of this maker: one feed in model-eol's shape.")
@as_of_option
@registry_option
def export(shape: str, maker: str | None, as_of: datetime, registry: str | None) -> None:
    r"""Print the ends of all evaluators as JSON, in the shape of OSV or of model-eol.

    In OSV's each end is a record, in model-eol's each maker has a feed. A "not before" day is no
    end in OSV's shape, and "earliest" in model-eol's.

    \b
    Example:
      epc evaluators export --shape model-eol --maker openai
    """
    from epc.registry.exports import model_eol, osv
    from epc.registry.reading import open_registry

    opened = open_registry(registry)
    if shape == "osv":
        made: object = osv(opened, maker)
    else:
        feeds = model_eol(opened, as_of.date())
        made = feeds.get(maker) if maker else list(feeds.values())
    if maker and not made:
        raise click.UsageError(f"{maker}: no end of a model of this maker is known here.")
    echo_json(made)


@command.command()
def seal() -> None:
    r"""Seal the evaluator records of this checkout, as they are now.

    Writes their digests to snapshots/evaluators/SHA256SUMS, and an event with the digest of that
    list. From then on `epc snapshot verify` finds a record that changed. Refuses records that
    `epc evaluators check` finds fault with.

    \b
    Example:
      epc evaluators seal
    """
    from epc.registry.sealed_lives import seal as seal_records

    with locked_here() as lock:
        say(seal_records(lock, now().date()))


@command.command()
@from_option
@click.option("--platform", help="Whose models endpoint answered; or one platform of a list.")
@format_option
def sync(source: str, platform: str | None, form: str) -> None:
    r"""Propose updates as a diff; nothing is written.

    A replaced date stays beside its replacement. Each date keeps its kind: "not before" does not
    become an end. Apply what you believe with `git apply`. Models that only the source knows are
    candidates, listed on stderr (`candidates` in JSON); they are no proposals. Exits 1 if there is
    anything to propose.

    \b
    Example:
      epc evaluators sync | git apply
      curl -s -H "Authorization: Bearer $KEY" https://api.mistral.ai/v1/models |
        epc evaluators sync --from - --platform mistral
    """
    from epc.registry.reading import of_folder
    from epc.registry.sync import candidates, claims, diff

    document = given_list(source)
    source_claims = list(claims(document, platform=platform, seen=now().date()))
    if not source_claims:
        raise UsageError(
            f"{source} names no end of any model\n"
            "  fix: name a list as llm-sunset has, or a models endpoint's answer with --platform"
        )
    records = of_folder(checkout_here()).records
    patch, new = diff(records, source_claims), candidates(records, source_claims)
    if form == "json":
        echo_json({"diff": patch, "candidates": [claim.as_json() for claim in new]})
    else:
        click.echo(patch, nl=False)
        note(f"candidates, not in this registry: {len(new)}")
        for claim in new:
            day = f"{claim.kind} {claim.retires}" if claim.retires else "no end is published"
            note(f"  {claim.platform}/{claim.model}: {day} [{claim.source}]")
    leave(clean=not patch)
