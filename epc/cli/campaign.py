"""Several evaluators or executors in one command: carrying a campaign on, and showing it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from epc.cli.common import leave, note
from epc.cli.common import now as clock
from epc.cli.run_session import carried_out, finish, forecast_lines, show_forecast
from epc.cli.show import show, show_campaign
from epc.errors import EpcError, WorldError
from epc.records.campaign import Campaign, campaign_around, is_campaign

if TYPE_CHECKING:
    from epc.engine.budget import Limits
    from epc.engine.campaign import OpenedCampaign
    from epc.engine.request import Request


def run_campaign(
    request: "Request",
    models: tuple[Sequence[str], Sequence[str]],
    out: Path | None,
    limits: "Limits",
    *,
    now: datetime,
    form: str,
    dry: bool,
    probed: bool,
) -> None:
    """Measure every pair of an evaluator and an executor, or say what that takes."""
    from epc.engine.campaign import default_campaign_folder, expected, open_campaign, start

    opened = open_campaign(request, *models, now=now)
    if dry:
        show_forecast(expected(opened), form)
        return
    folder = out or default_campaign_folder(opened, now)
    start(opened, folder, limits=limits)
    finish_campaign(opened, folder, limits, form=form, new=True, probed=probed)


def finish_campaign(
    opened: "OpenedCampaign",
    folder: Path,
    limits: "Limits",
    *,
    form: str,
    anyway: bool = False,
    new: bool = False,
    probed: bool = False,
) -> None:
    """Carry a campaign on and show its runs side by side; say which could not be finished."""
    from epc.analysis.campaign import compared
    from epc.cli.progress import all_shown
    from epc.engine.campaign import UnfinishedError, discard, expected, measure

    again = f"epc resume {folder}"
    failed: dict[str, EpcError] = dict(opened.failed)
    if opened.runs:
        note(f"campaign {folder}, runs to finish: {len(opened.runs)}")
        for line in forecast_lines(expected(opened)):
            note(line)

        async def work() -> None:
            failed.update(
                await measure(
                    opened,
                    folder,
                    clock=clock,
                    watch=all_shown,
                    limits=limits,
                    anyway=anyway,
                    probe=note if probed else None,
                )
            )

        carried_out(work(), again=again)
    complete = Campaign.load(folder).complete(folder)
    if failed and not complete and new and discard(folder):
        reasons = "\n".join(f"{name}: {error}" for name, error in failed.items())
        raise WorldError(
            f"{reasons}\n  next: nothing was answered, and nothing is left: run it again"
        )
    note("")
    comparison = compared(folder)
    show_campaign(comparison, form)
    if failed:
        raise UnfinishedError(failed, complete=len(complete), again=again)
    note("")
    note(f"each run's own report: `epc show {folder}/RUN`; this one again: `epc show {folder}`")
    leave(clean=not comparison.swapped)


def go_on_campaign(
    folder: Path, limits: "Limits", *, form: str, anyway: bool = False, only: str | None = None
) -> None:
    """Finish the runs of a campaign that were interrupted, or one of them."""
    from epc.engine.campaign import reopen

    opened = reopen(folder, only=only)
    if not opened.runs and not opened.failed:
        note(f"{folder} is complete")
    finish_campaign(opened, folder, limits, form=form, anyway=anyway)


def go_on(
    run: Path,
    limits: "Limits",
    *,
    form: str,
    batches: bool = False,
    wait: bool = False,
    anyway: bool = False,
) -> None:
    """Finish a run or a campaign that was interrupted, or show one that is complete."""
    from epc.engine.session import reopen
    from epc.records.recompute import load_manifest

    around = campaign_around(run)
    if not batches and (is_campaign(run) or around is not None):
        only = None if around is None else run.resolve().name
        go_on_campaign(around or run, limits, form=form, anyway=anyway, only=only)
        return
    opened = reopen(run)
    if opened is None:
        note(f"{run} is complete")
        show(load_manifest(run), run, form=form)
        return
    finish(opened, run, limits, form=form, batches=batches, wait=wait, anyway=anyway)
