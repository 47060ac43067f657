"""EPC-2.6(c), Reading R5: what an evaluator said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.protocol.verdict import Verdict, parse_verdict, says_tie

A = [" A ", "\n\nA", "A\nbecause", "*(A).*", " ** A ** ", "\r\nA\r\n", "\u00a0A", ". A .", "A\rB"]
B = ["\tB\n", "[b]", "::B::"]
TIES = [" ", "**", "()", "A\x0bB", "\u00e0"]


@pytest.mark.parametrize("raw", A)
def test_reading_r5_a_bare_a_is_a(raw: str) -> None:
    assert parse_verdict(raw) is Verdict.A


@pytest.mark.parametrize("raw", B)
def test_reading_r5_a_bare_b_is_b(raw: str) -> None:
    assert parse_verdict(raw) is Verdict.B


@pytest.mark.parametrize("raw", TIES)
def test_epc_2_6_c_what_cannot_be_parsed_is_a_tie(raw: str) -> None:
    assert parse_verdict(raw) is Verdict.TIE


@given(st.text())
def test_reading_r5_any_text_has_a_verdict(raw: str) -> None:
    assert parse_verdict(raw) in set(Verdict)


@given(
    st.text(alphabet="\"'`*()[].: \t"), st.sampled_from("AaBb"), st.text(alphabet="\"'`*()[].: \t")
)
def test_reading_r5_marks_around_the_letter_change_nothing(
    before: str, letter: str, after: str
) -> None:
    assert parse_verdict(before + letter + after) == letter.upper()


@given(st.text(min_size=2, alphabet=st.characters(min_codepoint=65, max_codepoint=122)))
def test_reading_r5_a_word_is_never_a_verdict(word: str) -> None:
    letters = "".join(c for c in word if c.isalpha())
    if len(letters) >= 2:
        assert parse_verdict(letters) is Verdict.TIE


def test_epc_2_6_c_only_a_and_b_decide() -> None:
    assert [verdict for verdict in Verdict if verdict.decided] == [Verdict.A, Verdict.B]


def test_a_tie_is_told_from_what_cannot_be_read_by_its_first_line() -> None:
    ties = ("tie", " **Tie**.", "\ntie\nmean log-likelihood per token: A -0.8, B -0.8")
    assert all(map(says_tie, ties))
    assert not any(map(says_tie, ("It is a tie", "", "A", "A\ntie")))
