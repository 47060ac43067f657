"""Gamma by seed, and which of very many seeds are drawn."""

from typing import Any

import pytest
from records_support import Run

from epc.records.manifest import Manifest
from epc.site.charts.seeds import MOST_SEEDS, _thinned, gamma_chart


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

    alternative = gamma_chart(Manifest.parse(manifest)).alternative

    assert "2 of 3 seeds inside the grey band; visual to text" in alternative


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
