"""`epc expiry [EVALUATOR|TAG...]`."""

from datetime import datetime

import click

from epc.cli.common import echo_json, exit_with, open_registry, print_note, say
from epc.cli.options import as_of_option, printed_as, registry_option


@click.command()
@click.argument("asked", nargs=-1, metavar="[EVALUATOR|TAG]...")
@as_of_option
@printed_as("json", "ics", "svg", says="How to print it; ics is a calendar, svg a badge.")
@click.option("--known", is_flag=True, help="Exit 1 for unknown and unconfirmed as well.")
@registry_option
def command(
    asked: tuple[str, ...],
    as_of: datetime,
    form: str,
    known: bool,
    registry: str | None,
) -> None:
    r"""Say whether published figures or evaluators are current on a day.

    The answer is current, unconfirmed, expiring, expired (and why) or unknown.

    An evaluator is a model id, an alias, a generation, or PLATFORM/MODEL, as your settings spell
    it: an ARN, openai:chat:gpt-4o, openrouter/openai/gpt-4o. Dates differ by platform: if you name
    no platform, you get one answer for each, the maker's own first. If you name nothing, you get
    all snapshots. A day is a day in UTC. Exits 1 if anything asked about has expired; of a model on
    several platforms its maker's count. A name that is not in the registry is unknown, which is no
    failure. So use --known in a CI gate: without it a misspelt name
    passes for ever.

    \b
    Example:
      epc expiry openai/gpt-4o-2024-08-06 v1.0-GPT4o-0806
      epc expiry --as-of 2027-01-14 --format json gpt-4o-2024-08-06
      epc expiry --format svg openai/gpt-5.4-mini > judge.svg
    """
    from epc.answers.replacement import firsts_of, with_firsts
    from epc.answers.service import expiry, gate
    from epc.registry.expiry import lines

    opened, day = open_registry(registry), as_of.date()
    states = expiry(opened, asked, day)
    gates = [state for name in asked for state in gate(opened, name, day)] if asked else states
    named = firsts_of(opened, asked, day)
    if form == "json":
        echo_json([state.as_json() for state in with_firsts(states, named)])
    elif form == "ics":
        from epc.registry.exports import calendar

        name = f"EPC: {', '.join(asked)}" if asked else "EPC expiry"
        click.echo(calendar(states, name=name), nl=False)
        if not any(state.until or state.not_before for state in states):
            print_note("no end is stated, so the calendar has no entry yet")
    elif form == "svg":
        from epc.registry.exports import of_judge

        if len(asked) != 1:
            raise click.UsageError(
                f"{len(asked)} names; a badge has one\n  fix: name one model: openai/gpt-4o"
            )
        click.echo(of_judge(gates[-1]), nl=False)
    else:
        for line in (*lines(states), *(first.in_place_of(name) for name, first in named.items())):
            say(line)
    failing = {"expired", "unknown", "unconfirmed"} if known else {"expired"}
    failed = [state for state in gates if state.status in failing]
    for state in failed:
        alike = [s for s in states if s.id == state.id and s.platform]
        served = [s for s in alike if s.status in ("current", "expiring")]
        if served:
            reason = f"by {state.platform}" if state.platform else "as it names no platform"
            example = f"{served[0].platform}/{state.id}"
            print_note(f"{state.id} fails {reason}: {example} asks about one platform")
    exit_with(clean=not failed)
