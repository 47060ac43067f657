"""Pictures of what labels say of judges (Reading R101)."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Final

from epc.analysis.verdicts import Group, Report
from epc.analysis.verdicts_judges import JudgeComparison
from epc.analysis.verdicts_labels import PassLabels
from epc.analysis.verdicts_scores import ScoreLabels
from epc.report.charts.audit import (
    AgreementCell,
    AgreementMatrix,
    AuditPicture,
    FigureBlock,
    FigureRow,
    FigureRows,
    GridCell,
    GridRow,
    Mark,
    Reach,
    ScoreGrid,
    Swap,
    Swaps,
    areas,
    place,
)
from epc.report.verdicts_sentences import percent
from epc.statistics.figures import ClusteredFigure, interval_text, number_text

_SHARE: Final = (0.0, 1.0)
_HUNDRED: Final = (0.0, 0.5, 1.0)
_TITLE: Final = "Of 100, with 95% intervals"
_LEVELS: Final = (0.6, 0.75, 0.9)  # of agreement, each a stronger colour
_SPLIT: Final = (
    "In each column what the judge passes is on top, what it fails below. A judge that tells "
    "nothing apart splits both at one height."
)
Figures = Mapping[str, ClusteredFigure]


def pictures(report: Report) -> Iterator[AuditPicture]:
    """Yield the pictures of one judge beside labels, or of several beside each other."""
    judges = report.judges
    if isinstance(judges, JudgeComparison):
        yield from _of_judges(report, judges)
        return
    for group in report.groups[:1] if len(report.groups) == 1 else ():
        match group.labels:
            case PassLabels() as labels:
                yield from _of_passes(group.figures, labels)
            case ScoreLabels() as labels if labels.scale is not None:
                yield from _of_scores(group.figures, labels)


def _of_passes(figures: Figures, labels: PassLabels) -> Iterator[AuditPicture]:
    counts = labels.counts
    total = counts.both_pass + counts.judge_only + counts.people_only + counts.both_fail
    people = "Gold" if labels.of_gold else "People"
    yield areas(
        (counts.both_pass, counts.people_only),
        (counts.judge_only, counts.both_fail),
        title=f"{total:,} answers, by {people.lower()} and judge",
        people=people,
        note=_SPLIT,
    )
    always = labels.always
    marks = {"balanced_accuracy": ("a coin", 0.5)}
    if always:
        marks["agreement"] = (f"always {always.answer}", always.share)
    raters = people.lower()
    names = {
        "tpr": (f"Passes what {raters} passed", "TPR"),
        "tnr": (f"Fails what {raters} failed", "TNR"),
        "balanced_accuracy": ("Mean of both", "balanced accuracy"),
        "agreement": (f"Agrees with {raters}", ""),
        "pass_share": ("Judge passes", ""),
        "people_pass_share": (f"{people} passes" if labels.of_gold else "People pass", "base rate"),
        "corrected_pass_share": ("People would pass", "of all rows"),
    }
    rows = [
        _share_row(name, detail, figures[key], marks.get(key))
        for key, (name, detail) in names.items()
        if key in figures
    ]
    yield FigureRows(
        title=_TITLE,
        blocks=[FigureBlock(rows=rows, ticks=_ticks(_HUNDRED, *_SHARE, ".0c"))],
        without="without looking",
    )


def _share_row(
    name: str, detail: str, figure: ClusteredFigure, reference: tuple[str, float] | None = None
) -> FigureRow:
    counted = f"n {figure.n:,}"
    marks = [Mark(at=place(reference[1], *_SHARE), name=reference[0])] if reference else []
    return FigureRow(
        name=name,
        detail=f"{detail}, {counted}" if detail else counted,
        reach=_reach(figure, *_SHARE),
        value=number_text(figure.value, ".1c"),
        interval=interval_text(figure.ci95, ".1c", "no interval"),
        beside=marks,
    )


def _reach(figure: ClusteredFigure, low: float, high: float, text: str = "") -> Reach:
    ends = None
    if figure.ci95:
        ends = place(figure.ci95[0], low, high), place(figure.ci95[1], low, high)
    is_shown = figure.ci95 is not None and not figure.ci95[0] <= 0 <= figure.ci95[1]
    return Reach(at=place(figure.value, low, high), ends=ends, shown=is_shown, text=text)


def _ticks(values: Sequence[float], low: float, high: float, form: str) -> list[Mark]:
    return [Mark(at=place(value, low, high), name=number_text(value, form)) for value in values]


def _of_scores(figures: Figures, labels: ScoreLabels) -> Iterator[AuditPicture]:
    yield _grid(labels)
    assert labels.always is not None
    blocks = [
        _block(
            figures, {"rank_correlation": "Rank correlation", "weighted_kappa": "Weighted kappa"}
        ),
    ]
    always = labels.always
    near = figures["within_step"]
    marks = [
        Mark(at=place(always.share, *_SHARE), name=f"always {always.score:g}"),
        Mark(at=place(figures["shuffled"].value, *_SHARE), name="at random"),
    ]
    rows = [
        FigureRow(
            name="Within one step",
            detail="of people's score",
            reach=_reach(near, *_SHARE),
            value=number_text(near.value, ".1c"),
            interval=interval_text(near.ci95, ".1c", "no interval"),
            beside=marks,
        ),
        _share_row("The same score", "", figures["exact"]),
    ]
    blocks.append(FigureBlock(rows=rows, ticks=_ticks(_HUNDRED, *_SHARE, ".0c")))
    if "spread_ratio" in figures:
        blocks.append(_block(figures, {"spread_ratio": "Spread, times people's"}, (0.0, 2.0)))
    step = labels.scale[2] if labels.scale else 1.0
    reach = max(step, *(abs(end) for end in figures["shift"].ci95 or (step,)))
    blocks.append(_block(figures, {"shift": "Judge less people"}, (-reach, reach)))
    yield FigureRows(
        title="The figures, with 95% intervals",
        blocks=[block for block in blocks if block.rows],
        without="without looking",
    )


def _block(
    figures: Figures, names: Mapping[str, str], axis: tuple[float, float] = (-1.0, 1.0)
) -> FigureBlock:
    low, high = axis
    form = "+.2f" if "shift" in names else ".2f"
    rows = [
        FigureRow(
            name=name,
            detail="",
            reach=_reach(figures[key], low, high),
            value=number_text(figures[key].value, form),
            interval=interval_text(figures[key].ci95, form, "no interval"),
        )
        for key, name in names.items()
        if key in figures
    ]
    return FigureBlock(rows=rows, ticks=_ticks((low, (low + high) / 2, high), low, high, ".2g"))


def _grid(labels: ScoreLabels) -> ScoreGrid:
    """Return how often each pair of scores was given, the highest score of people on top."""
    assert labels.scale is not None
    low, _, step = labels.scale
    counts = labels.grid
    size = len(counts)
    heads = [f"{low + step * index:g}" for index in range(size)]
    highest = max(1, *(max(row) for row in counts))
    by_people = [sum(row) for row in counts]
    by_judge = [sum(row[index] for row in counts) for index in range(size)]
    largest = max(1, *by_people, *by_judge)
    rows = [
        GridRow(
            head=heads[index],
            cells=[
                GridCell(
                    count=count,
                    side=100 * (count / highest) ** 0.5,
                    kind={0: "diagonal", 1: "near"}.get(abs(index - column), ""),
                )
                for column, count in enumerate(counts[index])
            ],
            total=by_people[index],
            share=100 * by_people[index] / largest,
        )
        for index in reversed(range(size))
    ]
    top = max(range(size), key=by_judge.__getitem__)
    return ScoreGrid(
        title="How often each pair of scores was given",
        caption=f"People down, judge across. All {sum(by_people):,} readable answers"
        + (", in steps of the scale." if labels.binned else "."),
        heads=heads,
        rows=rows,
        totals=[(count, 100 * count / largest) for count in by_judge],
        note=f"A judge that agrees fills the framed diagonal. This one says {heads[top]} in "
        f"{by_judge[top]:,} answers, people in {by_people[top]:,}.",
    )


def _of_judges(report: Report, judges: JudgeComparison) -> Iterator[AuditPicture]:
    by_name: dict[str, Group] = {group.settings[0]: group for group in report.groups}
    chosen = [by_name[name] for name in judges.judges]
    right = [_accuracy(group.figures) for group in chosen]
    always = next(
        (g.labels.always for g in chosen if isinstance(g.labels, PassLabels) and g.labels.always),
        None,
    )
    mark = (f"always {always.answer}", always.share) if always else None
    figures = right if all(right) else [group.figures.get("pass_share") for group in chosen]
    rows = [
        _share_row(
            f"{number} {name}",
            _passes(group.figures) if all(right) else "",
            figure,
            mark if all(right) and number == 1 else None,
        )
        for number, (name, group, figure) in enumerate(
            zip(judges.judges, chosen, figures, strict=True), 1
        )
        if figure is not None
    ]
    if rows:
        yield FigureRows(
            title="Right of 100, with 95% intervals" if all(right) else "Passes of 100",
            blocks=[FigureBlock(rows=rows, ticks=_ticks(_HUNDRED, *_SHARE, ".0c"))],
            without=mark[0] if mark and all(right) else "",
        )
    if any("agreement" in pair for pair in judges.pairs.values()):
        yield _matrix(judges)
    yield from _swaps(judges)


def _accuracy(figures: Figures) -> ClusteredFigure | None:
    return figures.get("agreement") or figures.get("accuracy") or figures.get("humans_majority")


def _passes(figures: Figures) -> str:
    share = figures.get("pass_share")
    return f"passes {percent(share.value)}" if share else ""


def _matrix(judges: JudgeComparison) -> AgreementMatrix:
    def cell(left: str, right: str) -> AgreementCell:
        pair = judges.pairs.get(f"{left} -> {right}") or judges.pairs.get(f"{right} -> {left}")
        if left == right or pair is None or "agreement" not in pair:
            return AgreementCell(share="-", kappa="", level=0)
        share = pair["agreement"].value
        kappa = number_text(pair["kappa"].value, ".2f") if "kappa" in pair else ""
        level = 1 + sum(share >= limit for limit in _LEVELS)
        return AgreementCell(share=number_text(share, ".0c"), kappa=kappa, level=level)

    names = judges.judges
    return AgreementMatrix(
        title="Same verdict of 100",
        names=names,
        rows=[[cell(left, right) for right in names] for left in names],
    )


def _swaps(judges: JudgeComparison) -> Iterator[Swaps]:
    """Yield what changes where another judge stands in the place of the first."""
    first, *names = judges.judges
    pairs = {name: judges.pairs.get(f"{first} -> {name}", {}) for name in names}
    columns = {
        "pass_difference": "Passes more or fewer",
        "accuracy_difference": "Right more or less often",
    }
    keys = [key for key in columns if any(key in pair for pair in pairs.values())]
    figures = [pair[key] for pair in pairs.values() for key in keys if key in pair]
    if not figures:
        return
    ends = [abs(end) for figure in figures for end in (figure.ci95 or (figure.value,))]
    reach = ceil(10 * max(0.1, *ends)) / 10
    swaps = [
        Swap(
            name=f"{number} {name}",
            reaches=[
                _reach(pair[key], -reach, reach, number_text(pair[key].value, "+.1p"))
                if key in pair
                else None
                for key in keys
            ],
        )
        for number, (name, pair) in enumerate(pairs.items(), 2)
    ]
    yield Swaps(
        title="Swapping only the judge",
        caption=f"Points of 100, instead of 1 {first}. Pale bars are 95% intervals.",
        heads=[columns[key] for key in keys],
        swaps=swaps,
        zero=place(0.0, -reach, reach),
        ticks=[
            *_ticks((-reach,), -reach, reach, "+.0c"),
            Mark(at=place(0.0, -reach, reach), name="0"),
            *_ticks((reach,), -reach, reach, "+.0c"),
        ],
    )
