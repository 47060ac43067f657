"""`epc validate PATH...`."""

from pathlib import Path

import click

from epc.cli.common import exit_with, print_findings, print_note
from epc.cli.options import FILE, THERE, format_option


@click.command()
@click.argument("paths", nargs=-1, required=True, type=THERE, metavar="PATH...")
@click.option("--write", is_flag=True, help="Put the recomputed results into the manifest.")
@click.option(
    "--accuracy",
    type=FILE,
    metavar="FILE",
    help="A CSV strategy,accuracy: how good each strategy's answers are, for ECE and Brier.",
)
@format_option
def command(paths: tuple[Path, ...], write: bool, accuracy: Path | None, form: str) -> None:
    r"""Check run folders, manifests and verdict files: schema, then meaning, then computed values.

    All findings are listed, each with its place as a JSON Pointer and the clause it departs
    from. Places in the raw files begin with /trials, /calls and /weights. As JSON, one line a
    path. Of a campaign's folder every run is checked, of a verdict file (.jsonl, .parquet) every
    line and field, and what contradicts what. Exits 1 if anything worse than a warning was found.

    --write first recomputes the results from the trials, and writes those that differ into the
    manifest and weights.jsonl; it exits 1 if any did. --accuracy adds the evaluator's calibration
    (ECE and Brier). Together with --write it adds the accuracies to the manifest and a reliability
    diagram to the folder.

    \b
    Example:
      epc validate runs/first
      epc validate llmbar.parquet
      epc validate --format json submissions/*/manifest.json
      epc validate runs/first --accuracy accuracy.csv --write
    """
    from epc.records.campaign import each_run
    from epc.records.validate import validate

    ok = True
    for path in (run for name in paths for run in each_run(name)):
        if _holds_verdicts(path):
            if write or accuracy:
                raise click.UsageError(f"--write and --accuracy are of runs; {path} holds verdicts")
            ok = _has_sound_verdicts(path, form) and ok
            continue
        recomputes = not (write or accuracy) or _recomputed(path, write=write, accuracy=accuracy)
        report = validate(path)
        ok = ok and recomputes and report.ok
        print_findings(report, form)
    exit_with(clean=ok)


def _holds_verdicts(path: Path) -> bool:
    """Return whether a path is a file of verdicts: any file that is no manifest."""
    return path.is_file() and path.suffix != ".json"


def _has_sound_verdicts(file: Path, form: str) -> bool:
    """Print what is wrong with a verdict file, and return whether nothing is."""
    from epc.records.findings import CheckResult
    from epc.records.verdicts.verdict_file import read

    _, verdicts, findings = read(file)
    checked = CheckResult(path=str(file), findings=findings)
    print_findings(checked, form, verdicts=0 if verdicts is None else len(verdicts))
    return not findings


def _recomputed(run: Path, *, write: bool, accuracy: Path | None) -> bool:
    """Recompute a run's results, say what that gave, and return whether they were the same."""
    from epc.records.recompute import manifest_path, rewrite
    from epc.report.reliability import draw, lines

    outcome = rewrite(run, write=write, accuracy=accuracy)
    is_same = not outcome.findings and not outcome.changed
    seeds = len(outcome.results["per_seed"])
    comparison = "equal to the manifest's" if not outcome.changed else "not the manifest's"
    print_note(f"{run}: {seeds} seeds recomputed from the trials; results {comparison}")
    for pointer in outcome.changed:
        print_note(f"  differs: /results{pointer}")
    for line in lines(outcome.manifest):
        print_note(f"  {line}")
    if outcome.written:
        print_note(f"  written: {', '.join(outcome.written)}")
        if outcome.manifest.accuracy:
            for path in draw(outcome.manifest, manifest_path(run).parent):
                print_note(f"picture  {path}")
    return is_same
