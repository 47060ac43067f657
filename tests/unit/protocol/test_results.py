"""EPC-2.5(d)-(g), Readings R8, R10, R11: records, summaries, intervals, calibration."""

from collections import Counter
from math import nan

import pytest
from scipy.stats import binomtest, norm

from epc.errors import ShapeError
from epc.protocol.diagnostics import (
    EvaluatorAnswer,
    Repeat,
    StrategyReliability,
    brier,
    determinism,
    diagnose,
    ece,
)
from epc.protocol.phases import Outcome, PhaseEnd
from epc.protocol.results import replay, seed_records, summarise
from epc.protocol.verdict import AnswerKind, Verdict
from epc.spec.epc_v1 import CONFIDENCE, REFERENCE_DOMAINS
from epc.statistics import intervals
from epc.statistics.intervals import mean_interval, share_interval

NAMES = ("one", "two")


def outcome(**weights: tuple[float, float]) -> Outcome:
    ends: Outcome = {}
    for name in REFERENCE_DOMAINS.phase_names:
        verdicts = Counter({Verdict.A: 1, Verdict.TIE: 3})
        ends[name] = PhaseEnd(weights=weights.get(name, (0.5, 0.5)), verdicts=verdicts)
    return ends


def test_epc_2_5_d_a_seed_reports_its_own_values() -> None:
    (record,) = seed_records({7: outcome(text_to_visual=(0.75, 0.25))}, NAMES, REFERENCE_DOMAINS)

    # |(1/4, -1/4)| / |(1/2, 1/2)| = 1/2
    assert record["seed"] == 7
    assert record["gamma"] == {"text_to_visual": 0.5, "visual_to_text": 0.0}
    assert record["weights"]["text_to_visual"] == {"one": 0.75, "two": 0.25}
    assert record["tie_rate"] == 0.75
    assert record["zero_coupling"] == {"text_to_visual": False, "visual_to_text": True}
    assert record["zero_cause"] == {"text_to_visual": None, "visual_to_text": "no_update"}
    assert record["verdicts"]["text"] == {"A": 1, "B": 0, "tie": 3}


def test_reading_r34_a_phase_without_rounds_ends_where_it_starts_and_has_no_ties() -> None:
    start = [0.5, 0.25, 0.25]
    empty: dict[str, list[object]] = {name: [] for name in REFERENCE_DOMAINS.phase_names}
    case = {"strategies": 3, "initial_weights": start, "phases": empty}

    document = replay(case)

    assert document["weights"] == dict.fromkeys(REFERENCE_DOMAINS.phase_names, start)
    assert document["gamma"] == {"text_to_visual": 0, "visual_to_text": 0}
    assert document["tie_rate"] == 0


def test_epc_2_5_e_the_zero_coupling_rate_and_its_causes() -> None:
    moved = outcome(text_to_visual=(0.75, 0.25))
    stuck = outcome(text_to_visual=(1.0, 0.0), visual=(1.0, 0.0))
    records = seed_records(
        dict(enumerate([moved, stuck, outcome(), outcome()])), NAMES, REFERENCE_DOMAINS
    )

    summary = summarise(records, domains=REFERENCE_DOMAINS, evidence={"control": {}})

    assert summary["zero_coupling_rate"]["text_to_visual"]["mean"] == 0.75
    assert summary["zero_causes"]["text_to_visual"] == {"collapse": 1, "no_update": 2}
    assert summary["tie_rate"]["mean"] == 0.75


def test_epc_2_5_g_the_summary_reports_n() -> None:
    assert (
        summarise(
            seed_records({0: outcome()}, NAMES, REFERENCE_DOMAINS),
            domains=REFERENCE_DOMAINS,
            evidence={"control": {}},
        )["n"]
        == 1
    )


def test_reading_r10_one_seed_has_no_interval() -> None:
    summary = summarise(
        seed_records({0: outcome()}, NAMES, REFERENCE_DOMAINS),
        domains=REFERENCE_DOMAINS,
        evidence={"control": {}},
    )

    assert mean_interval([0.5]) is None
    assert summary["gamma"]["text_to_visual"] == {"mean": 0.0, "ci95": None}


