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
    no platform, you get one answer for each. If you name nothing, you get all snapshots. A day is
    a day in UTC. Exits 1 if anything asked about has expired. A name that is not in the registry is
    unknown, which is no failure. So use --known in a CI gate: without it a misspelt name
    passes for ever.

    \b
    Example:
      epc expiry openai/gpt-4o-2024-08-06 v1.0-GPT4o-0806
      epc expiry --as-of 2027-01-14 --format json gpt-4o-2024-08-06
      epc expiry --format svg openai/gpt-5.4-mini > judge.svg
    """
    from epc.registry.expiry import lines

    states = open_registry(registry).expiry(asked, as_of.date())
    if form == "json":
        echo_json([state.as_json() for state in states])
    elif form == "ics":
        from epc.registry.exports import calendar

        name = f"EPC: {', '.join(asked)}" if asked else "EPC expiry"
        click.echo(calendar(states, name=name), nl=False)
        if not any(state.until or state.not_before for state in states):
            print_note("no end is stated, so the calendar has no entry yet")
    elif form == "svg":
        from epc.registry.exports import of_judge

        if len(states) != 1:
            problem = f"{len(states)} answers; a badge has one"
            raise click.UsageError(
                f"{problem}\n  fix: name one model on its platform: openai/gpt-4o"
            )
        click.echo(of_judge(states[0]), nl=False)
    else:
        for line in lines(states):
            say(line)
    failing = {"expired", "unknown", "unconfirmed"} if known else {"expired"}
    failed = [state for state in states if state.status in failing]
    for state in failed:
        served = [s for s in states if s.id == state.id and s not in failed]
        if served:
            example = f"{served[0].platform}/{state.id}"
            print_note(
                f"{state.id} fails by {state.platform} alone: {example} asks about one platform"
            )
    exit_with(clean=not failed)
