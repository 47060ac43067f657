"""Reading R39: the study's runs are what a measurement would record, and its tables follow."""

import csv
from pathlib import Path

import numpy as np
import pytest

from epc.audit.candidate_tests import ADOPTED
from epc.audit.precision import rejected
from epc.audit.study import (
    ALTERNATIVES,
    EXCESS,
    GAMMA_BOOTSTRAP,
    GAMMA_STUDENT,
    NULLS,
    REUSES,
    SEEDS,
    Found,
    coverage,
    points,
    rejections,
    work,
)
from epc.simulation.study_runs import Kind, Point, Reuse, simulate_runs
from epc.spec.coupling import LEVEL
from epc.spec.epc_v1 import DOMAINS

DATA = Path(__file__).parents[3] / "site" / "docs" / "data"


def point(
    evaluator: str,
    *,
    seeds: int = 10,
    reuse: Reuse = "fresh",
    runs: int = 100,
    number: int = 0,
    kind: Kind = "decide",
) -> Point:
    return Point(kind=kind, evaluator=evaluator, seeds=seeds, reuse=reuse, runs=runs, number=number)


def published(name: str) -> list[dict[str, str]]:
    with (DATA / name).open() as file:
        return list(csv.DictReader(file))


def test_reading_r39_every_round_of_a_fresh_run_is_in_its_table() -> None:
    for run in simulate_runs(point("coin-flip:tie=0.3", seeds=7, runs=3)):
        for domain in DOMAINS:
            assert run.table.counts[domain].sum() == 7 * 2 * 30
        assert not run.table.repeated


def test_reading_r16_an_exhaustive_run_asks_every_pair_once() -> None:
    first, second = simulate_runs(point("coin-flip", reuse="exhaustive", runs=2))

    assert (first.table.counts["text"].sum(axis=2) == 1).all()
    assert first.table.repeated
    assert (first.table.counts["text"] != second.table.counts["text"]).any()


def test_reading_r16_the_seeds_of_an_exhaustive_run_follow_its_own_table() -> None:
    """Strategies that win all their tasks end high: weights and table are of one evaluator."""
    together = []
    for run in simulate_runs(point("coin-flip", seeds=200, reuse="exhaustive", runs=10)):
        wins = run.table.counts["text"][..., 0].sum(axis=1)
        together.append(np.corrcoef(wins, run.vectors["text"].mean(axis=1))[0, 1])

    assert min(together) > 0.9


@pytest.mark.parametrize("reuse", REUSES)
@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("evaluator", NULLS)
def test_reading_r39_the_test_is_seldom_wrong(evaluator: str, seeds: int, reuse: Reuse) -> None:
    # Of 100 runs more than 13 are rejected in 1 of 1,800 studies if the rate is 5%.
    assert rejected(point(evaluator, seeds=seeds, reuse=reuse)) <= 13


def test_reading_r39_the_test_sees_favourites_of_095_against_01() -> None:
    assert rejected(point("domain-favourites:high=0.95,low=0.1", seeds=30, runs=50)) == 50


def test_reading_r39_points_differ_in_their_runs_and_repeat_themselves() -> None:
    first, again, other = (
        simulate_runs(point("coin-flip", runs=1, number=number))[0] for number in (0, 0, 1)
    )

    assert (first.table.counts["text"] == again.table.counts["text"]).all()
    assert (first.paired["text_to_visual"] == again.paired["text_to_visual"]).all()
    assert (first.table.counts["text"] != other.table.counts["text"]).any()


def test_reading_r39_the_study_covers_what_it_says() -> None:
    asked = points(2000)

    assert len(set(asked)) == len(asked)
    for evaluator in NULLS:
        cells = [p for p in asked if p.evaluator == evaluator and p.kind == "decide"]
        assert sum(p.runs for p in cells) == 2000 * len(SEEDS) * len(REUSES)
    assert sum(p.runs for p in asked if p.kind == "cover" and p.evaluator == "always-a") == 2000
    assert {p.evaluator for p in asked if p.kind == "decide"} == {*NULLS, *ALTERNATIVES}


