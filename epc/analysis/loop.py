"""Gain of an optimiser: as its judge said, as the judge says of fresh items, and by gold.

Everything is decided from the files alone: what cannot be said, and why (Reading R93).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from epc.analysis.loop_files import Files, Scores, is_validation
from epc.arrays import Array, np
from epc.records.loop import GOLD
from epc.statistics.figures import Figure
from epc.statistics.gains import (
    FEWEST_CHANGED,
    AssistedGain,
    Exchange,
    assisted_gain,
    can_be_priced,
    changes_are_few,
    difference_of_gains,
    error_rate,
    exchange,
    gain,
)

MOST_DISAGREEMENT: Final = 0.06  # of two askings of gold, for a price
UNNAMED: Final = "the judge"  # of a log that names none
# What the published runs began with, or what their judge was shown, by the name of the start.
STARTS: Final[Mapping[str, str]] = {
    "good": "from a good start",
    "weak": "from a weak start",
    "text": "judged by the whole answer",
    "number": "judged by the number alone",
}
_FEW_CHANGES: Final = (
    f"no help of the judge's for gold: fewer than {FEWEST_CHANGED} labels changed, so their "
    "interval is by counting"
)

Quality = Literal["better", "worse", "not_shown", "not_measured"]


class Step(Struct, frozen=True, kw_only=True):
    """A candidate that was the best by the judge when it had been scored, after so many calls."""

    candidate: str
    calls: int
    believed: Figure


class LoopReport(Struct, frozen=True, kw_only=True):
    """Gain of one run of an optimiser.

    Figures of a judge are in its points, those of gold in shares of right answers. `changed` is on
    how many of the test `items` the output changed; `unread` are scores that could not be read,
    `unread_in_log` the log's items left out for one.
    `withheld` says why a figure is not there.
    """

    judge: str
    judge_b: str | None
    seed: str
    final: str
    candidates: int
    calls: int
    planned: bool
    validation_items: int
    believed: Figure
    items: int
    changed: int
    unread: int
    fresh: Figure
    by_b: Figure | None
    luck: Figure
    drift: Figure | None
    asked_again: int
    retried: int
    gold: AssistedGain | None
    labelled_twice: int
    disagreement: float | None
    label_error: float | None
    exchange: Exchange | None
    quality: Quality
    withheld: tuple[str, ...]
    course: tuple[Step, ...]
    digits: int
    unread_in_log: int = 0


class BelievedGain(Struct, frozen=True, kw_only=True):
    """Gain that a log alone states: its final's, by the scores that chose it."""

    judge: str
    final: str
    candidates: int
    items: int
    gain: Figure
    digits: int


class RunsReport(Struct, frozen=True, kw_only=True):
    """Gain of an optimiser with a judge, over runs of it from several seeds."""

    judge: str
    runs: int
    believed: Figure
    fresh: Figure
    luck: Figure
    by_b: Figure | None
    gold: Figure | None
    price: Figure | None
    taste: Figure | None
    quality: Quality
    digits: int
    reports: tuple[LoopReport, ...]


def over_runs(reports: Sequence[LoopReport]) -> RunsReport:
    """Return the gains over runs from several seeds, with Student's intervals over the runs."""

    def over(value: Callable[[LoopReport], Figure | None]) -> Figure | None:
        figures = [figure for report in reports if (figure := value(report))]
        return _over(figures) if len(figures) == len(reports) else None

    gold = over(lambda r: r.gold)
    return RunsReport(
        judge=reports[0].judge,
        runs=len(reports),
        believed=_over([r.believed for r in reports]),
        fresh=_over([r.fresh for r in reports]),
        luck=_over([r.luck for r in reports]),
        by_b=over(lambda r: r.by_b),
        gold=gold,
        price=over(lambda r: r.exchange.price if r.exchange else None),
        taste=over(lambda r: r.exchange.taste if r.exchange else None),
        quality=quality_of(gold),
        digits=max(report.digits for report in reports),
        reports=tuple(reports),
    )


