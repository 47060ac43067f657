"""What two judges say of the same, a second time: agreement and self-preference (Reading R77)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import fsum

from oracle.observed_figures import Cells, kappa
from oracle.observed_rows import Verdict
from oracle.observed_sums import Json, Seen, average, linear, share
from oracle.observed_transfer import always

from epc.records.verdicts.types import UNKNOWN, Setting

Asked = tuple[list[str], Setting, list[Verdict]]
Both = tuple[list[Verdict], list[Verdict]]


def pairs(groups: list[Asked]) -> Iterator[Json]:
    """Yield the agreement of every two judges that were asked the same with one prompt."""
    for (names, one, rows), (other_names, other, other_rows) in combinations(groups, 2):
        if not _alike(one, other):
            continue
        shared = {row.answer for row in rows} & {row.answer for row in other_rows} - {None}
        sides = [[row for row in each if row.answer not in shared] for each in (rows, other_rows)]
        figures = {**_verdicts(sides[0], sides[1]), **_scores(sides[0], sides[1])}
        present = {name: figure for name, figure in figures.items() if figure}
        if present:
            yield {
                "settings": [names[0], other_names[0]],
                "shared_answers": len(shared),
                "figures": present,
            }


def _alike(setting: Setting, other: Setting) -> bool:
    """Return whether two judges, not one, were asked with one prompt."""
    same = setting.prompt.sha256 == other.prompt.sha256
    known = setting.prompt.sha256 != UNKNOWN or setting.prompt.name == other.prompt.name != UNKNOWN
    models = {setting.judge.model, other.judge.model}
    two = setting.judge.name != other.judge.name and (len(models) > 1 or models == {UNKNOWN})
    return two and same and known


def _shared_questions(rows: list[Verdict], other: list[Verdict], *, scores: bool) -> Iterator[Both]:
    """Yield what both judges say of one item and order."""
    sides: tuple[dict[object, list[Verdict]], ...] = ({}, {})
    for side, verdicts in zip(sides, (rows, other), strict=True):
        for row in verdicts:
            if row.score is not None if scores else row.readable:
                side.setdefault(row.asked, []).append(row)
    for question in sides[0].keys() & sides[1].keys():
        yield sides[0][question], sides[1][question]


def _verdicts(rows: list[Verdict], other: list[Verdict]) -> dict[str, Json | None]:
    tables: list[tuple[object, Cells]] = []
    agreed: list[Seen] = []
    most = 0
    for left, right in _shared_questions(rows, other, scores=False):
        table = Counter((str(x.said), str(y.said)) for x in left for y in right)
        shares = {cell: count / len(left) / len(right) for cell, count in table.items()}
        most += max(len(left), len(right))
        tables.append((left[0].cluster, shares))
        agreed.append((sum(v for (k, m), v in shares.items() if k == m), 1, left[0]))
    return {"agreement": share(agreed, most), "kappa": kappa(tables, most)}


def _scores(rows: list[Verdict], other: list[Verdict]) -> dict[str, Json | None]:
    gaps = [
        (left[0], _mean_score(right) - _mean_score(left))
        for left, right in _shared_questions(rows, other, scores=True)
    ]
    if not gaps:
        return {}
    near: list[Seen] = [(float(abs(gap) <= 1), 1, row) for row, gap in gaps]
    shift = average([(row.cluster, gap) for row, gap in gaps])
    return {"score_within_1": share(near), "score_shift": shift}


def _mean_score(rows: list[Verdict]) -> float:
    return sum(row.score or 0.0 for row in rows) / len(rows)


def self_preference(
    question: Asked, all_questions: list[Asked], same: Mapping[str, str]
) -> dict[str, Json | None]:
    """Return how far a judge favours its own outputs, as its report has it (Reading R24)."""
    _, setting, rows = question
    mine = _authors(setting, same)
    figures: dict[str, Json | None] = {}
    if not mine & {author for row in rows for author in (row.stated["a_by"], row.stated["b_by"])}:
        return figures
    for name, scores in (("self_preference", False), ("self_preference_score", True)):
        compared = []
        for _, other, other_rows in all_questions:
            if _alike(setting, other):
                gaps = _gaps(rows, other_rows, mine, _authors(other, same), scores=scores)
                if gaps[0] and gaps[1]:
                    compared.append(gaps)
        if compared:
            figures[name] = _difference(compared)
    return figures


def _authors(setting: Setting, same: Mapping[str, str]) -> set[str]:
    stated = {setting.judge.name, setting.judge.model}
    return stated | {same[name] for name in stated if name in same}


Gap = tuple[object, float]  # the question, and by how much the judge says more


def _gaps(
    rows: list[Verdict], other: list[Verdict], mine: set[str], theirs: set[str], *, scores: bool
) -> tuple[list[Gap], list[Gap]]:
    """Return the gaps of a judge's own outputs, and those of others' outputs."""
    of_own: list[Gap] = []
    of_others: list[Gap] = []
    baseline = always([r for r in rows if r.said and r.stated["a_by"] and r.stated["b_by"]])
    for left, right in _shared_questions(rows, other, scores=scores):
        a, b = left[0].stated["a_by"], left[0].stated["b_by"]
        if a is None or (b is None and not scores) or {a, b} & theirs:
            continue
        if scores:
            gap = _mean_score(left) - _mean_score(right)
            (of_own if a in mine else of_others).append((left[0].task, gap))
        elif (a in mine) != (b in mine):
            side = "a" if a in mine else "b"
            of_own.append((left[0].task, _wins(left, side) - _wins(right, side)))
        elif a not in mine:
            side = "b" if a == baseline else "a"
            gap = 0.0 if baseline is None else _wins(left, side) - _wins(right, side)
            of_others.append((left[0].task, gap))
    return of_own, of_others


def _wins(rows: list[Verdict], side: str) -> float:
    return sum((row.said == side) + (row.said == "tie") / 2 for row in rows) / len(rows)


def _difference(compared: list[tuple[list[Gap], list[Gap]]]) -> Json:
    moves: list[Gap] = []
    value = 0.0
    for sides in compared:
        for sign, gaps in zip((1, -1), sides, strict=True):
            middle = fsum(gap for _, gap in gaps) / len(gaps)
            value += sign * middle / len(compared)
            worth = sign / len(gaps) / len(compared)
            moves += [(task, worth * (gap - middle)) for task, gap in gaps]
    return linear(value, moves, sum(len(mine) for mine, _ in compared))
