"""`epc show RUN`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import echo_json, now, open_registry, print_note, print_result, say, write_page
from epc.cli.options import format_option, html_option, run_argument
from epc.extras import install, lacking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epc.analysis.audit import Audit
    from epc.analysis.campaign import CampaignComparison
    from epc.records.manifest import Manifest
    from epc.registry.expiry import Expiry


@click.command()
@run_argument
@click.option(
    "--tasks",
    is_flag=True,
    help="Show instead how much each task says: how often it is decided, what it tells apart.",
)
@html_option
@format_option
def command(run: Path, tasks: bool, form: str, html: Path | None) -> None:
    r"""Show RUN's figures with their intervals and the coin-flip band.

    Prints a table, and draws figure.svg and figure.png beside the manifest, if the extra `charts`
    is installed; where accuracies are known, a reliability diagram too. With --format json,
    prints the manifest's summary, and what is known of quality. With --html, writes a report that
    needs no network and no script: the word and what it rests on, its pictures, and all details,
    folded.

    Of a campaign (the folder of `epc run` with several models) it prints all runs side by side.

    \b
    Example:
      epc show runs/first
      epc show runs/first --html first.html
      epc show runs/first --tasks
      epc show runs/judges
    """
    from epc.records.campaign import is_campaign
    from epc.records.recompute import load_manifest

    if is_campaign(run):
        from epc.analysis.campaign import compare_runs

        if tasks or html is not None:
            raise click.UsageError(f"{run} is a campaign: name one of its runs for this")
        show_campaign(compare_runs(run), form)
        return
    if tasks and html is not None:
        raise click.UsageError("--html writes the whole report: leave out --html or --tasks")
    manifest = load_manifest(run)
    if tasks:
        _show_tasks(manifest, form)
        return
    from epc.analysis.audit import audit
    from epc.records.layout import GOLD
    from epc.records.recompute import manifest_path

    labelled = (manifest_path(run).parent / GOLD).exists()
    audited = audit(run) if labelled or html is not None else None
    ended = [state.status_text for state in _states(manifest) if state.status == "expired"]
    show(manifest, run, form=form, audited=audited, ended=ended)
    print_note("")
    if lacking("charts"):
        print_note(f"picture  none: {install('charts')}")
    else:
        from epc.report import reliability
        from epc.report.figure import draw

        folder = manifest_path(run).parent
        calibration = reliability.draw(manifest, folder) if manifest.accuracy else []
        for path in (*draw(manifest, folder), *calibration):
            print_note(f"picture  {path}")
    if html is not None and audited is not None:
        from epc.analysis.trajectories import trajectories_of
        from epc.report.page.run import run_page

        paths = trajectories_of(manifest, run)
        holds = _holds(manifest)
        write_page(html, run_page(manifest, audited, paths=paths, holds=holds, ended=ended))


def show_campaign(comparison: "CampaignComparison", form: str) -> None:
    """Print a campaign's runs side by side."""
    from epc.report.campaign_text import report

    print_result(form, comparison.as_json, lambda: report(comparison))


def _states(manifest: "Manifest") -> "Sequence[Expiry]":
    """Return until when the evaluator can be measured again, as far as a registry here says."""
    from epc.answers.service import expiry
    from epc.errors import EpcError

    try:
        opened = open_registry(None)
    except EpcError:
        return ()
    return expiry(opened, [manifest.evaluator.model], now().date())


def _holds(manifest: "Manifest") -> list[str]:
    """Return the same in words, and how to find out where no registry is at hand."""
    states = _states(manifest)
    if not states:
        model = manifest.evaluator.model
        return [f"as long as its evaluator does: `epc expiry {model}` says until when"]
    return [f"{state.status_text} on {state.as_of.isoformat()}: {state.note}" for state in states]


def _show_tasks(manifest: "Manifest", form: str) -> None:
    """Print how much each task of a measurement says; text and JSON come from one value."""
    from dataclasses import asdict

    from epc.audit.pilot import task_quality
    from epc.records.manifest import verdict_table
    from epc.report.measurement_text import task_lines

    config = manifest.configuration
    qualities = task_quality(verdict_table(manifest), manifest.names, config.baseline)
    groups = config.groups
    print_result(
        form,
        lambda: [
            {
                **asdict(quality),
                "text": config.tasks[quality.domain][quality.task],
                "group": groups[quality.domain][quality.task] if groups else None,
            }
            for quality in qualities
        ],
        lambda: task_lines(qualities, config.tasks),
    )


def show_finished(run: Path, *, form: str) -> "Audit":
    """Print the figures of a run that was written a moment ago, as `epc show` does; audit it."""
    from epc.analysis.audit import audit_checked
    from epc.records.validate import validate

    report = validate(run, figures=False)
    audited = audit_checked(report)
    assert report.manifest is not None
    show(report.manifest, run, form=form, audited=audited)
    return audited


def show(
    manifest: "Manifest",
    run: Path,
    *,
    form: str,
    audited: "Audit | None" = None,
    ended: "Sequence[str]" = (),
) -> None:
    """Print a manifest's figures; `epc run` ends with the same.

    `audited` is the audit of RUN, where there is one already. `ended` says since when its evaluator
    can no longer be measured.
    """
    if form == "json":
        from epc.records.manifest import plain
        from epc.spec.coupling import NotMeasured

        quality = plain(audited.quality if audited else NotMeasured())
        echo_json({**manifest.document["results"]["summary"], "quality": quality})
    else:
        from epc.analysis.audit import audit
        from epc.report.measurement_text import report

        say(report(manifest, audited or audit(run), ended))
