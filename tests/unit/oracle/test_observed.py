"""Both computations of observed verdicts' figures agree (Reading R77)."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from observed_support import columns, verdict
from oracle.observed import disagreements
from oracle.observed_sums import beyond, student
from oracle.observed_wheels import p_value
from oracle.pcg64 import orders

from epc.analysis.verdicts import measure
from epc.audit.redirection import permuted
from epc.audit.units import LeftOut, Units
from epc.protocol.weights import UpdateRule
from epc.records.typed import as_json
from epc.records.verdicts.converting import digest
from epc.spec.epc_v1 import ROUNDS
from epc.statistics.inference import t_point, t_two_sided

ASKED = ["one", "renamed", "other", "warmer", "stated", "stated too"]
CHOICES = st.sampled_from(["a", "b", "tie"])
ANSWERS = st.builds(
    lambda text, length: {"answer_sha256": digest(text), "answer_length": length},
    st.sampled_from("xy"),
    st.sampled_from([5, 500]),
)
SCORES = st.fixed_dictionaries(
    {"a_score": st.integers(1, 3), "b_score": st.integers(1, 3)},
)
AUTHORS = st.one_of(
    st.just({}),
    st.builds(lambda a, b: {"a_by": a, "b_by": b}, st.sampled_from("jkp"), st.sampled_from("jkpr")),
    st.builds(lambda a: {"a_by": a, "b_by": "base"}, st.sampled_from("jkp")),
)


@st.composite
def lines(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw verdicts of every kind on up to five items, one of them another's mirror image."""
    items = {
        str(index): {
            "question_sha256": digest(f"q{index}"),
            "a_length": draw(st.integers(1, 3)),
            **draw(st.sampled_from([{}, {"gold": "a"}, {"gold": "b"}])),
            **draw(
                st.one_of(
                    st.just({}),
                    st.builds(lambda c: {"humans": c}, st.lists(CHOICES, min_size=1, max_size=4)),
                )
            ),
        }
        for index in range(draw(st.integers(1, 5)))
    }
    items["mirror"] = {
        "question_sha256": digest("q0"), "a_sha256": digest("b"), "b_sha256": digest("a0")
    }  # fmt: skip
    for name, item in items.items():
        item.update(draw(AUTHORS))
        if name != "mirror" and not item.keys() & {"gold", "humans"} and draw(st.booleans()):
            item["alone"] = True
    names = st.sampled_from(sorted(items))
    records: dict[object, dict[str, Any]] = {}
    for _ in range(draw(st.integers(1, 30))):
        name, place = draw(names), draw(st.sampled_from("ab"))
        setting = draw(
            st.sampled_from(["one", "renamed", "other", "warmer", "stated", "stated too"])
        )
        repeat = draw(st.integers(0, 2))
        record: dict[str, Any] = {"verdict": draw(st.one_of(CHOICES, st.just("unreadable")))}
        if draw(st.integers(0, 5)) == 0:
            record = draw(SCORES)
        more = draw(st.one_of(st.just({}), ANSWERS))
        more |= draw(st.sampled_from([{}, {"confidence": 0.5}, {"confidence": 0.95}]))
        line = verdict(name, place, "a", setting=setting, repeat=repeat, **items[name])
        del line["verdict"]
        if line.pop("alone", False):
            for field in ("first", "b_sha256", "b_length", "b_by"):
                line.pop(field, None)
            place, record = "", {"a_score": draw(st.integers(1, 4))}
            record |= draw(st.sampled_from([{}, {"human_score": 2}, {"human_score": 3.5}]))
        records.setdefault((name, place, setting, repeat), line | record | more)
    return [*records.values(), *draw(st.just(list(records.values())[:1]))]


