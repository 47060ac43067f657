"""`epc run --evaluator M --executor M`."""

import re
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING, Any

import click

from epc.cli.asking import bound_options, decoding_options, dry_run_option
from epc.cli.common import now
from epc.cli.groups import ShortHelp
from epc.cli.options import FILE, FOLDER, NEW_FOLDER, Whole, format_option, with_default
from epc.cli.run_session import fetch_weights_if_named, finish, show_forecast

if TYPE_CHECKING:
    from epc.engine.budget import Limits
    from epc.engine.request import Request

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
            if last < first:
                self.fail(f"{part!r}: {first} is after {last}: write {last}-{first}", param, ctx)
            if last > _MAX_SEED:
                self.fail(f"{part!r}: seeds end at {_MAX_SEED}", param, ctx)
            if last - first >= _MAX_SEEDS:
                self.fail(f"{part!r}: at most {_MAX_SEEDS:,} seeds a run", param, ctx)
            seeds.update(range(first, last + 1))
        return sorted(seeds)


def _require_labels(gold: Path, request: "Request") -> None:
    """Refuse labels that are not of a run's answers before anything is asked."""
    from epc.engine.plan import configuration
    from epc.engine.session import prepare
    from epc.records.gold import read_gold

    if request.design is not None and request.design.checker:
        raise click.UsageError("the design's checker labels the answers: leave --gold out")
    opened = prepare(request, now=now())
    read_gold(gold, configuration(opened.plan, opened.evaluator))


def _require_accuracies(accuracy: Path, request: "Request") -> None:
    """Refuse accuracies that are not of a run's strategies before anything is asked."""
    from epc.engine.plan import configuration
    from epc.engine.session import prepare
    from epc.records.accuracy import read_accuracy

    opened = prepare(request, now=now())
    config = configuration(opened.plan, opened.evaluator)
    read_accuracy(accuracy, [strategy.name for strategy in config.strategies])