@pytest.mark.parametrize(
    ("hits", "n"),
    [*((hits, n) for hits in (0, 1, 2) for n in (2, 10, 30)), (0, 8), (25, 30), (29, 30)],
)
def test_reading_r33_a_share_of_seeds_has_wilsons_interval(hits: int, n: int) -> None:
    expected = binomtest(hits, n).proportion_ci(method="wilson")

    assert share_interval(hits, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_reading_r33_no_zero_in_thirty_seeds_is_not_certainty() -> None:
    # z^2 / (30 + z^2) with z = 1.96
    assert share_interval(0, 30) == pytest.approx((0, 0.1135), abs=5e-5)
    assert share_interval(1, 1) is None
    assert pytest.approx(norm.ppf((1 + CONFIDENCE) / 2), abs=1e-15) == intervals.Z


def calibrated(wins: int, decided: int, accuracy: float) -> StrategyReliability:
    return StrategyReliability(wins=wins, decided=decided, accuracy=accuracy)


def test_reading_r11_ece_by_hand() -> None:
    # 0.12 and 0.18 share the second bin: |0.15 - 0.35| with two thirds of the strategies;
    # 0.9 stands alone in the last: |0.9 - 0.5| with one third.
    strategies = [calibrated(12, 100, 0.3), calibrated(18, 100, 0.4), calibrated(9, 10, 0.5)]

    assert ece(strategies) == pytest.approx(2 / 3 * 0.2 + 1 / 3 * 0.4, abs=1e-15)


def test_reading_r11_opposite_errors_cancel_inside_a_bin_only() -> None:
    together = [calibrated(11, 100, 0.21), calibrated(19, 100, 0.09)]
    apart = [calibrated(19, 100, 0.29), calibrated(21, 100, 0.11)]

    assert ece(together) == pytest.approx(0, abs=1e-15)
    assert ece(apart) == pytest.approx(0.1, abs=1e-15)


def test_reading_r11_the_last_bin_is_closed() -> None:
    assert [calibrated(w, 10, 0).bin for w in (0, 1, 3, 6, 7, 9, 10)] == [0, 1, 3, 6, 7, 9, 9]


def test_reading_r11_brier_by_hand() -> None:
    assert brier([calibrated(1, 2, 1.0), calibrated(1, 1, 1.0)]) == 0.125


def test_reading_r11_strategies_without_a_decided_trial_are_left_out() -> None:
    undecided = calibrated(0, 0, 0.9)

    assert brier([undecided, calibrated(1, 2, 1.0)]) == 0.25
    assert ece([undecided]) is None
    assert brier([]) is None


@pytest.mark.parametrize("accuracy", [-0.1, 1.1, nan])
def test_reading_r11_an_accuracy_outside_0_to_1_is_refused(accuracy: float) -> None:
    with pytest.raises(ShapeError):
        ece([calibrated(1, 2, accuracy)])


def test_reading_r6_self_comparisons_are_told_apart_and_reused_answers_count_once() -> None:
    said = [
        EvaluatorAnswer(call="1", strategy="step_by_step", kind=AnswerKind.A),
        EvaluatorAnswer(call="1", strategy="step_by_step", kind=AnswerKind.A),
        EvaluatorAnswer(call="2", strategy="step_by_step", kind=AnswerKind.UNPARSEABLE),
        EvaluatorAnswer(call="3", strategy="synthesis", kind=AnswerKind.B),
    ]

    record = diagnose(said, baseline="step_by_step")

    assert record["answers"] == {
        "n": 3,
        "decided": 2,
        "unparseable": 1,
        "refusals": 0,
        "parse_rate": 2 / 3,
        "share_of_a": 0.5,
    }
    assert record["self_comparisons"] == {
        "n": 2,
        "decided": 1,
        "unparseable": 1,
        "refusals": 0,
        "parse_rate": 0.5,
        "share_of_a": 1.0,
    }


def test_epc_2_6_c_nothing_said_has_no_rate() -> None:
    empty = diagnose([], baseline="step_by_step")

    assert empty["answers"] == {
        "n": 0,
        "decided": 0,
        "unparseable": 0,
        "refusals": 0,
        "parse_rate": None,
        "share_of_a": None,
    }


def test_reading_r37_a_refusal_is_told_apart_from_what_cannot_be_read() -> None:
    evaluator_answers = [
        EvaluatorAnswer(call=str(n), strategy="synthesis", kind=kind)
        for n, kind in enumerate(AnswerKind)
    ]

    answers = diagnose(evaluator_answers, baseline="step_by_step")["answers"]

    assert (answers["unparseable"], answers["refusals"], answers["decided"]) == (1, 1, 2)
    assert answers["parse_rate"] == 0.5


def test_reading_r16_determinism_counts_flips_and_changed_words_apart() -> None:
    pairs = [("A", "A"), ("A", "B"), ("A", "**a**"), ("neither", "both"), ("B", "neither")]

    record = determinism([Repeat(first=first, second=again) for first, again in pairs])

    assert record == {"asked": 5, "verdict_flips": 2, "text_changes": 4, "flip_rate": 0.4}
    assert determinism([]) is None
