"""The page about functions, from the sources."""

from epc.site.reference import page


def test_every_function_stands_with_signature_and_docstring() -> None:
    text = page()

    assert '<h3 id="epc.protocol.metrics.gamma">gamma</h3>' in text
    assert "gamma(coupled&#58; Sequence&#91;float&#93;, pure" in text
    assert "<p>Return how far coupling moved the weights, relative to the pure phase.</p>" in text
    assert "<p>Raises&#58; ShapeError, SimplexError.</p>" in text


def test_what_is_internal_is_left_out() -> None:
    assert "### _" not in page()
