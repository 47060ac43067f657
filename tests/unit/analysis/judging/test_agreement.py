"""How far judges agree on outputs that all of them judged, by hand and by SciPy (R24, R26)."""

import pytest
from scipy import stats

from epc.analysis.judging.agreement import (
    between_judges,
    over_readable,
    ratings_by,
    score_agreement,
    self_preferences,
)
from epc.analysis.judging.shares import Judgment
from epc.judge.check import no_quotes
from epc.judge.samples import Unit
from epc.spec.judge_v1 import OVERALL


def judgment_of(
    judge: str,
    question: str,
    overall: int,
    *,
    target: str = "t",
    valid: bool = True,
    scale: float | None = None,
) -> Judgment:
    unit = Unit(question_id=question, prompt_variant="A", target_model=target,
                output_id=f"{target}/{question}")  # fmt: skip
    return Judgment(
        unit=unit, output_sha256="0", judge_model=judge, method=unit.before(judge).method,
        valid=valid, verdict="PASS" if overall > 6 else "FAIL", quotes=no_quotes(2),
        scores=tuple(min(2, max(0, overall - 2 * n)) for n in range(4)), own_scale=scale,
    )  # fmt: skip


ONE, OTHER = (8, 5, 2, 7), (8, 7, 2, 3)
PAIRS = [
    judgment_of(judge, f"q{n}", overall, scale=10.0 * overall if n else None)
    for judge, row in (("j", ONE), ("k", OTHER))
    for n, overall in enumerate(row)
]


def test_two_judges_are_compared_on_what_both_judged_validly() -> None:
    rated = ratings_by("cross_judge", [
        *PAIRS, judgment_of("j", "q9", 1), judgment_of("k", "q8", 8, valid=False),
                                       judgment_of("t", "q0", 8)])  # fmt: skip

    assert {judge: len(table) for judge, table in rated.items()} == {"j": 5, "k": 4}
    found = score_agreement(rated["j"], rated["k"])
    gaps = [0, 2, 0, -4]
    assert found.outputs == 4
    # Pass from 7 on: passed by both, by the second, by neither, by the first.
    assert (found.same_verdict.count, found.same_verdict.value) == (2, 0.5)
    assert found.same_overall.value == 0.5
    assert found.mean_difference.value == -0.5
    plain = stats.t.interval(0.95, 3, -0.5, stats.sem(gaps))
    assert found.mean_difference.ci95 == pytest.approx(plain)
    assert found.mean_absolute_error.value == 1.5
    low, high = found.mean_absolute_error.ci95 or (0, 0)
    assert 0 <= low < 1.5 < high <= 8
    assert found.own_scale is not None
    assert found.own_scale.outputs == 3
    assert found.own_scale.same.value == pytest.approx(1 / 3)
    assert found.own_scale.mean_absolute_error.value == 20
    assert found.own_scale.mean_absolute_error.ci95 is None, "nobody knows where that scale ends"
    none = score_agreement(rated["j"], {})
    assert (none.outputs, none.own_scale) == (0, None)


def test_kappa_is_one_less_the_squared_distances_over_those_by_chance() -> None:
    agreement = between_judges(PAIRS)
    (pair,) = agreement.pairs

    by_chance = sum((a - b) ** 2 for a in ONE for b in OTHER) / 16
    kappa = 1 - (4 + 16) / 4 / by_chance
    assert pair.judges == ("j", "k")
    assert pair.compared.kappa[OVERALL] == pytest.approx(kappa)
    # Krippendorff: the observed distances within units over those among all values.
    values = [*ONE, *OTHER]
    among = sum((a - b) ** 2 for a in values for b in values) / (8 * 7)
    assert agreement.alpha[OVERALL] == pytest.approx(1 - 2 * (4 + 16) / 8 / among)
    low, high = agreement.alpha_ci95[OVERALL] or (0, 0)
    assert low < 1 - 5 / among < high
    same_agreement = between_judges(
        [judgment_of(judge, f"q{n}", 5) for judge in "jk" for n in range(3)]
    )
    assert (same_agreement.alpha[OVERALL], same_agreement.pairs[0].compared.kappa[OVERALL]) == (
        None,
        None,
    )


def test_reading_r26_what_could_be_read_counts_beside_what_is_valid() -> None:
    judgments = [*PAIRS, judgment_of("j", "q8", 8, valid=False), judgment_of("k", "q8", 8)]

    assert between_judges(judgments).pairs[0].compared.outputs == 4
    assert over_readable(judgments).pairs[0].compared.outputs == 5


def test_reading_r24_self_preference_is_the_excess_over_what_the_same_others_say() -> None:
    """By k: +2 and +4 on the own outputs, +1 on another's; by l: +1 on own, nothing of others."""
    judgments = [
        judgment_of("j", "q0", 8, target="j"), judgment_of("k", "q0", 6, target="j"),
        judgment_of("l", "q0", 7, target="j"),
        judgment_of("j", "q1", 8, target="j"), judgment_of("k", "q1", 4, target="j"),
        judgment_of("j", "q2", 5), judgment_of("k", "q2", 4),
        judgment_of("j", "q3", 5, target="k"), judgment_of("k", "q3", 8, target="k"),
        judgment_of("j", "q4", 8, target="j", valid=False),
        judgment_of("m", "q5", 8, target="m"), judgment_of("k", "q5", 8, target="m"),
    ]  # fmt: skip

    mine, third, alone = self_preferences(judgments)

    assert (mine.judge, mine.value) == ("j", (2 + 4) / 2 - 1)
    assert (mine.own, mine.others, mine.questions) == (2, 1, 3)
    assert mine.not_stated is None
    # By j: +3 on k's own output, -1 on another's. What j says of its own is no yardstick.
    assert (third.judge, third.value) == ("k", 3 - -1)
    assert (alone.judge, alone.value, alone.own, alone.others) == ("m", None, 1, 0)
    assert alone.not_stated
    assert self_preferences(PAIRS) == ()
