"""Asking the evaluator of a finished run again: each question once, whatever comes between."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import (
    Endpoint,
    FailsAfter,
    HoldsAfter,
    Received,
    Reply,
    completion,
    refusal,
    serving,
)
from engine_support import DAY, asked_for, environment, read_rows, sitting, unwatched, wait_until
from records_support import probes_of

from epc.engine.budget import Limits
from epc.engine.panel import probe, reopen
from epc.errors import StoppedError, UsageError
from epc.records.layout import PROBES, PROBING
from epc.records.strict_json import dumps
from epc.records.validate import validate
from epc.spec.reference import EVALUATOR_PROMPT

HOSTED = ("openai/judge-0806", "openai/writer-0806")
PARTS = re.compile(
    re.escape(EVALUATOR_PROMPT)
    .replace(r"\{task\}", "(?P<task>.*)")
    .replace(r"\{strategy_name\}", "(?P<name_a>.*?)")
    .replace(r"\(step_by_step\)", r"\((?P<name_b>.*?)\)")
    .replace(r"\{response_A\[:300\]\}", "(?P<a>.*)")
    .replace(r"\{response_B\[:300\]\}", "(?P<b>.*)"),
    re.DOTALL,
)


def essay(task: str, how: str) -> str:
    """Return an answer in whose sense the order of the words plays a part."""
    return f"On {task} there is much to be said, and saying it in the manner of {how} helps a lot."


def writes(prompt: str) -> str:
    how, task = prompt.split("\n\n")
    return essay(task, how[:40])


def quality(task: str, text: str) -> int:
    """Return what a competent reader sees: an answer, to the task, in its order."""
    return int(text.startswith(f"On {task} there is much to be said, and saying it in"))


def knows(prompt: str) -> str:
    """Judge as an oracle does: the better answer, and of equals the one with the longer name."""
    parts = PARTS.fullmatch(prompt)
    assert parts is not None, prompt
    a, b = quality(parts["task"], parts["a"]), quality(parts["task"], parts["b"])
    if a != b:
        return "A" if a > b else "B"
    return (
        "A"
        if (len(parts["name_a"]), parts["name_a"]) > (len(parts["name_b"]), parts["name_b"])
        else "B"
    )


def oracle(received: Received) -> Reply:
    prompt = received.prompt
    return completion(knows(prompt) if prompt.startswith("Evaluate.") else writes(prompt))


def first_place(received: Received) -> Reply:
    return completion("A") if received.prompt.startswith("Evaluate.") else oracle(received)


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(served: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    monkeypatch.setenv("OPENAI_BASE_URL", served.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
    served.behave = oracle
    served.received.clear()
    return served


@pytest.fixture(scope="module")
def made_once(served: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an exhaustive run of the endpoint's models, which no test changes."""
    folder = tmp_path_factory.mktemp("made") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", served.url)
        patch.setenv("OPENAI_API_KEY", "sk-of-the-test")
        served.behave = oracle
        sitting(folder, asked_for(*HOSTED, exhaustive=True, rounds=30))
    return folder


@pytest.fixture
def run(made_once: Path, endpoint: Endpoint, tmp_path: Path) -> Path:
    endpoint.received.clear()
    return Path(shutil.copytree(made_once, tmp_path / "run"))


def ask(folder: Path, limits: Limits | None = None, **wanted: int) -> None:
    asyncio.run(probe(reopen(folder, **wanted), clock=lambda: DAY, watch=unwatched, limits=limits))


def everything(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and path.name != PROBES
    }


# ---------------------------------------------------------------------------- what comes of it


def test_epc_5_3_4_an_oracle_at_an_endpoint_is_capable(endpoint: Endpoint, run: Path) -> None:
    before = everything(run)

    ask(run, swap=20, controls=48)

    record, problems = probes_of(run)
    assert problems == []
    assert record["competence"]["word"] == "capable"
    assert record["competence"]["overall"]["accuracy"]["mean"] == 1
    assert record["swap"]["order_consistency"]["mean"] == 1
    assert record["swap"]["share_of_first_place"]["mean"] == 0.5
    assert len(endpoint.received) == 2 * 48 + 20
    assert everything(run) == before, "the measurement's own files are not touched"
    assert not (run / PROBING).exists()
    assert validate(run).ok


