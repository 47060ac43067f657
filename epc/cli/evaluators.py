"""`epc evaluators`: list, show, export, card and succeed."""

from datetime import datetime

import click

from epc.cli.common import echo_json, open_registry, say
from epc.cli.groups import MovedGroup
from epc.cli.judges import card, succeed
from epc.cli.options import as_of_option, format_option, registry_option


@click.group(
    cls=MovedGroup,
    moved={name: f"`epc admin evaluators {name}`" for name in ("check", "seal", "sync")},
)
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
@click.option(
    "--shape", type=click.Choice(["osv", "model-eol"]), required=True, help="Format of the feed."
)
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
