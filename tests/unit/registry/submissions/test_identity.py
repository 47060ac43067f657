"""Whether two measurements are one: verdicts held against each other, pair by pair."""

from epc.registry.submissions.identity import Verdicts, is_copy


def said(letters: str, asked: str = "pairs", counts: tuple[tuple[int, ...], ...] = ()) -> Verdicts:
    return Verdicts(asked=asked, said=letters, counts=counts)


def test_verdicts_are_shared_on_pairs_that_both_have_one_on() -> None:
    assert said("AB=-A").shared(said("AA=AA")) == (3, 4)
    assert said("AB").shared(said("AB", asked="others")) == (0, 0)


def test_agreement_is_how_often_one_answer_of_each_is_the_same() -> None:
    """3 of 4 times A and once B against half and half: 3/4 1/2 + 1/4 1/2. Then 1 of alike."""
    one = said("AB-", counts=((3, 1, 0), (0, 2, 0), (0, 0, 0)))
    other = said("=BA", counts=((1, 1, 0), (0, 5, 0), (1, 0, 0)))

    assert one.agreement(other) == (1 / 2 + 1) / 2
    assert one.agreement(said("AB-", asked="others")) is None
    assert said("-", counts=((0, 0, 0),)).agreement(said("A", counts=((1, 0, 0),))) is None


def test_a_copy_has_half_of_the_seeds_of_the_smaller_one() -> None:
    four, two = frozenset("abcd"), frozenset("ax")

    assert is_copy(four, two)
    assert not is_copy(four, frozenset("axy"))
    assert not is_copy(four, frozenset())
