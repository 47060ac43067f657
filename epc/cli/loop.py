"""`epc loop demo|plan|check|report|gate|drift`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from epc.cli.asking import SETTINGS, bound_options, dry_run_option, judge_options
from epc.cli.common import exit_with, now, print_finding_list, print_note, print_result, write_page
from epc.cli.loop_demo import demo
from epc.cli.options import (
    FILE,
    Finite,
    Whole,
    format_option,
    html_option,
    printed_as,
    refuse_options,
)
from epc.errors import ExitCode
from epc.printable import annotation
from epc.records.loop import MARGIN
from epc.records.verdicts.verdict_words import UNREADABLE

_OF_JUDGES: Final = (
    *SETTINGS,
    *("again", "max_calls", "max_cost", "max_time_s", "timeout_s"),
)

if TYPE_CHECKING:
    from epc.analysis.loop_files import Files
    from epc.engine.budget import Limits
    from epc.engine.loop_checks import Checked


@click.group()
def command() -> None:
    """Did an optimiser improve the work, or only what its judge says?"""


command.add_command(demo)


@command.command()
@click.argument("log", type=FILE)
@click.option(
    "--test",
    type=FILE,
    required=True,
    metavar="FILE",
    help="Items that the optimiser never saw: JSON Lines of texts or objects, or a table.",
)
@click.option(
    "--gold",
    "labels",
    type=Whole(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Draw so many of them for labels of both outputs, 30 of these for two.",
)
@click.option(
    "--margin",
    type=Finite(0, 100),
    default=100 * MARGIN,
    show_default=True,
    metavar="POINTS",
    help="A loss of right answers that labels have to exclude before the gate ships.",
)
@click.option("--judge", metavar="MODEL", help="Who scored the log, where it has no such column.")
@click.option("--judge-b", metavar="MODEL", help="A judge that the optimiser never saw.")
@format_option
def plan(
    log: Path,
    test: Path,
    labels: int,
    margin: float,
    judge: str | None,
    judge_b: str | None,
    form: str,
) -> None:
    r"""Draw the checks of a LOG, before anything is looked at.

    The seed is the first candidate, the final the one that the judge liked best. The plan beside
    LOG has both, the test items with digests of their texts, which of them get labels, 30 logged
    outputs that the judge is asked about again, the time, and the log's digest. Items that earlier
    checks used up are left out.

    \b
    Example:
      epc loop plan run.loop.jsonl --test items.jsonl --gold 100 --judge-b xai/grok-4.3
    """
    from epc.analysis.loop_decisions import draw
    from epc.analysis.loop_files import Files
    from epc.records.layout import stamp
    from epc.records.loop import (
        StoredValue,
        append,
        loop_paths,
        read_items,
        read_kept,
        read_ledger,
        read_log,
        write_plan,
    )
    from epc.records.typed import as_json

    path, _, texts = loop_paths(log)
    items, stored_values = read_items(test), read_kept(texts)
    files = Files(log=read_log(log), checks=[])
    drawn, findings = draw(
        files,
        items,
        labels=labels,
        margin=margin / 100,
        judge=judge or files.judge,
        judge_b=judge_b,
        time=stamp(now()),
        ledger=read_ledger(log),
        stored=stored_values,
    )
    if drawn is None:
        print_finding_list(findings, form)
        exit_with(clean=False)
    write_plan(path, drawn)
    new = (name for name in drawn.test if ("item", name) not in stored_values)
    append(texts, [StoredValue(kind="item", id=name, value=items[name]) for name in new])
    from epc.report.loop_text import plan_text

    print_result(form, lambda: as_json(drawn), lambda: plan_text(drawn, len(items)))
    print_note(f"planned  {path}\n  next: epc loop check {log} --execute CMD")


@command.command()
@click.argument("log", type=FILE)
@click.option(
    "--execute",
    required=True,
    metavar="CMD|MODULE:FUNCTION",
    help="Your program: what it gives for an item as a candidate, and how that is judged.",
)
@click.option(
    "--again",
    type=click.Choice([UNREADABLE]),
    help="Ask again wherever the last reply holds no score.",
)
@dry_run_option
@judge_options
@bound_options
@format_option
def check(
    log: Path,
    execute: str,
    again: str | None,
    dry_run: bool,
    decoding: dict[str, Any],
    limits: "Limits",
    form: str,
) -> None:
    r"""Execute what was planned for a LOG, and ask its judges; or go on where that stopped.

    For each planned item, as seed and as final, CMD reads a JSON object on stdin (candidate, text,
    item, value, and output, where only the judging is wanted) and prints one: output, and prompt,
    which judges A and B are asked, or score, by your own metric; gold, if it can check the output.
    A function of a module gets and returns the same. A judge's reply is read for `score` in JSON,
    or for its only number. No answered call is asked again, unless --again unreadable asks those
    whose replies hold no score, and an output that is the same before and after is asked about
    once. Outputs that are to be labelled stand in a table beside LOG: fill
    in its score and run the command again.

    \b
    Example:
      epc loop check run.loop.jsonl --execute 'python answer.py' --dry-run
      epc loop check run.loop.jsonl --execute answer:check --max-cost 2
    """
    from epc.cli.progress import progress_bar
    from epc.cli.run_session import run_work, show_forecast
    from epc.engine.loop_checks import Checking, expect
    from epc.engine.loop_checks import check as carry_out
    from epc.records.loop import labels_file, loop_paths
    from epc.records.typed import as_json

    checking = Checking.from_log(log, decoding)
    if not checking.asks:
        problem = "is of judges that are asked, and none is named as PROVIDER/MODEL"
        refuse_options(_OF_JUDGES, problem)
    if dry_run:
        refuse_options(("again",), "is of replies that came, and --dry-run counts none of them")
        if forecast := expect(checking):
            show_forecast(forecast, form, limits)
        else:
            no_model = "no judge is named as PROVIDER/MODEL, so none is asked: CMD gives the scores"
            print_result(form, dict, lambda: no_model)
        return
    next_command = f"epc loop check {log} --execute '{execute}'"
    retry = again is not None
    work = carry_out(checking, execute, clock=now, watch=progress_bar, limits=limits, retry=retry)
    done = run_work(work, next_command=next_command)
    print_result(form, lambda: as_json(done.rows), lambda: _counted(done))
    if done.unread:
        print_note(f"unread   to ask those again: {next_command} --again {UNREADABLE}")
    checks, labels = loop_paths(log)[1], labels_file(log)
    print_note(f"checks   {checks}")
    if labels.exists():
        print_note(f"labels   {labels}: fill in its score, then the same command again")
    print_note(f"  next: epc loop report {log} {checks}")


@command.command()
@click.argument("files", metavar="LOG [CHECKS]...", type=FILE, nargs=-1, required=True)
@html_option
@format_option
def report(files: tuple[Path, ...], html: Path | None, form: str) -> None:
    r"""Say what an optimiser gained: as its judge believed, on fresh items, and by gold.

    LOG is what `epc.loop.record` wrote, or a table (CSV or JSON Lines) with candidate, item, score
    and split. CHECKS are scores of the seed and the final on items that the optimiser never saw;
    without a name, those beside LOG. Five or more logs of one optimiser's seeds give intervals over
    its runs. If something is in the way, it is listed and the command exits 1. So it does of a LOG
    without checks, after what the log alone says.

    \b
    Example:
      epc loop report run.loop.jsonl run.checks.jsonl --html run.html
      epc loop report seed*.loop.jsonl
    """
    from epc.analysis.loop import over_runs
    from epc.analysis.loop_decisions import assess, runs_refusals
    from epc.records.loop import loop_paths
    from epc.report.document import printed
    from epc.report.loop_text import document, loop_json, loop_page, runs_document

    if len(files) == 1 and not loop_paths(files[0])[1].exists():
        refuse_options(("html",), f"is of a checked log, and {files[0]} has no checks")
        _say_believed(files[0], form)
    runs = _read_all(files)
    several = len(runs) > 1
    assessed = [assess(run) for run in runs]
    findings = [*(runs_refusals(runs) if several else ())]
    findings += [finding for assessment in assessed for finding in assessment.findings]
    reports = [assessment.report for assessment in assessed if assessment.report is not None]
    if findings:
        print_finding_list(findings, form)
        exit_with(clean=False)
    summary = over_runs(reports) if several else reports[0]
    parts = runs_document(over_runs(reports)) if several else document(reports[0])
    print_result(form, lambda: loop_json(summary), lambda: printed(parts))
    if html is not None:
        write_page(html, loop_page(summary))


@command.command()
@click.argument("log", type=FILE)
@click.argument("checks", type=FILE, required=False)
@click.option("--unplanned", is_flag=True, help="Accept checks that no plan precedes, and say so.")
@printed_as("json", "github", says="How to print the result; github is an annotation.")
@click.pass_context
def gate(ctx: click.Context, log: Path, checks: Path | None, form: str, *, unplanned: bool) -> None:
    r"""Say in one sentence whether the final of a LOG may ship.

    It may (exit 0) if its gain by the judge is above 0 on at least 100 items that the optimiser
    never saw, and gold, where there is any, excludes that the work got worse by the plan's margin.
    Else it exits 1 (`not_shown`, `harms`); 2 if the CHECKS decide nothing (`refused`). Without a
    name, CHECKS are those beside LOG. Items that decided are used up: the ledger beside LOG has
    them, and another final needs others.

    \b
    Example:
      epc loop gate run.loop.jsonl run.checks.jsonl
    """
    from epc.analysis.loop_decisions import gate as decide
    from epc.analysis.loop_decisions import spent_by
    from epc.analysis.loop_files import Files
    from epc.records.layout import stamp
    from epc.records.loop import read_ledger, spend
    from epc.records.typed import as_json
    from epc.report.loop_text import gate_sentence

    files = Files.read(log, checks)
    decision = decide(files, read_ledger(log), unplanned=unplanned)
    sentence = gate_sentence(decision)
    if form == "github":
        level = "notice" if decision.word == "ship" else "error"
        click.echo(annotation(level, sentence, file=log.as_posix(), title="epc loop gate"))
    print_result(form, lambda: {"sentence": sentence, **as_json(decision)}, lambda: sentence)
    if decision.word == "refused":
        for finding in decision.findings:
            print_note(str(finding))
        ctx.exit(ExitCode.MISUSE)
    spend(log, spent_by(files, stamp(now()), decision.decided))
    exit_with(clean=decision.word == "ship")


@command.command()
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@click.argument("anchors", type=FILE)
@format_option
def drift(before: Path, after: Path, anchors: Path, form: str) -> None:
    r"""Say whether it was the judge or the system that changed a score.

    BEFORE has the old judge's scores of the old system, AFTER the new judge's of the new system, on
    the same items: tables or JSON Lines with item and score. ANCHORS are the new judge's scores of
    the old system's own outputs, on ten or more items drawn at random. Exits 1 if the anchors
    cannot tell.

    \b
    Example:
      epc loop drift july.csv november.csv july_scored_in_november.csv
    """
    from epc.analysis.loop_decisions import parts_of_change
    from epc.records.loop import read_scores
    from epc.records.typed import as_json
    from epc.report.loop_text import parted_text

    parts, findings = parts_of_change(*map(read_scores, (before, after, anchors)))
    if parts is None:
        print_finding_list(findings, form)
        exit_with(clean=False)
    sentence = parted_text(parts)
    print_result(form, lambda: {"sentence": sentence, **as_json(parts)}, lambda: sentence)


def _counted(checked: "Checked") -> str:
    """Return how many scores there are, and what the replies are that hold none."""
    unread = sum(row.score is None for row in checked.rows)
    counted = f"{len(checked.rows) - unread:,} scores"
    kinds = "".join(f"\n  {count:,} {kind}" for kind, count in checked.unread.items())
    return f"{counted}, {unread:,} could not be read{':' if kinds else ''}{kinds}"


def _say_believed(log: Path, form: str) -> None:
    """Say what a log says that nobody checked, and how to check it; exit 1."""
    from epc.analysis.loop import believed_of
    from epc.analysis.loop_decisions import log_refusals
    from epc.analysis.loop_files import Files, unchecked
    from epc.records.loop import read_log
    from epc.records.typed import as_json
    from epc.report.loop_text import believed_sentence

    files = Files(log=read_log(log), checks=[])
    if findings := [*log_refusals(files)]:
        print_finding_list(findings, form)
        exit_with(clean=False)
    believed = believed_of(files)
    sentence = believed_sentence(believed)
    print_result(form, lambda: {"sentence": sentence, **as_json(believed)}, lambda: sentence)
    print_note(unchecked(log))
    exit_with(clean=False)


def _read_all(paths: tuple[Path, ...]) -> "list[Files]":
    """Return each log with its checks, which are named after it or beside it."""
    from epc.analysis.loop_files import Files
    from epc.records.loop import is_log

    pairs: list[tuple[Path, Path | None]] = []
    for path in paths:
        if is_log(path) or not pairs or pairs[-1][1]:
            pairs.append((path, None))
        else:
            pairs[-1] = (pairs[-1][0], path)
    return [Files.read(log, checks) for log, checks in pairs]