def _over(figures: Sequence[Figure]) -> Figure:
    return gain(np.array([figure.value for figure in figures], dtype=float))


def believed_of(files: Files) -> BelievedGain:
    """Return what a log says of its final, which no check has looked at."""
    figure, items = _believed(files.validation, files.seed, files.final)
    return BelievedGain(
        judge=files.judge or UNNAMED,
        final=files.final,
        candidates=len(files.validation),
        items=items,
        gain=figure,
        digits=_digits(files),
    )


def _digits(files: Files) -> int:
    """Return with how many decimals points are shown."""
    return 3 if max(abs(float(row.score)) for row in files.log.rows) <= 1 else 2


def report_of(files: Files) -> LoopReport:
    """Return what an optimiser gained, by files of which nothing is refused."""
    pairs, withheld = pairs_of(files, files.judge), list[str]()
    judge = np.array([pair.difference for pair in pairs.values()])
    believed, validation_items = _believed(files.validation, files.seed, files.final)
    fresh = gain(judge)
    drifts = np.array([*_drifts(files)])
    gold, labelled = _labelled(files, pairs)
    assisted = None
    if len(gold) > 1:
        assisted = assisted_gain(gold, np.array([p.difference for p in labelled]), judge)
    twice, disagreement = _disagreement(files)
    paid = _exchange(gold, labelled, disagreement, withheld)
    if assisted and changes_are_few(gold):
        withheld.append(_FEW_CHANGES)
    judge_b = files.judges_b[0] if files.judges_b else None
    by_b = pairs_of(files, judge_b) if judge_b else {}
    return LoopReport(
        judge=files.judge or UNNAMED,
        judge_b=judge_b,
        seed=files.seed,
        final=files.final,
        candidates=len(files.validation),
        calls=len(files.log.rows),
        planned=files.plan is not None,
        validation_items=validation_items,
        believed=believed,
        items=len(pairs),
        changed=sum(pair.changed for pair in pairs.values()),
        unread=sum(row.score is None for row in files.tested),
        fresh=fresh,
        by_b=gain(np.array([pair.difference for pair in by_b.values()])) if by_b else None,
        luck=difference_of_gains(believed, fresh),
        drift=gain(drifts) if len(drifts) else None,
        asked_again=len(drifts),
        retried=sum(row.asking > 0 for row in files.checks),
        gold=assisted,
        labelled_twice=twice,
        disagreement=disagreement,
        label_error=None if disagreement is None else error_rate(disagreement),
        exchange=paid,
        quality=quality_of(assisted),
        withheld=tuple(withheld),
        course=tuple(_course(files)),
        unread_in_log=len(files.log.unread),
        digits=_digits(files),
    )


def quality_of(gold: Figure | None) -> Quality:
    """Return what a gain by gold says of the work, by its interval."""
    if gold is None or gold.ci95 is None:
        return "not_measured"
    low, high = gold.ci95
    return "better" if low > 0 else "worse" if high < 0 else "not_shown"


class _Pair(Struct, frozen=True):
    """An item's score after less that before, and whether its output changed."""

    difference: float
    changed: bool


def pairs_of(files: Files, judge: str) -> dict[str, _Pair]:
    """Return the items that a judge scored before and after.

    An output that is the same before and after differs by nothing, by definition.
    """
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    outputs: dict[str, dict[str, set[str | int | None]]] = defaultdict(lambda: defaultdict(set))
    for row in files.rows(judge):
        item, candidate = str(row.item), str(row.candidate)
        outputs[item][candidate].add(row.output)
        if row.score is not None:
            scores[item][candidate].append(float(row.score))
    pairs: dict[str, _Pair] = {}
    for item, item_scores in scores.items():
        before, after = (outputs[item][name] for name in (files.seed, files.final))
        unchanged = before == after and len(before) == 1 and before != {None}
        if unchanged:
            pairs[item] = _Pair(0.0, changed=False)
        elif len(item_scores) > 1:
            left, right = (
                sum(item_scores[name]) / len(item_scores[name])
                for name in (files.seed, files.final)
            )
            pairs[item] = _Pair(right - left, changed=True)
    return pairs


