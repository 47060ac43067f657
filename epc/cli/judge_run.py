"""`epc judge run` and its report, and `epc judge competence`: before it, or at any time."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.asking import bound_options, dry_run_option
from epc.cli.common import echo_json, exit_with, now, print_note, print_result, say
from epc.cli.options import FOLDER, Whole, format_option, refuse_options, with_default
from epc.cli.run_session import run_work
from epc.judge.planted import PAIRS

if TYPE_CHECKING:
    from epc.analysis.judging.competence import Competence
    from epc.analysis.judging.evaluation import Report
    from epc.engine.budget import Limits
    from epc.engine.judging.competence import CompetenceOptions


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--judge", "judges", multiple=True, metavar="MODEL", help="Only this. Repeatable.")
@with_default(
    "--pairs",
    Whole(1, 1000),
    PAIRS,
    "From how many outputs to make texts; counts for the first session.",
    metavar="N",
)
@click.option("--named", is_flag=True, help="Ask these outputs under their true names as well.")
@click.option("--ablation", is_flag=True, help="Ask them without what the judge quoted as well.")
@click.option(
    "--retest",
    type=Whole(0),
    default=0,
    metavar="N",
    help="Ask N outputs of the judged set again: once a day.",
)
@dry_run_option
@bound_options
@format_option
def competence(
    folder: Path,
    judges: tuple[str, ...],
    pairs: int,
    named: bool,
    ablation: bool,
    retest: int,
    dry_run: bool,
    limits: "Limits",
    form: str,
) -> None:
    r"""Test the judges of a planned FOLDER on texts whose order of scores is known.

    From outputs of the set it makes texts that are worth less: cut in half, shuffled, an answer to
    another task, without a section that the task asks for. It also shows the same text twice, a
    padded one and one without markup. The judge scores all of them as it would the set. What it
    says stands in FOLDER/competence, outside every primary figure, and in the report. The command
    goes on where it stopped and exits 1 if a judge is incapable.

    \b
    Example:
      epc judge competence judged --max-cost 1
      epc judge competence judged --named --ablation --retest 20
      epc judge competence judged && epc judge run judged
    """
    from epc.engine.judging.competence import CompetenceOptions, assess, forecast, tests_of

    options = CompetenceOptions(pairs=pairs, named=named, ablation=ablation, retest=retest)
    tests = tests_of(folder, judges, options)
    if not any(test.takes_pairs for test in tests):
        refuse_options(("pairs",), "counts for the first session, which made other texts already")
    if dry_run:
        from epc.cli.run_session import show_forecast

        show_forecast(forecast(tests, now()), form, limits)
        if ablation:
            print_note(
                "ablation comes on top: at most two calls for each output, once it is judged"
            )
        return
    from epc.cli.progress import progress_bar

    work = assess(tests, clock=now, watch=progress_bar, limits=limits)
    run_work(work, next_command=competence_command(folder, options, judges))
    results = _print_competences(folder, judges, form)
    exit_with(clean=not any(result.word == "incapable" for result in results))


def competence_command(folder: Path, options: "CompetenceOptions", judges: tuple[str, ...]) -> str:
    """Return the command that goes on with a test."""
    arguments = [
        *(f"--judge {judge}" for judge in judges),
        *(["--named"] if options.named else ()),
        *(["--ablation"] if options.ablation else ()),
        *([f"--retest {options.retest}"] if options.retest else ()),
    ]
    return " ".join(["epc judge competence", str(folder), *arguments])


def _print_competences(folder: Path, judges: tuple[str, ...], form: str) -> "list[Competence]":
    from epc.analysis.judging.competence import competences
    from epc.records.typed import as_json
    from epc.report.document import printed
    from epc.report.judging.competence import competence

    results = [result for result in competences(folder) if not judges or result.judge in judges]
    print_result(
        form,
        lambda: {"competence": as_json(results)},
        lambda: printed(competence(results)),
    )
    return results


@click.command()
@click.argument("folder", type=FOLDER)
@dry_run_option
@bound_options
@format_option
def run(folder: Path, dry_run: bool, limits: "Limits", form: str) -> None:
    r"""Let the judges score every sample of a planned FOLDER, or go on where that stopped.

    It asks no answered call again. It writes the archive when everything is answered.

    \b
    Example:
      epc judge run judged --dry-run
      epc judge run judged --max-cost 2
      epc judge competence judged && epc judge run judged
    """
    if dry_run:
        from epc.cli.run_session import show_forecast
        from epc.engine.judging.evaluate import expect, open_evaluation

        show_forecast(expect(open_evaluation(folder)), form, limits)
        return
    judge_on(folder, limits, form)


def judge_on(folder: Path, limits: "Limits", form: str) -> None:
    """Carry an evaluation out from wherever it stands and show its report."""
    from epc.records.judging.documents import is_complete

    if is_complete(folder):
        print_note(f"{folder} is complete")
    else:
        from epc.cli.progress import progress_bar
        from epc.engine.judging.evaluate import evaluate, open_evaluation

        work = evaluate(open_evaluation(folder), clock=now, watch=progress_bar, limits=limits)
        run_work(work, next_command=f"epc judge run {folder}")
    show_report([folder], form)


def show_report(folders: list[Path], form: str, *, labels: Path | None = None) -> "Report":
    """Print what judges said and return the report."""
    from epc.analysis.judging.evaluation import document
    from epc.analysis.judging.summary import summary

    report = summary(folders, labels)
    if form == "json":
        echo_json(document(report))
    elif form == "csv":
        from epc.report.judging.table import table

        click.echo(table(report), nl=False)
        for finding in report.findings:
            print_note(f"{finding.problem} [{finding.clause}]")
    else:
        from epc.report.judging.document import text

        say(text(report))
    return report
