"""`epc run --controls N`: an evaluator that cannot judge is found out before it is paid for."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from endpoint_support import Endpoint, HoldsAfter, Received, Reply, completion, serving
from engine_support import (
    RAW_FILES,
    digest,
    environment,
    epc,
    epc_under_way,
    read_rows,
    same_files,
    wait_until,
)
from run_support import COIN, HOSTED, MOCKS

FILES = (*RAW_FILES, "manifest.json")


def competent(received: Received) -> Reply:
    """Write sentences about the task; know them again, in their order, from anything else."""
    prompt = received.prompt
    if not prompt.startswith("Evaluate."):
        text = " ".join(f"word{n}" for n in range(20))
        return completion(f"{_opening(prompt)} {text} {digest(prompt)[:8]}.")
    task = prompt.split("Task: ", 1)[1].split(" A (", 1)[0]
    a, b = (answer.startswith(f"{_opening(task)} word0 ") for answer in _answers(prompt))
    return completion("A" if a and not b else "B")


def _opening(prompt: str) -> str:
    return f"About {prompt.rsplit(maxsplit=1)[-1]}:"


def _answers(prompt: str) -> tuple[str, str]:
    after = prompt.split(" A (", 1)[1].split("): ", 1)[1]
    first, remaining_text = after.split(" B (", 1)
    return first, remaining_text.split("): ", 1)[1].removesuffix(" Better? Output only A or B.")


def evaluator_calls(folder: Path) -> int:
    return sum(row["role"] == "evaluator" for row in read_rows(folder / "journal.jsonl"))


@pytest.mark.parametrize("how", [("--exhaustive",), ("--seeds", "0-29", "--rounds", "2")])
def test_reading_r43_an_incapable_evaluator_stops_the_run_before_its_first_comparison(
    tmp_path: Path, how: tuple[str, ...]
) -> None:
    run = tmp_path / "run"

    done = epc("run", *MOCKS, *how, "--controls", "48", "--out", run)
    repeated_result = epc("resume", run)

    for stopped in (done, repeated_result):
        assert stopped.returncode == 1
        assert "failed the controls, and no comparison was asked" in stopped.stderr
        assert f"epc resume {run} --anyway" in stopped.stderr
    assert "spent    0 calls" in repeated_result.stderr
    assert evaluator_calls(run) == 0
    assert len(read_rows(run / "probes.jsonl")) == 96


@pytest.mark.parametrize("models", [MOCKS, COIN])
def test_reading_r43_measured_anyway_it_is_the_run_without_controls(
    tmp_path: Path, models: tuple[str, ...]
) -> None:
    how = ("--seeds", "0-9", "--rounds", "4")
    plain, run = tmp_path / "plain", tmp_path / "run"
    assert epc("run", *models, *how, "--out", plain).returncode == 0
    assert epc("run", *models, *how, "--controls", "48", "--out", run).returncode == 1

    done = epc("resume", run, "--anyway")

    assert done.returncode == 0, done.stderr
    assert "it cannot tell a good answer from a bad one" in done.stderr
    same_files(plain, run, FILES)
    assert epc("validate", run).returncode == 0


def test_reading_r43_a_capable_evaluator_is_measured_at_once(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with serving() as endpoint:
        endpoint.behave = competent
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-of-the-test")

        done = epc("run", *HOSTED, "--exhaustive", "--controls", "48", "--out", run, env=env)

    assert done.returncode == 0, done.stderr
    assert "controls openai/judge-0806: it tells a good answer from a bad one" in done.stderr
    assert len(read_rows(run / "probes.jsonl")) == 96
    assert epc("validate", run).returncode == 0


@pytest.mark.slow
def test_reading_r43_a_killed_run_asks_no_control_twice(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with serving() as endpoint:
        endpoint.behave = held = Held(competent, HoldsAfter(200))
        env = environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-of-the-test")
        how = ("--exhaustive", "--controls", "48", "--concurrency", "1", "--out", run)
        with epc_under_way("run", *HOSTED, *how, env=env) as running:
            wait_until(lambda: len(endpoint.received) > 200)
            running.send_signal(signal.SIGKILL)
            running.wait()
        held.hold.go_on.set()
        endpoint.behave = competent

        done = epc("resume", run, env=env)

        assert done.returncode == 0, done.stderr
        twice = [prompt for prompt, count in controls(endpoint).items() if count > 1]
    assert len(twice) <= 1, "but for the one that was under way"
    assert len(read_rows(run / "probes.jsonl")) == 96
    assert not (run / "probing").exists()


class Held:
    """A behaviour that answers as one does, once another one lets it."""

    def __init__(self, answers: Callable[[Received], Reply], hold: HoldsAfter) -> None:
        self._answers, self.hold = answers, hold

    def __call__(self, received: Received) -> Reply:
        self.hold(received)
        return self._answers(received)


def controls(endpoint: Endpoint) -> dict[str, int]:
    """Return how often each control was asked: only they have one name on both sides."""
    return {
        prompt: count
        for prompt, count in endpoint.prompts.items()
        if prompt.count("(step_by_step): ") == 2 and prompt.startswith("Evaluate.")
    }


def test_recorded_verdicts_have_no_controls(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    rows = "".join(f"{s},{d},one,A\n" for s in "xy" for d in ("text", "visual"))
    table.write_text(f"strategy,domain,task,verdict\n{rows}", "utf-8")

    done = epc("run", "--evaluator", f"recorded:{table}", "--controls", "3", cwd=tmp_path)

    assert done.returncode == 2
    assert "recorded verdicts cannot be asked more" in done.stderr


def test_a_dry_run_counts_the_controls() -> None:
    def expected(*further_arguments: str) -> float:
        done = epc(
            "run", *MOCKS, "--exhaustive", "--dry-run", "--format", "json", *further_arguments
        )
        return float(json.loads(done.stdout)["evaluator"]["calls"]["expected"])

    assert expected("--controls", "48") - expected() == 96


def test_too_few_answers_for_a_word_do_not_stop_a_run(tmp_path: Path) -> None:
    run = tmp_path / "run"

    done = epc("run", *MOCKS, "--seeds", "0", "--rounds", "1", "--controls", "48", "--out", run)

    assert done.returncode == 0, done.stderr
    assert "it may or may not tell" in done.stderr
