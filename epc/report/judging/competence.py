"""Document parts of what tests say of judges."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from epc.analysis.judging.competence import Ablation, Competence, Detection, Retest
from epc.audit.competence import FEWEST
from epc.report.document import Listed, Part, Section, Table
from epc.spec.judge_v1 import OVERALL
from epc.statistics.figures import in_percent, range_text, to_two_places

_KINDS: Final = {
    "all": "all spoilt texts",
    "truncated": "second half cut off",
    "shuffled": "words shuffled",
    "off_task": "answers another task",
    "section_removed": "a section left out",
    "same_text": "the same text twice",
    "padded": "padded",
}
_EXPECTED: Final = {"lower": "scored lower", "equal": "scored alike", "not_higher": "not higher"}
_NONE: Final = {"yes": "within half a point", "no": "it moves scores", "unknown": "cannot say"}
_BEARS: Final = {
    "yes": "its quotes support its scores",
    "no": "its quotes do not support its scores",
    "unknown": "cannot say",
}
_POSITION: Final = (
    "the protocol shows a judge one output at a time, so no place among others can move its scores"
)


def title_of(competence: Competence) -> str:
    """Return one line that says what a judge is worth on texts whose order is known."""
    task = "outputs from spoilt ones"
    if competence.word == "cannot_tell":
        return f"{competence.judge}: these pairs cannot say whether it tells {task}"
    return f"{competence.judge}: {competence.word} of telling {task}"


def competence(rows: Iterable[Competence]) -> Iterator[Section]:
    """Yield what tests say of each judge."""
    for row in rows:
        parts = [*_planted(row), *_shifts(row)]
        if row.ablation is not None:
            parts += _ablation(row.ablation)
        if row.retests:
            parts += _retests(row.retests)
        yield Section(title_of(row), parts)


def _planted(test: Competence) -> Iterator[Part]:
    counts = (
        f"{test.evaluations:,} evaluations of {test.outputs:,} outputs and texts made from them"
    )
    bar = f"capable is more than {100 * test.useful:.0f}%, incapable less, by the whole interval"
    notes = [
        f"{counts}, {test.valid:,} valid; none is part of the primary figures",
        f"{bar}, clustered by question; guessing gives {100 * test.chance:.0f}% at most",
        "a pair without two valid evaluations is lost, and wrong; at the floor no score can fall",
    ]
    if test.constant is not None:
        score = f"it gives every text the same overall score, {test.constant}"
        notes.insert(0, f"{score}: it detects nothing")
    if any(row.ci95 is None for row in test.kinds):
        notes.append(f"no interval is stated for fewer than {FEWEST} pairs, or too few questions")
    head = ("planted pairs", "as expected", "pairs", "lost, at floor", "bounds", "word")
    yield Table("planted pairs", [head, *map(_detection, (test.overall, *test.kinds))])
    yield Listed(notes)


def _detection(row: Detection) -> tuple[str, ...]:
    return (
        f"{_KINDS[row.kind]}: {_EXPECTED[row.expected]}",
        in_percent(row),
        f"{row.pairs:,}",
        f"{row.lost:,}, {row.at_floor:,}",
        range_text(row.bounds, ".1%"),
        row.word.replace("_", " "),
    )


def _shifts(competence: Competence) -> Iterator[Part]:
    rows = (
        (
            row.by,
            to_two_places(row),
            f"{row.pairs:,}",
            f"{row.lost:,}",
            _NONE[row.no_shift],
            "" if row.over == OVERALL else row.over,
        )
        for row in competence.shifts
        if row.pairs
    )
    head = ("what should not matter", "points", "pairs", "lost", "word", "of")
    yield Table("what should not matter", [head, *rows])
    yield Listed([f"position: {_POSITION}"])


def _ablation(ablation: Ablation) -> Iterator[Part]:
    moved = (
        ("evidence taken out", "score moves", "points"),
        ("its quote", in_percent(ablation.moved), to_two_places(ablation.change)),
        (
            "as much elsewhere",
            in_percent(ablation.moved_control),
            to_two_places(ablation.change_control),
        ),
        ("the difference", "", to_two_places(ablation.difference)),
    )
    yield Table("evidence taken out", moved)
    yield Listed(
        [
            f"{_BEARS[ablation.bears]}: {ablation.pairs:,} quotes, {ablation.lost:,} lost",
            "points are those of the dimension that the quote was given for",
        ]
    )


def _retests(rows: Sequence[Retest]) -> Iterator[Part]:
    head = ("asked again", "same score", "outputs", "mean difference", "weighted kappa")
    yield Table("asked again", [head, *map(_retest, rows)])
    yield Listed(
        [f"{row.shared:,} answers are one in both, left out" for row in rows if row.shared]
    )


def _retest(row: Retest) -> tuple[str, ...]:
    comparison, after = row.compared, (row.times[-1] or "")[:10]
    return (
        f"{'the same day' if row.same_day else 'another day'}, {after}",
        in_percent(comparison.same_overall),
        f"{comparison.outputs:,}",
        to_two_places(comparison.mean_difference),
        comparison.kappa_text(OVERALL),
    )
