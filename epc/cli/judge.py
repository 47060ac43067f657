"""`epc judge plan|competence|run|pairs|check|report|export|import|label`."""

from pathlib import Path
from typing import Any, Final

import click

from epc.cli.asking import SETTINGS, judge_options
from epc.cli.common import exit_with, now, print_findings, print_note, print_result, write_page
from epc.cli.judge_pairs import pairs
from epc.cli.judge_run import competence, run, show_report
from epc.cli.options import (
    FILE,
    FOLDER,
    NEW_FILE,
    NEW_FOLDER,
    THERE,
    Finite,
    Whole,
    format_option,
    html_option,
    printed_as,
    refuse_options,
    with_default,
)
from epc.spec.judge_v1 import CROSS, METHODS, SELF, Method

_METHODS: Final[dict[str, tuple[Method, ...]]] = {
    "cross": (CROSS,),
    "self": (SELF,),
    "both": METHODS,
}
_CONSTRAINTS: Final = {"json": "json", "schema": "judge_reply"}
_OF_ASKING: Final = (
    *("prompt", "self_prompt", "constrain", "retry_malformed", "named"),
    *SETTINGS,
)


@click.group()
def command() -> None:
    """Let models judge: outputs in strict JSON with evidence, or a labelled set of pairs."""


@command.command()
@click.argument("source", type=THERE)
@click.option(
    "--judge", "judges", multiple=True, required=True, metavar="MODEL", help="Repeatable."
)
@click.option("--out", required=True, type=NEW_FOLDER)
@click.option("--methods", type=click.Choice(list(_METHODS)), default="both", show_default=True)
@click.option("--prompt", type=FILE, help="A judge prompt; its name is its id.")
@click.option("--self-prompt", type=FILE, help="Another prompt for self-judging.")
@click.option(
    "--constrain",
    type=click.Choice(list(_CONSTRAINTS)),
    help="Force JSON, or the reply's schema, where the provider can.",
)
@judge_options
@with_default(
    "--retry-malformed",
    Whole(0, 5),
    0,
    "Ask again up to N times if a reply is not one JSON object; each is counted.",
)
@click.option(
    "--mapping", type=FILE, help="A file that maps a finer rubric to the four dimensions."
)
@click.option("--recorded", is_flag=True, help="The replies exist; `epc judge import` adds them.")
@click.option("--named", is_flag=True, help="Tell the judges whose output they score, and when.")
@click.option("--allow-gaps", is_flag=True, help="Accept cells without an output.")
@click.option(
    "--labels-for",
    type=Finite(0, 0.5, min_open=True),
    metavar="WIDTH",
    help="Say how many outputs people must label for a PASS share to within plus or minus WIDTH.",
)
@format_option
def plan(
    source: Path,
    judges: tuple[str, ...],
    out: Path,
    methods: str,
    self_prompt: Path | None,
    constrain: str | None,
    decoding: dict[str, Any],
    recorded: bool,
    labels_for: float | None,
    form: str,
    **options: Any,
) -> None:
    r"""Make an evaluation set from SOURCE and write it to a folder.

    SOURCE is a table (CSV, JSON, JSON Lines or Parquet: question_id, prompt_variant, target_model,
    output_id, output or output_file, task), a folder of TARGET/QUESTION/VARIANT.txt, or an EPC run:
    its task is the question, its strategy the variant, its executor the target. Gaps and repeats
    are findings: the command then exits 1 and writes nothing.

    Judging is blind: the prompt holds no name of a target or judge, no method and no date. With
    --named it does, and `epc judge report BLIND NAMED` says what the names changed.

    \b
    Example:
      epc judge plan runs/first --judge openai/gpt-4o-2024-08-06 --out judged
      epc judge plan runs/first --judge openai/o3 --temperature none --reasoning low --out thought
      epc judge plan outputs.csv --judge GPT-4 --recorded --out imported
    """
    from epc.cli.run_session import fetch_weights_if_named
    from epc.engine.judging.evaluate import Request, problems, write_plan
    from epc.records.findings import CheckResult
    from epc.records.judging.sources import entries_of

    if recorded:
        refuse_options(_OF_ASKING, "is of how judges are asked, and --recorded asks none")
    if methods == "cross":
        refuse_options(("self_prompt",), "is of self-judging, which --methods cross leaves out")
    if methods == "self" and self_prompt is not None:
        refuse_options(("prompt",), "is of cross-judging, which --methods self leaves out")
    request = Request(
        judges=judges,
        methods=_METHODS[methods],
        self_prompt=self_prompt,
        constraint=_CONSTRAINTS[constrain] if constrain else None,
        decoding=decoding,
        recorded=recorded,
        **options,  # the other options, by the names that a request has for them
    )
    if not recorded:
        fetch_weights_if_named(*judges)
    entries = entries_of(source)
    checked = CheckResult(path=str(source), findings=problems(entries, request))
    if checked.ok:
        write_plan(entries, request, out, now=now())
    print_findings(checked, form, units=len(entries), written=checked.ok)
    if checked.ok:
        verb = "import REPLIES" if recorded else "run"
        print_note(f"planned  {out}: {len(entries)} outputs\n  next: epc judge {verb} {out}")
    if labels_for is not None:
        _show_labels_needed(labels_for, len(entries))
    exit_with(clean=checked.ok)


