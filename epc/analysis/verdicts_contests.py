"""Comparisons with one baseline as a table of strategies and tasks (Reading R77)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from epc.analysis.verdicts_rows import TIE, FileNames, Rows
from epc.arrays import Array, ByRow, Codes, np
from epc.errors import UsageError
from epc.protocol.table import VerdictTable
from epc.records.verdicts.types import Choices

TWO: Final = 2  # domains, and strategies at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Contests(ByRow):
    """Comparisons with the baseline: of whose answer to which task, how often it won, lost, tied.

    Tasks of one group belong together; one without (-1) is by itself. `gold` says how right the
    author's answer is, or whether it is the better one of the pair; NaN where nobody says so.

    Shapes: (m,), counts and humans (m, 3).
    """

    author: Codes
    task: Codes
    subset: Codes
    group: Codes
    counts: Codes
    humans: Codes
    gold: Array


def chosen_baseline(compared: Rows, named: FileNames, choices: Choices) -> int | None:
    """Return whom the others are compared with: the one chosen, or in every comparison.

    Raises: UsageError if the file has no such author.
    """
    if choices.baseline is None:
        return baseline_of(compared)
    if choices.baseline not in named.authors:
        examples = ", ".join(sorted(named.authors)[:5])
        raise UsageError(
            f"--baseline: the file has no author {choices.baseline!r}\n"
            f"  fix: name one of {examples}, ..."
        )
    return named.authors.index(choices.baseline)


def baseline_of(compared: Rows) -> int | None:
    """Return the only author that stands on one side of every comparison."""
    always = [
        code
        for code in {*compared.a_by[:1].tolist(), *compared.b_by[:1].tolist()}
        if ((compared.a_by == code) != (compared.b_by == code)).all()
    ]
    return always[0] if len(always) == 1 else None


def against(compared: Rows, baseline: int) -> Contests:
    """Return the comparisons of others with the baseline; an unreadable answer decides nothing."""
    contests = compared[(compared.a_by == baseline) != (compared.b_by == baseline)]
    side = (contests.a_by == baseline).astype(np.int64)  # of the strategy: 0 is a, 1 is b
    outcome = np.where(contests.verdict < TIE, (contests.verdict != side).astype(np.int64), TIE)
    order = np.stack([side, 1 - side, np.full(len(side), TIE)], axis=1)
    return Contests(
        author=np.where(side == 0, contests.a_by, contests.b_by),
        task=contests.question,
        subset=contests.subset,
        group=contests.group,
        counts=np.eye(TIE + 1, dtype=np.int64)[outcome],
        humans=np.take_along_axis(contests.humans, order, axis=1),
        gold=_worth(contests.gold, side),
    )


def by_scores(rows: Rows, baseline: int) -> Contests:
    """Return the comparisons that scores make: with the baseline's mean score on the same task."""
    scored = rows[~np.isnan(rows.score) & (rows.a_by >= 0)]
    keys, first, places = np.unique(
        np.stack([scored.question, scored.a_by]), axis=1, return_index=True, return_inverse=True
    )
    n = np.bincount(places, minlength=len(first))
    means = np.bincount(places, weights=scored.score, minlength=len(first)) / np.maximum(1, n)
    question, author = keys
    of_baseline = author == baseline
    against = np.full(int(question.max(initial=-1)) + 1, np.nan)
    against[question[of_baseline]] = means[of_baseline]
    compared = ~of_baseline & ~np.isnan(against[question])
    gap = (means - against[question])[compared]
    outcome = np.select([gap > 0, gap < 0], [0, 1], TIE)
    return Contests(
        author=author[compared],
        task=question[compared],
        subset=scored.subset[first][compared],
        group=scored.group[first][compared],
        counts=np.eye(TIE + 1, dtype=np.int64)[outcome],
        humans=np.zeros((int(compared.sum()), TIE + 1), np.int64),
        gold=_worth(scored.gold[first][compared], np.zeros(int(compared.sum()), np.int64)),
    )


