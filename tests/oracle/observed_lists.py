"""What is said of lists of candidates, a second time, list by list (Reading R77)."""

from itertools import combinations
from statistics import fmean
from typing import Any, Final

from oracle.observed_rows import Verdict
from oracle.observed_sums import Json, Seen, average, mean_of_shares, share

_MOST: Final = 8
_EQUAL: Final = 1e-9


def lists(rows: list[Verdict]) -> list[Verdict]:
    """Return the verdicts on lists with a right candidate."""
    return [row for row in rows if row.stated["candidates"] and row.stated["right"] is not None]


def scores_of(row: Verdict) -> list[float | None]:
    """Return what each candidate got: a score, or 1 where it was picked and 0 where it was not."""
    names, picked = row.stated["candidates"], row.stated["picked"]
    if row.stated["scores"] is not None:
        return [*row.stated["scores"]]
    return [None if picked is None else float(index == picked) for index in range(len(names))]


def _together(rows: list[Verdict]) -> list[float | None]:
    """Return the mean score of each candidate over askings that gave it one."""
    columns = zip(*map(scores_of, rows), strict=True)
    known = ([score for score in column if score is not None] for column in columns)
    return [fmean(scores) if scores else None for scores in known]


def _won(scores: list[float | None], right: int) -> tuple[float, float]:
    """Return the right candidate's share of the highest score, and how many others it beats."""
    own_score = scores[right]
    known_figures = [score for score in scores if score is not None]
    if own_score is None:
        return 0.0, 0.0
    top = [score for score in known_figures if score >= max(known_figures) - _EQUAL]
    below = [score for score in known_figures if own_score > score + _EQUAL]
    return (own_score >= max(known_figures) - _EQUAL) / len(top), len(below) / (len(scores) - 1)


def after(rows: list[Verdict], k: int) -> tuple[float, float, float]:
    """Return what the right candidate wins in k successive askings, over all such runs."""
    seen = []
    for start in range(len(rows)):
        run = [rows[(start + step) % len(rows)] for step in range(k)]
        best, pairs = _won(_together(run), rows[0].stated["right"])
        whole = all(None not in scores_of(row) for row in run)
        seen.append((best, best if whole else 1.0, pairs))
    best, high, pairs = (fmean(column) for column in zip(*seen, strict=True))
    return best, high, pairs


def by_list(rows: list[Verdict]) -> dict[object, list[Verdict]]:
    """Return the askings of each list, as they stand in the file, by repeat."""
    verdicts: dict[object, list[Verdict]] = {}
    for row in rows:
        verdicts.setdefault(row.unit, []).append(row)
    return verdicts


def of_lists(rows: list[Verdict], asked: int) -> dict[str, Json | None]:
    """Return how often the right candidate is the best, after so many askings and by place."""
    rows = lists(rows)
    placed = [row for row in rows if row.stated["order"] is not None]
    askings = by_list([row for row in rows if row.stated["order"] is None])
    figures: dict[str, Json | None] = _by_place(placed) if placed else {}
    for k in range(1, _MOST + 1):
        enough = {key: ones for key, ones in askings.items() if len(ones) >= k}
        won = [(after(ones, k), ones[0]) for ones in enough.values()]
        if won:
            best, high, pairs = ([(each[index], 1, row) for each, row in won] for index in range(3))
            times = sum(map(len, enough.values()))
            width = max(len(row.stated["candidates"]) for row in rows)
            found = share(best, times)
            assert found
            unseen = max(0, asked - len(askings))
            total = len(won) + unseen
            ends = sum(hit for hit, _, _ in best), sum(hit for hit, _, _ in high) + unseen
            figures[f"best/{k}"] = found | {"bounds": [end / total for end in ends]}
            figures[f"pairs/{k}"] = share(pairs, times * (width - 1))
    return figures


def _by_place(rows: list[Verdict]) -> dict[str, Json | None]:
    size = max(len(row.stated["candidates"]) for row in rows)
    at: list[list[Any]] = [[] for _ in range(size)]
    for row in rows:
        at[row.stated["order"].index(row.stated["right"])].append(row)
    right = [[(_won(scores_of(r), r.stated["right"])[0], r) for r in ones] for ones in at]
    figures = {"best/1": mean_of_shares(right)}
    picks = [[row for row in ones if row.stated["picked"] is not None] for ones in at]
    for place in range(size):
        letter = chr(ord("A") + place)
        figures[f"place_right/{letter}"] = share([(hit, 1, row) for hit, row in right[place]])
        chosen = [
            [(float(r.stated["order"][place] == r.stated["picked"]), r) for r in ones]
            for ones in picks
        ]
        figures[f"place_picked/{letter}"] = mean_of_shares(chosen)
    return figures


def of_picks(rows: list[Verdict]) -> dict[str, Json | None]:
    """Return whether a pick is the same again, and in another arrangement."""
    rows = lists(rows)
    if all(row.stated["picked"] is None for row in rows):
        return {}
    seen_rows: dict[str, list[Seen]] = {name: [] for name in ("own", "all", "rearranged")}
    for ones in by_list(rows).values():
        first: dict[object, Verdict] = {}
        for row in ones:
            first.setdefault(row.stated["order"], row)
        for one, other in combinations(ones, 2):
            picks = {one.stated["picked"], other.stated["picked"]}
            if one.stated["order"] == other.stated["order"] and None not in picks:
                hit: Seen = (float(len(picks) == 1), 1, one)
                seen_rows["all"].append(hit)
                if one.answer is None or one.answer != other.answer:
                    seen_rows["own"].append(hit)
        ordered = [row for order, row in first.items() if order is not None]
        for one, other in combinations(ordered, 2):
            same = None is not one.stated["picked"] == other.stated["picked"]
            seen_rows["rearranged"].append((float(same), 1, one))
    return {
        "unreadable": share([(float(row.stated["picked"] is None), 1, row) for row in rows]),
        "repeat_consistency": share(seen_rows["own"]),
        "repeat_consistency_all": share(seen_rows["all"]),
        "rearranged_consistency": share(seen_rows["rearranged"]),
    }


def effect(verdicts: list[Verdict], two: list[Verdict]) -> dict[str, Json | None]:
    """Return by how much more often the second way of asking has the right one as the best."""
    sides = [
        by_list([row for row in lists(rows) if row.stated["order"] is None])
        for rows in (verdicts, two)
    ]
    smallest = min(max(map(len, side.values()), default=0) for side in sides)
    figures = {}
    for k in sorted({1, min(_MOST, smallest)}) if smallest else ():
        gaps = [
            (ones[0].cluster, after(sides[1][key], k)[0] - after(ones, k)[0])
            for key, ones in sides[0].items()
            if min(len(ones), len(sides[1].get(key, ()))) >= k
        ]
        figures[f"best/{k}"] = average(gaps)
    return figures
