"""`epc audit RUN|VERDICTS`."""

import shlex
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from epc.cli.asking import BOUNDS, bound_options
from epc.cli.common import exit_with, now, print_findings, print_note, print_result, write_page
from epc.cli.options import (
    FILE,
    NEW_FILE,
    THERE,
    Pair,
    Whole,
    format_option,
    html_option,
    judges_options,
    refuse_options,
    require_pages,
    table_options,
    with_default,
)
from epc.spec.epc_v1 import ROUNDS

if TYPE_CHECKING:
    from epc.analysis.verdicts import Report
    from epc.engine.budget import Limits
    from epc.records.verdicts.converting import Request
    from epc.records.verdicts.shapes import Votes
    from epc.records.verdicts.types import Choices


@click.command()
@click.argument("run", type=THERE, metavar="RUN|VERDICTS")
@table_options
@judges_options
@html_option
@click.option(
    "--gate",
    "wanted",
    type=Pair(),
    multiple=True,
    metavar="FIGURE=LEAST",
    help="Of verdicts: exit with 1 unless the interval's lower end shows this, as tpr=0.9. "
    "Repeatable.",
)
@click.option(
    "--label-page",
    type=NEW_FILE,
    metavar="FILE",
    callback=require_pages,
    help="Of verdicts pass and fail: write a page on which you label 50 answers, blind to the "
    "verdicts. It saves a CSV file for --gold.",
)
@click.option("--save", type=NEW_FILE, help="Of verdicts: write them as a verdict file as well.")
@with_default(
    "--rounds",
    Whole(0, 100_000),
    ROUNDS,
    "Rounds in a phase, for weights published without trials.",
)
@click.option(
    "--gold",
    type=FILE,
    metavar="FILE",
    help="Labels of what is right: CSV with strategy,domain,task,gold (0 to 1; or A, B, tie); or, "
    "of verdicts, with item,gold (a, b, tie; pass, fail).",
)
@click.option(
    "--swap",
    type=Whole(0, 10_000),
    default=0,
    metavar="N",
    help="Ask N of the run's pairs again with the order of the answers exchanged.",
)
@click.option(
    "--controls",
    type=Whole(0, 10_000),
    default=0,
    metavar="N",
    help="Ask about N planted pairs, good against shuffled, off-topic and refusing answers.",
)
@bound_options
@format_option
def command(
    *,
    run: Path,
    table: dict[str, Any],
    choices: "Choices",
    settings: tuple[str, ...],
    html: Path | None,
    wanted: tuple[tuple[str, str], ...],
    label_page: Path | None,
    save: Path | None,
    rounds: int,
    gold: Path | None,
    swap: int,
    controls: int,
    limits: "Limits",
    form: str,
) -> None:
    r"""Say what a run, or a file of verdicts, shows about its judge, and what it does not.

    VERDICTS is a table (CSV, TSV, JSON Lines, Excel, Parquet) with a row for each verdict, a log
    of Inspect AI or promptfoo as JSON, or a verdict file. The columns are known by their names:
    item, judge, a, b, verdict, humans, gold, first, repeat, strategy, domain, task, and what
    people call them. Every figure has its 95% interval; what is missing is named.

    RUN is a run folder, a manifest, or per-seed weights that were published without trials.
    Weights alone cannot show coupling. Exits 1 if no claim can rest on RUN. Nothing is sent
    anywhere, except with --swap or --controls: these ask the run's evaluator and keep its answers
    in RUN's probes.jsonl. The word about a run is of its evaluator's own verdicts; --gold says
    whether the work is better. It is one of these:

    \b
    coupled                    training in one domain redirects choices in the other,
                               beyond chance (p at most 0.05), at an estimated 2 points of
                               win rate or more
    no_coupling_beyond_margin  training in one domain costs less than 2 points in the other
    no_detectable_coupling     neither could be shown
    no_verdicts_counted        a failed run: its gamma of 0 says nothing
    collapsed                  every run ended on one strategy
    inconclusive               see the reasons

    \b
    Example:
      epc audit votes.csv --html report.html
      epc audit votes.csv --gate tpr=0.9 --gate tnr=0.8
      epc audit votes.csv --label-page labels.html
      epc audit votes.csv --gold labels.csv
      epc audit votes.xlsx --map verdict=Winner --label 'Model 1=a' --label 'Model 2=b'
      epc audit runs/first
      epc audit runs/first --swap 24 --controls 24
      epc audit weights.json --format json
    """
    from epc.analysis.audit import audit, is_run
    from epc.records.verdicts.converting import Request
    from epc.records.verdicts.shapes import is_votes
    from epc.report.audit_text import text

    if not (swap or controls):
        refuse_options(BOUNDS, "bounds what --swap and --controls ask: nothing is asked here")
    if is_votes(run):
        if swap or controls:
            raise click.UsageError("--swap and --controls are of a run, whose evaluator is asked")
        refuse_options(("rounds",), "is of weights, and these are verdicts")
        request = Request(**table)
        audit_verdicts(
            run,
            request,
            choices,
            settings,
            html=html,
            label_page=label_page,
            save=save,
            form=form,
            gold=gold,
            wanted=_numbers(wanted),
        )
        return
    of_verdicts = (*table.values(), settings, save, wanted, label_page)
    if any((*of_verdicts, choices.same, choices.baseline, choices.domains)):
        raise click.UsageError(f"{run} is a run: --map and its like are of a file of verdicts")
    if html:
        raise click.UsageError(f"{run} is a run\n  fix: epc show {run} --html {html}")
    if is_run(run):
        refuse_options(("rounds",), "is of weights without trials, and this run says its own")
    if swap or controls:
        _ask(run, limits, swap=swap, controls=controls)
    result = audit(run, rounds=rounds, gold=gold)
    print_result(form, result.as_json, lambda: text(result))
    exit_with(clean=result.clean)