@st.composite
def listed(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw askings on up to fourteen lists: scores of each candidate, or picks in some order."""
    picks = draw(st.booleans())
    records: dict[object, dict[str, Any]] = {}
    for _ in range(draw(st.integers(1, 60))):
        number, repeat = draw(st.integers(0, 13)), draw(st.integers(0, 2))
        setting = draw(st.sampled_from(["one", "other", "warmer", "stated"]))
        line: dict[str, Any] = {
            "item": str(number),
            "setting": setting,
            "file": "f",
            "repeat": repeat,
            "subset": "even" if number % 2 else "rare" if number == 0 else "odd",
            "question_sha256": digest(f"q{number // 2}"),
            "candidates": [digest(f"{number}/{index}") for index in range(3)],
            "right": number % 3,
            **draw(st.sampled_from([{}, {"input_tokens": 7.0, "output_tokens": 1.5}])),
            **draw(st.one_of(st.just({}), ANSWERS)),
        }
        order = tuple(draw(st.permutations(range(3)))) if picks else None
        if picks:
            picked = draw(st.sampled_from([0, 1, 2, None]))
            line |= {"order": order} | ({"verdict": "unreadable"} if picked is None else {})
            line |= {} if picked is None else {"picked": picked}
        else:
            scores = draw(st.lists(st.sampled_from([1.0, 2.0, None]), min_size=3, max_size=3))
            line |= {"scores": scores} if any(scores) else {"verdict": "unreadable"}
        records.setdefault((number, setting, repeat, order), line)
    return [*records.values()]


@settings(max_examples=40)
@given(listed())
def test_reading_r77_both_computations_agree_on_any_lists(rows: list[dict[str, Any]]) -> None:
    assert differing(rows) == []


def differing(rows: list[dict[str, Any]]) -> list[str]:
    header, verdicts = columns(*rows)
    report = as_json(measure(header, verdicts))
    return [": ".join(place) for place in disagreements(report, header, verdicts)]


@settings(max_examples=40)
@given(lines())
def test_reading_r77_both_computations_agree_on_any_file(rows: list[dict[str, Any]]) -> None:
    assert differing(rows) == []


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([verdict(str(n), "a", "tie") for n in range(9)], id="all ties"),
        pytest.param([verdict("1", "a", "a", gold="a")], id="one verdict"),
        pytest.param([verdict("1", p, "a", repeat=n) for p in "ab" for n in (0, 1)], id="one item"),
        pytest.param([verdict(str(n), "a", "unreadable") for n in range(3)], id="unreadable"),
        pytest.param(
            [verdict(str(n), "a", "a", setting=s) for n in range(3) for s in ("one", "other")],
            id="kappa of one word",
        ),
    ],
)  # fmt: skip
def test_reading_r77_both_computations_agree_on_nasty_files(rows: list[dict[str, Any]]) -> None:
    assert differing(rows) == []


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 731, 1000, 1001, 50_000])
def test_students_point_is_the_same_by_integration(freedom: int) -> None:
    assert student(freedom) == pytest.approx(t_point(freedom), abs=1e-11, rel=1e-12)


@pytest.mark.parametrize("freedom", [1, 2, 7, 250])
def test_students_tail_and_other_points_are_the_same_by_integration(freedom: int) -> None:
    assert student(freedom, 0.1) == pytest.approx(t_point(freedom, 0.1), abs=1e-11, rel=1e-12)
    assert beyond(1.7, freedom) == pytest.approx(t_two_sided(1.7, freedom), abs=1e-12)
    assert beyond(0.0, freedom) == 1


def test_the_shuffle_is_numpys() -> None:
    numpys, order = default_rng(20261126), orders(20261126)
    for count in (29, 33, 300):
        assert order(count) == numpys.permutation(count).tolist()


def test_reading_r71_both_computations_draw_the_same_arrangements() -> None:
    """Nine tasks against eight, of which the first strategy wins most there and fewest here."""
    won = default_rng(7).random((17, 3)) < np.repeat([[0.6, 0.4, 0.5], [0.4, 0.6, 0.5]], (9, 8), 0)
    tied = np.zeros((17, 3))
    tied[3, 1] = 1.0
    decided = 1 - tied
    units = Units(
        domains=("x", "y"),
        strategies=("p", "q", "r"),
        won=won * decided,
        decided=decided,
        tied=tied,
        first=9,
        left_out=LeftOut(strategies=(), tasks={}),
        decided_share=50 / 51,
        grouped=False,
    )
    cells = [
        [(int(w * d), int(d - w * d), int(1 - d)) for w, d in zip(*rows, strict=True)]
        for rows in zip(won, decided, strict=True)
    ]

    found = p_value(cells, 9, units.tie.tolist())

    assert 0.01 < found < 0.99
    assert found == permuted(units, rounds=ROUNDS, rule=UpdateRule())
