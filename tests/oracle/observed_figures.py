"""The figures of one judge a second time, from verdicts taken one by one (Reading R77)."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations, islice
from math import atanh, fsum, log2, sqrt, tanh
from statistics import correlation, fmean
from typing import Final

from oracle.observed_rows import Verdict
from oracle.observed_sums import (
    Json,
    Seen,
    average,
    jackknifed,
    linear,
    mean_of_shares,
    parts_of,
    share,
    spread_of,
    student,
)
from oracle.pcg64 import uniforms

Cells = dict[tuple[str, str], float]  # the share of each pair of answers

_AGAIN: Final = (
    *("repeat_consistency", "repeat_consistency_all"),
    *("score_repeat_exact", "score_repeat_within_1"),
)


def places(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return what exchanging the places shows."""
    plain = {_asking(row): row for row in rows if row.stated["first"] == "a"}
    both = [
        (plain[_asking(row)], row)
        for row in rows
        if row.stated["first"] == "b" and _asking(row) in plain
    ]
    seen_rows: dict[str, list[Seen]] = {"all": [], "readable": [], "first": []}
    for left, right in both:
        same = float(left.readable and left.said == right.said)
        seen_rows["all"].append((same, 1, left))
        if left.readable and right.readable:
            seen_rows["readable"].append((same, 1, left))
        if left.decided and right.decided:
            seen_rows["first"].append(((left.said == "a") / 2 + (right.said == "b") / 2, 1, left))
    return {
        "place_consistency": share(seen_rows["all"]),
        "place_consistency_readable": share(seen_rows["readable"]),
        "first_place": share(seen_rows["first"], 2 * len(seen_rows["first"])),
    }


def _asking(row: Verdict) -> object:
    return row.stated["setting"], row.stated["item"], row.stated["repeat"] or 0


