"""The judge protocol's constants, as its clauses state them."""

from epc.spec import judge_v1


def test_judge_2_and_3_four_dimensions_of_0_to_2_make_an_overall_score_of_0_to_8() -> None:
    assert (
        *("FORMAT_COMPLIANCE", "INSTRUCTION_COMPLIANCE", "SEMANTIC_FIDELITY", "COMPLETENESS"),
    ) == judge_v1.DIMENSIONS
    assert judge_v1.SCALE == (0, 1, 2)
    assert judge_v1.HIGHEST_OVERALL == 8
    assert judge_v1.DECISIVE == ("FORMAT_COMPLIANCE", "INSTRUCTION_COMPLIANCE")


def test_judge_3_3_pass_is_from_7_partial_from_4_and_fail_to_3() -> None:
    assert (judge_v1.PASS_FROM, judge_v1.PARTIAL_FROM, judge_v1.FAIL_TO) == (7, 4, 3)
    assert judge_v1.VERDICTS == ("PASS", "PARTIAL", "FAIL")


def test_judge_6_flags_are_five_in_the_order_of_their_clauses() -> None:
    assert (
        *("PROTOCOL_VIOLATION", "UNPARSABLE_OUTPUT", "INCOMPLETE_COVERAGE"),
        *("JUDGE_REFUSAL_OR_EVASION", "INTERNAL_INCONSISTENCY"),
    ) == judge_v1.FLAGS


def test_reading_r25_a_quote_has_three_characters_and_a_looked_up_piece_three_words() -> None:
    assert (judge_v1.LEAST_CHARACTERS, judge_v1.LEAST_WORDS) == (3, 3)


def test_reading_r22_new_plans_are_under_the_last_rules() -> None:
    assert judge_v1.RULES == 3
    assert judge_v1.METHODS == ("cross_judge", "self_judge")
