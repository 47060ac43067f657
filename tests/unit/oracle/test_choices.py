"""Reading R102: the published table of ways, and what `epc which` makes of it, a second time."""

import json

import pytest
from oracle.choices import interval, point
from registry_support import ROOT

from epc.records.choices import Choices
from epc.records.typed import parse

DOCUMENT = json.loads((ROOT / "snapshots" / "choices.json").read_bytes())
CHOICES = parse(DOCUMENT, Choices)


@pytest.mark.parametrize("name", [*DOCUMENT["domains"]])
def test_reading_r102_shares_have_the_score_interval_of_as_many_answers_as_vary_as_much(
    name: str,
) -> None:
    for comparisons in (1, 4):
        for number, way in enumerate(CHOICES.ways):
            asked = DOCUMENT["domains"][name]["questions"] * way.times * len(way.models)
            figure = CHOICES.figure(CHOICES.domains[name], number, comparisons)

            assert figure.ci95 == pytest.approx(
                interval(DOCUMENT["domains"][name], number, asked, 0.05 / comparisons), abs=1e-9
            )


@pytest.mark.parametrize("name", ["Math", "Safety"])
def test_reading_r102_the_stored_point_is_that_of_all_pairs(name: str) -> None:
    assert DOCUMENT["domains"][name]["point"] == pytest.approx(
        point(DOCUMENT["domains"][name], 20_000, 1), abs=0.04
    )
