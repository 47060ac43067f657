"""The protocol's constants, against the paper's own words."""

import json
from importlib.resources import files

from epc.spec import epc_v1
from epc.spec.reference import STRATEGIES, TASKS


def test_epc_2_1_four_phases_each_in_its_domain_and_from_its_start() -> None:
    phases = [(p.name, p.domain, p.start, p.stream) for p in epc_v1.PHASES]

    assert phases == [
        ("text", "text", None, 0),
        ("visual", "visual", None, 1),
        ("text_to_visual", "visual", "text", 2),
        ("visual_to_text", "text", "visual", 3),
    ]


def test_epc_2_3_a_the_baseline_is_step_by_step() -> None:
    assert epc_v1.BASELINE == "step_by_step"
    assert epc_v1.BASELINE in [s.name for s in STRATEGIES]


def test_epc_2_3_b_the_learning_rates_are_fixed() -> None:
    assert (epc_v1.ALPHA_WIN, epc_v1.ALPHA_LOSE) == (0.08, 0.04)


def test_epc_2_3_c_the_weight_floor() -> None:
    assert epc_v1.WEIGHT_FLOOR == 0.001


def test_epc_2_4_a_at_least_eight_tasks_in_each_domain() -> None:
    assert epc_v1.MIN_TASKS == 8
    assert {domain: len(tasks) for domain, tasks in TASKS.items()} == {"text": 8, "visual": 8}


def test_epc_2_5_f_two_thousand_resamples_at_95_percent() -> None:
    assert (epc_v1.BOOTSTRAP_RESAMPLES, epc_v1.CONFIDENCE) == (2000, 0.95)


def test_epc_2_5_g_ten_seeds_screen_and_thirty_publish() -> None:
    assert (epc_v1.SCREENING_SEEDS, epc_v1.PUBLICATION_SEEDS) == (10, 30)


def test_epc_2_6_an_evaluator_sees_three_hundred_characters() -> None:
    assert epc_v1.JUDGED_CHARACTERS == 300


def test_a_stored_vector_sums_to_1_within_a_billionth() -> None:
    assert epc_v1.SIMPLEX_TOLERANCE == 1e-9


def test_epc_2_8_two_implementations_agree_within_a_trillionth() -> None:
    assert epc_v1.AGREEMENT == 1e-12


def test_reading_r8_gamma_up_to_a_trillionth_is_zero_coupling() -> None:
    assert epc_v1.ZERO_COUPLING == 1e-12


def test_reading_r11_ten_bins_of_calibration() -> None:
    assert epc_v1.CALIBRATION_BINS == 10


def test_epc_2_6_b_temperature_zero_and_ten_tokens() -> None:
    assert (epc_v1.EVALUATOR_TEMPERATURE, epc_v1.EVALUATOR_MAX_TOKENS) == (0.0, 10)


def test_epc_5_2_what_the_paper_calls_substantial_weak_and_miscalibrated() -> None:
    assert (epc_v1.SUBSTANTIAL_GAMMA, epc_v1.WEAK_GAMMA) == (0.5, 0.2)
    assert epc_v1.MISCALIBRATED_ECE == 0.2
    assert epc_v1.MANY_ZEROS == 0.5


def test_epc_a_3_the_manifest_s_schema_has_the_paper_s_key_fields() -> None:
    path = files("epc.spec") / "schemas" / "v1" / "epc_manifest_schema.json"
    schema = json.loads(path.read_text("utf-8"))

    assert {
        *("protocol_version", "evaluator", "executor", "config"),
        *("tasks", "strategies", "results"),
    } <= set(schema["properties"])
