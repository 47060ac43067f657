"""Reading R15: a control that was measured, from the run to its record."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from records_support import Run, make_run, places

from epc.protocol.metrics import gamma
from epc.records.layout import RAW

CONTROL = {"text_to_visual": ("visual_to_visual", "visual")} | {
    "visual_to_text": ("text_to_text", "text")
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("control") / "run"
    return make_run(folder, seeds=10, rounds=6, exhaustive=True, control="measured")


def copied(run: Run, folder: Path) -> Run:
    folder.mkdir()
    for path in run.folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return Run(folder=folder)


def test_reading_r15_every_seed_has_four_more_phases_of_as_many_rounds(run: Run) -> None:
    manifest, trials = run.manifest(), run.rows("trials")

    assert manifest["config"]["control"] == "measured"
    assert manifest["protocol_version"] == "EPC-v1.0-AltRounds"  # the control is no variant
    played: dict[tuple[int, str], int] = {}
    for trial in trials:
        key = trial["seed"], trial["phase"]
        played[key] = played.get(key, 0) + 1
    assert len(played) == 10 * 8
    assert set(played.values()) == {6}
    assert {row["phase"] for row in run.rows("weights")} == {phase for _, phase in played}


def test_reading_r15_the_control_has_the_streams_that_the_reading_gives(run: Run) -> None:
    streams = {"text_to_text": 4, "visual_to_visual": 5, "text_start": 6, "visual_start": 7}

    for trial in run.rows("trials"):
        if trial["phase"] in streams and trial["round"] == 0:
            entropy = np.random.SeedSequence([trial["seed"], streams[trial["phase"]]])
            drawn = np.random.Generator(np.random.PCG64(entropy)).random(2)
            assert [trial["u_task"], trial["u_strategy"]] == drawn.tolist()


def test_reading_r15_the_measured_excess_is_paired_with_the_same_pure_vector(run: Run) -> None:
    results = run.manifest()["results"]

    for direction, (coupled, pure) in CONTROL.items():
        floors = [
            gamma(list(r["weights"][coupled].values()), list(r["weights"][pure].values()))
            for r in results["per_seed"]
        ]
        beyond = [r["gamma"][direction] for r in results["per_seed"]]
        control = results["summary"]["control"]
        assert control["method"] == "measured"
        assert control["noise_floor"][direction]["mean"] == pytest.approx(np.mean(floors))
        assert control["excess"][direction]["mean"] == pytest.approx(
            np.mean(np.subtract(beyond, floors))
        )


def test_reading_r15_the_four_phases_are_those_of_a_run_without_a_control(
    run: Run, tmp_path: Path
) -> None:
    plain = make_run(tmp_path / "plain", seeds=10, rounds=6, exhaustive=True)

    for with_control, without in zip(
        run.manifest()["results"]["per_seed"], plain.manifest()["results"]["per_seed"], strict=True
    ):
        for key in ("gamma", "jsd", "tie_rate", "zero_coupling"):
            assert with_control[key] == without[key]
        assert with_control["weights"].items() >= without["weights"].items()


def test_reading_r15_afresh_or_exhaustive_the_weights_are_the_same(
    run: Run, tmp_path: Path
) -> None:
    fresh = make_run(tmp_path / "fresh", seeds=10, rounds=6, reuse="none", control="measured")

    assert fresh.manifest()["results"]["per_seed"] == run.manifest()["results"]["per_seed"]
    assert fresh.validate().ok


def test_a_measured_control_is_valid_with_and_without_its_trials(run: Run, tmp_path: Path) -> None:
    alone = copied(run, tmp_path / "alone")

    assert places(alone.validate()) == set()
    alone.without_raw()
    assert places(alone.validate()) == set()


def test_a_control_trial_that_is_gone_is_missed(run: Run, tmp_path: Path) -> None:
    victim = copied(run, tmp_path / "victim")
    rows = victim.rows("trials")
    victim.save_rows("trials", [r for r in rows if (r["phase"], r["round"]) != ("text_start", 2)])

    assert ("/trials", "EPC-2.5(d)") in places(victim.validate())


@pytest.mark.parametrize("alone", [False, True])
def test_phases_that_the_configuration_does_not_declare_are_found(
    run: Run, tmp_path: Path, *, alone: bool
) -> None:
    def declare(manifest: Any) -> None:
        manifest["config"]["control"] = "simulated"

    victim = copied(run, tmp_path / "victim")
    victim.edit(declare)
    if alone:
        victim.without_raw()

    found = places(victim.validate())

    assert ("/results/per_seed/0", "Reading R15") in found
    assert any(where.endswith("/phase") for where, _ in found) == (not alone)


def test_a_control_weight_that_was_changed_is_found(run: Run, tmp_path: Path) -> None:
    victim = copied(run, tmp_path / "victim")
    index = next(i for i, row in enumerate(run.rows("weights")) if row["phase"] == "text_start")
    victim.edit_row("weights", index, weight=0.5)

    assert (f"/weights/{index}/weight", "EPC-2.5(b)") in places(victim.validate())
    assert RAW["weights"] in {path.name for path in victim.folder.iterdir()}
