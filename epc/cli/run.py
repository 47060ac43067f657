"""`epc run --evaluator M --executor M`."""

import asyncio
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epc.cli.common import format_option, note, now
from epc.errors import StoppedError

if TYPE_CHECKING:
    from epc.engine.model import Model
    from epc.engine.plan import Plan, Reuse

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


@click.command()
@click.option("--evaluator", required=True, metavar="MODEL", help="Who compares the answers.")
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
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="The run folder. Default: runs/ and the evaluator's name.",
)
@format_option
def command(
    evaluator: str,
    executor: str | None,
    seeds: list[int],
    rounds: int,
    reuse: "Reuse | None",
    exhaustive: bool,
    out: Path | None,
    form: str,
) -> None:
    r"""Measure how an evaluator's preferences move an agent across domains.

    Models are named provider/model; `epc models list` lists them. Keys come from the environment.
    Ctrl-C, a lost connection or a full disk leave a run that `epc resume` finishes.

    \b
    Example:
      epc run --evaluator local/smollm2-135m-likelihood --executor local/smollm2-135m --exhaustive
      epc run --evaluator openai/gpt-4o-2024-08-06 --executor deepseek/deepseek-chat --seeds 0-9
      epc run --evaluator recorded:verdicts.csv
    """
    from epc.engine.session import Request, start

    began = now()
    folder = out or _default_folder(evaluator, began)
    request = Request(
        evaluator=evaluator,
        executor=executor,
        seeds=seeds,
        rounds=rounds,
        reuse=reuse,
        exhaustive=exhaustive,
    )
    _fetch_weights_if_named(evaluator, executor)
    plan, models = start(request, folder, now=began)
    finish(plan, models, folder, now=began, form=form)


def finish(plan: "Plan", models: "list[Model]", folder: Path, *, now: datetime, form: str) -> None:
    """Carry a plan out and show what came of it; `epc resume` ends with the same."""
    from epc.cli.progress import shown
    from epc.cli.show import show
    from epc.engine.session import measure
    from epc.records.recompute import load_manifest

    note(
        f"run      {folder}: {len(plan.seeds)} seeds, {plan.evaluator} judges "
        f"{plan.executor or 'nothing: its verdicts are recorded'}"
    )
    try:
        asyncio.run(measure(plan, models, folder, now=now, watch=shown))
    except KeyboardInterrupt:
        message = f"stopped; nothing answered is lost\n  next: epc resume {folder}"
        raise StoppedError(message) from None
    except StoppedError as error:
        raise StoppedError(f"{error}\n  next: epc resume {folder}") from None
    note("")
    # What stands on disk, so that this prints the very bytes that `epc show` does.
    show(load_manifest(folder), folder, form=form)
    note(f"manifest {folder / 'manifest.json'}")


def _default_folder(evaluator: str, began: datetime) -> Path:
    name = re.sub(r"[^A-Za-z0-9.]+", "-", evaluator.partition("/")[2] or evaluator).strip("-")
    folder = Path("runs") / f"{began.date().isoformat()}-{name}"
    count = 1
    while folder.exists():
        count += 1
        folder = folder.with_name(f"{began.date().isoformat()}-{name}-{count}")
    return folder


def _fetch_weights_if_named(*names: str | None) -> None:
    if any(name is not None and name.startswith("local/") for name in names):
        from epc.engine.local.weights import fetch

        fetch(note)