def _worth(gold: Codes, side: Codes) -> Array:
    """Return what gold says of the candidate on a side: better, worse, neither, or nothing."""
    return np.select([gold == TIE, gold == side, gold >= 0], [0.5, 1.0, 0.0], np.nan)


def domains_of(contests: Contests, named: FileNames, choices: Choices) -> dict[str, list[int]]:
    """Return the subsets of each domain: those chosen by pattern, or the two with most tasks."""
    tasks = {
        code: len(np.unique(contests.task[contests.subset == code]))
        for code in np.unique(contests.subset[contests.subset >= 0]).tolist()
    }
    if not choices.domains:
        largest = sorted(tasks, key=lambda code: (-tasks[code], named.subsets[code]))[:TWO]
        return {
            named.subsets[code]: [code] for code in sorted(largest, key=named.subsets.__getitem__)
        }
    domains = {
        name: [
            code
            for code in tasks
            if any(
                fnmatchcase(named.subsets[code], pattern)
                for pattern in (subsets or name).split("+")
            )
        ]
        for name, _, subsets in (domain.partition("=") for domain in choices.domains)
    }
    used = [code for codes in domains.values() for code in codes]
    if len(domains) != TWO or len(set(used)) < len(used):
        raise UsageError("domains: expected two that share no subset, as a,b or x=a+b,y=c+d")
    return {domain: codes for domain, codes in domains.items() if codes}


def groups_of(sides: Mapping[str, Contests]) -> dict[str, list[str]] | None:
    """Return the group of each domain's tasks, in the order of `table_of`; None if there are none.

    Source: Reading R74.
    """
    if not any((contests.group >= 0).any() for contests in sides.values()):
        return None
    groups = {}
    for domain, contests in sides.items():
        tasks, first = np.unique(contests.task, return_index=True)
        codes = contests.group[first].tolist()
        task_groups = zip(tasks.tolist(), codes, strict=True)
        groups[domain] = [f"{code}" if code >= 0 else f"task {task}" for task, code in task_groups]
    return groups


def labels_of(contests: Contests, authors: Sequence[int], named: FileNames) -> tuple[Array, Array]:
    """Return the labels of each strategy and task: their sum, and how many there are.

    They are those beside the file, or else what the verdicts' own labels say of the compared pairs.

    Shapes: (K, tasks), in the order of `table_of`.
    """
    tasks, task = np.unique(contests.task, return_inverse=True)
    rows = np.array([authors.index(code) for code in contests.author.tolist()], np.int64)
    sums, counts = np.zeros((2, len(authors), len(tasks)))
    if named.gold is None:
        present = ~np.isnan(contests.gold)
        np.add.at(sums, (rows[present], task[present]), contests.gold[present])
        np.add.at(counts, (rows[present], task[present]), 1)
        return sums / np.maximum(1, counts), np.minimum(1, counts)
    for row, subset, task_index in np.unique([rows, contests.subset, task], axis=1).T.tolist():
        question = named.questions[tasks[task_index]]
        place = named.authors[authors[row]], named.subsets[subset], question
        total, count = named.gold.get(place, (0.0, 0))
        sums[row, task_index] += total
        counts[row, task_index] += count
    return sums, counts


def table_of(sides: Mapping[str, tuple[Contests, Codes]], authors: Sequence[int]) -> VerdictTable:
    """Return the counts of each domain's strategies and tasks."""
    counts = {}
    for domain, (contests_of, task_counts) in sides.items():
        tasks, task = np.unique(contests_of.task, return_inverse=True)
        counts[domain] = np.zeros((len(authors), len(tasks), TIE + 1), np.int64)
        np.add.at(
            counts[domain],
            (np.searchsorted(sorted(authors), contests_of.author), task),
            task_counts,
        )
        counts[domain] = counts[domain][[sorted(authors).index(code) for code in authors]]
    return VerdictTable(counts=counts, repeated=False, is_whole=True)
