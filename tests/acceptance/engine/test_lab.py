"""The whole program over every recorded behaviour of a server: `tests/lab`, one folder each."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from engine_support import epc, files_that_hold, read_rows
from lab_support import (
    KEY,
    LAB,
    Behaviour,
    Replayed,
    behaviours,
    evaluates,
    holds,
    replaying,
    table,
)

from epc.engine import asking
from epc.engine.providers import PROVIDERS
from epc.protocol.config import REASONING
from epc.records.validate import validate

CASES = [pytest.param(each, id=each.name) for each in behaviours()]
FEW = 2 * 2  # at most: both roles, once each, with another spelling


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pause for a moment only."""
    monkeypatch.setattr(asking, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(asking, "LONGEST_PAUSE_S", 0.002)


def manifest_of(run: Path) -> Any:
    return json.loads((run / "manifest.json").read_bytes())


@pytest.mark.parametrize("case", CASES)
def test_the_program_comes_to_what_the_folder_says(tmp_path: Path, case: Behaviour) -> None:
    expect, run = case.document["expect"], tmp_path / "run"

    with replaying(case) as (_, replayed, env):
        done = epc(*case.command("--concurrency", "2", "--out", run), env=env)

    said = done.stdout + done.stderr
    assert done.returncode == expect["exit"], said
    for words in expect.get("says", ()):
        assert words in said
    assert KEY not in said
    for secret in (KEY, expect.get("unrecorded", KEY)):
        assert not files_that_hold(tmp_path, secret)
    if "requests" in expect:
        assert len(replayed.served) <= FEW
    _require_requests(case, replayed)
    if expect["exit"] and "verdicts" not in expect:
        # What an executor answered before is kept.
        assert run.exists() == (case.answers_executors and expect["exit"] == 4)
    else:
        _require_record(expect, run)


def _require_requests(case: Behaviour, replayed: Replayed) -> None:
    """Hold the requests that were answered against what the folder expects of them."""
    expected = case.document.get("request", {})
    answered = [received for received, reply in replayed.served if reply.status == 200]
    thought = case.document["expect"].get("reasoning", KEY)
    for received in answered:
        assert thought not in received.prompt  # an executor's reasoning is not what is judged
        role = "evaluator" if evaluates(received) else "executor"
        assert received.path.partition("?")[0].endswith(expected.get("path", ""))
        for name, value in expected.get("headers", {}).items():
            assert received.headers[name] == value.replace("{key}", KEY)
        assert not set(expected.get("no_headers", ())) & received.headers.keys()
        assert holds(received.body, expected.get(role, {})), received.body
        assert not set(expected.get("lacks", ())) & received.body.keys()


def _require_record(expect: dict[str, Any], run: Path) -> None:
    """Hold what was recorded against what the folder expects."""
    manifest, rows = manifest_of(run), read_rows(run / "calls.jsonl")
    verdicts = Counter(trial["verdict"] for trial in read_rows(run / "trials.jsonl"))
    provenance = manifest["provenance"]
    evaluator = provenance["calls"]["evaluator"]
    assert verdicts == expect["verdicts"]
    none = provenance.get("no_answer", {}).get("evaluator", {})
    assert none == ({expect["no_answer"]: evaluator} if "no_answer" in expect else {})
    answers = manifest["results"]["summary"]["diagnostics"]["answers"]
    assert answers["refusals"] == (evaluator if "refusals" in expect else 0)
    assert provenance["retries"] == expect.get("retries", provenance["retries"])
    assert {row.get("limit_field") for row in rows} == {expect.get("limit_field")}
    assert holds(manifest["evaluator"]["decoding"], expect.get("decoding", {}))
    for row in rows:
        assert row.get("reasoning") == expect.get("reasoning") or "no_answer" in expect
        assert (
            row.get("reasoning_tokens") == expect.get("reasoning_tokens") or "no_answer" in expect
        )
        served = row["model"] if row["model"].startswith("mock/") else expect.get("served_model")
        assert row["served_model"] == (served or row["served_model"])
    assert validate(run).ok


LEVELS = [
    pytest.param(each, level, id=f"{each.name}-{level}")
    for each in behaviours()
    if "reasoning" in each.document
    for level in [
        *each.document["reasoning"],
        *[level for level in REASONING if level not in PROVIDERS[each.provider].levels][:1],
    ]
]


@pytest.mark.parametrize(("case", "level"), LEVELS)
def test_reasoning_and_body_are_sent_and_recorded_or_refused(
    tmp_path: Path, case: Behaviour, level: str
) -> None:
    stated_reasoning, run = case.document["reasoning"], tmp_path / "run"
    arguments = ("--reasoning", level, "--body", "seed=7", "--executor-body", 'user="me"')

    with replaying(case) as (_, replayed, env):
        further_arguments = ("--rounds", "1", *arguments, "--out", run)
        done = epc(*case.command(*further_arguments), env=env)

    if level not in stated_reasoning:
        assert done.returncode == 2
        assert f"{case.provider} documents no reasoning {level!r}" in done.stderr
        assert not replayed.served
        return
    assert done.returncode == 0, done.stderr
    unasked = _extra(case.document.get("request", {}).get("executor", {}))
    for received, _ in replayed.served:
        evaluator = {**stated_reasoning[level], "seed": 7}
        asked_of = evaluator if evaluates(received) else {**unasked, "user": "me"}
        assert _extra(received.body) == asked_of
    decoding = {role: manifest_of(run)[role]["decoding"] for role in ("evaluator", "executor")}
    assert decoding["evaluator"]["reasoning"] == level
    assert decoding["evaluator"]["body"] == {"seed": 7}
    assert decoding["executor"]["body"] == {"user": "me"}


USUAL = frozenset(
    {"model", "messages", "temperature", "max_tokens", "max_completion_tokens"}
    | {"contents", "safetySettings", "maxOutputTokens", "maxTokens"}
)
SETTINGS = ("generationConfig", "inferenceConfig")


def _extra(body: dict[str, Any]) -> dict[str, Any]:
    """Return what a request holds beside what each does, wherever its settings stand."""
    flat = {key: value for key, value in body.items() if key not in SETTINGS}
    for name in SETTINGS:
        flat |= body.get(name, {})
    return {key: value for key, value in flat.items() if key not in USUAL}


def test_every_provider_has_a_success_in_the_lab() -> None:
    tried = {
        behaviour.provider for behaviour in behaviours() if behaviour.document["tried"] == "success"
    }

    assert tried >= {*PROVIDERS}
    assert {
        behaviour.provider for behaviour in behaviours() if "reasoning" in behaviour.document
    } == {name for name, provider in PROVIDERS.items() if not provider.decides}
    assert len({behaviour.server for behaviour in behaviours()}) >= 25


def test_every_behaviour_says_where_it_is_documented() -> None:
    for behaviour in behaviours():
        assert behaviour.document["sources"], behaviour.name
        for source in behaviour.document["sources"]:
            assert source["title"], behaviour.name
            assert source["url"].startswith("https://"), behaviour.name


def test_the_readme_of_the_lab_states_what_the_lab_tries() -> None:
    page = (LAB / "README.md").read_text("utf-8")

    assert page.endswith(f"\n{table()}\n"), "write it: .venv/bin/python tests/lab_support.py"
