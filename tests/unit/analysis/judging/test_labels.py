"""Judges against people, by hand."""

import pytest

from epc.analysis.judging.labels import Counted, against_labels, labels_for, passes_by_people
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
    assert (row.passes.figures["tpr"].value, row.passes.figures["tnr"].value) == (1, 0)


def counted_questions(judge: float, people: float | None, times: int, index: int) -> list[Counted]:
    return [(f"Q{index + n}", judge, people) for n in range(times)]


def test_reading_r101_what_people_would_pass_follows_from_what_they_say_of_both() -> None:
    """The judge passes 9 of 10 that people pass, and 2 of 10 that they fail: 11 of 20.

    Of 40 in all it passes 31. People pass 9 of 11 that it passes, and 1 of 9 that it fails:
    31/40 * 9/11 + 9/40 * 1/9. Wilson's ends: of 31/40 .6250 and .8768, of 9/11 .5230 and .9486, of
    1/9 .0199 and .4350. The distances below are .775 * .2952, .225 * .0912 and .7071 * .1500,
    whose squares add up to .06399; above .775 * .1304, .225 * .3239 and .7071 * .1018.
    """
    counted = [
        *counted_questions(1, 1, 9, 0),
        *counted_questions(0, 1, 1, 9),
        *counted_questions(1, 0, 2, 10),
        *counted_questions(0, 0, 8, 12),
        *counted_questions(1, None, 20, 20),
    ]

    found = passes_by_people(counted)

    figure = found.figures["corrected_pass_share"]
    assert figure.value == pytest.approx(31 / 40 * 9 / 11 + 9 / 40 * 1 / 9)
    assert figure.ci95 == pytest.approx((0.6591 - 0.2530, 0.6591 + 0.1439), abs=2e-4)


def test_labels_for_a_width_are_the_fewest_whose_interval_is_no_wider() -> None:
    """Worked out with SciPy's Wilson intervals, apart from the program.

    Without a judge Wilson's half width at n labels is 1.96 / 2 / sqrt(n + 3.84): .08 at 147.
    """
    found = dict(labels_for(0.08, 400))

    assert (found[0.02], found[0.05], found[0.1], found[0.2], found[0.5]) == (59, 69, 85, 112, 147)
    assert 1.959964 / 2 / (147 + 3.8415) ** 0.5 <= 0.08 < 1.959964 / 2 / (146 + 3.8415) ** 0.5
    assert dict(labels_for(0.08, 100))[0.02] is None  # the judge's own share is within 0.096
