"""Tests of which judge may be used, in words."""

from typing import Any

from epc.analysis.choosing import Option, ReachResult, ShortList, WhichAnswer
from epc.records.choices import ALL, Way
from epc.report import which_text
from epc.report.document import Section, Table
from epc.statistics.figures import Figure


def option(
    name: str, right: float, usd: float | None, *, askings: int = 1, half: float = 0.05
) -> Option:
    models = tuple(name.split("+"))
    way = Way(
        models=models, askings=askings, prompt="p", source="s", usd=usd,
        tags=tuple(f"v1-{model}" for model in models), settings=models,
        priced=f"list of {models[0]}; tokens as counted",
    )  # fmt: skip
    return Option(way=way, right=Figure(value=right, ci95=(right - half, right + half)))


def answer(*options: Option, budget: float | None = None, **further_fields: Any) -> WhichAnswer:
    lists = {
        name: tuple(further_fields.pop(name, ())) for name in ("beaten", "too_dear", "unpriced")
    }
    every = [one for group in (options, *lists.values()) for one in group]
    return WhichAnswer(
        as_of="2026-11-26", platform=further_fields.pop("platform", None), budget=budget,
        benchmark="B",
        decides="which is right", chance=0.5, gone=tuple(further_fields.pop("gone", ())),
        short=ShortList(
            domain=further_fields.pop("domain", ALL), questions=1234, options=options, **lists
        ),
        served={name: {"x": "until 2027-01-01", "y": "without a stated end"}
                for one in every for name in one.way.models},
        by_client=tuple(further_fields.pop("by_client", ())),
    )  # fmt: skip


A, B = option("a", 0.8, 2.0), option("b", 0.75, 3.5, askings=2)
FREE = option("free", 0.78, None)


def test_nobody_or_one_that_fits_is_a_sentence() -> None:
    sentence = which_text.sentence

    assert sentence(answer()) == "No measured judge fits (B, all its domains: 1,234 questions)."
    assert sentence(answer(A, domain="maths")) == (
        "a, once: right in 80.0% [75.0%, 85.0%]; no other measured judge fits "
        "(B, maths: 1,234 questions)."
    )
    assert "every other measured judge that fits (B" in sentence(answer(A, beaten=[B]))
    # Another way of the same judge is no other judge, nor is a panel.
    ways = [option("a", 0.7, 9.0, askings=5), option("a+b", 0.6, 9.0)]
    assert "; no other measured judge fits" in sentence(answer(A, beaten=ways))


def test_of_several_the_first_is_the_cheapest_if_it_has_a_price() -> None:
    several = "is shown to be better than any of these 2 (B, all its domains: 1,234 questions)."

    assert which_text.sentence(answer(A, FREE)) == (
        f"No measured judge {several} Of those with a price the cheapest is a, once: "
        "$2.00 for 1,000 questions."
    )
    assert which_text.sentence(answer(A, B, budget=4.5)) == (
        f"No measured judge with a price of at most $4.5 {several} The cheapest is a, once: "
        "$2.00 for 1,000 questions."
    )
    assert which_text.sentence(answer(FREE, FREE)).endswith("None of them has a price here.")


def test_who_is_better_and_over_the_budget_is_named_and_the_rest_counted() -> None:
    dear = [option("d", 0.95, 50.0), option("e", 0.93, 60.0, askings=3), option("f", 0.86, 9.0)]
    better = "Right more often, but over the budget or without a price: "

    # The lists end at 85%: d and e begin above that, at 90% and 88%, and f at 81%.
    text = which_text.sentence(answer(A, B, budget=4.0, too_dear=dear[::-1]))
    assert text.endswith(f"{better}d, once (95%) and 1 more below.")
    alone = which_text.sentence(answer(A, budget=4.0, unpriced=dear[:1]))
    assert alone.endswith(f"{better}d, once (95%).")
    assert better not in which_text.sentence(answer(A, budget=4.0, too_dear=dear[2:]))
    touching = [option("t", 0.9, 9.0)]  # from 85% on, where a ends
    assert better not in which_text.sentence(answer(A, budget=4.0, too_dear=touching))


def test_the_printed_answer_has_all_lists_and_who_serves_whom() -> None:
    beaten = [option("z", 0.4, 1.0), option("z", 0.5, 2.0, askings=3), option("a", 0.1, 1.0)]
    whole_which_answer = answer(
        A, option("a+b", 0.79, 8.0), budget=9.0, beaten=beaten, too_dear=[B],
                   unpriced=[FREE], gone=["old", "older"], by_client=["c", "d"])  # fmt: skip

    assert which_text.text(whole_which_answer).split("\n")[1:] == [
        "",
        "  right: which is right; chance 50%",
        "",
        "not shown to be worse than any other",
        "  a, once: 80.0% [75.0%, 85.0%], $2.00 for 1,000 questions",
        "  a and b, once each: 79.0% [74.0%, 84.0%], $8.00 for 1,000 questions",
        "",
        "shown to be right less often than another",
        "  z, 3 times: 50.0% [45.0%, 55.0%], $2.00 for 1,000 questions",
        "",
        "over the budget of $9",
        "  b, twice: 75.0% [70.0%, 80.0%], $3.50 for 1,000 questions",
        "",
        "without a price to compare with the budget",
        "  free, once: 78.0% [73.0%, 83.0%], no price",
        "",
        which_text.by_client(whole_which_answer),
        "",
        "these judges",
        "  a: x until 2027-01-01; y without a stated end; measured in v1-a",
        "  b: x until 2027-01-01; y without a stated end; measured in v1-b",
        "  price: list of a",
        "  price: tokens as counted",
        "",
        "measured, but not known to be served on any platform: old, older",
    ]
    assert which_text.by_client(whole_which_answer).startswith(
        "Asked through a client that adds text"
    )
    assert "(a known fault): c and d. So they have no price" in which_text.by_client(
        whole_which_answer
    )
    assert "served on aws: old" in which_text.text(answer(platform="aws", gone=["old"]))
    assert which_text.text(answer()).count("\n") == 2
    _, table, folded = which_text.document(whole_which_answer)
    assert isinstance(table, Table)
    assert table.rows[1] == ("a, once", "80.0% [75.0%, 85.0%]", "$2.00 for 1,000 questions")
    assert isinstance(folded, Section)


def test_how_often_a_judge_must_be_asked_is_said_with_the_nearest_where_none_is_enough() -> None:
    looked = (A, option("a", 0.9, None, askings=5))
    record: dict[str, Any] = {
        "benchmark": "B", "domain": "maths", "questions": 50, "share": 0.85, "model": "a",
        "looked_at": looked,
    }  # fmt: skip

    assert which_text.reached_text(ReachResult(**record, reached=looked[1:])).split("\n") == [
        (
            "Shown to be right in 85% or more: a, 5 times: 90.0% [85.0%, 95.0%], no price "
            "(B, maths: 50 questions)."
        ),
        "",
        "  a, once: 80.0% [75.0%, 85.0%], $2.00 for 1,000 questions, not shown",
        "  a, 5 times: 90.0% [85.0%, 95.0%], no price, reached",
        "",
        "  the intervals are joint, for all 2 ways that were looked at",
    ]
    nearest = which_text.reached_text(ReachResult(**record, reached=()))
    assert "nothing that was measured; the nearest is a, 5 times: 90.0%" in nearest
