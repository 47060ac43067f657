"""What is carried from one subset into another, a second time (Readings R70 and R77)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final

from oracle.observed_crossing import crossing
from oracle.observed_rows import Verdict
from oracle.observed_sums import Json

Contest = tuple[str, object, str, str]  # author, task, subset, how it ended

_TWO: Final = 2
_ENDS: Final = ("won", "lost", "tie")


def table(rows: list[Verdict], chosen: str | None, domains: Sequence[str]) -> Json | None:
    """Return what a report states of its table and what crosses; None where it can have none.

    `chosen` is the baseline and `domains` are the subsets' patterns, where the user named any.
    """
    pairs = [row for row in rows if row.said and row.stated["a_by"] and row.stated["b_by"]]
    baseline = chosen or always(pairs)
    if baseline is None:
        return None
    contests = [*_contests(pairs, baseline)] if pairs else [*_scored(rows, baseline)]
    sides = _sides(contests, domains)
    used = [one for side in sides.values() for one in side]
    strategies = sorted({author for author, *_ in used})
    if len(sides) < _TWO or len(strategies) < _TWO:
        return None
    tied = sum(ended == "tie" for *_, ended in used)
    cells: dict[str, dict[tuple[str, object], list[int]]] = {name: {} for name in sides}
    for name, side in sides.items():
        for author, task, _, ended in side:
            cell = cells[name].setdefault((author, task), [0, 0, 0])
            cell[_ENDS.index(ended)] += 1
    return {
        "baseline": baseline,
        "domains": {name: len({task for _, task, _, _ in side}) for name, side in sides.items()},
        "strategies": strategies,
        "verdicts": len(used),
        "decided_share": (len(used) - tied) / len(used),
        **crossing(cells, strategies),
    }


def always(pairs: list[Verdict]) -> str | None:
    """Return the only author that stands on one side of every comparison."""
    seen = [{row.stated["a_by"], row.stated["b_by"]} for row in pairs]
    common = set.intersection(*seen) if seen and all(len(each) == _TWO for each in seen) else set()
    return common.pop() if len(common) == 1 else None


def _contests(pairs: list[Verdict], baseline: str) -> Iterator[Contest]:
    for row in pairs:
        authors = {"a": row.stated["a_by"], "b": row.stated["b_by"]}
        other_sides = [side for side, author in authors.items() if author != baseline]
        if len(other_sides) == 1:
            ended = "tie" if not row.decided else "won" if row.said == other_sides[0] else "lost"
            yield authors[other_sides[0]], row.task, row.stated["subset"], ended


def _scored(rows: list[Verdict], baseline: str) -> Iterator[Contest]:
    """Yield each author's mean score on a task against the baseline's."""
    scores: dict[tuple[object, str], list[float]] = {}
    subsets: dict[object, str] = {}
    for row in rows:
        if row.score is not None and row.stated["a_by"]:
            scores.setdefault((row.task, row.stated["a_by"]), []).append(row.score)
            subsets.setdefault((row.task, row.stated["a_by"]), row.stated["subset"])
    means = {key: sum(figures) / len(figures) for key, figures in scores.items()}
    for (task, author), mean in means.items():
        against = means.get((task, baseline))
        if author != baseline and against is not None:
            ended = "tie" if mean == against else "won" if mean > against else "lost"
            yield author, task, subsets[task, author], ended


def _sides(contests: list[Contest], domains: Sequence[str]) -> dict[str, list[Contest]]:
    """Return the contests of each domain: as chosen, or of the two subsets with most tasks."""
    tasks = Counter(subset for _, subset in {(task, s) for _, task, s, _ in contests if s})
    parted = (domain.partition("=") for domain in domains)
    patterns = {name: (rest or name).split("+") for name, _, rest in parted}
    if not domains:
        most = sorted(tasks, key=lambda subset: (-tasks[subset], subset))[:_TWO]
        patterns = {subset: [subset] for subset in most}
    by_domain: dict[str, list[Contest]] = {}
    for contest in contests:
        for name, subsets in patterns.items():
            fits = any(contest[2] == s or (domains and fnmatchcase(contest[2], s)) for s in subsets)
            if contest[2] and fits:
                by_domain.setdefault(name, []).append(contest)
    return by_domain
