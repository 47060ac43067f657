"""Tests of which judge may be used, in words."""

from typing import Any

from epc.analysis.choosing import Choice, Option, ReachResult, ShortList
from epc.records.choices import ALL, Way
from epc.records.faults import FaultEffect
from epc.report import which_text
from epc.report.document import Section, Table
from epc.statistics.figures import Figure


def option(
    name: str,
    right: float,
    usd: float | None,
    *,
    askings: int = 1,
    half: float = 0.05,
    marks: tuple[str, ...] = (),
) -> Option:
    models = tuple(name.split("+"))
    way = Way(
        models=models, askings=askings, prompt="p", source="s", usd=usd,
        tags=tuple(f"v1-{model}" for model in models), settings=models,
        priced=f"list of {models[0]}; tokens as counted",
    )  # fmt: skip
    figure = Figure(value=right, ci95=(right - half, right + half))
    return Option(way=way, right=figure, month="by May 2026", marks=marks)


def answer(*options: Option, budget: float | None = None, **further_fields: Any) -> Choice:
    lists = {
        name: tuple(further_fields.pop(name, ())) for name in ("beaten", "too_dear", "unpriced")
    }
    domain = further_fields.pop("domain", ALL)
    scorers = ShortList(
        domain=domain, questions=1234, options=tuple(further_fields.pop("scorers", ())),
        beaten=(), too_dear=(), unpriced=(),
    )  # fmt: skip
    every = [one for group in (options, scorers.options, *lists.values()) for one in group]
    return Choice(
        as_of="2026-11-26", platform=further_fields.pop("platform", None), budget=budget,
        benchmark="B",
        decides="which is right", chance=0.5, gone=tuple(further_fields.pop("gone", ())),
        short=ShortList(domain=domain, questions=1234, options=options, **lists),
        scorers=scorers,
        served={name: {"x": "until 2027-01-01", "y": "without a stated end"}
                for one in every for name in one.way.models},
        untried=tuple(further_fields.pop("untried", ())),
        faults={"client-context": FaultEffect(
            id="client-context", touches=("*",), effect="mark",
            says="Asked through a client that adds text before the prompt",
            so="So there is no price, and without that text the share right may differ.",
            may_not="")},
    )  # fmt: skip


A, B = option("a", 0.8, 2.0), option("b", 0.75, 3.5, askings=2)
FREE = option("free", 0.78, None)


ON = "(B, mean of its domains: 1,234 questions)."
FIRST = f"Ask a, once: right in 80.0% [75.0%, 85.0%], by May 2026, $2.00 for 1,000 questions {ON}"


def test_nobody_or_one_that_fits_is_a_sentence() -> None:
    sentence = which_text.sentence

    assert sentence(answer()) == f"No judge that was tried fits {ON}"
    assert sentence(answer(A, domain="maths")).endswith(
        "(B, maths: 1,234 questions). No other judge that was tried fits."
    )
    assert sentence(answer(A, beaten=[B])) == (
        f"{FIRST} Every other judge that was tried is shown to be right less often."
    )
    # Another way of the same judge is no other judge, nor is a panel.
    ways = [option("a", 0.7, 9.0, askings=5), option("a+b", 0.6, 9.0)]
    assert sentence(answer(A, beaten=ways)).endswith("No other judge that was tried fits.")


def test_of_several_the_first_is_named_and_the_others_are_counted() -> None:
    assert which_text.sentence(answer(A, FREE)) == (
        f"{FIRST} One more way is as good, as far as 1,234 questions can show."
    )
    assert which_text.sentence(answer(A, B, FREE, budget=4.5)) == (
        f"{FIRST} Two more ways under $4.5 are as good, as far as 1,234 questions can show."
    )


def test_the_first_is_without_a_mark_else_without_a_known_fault() -> None:
    """The cheapest has a known fault, the next is too old, the dearest has neither."""
    faulty = option("f", 0.8, 1.0, marks=("client-context",))
    old = option("o", 0.79, 2.0, marks=("stale",))
    sound = option("s", 0.78, 3.0)

    def first(*options: Option) -> str:
        choice = answer(*options)
        assert choice.first
        return choice.first.way.words

    assert first(faulty, old, sound) == "s, once"
    assert first(faulty, old) == "o, once"
    assert first(faulty) == "f, once"


def test_what_marks_the_first_is_in_the_same_answer() -> None:
    faulty = option("f", 0.8, None, marks=("client-context",))
    old = option("o", 0.79, 2.0, marks=("stale",))

    text = which_text.sentence(answer(faulty, beaten=[option("z", 0.5, 1.0)]))
    assert "(a known fault): f. So there is no price" in text
    assert text.endswith(
        "Without a known fault the best is z, once (50.0%, by May 2026), shown to be right less "
        "often."
    )
    assert "Judges with a known fault stand behind it: f. Its figure is too old: measure" in (
        which_text.sentence(answer(old, faulty))
    )
    assert "All these figures are too old" in which_text.sentence(answer(old))


def test_reward_models_have_a_list_of_their_own() -> None:
    model = option("r", 0.97, None)

    assert which_text.sentence(answer(A, scorers=[model])).endswith(
        "Of reward models, which give scores and follow no instructions, r, once is right in "
        "97.0%, by May 2026; between the two kinds nothing is decided."
    )
    alone = answer(scorers=[model])
    assert (alone.verb, which_text.sentence(alone)[:19]) == ("score_with", "Score with r, once:")
    assert "reward models, to score with\n  r, once: 97.0%" in which_text.text(alone)