command.add_command(competence)
command.add_command(run)
command.add_command(pairs)


@command.command(name="import")
@click.argument("replies", type=THERE)
@click.argument("folder", type=FOLDER)
@format_option
def import_(replies: Path, folder: Path, form: str) -> None:
    r"""Archive existing REPLIES as the judgments of a FOLDER planned with --recorded.

    REPLIES is a table (CSV, JSON, JSON Lines, Parquet) or a folder of tables. A row is a record, or
    a `reply` beside the identifiers and judge_model. Rows about nothing in the set are named, kept
    and counted for nobody: the command then exits 1.

    \b
    Example:
      epc judge import replies.jsonl imported
      epc judge import scores.csv imported
    """
    from epc.records.judging.sources import import_replies
    from epc.records.layout import stamp

    imported_at = stamp(now())
    log, unmatched = import_replies(replies, folder, now=imported_at)
    if log is not None:
        show_report([folder], form)
    if unmatched.rows:
        outcome = "nothing was written" if log is None else "they are kept, and counted for nobody"
        print_note(
            f"{unmatched.rows:,} of {unmatched.total:,} rows are about no sample of the set: "
            f"{outcome}"
        )
    for finding in unmatched.findings:
        print_note(str(finding))
    exit_with(clean=not unmatched.rows)


@command.command()
@click.argument("labels", type=FILE)
@click.argument("folder", type=FOLDER)
def label(labels: Path, folder: Path) -> None:
    r"""Keep LABELS, what people said of outputs, in a planned FOLDER.

    LABELS is a table: output_id, the four dimensions or a verdict, and labeller if there are
    several. The folder keeps these alone, and people as numbers. Reports of the folder then show
    how judges agree with people, and publishing the folder publishes the labels.

    \b
    Example:
      epc judge label labels.csv judged
    """
    from epc.records.judging.labels import keep_labels

    saved = keep_labels(labels, folder)
    outputs = len({label.unit for label in saved})
    print_note(f"kept     {len(saved)} labels of {outputs} outputs in {folder}")


@command.command()
@click.argument("response", type=THERE)
@click.option("--sample", type=FILE, help="What the judge was asked about.")
@click.option("--output", type=FILE, help="The output that was judged.")
@format_option
def check(response: Path, sample: Path | None, output: Path | None, form: str) -> None:
    r"""Check a judge's RESPONSE against its sample and the output that it judged.

    Lists every flag that applies and every finding, and our verdict beside the judge's. SAMPLE is
    a JSON object of question_id, prompt_variant, target_model, output_id, judge_model and method.
    Exits 0 if the reply is a valid evaluation and 1 if not.

    If RESPONSE is an evaluation's folder, it checks every archived record again from its raw reply,
    and every total and file. Then it exits 1 if anything differs.

    \b
    Example:
      epc judge check reply.json --sample sample.json --output answer.txt
      epc judge check judged
    """
    if response.is_dir():
        refuse_options(("sample", "output"), "is of one reply, and a folder has its own")
        from epc.records.judging.recheck import recheck

        rechecked = recheck(response)
        print_findings(rechecked, form, totals=rechecked.totals)
        exit_with(clean=rechecked.ok)
    if sample is None or output is None:
        raise click.UsageError("a reply is checked against --sample and --output: name both")
    from epc.records.judging.evaluation_set import check_files
    from epc.records.typed import as_json

    checked = check_files(response, sample, output)
    lines = (
        f"{response}: {', '.join(checked.flags) or 'valid'}",
        f"verdict {checked.verdict}, the judge's {checked.judge_verdict}",
        *map(str, checked.findings),
    )
    print_result(form, lambda: as_json(checked), lambda: "\n".join(lines))
    exit_with(clean=checked.valid)


