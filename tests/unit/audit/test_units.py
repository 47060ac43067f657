"""Readings R72 to R74: verdicts by unit, in one order, without what too little was decided on."""

import numpy as np
import pytest
from audit_support import Rows, table
from numpy.typing import NDArray

from epc.audit.units import Groups, Units, in_one_order, units_of
from epc.protocol.table import VerdictTable
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS

# Two strategies: `x` wins one text task of two and ties once; visual has one task.
SMALL = table(["At", "BA"], [["AAB"], ["B"]])


def test_reading_r72_rates_are_of_decided_verdicts_by_unit() -> None:
    """Units by their counts, strategy by strategy: visual (2,1,0) (0,1,0); text's tasks before."""
    units = units_of(SMALL, ["x", "y"])

    # Text: task 0 is x (1,0,0), y (0,1,0); task 1 is x (0,0,1), y (1,0,0), which sorts first.
    assert units.domains == ("text", "visual")
    assert units.won.tolist() == [[0, 1], [1, 0], [2, 0]]
    assert units.decided.tolist() == [[0, 1], [1, 1], [3, 1]]
    assert units.tied.tolist() == [[1, 0], [0, 0], [0, 0]]
    assert units.first == 2
    assert units.decided_share == 7 / 8
    assert units.tie.tolist() == [1 / 5, 0]  # one of x's five, both domains together
    assert not units.grouped


def test_reading_r73_the_domain_whose_units_sort_first_comes_first_whatever_it_is_called() -> None:
    units = units_of(table(["A"], ["B"]), ["x"])

    assert units.domains == ("visual", "text")
    assert units.won.tolist() == [[0], [1]]


def test_reading_r73_strategies_stand_in_the_order_of_their_names() -> None:
    units = units_of(table(["AA", "BB"], ["AA", "BB"]), ["z", "a"])

    assert units.strategies == ("a", "z")
    assert units.won.tolist() == [[0, 1]] * 4


def test_reading_r73_units_of_equal_content_are_equal_and_others_are_not() -> None:
    units = units_of(SMALL, ["x", "y"])
    same_units = units_of(table(["tA", "AB"], [["ABA"], ["B"]], repeated=True), ["x", "y"])

    assert units == same_units
    assert hash(units) == hash(same_units)
    assert units != units_of(SMALL, ["x", "w"])
    assert units != units_of(table(["At", "BA"], [["AABt"], ["B"]]), ["x", "y"])
    assert units != units_of(table(["At", "BA"], [["ABB"], ["B"]]), ["x", "y"])
    alone: Groups = {"text": ["1", "2"], "visual": ["1"]}
    assert units != units_of(SMALL, ["x", "y"], alone)
    assert units != "units"


def dealt(text: int, visual: int) -> Units:
    """Return units of so many tasks, all of them decided alike."""
    return units_of(table(["A" * text, "B" * text], ["A" * visual, "B" * visual]), ["x", "y"])


@pytest.mark.parametrize(
    ("text", "visual", "splits"),
    [
        (1, 1, 1),
        (3, 3, 10),  # 20 choices of 3 of 6, each with its mirror image
        (4, 4, 35),
        (8, 8, 6435),
        (3, 4, 35),  # of unequal sizes, none has a mirror image
        (4, 3, 35),
        (1, 19, 20),
        (28, 28, 3824345300380220),
        (29, 29, 2**53 - 1),  # 1.5e16, more than a JSON number holds exactly
        (128, 500, 2**53 - 1),
    ],
)
def test_reading_r74_distinct_splits_are_counted_once_with_their_mirror_image(
    text: int, visual: int, splits: int
) -> None:
    units = dealt(text, visual)

    assert units.splits == splits
    assert units.numbers == {"text": text, "visual": visual}
    assert (units.fewest, units.largest) == (min(text, visual), max(text, visual))


