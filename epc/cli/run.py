"""`epc run --evaluator M --executor M`."""

import asyncio
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epc.cli.common import echo_json, format_option, note, now
from epc.cli.decoding import decoding_options
from epc.errors import StoppedError

if TYPE_CHECKING:
    from epc.engine.forecast import Share
    from epc.engine.plan import Reuse
    from epc.engine.session import Limits, Opened
    from epc.spec.epc_v1 import ControlMethod

_MAX_SEEDS = 100_000
_SPAN = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?")
_MAX_SEED = 2**32 - 1


class _Seeds(click.ParamType[list[int]]):
    """A list of seeds such as `0-29` or `0-9,20,30-39`."""

    name = "seeds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        seeds: set[int] = set()
        for part in str(value).split(","):
            span = _SPAN.fullmatch(part.strip())
            if span is None:
                self.fail(f"{part!r} is no seed or span of seeds such as 0-29", param, ctx)
            first, last = int(span[1]), int(span[2] or span[1])
            if last < first or last > _MAX_SEED:
                self.fail(f"{part!r}: seeds rise from 0 to {_MAX_SEED}", param, ctx)
            if last - first >= _MAX_SEEDS:
                self.fail(f"{part!r}: at most {_MAX_SEEDS:,} seeds a run", param, ctx)
            seeds.update(range(first, last + 1))
        return sorted(seeds)


