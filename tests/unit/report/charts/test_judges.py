"""The pictures of an evaluation of judges: which groups they show, and their numbers."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from records_support import vega_lite

from epc.report.charts.judges import judging_charts
from epc.spec.judge_v1 import OVERALL
from epc.statistics.figures import Figure


def group(name: str, score: float | None, invalid: float | None) -> Any:
    share = None if invalid is None else (invalid / 2, invalid * 2)
    return SimpleNamespace(
        value=name,
        overall_score=Figure(value=score, ci95=None if score is None else (score - 1, score + 1)),
        invalid=Figure(value=invalid, ci95=share),
    )


def evaluation(groups: dict[str, list[Any]], *, invalid: int, kappas: Sequence[Any] = ()) -> Any:
    pairs = [
        SimpleNamespace(
            judges=("j", "k"),
            compared=SimpleNamespace(kappa={OVERALL: kappa}, kappa_ci95={OVERALL: ends}),
        )
        for kappa, ends in kappas
    ]
    return SimpleNamespace(
        primary=SimpleNamespace(
            groups=lambda axis: groups.get(axis, []),
            all=SimpleNamespace(invalid=SimpleNamespace(count=invalid)),
        ),
        agreement=SimpleNamespace(pairs=pairs),
        labels=None,
    )


def test_scores_and_invalid_shares_have_a_row_a_group_with_its_axis() -> None:
    many = [group(str(n), None, None) for n in range(20)]
    groups = {"judge_model": [group("j", 6.0, 0.125)], "target_model": many,
              "prompt_variant": [group("A", None, 0.25)]}  # fmt: skip

    scores, invalid = judging_charts(evaluation(groups, invalid=1))

    assert (scores.name, invalid.name) == ("scores", "invalid")
    assert scores.rows == [{"figure": "judge j", "value": 6.0, "low": 5.0, "high": 7.0}]
    assert invalid.rows == [
        {"figure": "judge j", "value": 12.5, "low": 6.25, "high": 25.0},
        {"figure": "variant A", "value": 25.0, "low": 12.5, "high": 50.0},
    ]
    domains = [chart.content["layer"][-1]["encoding"]["x"]["scale"] for chart in (scores, invalid)]
    assert domains == [{"domain": [0, 8]}, {"domain": [0, 100]}]
    assert "the mean of 0 to 8." in scores.note
    assert all([*vega_lite().iter_errors(c.specification)] == [] for c in (scores, invalid))


def test_twelve_groups_of_an_axis_are_drawn_and_nothing_where_nothing_is_invalid() -> None:
    many = [group(str(n), 4.0, 0.0) for n in range(13)]

    (scores,) = judging_charts(evaluation({"target_model": many}, invalid=0))

    assert [row["figure"] for row in scores.rows] == [f"target {n}" for n in range(12)]
    assert [*judging_charts(evaluation({}, invalid=0))] == []


def test_agreement_is_drawn_from_0_or_from_the_lowest_end_below_it() -> None:
    kappas = [(0.5, (0.25, 0.75)), (0.1, (-0.125, 0.3)), (None, None), (0.9, None)]

    (chart,) = judging_charts(evaluation({}, invalid=0, kappas=kappas))

    assert [row["value"] for row in chart.rows] == [0.5, 0.1, 0.9]
    assert chart.rows[0]["figure"] == "j\nand k"
    layers = chart.content["layer"]
    assert layers[-1]["encoding"]["x"]["scale"]["domain"] == [-0.125, 1]
    assert layers[0]["data"]["values"] == [{"at": 2 / 3}]
    assert "0.67, below which" in chart.note
    (above,) = judging_charts(evaluation({}, invalid=0, kappas=kappas[:1]))
    assert above.content["layer"][-1]["encoding"]["x"]["scale"]["domain"] == [0.0, 1]