@command.command()
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@html_option
@click.option(
    "--labels",
    type=FILE,
    metavar="FILE",
    help="What people said of some outputs: a table with output_id and the four dimensions or a "
    "verdict, and labeller if there are several.",
)
@click.option(
    "--accuracy",
    type=NEW_FILE,
    metavar="FILE",
    help="Write each variant's PASS share as strategy,accuracy (CSV).",
)
@printed_as("json", "csv")
def report(
    folders: tuple[Path, ...],
    html: Path | None,
    labels: Path | None,
    accuracy: Path | None,
    form: str,
) -> None:
    r"""Show what judges said in FOLDERS: shares, agreement, evidence, who can be trusted on what.

    With --labels it also shows how judges agree with people, where they err, and each PASS share
    put right by the labels.

    With several folders, it also shows how each judge's scores of the same outputs changed from one
    to the next. Both must have the same prompt, mapping, constraint, method and decoding, and must
    have been asked anew. If one of these differs, or both hold the same answer, the command exits
    1. --html writes a report of the last evaluation that needs no network and no script: who can be
    trusted on what, intervals, agreement, and disagreements side by side.

    \b
    Example:
      epc judge report judged --html judged.html
      epc judge report judged --labels labels.csv
      epc judge report judged --format csv --accuracy accuracy.csv
      epc judge report judged-july judged-august
    """
    from epc.records.strict_json import write_text
    from epc.report.judging.table import accuracy_table

    results = show_report(list(folders), form, labels=labels)
    if html is not None:
        from epc.report.judging.document import judging_page

        write_page(html, judging_page(results))
    if accuracy is not None:
        write_text(accuracy, [accuracy_table(results)])
        print_note(f"accuracy {accuracy}")
    shared = any(row.shared for row in results.drift)
    exit_with(clean=not (results.findings or shared))


@command.command()
@click.argument("folder", type=FOLDER)
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write there, and not to the terminal.")
def export(folder: Path, out: Path | None) -> None:
    r"""Print the valid evaluations of a FOLDER as the judge protocol's record objects (section 5).

    One JSON object a line. A judge that was asked blind wrote placeholders for judge, target,
    method and date: the object has the true ones, by the archive. Exits 1 if no file says on which
    day an evaluation was made; it is then left out.

    \b
    Example:
      epc judge export judged --out records.jsonl
    """
    from epc.records.judging.exporting import objects
    from epc.records.strict_json import dumps_line, write_text

    evaluations = [*objects(folder)]
    dated = [value for value in evaluations if value]
    lines = [dumps_line(value) for value in dated]
    if out is None:
        click.echo("".join(lines), nl=False)
    else:
        write_text(out, lines)
    undated = len(evaluations) - len(dated)
    unknown = f"; left out, since no file says their day: {undated}" if undated else ""
    print_note(f"exported {len(dated)} valid evaluations{unknown}")
    exit_with(clean=not undated)


def _show_labels_needed(width: float, outputs: int) -> None:
    from epc.analysis.judging.labels import labels_for

    print_note(f"labels   for a PASS share to within {width:g}, drawn at random from the outputs:")
    *judges, alone = labels_for(width, outputs)
    for erring, count in judges:
        print_note(f"  {_labels_text(count)} if the judge errs on {100 * erring:g}% of them")
    print_note(f"  {_labels_text(alone[1])} without a judge; the set has {outputs:,} outputs")
    print_note("  outputs of one question are alike, so take them from many questions")


def _labels_text(count: int | None) -> str:
    return "more than the set has" if count is None else f"{count:,}"
