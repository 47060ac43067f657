"""What tests say of judges, as tables that the printed report and the page both show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from epc.analysis.judging.evaluation import Ablation, Competence, Detection, Retest
from epc.audit.competence import FEWEST, Word
from epc.spec.judge_v1 import OVERALL
from epc.statistics.figures import in_percent, range_text, to_two_places

WORDS: Final[dict[Word, str]] = {
    "capable": "capable",
    "incapable": "incapable",
    "cannot_tell": "cannot tell",
}
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
    "yes": "its quotes bear its scores",
    "no": "its quotes do not bear its scores",
    "unknown": "cannot say",
}
_POSITION: Final = (
    "the protocol shows a judge one output at a time, so no place among others can move its scores"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A table and what is said below it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def title_of(competence: Competence) -> str:
    """Return one line that says what a judge is worth on texts whose order is known."""
    task = "outputs from spoilt ones"
    if competence.word == "cannot_tell":
        return f"{competence.judge}: these pairs cannot say whether it tells {task}"
    return f"{competence.judge}: {competence.word} of telling {task}"


def tables(competence: Competence) -> Iterator[Shown]:
    """Yield what stands below that line."""
    yield _planted(competence)
    yield _shifts(competence)
    if competence.ablation is not None:
        yield _ablation(competence.ablation)
    if competence.retests:
        yield _retests(competence.retests)


def competence_text(rows: Sequence[Competence]) -> Iterator[str]:
    """Yield the printed form."""
    for row in rows:
        yield from ("", title_of(row))
        for shown in tables(row):
            yield _line(shown.head)
            yield from map(_line, shown.rows)
            yield from (f"  {note}" for note in shown.notes)


def _line(cells: tuple[str, ...]) -> str:
    first, *cells_after = cells
    return f"  {first:<44}{''.join(cell.ljust(24) for cell in cells_after)}".rstrip()


def _planted(test: Competence) -> Shown:
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
    return Shown(
        head=("planted pairs", "as expected", "pairs", "lost, at floor", "bounds", "word"),
        rows=tuple(_detection(row) for row in (test.overall, *test.kinds)),
        notes=tuple(notes),
    )


def _detection(row: Detection) -> tuple[str, ...]:
    return (
        f"{_KINDS[row.kind]}: {_EXPECTED[row.expected]}",
        in_percent(row),
        f"{row.pairs:,}",
        f"{row.lost:,}, {row.at_floor:,}",
        range_text(row.bounds, ".1%"),
        WORDS[row.word],
    )


def _shifts(competence: Competence) -> Shown:
    rows = (
        (
            row.by,
            to_two_places(row),
            f"{row.pairs:,}",
            f"{row.lost:,}",
            _NONE[row.none],
            "" if row.over == OVERALL else row.over,
        )
        for row in competence.shifts
        if row.pairs
    )
    return Shown(
        head=("what should not matter", "points", "pairs", "lost", "word", "of"),
        rows=tuple(rows),
        notes=(f"position: {_POSITION}",),
    )


def _ablation(ablation: Ablation) -> Shown:
    of = "points are those of the dimension that the quote was given for"
    return Shown(
        head=("evidence taken out", "score moves", "points"),
        rows=(
            ("its quote", in_percent(ablation.moved), to_two_places(ablation.change)),
            (
                "as much elsewhere",
                in_percent(ablation.moved_control),
                to_two_places(ablation.change_control),
            ),
            ("the difference", "", to_two_places(ablation.difference)),
        ),
        notes=(f"{_BEARS[ablation.bears]}: {ablation.pairs:,} quotes, {ablation.lost:,} lost", of),
    )


def _retests(rows: Sequence[Retest]) -> Shown:
    return Shown(
        head=("asked again", "same score", "outputs", "mean difference", "weighted kappa"),
        rows=tuple(_retest(row) for row in rows),
        notes=tuple(
            f"{row.shared:,} answers are one in both, left out" for row in rows if row.shared
        ),
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