def test_epc_5_3_4_an_endpoint_that_always_says_a_is_incapable(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.behave = first_place
    sitting(tmp_path / "run", asked_for(*HOSTED, exhaustive=True, rounds=30))

    ask(tmp_path / "run", swap=20, controls=48)

    record, _ = probes_of(tmp_path / "run")
    assert record["competence"]["word"] == "incapable"
    assert record["swap"]["order_consistency"]["mean"] == 0
    assert record["swap"]["share_of_first_place"]["mean"] == 1


def test_the_evaluator_is_asked_with_the_run_s_own_decoding(endpoint: Endpoint, run: Path) -> None:
    ask(run, swap=1, controls=1)

    for received in endpoint.received:
        assert received.body["model"] == "judge-0806"
        assert received.body["max_completion_tokens"] == 10
        assert received.body["temperature"] == 0


def test_reading_r40_names_go_with_their_answers_over_the_wire(
    endpoint: Endpoint, run: Path
) -> None:
    ask(run, swap=30)

    for received in endpoint.received:
        parts = PARTS.fullmatch(received.prompt)
        assert parts is not None
        assert parts["name_a"] == "step_by_step"
        assert parts["name_b"] != "step_by_step"
        assert "Solve this step by step" in parts["a"]
        assert "Solve this step by step" not in parts["b"]


# ---------------------------------------------------------------------------- asked once


def test_nothing_is_asked_twice(endpoint: Endpoint, run: Path) -> None:
    ask(run, swap=6, controls=6)
    kept_content = (run / PROBES).read_bytes()
    ask(run, swap=6, controls=6)
    ask(run, swap=3)

    assert len(endpoint.received) == 6 + 12
    assert reopen(run, swap=6, controls=6).missing == 0
    assert (run / PROBES).read_bytes() == kept_content


def test_more_pairs_begin_with_those_that_were_asked(endpoint: Endpoint, run: Path) -> None:
    ask(run, swap=6, controls=6)
    assert reopen(run, swap=10, controls=9).missing == 4 + 6
    ask(run, swap=10, controls=9)

    record, problems = probes_of(run)
    assert problems == []
    assert record["competence"]["overall"]["pairs"] == 9
    assert record["swap"]["pairs"] == 10
    assert max(endpoint.prompts.values()) == 1


def test_in_two_steps_or_in_one_the_file_is_the_same(run: Path, tmp_path: Path) -> None:
    def asked(folder: Path) -> list[dict[str, Any]]:
        return [
            {**row, "call": {**row["call"], "latency_s": 0}} for row in read_rows(folder / PROBES)
        ]

    ask(run, swap=5, controls=7)
    ask(run, swap=8, controls=13)
    in_two = asked(run)
    (run / PROBES).unlink()
    ask(run, swap=8, controls=13)

    assert asked(run) == in_two


def test_a_failing_provider_loses_no_answer(endpoint: Endpoint, run: Path) -> None:
    endpoint.behave = Chain(FailsAfter(7, refusal(401)), oracle)
    with pytest.raises(StoppedError):
        ask(run, Limits(concurrency=1), swap=10, controls=10)
    assert not (run / PROBES).exists()
    answered = [r.prompt for r in endpoint.received[:7]]
    endpoint.received.clear()
    endpoint.behave = oracle

    ask(run, swap=10, controls=10)

    assert len(endpoint.received) == 30 - 7
    assert not set(endpoint.prompts) & set(answered)
    assert probes_of(run)[1] == []


class Chain:
    """A behaviour whose answers are the oracle's as long as another one answers at all."""

    def __init__(self, gate: FailsAfter | HoldsAfter, then: Any) -> None:
        self._gate, self._then = gate, then

    def __call__(self, received: Received) -> Reply:
        reply = self._gate(received)
        return reply if reply.status != 200 else self._then(received)


def test_fewer_pairs_after_a_failure_lose_no_answer_either(endpoint: Endpoint, run: Path) -> None:
    endpoint.behave = Chain(FailsAfter(15, refusal(401)), oracle)
    with pytest.raises(StoppedError):
        ask(run, Limits(concurrency=1), controls=10)
    endpoint.behave = oracle
    ask(run, controls=2)
    ask(run, controls=10)

    answered = [count for count in endpoint.prompts.values() if count > 1]
    assert sum(endpoint.prompts.values()) == 20 + 1, "the refused call alone is asked again"
    assert answered in ([2], [])
    assert not (run / PROBING).exists()


@pytest.mark.parametrize("wanted", [{"max_calls": 5}, {"max_cost": Decimal("0.000001")}])
def test_limits_hold_for_probes(endpoint: Endpoint, tmp_path: Path, wanted: dict[str, Any]) -> None:
    folder = tmp_path / "run"
    sitting(folder, asked_for("openai/gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06", reuse="memo"))
    endpoint.received.clear()

    with pytest.raises(StoppedError, match="stopped at --max"):
        ask(folder, Limits(**wanted), controls=10)

    assert len(endpoint.received) == (5 if "max_calls" in wanted else 0)


def test_two_at_once_do_not_ask_the_same(endpoint: Endpoint, run: Path) -> None:
    holds = HoldsAfter(0)
    endpoint.behave = Chain(holds, oracle)
    code = (
        "import asyncio, sys; from pathlib import Path; from engine_support import DAY, unwatched;"
        "from epc.engine.panel import probe, reopen;"
        "found = reopen(Path(sys.argv[1]), controls=3);"
        "asyncio.run(probe(found, clock=lambda: DAY, watch=unwatched))"
    )
    env = environment(
        OPENAI_BASE_URL=os.environ["OPENAI_BASE_URL"],
        OPENAI_API_KEY="sk-of-the-test",
        PYTHONPATH=str(Path(__file__).parents[2]),
    )
    with subprocess.Popen([sys.executable, "-c", code, str(run)], env=env) as other:
        try:
            wait_until(holds.reached.is_set)
            with pytest.raises(UsageError, match="another process is working on"):
                ask(run, controls=3)
            other.send_signal(signal.SIGKILL)
        finally:
            holds.go_on.set()
            other.kill()
    endpoint.behave = oracle

    ask(run, controls=3)

    assert probes_of(run)[0]["competence"]["overall"]["pairs"] == 3


# ---------------------------------------------------------------------------- who is asked


def test_recorded_verdicts_cannot_be_asked(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    rows = "".join(f"{s},{d},one,A\n" for s in "xy" for d in ("text", "visual"))
    table.write_text(f"strategy,domain,task,verdict\n{rows}", "utf-8")
    sitting(tmp_path / "run", asked_for(f"recorded:{table}", None))

    with pytest.raises(UsageError, match="recorded verdicts cannot be asked anything more"):
        reopen(tmp_path / "run", controls=1)


@pytest.mark.parametrize(
    ("part", "changed"), [("executor", None), ("evaluator", {"method": "recorded"})]
)
def test_a_manifest_that_says_half_of_being_recorded_is_not_asked_either(
    run: Path, part: str, changed: dict[str, str] | None
) -> None:
    document = json.loads((run / "manifest.json").read_text("utf-8"))
    document[part] = changed and {**document[part], **changed}
    (run / "manifest.json").write_text(dumps(document), "utf-8")

    with pytest.raises(UsageError, match="recorded verdicts cannot be asked anything more"):
        reopen(run, controls=1)


def test_an_evaluator_that_is_another_now_is_not_asked(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('{"default": 0}', "utf-8")
    sitting(tmp_path / "run", asked_for(f"mock/scripted:{script}", "mock/deterministic"))
    script.write_text('{"default": 1}', "utf-8")

    with pytest.raises(UsageError, match="the evaluator's details is"):
        ask(tmp_path / "run", controls=1)
    assert not (tmp_path / "run" / PROBES).exists()


def test_a_run_folder_without_its_request_is_asked_by_its_manifest(
    endpoint: Endpoint, run: Path
) -> None:
    (run / "run.json").unlink()

    ask(run, controls=2)

    assert len(endpoint.received) == 4


def test_a_manifest_alone_has_no_answers_to_ask_about(run: Path, tmp_path: Path) -> None:
    text = (run / "manifest.json").read_text("utf-8")
    alone = tmp_path / "alone.json"
    alone.write_text(re.sub(r'"raw": \{.*?\n  \},', '"raw": null,', text, flags=re.DOTALL), "utf-8")

    with pytest.raises(UsageError, match="probe the run folder"):
        reopen(alone, controls=1)


def test_damaged_answers_are_no_ground_for_questions(run: Path) -> None:
    path = run / "calls.jsonl"
    path.write_text(path.read_text("utf-8").replace("much to be said", "little to say", 1), "utf-8")

    with pytest.raises(UsageError, match="is not as it was measured"):
        reopen(run, controls=1)


def test_too_few_fit_answers_are_said_to_be_too_few(tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.behave = lambda received: (
        oracle(received) if received.prompt.startswith("Evaluate.") else completion("Too short.")
    )
    sitting(tmp_path / "run", asked_for(*HOSTED))

    reopened = reopen(tmp_path / "run", swap=3, controls=4)

    assert reopened.short == {"swap": 3, "controls": 4}
    assert reopened.missing == 0
    asyncio.run(probe(reopened, clock=lambda: DAY, watch=unwatched))
    assert not (tmp_path / "run" / PROBES).exists()


@pytest.mark.parametrize("favoured", [0, 1])
def test_reading_r40_scripted_preferences_are_the_same_in_either_place(
    tmp_path: Path, favoured: int
) -> None:
    script = tmp_path / "s.json"
    script.write_text(
        f'{{"default": {favoured}, "text": {{"synthesis": {1 - favoured}}}}}', "utf-8"
    )
    names = (f"mock/scripted:{script}", "mock/deterministic")
    sitting(tmp_path / "run", asked_for(*names, exhaustive=True, rounds=30))

    ask(tmp_path / "run", swap=20, controls=48)

    record, problems = probes_of(tmp_path / "run")
    assert problems == []
    assert record["swap"]["order_consistency"]["mean"] == 1
    assert record["competence"]["word"] == "incapable", "it never looks at the answers"