@click.command(
    cls=ShortHelp,
    option_names=(
        *("evaluators", "executors", "seeds", "design", "rounds", "exhaustive", "temperature"),
        *("dry_run", "max_calls", "max_cost", "concurrency", "out", "form"),
    ),
)
@click.option(
    "--evaluator",
    "evaluators",
    metavar="MODEL",
    multiple=True,
    required=True,
    help="The model that compares the answers. Give it again for several: see above.",
)
@click.option(
    "--executor",
    "executors",
    metavar="MODEL",
    multiple=True,
    help="The model that writes the answers. May be given again.",
)
@with_default("--seeds", _Seeds(), "0-29", "Which repetitions to run: 0-9 are ten, 9 is one.")
@click.option(
    "--design",
    metavar="FILE|NAME",
    help="Your own tasks, strategies, prompts and rule: see `epc design`. Default: reference.",
)
@click.option(
    "--rounds",
    type=Whole(0, 100_000),
    help="Rounds in each phase. Default: the design's, 30 in the reference.",
)
@click.option(
    "--reuse",
    type=click.Choice(["none", "memo"]),
    help="Ask every round afresh, or ask each distinct prompt once. Default: memo where both "
    "models repeat themselves, none otherwise. Recorded verdicts are always reused.",
)
@click.option(
    "--reuse-answers-of",
    type=FOLDER,
    multiple=True,
    metavar="RUN",
    help="Take over what RUN's models answered to the same questions, instead of asking. Without "
    "it, every model without pinned weights is asked. May be given again.",
)
@click.option(
    "--exhaustive",
    is_flag=True,
    help="Ask all strategy-task pairs first. More seeds then ask nothing; they say more of these "
    "tasks, not of the domain. A recorded file is always read whole.",
)
@click.option(
    "--recheck",
    type=Whole(0, 10_000),
    default=0,
    metavar="N",
    help="Ask N comparisons a second time and report how many verdicts flip.",
)
@decoding_options
@with_default(
    "--control",
    click.Choice(["simulated", "measured"]),
    "simulated",
    "Where the noise floor comes from: the run's own verdicts, or as many rounds again "
    "without a change of domain (twice the calls; none after an exhaustive run).",
)
@click.option(
    "--controls",
    type=Whole(0, 10_000),
    default=0,
    metavar="N",
    help="First ask about N planted pairs, good against bad, and stop if the evaluator fails.",
)
@click.option(
    "--gold",
    type=FILE,
    metavar="FILE",
    help="Labels of the answers, for what is known of quality beside the word: CSV with the "
    "columns strategy,domain,task,gold (0 to 1; or A, B, tie). Kept with the run.",
)
@click.option(
    "--accuracy",
    type=FILE,
    metavar="FILE",
    help="How good each strategy's answers are, for ECE and Brier: CSV with the columns strategy, "
    "accuracy (0 to 1). Kept with the run. Labels by --gold that rate answers say it, too.",
)
@click.option(
    "--probe/--no-probe",
    default=True,
    show_default=True,
    help="First ask a hosted evaluator one comparison, and stop if it is cut off before a verdict. "
    "The run asks none of these three calls again. See `epc doctor MODEL`.",
)
@dry_run_option
@bound_options
@click.option(
    "--out",
    type=NEW_FOLDER,
    metavar="FOLDER",
    help="The folder of the run, or of all runs. Default: runs/ and the evaluator's name.",
)
@format_option
def command(
    evaluators: tuple[str, ...],
    executors: tuple[str, ...],
    design: str | None,
    rounds: int | None,
    gold: Path | None,
    accuracy: Path | None,
    probe: bool,
    dry_run: bool,
    limits: "Limits",
    out: Path | None,
    form: str,
    **options: Any,
) -> None:
    r"""Measure how an evaluator's preferences move an agent across domains.

    Models are named provider/model; `epc models list` lists them. Keys come from the environment.
    Ctrl-C, a lost connection or a full disk leave a run that `epc resume` finishes.

    A recorded:FILE is a CSV with the columns strategy,domain,task,verdict (A, B or tie), then group
    if tasks belong together.

    Several evaluators or executors are a campaign: a run for each pair, in one folder. Each
    executor is asked once for all evaluators. The forecast and the limits are of all runs together;
    the end is a comparison. A run that fails stops no other; `epc resume FOLDER` finishes all.

    \b
    Example:
      epc run --evaluator local/smollm2-135m-likelihood --executor local/smollm2-135m --exhaustive
      epc run --evaluator openai/gpt-4o-2024-08-06 --executor openai/gpt-4o-mini --dry-run
      epc run --evaluator recorded:verdicts.csv
      epc run --design mine.yaml --evaluator M --executor M --dry-run
      epc run --evaluator local/word-count --evaluator local/smollm2-135m-likelihood \
        --executor local/smollm2-135m --exhaustive --out runs/judges
    """
    from epc.engine.request import Request, default_folder, rounds_of
    from epc.engine.session import expect, prepare, start
    from epc.records.designs import Design
    from epc.records.layout import ACCURACY, GOLD

    is_campaign = len(evaluators) > 1 or len(executors) > 1
    if is_campaign and gold is not None:
        raise click.UsageError("--gold labels the answers of one run: `epc audit RUN --gold FILE`")
    if is_campaign and accuracy is not None:
        raise click.UsageError(
            "--accuracy is of one run's answers: `epc validate RUN --accuracy FILE --write`"
        )
    if dry_run and out is not None and out.exists() and any(out.iterdir()):
        raise click.UsageError(f"{out} is not empty: choose another --out")
    began = now()
    designed = None if design is None else Design.load(design)
    request = Request(
        evaluator=evaluators[0],
        executor=next(iter(executors), None),
        rounds=rounds_of(rounds, designed),
        design=designed,
        **options,  # the other options, by the names that a request has for them
    )
    fetch_weights_if_named(*evaluators, *executors)
    if gold is not None:
        _require_labels(gold, request)
    if accuracy is not None:
        _require_accuracies(accuracy, request)
    if is_campaign:
        from epc.cli.run_session import run_campaign

        names = evaluators, executors
        run_campaign(request, names, out, limits, now=began, form=form, dry=dry_run, probed=probe)
        return
    if dry_run:
        show_forecast(expect(prepare(request, now=began)), form, limits)
        return
    folder = out or default_folder(request.evaluator, began)
    opened = start(request, folder, now=began, limits=limits)
    if gold is not None:
        copy(gold, folder / GOLD)
    if accuracy is not None:
        copy(accuracy, folder / ACCURACY)
    finish(opened, folder, limits, form=form, new=True, probed=probe)
