"""A session with models, or a campaign of several runs: what the commands that ask share."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar

from msgspec import to_builtins

from epc.cli.common import exit_with, print_note, print_result
from epc.cli.common import now as clock
from epc.cli.show import show, show_campaign
from epc.errors import StoppedError, UsageError, WorldError
from epc.records.campaign import Campaign, campaign_around, is_campaign

if TYPE_CHECKING:
    from epc.engine.budget import Limits
    from epc.engine.campaign import OpenedCampaign
    from epc.engine.forecast import Range, Share
    from epc.engine.request import Request
    from epc.engine.session import OpenedRun

T = TypeVar("T")


def run_work(
    work: Coroutine[Any, Any, T],
    *,
    next_command: str,
    discarded: Callable[[], bool] = lambda: False,
) -> T:
    """Return the result of some work, or say which command goes on with it.

    `discarded` is asked after a call that got no answer whether nothing is left to go on with.

    Raises: StoppedError where it was stopped, by a limit, a provider or the user; WorldError where
    nothing is left to go on with.
    """
    from epc.engine.model import CallError
    from epc.engine.task_group import run_until_ctrl_c

    try:
        return run_until_ctrl_c(work)
    except CallError as error:
        if discarded():
            next_step = "nothing was answered, and no run folder is left: run it again"
            raise WorldError(f"{error}\n  next: {next_step}") from None
        raise StoppedError(f"{error}\n  next: {next_command}") from None
    except KeyboardInterrupt:
        message = f"stopped; nothing answered is lost\n  next: {next_command}"
        raise StoppedError(message) from None
    except StoppedError as error:
        raise StoppedError(f"{error}\n  next: {next_command}") from None
    except WorldError as error:
        if isinstance(error.__cause__, OSError) or "cannot write" in str(error):
            raise WorldError(f"{error}\n  next: make room, then {next_command}") from None
        raise


def finish(
    opened: "OpenedRun",
    folder: Path,
    limits: "Limits",
    *,
    form: str,
    anyway: bool = False,
    new: bool = False,
    probed: bool = False,
) -> None:
    """Carry a plan out and show what came of it; a `new` run that nothing answers is removed.

    `probed`: a hosted evaluator answers one comparison before all others are asked.
    """
    from epc.cli.progress import progress_bar
    from epc.cli.show import show_finished
    from epc.engine.clock import ticking
    from epc.engine.plan import discard
    from epc.engine.session import measure

    plan = opened.plan
    seeds = f"{len(plan.seeds)} seeds" if len(plan.seeds) > 1 else f"seed {plan.seeds[0]} alone"
    print_note(
        f"run      {folder}: {seeds}, {plan.evaluator} judges "
        f"{plan.executor or 'nothing: its verdicts are recorded'}"
    )
    work = measure(
        opened,
        folder,
        clock=ticking(),
        watch=progress_bar,
        limits=limits,
        anyway=anyway,
        probe=print_note if probed else None,
    )
    run_work(work, next_command=f"epc resume {folder}", discarded=lambda: new and discard(folder))
    print_note("")
    audited = show_finished(folder, form=form)
    print_note("")
    print_note(f"manifest {folder / 'manifest.json'}")
    print_note(f"picture  `epc show {folder}` draws it")
    if plan.controls and audited.facts.competence is not None:
        from epc.records.probes import in_words

        print_note(f"controls {plan.evaluator}: {in_words(audited.facts.competence)}")
    if plan.executor and audited.verdict == "no_verdicts_counted":
        print_note("no verdict was ever counted: the run failed, and says nothing of its evaluator")
        exit_with(clean=False)


def show_forecast(shares: "dict[str, Share]", form: str, limits: "Limits") -> None:
    """Print what a run will ask for, role by role, and whether a limit would stop it."""
    print_result(form, lambda: to_builtins(shares), lambda: forecast_lines(shares))
    calls = [share.calls for share in shares.values()]
    costs = [share.cost for share in shares.values()]
    if limits.max_calls is not None:
        print_note(f"limit    --max-calls {limits.max_calls:,} {_stops(limits.max_calls, calls)}")
    if limits.max_cost is not None:
        print_note(f"limit    --max-cost {limits.max_cost} {_stops(limits.max_cost, costs)}")


def _stops(limit: SupportsFloat, spreads: "Sequence[Range | None]") -> str:
    """Return whether a limit stops what all roles will take together."""
    known = [spread for spread in spreads if spread is not None]
    if len(known) < len(spreads):
        return "cannot be kept: no price is on record for a model"
    if float(limit) < sum(spread.lower for spread in known):
        return "stops it"
    return "may stop it" if float(limit) < sum(spread.upper for spread in known) else "is enough"


def forecast_lines(shares: "dict[str, Share]") -> Iterator[str]:
    """Yield what models will be asked for, as a table."""
    wide = max(24, *(len(f"{name} tokens out ") for name in shares))
    yield f"{'':<{wide}}{'lower':>14}{'expected':>14}{'upper':>14}"
    for role, share in shares.items():
        rows = (
            ("calls", share.calls),
            ("tokens in", share.tokens_in),
            ("tokens out", share.tokens_out),
        )
        for name, spread in rows:
            ends = (spread.lower, spread.expected, spread.upper)
            yield f"{role + ' ' + name:<{wide}}" + "".join(f"{end:>14,.0f}" for end in ends)
        if share.cost is None:
            yield f"{role + ' cost':<{wide}}{'unknown: no price is on record for this model':>44}"
            yield "  state it as PROVIDER_PRICE=0.15,0.60 ($ for a million tokens read and written)"
        else:
            ends = (share.cost.lower, share.cost.expected, share.cost.upper)
            yield f"{role + ' cost, USD':<{wide}}" + "".join(f"{end:>14,.4f}" for end in ends)


def fetch_weights_if_named(*names: str | None) -> None:
    """Have the embedded weights, if a model that needs them is named."""
    if any(names):
        from epc.engine.request import fetch_weights

        fetch_weights(names, print_note)


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
    from epc.engine.campaign import default_campaign_folder, forecast_campaign, open_campaign, start

    opened = open_campaign(request, *models, now=now)
    for error in opened.left_out:
        print_note(f"left out {error}")
    if dry:
        show_forecast(forecast_campaign(opened), form, limits)
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
    from epc.cli.progress import progress_bars
    from epc.engine.campaign import UnfinishedError, discard, forecast_campaign, measure

    next_command = f"epc resume {folder}"
    failed = dict(opened.failed)
    if opened.runs:
        print_note(f"campaign {folder}, runs to finish: {len(opened.runs)}")
        for line in forecast_lines(forecast_campaign(opened)):
            print_note(line)
        work = measure(
            opened,
            folder,
            clock=clock,
            watch=progress_bars,
            limits=limits,
            anyway=anyway,
            probe=print_note if probed else None,
        )
        failed = run_work(work, next_command=next_command)
    complete = Campaign.load(folder).complete(folder)
    if failed and not complete and new and discard(folder):
        reasons = "\n".join(f"{name}: {error}" for name, error in failed.items())
        raise WorldError(
            f"{reasons}\n  next: nothing was answered, and nothing is left: run it again"
        )
    print_note("")
    comparison = compared(folder)
    show_campaign(comparison, form)
    if failed:
        raise UnfinishedError(failed, complete=len(complete), next_command=next_command)
    print_note("")
    print_note(
        f"each run's own report: `epc show {folder}/RUN`; this one again: `epc show {folder}`"
    )
    if opened.left_out:
        raise UsageError("\n".join(["not all were measured:", *map(str, opened.left_out)]))


def go_on_campaign(
    folder: Path, limits: "Limits", *, form: str, anyway: bool = False, run_name: str | None = None
) -> None:
    """Finish the runs of a campaign that were interrupted, or one of them."""
    from epc.engine.campaign import reopen

    opened = reopen(folder, run_name=run_name)
    if not opened.runs and not opened.failed:
        print_note(f"{folder} is complete")
    finish_campaign(opened, folder, limits, form=form, anyway=anyway)


def go_on(run: Path, limits: "Limits", *, form: str, anyway: bool = False) -> None:
    """Finish a run or a campaign that was interrupted, or show one that is complete."""
    from epc.engine.session import reopen
    from epc.records.recompute import load_manifest

    around = campaign_around(run)
    if is_campaign(run) or around is not None:
        run_name = None if around is None else run.resolve().name
        go_on_campaign(around or run, limits, form=form, anyway=anyway, run_name=run_name)
        return
    opened = reopen(run)
    if opened is None:
        print_note(f"{run} is complete")
        show(load_manifest(run), run, form=form)
        return
    finish(opened, run, limits, form=form, anyway=anyway)