class _Dollars(click.ParamType[Decimal]):
    """An amount of US dollars."""

    name = "dollars"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        try:
            amount = Decimal(str(value).removeprefix("$"))
        except InvalidOperation:
            amount = Decimal(-1)
        if not amount.is_finite() or amount < 0:
            self.fail(f"{value!r} is no amount of dollars such as 2.50", param, ctx)
        return amount


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that bound one sitting; the command gets them as `limits`."""

    @wraps(command)
    def with_limits(
        *,
        max_calls: int | None,
        max_cost: Decimal | None,
        max_time: float | None,
        concurrency: int | None,
        no_cache: bool,
        **others: Any,
    ) -> None:
        from epc.engine.session import Limits

        limits = Limits(
            max_calls=max_calls,
            max_cost=max_cost,
            max_time_s=max_time,
            concurrency=concurrency,
            cache=not no_cache,
        )
        command(limits=limits, **others)

    options = (
        click.option("--max-calls", type=click.IntRange(1), help="Stop before one call more."),
        click.option(
            "--max-cost", type=_Dollars(), metavar="USD", help="Stop before this could be exceeded."
        ),
        click.option(
            "--max-time",
            type=click.FloatRange(0, min_open=True),
            metavar="S",
            help="Stop after so many seconds.",
        ),
        click.option(
            "--concurrency",
            type=click.IntRange(1),
            help="Calls under way at once, each model (128; self-hosted up to 512).",
        ),
        click.option(
            "--no-cache", is_flag=True, help="Neither use nor keep answers of other runs."
        ),
    )
    bounded: Callable[..., None] = with_limits
    for option in reversed(options):
        bounded = option(bounded)
    return bounded


@click.command()
@click.option("--evaluator", metavar="MODEL", help="Who compares the answers.")
@click.option("--executor", metavar="MODEL", help="Who writes them.")
@click.option(
    "--seeds", type=_Seeds(), default="0-29", show_default=True, help="Which repetitions to run."
)
@click.option(
    "--rounds",
    type=click.IntRange(0, 100_000),
    default=30,
    show_default=True,
    help="Rounds in each of the four phases.",
)
@click.option(
    "--reuse",
    type=click.Choice(["none", "memo"]),
    help="Ask every round afresh, or ask each distinct prompt once. Default: memo where both "
    "models repeat themselves, none otherwise.",
)
@click.option(
    "--exhaustive",
    is_flag=True,
    help="Ask all strategy-task pairs first; any number of seeds then costs nothing more.",
)
@click.option(
    "--recheck",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="N",
    help="Ask N comparisons a second time and report how many verdicts flip.",
)
@decoding_options
@click.option(
    "--control",
    type=click.Choice(["simulated", "measured"]),
    default="simulated",
    show_default=True,
    help="Where the noise floor comes from: the run's own verdicts, or as many rounds again "
    "without a change of domain (twice the calls; none after an exhaustive run).",
)
@click.option(
    "--controls",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="N",
    help="First ask about N planted pairs, good against bad, and stop if the evaluator fails.",
)
@click.option(
    "--batch",
    type=click.Choice(["submit", "collect"]),
    help="Send an exhaustive run's waves to the provider's batch endpoint; collect with --out.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be asked and cost; send nothing.")
@limit_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="The run folder. Default: runs/ and the evaluator's name.",
)
@format_option
def command(
    evaluator: str | None,
    executor: str | None,
    seeds: list[int],
    rounds: int,
    reuse: "Reuse | None",
    exhaustive: bool,
    recheck: int,
    decoding: dict[str, dict[str, Any]],
    control: "ControlMethod",
    controls: int,
    batch: str | None,
    dry_run: bool,
    limits: "Limits",
    out: Path | None,
    form: str,
) -> None:
    r"""Measure how an evaluator's preferences move an agent across domains.

    Models are named provider/model; `epc models list` lists them. Keys come from the environment.
    Ctrl-C, a lost connection or a full disk leave a run that `epc resume` finishes.

    \b
    Example:
      epc run --evaluator local/smollm2-135m-likelihood --executor local/smollm2-135m --exhaustive
      epc run --evaluator openai/gpt-4o-2024-08-06 --executor deepseek/deepseek-chat --dry-run
      epc run --evaluator recorded:verdicts.csv
    """
    from epc.engine.session import Request, expect, prepare, start

    if batch == "collect":
        if out is None:
            raise click.UsageError("--batch collect needs --out: the folder it was submitted from")
        from epc.cli.resume import resume

        resume(out, limits, form=form, batches=True)
        return
    if evaluator is None:
        raise click.UsageError("Missing option '--evaluator'.")
    began = now()
    request = Request(
        evaluator=evaluator,
        executor=executor,
        seeds=seeds,
        rounds=rounds,
        reuse=reuse,
        exhaustive=exhaustive,
        recheck=recheck,
        decoding=decoding,
        control=control,
        controls=controls,
    )
    fetch_weights_if_named(evaluator, executor)
    if dry_run:
        show_forecast(expect(prepare(request, now=began), batches=batch is not None), form)
        return
    folder = out or _default_folder(evaluator, began)
    batches = batch == "submit"
    opened = start(request, folder, now=began, limits=limits, batches=batches)
    finish(opened, folder, limits, form=form, batches=batches)


def finish(
    opened: "Opened",
    folder: Path,
    limits: "Limits",
    *,
    form: str,
    batches: bool = False,
    anyway: bool = False,
) -> None:
    """Carry a plan out and show what came of it; `epc resume` ends with the same."""
    from epc.cli.progress import shown
    from epc.cli.show import show
    from epc.engine.session import measure
    from epc.records.recompute import load_manifest

    plan = opened.plan
    note(
        f"run      {folder}: {len(plan.seeds)} seeds, {plan.evaluator} judges "
        f"{plan.executor or 'nothing: its verdicts are recorded'}"
    )
    work = measure(
        opened, folder, now=now(), watch=shown, limits=limits, batches=batches, anyway=anyway
    )
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        message = f"stopped; nothing answered is lost\n  next: epc resume {folder}"
        raise StoppedError(message) from None
    except StoppedError as error:
        raise StoppedError(f"{error}\n  next: epc resume {folder}") from None
    note("")
    # What stands on disk, so that this prints the very bytes that `epc show` does.
    show(load_manifest(folder), folder, form=form)
    note(f"manifest {folder / 'manifest.json'}")
    if plan.controls:
        from epc.records.probes import in_words, probes_of

        found, _ = probes_of(folder)
        if found["competence"] is not None:
            note(f"controls {plan.evaluator}: {in_words(found['competence'])}")


def show_forecast(shares: "dict[str, Share]", form: str) -> None:
    """Print what a run will ask for, role by role."""
    from epc.engine.forecast import as_json

    if form == "json":
        echo_json(as_json(shares))
        return
    click.echo(f"{'':<24}{'lower':>14}{'expected':>14}{'upper':>14}")
    for role, share in shares.items():
        rows = (
            ("calls", share.calls),
            ("tokens in", share.tokens_in),
            ("tokens out", share.tokens_out),
        )
        for name, spread in rows:
            ends = (spread.lower, spread.expected, spread.upper)
            click.echo(f"{role + ' ' + name:<24}" + "".join(f"{end:>14,.0f}" for end in ends))
        if share.cost is None:
            click.echo(f"{role + ' cost':<24}{'unknown: no price is on record for this model':>44}")
        else:
            ends = (share.cost.lower, share.cost.expected, share.cost.upper)
            click.echo(f"{role + ' cost, USD':<24}" + "".join(f"{end:>14,.4f}" for end in ends))


def _default_folder(evaluator: str, began: datetime) -> Path:
    name = re.sub(r"[^A-Za-z0-9.]+", "-", evaluator.partition("/")[2] or evaluator).strip("-")
    folder = Path("runs") / f"{began.date().isoformat()}-{name}"
    count = 1
    while folder.exists():
        count += 1
        folder = folder.with_name(f"{began.date().isoformat()}-{name}-{count}")
    return folder


def fetch_weights_if_named(*names: str | None) -> None:
    """Have the embedded weights, if a model that needs them is named."""
    if any(name is not None and name.startswith("local/") for name in names):
        from epc.engine.local.weights import fetch

        fetch(note)
