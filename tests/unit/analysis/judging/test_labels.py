"""Judges against people, by hand."""

import pytest

from epc.analysis.judging.labels import Counted, against_labels, corrected_share, labels_for
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

    label_report = against_labels(judgments, labels)

    (row,) = label_report.judges
    assert (label_report.outputs, label_report.undecided, label_report.labellers) == (3, 0, 1)
    assert (row.judge, row.labelled, row.lost) == ("j", 2, 1)
    assert (row.same_verdict.count, row.same_verdict.value) == (1, 1 / 2)
    # Of what people scored 0 the judge scored one output 2, and so of what they scored 2.
    assert row.errors[0].counts == ((0, 0, 1), (0, 0, 0), (0, 0, 1))
    assert row.passes.stated.value == pytest.approx(2 / 3)
    # Two of three labels are PASS, whatever the judge judged.
    assert (label_report.passes.count, label_report.passes.value) == (2, 2 / 3)
    assert (row.passes.sensitivity.value, row.passes.specificity.value) == (1, 0)


def counted_questions(judge: float, people: float | None, times: int, index: int) -> list[Counted]:
    return [(f"Q{index + n}", judge, people) for n in range(times)]


def test_a_pass_share_is_put_right_by_the_errors_on_labelled_outputs() -> None:
    """The judge passes 9 of 10 that people pass, and 2 of 10 that they fail: 11 of 20.

    Of 40 in all it passes 31. Rogan and Gladen: (31/40 - 2/10) / (9/10 - 2/10) = 23/28. Prediction-
    powered: 31/40, less the 1/20 that it passes more than people do.
    """
    counted = [
        *counted_questions(1, 1, 9, 0),
        *counted_questions(0, 1, 1, 9),
        *counted_questions(1, 0, 2, 10),
        *counted_questions(0, 0, 8, 12),
        *counted_questions(1, None, 20, 20),
    ]

    found = corrected_share(counted)

    assert found.rogan_gladen.value == pytest.approx(23 / 28)
    assert found.prediction_powered.value == pytest.approx(31 / 40 - 1 / 20)
    for figure in (found.rogan_gladen, found.prediction_powered):
        assert figure.ci95 is not None
        assert figure.value is not None
        assert 0 <= figure.ci95[0] < figure.value < figure.ci95[1] <= 1


def test_few_labels_of_many_questions_give_no_interval_and_the_reason() -> None:
    """Of 100 questions twice the square root is 20."""
    few, enough = (
        corrected_share(
            [*counted_questions(1, 1, labels, 0), *counted_questions(1, None, 100 - labels, labels)]
        )
        for labels in (19, 20)
    )

    assert few.prediction_powered.value == enough.prediction_powered.value == 1
    assert few.prediction_powered.ci95 is None
    assert few.no_interval == (
        "19 of 100 questions have labels: an interval takes 20, twice the square root of all"
    )
    assert enough.no_interval is None


def test_labels_without_an_error_leave_a_quarter_of_an_error_squared() -> None:
    """Forty labels of 60 outputs, no error seen, half of all PASS.

    The variance of the judge's share is 1/4 of 59, and (1/40)^2 / 4 is added; Student's t of 39
    degrees of freedom is 2.0227.
    """
    counted = [(f"Q{n}", float(n % 2), float(n % 2) if n < 40 else None) for n in range(60)]

    mean = corrected_share(counted).prediction_powered

    assert mean.ci95 is not None
    half = 2.0227 * (0.25 / 59 + 0.25 / 40**2) ** 0.5
    assert mean.ci95[1] - mean.ci95[0] == pytest.approx(2 * half, rel=1e-4)


def test_labels_for_a_width_are_the_fewest_whose_interval_is_no_wider() -> None:
    """By hand at 400 outputs and 0.08: 1/4 of 400 is the judge's, and t of 39 is 2.0227.

    Forty labels are twice the square root. A judge that errs in 2%: 2.0227 times the root of
    1/1600 + (0.02 + 0.25/40) / 40 is 0.0725. In 10%, with t of 102 and 101, 1.9835 and 1.9837:
    the root of 1/1600 + (0.1 + 0.25/103) / 103 is 0.04024, of 102 labels 0.04037.
    Without a judge: 1.9757^2 x 0.25 / 0.08^2 is 152.5. A judge that errs in a fifth saves nothing.
    """
    found = dict(labels_for(0.08, 400))

    assert (found[0.02], found[0.1], found[0.2], found[0.25]) == (40, 103, 153, 153)
    assert 1.9835 * 0.04024 <= 0.08 < 1.9837 * 0.04037
    assert dict(labels_for(0.08, 100))[0.02] is None  # the judge's own share is within 0.1