def test_reading_r39_a_point_is_put_to_every_test() -> None:
    found = work(point("domain-favourites:high=0.95,low=0.1", seeds=30, runs=5))

    assert found.rejected[ADOPTED] == 5
    assert len(found.rejected) == 9
    assert max(found.rejected.values()) == 5


def test_reading_r39_points_of_one_cell_add_up() -> None:
    found = [
        Found(
            point=point("coin-flip", runs=runs, number=number),
            rejected={"table": hits},
            intervals={},
        )
        for number, (runs, hits) in enumerate([(100, 7), (50, 2)])
    ]

    [row] = rejections(found)

    assert (row.runs, row.rejected, row.rate) == (150, 9, 0.06)
    assert row.interval[0] < 0.06 < row.interval[1]


def test_epc_2_5_f_coverage_is_the_share_of_intervals_about_the_truth() -> None:
    # gamma of a coin flip is 1.17 and its excess 0, to 0.01.
    found = Found(
        point=point("coin-flip", kind="cover", runs=2),
        rejected={},
        intervals={GAMMA_STUDENT: [(1.0, 1.3), (1.2, 1.4)], EXCESS: [(-0.1, 0.1), (-0.2, 0.1)]},
    )

    student, excess = coverage([found])

    assert (student.covered, student.rate) == (1, 0.5)
    assert student.truth == pytest.approx(1.17, abs=0.01)
    assert student.width == pytest.approx(0.25)
    assert excess.covered == 2
    assert excess.width == pytest.approx(0.25)
    assert excess.truth == pytest.approx(0, abs=0.01)


def test_epc_2_5_f_a_covering_point_forms_every_interval_of_every_run() -> None:
    found = work(point("always-a", kind="cover", runs=3))

    assert {name: len(each) for name, each in found.intervals.items()} == {
        GAMMA_BOOTSTRAP: 3,
        GAMMA_STUDENT: 3,
        EXCESS: 3,
    }


def test_reading_r39_the_published_error_rates_hold() -> None:
    rows = [row for row in published("rejections.csv") if row["test"] == ADOPTED]
    nulls = [row for row in rows if row["coupled"] == "no"]

    assert len(nulls) == len(NULLS) * len(SEEDS) * len(REUSES)
    assert min(int(row["runs"]) for row in nulls) >= 2000
    assert max(float(row["rate"]) for row in nulls) <= 0.07
    for row in nulls:  # never wrong only where the table has no variation
        assert (float(row["rate"]) == 0) == row["evaluator"].startswith("always")
    strong = [r for r in rows if r["evaluator"] == "domain-favourites:high=0.95,low=0.1"]
    assert min(float(row["rate"]) for row in strong) > 0.9


def test_epc_2_5_f_the_published_coverage_holds_at_thirty_seeds() -> None:
    rows = [r for r in published("coverage.csv") if r["seeds"] == "30"]
    recommended = [r for r in rows if r["interval"] != GAMMA_BOOTSTRAP]

    assert len(recommended) == 12
    assert all(0.93 <= float(row["rate"]) <= 0.97 for row in recommended)


@pytest.mark.parametrize(
    ("evaluator", "reuse"),
    [("scattered:sd=0.5", "fresh"), ("one-domain:high=0.95,low=0.5", "exhaustive")],
)
def test_reading_r39_the_published_power_is_what_the_study_gives(
    evaluator: str, reuse: Reuse
) -> None:
    cell = [p for p in points(2000) if p.cell == (evaluator, 10, reuse) and p.kind == "decide"]
    [row] = [
        row
        for row in published("rejections.csv")
        if (row["evaluator"], row["seeds"], row["reuse"], row["test"])
        == (evaluator, "10", reuse, ADOPTED)
    ]

    assert sum(map(rejected, cell)) == int(row["rejected"])
    assert LEVEL == 0.05
