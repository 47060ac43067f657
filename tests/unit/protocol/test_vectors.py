"""EPC-2.5 and Reading R12: the metrics of many vectors at once have the bits of one at a time."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vectors_support import Pair, over_its_sum

from epc.errors import ShapeError, SimplexError
from epc.protocol.metrics import cpci, gamma, pci
from epc.protocol.vectors import concentrations, gammas, shifts


@st.composite
def pairs(draw: st.DrawFn) -> list[Pair]:
    """Pairs of one length, as rounds leave them and as no round would."""
    strategies = draw(st.integers(1, 12))
    sizes = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-300, 1 / 3, 1.0]))
    vector = st.lists(sizes, min_size=strategies, max_size=strategies)
    sound = vector.filter(lambda numbers: sum(numbers) > 1e-3).map(over_its_sum)
    return draw(st.lists(st.tuples(sound, sound), max_size=5))


@settings(deadline=None)
@given(pairs())
@example([((1.0, 0.0), (0.0, 1.0))])
@example([((1.0,), (1.0,)), ((1.0,), (1.0,))])
def test_epc_2_5_many_vectors_have_the_figures_of_each_alone_to_the_last_bit(
    given_pairs: list[Pair],
) -> None:
    vectors = [vector for pair in given_pairs for vector in pair]

    assert gammas(given_pairs) == [gamma(*pair) for pair in given_pairs]
    assert shifts(given_pairs) == [cpci(*pair) for pair in given_pairs]
    assert concentrations(vectors) == [pci(vector) for vector in vectors]


@pytest.mark.parametrize("metric", [gammas, shifts])
def test_epc_2_5_a_pair_that_cannot_be_compared_is_refused_among_many(
    metric: Callable[[Sequence[Pair]], list[float]],
) -> None:
    good = ((0.5, 0.5), (0.25, 0.75))

    with pytest.raises(SimplexError):
        metric([good, ((0.5, 0.4), (0.5, 0.5))])
    with pytest.raises(SimplexError):
        metric([good, ((-0.5, 1.5), (0.5, 0.5))])
    with pytest.raises(ShapeError):
        metric([good, ((1.0,), (0.5, 0.5))])


def test_reading_r12_a_vector_that_is_no_distribution_is_refused_among_many() -> None:
    with pytest.raises(SimplexError):
        concentrations([(0.5, 0.5), (0.5, 0.6)])
    assert concentrations([(1.0,), (0.5, 0.5)]) == [0.0, 0.0]  # of different lengths
