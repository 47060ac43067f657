"""EPC-2.5(c), Readings R11 and R42: calibration from accuracies that a CSV file gives."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from records_support import Run, epc, make_run, places

from epc.errors import MalformedError, UsageError
from epc.records.accuracy import _reliability, is_calibration, read_accuracy
from epc.records.recompute import rewrite
from epc.records.validate import validate
from epc.spec.reference import STRATEGIES

NAMES = [strategy.name for strategy in STRATEGIES]
ACCURACY = {name: round(0.05 + 0.08 * index, 2) for index, name in enumerate(NAMES)}

# Two strategies and one task a domain: x wins text and loses visual, y wins both.
VERDICTS = {("x", "text"): "A", ("x", "visual"): "B", ("y", "text"): "A", ("y", "visual"): "A"}


def csv_of(folder: Path, values: dict[str, Any]) -> Path:
    path = folder / "accuracy.csv"
    lines = "".join(f"{name},{value}\n" for name, value in values.items())
    path.write_text(f"strategy,accuracy\n{lines}", "utf-8")
    return path


def manifest_with_accuracies(run: Run, values: dict[str, Any], tmp_path: Path) -> Any:
    """Put accuracies into a run and return its manifest."""
    outcome = rewrite(run.folder, write=True, accuracy=csv_of(tmp_path, values))
    assert outcome.changed == []
    assert outcome.findings == []
    return run.manifest()


def counts(run: Run) -> dict[int, dict[str, tuple[int, int]]]:
    """Return trials won and decided by seed and strategy, counted once more."""
    texts: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in run.rows("trials"):
        if row["verdict"] != "tie":
            texts[row["seed"]][row["strategy"]].append(row["verdict"])
    return {
        seed: {name: (said.count("A"), len(said)) for name, said in by_name.items()}
        for seed, by_name in texts.items()
    }


def by_numpy(
    counted: dict[str, tuple[int, int]], accuracy: dict[str, float]
) -> tuple[float, float]:
    """Return ECE and Brier once more, from R11's sentence."""
    names = [name for name in accuracy if name in counted]
    rate = np.array([counted[name][0] / counted[name][1] for name in names])
    right = np.array([accuracy[name] for name in names])
    edges = np.minimum((rate * 10 + 1e-9).astype(int), 9)
    gaps = [
        abs(rate[edges == b].mean() - right[edges == b].mean()) * (edges == b).mean()
        for b in set(edges.tolist())
    ]
    return float(sum(gaps)), float(((rate - right) ** 2).mean())


# ---------------------------------------------------------------------------- the figures


def test_epc_2_5_c_figures_worked_out_by_hand(tmp_path: Path) -> None:
    """x wins its rounds on text, loses those on visual; y wins all of its own.

    With accuracies of 0.5 and 0.4, a seed in which x has won w of d rounds and y all of its own
    has |w/d - 0.5| and |1 - 0.4|, each half of the ECE unless both stand in the last bin.
    """
    table = tmp_path / "t.csv"
    rows = "".join(f"{s},{d},one,{verdict}\n" for (s, d), verdict in VERDICTS.items())
    table.write_text(f"strategy,domain,task,verdict\n{rows}", "utf-8")
    run = make_run(
        tmp_path / "run", evaluator=f"recorded:{table}", executor=None, seeds=2, rounds=6
    )

    manifest = manifest_with_accuracies(run, {"x": 0.5, "y": 0.4}, tmp_path)

    for record in manifest["results"]["per_seed"]:
        trials = [row for row in run.rows("trials") if row["seed"] == record["seed"]]
        x = [row["phase"] in ("text", "visual_to_text") for row in trials if row["strategy"] == "x"]
        rate = sum(x) / len(x)
        assert 0 < rate < 0.9
        assert record["ece"] == pytest.approx((abs(rate - 0.5) + 0.6) / 2, abs=1e-12)
        assert record["brier"] == pytest.approx(((rate - 0.5) ** 2 + 0.36) / 2, abs=1e-12)
    assert validate(run.folder).ok


