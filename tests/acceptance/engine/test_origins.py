"""Where a run's answers come from, as users meet it: real servers, real records (Reading R76)."""

import json
from pathlib import Path
from typing import Any

from drift_support import turning
from endpoint_support import Endpoint
from engine_support import DAY, environment, epc, read_rows
from run_support import HOSTED

from epc.records.schemas import findings as schema_findings

MOCKED = ("--evaluator", "openai/judge-0806", "--executor", "mock/deterministic")
SMALL = ("--exhaustive", "--seeds", "0-1", "--rounds", "2")
CALLS = 352  # 8 tasks in each of two domains, 11 strategies: 176 answers and 176 comparisons


def environment_at(url: str, second: int = 0) -> dict[str, str]:
    """Return the environment of a moment of one day."""
    moment = str(int(DAY.timestamp()) + second)
    key = "sk-canary-0123456789abcdef"
    return environment(OPENAI_BASE_URL=url, OPENAI_API_KEY=key, SOURCE_DATE_EPOCH=moment)


def run(folder: Path, endpoint: Endpoint, *further_arguments: str | Path, second: int = 0) -> Path:
    done = epc(
        "run",
        *HOSTED,
        *SMALL,
        *further_arguments,
        "--out",
        folder,
        env=environment_at(endpoint.url, second),
    )
    assert done.returncode == 0, done.stderr
    return folder


def compared(first: Path, second: Path) -> tuple[int, Any, str]:
    document = epc("compare", first, second, "--format", "json")
    value = json.loads(document.stdout)
    assert schema_findings("compare", value) == []
    return document.returncode, value, epc("compare", first, second).stdout


