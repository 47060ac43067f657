"""Judges against people, by hand."""

from math import ceil

import pytest

from epc.analysis.judging.labels import Counted, against_labels, corrected, labels_for
from epc.analysis.judging.shares import Judgment
from epc.judge.check import no_quotes
from epc.judge.samples import Unit
from epc.records.judging.labels import Label

FULL, NONE = (2, 2, 2, 2), (0, 0, 0, 0)


def unit(number: int) -> Unit:
    return Unit(
        question_id=f"Q{number}", prompt_variant="A", target_model="t", output_id=f"o{number}"
    )


def judged(number: int, verdict: str) -> Judgment:
    return Judgment(
        unit=unit(number),
        output_sha256="0",
        judge_model="j",
        method="cross_judge",
        valid=True,
        verdict=verdict,
        scores=FULL if verdict == "PASS" else NONE,
        quotes=no_quotes(2),
    )


def label(number: int, verdict: str) -> Label:
    scores = FULL if verdict == "PASS" else NONE
    return Label(unit=unit(number), labeller="p", verdict=verdict, scores=scores)


def test_a_judge_is_held_against_people_on_what_both_judged() -> None:
    """People label three outputs of which the judge judged two, and one of these alike."""
    judgments = [judged(0, "PASS"), judged(1, "PASS"), judged(3, "FAIL")]
    labels = [label(0, "PASS"), label(1, "FAIL"), label(2, "PASS")]

    found = against_labels(judgments, labels)

    (row,) = found.judges
    assert (found.outputs, found.undecided, found.labellers) == (3, 0, 1)
    assert (row.judge, row.labelled, row.lost) == ("j", 2, 1)
    assert (row.same_verdict.count, row.same_verdict.share) == (1, 1 / 2)
    # Of what people scored 0 the judge scored one output 2, and so of what they scored 2.
    assert row.errors[0].counts == ((0, 0, 1), (0, 0, 0), (0, 0, 1))
    assert row.passes.stated.share == pytest.approx(2 / 3)
    assert row.passes.labels.share == 1 / 2
    assert (row.passes.sensitivity.share, row.passes.specificity.share) == (1, 0)


def seen(judge: float, people: float | None, times: int, at: int) -> list[Counted]:
    return [(f"Q{at + n}", judge, people) for n in range(times)]


def test_a_pass_share_is_put_right_by_the_errors_on_labelled_outputs() -> None:
    """The judge passes 9 of 10 that people pass, and 2 of 10 that they fail: 11 of 20.

    Of 40 in all it passes 31. Rogan and Gladen: (31/40 - 2/10) / (9/10 - 2/10) = 23/28. Prediction-
    powered: 31/40, less the 1/20 that it passes more than people do.
    """
    counted = [
        *seen(1, 1, 9, 0),
        *seen(0, 1, 1, 9),
        *seen(1, 0, 2, 10),
        *seen(0, 0, 8, 12),
        *seen(1, None, 20, 20),
    ]

    found = corrected(counted)

    assert found.rogan_gladen.mean == pytest.approx(23 / 28)
    assert found.prediction_powered.mean == pytest.approx(31 / 40 - 1 / 20)
    for figure in (found.rogan_gladen, found.prediction_powered):
        assert figure.ci95 is not None
        assert figure.mean is not None
        assert 0 <= figure.ci95[0] < figure.mean < figure.ci95[1] <= 1


def test_a_judge_that_is_no_better_than_chance_puts_nothing_right() -> None:
    counted = [*seen(1, 1, 5, 0), *seen(1, 0, 5, 5)]

    assert corrected(counted).rogan_gladen.mean is None
    assert corrected(seen(1, None, 5, 0)).prediction_powered.mean is None


def test_labels_for_a_width_are_the_normal_points_square_times_the_variance() -> None:
    """1.95996 squared is 3.84146, and the variance of a share is a quarter at most."""
    found = dict(labels_for(0.05))

    assert found[0.25] == ceil(3.84146 * 0.25 / 0.0025)
    assert found[0.02] == ceil(3.84146 * 0.02 / 0.0025)
