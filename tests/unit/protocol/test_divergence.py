"""EPC-2.5, Reading R9: many divergences at once have the bits of one at a time."""

from decimal import Context, Decimal
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from budget_support import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vectors_support import Pair, over_its_sum

from epc.errors import ShapeError, SimplexError
from epc.protocol import divergence
from epc.protocol.divergence import divergences
from epc.protocol.metrics import jsd
from epc.protocol.weights import Weights

THIRD = 1 / 3


SIZES = st.one_of(
    st.floats(0, 1), st.just(0.0), st.floats(0, 1e-12), st.floats(0, 1e-290), st.just(1.0)
)


@st.composite
def pairs(draw: st.DrawFn) -> list[Pair]:
    """Pairs of one length: wide apart, almost equal, with zeros and with subnormal weights."""
    strategies = draw(st.integers(1, 12))
    vectors = st.lists(SIZES, min_size=strategies, max_size=strategies)
    sound = vectors.filter(lambda numbers: sum(numbers) > 1e-3).map(over_its_sum)
    made: list[Pair] = []
    for _ in range(draw(st.integers(8, 12))):
        left, right = draw(sound), draw(sound)
        if draw(st.booleans()):
            nudge = draw(st.sampled_from([0.0, 1e-15, 1e-9, 1e-4]))
            right = over_its_sum([w * (1 + nudge * (i % 3)) for i, w in enumerate(left)])
        made.append((left, right))
    return made


@settings(deadline=None, max_examples=examples(300))
@given(pairs())
@example([((1.0, 0.0), (0.0, 1.0))] * 8)
@example([((THIRD, THIRD, THIRD), (THIRD, THIRD, THIRD))] * 8)
@example([((1.0, 0.0), (0.5, 0.5))] * 8)
def test_epc_2_5_many_jsd_at_once_are_each_jsd_to_the_last_bit(given_pairs: list[Pair]) -> None:
    assert divergences(given_pairs) == [jsd(left, right) for left, right in given_pairs]


def test_epc_2_5_the_weights_of_real_phases_seldom_need_a_second_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    raw = rng.random((1000, 2, 11)) ** 3
    vectors = (raw / raw.sum(axis=2, keepdims=True)).tolist()
    real = [(tuple(left), tuple(right)) for left, right in vectors]
    again: list[Pair] = []

    def watched(left: Weights, right: Weights) -> float:
        again.append((left, right))
        return jsd(left, right)

    monkeypatch.setattr(divergence, "jsd", watched)

    assert divergences(real) == [jsd(*pair) for pair in real]
    assert len(again) <= 1


def test_epc_2_5_a_result_between_two_doubles_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the lost digits could decide, the decimal form does."""
    high, half_way = 0.25, float(Fraction(1, 2**55))  # half of the last bit of 1/4

    def total(left: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.full(left.shape[1], high), np.full(left.shape[1], half_way)

    monkeypatch.setattr(divergence, "_total", total)
    monkeypatch.setattr(divergence, "jsd", lambda *_: 0.5)

    assert divergences([((1.0, 0.0), (0.5, 0.5))] * 8) == [0.5] * 8


@pytest.mark.parametrize("count", [1, 8])
def test_epc_2_5_what_cannot_be_compared_is_refused_among_many_too(count: int) -> None:
    good = ((0.5, 0.5), (0.25, 0.75))

    with pytest.raises(SimplexError):
        divergences([good] * count + [((0.5, 0.4), (0.5, 0.5))])
    with pytest.raises(SimplexError):
        divergences([good] * count + [((-0.5, 1.5), (0.5, 0.5))])
    with pytest.raises(ShapeError):
        divergences([good] * count + [((1.0,), (0.5, 0.5))])


def test_epc_2_5_what_is_lost_before_the_second_look_is_far_below_what_decides() -> None:
    """Against fifty digits: p ln(2p / (p + q)) + q ln(2q / (p + q)), strategy by strategy."""
    raw = np.random.default_rng(6).random((2, 5, 200)) ** 3
    left, right = raw / raw.sum(axis=1, keepdims=True)
    context = Context(prec=50)

    def term(own: Decimal, other: Decimal) -> Decimal:
        ratio = context.divide(context.add(own, own), context.add(own, other))
        return context.multiply(own, context.ln(ratio))

    high, low = divergence._total(left, right)

    for at in range(200):
        ps, qs = ([*map(Decimal, side[:, at].tolist())] for side in (left, right))
        terms = [term(*pair) for p, q in zip(ps, qs, strict=True) for pair in ((p, q), (q, p))]
        exact = reduce(context.add, terms)
        found = context.add(Decimal(float(high[at])), Decimal(float(low[at])))
        assert abs(context.subtract(found, exact)) < Decimal("1e-28")
