"""Gamma by seed, and which of very many seeds are drawn."""

from types import SimpleNamespace
from typing import Any

import pytest
from records_support import Run

from epc.records.manifest import Manifest
from epc.site.charts.seeds import MOST_SEEDS, _thinned, floor_chart, gamma_chart, verdicts_chart


def rows(*values: float) -> list[dict[str, Any]]:
    return [{"value": value, "gamma": value} for value in values]


@pytest.mark.parametrize("count", [200, 399])
def test_of_more_than_two_hundred_seeds_evenly_spaced_ranks_are_drawn_with_both_ends(
    count: int,
) -> None:
    seeds = [{"value": float(n)} for n in reversed(range(count))]

    drawn = [row["value"] for row in _thinned(seeds, 1)]

    assert len(drawn) == 200
    if count > 200:  # every second one of 399
        assert drawn == [2.0 * n for n in range(200)]
    else:
        assert drawn == [row["value"] for row in seeds]


def test_the_words_count_the_seeds_inside_the_band(made: dict[str, Run]) -> None:
    manifest = made["flip"].manifest()
    floors = manifest["results"]["summary"]["control"]["noise_floor"]
    values = [record["gamma"]["text_to_visual"] for record in manifest["results"]["per_seed"]]
    floors["text_to_visual"] |= {"q025": min(values) + 1e-9, "q975": 4.0}

    words = gamma_chart(Manifest.parse(manifest)).alternative

    assert "2 of 3 seeds inside the grey band; visual to text" in words


def test_many_seeds_are_thinned_to_ranks_and_every_one_is_in_the_rows(
    made: dict[str, Run],
) -> None:
    manifest = made["flip"].manifest()
    first = manifest["results"]["per_seed"][0]
    manifest["results"]["per_seed"] = [
        first | {"seed": n, "gamma": dict.fromkeys(first["gamma"], n / 1000)} for n in range(1001)
    ]

    chart = gamma_chart(Manifest.parse(manifest))

    drawn = chart.specification["layer"][2]["data"]["values"]
    assert len(drawn) == 2 * MOST_SEEDS
    values = sorted(r["value"] for r in drawn if r["direction"] == "text to visual")
    assert (values[0], values[-1]) == (0, 1)
    assert values[len(values) // 2] == pytest.approx(0.5, abs=0.006)
    assert len(chart.rows) == 2 * 1001
    assert f"thinned to {MOST_SEEDS}" in chart.note


def share(mean: float | None, hits: int, *ends: float) -> dict[str, Any]:
    return {"mean": mean, "hits": hits, "ci95": [*ends] or None}


def judged(variants: int) -> Any:
    verdict = {"PASS": share(0.5, 4, 0.25, 0.75), "PARTIAL": share(0.25, 2), "FAIL": share(0.25, 2)}
    none = {name: share(None, 0) for name in verdict}
    groups = [{"value": f"v{n}", "verdict": verdict, "valid": 8} for n in range(variants)]
    figures = {"verdict": verdict, "valid": 8, "n": 10, "invalid": {"hits": 2},
               "variants": [*groups, {"value": "none", "verdict": none, "valid": 0}]}  # fmt: skip
    return SimpleNamespace(row=SimpleNamespace(snapshot=SimpleNamespace(figures=figures)))


def test_verdicts_are_shares_of_all_outputs_and_of_each_variant_as_far_as_there_are_any() -> None:
    chart = verdicts_chart(judged(1))

    keys = ("variant", "verdict", "share", "low", "high", "count", "valid")
    assert [tuple(row[key] for key in keys) for row in chart.rows[:2]] == [
        ("all outputs", "PASS", 0.5, 0.25, 0.75, 4, 8),
        ("all outputs", "PARTIAL", 0.25, None, None, 2, 8),
    ]
    assert len(chart.rows) == 9
    drawn = chart.content["layer"][1]["data"]["values"]
    assert {row["variant"] for row in drawn} == {"all outputs", "v0"}
    assert chart.alternative == (
        "Of 8 valid evaluations 50.0% PASS, 25.0% PARTIAL, 25.0% FAIL; 2 of 10 samples were not "
        "validly evaluated."
    )
    assert chart.content["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]
    assert "variants" not in chart.note


@pytest.mark.parametrize("variants", [39, 40])
def test_forty_variants_are_drawn_and_all_are_in_the_rows(variants: int) -> None:
    chart = verdicts_chart(judged(variants))

    drawn = {row["variant"] for row in chart.content["layer"][1]["data"]["values"]}
    assert drawn == {"all outputs", *(f"v{n}" for n in range(variants))}
    assert len(chart.rows) == 3 * (variants + 2)
    assert ("The first 40 variants." in chart.note) == (variants == 40)


def test_gamma_stands_beside_a_coin_flip_and_its_own_floor(made: dict[str, Run]) -> None:
    manifest = made["flip"].manifest()
    summary = manifest["results"]["summary"]
    gamma = summary["gamma"]["text_to_visual"]
    floor = summary["control"]["noise_floor"]["text_to_visual"]

    chart = floor_chart(Manifest.parse(manifest))

    sources = [row["source"] for row in chart.rows]
    assert sources == ["a coin flip", "visual to visual", "text to visual", "text to text",
                       "visual to text"]  # fmt: skip
    assert [chart.rows[1][key] for key in ("mean", "low", "high")] == [
        floor["mean"], floor["q025"], floor["q975"],
    ]  # fmt: skip
    low, high = gamma["ci95"]
    assert [chart.rows[2][key] for key in ("mean", "low", "high")] == [gamma["mean"], low, high]
    assert chart.alternative.startswith(f"Mean gamma text to visual {gamma['mean']:.3f} and visual")
    layers = chart.content["layer"]
    assert [len(layer["data"]["values"]) for layer in layers] == [3, 3, 2, 2]
    gamma["ci95"] = summary["gamma"]["visual_to_text"]["ci95"] = None
    assert len(floor_chart(Manifest.parse(manifest)).content["layer"]) == 3
