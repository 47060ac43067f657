"""Loop: what an optimiser gained under one judge, over runs from several seeds (Reading R93).

Maintainers make and publish them (`pipeline/loops.py`), so nothing of it can be submitted.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn

from epc.analysis.loop import RunsReport, quality_of
from epc.arrays import Array
from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.records.layout import LOOP
from epc.records.loop_snapshot import (
    CHECKS,
    LOG,
    LoopRuns,
    RunGains,
    changes_of,
    gains_of,
    load_runs,
)
from epc.records.typed import as_json, parse
from epc.records.verdicts.types import Judge
from epc.registry.cards import Declaration, digest, recorded_model
from epc.registry.kinds.adapter import card_differences, changed_figures, departure, read_document
from epc.registry.layout import FIGURES, SUMS
from epc.registry.offers import Offer
from epc.registry.record import Days, Fault, Record
from epc.registry.snapshots import Snapshot
from epc.registry.submissions import layout
from epc.registry.submissions.checked import Base, SubmissionCheck
from epc.registry.submissions.statement import noted
from epc.registry.tags import Tag
from epc.statistics.figures import Figure as Estimate
from epc.statistics.gains import Exchange, exchange_over_runs, gain
from epc.statistics.intervals import Interval

FILES: Final = layout.plain_files((layout.STATEMENT, LOOP, LOG, CHECKS))
_PROTOCOL: Final = "Loop-v1.0"
_DIGITS: Final = 2  # of a judge's points
_MAINTAINERS: Final = "runs of an optimiser are published by maintainers: open an issue"
_RECORDED: Final = (
    Fault(
        id="recorded-judge",
        says="The judge was not asked: each time the optimiser gets one of seven recorded "
        "askings in turn, and the checks get the eighth.",
    ),
    Fault(
        id="pickers",
        says="A candidate is a weight for each of eight recorded pickers of one of four answers, "
        "and proposals are draws. An optimiser that rewrites prompts has more ways to please a "
        "judge, and more ways to improve the work.",
    ),
    Fault(
        id="common-items",
        says="Runs draw their items from the same 1,581 questions, so runs are not independent of "
        "the questions: intervals are of the optimiser's seeds and draws on this benchmark.",
    ),
)
_ASKED: Final = "asked for these runs: pipeline/live_loops.py"
_LIVE: Final = (
    Fault(
        id="mean-rating",
        says="A score is the mean of the ratings 1 to 9 by the judge's own probabilities: of the "
        "likeliest ratings alone nearly all were the highest, which leaves nothing to gain.",
    ),
    Fault(
        id="listed-proposals",
        says="Proposals come from a written list of five instructions: the judge's weights, asked "
        "by GEPA's own prompt, proposed none. An optimiser that writes its own may find more.",
    ),
    Fault(
        id="small-models",
        says="Worker and judges are weights of 0.5 and 1.5 billion parameters, and the task is "
        "multiplication. Judge B has the worker's own weights.",
    ),
    Fault(
        id="common-items",
        says="Runs draw their items from the same 120 products, so runs are not independent of "
        "the products: intervals are of the optimiser's seeds and draws on this task.",
    ),
)


def offered(folder: Path, declaration: Declaration) -> Offer:
    """Check a folder of runs, and return what is offered of it.

    Raises: UsageError if it is not whole.
    """
    runs = load_runs(folder)
    return Offer(
        run=folder,
        kind="loop",
        models={},
        days=(runs.measured_on,) if runs.measured_on else (),
        declaration=declaration,
        figures=figures_of_runs(folder, runs),
        raw={name: runs.files[name] for name in (LOG, CHECKS)},
        no_baseline=None,
        card=lambda tag, _: loop_card_of(tag, runs, declaration),
        source_judge=_judge(runs),
    )


def loop_card_of(tag: Tag, runs: LoopRuns, declaration: Declaration) -> Record:
    """Return the card of runs under a judge: asked for them, or of scores that others recorded."""
    setting = {"starts": runs.starts, "items": runs.items, "metric_calls": runs.metric_calls}
    scored = {"bank": runs.bank} if runs.bank else {"worker": runs.worker, "prompt": runs.prompt}
    conditions = {"optimiser": runs.optimiser, **scored, "runs": digest(setting)}
    card = declaration.card(tag, "loop", _PROTOCOL, recorded_model(_judge(runs)), conditions)
    if runs.measured_on:
        day = runs.measured_on
        days: Days = {"from": day, "to": day}
        return replace(card, known_faults=_LIVE, measured=days, source=_ASKED)
    origins = (f"{o.name}, {o.repository} at {o.commit}, {o.licence}" for o in runs.origins)
    return replace(card, known_faults=_RECORDED, source="; ".join(origins))


def _judge(runs: LoopRuns) -> Judge:
    return Judge(name=runs.judge, model=runs.judge, platform=runs.platform)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimate:
    mean: float
    ci95: Interval | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gains:
    """Gains by start."""

    believed: Mapping[str, _Estimate]
    fresh: Mapping[str, _Estimate]
    luck: Mapping[str, _Estimate]
    by_b: Mapping[str, _Estimate]
    gold: Mapping[str, _Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    """Figures published of runs; `kept` counts those that kept what they began with."""

    n: int
    loop: _Gains
    kept: Mapping[str, int]


def figures_of_runs(folder: Path, runs: LoopRuns) -> Json:
    """Return what is published of runs: each gain by start, with Student's interval over runs."""
    by_start = gains_of(folder, runs)

    def estimates(gain_of: Callable[[RunGains], Array]) -> dict[str, _Estimate]:
        return {start: _estimate(gain_of(gains)) for start, gains in sorted(by_start.items())}

    loop = _Gains(
        believed=estimates(lambda gains: gains.believed),
        fresh=estimates(lambda gains: gains.fresh),
        luck=estimates(lambda gains: gains.believed - gains.fresh),
        by_b=estimates(lambda gains: gains.by_b),
        gold=estimates(lambda gains: gains.gold),
    )
    kept_by_start = {start: gains.unchanged for start, gains in sorted(by_start.items())}
    count = sum(len(gains.gold) for gains in by_start.values())
    document: Json = as_json(_Figures(n=count, loop=loop, kept=kept_by_start))
    return document


