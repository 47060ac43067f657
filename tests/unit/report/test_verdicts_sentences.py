"""Sentences of an audit at their borders, by hand (Reading R101)."""

import pytest

from epc.analysis.verdicts_labels import PassLabels, PassRows, of_labels
from epc.arrays import np
from epc.report.verdicts_sentences import of_passes, percent


def sentences(judge: str, people: str, *, of_gold: bool = False) -> list[str]:
    """Return what is said of verdicts and labels, a letter a row: p, f, u unreadable, - none."""
    values = {"p": 1.0, "f": 0.0, "u": np.nan, "-": np.nan}
    rows = PassRows(
        passes=np.array([values[letter] for letter in judge]),
        label=np.array([values[letter] for letter in people]),
        cluster=np.arange(len(judge)),
        unit=np.arange(len(judge)),
    )
    found = of_labels(rows, of_gold=of_gold)
    assert found
    figures, labels = found
    assert isinstance(labels, PassLabels)
    return [*of_passes("j", figures, labels)]


def test_where_people_failed_none_nothing_is_known_of_what_a_judge_catches() -> None:
    first, *others = sentences("pppf", "pppp")

    assert first == (
        "j passes 75% of the 4 answers that people passed [30%, 95%]; "
        "people failed none: what it catches is not known."
    )
    assert not [line for line in others if "tells the two apart" in line]


def test_where_people_passed_none_nothing_is_known_of_what_a_judge_lets_through() -> None:
    assert sentences("pf", "ff")[0].endswith(
        "fails 50% of the 2 answers that people failed [9%, 91%]; "
        "people passed none: what it lets through is not known."
    )


def test_a_judge_that_answers_the_wrong_way_round_is_asked_for_its_labels() -> None:
    """By gold, of 20 and 20 it says the contrary in all: no end lies below 0."""
    first, second, third, _ = sentences("p" * 20 + "f" * 20, "f" * 20 + "p" * 20, of_gold=True)

    assert "20 answers that are labelled pass [0%, 16%]" in first
    assert second == (
        "It answers the wrong way round: balanced accuracy 0.00 [0.00, 0.11], a coin has 0.50. "
        "Are its labels reversed?"
    )
    assert third.startswith("It agrees with the labels in 0%; always saying pass would in 50%.")


def test_a_judge_that_says_one_word_has_a_kappa_of_0() -> None:
    assert "Kappa 0.00 [" in sentences("f" * 12, "p" * 3 + "f" * 9)[2]


def test_no_difference_of_shares_passes_a_hundred_points() -> None:
    assert sentences("pppf", "pppp")[-1].endswith("no difference is shown [-100.0, +72.6].")


def test_unreadable_verdicts_stand_in_bounds_and_count_for_nothing() -> None:
    """Of three read ones two agree; with two unreadable ones 2 of 5 would at least, 4 at most."""
    rows = PassRows(
        passes=np.array([1.0, 0.0, 1.0, np.nan, np.nan]),
        label=np.array([1.0, 0.0, 0.0, 1.0, 0.0]),
        cluster=np.arange(5),
        unit=np.arange(5),
    )
    found = of_labels(rows)
    assert found

    agreement = found[0]["agreement"]
    assert agreement.n == 3
    assert agreement.value == pytest.approx(2 / 3)
    assert agreement.bounds == pytest.approx((2 / 5, 4 / 5))
    assert found[0]["tpr"].bounds == pytest.approx((1 / 2, 1))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.004, "<1%"), (0.365, "37%"), (0.99, "99%"), (0.999, ">99%"), (1, "100%")],
)
def test_what_is_not_none_or_all_is_not_rounded_to_it(share: float, text: str) -> None:
    assert percent(share) == text
