"""A measurement beside published ones: what differs, and what follows from it (EPC-5.1(5))."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.registry.beside import Beside, Side, _rounds, _tasks, all_beside_text, beside_text

V2T, T2V = "gamma/visual_to_text", "gamma/text_to_visual"


def gamma(mean: float, low: float | None = None, high: float = 0.0) -> dict[str, Any]:
    return {"mean": mean, "ci95": None if low is None else [low, high]}


def side(name: str, figures: dict[str, Any], **given: Any) -> Side:
    facts = {"evaluator": "m", "N": "30", "state": "s"} | given.pop("facts", {})
    card = SimpleNamespace(
        protocol_version=given.pop("variant", "EPC-v1.0"),
        citation=given.pop("citation", None),
        audit=given.pop("audit", None),
        conditions=given.pop("conditions", None),
    )
    snapshot: Any = SimpleNamespace(
        figures=figures, card=card, kind=given.pop("kind", "measured"), n=30,
        failed=given.pop("failed", False),
    )  # fmt: skip
    assert not given
    return Side(name=name, snapshot=snapshot, facts=facts, state="s")


A = side("a", {"gamma": {"text_to_visual": gamma(1.0, 0.75, 1.25)}, "ece": gamma(0.25)})
FLOOR = {"noise_floor": {"text_to_visual": gamma(0.5) | {"q025": 0.25, "q975": 0.75}}}


def b(low: float = 1.5, high: float = 2.0, **given: Any) -> Side:
    figures = {"gamma": {"text_to_visual": gamma(1.75, low, high)}, "pci": gamma(0.5),
               "control": FLOOR}  # fmt: skip
    return side("b", figures, **given)


def test_only_figures_that_are_compared_count_and_both_must_have_them() -> None:
    beside = Beside(left=A, right=b())

    assert {*A.figures} == {T2V, "ece"}
    assert {*beside.figures} == {T2V}
    assert beside.missing == {
        "ece": "needs accuracies, `epc validate RUN --accuracy FILE`",
        "pci": "the paper does not say of which phase its PCI is",
    }
    cited = Beside(left=A, right=b(citation="x"))
    assert cited.missing["ece"] == "not printed for b"
    jsd = side("c", {"jsd": {"text_to_visual": gamma(0.1)}})
    assert Beside(left=jsd, right=A).missing["jsd/text_to_visual"] == "not measured in a"
    audited = Beside(left=side("a", {}, audit=1), right=side("b", {}, audit=1))
    assert audited.missing == {
        "verdicts, pair by pair": "`epc snapshot fetch b`, then compare the two folders"
    }
    assert Beside(left=side("a", {}, audit=1), right=side("b", {})).missing == {}


def test_a_gamma_has_the_floor_of_its_run_or_else_a_coin_flip_s() -> None:
    def floor(of: Side) -> str:
        return of.floor(of.figures[T2V])

    assert floor(b()) == "0.500 (0.25 to 0.75)"
    assert floor(A) == "1.170 (0.73 to 1.61), a coin flip's"
    other = side("a", {"gamma": {"text_to_visual": gamma(1.0)}}, variant="EPC-v1.0-AltRounds")
    assert floor(other) == "unknown"
    bare = {"noise_floor": {"text_to_visual": gamma(0.5)}}
    seedless = side("a", {"gamma": {"text_to_visual": gamma(1.0)}, "control": bare})
    assert floor(seedless) == "unknown"


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (b(), "and the intervals, which are over seeds, share no value in gamma/text_to_visual"),
        (b(1.25), "and the intervals, which are over seeds, share values"),
        (b(facts={"evaluator": "k"}), "and so do evaluator: this is no drift of either"),
        (b(facts={"N": "9"}), "share no value in"),
    ],
)
def test_a_difference_is_put_down_to_what_explains_it(right: Side, words: str) -> None:
    sentence = Beside(left=A, right=right).sentence

    assert sentence.startswith("gamma differs by +0.750 (text_to_visual), and")
    assert words in sentence
    assert "within noise" not in sentence


def test_without_an_interval_nothing_is_told_from_chance_and_noise_is_named() -> None:
    plain = side("c", {"gamma": {"text_to_visual": gamma(1.0)}})

    sentence = Beside(left=A, right=plain).sentence

    assert "and one side has no interval: this is not distinguishable from chance" in sentence
    assert sentence.endswith("; all of them lie within noise, so none shows coupling.")


def test_like_stands_beside_like_where_no_condition_differs_and_none_failed() -> None:
    assert Beside(left=A, right=b(facts={"N": "9"})).clean
    assert Beside(left=A, right=b(facts={"N": "9"})).differs == ["N"]
    assert not Beside(left=A, right=b(facts={"evaluator": "k"})).clean
    failed = Beside(left=A, right=b(failed=True))
    assert not failed.clean
    assert failed.sentence == "b: no verdict was counted, so nothing can be compared."
    none = Beside(left=A, right=side("c", {}))
    assert not none.clean
    assert none.sentence == "No gamma is in both, so nothing follows about coupling."
    judged = Beside(left=A, right=side("c", {}, kind="judged"))
    assert [*judged.missing] == ["everything"]


def test_a_comparison_is_printed_and_written_with_both_sides() -> None:
    value = Beside(left=A, right=b(facts={"evaluator": "k"}))

    text = beside_text(value)

    assert text.startswith("a beside b: not like for like\n\nWhat differs\n")
    assert "The same in both: N, state" in text
    assert text.split("noise floor")[1].split("\n")[0].split() == [
        *("1.170", "(0.73", "to", "1.61),", "a", "coin", "flip's", "0.500", "(0.25", "to", "0.75)"),
    ]
    assert "  ece: needs accuracies" in text
    assert beside_text(Beside(left=A, right=b())).startswith("a beside b: like for like")
    json = value.as_json()
    assert (json["left"], json["right"], json["like_for_like"]) == ("a", "b", False)
    assert json["differs"] == {"evaluator": ["m", "k"]}
    assert [row["mean"] for row in json["figures"][T2V]] == [1.0, 1.75]
    assert json["figures"][T2V][1]["noise_floor"] == "0.500 (0.25 to 0.75)"


def test_a_run_beside_all_rows_has_each_figure_and_what_it_is_more() -> None:
    row: Any = SimpleNamespace(short="1.1")
    values = [
        (row, Beside(left=A, right=b(facts={"evaluator": "k"}))),
        (row, Beside(left=A, right=b(failed=True))),
    ]

    text = all_beside_text(values)

    assert "1.750 (+0.750)" in text
    assert text.count("(+0.750)") == 1, "a failed run is no more or less than anything"
    assert "printed in no row: ece" in text
    assert "Of 2 rows, 1 are failed runs, and 0 are what a coin flip gives. 1 are of" in text


def test_epc_2_4_c_rounds_and_tasks_are_as_stated_or_the_paper_s() -> None:
    def rounds(**given: Any) -> str:
        return _rounds(side("a", {}, **given).snapshot)

    printed = SimpleNamespace(as_printed="gamma with R = 50, seeds 10")
    assert rounds(citation=printed) == "50"
    assert rounds(citation=SimpleNamespace(as_printed="gamma")) == "30"
    assert rounds(conditions={"rounds": 7}) == "7"
    assert rounds(conditions={}) == "none"
    assert _tasks(side("a", {}, citation=printed).snapshot) == "the paper's"
    other = side("a", {}, conditions={"tasks": "0123456789abcdef"}).snapshot
    assert _tasks(other) == "others, 0123456789ab"
    assert _tasks(side("a", {}, conditions={}).snapshot) == "none"