def audit_verdicts(
    file: Path,
    request: "Request",
    choices: "Choices",
    settings: tuple[str, ...],
    *,
    html: Path | None,
    save: Path | None,
    form: str,
    gold: Path | None = None,
    label_page: Path | None = None,
    wanted: Mapping[str, float] = MappingProxyType({}),
) -> None:
    """Say what a file of verdicts shows of its judges.

    Findings, and a figure that is `wanted` and not shown, end the command with 1.
    """
    from epc.analysis.verdicts_audit import audit_of, gates
    from epc.records.findings import CheckResult
    from epc.records.gold import drawn_by, joined
    from epc.records.typed import as_json
    from epc.records.verdicts.verdict_file import present, write
    from epc.report.columns_text import columns_text
    from epc.report.verdicts_text import as_document, gate_text, page_of, text

    votes = _opened(file, request, save)
    if votes.findings or votes.header is None or votes.verdicts is None:
        columns = votes.column_choice.uses
        if form == "text" and columns:
            print_result(form, list, lambda: columns_text(columns))
        fields = {"columns": as_json(columns)} if columns else {}
        print_findings(CheckResult(path=str(file), findings=votes.findings), form, **fields)
        exit_with(clean=False)
    verdicts, answers = (votes.verdicts, None) if gold is None else joined(gold, votes.verdicts)
    drawn = drawn_by(gold) if gold else frozenset()
    done = audit_of(votes.header, verdicts, settings, choices, gold=answers, drawn_by=drawn)
    checked = gates(done, wanted)
    to_label = ""
    if label_page:
        to_label = _page_to_label(file, request, settings, votes, done)
    print_result(
        form,
        lambda: as_document(done, votes.column_choice),
        lambda: text(done, votes.column_choice, with_page=html is not None),
    )
    if save:
        assert votes.conversion is not None
        write(save, votes.header, votes.conversion.rows, present(votes.header, votes.verdicts))
        print_note(f"written  {save}: {len(votes.verdicts):,} verdicts")
    if html:
        write_page(
            html, page_of(done, votes.column_choice, f"epc audit {file.name} --html {html.name}")
        )

    if label_page:
        write_page(label_page, to_label)
    for gate in checked:
        print_note(gate_text(gate))
    if wanted:
        exit_with(clean=all(gate.shown for gate in checked))