def test_reading_r74_tasks_of_a_group_are_one_unit() -> None:
    """Groups are summed: "ab" has 2 of x's wins and a tie; a domain's names are its own."""
    groups: Groups = {"text": ["ab", "c", "ab"], "visual": ["ab"]}

    units = units_of(table(["ABA", "BtB"], ["A", "B"]), ["x", "y"], groups)

    # Text c: x (0,1,0), y (0,0,1). Text ab: x (2,0,0), y (0,2,0). Visual: x (1,0,0), y (0,1,0).
    assert units.domains == ("text", "visual")
    assert units.won.tolist() == [[0, 0], [2, 0], [1, 0]]
    assert units.decided.tolist() == [[1, 0], [2, 2], [1, 1]]
    assert units.tied.tolist() == [[0, 1], [0, 0], [0, 0]]
    assert units.numbers == {"text": 2, "visual": 1}
    assert units.grouped


def test_reading_r74_groups_are_told_apart_by_every_character_of_their_names() -> None:
    names = ["a", "a\0", "A", "ä", "a\u0308", "", " "]
    groups: Groups = {"text": names, "visual": ["one"] * 7}

    units = units_of(table(["A" * 7, "B" * 7], ["A" * 7, "B" * 7]), ["x", "y"], groups)

    assert units.numbers == {"text": 7, "visual": 1}


def test_reading_r74_a_left_out_task_takes_no_place_in_its_group() -> None:
    """The second text task is decided for none of the strategies."""
    groups: Groups = {"text": ["g", "h", "h"], "visual": ["g", "g", "g"]}

    units = units_of(table(["AtA", "AtA"], ["BBB", "BBB"]), ["x", "y"], groups)

    assert units.left_out.tasks == {"text": (1,), "visual": ()}
    assert units.decided.sum() == 10
    assert units.numbers == {"visual": 1, "text": 2}


def left_out(given: VerdictTable) -> tuple[str, dict[Domain, tuple[int, ...]]]:
    """Return the names of the strategies, a letter each, and the places that are left out."""
    units = units_of(given, "abcdefgh"[: given.strategies])
    return "".join(units.left_out.strategies), dict(units.left_out.tasks)


HALF, UNDER = ["AA..", "BBBB", "BBBB"], ["A...", "BBBB", "BBBB"]
FULL = ["BBBB"] * 3


@pytest.mark.parametrize(
    ("text", "visual", "whole", "without"),
    [
        (HALF, FULL, True, ""),  # half of a domain's tasks is enough
        (UNDER, FULL, True, "a"),
        (FULL, UNDER, True, "a"),  # in either domain
        (UNDER, FULL, False, ""),  # nobody has come to the other pairs yet
        (["AAtt", "BBBB", "BBBB"], FULL, False, ""),
        (["Attt", "BBBB", "BBBB"], FULL, False, "a"),  # a tie is no decision
        (["A.tt", "BBBB", "BBBB"], FULL, False, "a"),  # one of the three that were asked
        (["A..t", "BBBB", "BBBB"], FULL, False, ""),
        (["....", "BBBB", "BBBB"], FULL, False, "a"),  # never asked: nothing is known
    ],
)
def test_reading_r72_a_strategy_decided_on_under_half_of_a_domains_tasks_is_left_out(
    text: Rows, visual: Rows, *, whole: bool, without: str
) -> None:
    assert left_out(table(text, visual, whole=whole)) == (without, {"text": (), "visual": ()})


@pytest.mark.parametrize(
    ("column", "whole", "out"),
    [
        ("A.......", True, True),  # one of eight
        ("AB......", True, False),  # a quarter is enough
        ("A.......", False, False),  # one of one that was asked
        ("Attt....", False, False),
        ("Atttt...", False, True),
        ("tttttttt", False, True),
        ("........", False, True),
    ],
)
def test_reading_r72_a_task_decided_for_under_a_quarter_of_the_strategies_is_left_out(
    column: str, *, whole: bool, out: bool
) -> None:
    rows = ["BBB" + said for said in column]

    assert left_out(table(rows, ["AAAA"] * 8, whole=whole)) == (
        "",
        {"text": (3,) if out else (), "visual": ()},
    )


