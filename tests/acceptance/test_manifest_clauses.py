"""EPC-2.2 to EPC-2.8 on the manifest of a run that was really made."""

import asyncio
import json
import re
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from epc.engine.request import Request
from epc.engine.session import measure, start
from epc.protocol.prompt import executor_prompt
from epc.records.validate import validate
from epc.spec.reference import STRATEGIES, TASKS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from epc.engine.progress import Progress

NOW = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
Run = tuple[dict[str, Any], list[dict[str, Any]], dict[str, dict[str, Any]]]


@asynccontextmanager
async def unwatched(_: "Progress") -> "AsyncIterator[None]":
    yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "coin"
    request = Request(
        evaluator="mock/coin-flip",
        executor="mock/deterministic",
        seeds=[3, 5],
        rounds=30,
        reuse=None,
        exhaustive=False,
    )
    opened = start(request, folder, now=NOW)
    asyncio.run(measure(opened, folder, clock=lambda: NOW, watch=unwatched))
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folder / name).read_text().splitlines()]

    manifest = json.loads((folder / "manifest.json").read_text())
    return manifest, rows("trials.jsonl"), {call["id"]: call for call in rows("calls.jsonl")}


def test_epc_2_2_models_endpoints_and_strategies_are_recorded(run: Run) -> None:
    manifest, _, _ = run

    assert manifest["evaluator"]["model"] == "mock/coin-flip"
    assert manifest["executor"]["model"] == "mock/deterministic"
    assert manifest["evaluator"]["endpoint"] == manifest["executor"]["endpoint"] == "mock"


def test_epc_2_3_2_the_executor_answers_for_the_strategy_and_for_the_baseline(run: Run) -> None:
    _, trials, calls = run
    prompts = {s.name: s.prompt for s in STRATEGIES}

    for trial in trials:
        domain = "visual" if trial["phase"] in ("visual", "text_to_visual") else "text"
        task = TASKS[domain][trial["task"]]
        for side, name in (("response", trial["strategy"]), ("baseline", "step_by_step")):
            text = executor_prompt(strategy_prompt=prompts[name], task=task)
            assert calls[trial[side]]["prompt"] == text
            assert calls[trial[side]]["role"] == "executor"


def test_epc_2_3_3_the_evaluator_compares_the_two_answers_of_its_round(run: Run) -> None:
    _, trials, calls = run

    for trial in trials:
        prompt = calls[trial["evaluation"]]["prompt"]
        ours, theirs = (calls[trial[side]]["answer"][:300] for side in ("response", "baseline"))
        assert f" A ({trial['strategy']}): {ours} B (step_by_step): {theirs} Better?" in prompt
        assert calls[trial["evaluation"]]["answer"] == trial["raw"]


def test_epc_2_3_d_every_phase_has_its_thirty_rounds(run: Run) -> None:
    _, trials, _ = run
    rounds: dict[tuple[int, str], list[int]] = {}
    for trial in trials:
        rounds.setdefault((trial["seed"], trial["phase"]), []).append(trial["round"])

    assert len(rounds) == 2 * 4
    assert all(found == list(range(30)) for found in rounds.values())


def test_epc_2_5_a_gamma_is_there_for_both_directions_of_every_seed(run: Run) -> None:
    manifest, _, _ = run

    for record in manifest["results"]["per_seed"]:
        assert set(record["gamma"]) == {"text_to_visual", "visual_to_text"}


def test_epc_2_5_b_jsd_is_reported_because_weights_are_stored(run: Run) -> None:
    manifest, _, _ = run

    for record in manifest["results"]["per_seed"]:
        assert set(record["jsd"]) == {"text_to_visual", "visual_to_text"}
        assert all(len(weights) == 11 for weights in record["weights"].values())


def test_epc_2_5_c_ece_and_brier_are_null_until_accuracy_is_known(run: Run) -> None:
    summary = run[0]["results"]["summary"]

    assert (summary["ece"], summary["brier"]) == (None, None)


def test_epc_2_6_d_nothing_asks_for_reasoning(run: Run) -> None:
    manifest, _, calls = run

    assert manifest["evaluator"]["decoding"]["temperature"] == 0
    prompts = [call["prompt"] for call in calls.values() if call["role"] == "evaluator"]
    assert all(prompt.startswith("Evaluate. Task: ") for prompt in prompts)
    assert all(prompt.endswith(" Better? Output only A or B.") for prompt in prompts)


def test_epc_2_8_1_the_protocol_version(run: Run) -> None:
    assert run[0]["protocol_version"] == "EPC-v1.0"


def test_epc_2_8_2_the_evaluator_with_its_endpoint_and_day(run: Run) -> None:
    evaluator = run[0]["evaluator"]

    assert evaluator["measurement_date"] == "2026-11-22"
    assert {"model", "version", "endpoint"} <= set(evaluator)


def test_epc_2_8_3_the_executor_with_its_endpoint(run: Run) -> None:
    assert {"model", "endpoint"} <= set(run[0]["executor"])


def test_epc_2_8_4_the_configuration(run: Run) -> None:
    config = run[0]["config"]

    assert {key: config[key] for key in ("rounds", "alpha_win", "alpha_lose", "strategies")} == {
        "rounds": 30,
        "alpha_win": 0.08,
        "alpha_lose": 0.04,
        "strategies": 11,
    }
    assert config["seeds"] == [3, 5]


def test_epc_2_8_5_the_tasks_verbatim(run: Run) -> None:
    assert run[0]["tasks"] == {domain: list(tasks) for domain, tasks in TASKS.items()}


def test_epc_2_8_6_the_strategies_verbatim(run: Run) -> None:
    given = [(s["name"], s["prompt"]) for s in run[0]["strategies"]]

    assert given == [(s.name, s.prompt) for s in STRATEGIES]


def test_epc_2_8_7_the_results_seed_by_seed(run: Run) -> None:
    results = run[0]["results"]

    assert [record["seed"] for record in results["per_seed"]] == [3, 5]
    assert set(results["summary"]["zero_coupling_rate"]) == {"text_to_visual", "visual_to_text"}


def test_epc_2_8_the_manifest_is_valid(folder: Path) -> None:
    assert validate(folder).findings == []


def test_reading_r16_a_coin_is_never_reused(run: Run) -> None:
    manifest, trials, calls = run

    assert manifest["config"]["reuse"] == "none"
    assert len({trial["evaluation"] for trial in trials}) == len(trials) == 240
    # Three calls a round: both answers and the comparison, the baseline's own round included.
    assert len(calls) == 3 * 240


@pytest.mark.parametrize("name", ["trials", "calls", "weights"])
def test_epc_2_5_d_raw_files_read_with_pandas_in_one_line_without_loss(
    folder: Path, name: str
) -> None:
    import pandas as pd

    path = folder / f"{name}.jsonl"
    frame = pd.read_json(path, lines=True, dtype=False, precise_float=True)

    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")  # its null is NaN
    assert rows == [json.loads(line) for line in path.read_text().splitlines()]


def test_epc_2_8_records_name_no_path_of_the_machine(folder: Path) -> None:
    for path in (folder / "manifest.json", folder / "run.json"):
        assert not re.search(r'"/[a-z]', path.read_text())