def test_what_was_not_tried_is_counted_and_named() -> None:
    choice = answer(A, untried=["m", "n", "o", "p", "q"], platform="aws")

    assert which_text.untried(choice) == (
        "5 models that are served by aws were not tried on these questions: m, n, o, p, ..."
    )


def test_who_is_better_and_over_the_budget_is_named_and_the_rest_counted() -> None:
    dear = [option("d", 0.95, 50.0), option("e", 0.93, 60.0, askings=3), option("f", 0.86, 9.0)]
    better = "Right more often, but over the budget or without a price: "

    # The lists end at 85%: d and e begin above that, at 90% and 88%, and f at 81%.
    text = which_text.sentence(answer(A, B, budget=4.0, too_dear=dear[::-1]))
    assert text.endswith(f"{better}d, once (95%, by May 2026) and 1 more below.")
    alone = which_text.sentence(answer(A, budget=4.0, unpriced=dear[:1]))
    assert alone.endswith(f"{better}d, once (95%, by May 2026).")
    assert better not in which_text.sentence(answer(A, budget=4.0, too_dear=dear[2:]))
    touching = [option("t", 0.9, 9.0)]  # from 85% on, where a ends
    assert better not in which_text.sentence(answer(A, budget=4.0, too_dear=touching))


def test_the_printed_answer_has_all_lists_and_who_serves_whom() -> None:
    beaten = [option("z", 0.4, 1.0), option("z", 0.5, 2.0, askings=3), option("a", 0.1, 1.0)]
    panel = option("a+b", 0.79, 8.0, marks=("client-context", "stale"))
    whole_which_answer = answer(
        A, panel, budget=9.0, beaten=beaten, too_dear=[B],
                   unpriced=[FREE], gone=["old", "older"])  # fmt: skip

    sentence = which_text.text(whole_which_answer).split("\n")[0]
    assert "Judges with a known fault stand behind it: a and b, once each." in sentence
    assert which_text.text(whole_which_answer).split("\n")[1:] == [
        "",
        "  right: which is right; chance 50%",
        "",
        "not shown to be worse than any other",
        "  a, once: 80.0% [75.0%, 85.0%], by May 2026, $2.00 for 1,000 questions",
        (
            "  a and b, once each †: 79.0% [74.0%, 84.0%], by May 2026 (too old), "
            "$8.00 for 1,000 questions"
        ),
        "",
        "shown to be right less often than another",
        "  z, 3 times: 50.0% [45.0%, 55.0%], by May 2026, $2.00 for 1,000 questions",
        "",
        "over the budget of $9",
        "  b, twice: 75.0% [70.0%, 80.0%], by May 2026, $3.50 for 1,000 questions",
        "",
        "without a price to compare with the budget",
        "  free, once: 78.0% [73.0%, 83.0%], by May 2026, no price",
        "",
        (
            "† Asked through a client that adds text before the prompt (a known fault): a and b. "
            "So there is no price, and without that text the share right may differ."
        ),
        "",
        "these judges",
        "  a: x until 2027-01-01; y without a stated end; measured in v1-a",
        "  b: x until 2027-01-01; y without a stated end; measured in v1-b",
        "  price: list of a",
        "  price: tokens as counted",
        "",
        "measured, but not known to be served on any platform: old, older",
    ]
    assert "served on aws: old" in which_text.text(answer(platform="aws", gone=["old"]))
    assert which_text.text(answer()).count("\n") == 2
    _, table, folded = which_text.document(whole_which_answer)
    assert isinstance(table, Table)
    assert table.rows[1] == (
        "a, once", "80.0% [75.0%, 85.0%]", "by May 2026", "$2.00 for 1,000 questions",
    )  # fmt: skip
    assert isinstance(folded, Section)


def test_how_often_a_judge_must_be_asked_is_said_with_the_nearest_where_none_is_enough() -> None:
    looked = (A, option("a", 0.9, None, askings=5))
    record: dict[str, Any] = {
        "benchmark": "B", "domain": "maths", "questions": 50, "share": 0.85, "model": "a",
        "looked_at": looked,
    }  # fmt: skip

    assert which_text.reached_text(ReachResult(**record, reached=looked[1:])).split("\n") == [
        (
            "Shown to be right in 85% or more: a, 5 times: 90.0% [85.0%, 95.0%], by May 2026, "
            "no price (B, maths: 50 questions)."
        ),
        "",
        "  a, once: 80.0% [75.0%, 85.0%], by May 2026, $2.00 for 1,000 questions, not shown",
        "  a, 5 times: 90.0% [85.0%, 95.0%], by May 2026, no price, reached",
        "",
        "  the intervals are joint, for all 2 ways that were looked at",
    ]
    nearest = which_text.reached_text(ReachResult(**record, reached=()))
    assert "nothing with a; the nearest is a, 5 times: 90.0%" in nearest
    assert "Nothing else that was tried and is served reaches it." in nearest
    reaching = which_text.reached_text(ReachResult(**record, reached=(), rivals=(B,)))
    assert "Others that reach it:\n  b, twice: 75.0%" in reaching