@pytest.mark.parametrize("whole", [True, False])
def test_reading_r72_a_strategy_goes_with_the_only_tasks_that_it_was_decided_on(
    *,
    whole: bool,
) -> None:
    """Tasks 0 and 1 of text are decided for one of eight, so nothing of `a` is left there."""
    undecided = ".." if whole else "tt"
    rows = ["AA..", *[undecided + "BB"] * 7]

    assert left_out(table(rows, ["AAAA"] * 8, whole=whole)) == ("a", {"text": (0, 1), "visual": ()})


def test_reading_r72_shares_of_tasks_are_of_the_strategies_that_are_kept() -> None:
    """Four of six go; of the two that stay, one decided is enough where one of six was not."""
    rows = ["AAAA", "AAA."] + ["A..."] * 4

    assert left_out(table(rows, ["AAAA"] * 6, whole=True)) == ("cdef", {"text": (), "visual": ()})


@pytest.mark.parametrize(
    ("given", "bearable"),
    [
        (table(["At", "Bt"], ["tt", "tt"]), False),  # no visual task is left
        (table(["Attt", "Attt"], [["Attt"], ["Attt"]]), False),  # strategies tie on most tasks
        (table([["Attt"], ["Attt"]], [["Attt"], ["Attt"]]), True),  # a quarter decided
        (table([["Attt"], ["Attt"]], [["Attt"], ["Atttt"]]), False),  # 4 of 17
        (table(["AA"], ["BB"]), False),  # one strategy has nothing to lose to
        (table(["A", "B"], ["A", "B"]), True),
        (table([".", "."], [".", "."]), False),
        (table(["AB", "BA"], ["", ""]), False),
    ],
)
def test_reading_r72_figures_take_two_strategies_a_task_a_domain_and_a_quarter_decided(
    given: VerdictTable, *, bearable: bool
) -> None:
    assert units_of(given, ["x", "y"][: given.strategies]).bearable is bearable


def test_reading_r72_the_decided_share_is_of_all_verdicts_those_left_out_too() -> None:
    units = units_of(table(["AAAA", "tttt"], ["BBBB", "tttt"]), ["x", "y"])

    assert units.left_out.strategies == ("y",)
    assert units.decided_share == 1 / 2
    assert units_of(table(["."], ["."]), ["x"]).decided_share == 0


def test_reading_r73_one_order_takes_no_notice_of_names_of_domains_or_places_of_tasks() -> None:
    verdict_table = table(["AB", "tA"], ["BB", "AA"])
    other_verdict_table = table(
        ["AA", "BB"], ["At", "BA"]
    )  # strategies, tasks and domains exchanged

    first_verdict_table, two_verdict_tables = (
        in_one_order(verdict_table, ["x", "y"]),
        in_one_order(other_verdict_table, ["y", "x"]),
    )

    # Lost sorts before won: text's tasks become x lost, y won; x won, y tied. Visual's are twice
    # the first of these, so they come first.
    ordered = table(["BB", "AA"], ["BA", "At"])
    for domain in DOMAINS:
        assert np.array_equal(first_verdict_table.counts[domain], ordered.counts[domain])
    for domain in DOMAINS:
        assert np.array_equal(first_verdict_table.counts[domain], two_verdict_tables.counts[domain])
    assert not first_verdict_table.repeated


def _units(numbers: NDArray[np.float64]) -> Units:
    from epc.audit.units import LeftOut

    return Units(
        domains=("text", "visual"),
        strategies=("x", "y"),
        won=numbers,
        decided=numbers,
        tied=numbers * 0,
        first=1,
        left_out=LeftOut(strategies=(), tasks={}),
        decided_share=1.0,
        grouped=False,
    )


def test_reading_r72_no_comparison_at_all_has_no_share_of_ties() -> None:
    assert _units(np.zeros((2, 2))).tie.tolist() == [0, 0]
