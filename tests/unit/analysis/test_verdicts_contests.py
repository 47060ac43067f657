"""Comparisons with one baseline, by hand (Reading R77)."""

from typing import Any

import pytest
from observed_support import columns, verdict

from epc.analysis.verdicts_contests import (
    Contests,
    against,
    baseline_of,
    by_scores,
    chosen_baseline,
    domains_of,
    table_of,
)
from epc.analysis.verdicts_rows import FileNames, Rows, file_names, rows_of
from epc.errors import UsageError
from epc.records.verdicts.converting import digest
from epc.records.verdicts.types import Choices


def read(*lines: dict[str, Any]) -> tuple[Rows, FileNames]:
    _, verdicts = columns(*lines)
    return rows_of(verdicts), file_names(verdicts)


def contest_verdict(task: str, a: str, b: str, said: str, **further_fields: Any) -> dict[str, Any]:
    """Return a verdict on the answers of two authors to a task."""
    asked = {"question_sha256": digest(task), "subset": "s", **further_fields}
    return verdict(f"{task}{a}{b}", "a", said, a_by=a, b_by=b, **asked)


def scored(task: str, author: str, score: float) -> dict[str, Any]:
    fixed = {"setting": "one", "file": "f", "a_length": 1, "subset": "s"}
    asked = {"question_sha256": digest(task), "a_sha256": digest(task + author)}
    return {"item": task + author, "a_by": author, "a_score": score, **fixed, **asked}


def by_author(
    contests: Contests, known_exact_names: FileNames
) -> list[tuple[str, list[int], list[int]]]:
    """Return each contest's author, what the judge said, and what persons did."""
    names = [known_exact_names.authors[code] for code in contests.author.tolist()]
    return sorted(zip(names, contests.counts.tolist(), contests.humans.tolist(), strict=True))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (["pq", "rp", "ps"], "p"),
        (["pq", "qr"], "q"),
        (["pq", "rs"], None),  # nobody is in both
        (["pq", "qp"], None),  # both are
        (["pp", "pq"], None),  # an author against itself is no comparison
    ],
)
def test_the_baseline_is_the_only_author_of_every_comparison(
    pairs: list[str], expected: str | None
) -> None:
    rows, known_exact_names = read(
        *(contest_verdict(f"t{n}", pair[0], pair[1], "a") for n, pair in enumerate(pairs))
    )

    found = baseline_of(rows)

    assert (None if found is None else known_exact_names.authors[found]) == expected


def test_a_chosen_baseline_has_to_be_an_author_of_the_file() -> None:
    rows, known_exact_names = read(contest_verdict("t", "p", "q", "a"))

    assert chosen_baseline(
        rows, known_exact_names, Choices(baseline="q")
    ) == known_exact_names.authors.index("q")
    with pytest.raises(UsageError, match="no author 'z'"):
        chosen_baseline(rows, known_exact_names, Choices(baseline="z"))


def test_a_contest_is_won_lost_or_tied_by_the_other_author_on_whichever_side_it_stands() -> None:
    """Persons' words are turned with the side; an unreadable answer decides nothing."""
    rows, known_exact_names = read(
        contest_verdict("1", "p", "base", "a", humans=("a", "a", "tie")),
        contest_verdict("2", "base", "q", "a", humans=("a", "a", "b")),
        contest_verdict("3", "base", "r", "b"),
        contest_verdict("4", "s", "base", "tie"),
        contest_verdict("5", "t", "base", "unreadable"),
        contest_verdict("6", "p", "q", "a"),  # without the baseline
    )

    contests = against(rows, known_exact_names.authors.index("base"))

    assert by_author(contests, known_exact_names) == [
        ("p", [1, 0, 0], [2, 0, 1]),
        ("q", [0, 1, 0], [1, 2, 0]),
        ("r", [1, 0, 0], [0, 0, 0]),
        ("s", [0, 0, 1], [0, 0, 0]),
        ("t", [0, 0, 1], [0, 0, 0]),
    ]


def test_scores_are_held_against_the_baselines_mean_on_the_same_task() -> None:
    """The baseline has 2 on average on the first task, and nothing on the second."""
    rows, known_exact_names = read(
        scored("1", "base", 1),
        scored("1", "base", 3),
        scored("1", "p", 3),
        scored("1", "q", 2),
        scored("1", "r", 1),
        scored("2", "p", 5),
    )

    contests = by_scores(rows, known_exact_names.authors.index("base"))

    assert by_author(contests, known_exact_names) == [
        ("p", [1, 0, 0], [0, 0, 0]),
        ("q", [0, 0, 1], [0, 0, 0]),
        ("r", [0, 1, 0], [0, 0, 0]),
    ]


SUBSETS = {"x": 2, "y": 3, "z1": 1, "z2": 1}


def contests_of_subsets() -> tuple[Contests, FileNames]:
    rows, known_exact_names = read(
        *(
            contest_verdict(f"{subset}{task}", "p", "base", "a", subset=subset)
            for subset, tasks in SUBSETS.items()
            for task in range(tasks)
        )
    )
    return against(rows, known_exact_names.authors.index("base")), known_exact_names


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ((), {"x": ["x"], "y": ["y"]}),  # those with most tasks
        (("x", "z1"), {"x": ["x"], "z1": ["z1"]}),
        (("one=x+y", "z*"), {"one": ["x", "y"], "z*": ["z1", "z2"]}),
    ],
)
def test_domains_are_chosen_by_pattern_or_have_the_most_tasks(
    chosen: tuple[str, ...], expected: dict[str, list[str]]
) -> None:
    contests, known_exact_names = contests_of_subsets()

    found = domains_of(contests, known_exact_names, Choices(domains=chosen))

    subsets = {
        name: sorted(known_exact_names.subsets[code] for code in codes)
        for name, codes in found.items()
    }
    assert subsets == expected


@pytest.mark.parametrize("chosen", [("x",), ("x", "y", "z1"), ("x", "all=x+y")])
def test_domains_are_two_that_share_nothing(chosen: tuple[str, ...]) -> None:
    contests, known_exact_names = contests_of_subsets()

    with pytest.raises(UsageError, match="domains: expected two"):
        domains_of(contests, known_exact_names, Choices(domains=chosen))


def test_a_table_counts_by_author_in_the_order_that_is_wanted_and_task() -> None:
    rows, known_exact_names = read(
        contest_verdict("1", "p", "base", "a"),
        contest_verdict("1", "q", "base", "b"),
        contest_verdict("2", "p", "base", "tie"),
        contest_verdict("2", "p", "base", "tie"),
    )
    contests = against(rows, known_exact_names.authors.index("base"))
    order = [known_exact_names.authors.index(name) for name in ("q", "p")]

    table = table_of({"d": (contests, contests.counts)}, order)

    assert table.counts["d"].tolist() == [[[0, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 2]]]