def origins(folder: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for call in read_rows(folder / "calls.jsonl"):
        found.setdefault(call["role"], set()).add(call["origin"])
    return found


def test_reading_r76_a_model_that_was_swapped_the_same_day_is_asked_and_found(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first = run(tmp_path / "first", endpoint)
    assert len(endpoint.received) == CALLS
    endpoint.behave = turning(lambda _: True)  # the same URL and name, every verdict inverted

    second = run(tmp_path / "second", endpoint, second=3600)

    assert len(endpoint.received) == 2 * CALLS
    code, value, text = compared(first, second)
    assert (code, value["verdict"]) == (1, "drifted")
    assert (value["table"]["changed"], value["table"]["pairs"]) == (176, 176)
    assert value["shared"]["evaluator"] == {"shared": 0, "answers": 176}
    assert text.startswith("DRIFTED, like for like\n")
    assert "176 of 176 changed" in text


def test_reading_r76_answers_that_were_taken_over_are_no_second_measurement(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first = run(tmp_path / "first", endpoint)
    endpoint.behave = turning(lambda _: True)

    second = run(tmp_path / "second", endpoint, "--reuse-answers-of", first, second=3600)
    third = run(tmp_path / "third", endpoint, "--reuse-answers-of", second, second=7200)

    assert len(endpoint.received) == CALLS  # nothing was asked
    for copy in (second, third):
        code, value, text = compared(first, copy)
        assert (code, value["verdict"], value["like_for_like"]) == (1, "cannot_tell", False)
        assert value["shared"] == {
            "executor": {"shared": 176, "answers": 176},
            "evaluator": {"shared": 176, "answers": 176},
        }
        assert all(row["ci95"] is row["p_value"] is None for row in value["metrics"])
        assert text.startswith("CANNOT TELL, shared answers\n")
        printed_text = (
            "176 of 176 of the evaluator's answers are shared: one measurement, no comparison"
        )
        assert printed_text in text
        assert "176 of 176 of the executor's answers are shared" in text
        assert "95% confidence" not in text
        assert epc("validate", copy).returncode == 0


def test_reading_r76_every_call_states_when_and_how_it_was_answered(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first = run(tmp_path / "first", endpoint)
    second = run(tmp_path / "second", endpoint, "--reuse-answers-of", first, second=3600)

    manifest = json.loads((first / "manifest.json").read_text("utf-8"))
    source = f"run:{manifest['raw']['calls']['sha256']}"
    assert origins(first) == {"executor": {"asked"}, "evaluator": {"asked"}}
    assert origins(second) == {"executor": {source}, "evaluator": {source}}
    rows, taken_rows = (read_rows(folder / "calls.jsonl") for folder in (first, second))
    assert {call["answered_at"] for call in rows} == {"2026-07-02T00:00:00Z"}
    assert taken_rows == [{**call, "origin": source} for call in rows]
    assert manifest["provenance"]["origins"] == {
        "executor": {"asked": 176},
        "evaluator": {"asked": 176},
    }
    copied = json.loads((second / "manifest.json").read_text("utf-8"))["provenance"]
    assert copied["origins"] == {"executor": {source: 176}, "evaluator": {source: 176}}
    plan = json.loads((second / "run.json").read_text("utf-8"))
    assert plan["reuse_answers_of"] == [source.removeprefix("run:")]


def test_reading_r76_a_measurement_of_old_answers_is_dated_like_them(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first = run(tmp_path / "first", endpoint)

    second = run(tmp_path / "week", endpoint, "--reuse-answers-of", first, second=7 * 86_400)

    manifest = json.loads((second / "manifest.json").read_text("utf-8"))
    assert manifest["evaluator"]["measurement_date"] == "2026-07-02"
    assert manifest["provenance"]["created"] == "2026-07-09T00:00:00Z"


def test_reading_r76_pairs_that_were_asked_twice_are_compared_without_the_shared_ones(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    few = ("run", *HOSTED, "--seeds", "0", "--rounds", "2", "--reuse", "memo")
    done = epc(*few, "--out", tmp_path / "few", env=environment_at(endpoint.url))
    assert done.returncode == 0, done.stderr
    total = sum(c["role"] == "evaluator" for c in read_rows(tmp_path / "few" / "calls.jsonl"))
    first = run(tmp_path / "first", endpoint, "--reuse-answers-of", tmp_path / "few")
    second = run(tmp_path / "second", endpoint, "--reuse-answers-of", tmp_path / "few", second=60)

    code, value, text = compared(first, second)

    assert 0 < total < 9
    assert value["shared"]["evaluator"] == {"shared": total, "answers": 176}
    assert (code, value["verdict"], value["table"]["pairs"]) == (1, "same", 176 - total)
    assert f"{total} of 176 answers are shared: one answer each, not two" in text
    assert f"{total} of 176 of the evaluator's answers are shared: these compare nothing" in text


def test_reading_r76_old_records_that_state_no_time_share_by_latency(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """A record of before this reading, and the copy that the cache of that time made of it."""
    first = run(tmp_path / "first", endpoint)
    second = run(tmp_path / "second", endpoint)
    for folder in (first, second):
        forget_origins(folder)

    assert compared(first, second)[1]["shared"]["evaluator"]["shared"] == 0
    code, value, _ = compared(first, first)
    assert (code, value["verdict"]) == (1, "cannot_tell")
    assert value["shared"]["evaluator"] == {"shared": 176, "answers": 176}


def forget_origins(folder: Path) -> None:
    """Make a record one of those that were written before calls stated their origin."""
    import hashlib

    calls = read_rows(folder / "calls.jsonl")
    for call in calls:
        del call["answered_at"], call["origin"]
    text = "".join(json.dumps(call, sort_keys=True, separators=(",", ":")) + "\n" for call in calls)
    (folder / "calls.jsonl").write_text(text, "utf-8")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    del manifest["provenance"]["origins"]
    manifest["raw"]["calls"] |= {
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "bytes": len(text.encode()),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert epc("validate", folder).returncode == 0


def test_reading_r76_manifests_alone_say_that_their_calls_are_the_same(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first = run(tmp_path / "first", endpoint)
    second = run(tmp_path / "second", endpoint, "--reuse-answers-of", first)
    for copy, source in (("a", first), ("b", second)):
        (tmp_path / copy).mkdir()
        content = (source / "manifest.json").read_bytes()
        (tmp_path / copy / "manifest.json").write_bytes(content)

    for other_name in ("a", "b"):
        value = json.loads(epc("compare", "a", other_name, "--format", "json", cwd=tmp_path).stdout)
        assert value["shared"]["evaluator"] == {"shared": 176, "answers": 176}
        assert value["verdict"] == "cannot_tell"


def test_reading_r76_mocks_give_the_same_by_construction_and_no_confidence(tmp_path: Path) -> None:
    models = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
    for name in ("a", "b"):
        assert epc("run", *models, *SMALL, "--out", tmp_path / name).returncode == 0

    code, value, text = compared(tmp_path / "a", tmp_path / "b")

    assert (code, value["verdict"]) == (0, "same")
    assert "a file, a mock or pinned weights give the same answers by" in text
    assert "so this is one measurement carried out twice" in text
    assert "95% confidence" not in text


def test_reading_r76_a_new_record_whose_calls_state_no_origin_is_found(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    folder = run(tmp_path / "run", endpoint)
    path = folder / "calls.jsonl"
    whole_text = path.read_text("utf-8")

    path.write_text(whole_text.replace(',"origin":"asked"', "", 1), "utf-8")
    assert '/calls/0: "origin" is a required property' in epc("validate", folder).stdout
    lines = whole_text.splitlines(keepends=True)
    silent = json.loads(lines[0])
    del silent["answered_at"], silent["origin"]
    path.write_text(json.dumps(silent) + "\n" + "".join(lines[1:]), "utf-8")
    text = "1 calls do not state when and how they were answered, as others do"
    assert text in epc("validate", folder).stdout


def test_reading_r76_reused_runs_say_so_while_they_run(tmp_path: Path, endpoint: Endpoint) -> None:
    first = run(tmp_path / "first", endpoint)
    repeated_arguments = (
        "run",
        *HOSTED,
        *SMALL,
        "--reuse-answers-of",
        first,
        "--out",
        tmp_path / "again",
    )

    done = epc(*repeated_arguments, env=environment_at(endpoint.url))

    assert "spent    0 calls, 0 tokens, " in done.stderr
    assert f"{CALLS} answers taken over, not asked\n" in done.stderr