def gold(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return how often the better candidate won."""
    seen: dict[str, list[tuple[float, float, Verdict]]] = {
        name: [] for name in ("", "_gold_first", "_gold_second")
    }
    for row in rows:
        gold, first = row.stated["gold"], row.stated["first"]
        if gold in {"a", "b"}:
            hit = (float(row.said == gold), 1, row)
            seen[""].append(hit)
            if first is not None:
                seen["_gold_first" if first == gold else "_gold_second"].append(hit)
    figures = {f"accuracy{name}": share(each) for name, each in seen.items()}
    readable = share([hit for hit in seen[""] if hit[2].readable])
    if readable:
        unread = [(float(hit or not row.readable), n, row) for hit, n, row in seen[""]]
        readable["bounds"] = [
            each["value"] for each in (figures["accuracy"], share(unread)) if each
        ]
    return {**figures, "accuracy_readable": readable}


def answer_shares(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return ties, unreadable answers, and how often the longer candidate won."""
    stated_verdicts = [row for row in rows if row.said and row.stated["b_sha256"] is not None]
    all_verdicts = [row for row in rows if row.said or row.score is not None]
    won = [
        (float(row.said == row.longer), row.stated["gold"] == row.longer, row)
        for row in stated_verdicts
        if row.decided and row.longer
    ]
    golden = [each for each in won if each[2].stated["gold"] in {"a", "b"}]
    sides = [[(h, r) for h, is_better, r in golden if is_better is side] for side in (True, False)]
    held = mean_of_shares(sides)
    return {
        "ties": share([(row.said == "tie", 1, row) for row in stated_verdicts]),
        "unreadable": share([(row.said == "unreadable", 1, row) for row in all_verdicts]),
        "longer": share([(hit, 1, row) for hit, _, row in won]),
        "longer_by_gold": held,
    }


def humans(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return agreement with persons, and between them."""
    seen_rows: dict[str, list[Seen]] = {
        name: [] for name in ("mean", "mean_ceiling", "majority", "others", "others_ceiling")
    }
    tables: list[tuple[object, Cells]] = []
    votes = twos = 0.0
    for row in rows:
        persons = row.stated["humans"] or ()
        if not persons or row.said is None:
            continue
        n = len(persons)
        votes, twos = votes + n, twos + n * (n - 1) / 2
        seen_rows["mean"].append((persons.count(row.said) / n, 1, row))
        if n > 1:
            alike = sum(one == other_person for one, other_person in combinations(persons, 2))
            seen_rows["mean_ceiling"].append((alike / (n * (n - 1) / 2), 1, row))
        majority = _majority(persons)
        if majority:
            seen_rows["majority"].append((row.said == majority, 1, row))
            if row.readable:
                tables.append((row.cluster, {(majority, str(row.said)): 1.0}))
        without = [
            (p, _majority(persons[:index] + persons[index + 1 :]))
            for index, p in enumerate(persons)
        ]
        others = [(person, most) for person, most in without if most]
        for name, hits in (
            ("others", sum(row.said == most for _, most in others)),
            ("others_ceiling", sum(person == most for person, most in others)),
        ):
            seen_rows[name].append((hits, len(others), row))
    most = {"mean": votes, "mean_ceiling": twos}
    figures = {
        f"humans_{name}": share(seen_by_key, most.get(name))
        for name, seen_by_key in seen_rows.items()
    }
    return {**figures, "humans_kappa": kappa(tables, len(tables))}


def _majority(persons: Sequence[str]) -> str | None:
    ranked = Counter(persons).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def kappa(tables: list[tuple[object, Cells]], verdicts: float) -> Json | None:
    """Return Cohen's kappa of tables that each add up to 1, made of so many verdicts.

    Its interval is that of one table: the rows divided by how much more they vary in clusters, and
    two rows more in all, spread over the cells of the answers that anybody gave.
    """
    if not tables:
        return None
    n = len(tables)
    whole: Cells = {}
    for _, table in tables:
        for cell, value in table.items():
            whole[cell] = whole.get(cell, 0.0) + value / n
    answers = sorted({answer for cell, value in whole.items() if value for answer in cell})
    found = _slopes(whole, answers)
    if found is None:
        return None
    value, slope = found
    moves = [(c, fsum(slope[cell] * v for cell, v in table.items()) / n) for c, table in tables]
    parts = parts_of(moves)
    document: Json = {"value": value, "ci95": None, "n": n, "items": len(parts)}
    if len(parts) < 2:
        return document
    alone = fsum(share * slope[cell] ** 2 for cell, share in whole.items()) / n
    effect = n / len(parts)
    if alone > 1e-20:
        effect = max(n / max(n, verdicts), spread_of(parts) / alone * (n - 1) / n)
    total = n / effect + 2
    more = 2 / len(answers) ** 2
    widened = {
        (k, m): (whole.get((k, m), 0.0) * n / effect + more) / total
        for k in answers
        for m in answers
    }
    found = _slopes(widened, answers)
    assert found
    middle, slope = found
    squares = fsum(share * slope[cell] ** 2 for cell, share in widened.items())
    half = student(len(parts) - 1) * sqrt(squares / total)
    return document | {"ci95": [max(-1.0, middle - half), min(1.0, middle + half)]}


def _slopes(shares: Cells, answers: Sequence[str]) -> tuple[float, Cells] | None:
    """Return kappa of a table of shares, and what a row in each cell adds to it beyond the mean."""
    rows = {k: fsum(shares.get((k, m), 0.0) for m in answers) for k in answers}
    columns = {m: fsum(shares.get((k, m), 0.0) for k in answers) for m in answers}
    total = fsum(shares.get((k, k), 0.0) for k in answers)
    left = 1 - fsum(rows[k] * columns[k] for k in answers)
    if left <= 1e-12:
        return None
    slope = {
        (k, m): ((k == m) * left - (1 - total) * (columns[k] + rows[m])) / left**2
        for k in answers
        for m in answers
    }
    mean = fsum(slope[cell] * share for cell, share in shares.items())
    return (total - 1 + left) / left, {cell: each - mean for cell, each in slope.items()}


def repeated(rows: list[Verdict]) -> tuple[int, int, dict[str, Json | None]]:
    """Return pairs of one long answer, those of two verdicts, and how often asking again agrees."""
    by_question: dict[object, list[Verdict]] = {}
    for row in rows:
        if row.readable or row.score is not None:
            by_question.setdefault(row.asked, []).append(row)
    seen_rows: dict[str, list[Seen]] = {name: [] for name in _AGAIN}
    copied = contrary = 0
    for left, right in chain.from_iterable(combinations(ones, 2) for ones in by_question.values()):
        is_copy = left.answer is not None and left.answer == right.answer
        gap = None if left.score is None or right.score is None else abs(left.score - right.score)
        alike = left.said == right.said if gap is None else gap == 0
        copied += is_copy
        contrary += is_copy and not alike
        names = ["repeat_consistency_all"] if left.readable and right.readable else []
        if not is_copy:
            names += ["score_repeat_exact"] if gap is not None else names and ["repeat_consistency"]
        for name in names:
            seen_rows[name].append((float(alike), 1, left))
        if gap is not None and not is_copy:
            seen_rows["score_repeat_within_1"].append((float(gap <= 1), 1, left))
    return copied, contrary, {name: share(seen_by_key) for name, seen_by_key in seen_rows.items()}


def scored(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return what a score gains by twice the length, between answers to one question."""
    by_task: dict[object, list[tuple[float, float]]] = {}
    for row in rows:
        if row.score is not None and row.stated["a_length"]:
            by_task.setdefault(row.task, []).append((log2(row.stated["a_length"]), row.score))
    moved = [
        (task, long - fmean(x for x, _ in ones), score - fmean(y for _, y in ones))
        for task, ones in by_task.items()
        for long, score in ones
    ]
    weight = fsum(long**2 for _, long, _ in moved)
    if weight <= 1e-12:
        return {}
    slope = fsum(long * score for _, long, score in moved) / weight
    moves = [(task, long * (score - slope * long) / weight) for task, long, score in moved]
    tasks = {task for task, long, _ in moved if abs(long) > 1e-12}
    n = sum(len(by_task[task]) for task in tasks)
    return {"score_per_doubling": {**linear(slope, moves, n), "items": len(tasks)}}


def scored_by_people(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return how far scores are those of people."""
    both = [
        (row, row.score, row.stated["human_score"])
        for row in rows
        if row.score is not None and row.stated["human_score"] is not None
    ]
    figures = {
        "human_score_within_1": share([(float(abs(x - y) <= 1), 1, row) for row, x, y in both]),
        "human_score_shift": average([(row.cluster, x - y) for row, x, y in both]),
    }
    if min(len({x for _, x, _ in both}), len({y for _, _, y in both})) > 1:
        figures["human_score_correlation"] = _by_fisher(both)
    return figures


def _by_fisher(both: list[tuple[Verdict, float, float]]) -> Json:
    """Return a correlation; its interval is of the inverse hyperbolic tangents without a cluster.

    None where one of these is of a line or of a side that never varies.
    """
    clusters = {row.cluster for row, _, _ in both}
    value = correlation([x for _, x, _ in both], [y for _, _, y in both])
    document: Json = {"value": value, "ci95": None, "n": len(both), "items": len(clusters)}
    parts = [value]
    for cluster in clusters:
        others = [(x, y) for row, x, y in both if row.cluster != cluster]
        xs, ys = [x for x, _ in others], [y for _, y in others]
        if min(len({*xs}), len({*ys})) < 2:
            return document
        parts.append(correlation(xs, ys))
    if len(clusters) < 2 or max(map(abs, parts)) >= 1 - 1e-12:
        return document
    middle, *zs = map(atanh, parts)
    k = len(zs)
    half = student(k - 1) * sqrt((k - 1) / k * fsum((z - fsum(zs) / k) ** 2 for z in zs))
    return document | {"ci95": [tanh(middle - half), tanh(middle + half)]}


def confident(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return how far confidence is how often verdicts are right."""
    sure = [row for row in rows if row.stated["gold"] in {"a", "b"} and row.readable]
    sure = [row for row in sure if row.stated["confidence"] is not None]
    stated = [
        (row, row.stated["confidence"], float(row.said == row.stated["gold"])) for row in sure
    ]
    if not stated:
        return {}
    clusters = {rank: index for index, rank in enumerate(sorted({row.rank for row in sure}))}

    def error(left_out: set[int]) -> float:
        gaps: dict[int, float] = {}
        kept = [each for each in stated if clusters[each[0].rank] not in left_out]
        for _, says, right in kept:
            gaps[min(9, int(says * 10))] = gaps.get(min(9, int(says * 10)), 0.0) + says - right
        return fsum(map(abs, gaps.values())) / len(kept)

    items = len(clusters)
    interval = jackknifed(error, items)
    stream, chance = uniforms(20261128), []
    for _ in range(200):
        drawn = [*islice(stream, items)]
        gaps: dict[int, float] = {}
        for row, says, _ in stated:
            place = min(9, int(says * 10))
            gaps[place] = gaps.get(place, 0.0) + says - (drawn[clusters[row.rank]] < says)
        chance.append(fsum(map(abs, gaps.values())) / len(stated))
    chance.sort()
    if interval:
        limit = chance[189] + 0.05 * (chance[190] - chance[189])  # at 0.95 of 199 steps
        low = max(0.0, interval[0]) if error(set()) > limit + 1e-9 else 0.0
        interval = [low, min(1.0, interval[1])]
    by_chance = {"value": fmean(chance), "ci95": None, "n": len(stated), "items": items}
    figures: dict[str, Json | None] = {
        "brier": average([(row.task, (says - right) ** 2) for row, says, right in stated]),
        "ece": {"value": error(set()), "ci95": interval, "n": len(stated), "items": items},
        "ece_by_chance": by_chance,
    }
    return figures
