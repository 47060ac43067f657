"""Recorded verdicts one by one, a second time (Reading R77)."""

from typing import Any

from observed_support import ALIKE, SETTINGS, columns, verdict
from oracle.observed_rows import Verdict, alike, pair_of, rows_of

from epc.records.observed.converting import digest


def rows(*lines: dict[str, Any]) -> list[Verdict]:
    return rows_of(columns(*lines)[1])


def test_settings_are_one_where_judge_prompt_and_decoding_are() -> None:
    assert alike(SETTINGS) == ALIKE


def test_a_pair_is_its_question_and_candidates_in_any_order_or_else_its_item() -> None:
    question, one, two = digest("q"), digest("one"), digest("two")
    plain, turned, unknown = rows(
        verdict("x", "a", "a", question_sha256=question, a_sha256=one, b_sha256=two),
        verdict("y", "a", "a", question_sha256=question, a_sha256=two, b_sha256=one),
        verdict("z", "a", "a"),
    )

    assert pair_of(plain) == pair_of(turned) == (question, *sorted((one, two)))
    assert pair_of(unknown) == "z"


def test_items_of_one_question_that_share_a_candidate_are_one_cluster() -> None:
    """x and y share b, y and z share c; w has both texts of x, under another question."""
    asked = {"question_sha256": digest("q")}
    of = rows(
        *(
            verdict(item, "a", "a", **asked, a_sha256=digest(a), b_sha256=digest(b))
            for item, a, b in (("x", "a", "b"), ("y", "c", "b"), ("z", "c", "d"))
        ),
        verdict(
            *("w", "a", "a"),
            question_sha256=digest("other"),
            a_sha256=digest("a"),
            b_sha256=digest("b"),
        ),
    )

    x, y, z, w = (row.cluster for row in of)
    assert x == y == z != w


def test_two_scores_are_a_verdict_and_a_single_one_is_a_score() -> None:
    pair = {key: value for key, value in verdict("x", "a", "a").items() if key != "verdict"}
    alone = {key: value for key, value in pair.items() if not key.startswith("b_")}
    first, second, third, single = rows(
        *({**pair, "a_score": a, "b_score": b} for a, b in ((2, 1), (1, 2), (1, 1))),
        {**alone, "item": "y", "a_score": 3},
    )

    assert [each.said for each in (first, second, third, single)] == ["a", "b", "tie", None]
    assert [each.score for each in (first, single)] == [None, 3]
    assert (first.decided, third.decided, third.readable, single.readable) == (
        *(True, False, True, False),
    )
    assert (first.task, first.asked) == (("item", "x"), ("x", "a"))
