"""`epc evaluators card` and `epc evaluators succeed`."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import leave, open_registry, tell
from epc.cli.options import FILE, as_of_option, format_option, registry_option
from epc.errors import UsageError

if TYPE_CHECKING:
    from epc.records.observed.columns import Verdicts
    from epc.records.observed.types import Header

verdicts_option = click.option(
    "--verdicts",
    "files",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="A verdict file, as `epc observe import` writes it, beside the registry. Repeatable.",
)


def read_verdicts(path: Path) -> "tuple[Header, Verdicts]":
    """Return a verdict file's content.

    Raises: UsageError if it has findings.
    """
    from epc.records.observed.reading import read

    header, verdicts, findings = read(path)
    if findings or header is None or verdicts is None:
        raise UsageError(
            f"{path} has {len(findings)} findings; the first: {findings[0]}\n"
            f"  fix: see `epc observe check {path}`"
        )
    return header, verdicts


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
    r"""Show all that is known of a MODEL as a judge, and hold it to your thresholds.

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
    from epc.analysis.observed import measure
    from epc.registry.judge_cards import card_of
    from epc.registry.subjects import judges_of, recorded, subject
    from epc.report.judge_card_text import sentence, text

    requirements = [Requirement.parse(each) for each in required]
    records = [recorded(path.name, measure(*read_verdicts(path), settings)) for path in files]
    opened = open_registry(registry)
    who = subject(opened, asked, judges_of(records))
    result = card_of(opened, who, as_of.date(), records, settings)
    answers = [answered(result, requirement) for requirement in requirements]
    tell(form, lambda: card_json(result, sentence(result), answers), lambda: text(result, answers))
    met = all(answer.answer == "meets" for answer in answers)
    leave(clean=met)


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
    no agreement. The last lines are the cheapest measurement that would tell more, as a command.

    \b
    Example:
      epc evaluators succeed gpt-4-0613
      epc evaluators succeed gpt-4 --verdicts llmbar.parquet --kinds
    """
    from epc.analysis.ballots import ballots
    from epc.registry.kept_ballots import Kept
    from epc.registry.subjects import subject
    from epc.registry.succession import agreed_of, succession_of
    from epc.report.succession_text import text

    all_ballots = [ballot for path in files for ballot in ballots(*read_verdicts(path))]
    judges = {name for each in all_ballots for name in (each.model, each.setting.judge.name)}
    opened = open_registry(registry)
    who = subject(opened, asked, sorted(judges))
    all_ballots += Kept.of(opened, registry).beside(who)
    succession = succession_of(opened, who, as_of.date(), agreed_of(opened, who, all_ballots))
    tell(form, succession.as_json, lambda: text(succession, kinds=kinds))
