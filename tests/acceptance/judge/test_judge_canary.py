"""The canary of `epc judge run`: a judge that is swapped under its name (Reading R76)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drift_support import turning
from endpoint_support import Endpoint, Received, Reply, answering, completion, serving
from engine_support import environment, epc, read_rows
from judge_support import grid, write_rows

from epc.engine.mocks import Judge

PANELS = 72  # 24 pairs, twice at the start and once at the end
SAMPLES = 4


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as served:
        served.behave = judging(answering)
        yield served


@pytest.fixture
def planned(tmp_path: Path, endpoint: Endpoint) -> tuple[Path, dict[str, str]]:
    """Return a planned evaluation by a hosted judge, and the environment that leads there."""
    env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-canary-0123456789abcdef")
    table = write_rows(tmp_path / "outputs.jsonl", grid())
    asked = ("--judge", "openai/judge-1", "--constrain", "json", "--methods", "cross")
    words = (*asked, "--out", tmp_path / "e")
    done = epc("judge", "plan", table, *words, env=env)
    assert done.returncode == 0, done.stderr
    return tmp_path / "e", env


def judging(panel: Any) -> Any:
    """Return a server that judges alike, and answers the panel's pairs as it is told."""

    def behave(received: Received) -> Reply:
        record = Judge().record(received.prompt)
        return panel(received) if record is None else completion(json.dumps(record))

    return behave


def log(folder: Path) -> Any:
    return json.loads((folder / "run_log.json").read_text("utf-8"))


def test_reading_r76_a_judge_s_canary_is_forecast_recorded_checked_and_no_part_of_the_archive(
    endpoint: Endpoint, planned: tuple[Path, dict[str, str]]
) -> None:
    folder, env = planned
    dry = json.loads(epc("judge", "run", folder, "--dry-run", "--format", "json", env=env).stdout)
    none = json.loads(
        epc("judge", "run", folder, "--dry-run", "--no-canary", "--format", "json", env=env).stdout
    )

    done = epc("judge", "run", folder, env=env)

    assert done.returncode == 0, done.stderr
    assert dry["judge:openai/judge-1"]["calls"]["expected"] == SAMPLES + PANELS
    assert none["judge:openai/judge-1"]["calls"]["expected"] == SAMPLES
    assert len(endpoint.received) == SAMPLES + PANELS
    for received in endpoint.received:  # a letter is no JSON object
        pair = received.prompt.startswith("Evaluate.")
        assert ("response_format" in received.body) != pair
    found = log(folder)["canary"]
    assert list(found) == ["openai/judge-1"]
    whens = [panel["when"] for panel in found["openai/judge-1"]["panels"]]
    assert (whens, found["openai/judge-1"]["departed"]) == (["start", "start", "end"], False)
    said = "canary   openai/judge-1: 24 pairs asked 3 times: no sign of another evaluator"
    assert said in done.stderr
    calls = read_rows(folder / "calls.jsonl")
    assert len(calls) == SAMPLES
    assert {call["occasion"] for call in calls} == {None}
    assert epc("judge", "check", folder).returncode == 0


def test_reading_r76_a_judge_that_is_swapped_within_an_evaluation_is_named(
    endpoint: Endpoint, planned: tuple[Path, dict[str, str]]
) -> None:
    folder, env = planned
    left = [48]  # the two panels of the start

    def swapped(received: Received) -> Reply:
        left[0] -= 1
        return answering(received) if left[0] >= 0 else turning(lambda _: True)(received)

    endpoint.behave = judging(swapped)

    done = epc("judge", "run", folder, env=env)
    check = epc("judge", "check", folder)

    assert done.returncode == 0, done.stderr
    assert log(folder)["canary"]["openai/judge-1"]["departed"]
    assert "canary   openai/judge-1: another evaluator answered at the end" in done.stderr
    assert "another evaluator answered at the end" in check.stdout
    assert check.returncode == 0  # a warning: the archive is as it was made


def test_reading_r76_a_judge_that_is_swapped_before_a_resume_is_asked_nothing_more(
    endpoint: Endpoint, planned: tuple[Path, dict[str, str]]
) -> None:
    folder, env = planned
    stopped = epc("judge", "run", folder, "--max-calls", "50", "--concurrency", "1", env=env)
    endpoint.behave = judging(turning(lambda _: True))
    before = len(endpoint.received)

    refused = epc("resume", folder, env=env)
    between = len(endpoint.received)
    done = epc("judge", "run", folder, "--anyway", env=env)

    assert stopped.returncode == 4
    assert refused.returncode == 1
    assert "another evaluator answered at the beginning of a later session" in refused.stderr
    assert f"`epc resume {folder} --anyway` goes on" in refused.stderr
    assert between - before == 24
    assert done.returncode == 0, done.stderr
    assert log(folder)["canary"]["openai/judge-1"]["departed"]


def test_an_evaluation_without_a_canary_has_none_when_it_goes_on(
    endpoint: Endpoint, planned: tuple[Path, dict[str, str]]
) -> None:
    folder, env = planned
    stopped = epc("judge", "run", folder, "--no-canary", "--max-calls", "1", env=env)

    done = epc("judge", "run", folder, env=env)

    assert (stopped.returncode, done.returncode) == (4, 0), done.stderr
    assert len(endpoint.received) == SAMPLES
    assert "canary" not in log(folder)
