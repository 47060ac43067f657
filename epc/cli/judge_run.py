"""`epc judge run`, and the report at its end."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.asking import canary_option, limit_options
from epc.cli.common import echo_json, leave, note, now, say
from epc.cli.judge_competence import budget_for, is_fit
from epc.cli.options import FOLDER, format_option
from epc.cli.run_session import carried_out

if TYPE_CHECKING:
    from epc.analysis.judging.evaluation import Report
    from epc.engine.budget import Budget, Limits


@click.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--competence-first",
    is_flag=True,
    help="Ask `epc judge competence` before anything else; stop if a judge is incapable.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be asked and cost; send nothing.")
@canary_option
@click.option("--anyway", is_flag=True, help="Go on though a judge is swapped, or incapable.")
@limit_options
@format_option
def run(
    folder: Path,
    competence_first: bool,
    dry_run: bool,
    canary: bool,
    anyway: bool,
    limits: "Limits",
    form: str,
) -> None:
    r"""Let the judges score every sample of a planned FOLDER, or go on where that stopped.

    It asks no answered call again. It writes the archive when everything is answered. The canary
    goes on as it began: the option counts for the first sitting.

    \b
    Example:
      epc judge run judged --dry-run
      epc judge run judged --max-cost 2
    """
    if dry_run:
        from epc.cli.run_session import show_forecast
        from epc.engine.judging.evaluate import expect, open_evaluation

        shares = expect(open_evaluation(folder), canary=canary)
        if competence_first:
            from epc.engine.judging.competence import Asked, forecast, tests_of

            shares |= forecast(tests_of(folder, (), Asked()), now())
        show_forecast(shares, form)
        return
    budget = budget_for(folder, limits) if competence_first else None
    if budget is not None and not is_fit(folder, limits, budget) and not anyway:
        note(f"nothing was judged\n  next: name another judge, or epc judge run {folder} --anyway")
        leave(clean=False)
    judge_on(folder, limits, form, canary=canary, anyway=anyway, budget=budget)


def judge_on(
    folder: Path,
    limits: "Limits",
    form: str,
    *,
    canary: bool = True,
    anyway: bool = False,
    budget: "Budget | None" = None,
) -> None:
    """Carry an evaluation out from wherever it stands and show its report."""
    from epc.records.canary import in_words
    from epc.records.judging.layout import is_complete, load_run_log

    if is_complete(folder):
        note(f"{folder} is complete")
    else:
        from epc.cli.progress import shown
        from epc.engine.judging.evaluate import evaluate, open_evaluation

        work = evaluate(
            open_evaluation(folder),
            clock=now,
            watch=shown,
            limits=limits,
            canary=canary,
            anyway=anyway,
            budget=budget,
        )
        carried_out(work, again=f"epc judge run {folder}")
    show_report([folder], form)
    for judge, record in (load_run_log(folder).canary or {}).items():
        note(f"canary   {judge}: {in_words(record)}")


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
            note(f"{finding.problem} [{finding.clause}]")
    else:
        from epc.report.judging.document import text

        say(text(report))
    return report
