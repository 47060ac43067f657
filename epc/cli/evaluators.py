"""`epc evaluators`: list, show, new, export, card and succeed."""

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from epc.cli.common import (
    echo_json,
    exit_with,
    locked_here,
    now,
    open_registry,
    print_note,
    print_result,
    say,
)
from epc.cli.groups import CommandGroup
from epc.cli.options import FILE, as_of_option, format_option, refuse_options, registry_option
from epc.printable import aligned

PATCHED: Final = ("litellm", "models.dev", "portkey")
_DATELESS: Final = ("osv", "litellm")  # shapes that are the same on every day

if TYPE_CHECKING:
    from epc.analysis.verdicts import Report
    from epc.registry.registry import Registry

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
@click.option("--kinds", is_flag=True, help="Show each kind of task (subset) as well.")
@as_of_option
@format_option
@registry_option
def succeed(
    asked: str,
    files: tuple[Path, ...],
    kinds: bool,
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
      epc evaluators succeed gpt-4 --verdicts llmbar.parquet --kinds
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
    print_result(form, lambda: as_json(succession), lambda: text(succession, kinds=kinds))


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
@click.argument("asked", metavar="EVALUATOR")
@registry_option
def show(asked: str, registry: str | None) -> None:
    r"""Show what is known about an evaluator as JSON: each date, its source, other dates.

    \b
    Example:
      epc evaluators show gpt-4o-2024-08-06
    """
    from epc.answers.resolve import resolve
    from epc.answers.words import missing
    from epc.engine.clock import now
    from epc.records.typed import as_json

    opened = open_registry(registry)
    name = resolve(opened, asked, now().date())
    if not name.models:
        raise click.UsageError(f"{asked}: {missing(name)}\n  fix: see `epc evaluators list`")
    echo_json([as_json(model.record) for _, model in sorted(name.models.items())])


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


def _print_patch(shape: str, into: str | None, registry: "Registry", as_of: date) -> None:
    """Print what a list lacks, as a patch of its clone."""
    from epc.registry.holders import opened
    from epc.registry.patches import (
        LITELLM,
        exact_ends,
        litellm_patch,
        models_dev_patch,
        portkey_patch,
    )

    if into is None:
        raise click.UsageError(f"--shape {shape} takes the clone that it is for: --into CLONE")
    clone, ends = opened(into), exact_ends(registry.records)
    if shape == "litellm":
        patch = litellm_patch(clone.text(LITELLM), ends)
    elif shape == "models.dev":
        patch = models_dev_patch(clone.texts("providers/*/models/*.toml"), ends, as_of)
    else:
        patch = portkey_patch(clone.texts("general/*.json"), ends, as_of)
    click.echo(patch.text, nl=False)
    for line in patch.differing:
        print_note(f"  {line.name}: {line.theirs} there, {line.ours} here")
    for path in patch.shared:
        print_note(f"  {path}: left, for several providers share this file")
    differing = len(patch.differing)
    print_note(f"models that the patch changes: {patch.models}; days that differ: {differing}")


@command.command()
@click.option(
    "--shape",
    type=click.Choice(["osv", "model-eol", *PATCHED]),
    required=True,
    help="Format of the feed, or the list that a patch is for.",
)
@click.option("--maker", help="Only models of this maker: one feed in model-eol's shape.")
@click.option(
    "--into",
    metavar="CLONE",
    help="Clone of the list that the patch is for: litellm, models.dev or portkey.",
)
@as_of_option
@registry_option
def export(
    shape: str, maker: str | None, into: str | None, as_of: datetime, registry: str | None
) -> None:
    r"""Print the ends of all evaluators as JSON, or as a patch for a list that others load.

    In OSV's shape each end is a record, in model-eol's each maker has a feed. A "not before" day is
    no end in OSV's shape, and "earliest" in model-eol's.

    A patch for litellm adds the days that its table lacks; one for models.dev or portkey says which
    models are no longer served. It takes exact days alone, changes no word of the list's own, and
    goes to `git apply` in the clone. Days that differ are listed on stderr.

    \b
    Example:
      epc evaluators export --shape model-eol --maker openai
      epc evaluators export --shape litellm --into ../litellm > litellm.diff
    """
    from epc.answers.service import life_state
    from epc.registry.exports import model_eol, osv
    from epc.registry.reading import open_registry

    if shape in PATCHED:
        refuse_options(("maker",), "is of a feed: a patch has the models of every maker")
    else:
        refuse_options(("into",), f"is of a patch, and --shape {shape} prints JSON")
    if shape in _DATELESS:
        refuse_options(("as_of",), f"has no effect: {shape} takes every end, past or to come")
    opened = open_registry(registry)
    if shape in PATCHED:
        _print_patch(shape, into, opened, as_of.date())
        return
    if shape == "osv":
        document: object = osv(opened, maker)
    else:
        day = as_of.date()
        feeds = model_eol(opened, day, lambda life: life_state(opened, life.model, life, day))
        document = feeds.get(maker) if maker else list(feeds.values())
    if maker and not document:
        raise click.UsageError(f"{maker}: no end of a model of this maker is known here.")
    echo_json(document)
