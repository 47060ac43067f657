"""Figures of lists of candidates, worked out by hand (Reading R77)."""

from typing import Any

import numpy as np
import pytest
from observed_support import columns, report

from epc.analysis.verdicts_lists import (
    best,
    common,
    independent,
    lists_of,
    side_by_side,
    with_pairs,
)
from epc.records.verdicts.converting import digest

NAMES = [digest(name) for name in "abc"]  # by their digests c, b, a


def asking(number: int, said: Any, repeat: int = 0, **further_fields: Any) -> dict[str, Any]:
    """Return an asking on a list of three, the first of which is right."""
    return {
        "item": f"{number}",
        "setting": "one",
        "file": "f",
        "repeat": repeat,
        "question_sha256": digest(f"q{number}"),
        "candidates": NAMES,
        "right": 0,
        **({"scores": said} if isinstance(said, list) else {"picked": said}),
        **further_fields,
    }


def figures(*lines: dict[str, Any]) -> dict[str, float]:
    return {
        name: clustered_figure.value
        for name, clustered_figure in report(*lines).groups[0].figures.items()
    }


def test_reading_r77_a_pair_of_a_list_has_the_lower_digest_as_a() -> None:
    assert sorted(NAMES) == [NAMES[2], NAMES[1], NAMES[0]]
    _, verdicts = columns(asking(1, [3.0, 1.0, None]))

    pairs = with_pairs(verdicts)

    assert len(pairs) == 2  # the right one with each other
    assert [pairs.gold.names[code] for code in pairs.gold.codes] == ["b", "b"]
    assert np.array_equal(pairs.a_score.as_numbers(), [1.0, np.nan], equal_nan=True)
    assert pairs.b_score.as_numbers().tolist() == [3.0, 3.0]
    assert pairs.verdict.codes.tolist() == [-1, 0]  # the second is unreadable


def test_reading_r77_a_tie_for_the_best_is_shared_and_scores_of_askings_add_up() -> None:
    """At once 1/2 and 0, over two askings 5, 5 and 1: again 1/2."""
    figure_rows = figures(asking(1, [3.0, 3.0, 1.0]), asking(1, [2.0, 2.5, 0.0], 1))

    assert figure_rows["best/1"] == 0.25
    assert figure_rows["best/2"] == 0.0  # 5 against 5.5
    assert figure_rows["pairs/1"] == 0.5  # of each asking one of two
    assert figure_rows["pairs/2"] == 0.5


def test_reading_r26_what_has_no_score_is_wrong_and_could_be_right() -> None:
    group = report(asking(1, [None, 1.0, 0.0]), asking(2, [2.0, 1.0, 0.0])).groups[0]

    assert group.figures["best/1"].value == 0.5
    assert group.figures["best/1"].bounds == (0.5, 1.0)
    assert group.figures["accuracy_readable"].bounds == (0.5, 1.0)


def test_reading_r77_places_weigh_alike_however_often_the_right_one_stood_there() -> None:
    """It is found at A in one of one, at B in one of two, at C in none of one."""
    at = {"A": (0, 1, 2), "B": (1, 0, 2), "C": (1, 2, 0)}
    figure_rows = figures(
        asking(1, 0, order=at["A"]),
        asking(1, 0, order=at["B"]),
        asking(2, 1, order=at["B"]),
        asking(2, 1, order=at["C"]),
    )

    assert figure_rows["best/1"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert [figure_rows[f"place_right/{place}"] for place in "ABC"] == [1, 0.5, 0]
    assert figure_rows["place_picked/A"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert figure_rows["rearranged_consistency"] == 1  # both lists keep their pick
    assert "accuracy" not in figure_rows  # a pick is no verdict on two


def test_reading_r77_a_repeat_is_of_the_same_arrangement() -> None:
    one, other = (0, 1, 2), (2, 1, 0)
    figure_rows = figures(
        asking(1, 0, order=one), asking(1, 0, 1, order=one), asking(1, 2, order=other)
    )

    assert (figure_rows["repeat_consistency"], figure_rows["rearranged_consistency"]) == (1, 0)


def test_a_panel_adds_up_scores_and_its_judges_share_as_much_as_their_errors_correlate() -> None:
    """Errors 1, 1, 0, 0 and 1, 0, 0, 1: nothing in common. The third judge errs as the first."""
    right, wrong = [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]
    said = {"one": (wrong, wrong, right, right), "other": (wrong, right, right, wrong)}
    said["stated"] = said["one"]
    lines = [
        asking(number, scores, setting=setting)
        for setting, each in said.items()
        for number, scores in enumerate(each)
    ]
    _, verdicts = columns(*lines)
    codes = verdicts.setting.codes
    judges = [side_by_side(lists_of(verdicts[codes == code])) for code in range(3)]
    judges = common(judges)

    alike, apart = (dict(independent([judges[0], judges[at]])) for at in (2, 1))
    three = dict(independent(judges))

    assert (alike["error_correlation"].value, alike["independent_judges"].value) == (1, 1)
    assert (apart["error_correlation"].value, apart["independent_judges"].value) == (0, 2)
    assert three["independent_judges"].value == pytest.approx(3 / (1 + 2 * (1 / 3)))
    assert best([(judges[0], 1)]).tolist() == [0, 0, 1, 1]
    assert best([(judges[0], 1), (judges[1], 1)]).tolist() == [0, 0.5, 1, 0.5]


def test_reading_r27_another_decoding_of_one_judge_is_an_effect_on_common_questions() -> None:
    right, wrong = [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]
    lines = [asking(n, right if n else wrong) for n in range(4)]  # the fourth is asked here alone
    warmer = [asking(n, right, setting="warmer") for n in range(3)]

    (way_comparison,) = report(*lines, *warmer).effects

    assert way_comparison.settings == ["one", "warmer"]
    assert way_comparison.figures["best/1"].value == pytest.approx(1 / 3)
    assert way_comparison.figures["accuracy"].value == pytest.approx((1 - 0) / 3)
