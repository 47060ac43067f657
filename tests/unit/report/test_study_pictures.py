"""The pictures of the study say in words what they show."""

from records_support import vega_lite
from studies.words.pictures import coverage_figure
from studies.words.results import Coverage


def row(interval: str, covered: int, *, seeds: int = 10, evaluator: str = "coin flip") -> Coverage:
    return Coverage(
        evaluator=evaluator,
        reuse="fresh",
        seeds=seeds,
        interval=interval,
        runs=1_000,
        covered=covered,
        truth=0.0,
        width=0.1,
    )


def test_the_coverage_s_words_give_each_interval_s_span_over_evaluators_and_ways() -> None:
    rows = [
        row("mean", 950),
        row("mean", 925, evaluator="biased"),
        row("mean", 940, seeds=30),
        row("share", 1_000),
    ]

    figure = coverage_figure(rows)

    assert figure["description"] == (
        "Coverage of nominal 95% intervals. mean, fresh, 10 seeds: 92.5% to 95.0%; "
        "mean, fresh, 30 seeds: 94.0% to 94.0%; share, fresh, 10 seeds: 100.0% to 100.0%."
    )
    assert [(each["evaluator"], each["rate"]) for each in figure["data"]["values"]] == [
        ("coin flip", 0.95),
        ("biased", 0.925),
        ("coin flip", 0.94),
        ("coin flip", 1.0),
    ]
    assert list(vega_lite().iter_errors(figure)) == []