def paid_in(folder: Path) -> dict[str, Exchange]:
    """Return what the judge of a folder of runs pays for, over the runs of each start.

    Raises: as `load_runs` and `gains_of`.
    """
    return {
        start: exchange_over_runs(changes.judge, changes.gold, changes.changed, changes.run)
        for start, changes in changes_of(folder, load_runs(folder)).items()
    }


def _estimate(values: Array) -> _Estimate:
    figure = gain(values)
    assert figure.value is not None
    return _Estimate(mean=figure.value, ci95=figure.ci95, n=len(values))


def reports_of(snapshot: Snapshot) -> dict[str, RunsReport]:
    """Return what a snapshot's runs gained, by their start."""
    loop, paid = parse(snapshot.figures, _Figures).loop, snapshot.paid

    def figure(estimate: _Estimate) -> Estimate:
        return Estimate(value=estimate.mean, ci95=estimate.ci95)

    return {
        start: RunsReport(
            judge=snapshot.model,
            runs=gold.n,
            believed=figure(loop.believed[start]),
            fresh=figure(loop.fresh[start]),
            luck=figure(loop.luck[start]),
            by_b=figure(loop.by_b[start]),
            gold=figure(gold),
            price=paid[start].price if start in paid else None,
            taste=paid[start].taste if start in paid else None,
            quality=quality_of(figure(gold)),
            digits=_DIGITS,
            reports=(),
        )
        for start, gold in loop.gold.items()
    }


def recompute(
    folder: Path, snapshot: Snapshot, _source: Path | None
) -> tuple[list[str], list[str]]:
    """Return which published figures the log and the checks of a folder do not give.

    Raises: UsageError if they are not those that its document names.
    """
    return changed_figures(snapshot, figures_of_runs(folder, load_runs(folder))), []


def departures(
    folder: Path, card: Record, figures: Json, listed: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield where a loop snapshot's card or digests are not those of its own document."""
    document, wrong = read_document(folder / LOOP, "loop")
    yield from wrong
    if wrong:
        return
    runs = parse(document, LoopRuns)
    right = loop_card_of(Tag.parse(card.tag), runs, Declaration.from_card(card))
    yield from card_differences(card, replace(right, known_faults=card.known_faults), LOOP)
    if parse(figures, _Figures).kept.keys() != runs.starts.keys():
        yield departure(f"/{FIGURES}/figures/kept", f"has other starts than {LOOP}")
    if any(listed.get(f"raw/{name}") != value for name, value in runs.files.items()):
        yield departure(f"/{SUMS}", f"lists other raw files than {LOOP}")


def subject_of(run: Path) -> NoReturn:
    """Refuse runs as a submission.

    Raises: UsageError.
    """
    raise UsageError(f"{run} cannot be offered\n  fix: {_MAINTAINERS}")


def look(path: Path, checked: SubmissionCheck, base: Base) -> None:
    """Note that runs of an optimiser are no submission."""
    del path, base
    checked.take(None, [noted(layout.PLAIN, LOOP, "is no submission", _MAINTAINERS)], first="")


def _nothing(_: SubmissionCheck) -> Iterator[Any]:
    """Yield nothing: there is no submission of it."""
    yield from ()


def identity_of(_: Path) -> str:
    """Return the empty identity: no submission is made of it."""
    return ""


files_of = subject_of
figures = recorded = questions = _nothing
