"""Mitigated judging as users meet it: runs, records, servers, prices and comparisons (R80)."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint_support import Endpoint, completion
from engine_support import environment, epc, read_rows, same_files
from oracle.recomputation import disagreements, spoken
from oracle.votes import composed_otherwise
from studies.mitigation import PAGE, Judge, page, place_share

SMALL = ("--exhaustive", "--seeds", "0-1", "--rounds", "2")
MOCKED = ("--executor", "mock/deterministic")
FILES = ("trials.jsonl", "calls.jsonl", "weights.jsonl", "manifest.json")


def at(endpoint: Endpoint) -> dict[str, str]:
    return environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-canary-0123456789abcdef")


def run(
    folder: Path, evaluator: str, *more: str, env: dict[str, str] | None = None, ends: int = 0
) -> Path:
    done = epc("run", "--evaluator", evaluator, *MOCKED, *SMALL, *more, "--out", folder, env=env)
    assert done.returncode == ends, done.stderr
    return folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("plain") / "run", "mock/deterministic")


@pytest.fixture(scope="module")
def balanced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("balanced") / "run", "balanced:mock/deterministic")


def checked(folder: Path) -> tuple[int, list[dict[str, Any]]]:
    done = epc("validate", folder, "--format", "json")
    return done.returncode, json.loads(done.stdout)["findings"]


def test_reading_r80_the_record_names_the_wrapper_and_keeps_every_underlying_call(
    balanced: Path,
) -> None:
    manifest = json.loads((balanced / "manifest.json").read_bytes())
    calls = {row["id"]: row for row in read_rows(balanced / "calls.jsonl")}
    composed = [row for row in calls.values() if row["role"] == "evaluator"]

    assert manifest["protocol_version"] == "EPC-v1.0-AltMitigation+AltRounds"
    assert manifest["evaluator"]["model"] == "balanced:mock/deterministic"
    assert manifest["evaluator"]["details"]["judging"] == {
        "kind": "balanced",
        "of": [{"kind": "asked", "member": 1}],
    }
    assert {row["origin"] for row in composed} == {"composed"}
    assert all(calls[name]["role"] == "member:1" for row in composed for name in row["votes"])
    # 176 pairs in both places; the 16 of the baseline with itself are one question.
    assert [member["calls"] for member in manifest["provenance"]["members"]] == [336]
    assert checked(balanced) == (0, [])
    assert not list(disagreements(manifest, balanced))


@pytest.mark.parametrize(
    ("wrapper", "votes"),
    [
        ("band=2:local/word-count", 1),
        ("panel:local/word-count,band=9:local/word-count,balanced:mock/deterministic", 3),
    ],
)
def test_reading_r80_wrappers_validate_and_a_second_implementation_agrees(
    tmp_path: Path, wrapper: str, votes: int
) -> None:
    folder = run(tmp_path / "run", wrapper)

    manifest = json.loads((folder / "manifest.json").read_bytes())
    rows = read_rows(folder / "calls.jsonl")

    assert {len(row["votes"]) for row in rows if row["role"] == "evaluator"} == {votes}
    assert checked(folder) == (0, [])
    assert not list(disagreements(manifest, folder))
    labels = "AltEvaluator+AltMitigation+AltRounds"
    assert manifest["protocol_version"] == f"EPC-v1.0-{labels}"


def tampered(run: Path, folder: Path, change: Any) -> list[str]:
    """Return what is found of a run of which a row of a call was changed, digests and all."""
    shutil.copytree(run, folder)
    rows = read_rows(folder / "calls.jsonl")
    change(rows)
    lines = "".join(f"{json.dumps(row, sort_keys=True, separators=(',', ':'))}\n" for row in rows)
    (folder / "calls.jsonl").write_text(lines, "utf-8")
    _, findings = checked(folder)
    return [finding["problem"] for finding in findings if finding["clause"] == "Reading R80"]


def test_reading_r80_a_verdict_that_its_votes_do_not_give_is_found(
    tmp_path: Path, balanced: Path
) -> None:
    def verdict(rows: list[dict[str, Any]]) -> None:
        own = next(row for row in rows if row["role"] == "evaluator")
        own["answer"] = own["answer"].replace("tie", "A").replace("B\n", "A\n")

    def vote(rows: list[dict[str, Any]]) -> None:
        own = next(row for row in rows if row["role"] == "member:1")
        own["answer"] = "B" if own["answer"] == "A" else "A"

    manifest = json.loads((balanced / "manifest.json").read_bytes())
    for name, change in (("verdict", verdict), ("vote", vote)):
        folder = tmp_path / name
        assert any("its votes give" in told for told in tampered(balanced, folder, change))
        assert list(composed_otherwise(manifest, folder / "calls.jsonl", spoken))


def test_reading_r80_a_record_of_a_wrapper_that_left_is_shown_and_not_vouched_for(
    tmp_path: Path, balanced: Path
) -> None:
    folder = Path(shutil.copytree(balanced, tmp_path / "old"))
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["evaluator"]["model"] = "calibrated:mock/deterministic"
    manifest["evaluator"]["details"]["judging"]["kind"] = "calibrated"
    manifest["calibration"] = [
        {"member": 1, "prior": 0.5, "temperature": 1.0, "calls": [["a", "b"]]}
    ]
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")

    code, findings = checked(folder)

    assert epc("show", folder).returncode == 0
    assert code == 1
    said = [f["problem"] for f in findings if f["where"] == "/evaluator/model"]
    assert said == ["calibrated:mock/deterministic: calibrated: left"]


def test_reading_r80_caps_and_forecasts_count_every_call_and_resuming_is_exact(
    tmp_path: Path, balanced: Path
) -> None:
    words = ("run", "--evaluator", "balanced:mock/deterministic", *MOCKED, *SMALL)
    forecast = json.loads(epc(*words, "--dry-run", "--format", "json").stdout)
    stopped = epc(*words, "--max-calls", "300", "--out", tmp_path / "run")
    journal = (tmp_path / "run" / "journal.jsonl").read_text("utf-8").splitlines()
    asked = [
        row for row in map(json.loads, journal) if row.get("call", {}).get("origin") == "asked"
    ]

    resumed = epc("resume", tmp_path / "run")

    assert forecast["member:1"]["calls"]["upper"] == 352
    assert (stopped.returncode, resumed.returncode) == (4, 0), resumed.stderr
    assert len(asked) == 300
    same_files(tmp_path / "run", balanced, FILES)


def test_reading_r80_a_campaign_forecasts_and_measures_a_wrapper_beside_its_judge(
    tmp_path: Path,
) -> None:
    judges = ("--evaluator", "mock/deterministic", "--evaluator", "balanced:mock/deterministic")
    words = ("run", *judges, *MOCKED, *SMALL, "--out", tmp_path / "both")
    forecast = json.loads(epc(*words, "--dry-run", "--format", "json").stdout)
    done = epc(*words)

    asked = {name: share["calls"]["upper"] for name, share in forecast.items()}
    plain_calls = 176  # 11 strategies and 8 tasks in each of two domains
    assert asked["evaluator mock/deterministic"] == plain_calls
    assert asked["evaluator balanced:mock/deterministic"] == 2 * plain_calls
    assert done.returncode == 0, done.stderr
    folders = {path.parent.name for path in (tmp_path / "both").glob("*/manifest.json")}
    assert folders == {"deterministic_on_deterministic", "balanced-deterministic_on_deterministic"}


def test_reading_r80_a_hosted_judge_is_asked_in_both_places_and_each_call_is_its_own(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = lambda _: completion("A")  # whoever stands first

    folder = run(tmp_path / "run", "balanced:openai/judge-0806", env=at(endpoint), ends=1)

    rows = read_rows(folder / "calls.jsonl")
    said = {row["answer"].splitlines()[0] for row in rows if row["role"] == "evaluator"}
    members = [row for row in rows if row["role"] == "member:1"]
    assert said == {"tie"}
    assert len(endpoint.received) == len(members) == 336
    assert {(row["model"], row["tokens_in"] is not None) for row in members} == {
        ("openai/judge-0806", True)
    }
    assert [f for f in checked(folder)[1] if f["severity"] == "error"] == []


def test_reading_r80_a_fresh_run_asks_every_round_in_both_places(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    words = ("--evaluator", "balanced:openai/judge-0806", *MOCKED, "--reuse", "none")
    done = epc(
        *("run", *words, "--seeds", "0", "--rounds", "2", "--out", tmp_path / "r"),
        env=at(endpoint),
    )

    assert done.returncode == 0, done.stderr
    assert len(endpoint.received) == 16  # 4 phases of 2 rounds, twice each
    assert [f for f in checked(tmp_path / "r")[1] if f["severity"] == "error"] == []


@pytest.mark.parametrize(
    ("wrapper", "says"),
    [
        ("calibrated:local/smollm2-135m-labels", "calibrated: left"),
        ("band=0.1:mock/deterministic", "states no scores"),
        ("balanced:local/word-count", "scores each answer by itself"),
        ("balanced:local/wordcount", "did you mean|the embedded models are"),
        ("panel:mock/deterministic,mock/coin-flip", "name three or more"),
    ],
)
def test_reading_r80_what_cannot_be_done_is_refused_at_once(wrapper: str, says: str) -> None:
    done = epc("run", "--evaluator", wrapper, *MOCKED, *SMALL, "--dry-run")

    assert done.returncode == 2
    assert any(part in done.stderr for part in says.split("|")), done.stderr


def test_reading_r80_a_wrapper_writes_no_answers() -> None:
    done = epc(
        *("run", "--evaluator", "mock/deterministic", *SMALL, "--dry-run"),
        *("--executor", "balanced:mock/deterministic"),
    )

    assert (done.returncode, "composes verdicts" in done.stderr) == (2, True)


def test_reading_r80_compare_states_the_reduction_and_its_price(
    tmp_path: Path, plain: Path, balanced: Path
) -> None:
    two = epc("compare", plain, balanced)
    found = json.loads(epc("compare", plain, balanced, balanced, "--format", "json").stdout)

    assert "There is nothing to reduce" in two.stdout or "transfer regret from" in two.stdout
    assert "336 calls to the judges, 1.9 times the plain run's" in two.stdout
    assert [each["times"] for each in found["mitigated"]] == [336 / 176] * 2
    regret = found["mitigated"][0]["reductions"]["text_to_visual"]["regret"]
    assert regret["less"] == pytest.approx(regret["plain"] - regret["mitigated"], abs=1e-9)
    other = run(tmp_path / "other", "local/word-count")
    refused = epc("compare", plain, balanced, other)
    assert (refused.returncode, "is no wrapper round mock/deterministic" in refused.stderr) == (
        2,
        True,
    )


def test_reading_r80_the_doctor_looks_at_a_wrapper_as_at_any_evaluator() -> None:
    done = epc("doctor", "balanced:mock/deterministic")

    assert done.returncode in (0, 1)
    assert "balanced:mock/deterministic" in done.stdout


def test_reading_r80_the_pages_tables_are_those_of_the_study() -> None:
    text = PAGE.read_text("utf-8")

    assert page(text) == text


@pytest.mark.parametrize("bias", [0.0, 1.0, 2.0, 4.0])
def test_reading_r80_balanced_judging_takes_the_place_bias_off_what_it_decides(bias: float) -> None:
    """Of two equal answers; a preference q then has odds exp(2 q), whatever the place gives."""
    evaluator = Judge(preferred=(np.zeros((1, 1)), np.full((1, 1), 0.7)), bias=bias)
    (a, b), (won, lost) = evaluator.balanced()

    assert (a / (a + b)).item() == pytest.approx(0.5)
    assert (won / lost).item() == pytest.approx(np.exp(1.4))
    assert place_share(bias)[0] == pytest.approx(evaluator.plain()[0].item())
