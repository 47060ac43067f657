"""`epc evaluators`: list, new, card and succeed."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import (
    exit_with,
    locked_here,
    now,
    open_registry,
    print_note,
    print_result,
    say,
)
from epc.cli.groups import CommandGroup
from epc.cli.options import FILE, as_of_option, format_option, registry_option
from epc.printable import aligned

if TYPE_CHECKING:
    from epc.analysis.verdicts import Report

verdicts_option = click.option(
    "--verdicts",
    "files",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="A verdict file, as `epc observe import` writes it, beside the registry. Repeatable.",
)


@click.command()
@click.argument("asked", metavar="MODEL")
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="FIGURE>=VALUE",
    help="A threshold, or FIGURE<=VALUE. Repeatable. days_left is how long platforms serve it.",
)
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="PATTERN",
    help="Of recorded verdicts only settings of this name, such as '*/Vanilla'. Repeatable.",
)
@verdicts_option
@as_of_option
@format_option
@registry_option
def card(
    asked: str,
    required: tuple[str, ...],
    settings: tuple[str, ...],
    files: tuple[Path, ...],
    as_of: datetime,
    form: str,
    registry: str | None,
) -> None:
    r"""Show all that is known of a MODEL as a judge, and check it against your thresholds.

    First one sentence, then every figure with its interval, n, conditions and state. A requirement
    is met if the whole interval of every figure of that name meets it, and is not met if one whole
    interval does not. Else it is unknown. Exits 0 if all are met, 1 if one is not or is unknown.

    \b
    Example:
      epc evaluators card gpt-4-0613
      epc evaluators card gpt-4o-2024-08-06 --require 'days_left>=90'
      epc evaluators card gpt-4 --verdicts llmbar.parquet --setting '*/Vanilla' \
        --require 'place_consistency>=0.8'
    """
    from epc.analysis.judge_card import Requirement, answered, card_json
    from epc.answers.judge_cards import card_of
    from epc.answers.subjects import subject
    from epc.registry.subjects import judges_of, recorded
    from epc.report.judge_card_text import sentence, text

    requirements = [Requirement.parse(threshold) for threshold in required]
    records = [recorded(path.name, _measured(path, settings)) for path in files]
    opened = open_registry(registry)
    model_subject = subject(opened, asked, as_of.date(), judges_of(records))
    result = card_of(opened, model_subject, as_of.date(), records, settings)
    answers = [answered(result, requirement) for requirement in requirements]
    print_result(
        form, lambda: card_json(result, sentence(result), answers), lambda: text(result, answers)
    )
    all_met = all(answer.answer == "meets" for answer in answers)
    exit_with(clean=all_met)


def _measured(path: Path, settings: tuple[str, ...]) -> "Report":
    from epc.analysis.verdicts import measure
    from epc.records.verdicts.verdict_file import sound

    return measure(*sound(path), settings)


@click.command()
@click.argument("asked", metavar="MODEL")
@verdicts_option
@as_of_option
@format_option
@registry_option
def succeed(
    asked: str,
    files: tuple[Path, ...],
    as_of: datetime,
    form: str,
    registry: str | None,
) -> None:
    r"""Say which judges agree with a MODEL that has retired or will, best first.

    Verdicts are those published of the MODEL's own sources, those of measured snapshots if it was
    measured, and those of your files. They are compared on common items only: the same question and
    candidates by digest, the same prompt, the same candidate first. A shift is the other judge's
    figure minus the MODEL's own. Runs of the MODEL itself, and answers that were copied, count as
    no agreement. The last lines give the cheapest next measurement, as a command.

    \b
    Example:
      epc evaluators succeed gpt-4-0613
      epc evaluators succeed gpt-4 --verdicts llmbar.parquet
    """
    from epc.analysis.verdicts_by_item import ballots
    from epc.answers.subjects import subject
    from epc.answers.succession import succession_of, with_verdicts
    from epc.records.typed import as_json
    from epc.records.verdicts.verdict_file import sound
    from epc.registry.succession import VerdictStore, agreed_of
    from epc.report.succession_text import text

    all_ballots = [ballot for path in files for ballot in ballots(*sound(path))]
    judges = {name for pair in all_ballots for name in (pair.model, pair.setting.judge.name)}
    opened = open_registry(registry)
    model_subject = subject(opened, asked, as_of.date(), sorted(judges))
    judge = with_verdicts(opened, model_subject, as_of.date())
    all_ballots += VerdictStore.from_registry(opened, registry).judges_sharing_sources(judge)
    succession = succession_of(
        opened, model_subject, as_of.date(), agreed_of(opened, judge, all_ballots)
    )
    print_result(form, lambda: as_json(succession), lambda: text(succession))


@click.group(cls=CommandGroup)
def command() -> None:
    """The lifecycles of evaluators: when each platform released, deprecated and retires them."""


command.add_command(card)
command.add_command(succeed)


@command.command(name="list")
@as_of_option
@format_option
@registry_option
def list_evaluators(as_of: datetime, form: str, registry: str | None) -> None:
    r"""List every evaluator generation on every platform, with its state and its first figure.

    First those that have a record, then what catalogues alone know (JSON: `listed`). A figure is
    the headline of the judge's card, of 100 or in points, with its month; † marks a known fault.

    \b
    Example:
      epc evaluators list --as-of 2027-01-14
    """
    from epc.answers.quotable import headlines
    from epc.records.typed import as_json

    opened = open_registry(registry)
    states = [*opened.every_state(as_of.date())]
    figures = headlines(opened, as_of.date())
    quoted = {name: {"figure": as_json(figure)} for name, figure in figures.items()}
    cells = {name: figure.brief for name, figure in figures.items()}
    print_result(
        form,
        lambda: [
            {"generation": g.name, "maker": g.maker, **s.as_json(), "listed": listed}
            | quoted.get(g.name, {})
            for g, s, listed in states
        ],
        lambda: aligned(
            [
                (g.name, f"{s.platform}/{s.id}", s.status_text, cells.get(g.name, ""))
                for g, s, _ in states
            ]
        ),
    )


@command.command()
@click.argument("name")
@click.option("--platform", required=True, help="Who serves it: openai, self-hosted, ...")
@click.option(
    "--released",
    required=True,
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day on which the platform released it.",
)
@click.option("--source", required=True, metavar="URL", help="The page that states it.")
@click.option("--model", metavar="ID", help="Its id on the platform, if not NAME.")
@click.option("--maker", help="Whose model it is, if the platform serves several makers'.")
def new(
    name: str, platform: str, released: datetime, source: str, model: str | None, maker: str | None
) -> None:
    r"""Write the record of an evaluator that the registry does not know, into this checkout.

    Offer it in the pull request of its first measurement: `epc submission new` finds it. It states
    one platform and one date. A maintainer opens the source before the merge.

    \b
    Example:
      epc evaluators new gpt-5.9-2026-11-01 --platform openai --released 2026-11-01 \
        --source https://developers.openai.com/api/docs/models
    """
    from epc.registry.new_record import record_of, write
    from epc.registry.reading import of_folder

    with locked_here() as lock:
        record = record_of(
            name,
            platform=platform,
            model=model or name,
            maker=maker,
            released=released.date(),
            source=source,
            today=now().date(),
            registry=of_folder(lock.checkout),
        )
        path = write(lock, record)
    print_note("next     epc submission new RUN, and both in one pull request")
    say(str(path.relative_to(lock.checkout)))