def _labelled(files: Files, pairs: Mapping[str, _Pair]) -> tuple[Array, list[_Pair]]:
    """Return gold's difference on the labelled items, and the judge's beside it."""
    labels: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in files.rows(GOLD):
        if row.score is not None and str(row.item) in pairs:
            labels[str(row.item)][str(row.candidate)].append(float(row.score))
    gold = []
    for item, item_labels in labels.items():
        if pairs[item].changed:
            left, right = (
                sum(item_labels[name]) / len(item_labels[name])
                for name in (files.seed, files.final)
            )
            gold.append(right - left)
        else:
            gold.append(0.0)
    return np.array(gold), [pairs[item] for item in labels]


def _disagreement(files: Files) -> tuple[int, float | None]:
    """Return how many outputs have two labels, and how many of those have two that differ."""
    askings: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for row in files.rows(GOLD):
        if row.score is not None:
            askings[str(row.candidate), str(row.item)][row.asking] = float(row.score)
    twice = [set(labels.values()) for labels in askings.values() if len(labels) > 1]
    return len(twice), sum(len(labels) > 1 for labels in twice) / len(twice) if twice else None


def _exchange(
    gold: Array, labelled: Sequence[_Pair], disagreement: float | None, withheld: list[str]
) -> Exchange | None:
    """Return price and taste, or say why there are none."""
    changed = np.array([pair.changed for pair in labelled], dtype=bool)
    if not len(gold):
        withheld.append("no price and no taste: there are no labels")
    elif disagreement is not None and disagreement > MOST_DISAGREEMENT:
        withheld.append(
            f"no price and no taste: two askings of gold disagree in {disagreement:.0%}, "
            f"more than {MOST_DISAGREEMENT:.0%}"
        )
    elif not can_be_priced(gold[changed]):
        withheld.append(
            "no price and no taste: fewer than 10 changed outputs have equal gold, or other gold"
        )
    else:
        return exchange(np.array([pair.difference for pair in labelled]), gold, changed)
    return None


def _drifts(files: Files) -> Iterator[float]:
    """Yield how the judge's score of each logged output that it was asked about again changed."""
    logged: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in files.log.rows if files.retest else ():
        logged[str(row.candidate), str(row.item)].append(float(row.score))
    for check in files.checks:
        place = str(check.candidate), str(check.item)
        if check.judge == files.judge and place in files.retest and check.score is not None:
            yield float(check.score) - sum(logged[place]) / len(logged[place])


def _believed(validation: Mapping[str, Scores], seed: str, final: str) -> tuple[Figure, int]:
    """Return the gain by the scores that chose the final, and on how many items."""
    before, after = validation[seed], validation[final]
    common = [item for item in before if item in after]
    return gain(np.array([after[item] - before[item] for item in common])), len(common)


def _course(files: Files) -> Iterator[Step]:
    """Yield each candidate that was the best when it had been scored, and the final."""
    ends: dict[str, int] = {}
    for calls, row in enumerate(files.log.rows, 1):
        if is_validation(row):
            ends[str(row.candidate)] = calls
    item_count, top = len(files.validation[files.seed]), 0.0
    for candidate, calls in sorted(ends.items(), key=lambda end: end[1]):
        if candidate == files.seed or len(files.validation[candidate]) < item_count:
            continue
        believed, items = _believed(files.validation, files.seed, candidate)
        better = items and believed.value is not None and believed.value > top
        if better or candidate == files.final:
            top = max(top, believed.value or 0.0)
            yield Step(candidate=candidate, calls=calls, believed=believed)
