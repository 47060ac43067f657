"""A measurement and published ones: what differs, and what follows from it (EPC-5.1(5))."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.registry.comparing import (
    _COMPARED,
    _rounds,
    _tasks,
    comparison_json,
    comparison_text,
    conclusion,
    is_clean,
    not_compared,
    reference_text,
)
from epc.registry.comparison import Comparison, Operand
from epc.registry.figures import figures as figures_in

V2T, T2V = "gamma/visual_to_text", "gamma/text_to_visual"


def gamma(mean: float, low: float | None = None, high: float = 0.0) -> dict[str, Any]:
    return {"mean": mean, "ci95": None if low is None else [low, high]}


def side(name: str, figures: dict[str, Any], **fields: Any) -> Operand:
    changed = fields.pop("facts", {})
    card = SimpleNamespace(
        protocol_version=fields.pop("variant", "EPC-v1.0"),
        citation=fields.pop("citation", None),
        audit=fields.pop("audit", None),
        conditions=fields.pop("conditions", None),
    )
    snapshot: Any = SimpleNamespace(
        figures=figures, card=card, kind=fields.pop("kind", "measured"), n=30,
        failed=fields.pop("failed", False),
    )  # fmt: skip
    assert not fields
    compared = {f.name: f for f in figures_in(figures) if f.name.startswith(_COMPARED)}
    return Operand(
        name=name,
        snapshot=snapshot,
        conditions={"evaluator": changed.get("evaluator", "m")},
        facts={"N": changed.get("N", "30"), "state": "s"},
        state="s",
        figures=compared,
    )


A = side("a", {"gamma": {"text_to_visual": gamma(1.0, 0.75, 1.25)}, "ece": gamma(0.25)})
FLOOR = {"noise_floor": {"text_to_visual": gamma(0.5) | {"q025": 0.25, "q975": 0.75}}}


def b(low: float = 1.5, high: float = 2.0, **fields: Any) -> Operand:
    figures = {"gamma": {"text_to_visual": gamma(1.75, low, high)}, "pci": gamma(0.5),
               "control": FLOOR}  # fmt: skip
    return side("b", figures, **fields)


def test_only_figures_that_are_compared_count_and_both_must_have_them() -> None:
    comparison = Comparison(left=A, right=b())

    assert {*A.figures} == {T2V, "ece"}
    assert {*comparison.figures} == {T2V}
    assert not_compared(comparison) == {
        "ece": "needs accuracies, `epc validate RUN --accuracy FILE`",
        "pci": "the paper does not say of which phase its PCI is",
    }
    cited = Comparison(left=A, right=b(citation="x"))
    assert not_compared(cited)["ece"] == "not printed for b"
    jsd = side("c", {"jsd": {"text_to_visual": gamma(0.1)}})
    assert not_compared(Comparison(left=jsd, right=A))["jsd/text_to_visual"] == "not measured in a"
    audited = Comparison(left=side("a", {}, audit=1), right=side("b", {}, audit=1))
    assert not_compared(audited) == {
        "verdicts, pair by pair": "`epc snapshot fetch b`, then compare the two folders"
    }
    unaudited = Comparison(left=side("a", {}, audit=1), right=side("b", {}))
    assert not_compared(unaudited) == {}


def test_a_gamma_has_the_floor_of_its_run_or_else_a_coin_flip_s() -> None:
    def floor(operand: Operand) -> str:
        return operand.floor(operand.figures[T2V])

    assert floor(b()) == "0.500 (0.25 to 0.75)"
    assert floor(A) == "1.170 (0.73 to 1.61), a coin flip's"
    other_operand = side(
        "a", {"gamma": {"text_to_visual": gamma(1.0)}}, variant="EPC-v1.0-AltRounds"
    )
    assert floor(other_operand) == "unknown"
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
def test_a_difference_is_put_down_to_what_explains_it(right: Operand, words: str) -> None:
    sentence = conclusion(Comparison(left=A, right=right))

    assert sentence.startswith("gamma differs by +0.750 (text_to_visual), and")
    assert words in sentence
    assert "within noise" not in sentence


def test_without_an_interval_nothing_is_told_from_chance_and_noise_is_named() -> None:
    plain = side("c", {"gamma": {"text_to_visual": gamma(1.0)}})

    sentence = conclusion(Comparison(left=A, right=plain))

    assert "and one side has no interval: this is not distinguishable from chance" in sentence
    assert sentence.endswith("; all of them lie within noise, so none shows coupling.")


def test_like_stands_beside_like_where_no_condition_differs_and_none_failed() -> None:
    another_n = Comparison(left=A, right=b(facts={"N": "9"}))
    assert is_clean(another_n)
    assert another_n.differences == {"N": ("30", "9")}
    assert not is_clean(Comparison(left=A, right=b(facts={"evaluator": "k"})))
    failed = Comparison(left=A, right=b(failed=True))
    assert not is_clean(failed)
    assert conclusion(failed) == "b: no verdict was counted, so nothing can be compared."
    none = Comparison(left=A, right=side("c", {}))
    assert not is_clean(none)
    assert conclusion(none) == "No gamma is in both, so nothing follows about coupling."
    judged = Comparison(left=A, right=side("c", {}, kind="judged"))
    assert [*not_compared(judged)] == ["everything"]


def test_a_comparison_is_printed_and_written_with_both_sides() -> None:
    value = Comparison(left=A, right=b(facts={"evaluator": "k"}))

    text = comparison_text(value)

    assert text.startswith("a beside b: not like for like\n\nWhat differs\n")
    assert "The same in both: N, state" in text
    assert text.split("noise floor")[1].split("\n")[0].split() == [
        *("1.170", "(0.73", "to", "1.61),", "a", "coin", "flip's", "0.500", "(0.25", "to", "0.75)"),
    ]
    assert "  ece: needs accuracies" in text
    assert comparison_text(Comparison(left=A, right=b())).startswith("a beside b: like for like")
    json = comparison_json(value)
    assert (json["left"], json["right"], json["like_for_like"]) == ("a", "b", False)
    assert json["differs"] == {"evaluator": ["m", "k"]}
    assert [row["mean"] for row in json["figures"][T2V]] == [1.0, 1.75]
    assert json["figures"][T2V][1]["noise_floor"] == "0.500 (0.25 to 0.75)"


def test_a_run_beside_all_rows_has_each_figure_and_what_it_is_more() -> None:
    row: Any = SimpleNamespace(short="1.1")
    values = [
        (row, Comparison(left=A, right=b(facts={"evaluator": "k"}))),
        (row, Comparison(left=A, right=b(failed=True))),
    ]

    text = reference_text(values)

    assert "1.750 (+0.750)" in text
    assert text.count("(+0.750)") == 1, "a failed run is no more or less than anything"
    assert "printed in no row: ece" in text
    assert "Of 2 rows, 1 are failed runs, and 0 are what a coin flip gives. 1 are of" in text


def test_epc_2_4_c_rounds_and_tasks_are_as_stated_or_the_paper_s() -> None:
    def rounds(**fields: Any) -> str:
        return _rounds(side("a", {}, **fields).snapshot)

    printed = SimpleNamespace(as_printed="gamma with R = 50, seeds 10")
    assert rounds(citation=printed) == "50"
    assert rounds(citation=SimpleNamespace(as_printed="gamma")) == "30"
    assert rounds(conditions={"rounds": 7}) == "7"
    assert rounds(conditions={}) == "none"
    assert _tasks(side("a", {}, citation=printed).snapshot) == "the paper's"
    other_snapshot = side("a", {}, conditions={"tasks": "0123456789abcdef"}).snapshot
    assert _tasks(other_snapshot) == "others, 0123456789ab"
    assert _tasks(side("a", {}, conditions={}).snapshot) == "none"