@pytest.mark.parametrize("name", ["flip", "exhaustive"])
def test_reading_r42_figures_are_those_of_an_independent_computation(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    run: Run = request.getfixturevalue(name)

    manifest = manifest_with_accuracies(run, ACCURACY, tmp_path)

    summary = manifest["results"]["summary"]
    own = {seed: by_numpy(counted, ACCURACY) for seed, counted in counts(run).items()}
    pooled: dict[str, tuple[int, int]] = {}
    for counted in counts(run).values():
        for strategy, (wins, decided) in counted.items():
            before = pooled.get(strategy, (0, 0))
            pooled[strategy] = (before[0] + wins, before[1] + decided)
    index = np.random.default_rng(20260702).integers(0, 3, size=(2000, 3))
    for place, key in enumerate(("ece", "brier")):
        values = [record[key] for record in manifest["results"]["per_seed"]]
        assert values == pytest.approx([own[seed][place] for seed in sorted(own)], abs=1e-12)
        ends = np.quantile(np.array(values)[index].mean(axis=1), [0.025, 0.975])
        assert summary[key]["mean"] == pytest.approx(np.mean(values), abs=1e-12)
        assert summary[key]["ci95"] == pytest.approx(list(ends), abs=1e-12)
        assert summary[key]["seeds"] == 3
        assert summary[key]["pooled"] == pytest.approx(by_numpy(pooled, ACCURACY)[place], abs=1e-12)
    for strategy, counted_once in summary["reliability"].items():
        assert (counted_once["wins"], counted_once["decided"]) == pooled.get(strategy, (0, 0))
    assert validate(run.folder).findings == []


def test_reading_r42_strategies_without_an_accuracy_are_left_out(flip: Run, tmp_path: Path) -> None:
    two = {name: ACCURACY[name] for name in NAMES[:2]}

    manifest = manifest_with_accuracies(flip, two, tmp_path)

    assert set(manifest["results"]["summary"]["reliability"]) == set(two)
    for record in manifest["results"]["per_seed"]:
        expected = by_numpy(counts(flip)[record["seed"]], two)
        assert (record["ece"], record["brier"]) == pytest.approx(expected, abs=1e-12)


def test_reading_r42_without_a_decided_trial_there_is_no_calibration(
    ties: Run, tmp_path: Path
) -> None:
    manifest = manifest_with_accuracies(ties, {"x": 0.5}, tmp_path)

    assert manifest["results"]["summary"]["ece"] is None
    assert manifest["results"]["summary"]["brier"] is None
    assert [record["ece"] for record in manifest["results"]["per_seed"]] == [None, None]
    assert validate(ties.folder).ok


def test_reading_r42_one_seed_has_no_interval(single: Run, tmp_path: Path) -> None:
    manifest = manifest_with_accuracies(single, ACCURACY, tmp_path)

    ece = manifest["results"]["summary"]["ece"]
    assert ece["ci95"] is None
    assert ece["mean"] == ece["pooled"]


def test_without_accuracies_nothing_of_it_stands_in_a_manifest(flip: Run) -> None:
    manifest = flip.manifest()

    assert "accuracy" not in manifest
    assert manifest["results"]["summary"]["ece"] is None
    assert "reliability" not in manifest["results"]["summary"]
    assert "ece" not in manifest["results"]["per_seed"][0]


def test_other_accuracies_replace_the_first_ones(flip: Run, tmp_path: Path) -> None:
    first = manifest_with_accuracies(flip, ACCURACY, tmp_path)
    second = manifest_with_accuracies(
        flip, {name: 1 - value for name, value in ACCURACY.items()}, tmp_path
    )

    assert second["results"]["summary"]["ece"] != first["results"]["summary"]["ece"]
    assert second["results"]["summary"]["gamma"] == first["results"]["summary"]["gamma"]
    assert rewrite(flip.folder, write=False).changed == []


# ---------------------------------------------------------------------------- the file


def test_reading_r42_the_manifest_says_where_accuracies_come_from(
    flip: Run, tmp_path: Path
) -> None:
    accuracy = manifest_with_accuracies(flip, ACCURACY, tmp_path)["accuracy"]

    assert accuracy["source"] == "accuracy.csv"
    assert accuracy["values"] == ACCURACY
    assert len(accuracy["sha256"]) == 64


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ":1: the columns are missing, expected strategy,accuracy"),
        ("strategy,accuracy\n", "no accuracy in it"),
        ("accuracy,model\n0.5,x\n", ":1: the columns are accuracy, model"),
        ("strategy,strategy,accuracy\n", ":1: the column 'strategy' appears twice"),
        ("strategy,accuracy,more\nx,0.5,1\n", ":1: the columns are"),
        ("strategy,accuracy\nx,0.5\nz,0.5\n", ":3: 'z' is no strategy of the run; it has x, y"),
        ("strategy,accuracy\nx,0.5\nx,0.5\n", ":3: x appears twice"),
        ("strategy,accuracy\n\nx,0.5\n\nx,0.5\n", ":5: x appears twice"),
        ("strategy,accuracy\nx,1.01\n", ":2: accuracy '1.01', expected a number from 0 to 1"),
        ("strategy,accuracy\nx,-0.1\n", ":2: accuracy"),
        ("strategy,accuracy\nx,nan\n", ":2: accuracy"),
        ("strategy,accuracy\nx,inf\n", ":2: accuracy"),
        ("strategy,accuracy\nx,50%\n", ":2: accuracy"),
        ("strategy,accuracy\nx,0_5\n", ":2: accuracy"),
        ("strategy,accuracy\nx,1e999\n", ":2: accuracy"),
        ("strategy,accuracy\nx,\n", ":2: accuracy"),
        # Of what stands there 60 characters are shown.
        (f"strategy,accuracy\nx,{'2' * 61}\n", f":2: accuracy '{'2' * 60}', expected"),
        ("strategy,accuracy\nx\n", ":2: has 1 cell, and the header 2 columns"),
        ("strategy,accuracy\nx,0.5,0.5\n", ":2: has 3 cells, and the header 2 columns"),
        ("strategy,accuracy\n,0.5\n", ":2: strategy is empty, expected one of the run's"),
        ('strategy,accuracy\n"x,0.5\n', ":2: no CSV"),
    ],
)
def test_reading_r42_a_file_that_cannot_be_used_says_where(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, "utf-8")

    with pytest.raises((UsageError, MalformedError)) as raised:
        read_accuracy(path, ["x", "y"])

    assert problem in str(raised.value)


