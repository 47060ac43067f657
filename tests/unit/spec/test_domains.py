"""Reading R78: a design's domains, and the phases that follow from their names."""

import pytest

from epc.spec.domains import NAME, Domains, Pair

STREAMS = {  # the reference's for two domains; every further one takes the next, written by hand
    "a": 0,
    "b": 1,
    "a_to_b": 2,
    "b_to_a": 3,
    "a_to_a": 4,
    "b_to_b": 5,
    "a_start": 6,
    "b_start": 7,
    "c": 8,
    "a_to_c": 9,
    "b_to_c": 10,
    "c_to_a": 11,
    "c_to_b": 12,
    "c_to_c": 13,
    "c_start": 14,
}


def test_reading_r78_a_third_domain_takes_the_next_streams_and_moves_none() -> None:
    two_domains, three = Domains.from_names("ba"), Domains.from_names("cab")

    assert {phase.name: phase.stream for phase in three.every_phase} == STREAMS
    assert three.every_phase[:8] == two_domains.every_phase
    assert [phase.name for phase in two_domains.phases] == ["a", "b", "a_to_b", "b_to_a"]


def test_epc_2_1_a_coupled_phase_continues_one_domain_in_another() -> None:
    phase = Domains.from_names("abc").phase

    assert (phase["c_to_b"].start, phase["c_to_b"].domain) == ("c", "b")
    assert (phase["c_to_c"].start, phase["c_start"].start) == ("c_start", None)
    assert Domains.from_names("abc").target["c_to_b"] == "b"
    assert Domains.from_names("abc").control["c_to_b"] == "b_to_b"


def test_reading_r78_four_domains_make_twelve_pairs_each_with_a_stream_of_its_own() -> None:
    four = Domains.from_names("dbca")

    assert len(four.directions) == 12
    assert [phase.stream for phase in four.every_phase] == list(range(24))
    assert four.every_phase[:15] == Domains.from_names("abc").every_phase


@pytest.mark.parametrize("name", ["code", "support-en_2", "x" * 32, "tone", "start", "to-do"])
def test_reading_r78_a_name_is_of_small_letters_digits_and_two_signs(name: str) -> None:
    assert NAME.fullmatch(name)


@pytest.mark.parametrize(
    "name", ["", "Code", "a b", "é", "x" * 33, "to", "a_to", "to_b", "a_to_b", "a_start", "a\n"]
)
def test_reading_r78_no_name_can_pass_for_another_phase(name: str) -> None:
    assert not NAME.fullmatch(name)


def test_reading_r78_a_key_says_its_pair() -> None:
    pair = Pair.parse("support-en_2_to_code")

    assert pair == Pair("support-en_2", "code")
    assert (pair.key, pair.title) == ("support-en_2_to_code", "support-en_2 to code")
    assert not Pair.is_key("support")


def test_reading_r78_the_domains_of_a_record_are_its_pure_phases() -> None:
    assert Domains.among(Domains.from_names("abc").phase) == Domains.from_names("abc")


def test_reading_r78_a_name_counts_once_however_often_it_is_said() -> None:
    assert Domains.from_names(["b", "a", "b"]) is Domains.from_names("ab")
