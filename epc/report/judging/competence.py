"""What tests say of judges, as tables that the printed report and the page both show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from epc.analysis.judging.competence_values import Ablation, Competence, Detection, Retest
from epc.analysis.judging.words import ends_text, mean_text, plain_text, share_text
from epc.audit.competence import FEWEST, Word
from epc.spec.judge_v1 import OVERALL

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


def title_of(found: Competence) -> str:
    """Return one line that says what a judge is worth on texts whose order is known."""
    told = "outputs from spoilt ones"
    if found.word == "cannot_tell":
        return f"{found.judge}: these pairs cannot say whether it tells {told}"
    return f"{found.judge}: {found.word} of telling {told}"


def tables(found: Competence) -> Iterator[Shown]:
    """Yield what stands below that line."""
    yield _planted(found)
    yield _shifts(found)
    if found.ablation is not None:
        yield _ablation(found.ablation)
    if found.retests:
        yield _retests(found.retests)


def competence_text(rows: Sequence[Competence]) -> Iterator[str]:
    """Yield the printed form."""
    for found in rows:
        yield from ("", title_of(found))
        for shown in tables(found):
            yield _line(shown.head)
            yield from map(_line, shown.rows)
            yield from (f"  {note}" for note in shown.notes)


def _line(cells: tuple[str, ...]) -> str:
    first, *others = cells
    return f"  {first:<44}{''.join(cell.ljust(24) for cell in others)}".rstrip()


def _planted(found: Competence) -> Shown:
    asked = (
        f"{found.evaluations:,} evaluations of {found.outputs:,} outputs and texts made from them"
    )
    bar = f"capable is more than {100 * found.useful:.0f}%, incapable less, by the whole interval"
    notes = [
        f"{asked}, {found.valid:,} valid; none is part of the primary figures",
        f"{bar}, clustered by question; guessing gives {100 * found.chance:.0f}% at most",
        "a pair without two valid evaluations is lost, and wrong; at the floor no score can fall",
    ]
    if found.constant is not None:
        score = f"it gives every text the same overall score, {found.constant}"
        notes.insert(0, f"{score}: it detects nothing")
    if any(row.ci95 is None for row in found.kinds):
        notes.append(f"no interval is stated for fewer than {FEWEST} pairs, or too few questions")
    return Shown(
        head=("planted pairs", "as expected", "pairs", "lost, at floor", "bounds", "word"),
        rows=tuple(_detection(row) for row in (found.overall, *found.kinds)),
        notes=tuple(notes),
    )


def _detection(row: Detection) -> tuple[str, ...]:
    return (
        f"{_KINDS[row.kind]}: {_EXPECTED[row.expected]}",
        share_text(row),
        f"{row.pairs:,}",
        f"{row.lost:,}, {row.at_floor:,}",
        ends_text(row.bounds, 100, "%", 1),
        WORDS[row.word],
    )


def _shifts(found: Competence) -> Shown:
    rows = (
        (
            row.by,
            mean_text(row),
            f"{row.pairs:,}",
            f"{row.lost:,}",
            _NONE[row.none],
            "" if row.over == OVERALL else row.over,
        )
        for row in found.shifts
        if row.pairs
    )
    return Shown(
        head=("what should not matter", "points", "pairs", "lost", "word", "of"),
        rows=tuple(rows),
        notes=(f"position: {_POSITION}",),
    )


def _ablation(found: Ablation) -> Shown:
    of = "points are those of the dimension that the quote was given for"
    return Shown(
        head=("evidence taken out", "score moves", "points"),
        rows=(
            ("its quote", share_text(found.moved), mean_text(found.change)),
            (
                "as much elsewhere",
                share_text(found.moved_control),
                mean_text(found.change_control),
            ),
            ("the difference", "", mean_text(found.difference)),
        ),
        notes=(f"{_BEARS[found.bears]}: {found.pairs:,} quotes, {found.lost:,} lost", of),
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
    found, after = row.compared, (row.times[-1] or "")[:10]
    return (
        f"{'the same day' if row.same_day else 'another day'}, {after}",
        share_text(found.same_overall),
        f"{found.outputs:,}",
        mean_text(found.mean_difference),
        plain_text(found.kappa[OVERALL], found.kappa_ci95[OVERALL]),
    )