@pytest.mark.parametrize("text", ["x,0", "x,1", "x,1.0", "x,5e-1", "x, 0.25"])
def test_numbers_may_be_written_as_usual(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"\ufeffstrategy,accuracy\r\n{text}\r\n", "utf-8")

    values = read_accuracy(path, ["x", "y"])["values"]

    assert values == {"x": float(text.rsplit(",", 1)[1])}


# ---------------------------------------------------------------------------- validation


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("results", "summary", "ece", "mean"), 0.0),
        (("results", "summary", "ece", "pooled"), 0.0),
        (("results", "summary", "brier", "ci95"), None),
        (("results", "summary", "brier"), None),
        (("results", "summary", "reliability", NAMES[0], "wins"), 0),
        (("results", "per_seed", 1, "ece"), 0.99),
        (("accuracy", "values", NAMES[0]), 0.99),
    ],
)
def test_epc_2_5_c_a_changed_figure_is_found(
    flip: Run, tmp_path: Path, place: tuple[str | int, ...], value: Any
) -> None:
    manifest_with_accuracies(flip, ACCURACY, tmp_path)

    def change(manifest: Any) -> None:
        for part in place[:-1]:
            manifest = manifest[part]
        assert manifest[place[-1]] != value
        manifest[place[-1]] = value

    flip.edit(change)

    found = {where for where, _ in places(flip.validate())}
    where = "".join(f"/{part}" for part in place)
    assert any(w.startswith(where) or where.startswith("/accuracy") for w in found), found
    assert found, "some figure no longer follows"


