"""What a judge said of each item, whichever candidate a file calls a (Reading R77)."""

from typing import Any

from observed_support import columns, verdict

from epc.analysis.verdicts_by_item import Ballot, ballots, merged
from epc.records.verdicts.converting import digest

ASKED = digest("q")
A, B = sorted((digest("one"), digest("two")))  # in the order of their digests
LONG = {"answer_sha256": digest("why"), "answer_length": 200}


def pair_verdict(
    item: str, first: str, kind: str, *, mirrored: bool = False, **further_options: str
) -> dict[str, Any]:
    """Return a verdict on one and the same pair, with either of its candidates as a."""
    a, b = (B, A) if mirrored else (A, B)
    pair = {"a_sha256": a, "b_sha256": b, "question_sha256": ASKED}
    return verdict(item, first, kind, **pair, **further_options)


def ballot_of(*lines: dict[str, Any]) -> Ballot:
    (ballot,) = ballots(*columns(*lines))
    return ballot


def test_shares_are_of_the_first_candidate_by_digest_the_second_and_ties() -> None:
    ballot = ballot_of(
        pair_verdict("x", "a", "a"),
        pair_verdict("x", "a", "tie"),
        pair_verdict("x", "a", "b"),
        pair_verdict("x", "a", "b"),
    )

    assert list(ballot.verdicts) == [((ASKED, A, B), 0)]
    (key,) = ballot.verdicts.values()
    assert (key.saying, key.score, key.gold) == ((1 / 4, 2 / 4, 1 / 4), None, -1)


def test_a_mirrored_item_is_the_same_item_and_says_the_same() -> None:
    """Candidate a of the mirror is the second by digest: it stood first, won, and is the better."""
    plain = ballot_of(
        pair_verdict("x", "b", "b", gold="b"), pair_verdict("x", "b", "tie", gold="b")
    )
    mirror = ballot_of(
        pair_verdict("x", "a", "a", mirrored=True, gold="a"),
        pair_verdict("x", "a", "tie", mirrored=True, gold="a"),
    )

    assert plain.verdicts == mirror.verdicts
    assert list(plain.verdicts) == [((ASKED, A, B), 1)]
    (key,) = plain.verdicts.values()
    assert (key.saying, key.gold) == ((0, 1 / 2, 1 / 2), 1)


def test_an_unreadable_answer_says_nothing_and_an_item_without_a_question_in_its_source_alone() -> (
    None
):
    readable = pair_verdict("x", "a", "a")
    unknown = verdict("y", "a", "a")

    assert (
        ballot_of(readable, pair_verdict("x", "a", "unreadable")).verdicts
        == ballot_of(readable).verdicts
    )
    ((question, *_), _) = next(iter(ballot_of(unknown).verdicts))
    assert question == "s y"  # the source's name, and its number there


def test_the_score_of_a_single_candidate_is_a_mean() -> None:
    alone = {"item": "x", "file": "f", "setting": "one", "a_sha256": A, "a_length": 2}
    lines = [{**alone, "question_sha256": ASKED, "a_score": score} for score in (1, 4)]

    (each,) = ballot_of(*lines).verdicts.values()

    assert (each.saying, each.score) == ((0, 0, 0), 2.5)


def test_one_judge_of_two_files_has_one_ballot_with_the_mean_of_both() -> None:
    ballot, two_ballots = (
        ballot_of(pair_verdict("x", "a", "a"), pair_verdict("y", "b", "tie")),
        ballot_of(pair_verdict("x", "a", "b")),
    )

    (both_ballots,) = merged([ballot, two_ballots])

    assert [key.saying for key in both_ballots.verdicts.values()] == [(1 / 2, 1 / 2, 0), (0, 0, 1)]
    assert merged([ballot, ballot])[0].verdicts == ballot.verdicts


def test_a_ballot_that_says_the_same_as_another_counts_once() -> None:
    """A judge said a, then b, then a again of an item: the mean of two, not of three."""
    first_ballot, two_ballots = (
        ballot
        for word in ("a", "b")
        for ballot in ballots(*columns(verdict("1", "a", word, question_sha256=digest("1"))))
    )

    (whole_ballot,) = merged([first_ballot, two_ballots, first_ballot])

    assert [key.saying for key in whole_ballot.verdicts.values()] == [(0.5, 0.5, 0)]


def test_a_scored_list_says_what_its_pairs_say_beside_other_items() -> None:
    """The right one of three beats one and ties with the other; the list's code is no item's."""
    names = [digest(name) for name in "abc"]  # by their digests c, b, a
    scores = {"candidates": names, "right": 0, "scores": [2.0, 1.0, 2.0]}
    fixed = {"item": "list", "setting": "one", "file": "f", "question_sha256": ASKED}

    ballot = ballot_of(fixed | scores, pair_verdict("x", "a", "a"))

    found = {key[1:]: (each.saying, each.gold) for (key, _), each in ballot.verdicts.items()}
    assert found == {
        (names[1], names[0]): ((0, 1, 0), 1),
        (names[2], names[0]): ((0, 0, 1), 1),
        (A, B): ((1, 0, 0), -1),
    }
