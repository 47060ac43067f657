"""Joining runs over different seeds: the run that one command over all of them gives."""

import json
from pathlib import Path
from typing import Any

import pytest
from engine_support import Told, measured, plan_for, verdict_of
from msgspec.structs import replace

from epc.engine.merge import merge
from epc.errors import UsageError
from epc.records.canary import CanaryPanel, When, canary
from epc.records.strict_json import dumps
from epc.records.typed import as_json


def shards(folder: Path, *seeds: list[int], **asked: Any) -> list[Path]:
    folders = [folder / f"shard-{number}" for number in range(len(seeds))]
    for path, given in zip(folders, seeds, strict=True):
        measured(path, Told(verdict_of), Told(), seeds=given, **asked)
    return folders


@pytest.mark.parametrize(
    ("evaluator", "changed", "where"),
    [
        (Told(verdict_of), {"rounds": 5}, "/config"),
        (Told(verdict_of), {"reuse": "none"}, "/config"),
        (Told(verdict_of, name="test/other"), {}, "/evaluator"),
    ],
)
def test_another_measurement_is_refused_with_where_it_differs(
    tmp_path: Path, evaluator: Told, changed: dict[str, Any], where: str
) -> None:
    (one,) = shards(tmp_path, [0])
    measured(tmp_path / "other", evaluator, Told(), seeds=[1], **changed)

    with pytest.raises(UsageError, match=f"are two measurements: .*{where}.* differ"):
        merge([one, tmp_path / "other"], tmp_path / "out")

    assert not (tmp_path / "out").exists()


def test_a_run_that_is_not_valid_or_not_finished_is_refused(tmp_path: Path) -> None:
    one, other = shards(tmp_path, [0], [1])
    trials = (other / "trials.jsonl").read_text()
    (other / "trials.jsonl").write_text(trials.replace('"A"', '"B"'))

    with pytest.raises(UsageError, match=f"{other} is not valid: see `epc validate {other}`"):
        merge([one, other], tmp_path / "out")
    (other / "manifest.json").unlink()
    with pytest.raises(UsageError, match="is not valid"):
        merge([one, other], tmp_path / "out")


def test_reading_r16_two_answers_to_one_prompt_are_refused_and_leave_nothing(
    tmp_path: Path,
) -> None:
    for seed, verdict in enumerate("AB"):
        evaluator = Told(lambda _, verdict=verdict: verdict)  # type: ignore[misc]  # mypy infers no lambda with defaults
        measured(tmp_path / verdict, evaluator, Told(), seeds=[seed], rounds=20)

    with pytest.raises(UsageError, match=r"has two answers: .* measure all seeds in one run"):
        merge([tmp_path / "A", tmp_path / "B"], tmp_path / "out")

    assert not (tmp_path / "out").exists()


def test_days_may_differ_and_the_last_one_counts(tmp_path: Path) -> None:
    plan = plan_for(Told(), Told(), seeds=[0])
    measured(tmp_path / "one", Told(verdict_of), Told(), plan=plan)
    later = replace(plan, seeds=[1], measurement_date="2026-07-04")
    measured(tmp_path / "other", Told(verdict_of), Told(), plan=later)

    manifest = merge([tmp_path / "other", tmp_path / "one"], tmp_path / "out")

    assert manifest["evaluator"]["measurement_date"] == "2026-07-04"
    written = json.loads((tmp_path / "out" / "run.json").read_text())
    assert written["measurement_date"] == "2026-07-04"


def asked_of(folder: Path, *panels: str) -> None:
    """State a canary of 24 pairs in a run's manifest: what each panel's answers all are."""
    whens: tuple[When, ...] = ("start", "start", "end")
    stated = canary(
        [
            CanaryPanel(
                when=when,
                first_at="2026-07-02T00:00:00Z",
                last_at="2026-07-02T00:00:01Z",
                answers=(said,) * 24,
                served_models=("served",),
                system_fingerprints=(),
            )
            for when, said in zip(whens, panels, strict=False)
        ]
    )
    path = folder / "manifest.json"
    document = json.loads(path.read_text("utf-8"))
    path.write_text(dumps({**document, "canary": as_json(stated)}), "utf-8")


def test_reading_r76_a_shard_whose_first_panel_another_evaluator_answered_is_named(
    tmp_path: Path,
) -> None:
    first, alike, odd = shards(tmp_path, [0], [1], [2])
    asked_of(first, "A", "A", "A")
    asked_of(alike, "A", "A", "A")
    asked_of(odd, "B")  # it was interrupted before its second panel

    with pytest.raises(UsageError, match="leave one side out") as refused:
        merge([first, alike, odd], tmp_path / "out")

    said = "24 of 24 pairs of the canary got another verdict than twice at the start of"
    assert f"{odd}: {said} {first} (p " in str(refused.value)
    assert f"{alike}: " not in str(refused.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("panels", ["AAA", "A"])
def test_reading_r76_shards_of_one_evaluator_are_merged_without_their_canaries(
    tmp_path: Path, panels: str
) -> None:
    folders = shards(tmp_path, [0], [1])
    for folder in folders:
        asked_of(folder, *panels)

    assert "canary" not in merge(folders, tmp_path / "out")