def test_a_manifest_alone_is_held_to_its_own_counts(flip: Run, tmp_path: Path) -> None:
    manifest_with_accuracies(flip, ACCURACY, tmp_path)
    flip.without_raw()
    assert flip.validate().ok

    flip.edit(lambda manifest: manifest["results"]["summary"]["ece"].update(pooled=0.0))

    assert "/results/summary/ece/pooled" in {where for where, _ in places(flip.validate())}


def test_an_accuracy_of_an_unknown_strategy_is_found(flip: Run, tmp_path: Path) -> None:
    manifest_with_accuracies(flip, ACCURACY, tmp_path)

    flip.edit(lambda manifest: manifest["accuracy"]["values"].update({"a/b": 0.5}))

    assert ("/accuracy/values/a~1b", "EPC-2.5(c)") in places(flip.validate())


def test_accuracies_without_their_figures_are_found(flip: Run, tmp_path: Path) -> None:
    with_figures = manifest_with_accuracies(flip, ACCURACY, tmp_path)
    plain = {**with_figures}
    del plain["accuracy"]
    flip.save(plain)

    assert "/results/summary/ece" in {where for where, _ in places(flip.validate())}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("/summary/ece", True),
        ("/summary/brier/mean", True),
        ("/summary/reliability/x/wins", True),
        ("/per_seed/12/ece", True),
        ("/summary/gamma/text_to_visual/mean", False),
        ("/per_seed/1/weights/text/ece", False),
        ("/summary/pieces", False),
    ],
)
def test_only_calibration_may_differ_for_new_accuracies(place: str, *, expected: bool) -> None:
    assert is_calibration(place) is expected


# ---------------------------------------------------------------------------- the command


def test_the_command_writes_the_figures_and_a_diagram(flip: Run, tmp_path: Path) -> None:
    table = csv_of(tmp_path, {name: ACCURACY[name] for name in NAMES[1:]})

    looked = epc("validate", flip.folder, "--accuracy", table)
    assert "accuracy" not in flip.manifest()
    done = epc("validate", flip.folder, "--accuracy", table, "--write")

    assert (looked.returncode, done.returncode) == (0, 0)
    text = done.stderr.decode()
    assert "ECE 0." in text
    assert "Left out, for want of an accuracy: step_by_step." in text
    assert (flip.folder / "reliability.svg").exists()
    assert (flip.folder / "reliability.png").exists()
    assert validate(flip.folder).findings == []


def test_the_command_names_the_line_of_a_bad_file(flip: Run, tmp_path: Path) -> None:
    done = epc("validate", flip.folder, "--accuracy", csv_of(tmp_path, {"nobody": 0.5}))

    assert done.returncode == 2
    assert b"accuracy.csv:2: 'nobody' is no strategy of the run" in done.stderr


def test_reading_r42_a_measured_control_s_rounds_do_not_count(tmp_path: Path) -> None:
    plain = make_run(tmp_path / "plain", seeds=2, rounds=4)
    controlled = make_run(tmp_path / "controlled", seeds=2, rounds=4, control="measured")
    assert len(controlled.rows("trials")) == 2 * len(plain.rows("trials"))

    without, with_control = (
        manifest_with_accuracies(run, ACCURACY, tmp_path) for run in (plain, controlled)
    )

    for key in ("ece", "brier", "reliability"):
        assert with_control["results"]["summary"][key] == without["results"]["summary"][key]
    assert validate(controlled.folder).findings == []


def test_reading_r42_a_strategy_that_was_never_asked_about_has_won_and_decided_nothing() -> None:
    assert _reliability({"q": [3, 4]}, {"p": 0.5, "q": 0.25}) == {
        "p": {"wins": 0, "decided": 0, "accuracy": 0.5},
        "q": {"wins": 3, "decided": 4, "accuracy": 0.25},
    }