def _opened(file: Path, request: "Request", save: Path | None) -> "Votes":
    """Return what a file holds, which is to be saved as a verdict file if it is none yet.

    Raises: UsageError if it cannot be saved so.
    """
    from epc.records.verdicts.shapes import opened
    from epc.records.verdicts.verdict_file import require_kind

    if save:
        require_kind(save)
    votes = opened(file, request)
    if save and not votes.conversion:
        raise click.UsageError(
            f"--save: {file.name} is a verdict file already\n  fix: leave it out"
        )
    return votes


def _page_to_label(
    file: Path,
    request: "Request",
    settings: tuple[str, ...],
    votes: "Votes",
    report: "Report",
) -> str:
    """Return the page on which a person labels answers of a table."""
    from epc.analysis.label_draw import draw_for_labels
    from epc.records.verdicts.table import command_of, texts_on
    from epc.records.verdicts.table_rows import FILE as FILE_KEY
    from epc.report.page.labels import LABELS, LabelRow, label_page

    assert votes.header is not None
    assert votes.verdicts is not None
    verdicts, columns = votes.verdicts, votes.column_choice.columns
    _require_labels_fit(file, report, columns)
    draw = draw_for_labels(verdicts, report.groups[0].settings)
    text_columns = [columns[name] for name in ("a", "question") if name in columns]
    lines = verdicts.lines[draw.rows].tolist()
    texts = texts_on(file, text_columns, {*lines}, rows=request.rows)
    items = [verdicts.item.names[code] for code in verdicts.item.codes[draw.rows].tolist()]
    rows = []
    for item, line in zip(items, lines, strict=True):
        answer, question = (*texts[line], "")[:2]
        rows.append(LabelRow(item=item, question=question, answer=answer))
    present = [use.column for use in votes.column_choice.uses]
    arguments = [word for name in settings for word in ("--setting", name)]
    command = command_of(Path(file.name), present, request)
    return label_page(
        rows,
        draw,
        file=file.name,
        judge=report.groups[0].settings[0],
        sha256_of_file=votes.header.files[FILE_KEY].sha256,
        command=f"{command} {shlex.join([*arguments, '--gold', LABELS])}",
        clustered=len(verdicts.group.names) > 0,
    )


def _require_labels_fit(file: Path, report: "Report", columns: Mapping[str, str]) -> None:
    """Refuse a file of which nobody can label answers: of no verdicts pass and fail, no texts.

    Raises: UsageError with what it takes.
    """
    from epc.errors import UsageError

    if not report.alone:
        problem, fix = "holds no verdicts pass and fail on single answers", "give a table of these"
    elif len(report.groups) != 1:
        names = ", ".join(name for group in report.groups for name in group.settings)
        problem = f"holds verdicts of {len(report.groups)} judges: {names}"
        fix = "name one of them: --setting NAME"
    elif "a" not in columns:
        problem = "holds no texts of the answers"
        fix = "give a table with a column `response` (and `question`), or --map a=COLUMN"
    else:
        return
    raise UsageError(f"--label-page: {file.name} {problem}\n  fix: {fix}")


def _numbers(wanted: tuple[tuple[str, str], ...]) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for name, least in wanted:
        if name in numbers:
            raise click.UsageError(f"--gate names {name!r} twice\n  fix: keep one of them")
        try:
            numbers[name] = float(least)
        except ValueError as error:
            raise click.UsageError(f"--gate takes FIGURE=LEAST, as tpr=0.9: {error}") from error
        if not isfinite(numbers[name]):
            raise click.UsageError(f"--gate {name}={least}: no number that a figure could reach")
    return numbers


def _ask(run: Path, limits: "Limits", *, swap: int, controls: int) -> None:
    """Ask a run's evaluator what was not asked yet; it is kept beside the run."""
    from epc.cli.progress import progress_bar
    from epc.cli.run_session import fetch_weights_if_named, run_work
    from epc.engine.panel import probe, reopen

    reopened = reopen(run, swap=swap, controls=controls)
    for kind, count in reopened.short.items():
        if count:
            print_note(f"--{kind}: the run's answers give {count} pairs fewer than that")
    fetch_weights_if_named(reopened.evaluator)
    next_command = f"epc audit {run} --swap {swap} --controls {controls}"
    run_work(
        probe(reopened, clock=now, watch=progress_bar, limits=limits), next_command=next_command
    )
