"""The canary's rule, and the odds on its page as sums over every outcome (Reading R76)."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path

import pytest

from epc.records.canary import (
    ERROR,
    PAIRS,
    CanaryLook,
    CanaryPanel,
    When,
    canary,
    level_of,
)

PAGE = Path("site/docs/drift.md")
DAY = "2026-11-26T00:00:00Z"


def look(first: str, second: str, later: str) -> CanaryLook:
    """Return what a panel at the end comes to: a letter a pair, T for a tie."""
    whens: tuple[When, ...] = ("start", "start", "end")
    panels = [
        CanaryPanel(
            when=when,
            first_at=DAY,
            last_at=DAY,
            answers=tuple(letters.replace("T", "-")),
            served_models=(),
            system_fingerprints=(),
        )
        for when, letters in zip(whens, (first, second, later), strict=True)
    ]
    (only,) = canary(panels).looks
    return only


def test_reading_r76_the_pairs_whose_answer_stands_alone_are_counted() -> None:
    found = look("AAAAABA", "AAAABBB", "BBBTABT")

    # Pairs 0 to 3: the look's stands alone. Pair 4: the second's. 5: none. 6: all three differ.
    assert (found.told, found.odd) == (5, 4)
    assert found.p_value == pytest.approx((5 * 2 + 1) / 3**5)  # 4 or 5 of 5 at one in three
    assert (found.level, found.departed) == (0.0125, False)


def test_reading_r76_four_changed_pairs_depart_and_three_do_not() -> None:
    for changed, departed in ((3, False), (4, True)):
        later = "B" * changed + "A" * (PAIRS - changed)
        assert look("A" * PAIRS, "A" * PAIRS, later).departed is departed


def test_reading_r76_the_looks_of_a_run_share_one_error_rate() -> None:
    assert sum(level_of(number) for number in range(1, 10_000)) < ERROR
    assert [level_of(1), level_of(2)] == [ERROR / 2, ERROR / 6]


def exact(changed: float, slip: float, pairs: int, level: float) -> float:
    """Work the odds out pair by pair: each one's three answers, over all eight outcomes.

    Nothing is shared with the program but the rule: p is the chance of so many, at one in three.
    """
    step: dict[tuple[int, int], float] = {}
    for swapped, *slips in product((0, 1), repeat=4):
        outcome = changed if swapped else 1 - changed
        for slipped in slips:
            outcome *= slip if slipped else 1 - slip
        a, b, c = slips[0], slips[1], slips[2] ^ swapped
        moved = (int(len({a, b, c}) == 2), int(a == b != c))
        step[moved] = step.get(moved, 0.0) + outcome
    reached = {(0, 0): 1.0}
    for _ in range(pairs):
        following: dict[tuple[int, int], float] = {}
        for (told, odd), chance in reached.items():
            for (more, alone), each in step.items():
                key = told + more, odd + alone
                following[key] = following.get(key, 0.0) + chance * each
        reached = following
    return sum((chance for (told, odd), chance in reached.items() if tail(odd, told) <= level), 0.0)


@cache
def tail(hits: int, n: int) -> float:
    """Return the chance of so many hits or more at one in three, by Pascal's triangle."""
    row = [1.0]
    for _ in range(n):
        lost = [2 * each / 3 for each in [*row, 0.0]]
        won = [each / 3 for each in [0.0, *row]]
        row = [x + y for x, y in zip(lost, won, strict=True)]
    return sum(row[hits:], 0.0)


def test_reading_r76_no_evaluator_gives_more_false_alarms_than_are_stated() -> None:
    for slip in (k / 40 for k in range(0, 21, 4)):
        assert exact(0.0, slip, PAIRS, 1 / 80) <= 1 / 80


def table() -> Iterator[list[str]]:
    """Yield the cells of the page's table."""
    lines = PAGE.read_text("utf-8").splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("| other verdicts |"))
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def test_reading_r76_the_page_states_the_odds() -> None:
    rows = list(table())

    assert [row[0] for row in rows] == ["0% (false alarm)", "5%", "10%", "25%", "50%", "100%"]
    for changed, row in zip((0, 5, 10, 25, 50, 100), rows, strict=True):
        for flips, cell in zip((0.0, 0.05, 0.1), row[1:], strict=True):
            slip = (1 - sqrt(1 - 2 * flips)) / 2
            share = 100 * exact(changed / 100, slip, PAIRS, 1 / 80)
            assert cell == f"{share:.1f}%", (changed, flips)
