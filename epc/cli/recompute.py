"""`epc recompute RUN`."""

from pathlib import Path

import click

from epc.cli.common import echo_json, leave, note, say
from epc.cli.options import FILE, format_option, run_argument


@click.command()
@run_argument
@click.option("--write", is_flag=True, help="Put the recomputed results into the manifest.")
@click.option(
    "--accuracy",
    type=FILE,
    metavar="FILE",
    help="A CSV strategy,accuracy: how good each strategy's answers are, for ECE and Brier.",
)
@format_option
def command(run: Path, write: bool, accuracy: Path | None, form: str) -> None:
    r"""Recompute RUN's metrics from its trials alone and compare them with its manifest.

    Exits 1 if they differ or a trial does not fit; with --write, it then writes the recomputed
    values into the manifest and weights.jsonl. --accuracy adds the evaluator's calibration (ECE and
    Brier). Together with --write it adds the accuracies to the manifest and a reliability diagram
    to the folder.

    \b
    Example:
      epc recompute runs/first
      epc recompute runs/first --accuracy accuracy.csv --write
    """
    from epc.records.recompute import manifest_path
    from epc.records.rewrite import rewrite
    from epc.report.reliability import draw, lines

    outcome = rewrite(run, write=write, accuracy=accuracy)
    for finding in outcome.findings:
        note(str(finding))
    if form == "json":
        echo_json(outcome.results)
    else:
        same = "equal to the manifest's" if not outcome.changed else "not the manifest's"
        seeds = len(outcome.results["per_seed"])
        say(f"{run}: {seeds} seeds recomputed from the trials; results {same}")
        for pointer in outcome.changed:
            say(f"  differs: /results{pointer}")
        for line in lines(outcome.manifest):
            say(f"  {line}")
        if outcome.written:
            say(f"  written: {', '.join(outcome.written)}")
    if outcome.written and outcome.manifest.accuracy:
        for path in draw(outcome.manifest, manifest_path(run).parent):
            note(f"picture  {path}")
    clean = not outcome.findings and not outcome.changed
    leave(clean=clean)
