"""Whether a judge favours its own outputs: the difference, and its spread over questions."""

from math import sqrt
from typing import Any

import numpy as np
import pytest
from observed_support import columns, verdict
from scipy import stats

from epc.analysis.verdicts_rows import file_names, rows_of
from epc.analysis.verdicts_self_preference import _difference, of_own
from epc.records.verdicts.converting import digest
from epc.records.verdicts.types import Choices
from epc.statistics.figures import ClusteredFigure


def test_reading_r24_own_outputs_gain_over_others_by_the_difference_of_two_means() -> None:
    """Own outputs gain 1/2 on average, others' 1/4; each question moves the difference by itself.

    Off by +1/2 and -1/2 of two own outputs, by 1/4 and -1/4 of two others': halved, +-1/4 and
    +-1/8. Squared they add up to 2/16 + 2/64 = 5/32, times 4/3 for four questions.
    """
    mine = (np.array([1.0, 0.0]), np.array([0, 1]))
    theirs = (np.array([0.0, 0.5]), np.array([2, 3]))
    half = float(stats.t.isf(0.025, 3)) * sqrt(5 / 32 * 4 / 3)

    clustered_figure = _difference([(mine, theirs)])

    assert (clustered_figure.value, clustered_figure.n, clustered_figure.items) == (0.25, 2, 4)
    assert clustered_figure.ci95 == pytest.approx((0.25 - half, 0.25 + half), abs=1e-9)


def test_reading_r24_several_other_judges_count_alike() -> None:
    one, none = np.array([1.0]), np.array([0.0, 0.0, 0.0])
    favours = ((one, np.array([0])), (np.array([0.0]), np.array([1])))
    does_not = ((none, np.array([0, 2, 3])), (np.array([0.0]), np.array([1])))

    clustered_figure = _difference([favours, does_not])

    assert (clustered_figure.value, clustered_figure.n, clustered_figure.items) == (0.5, 4, 4)


def authored_verdicts(setting: str, *said: tuple[str, str, str, str]) -> list[dict[str, Any]]:
    """Return what a judge said of tasks: each with the authors of a and b, and the winner."""
    return [
        verdict(task, "a", winner, setting=setting, question_sha256=digest(task), a_by=a, b_by=b)
        for task, a, b, winner in said
    ]


def self_preference(*lines: dict[str, Any]) -> ClusteredFigure:
    """Return by how much the judge of `one` favours author p, against the judge of `other`."""
    header, verdicts = columns(*lines)
    rows, of_file = rows_of(verdicts), file_names(verdicts)
    names = verdicts.setting.names
    judge, other = (
        (name, header.settings[name], rows[verdicts.setting.codes == names.index(name)])
        for name in ("one", "other")
    )
    choices = Choices(same={header.settings["one"].judge.name: "p"})
    ((name, figure),) = of_own(judge, [other], of_file, choices)
    assert name == "self_preference"
    return figure


def test_reading_r24_a_judge_is_held_against_another_on_its_own_and_others_outputs() -> None:
    """Its own: it gives both tasks to p, wherever p stands, the other judge one: 1/2 more.

    Others': q has one of two tasks of it, and none of the other judge: 1/2 more as well.
    """
    request = authored_verdicts("one", ("1", "p", "base", "a"), ("2", "base", "p", "b"))
    request += authored_verdicts("one", ("3", "q", "base", "a"), ("4", "base", "q", "a"))
    other_request = authored_verdicts("other", ("1", "p", "base", "a"), ("2", "base", "p", "a"))
    other_request += authored_verdicts("other", ("3", "q", "base", "b"), ("4", "base", "q", "a"))

    clustered_figure = self_preference(*request, *other_request)

    assert (clustered_figure.value, clustered_figure.n, clustered_figure.items) == (0, 2, 4)


def test_reading_r24_a_verdict_without_authors_is_no_comparison_with_the_baseline() -> None:
    """Own outputs gain 1, others' 1/2: a difference of 1/2, whatever else is in the file."""
    request = authored_verdicts(
        "one", ("1", "p", "base", "a"), ("3", "q", "base", "a"), ("4", "q", "base", "b")
    )
    other_request = authored_verdicts(
        "other", ("1", "p", "base", "b"), ("3", "q", "base", "b"), ("4", "q", "base", "b")
    )
    unknown = [
        verdict(task, "a", "a", setting=name, question_sha256=digest(task), **author)
        for name in ("one", "other")
        for task, author in (("7", {"a_by": "z"}), ("8", {"b_by": "z"}), ("9", {}))
    ]

    assert self_preference(*request, *other_request).value == 1 / 2
    assert self_preference(*request, *other_request, *unknown).value == 1 / 2
