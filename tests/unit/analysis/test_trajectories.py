"""The weights round by round: the trials replayed, by an update of the test's own."""

from typing import Any

import pytest
from records_support import Run, make_run

from epc.analysis.trajectories import Trajectories, trajectories, trajectories_of
from epc.errors import MalformedError
from epc.records.rows import Trial
from epc.records.typed import parse


def of(run: Run) -> Trajectories:
    return trajectories(run.parsed(), trials(run.rows("trials")))


def trials(rows: list[dict[str, Any]]) -> list[Trial]:
    return [parse(row, Trial) for row in rows]


def replayed(run: Run, seed: int, phases: tuple[str, str]) -> list[list[float]]:
    """Return one seed's weights after each round of two phases, the second upon the first."""
    names = [strategy["name"] for strategy in run.manifest()["strategies"]]
    weights = [1 / len(names)] * len(names)
    path = [weights]
    for phase in phases:
        for row in run.rows("trials"):
            if row["seed"] == seed and row["phase"] == phase:
                if row["verdict"] != "tie":
                    step = 0.08 if row["verdict"] == "A" else -0.04
                    at = names.index(row["strategy"])
                    raised = [w if i != at else max(0.001, w + step) for i, w in enumerate(weights)]
                    weights = [w / sum(raised) for w in raised]
                path.append(weights)
    return path


def test_epc_2_3_one_seed_goes_as_the_update_says(single: Run) -> None:
    actual_trajectories = of(single)

    assert (
        actual_trajectories.rounds,
        actual_trajectories.seeds,
        len(actual_trajectories.strategies),
    ) == (2, 1, 11)
    orders = (("text", "text_to_visual"), ("visual", "visual_to_text"))
    for course, phases in zip(actual_trajectories.paths, orders, strict=True):
        for step, weights in enumerate(replayed(single, 0, phases)):
            for path, weight in zip(course, weights, strict=True):
                assert path[step] == pytest.approx((weight,) * 3, abs=1e-15)


def test_of_several_seeds_the_mean_and_the_range_of_ninety_percent_are_kept(flip: Run) -> None:
    actual_trajectories = of(flip)

    figures = [replayed(flip, seed, ("text", "text_to_visual")) for seed in range(3)]
    for step in range(2 * 5 + 1):
        for index, path in enumerate(actual_trajectories.paths[0]):
            low, middle, high = sorted(seed[step][index] for seed in figures)
            mean = (low + middle + high) / 3
            # Linear quantiles of three values: a tenth of the way in from either end.
            ends = (low + 0.1 * (middle - low), high - 0.1 * (high - middle))
            assert path[step] == pytest.approx((mean, *ends), abs=1e-15)


def test_a_run_without_rounds_stays_where_it_began(ties: Run) -> None:
    none = make_run(ties.folder.parent / "none", seeds=2, rounds=0)

    assert {len(path) for path in of(none).paths[0]} == {1}
    assert of(none).paths[0][0][0] == pytest.approx((1 / 11,) * 3)
    assert {point for path in of(ties).paths[0] for point in path} == {(0.5, 0.5, 0.5)}


def test_trials_that_end_elsewhere_are_refused(tiny: Run) -> None:
    rows = tiny.rows("trials")
    first = next(row for row in rows if row["verdict"] != "tie")
    first["verdict"] = {"A": "B", "B": "A"}[first["verdict"]]

    with pytest.raises(MalformedError, match="does not end text where the manifest says"):
        trajectories(tiny.parsed(), trials(rows))


@pytest.mark.parametrize("kept", [slice(1, None), slice(0, 8)], ids=["a round", "a seed"])
def test_trials_of_which_some_are_missing_are_refused(ties: Run, kept: slice) -> None:
    with pytest.raises(MalformedError, match="does not end"):
        trajectories(ties.parsed(), trials(ties.rows("trials")[kept]))


def test_trials_of_a_seed_that_the_manifest_does_not_know_are_refused(tiny: Run) -> None:
    rows = tiny.rows("trials")

    with pytest.raises(MalformedError, match="seed 7 is none of the manifest's"):
        trajectories(tiny.parsed(), trials([*rows, rows[0] | {"seed": 7}]))


def test_a_damaged_line_of_a_runs_trials_is_refused_and_no_surprise(tiny: Run) -> None:
    with (tiny.folder / "trials.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    assert trajectories_of(tiny.parsed(), tiny.folder) is not None  # every round is still there
    lines = (tiny.folder / "trials.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tiny.folder / "trials.jsonl").write_text("".join(["{}\n", *lines[1:]]), "utf-8")

    with pytest.raises(MalformedError, match="does not end"):
        trajectories_of(tiny.parsed(), tiny.folder)
