"""`epc doctor MODEL` and the probe before a paid run, over servers of the lab."""

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import Received, serving
from engine_support import epc, read_rows
from lab_support import KEY, Replayed, behaviour, evaluates, leading_to, replaying

from epc.engine import asking

GOOD = ("chlorophyll", "paper bag", "gravity")
BAD = ("train ticket", "parliament", "varnish")
WRITER = ("--executor", "mock/deterministic")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(asking, "LONGEST_PAUSE_S", 0.002)


def sound(received: Received) -> str:
    """Prefer the answer to the task, wherever it stands."""
    (good,) = (received.prompt.index(word) for word in GOOD if word in received.prompt)
    (bad,) = (received.prompt.index(word) for word in BAD if word in received.prompt)
    return "A" if good < bad else "B"


@contextmanager
def doctor_report(
    name: str, verdict: Callable[[Received], str], *further_arguments: str
) -> Iterator[tuple[int, Any, Replayed]]:
    """Yield the exit code, the document and what was served."""
    case = behaviour(name)
    with replaying(case) as (_, replayed, env):
        replayed.verdict = verdict
        done = epc("doctor", case.model, *WRITER, *further_arguments, "--format", "json", env=env)
        assert KEY not in done.stdout + done.stderr
        yield done.returncode, json.loads(done.stdout), replayed


def problems(found: Any) -> list[str]:
    return [finding["problem"] for finding in found["findings"]]


def test_a_sound_endpoint_is_ready_and_the_command_for_it_runs(tmp_path: Path) -> None:
    with doctor_report("openai-success", sound) as (code, report, replayed):
        assert code == 0
        assert (report["outcome"], report["findings"], report["settings"]) == ("ready", [], [])
        assert len(replayed.served) == report["calls"] == 8
        assert report["repeats"]
        assert report["one_place"] == 0
        assert {answer["kind"] for answer in report["answers"]} == {"letter"}
    fresh, exhaustive, more, again = report["costs"]
    # 10 seeds x 4 phases x 30 rounds x 3 calls; 11 strategies x 16 tasks, written and judged.
    assert (fresh["seeds"], fresh["way"], fresh["calls"]) == (10, "fresh", 3600)
    assert (more["seeds"], more["calls"]) == (30, 10_800)
    assert exhaustive["calls"] == again["calls"] == 352
    assert 0 < exhaustive["cost"] < fresh["cost"]
    assert fresh["seconds"] > 0
    assert report["command"] == (
        "epc run --evaluator openai/gpt-4.1-2025-04-14 --executor mock/deterministic --exhaustive"
    )
    case = behaviour("openai-success")
    with replaying(case) as (_, _, env):
        arguments = report["command"].split()[1:]
        small = ("--seeds", "0", "--rounds", "1", "--dry-run")
        assert epc(*arguments, *small, env=env).returncode == 0


def test_the_text_and_the_document_say_the_same() -> None:
    case = behaviour("openai-success")
    with replaying(case) as (_, replayed, env):
        replayed.verdict = sound
        done = epc("doctor", case.model, *WRITER, env=env)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("openai/gpt-4.1-2025-04-14: can be an evaluator\n")
    for line in (
        "settings   the usual ones\n",
        "answers    8 letter\n",
        "repeats    yes, one question asked three times\n",
        "places     one letter in both orders of 0 of 3 pairs\n",
        "     10  fresh           3,600",
        "     30  exhaustive        352",
    ):
        assert line in done.stdout
    assert done.stdout.endswith("--executor mock/deterministic --exhaustive\n")


def test_a_refused_temperature_is_left_out_and_reasoning_is_a_finding() -> None:
    with doctor_report("openai-reasoning", sound) as (code, report, _):
        assert code == 1
        assert report["outcome"] == "limited"
        assert report["settings"] == ["--temperature", "none"]
        assert problems(report) == ["8 of 8 answers came after reasoning"]
        assert report["calls"] <= 8 + 3
    exhaustive = report["costs"][1]
    assert "cannot be reused" in exhaustive["refused"]
    assert report["command"] == (
        "epc run --evaluator openai/o3 --temperature none --executor mock/deterministic "
        "--reuse none"
    )


def test_reasoning_that_can_be_switched_off_is_switched_off() -> None:
    with doctor_report("vllm-think-switch", sound) as (code, report, _):
        assert (code, report["outcome"], report["findings"]) == (0, "ready", [])
        assert report["settings"] == ["--reasoning", "none"]
        assert report["decoding"]["reasoning"] == "none"
        assert "--reasoning none" in report["command"]


def test_an_endpoint_that_is_cut_off_whatever_is_tried_cannot_be_an_evaluator() -> None:
    with doctor_report("openai-null-length", sound) as (code, report, _):
        assert (code, report["outcome"]) == (1, "unfit")
        assert problems(report)[0] == "8 of 8 answers are no verdict: silence"
        assert "--max-tokens" in report["findings"][0]["remedy"]


def test_an_endpoint_that_refuses_cannot_be_an_evaluator() -> None:
    with doctor_report("openai-refusal", sound) as (code, report, _):
        assert (code, report["outcome"]) == (1, "unfit")
        assert problems(report) == ["8 of 8 answers are no verdict: refusal"]


def test_an_endpoint_that_always_says_a_prefers_a_place() -> None:
    with doctor_report("openai-success", lambda _: "A") as (code, report, _):
        assert (code, report["outcome"], report["one_place"]) == (1, "unfit", 3)
        assert problems(report) == [
            "it gave one letter in both orders of 3 of 3 pairs: it prefers a place"
        ]


def test_an_endpoint_that_does_not_repeat_itself_is_a_finding() -> None:
    told: dict[str, itertools.count[int]] = {}

    def fickle(received: Received) -> str:
        again = next(told.setdefault(received.prompt, itertools.count()))
        return sound(received) if again != 1 else "AB"[sound(received) == "A"]

    with doctor_report("openai-success", fickle) as (code, report, _):
        assert (code, report["outcome"], report["repeats"]) == (1, "limited", False)
        assert problems(report) == ["one question got different verdicts, asked 3 times"]
        assert report["command"].endswith("--reuse none")


def test_parts_and_prose_are_told() -> None:
    with doctor_report("openai-parts", sound) as (code, report, _):
        assert code == 0
        assert all(answer["in_parts"] for answer in report["answers"])
    with doctor_report("openai-success", lambda _: "I prefer the first.") as (code, report, _):
        assert (code, report["outcome"]) == (1, "unfit")
        assert problems(report) == ["8 of 8 answers are no verdict: text"]


def test_an_endpoint_that_cannot_be_reached_exits_3_and_says_why() -> None:
    with serving() as gone:
        env = leading_to(gone.url)
    down = epc("doctor", "vllm/m", env=env)
    with replaying(behaviour("openai-401")) as (_, _, env):
        refused = epc("doctor", "openai/gpt-4.1", env=env)

    assert (down.returncode, refused.returncode) == (3, 3)
    assert "nothing listens there" in down.stderr
    assert "check the key in OPENAI_API_KEY" in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--reasoning", "none"), "these options say how a MODEL is asked"),
        (("recorded:absent.csv",), "there is no file"),
        (("lmstudio/m", "--reasoning", "none"), "documents no reasoning 'none'"),
    ],
)
def test_what_cannot_be_asked_is_misuse(words: tuple[str, ...], said: str) -> None:
    refused = epc("doctor", *words)

    assert refused.returncode == 2
    assert said in refused.stderr


# ------------------------------------------------------------------------- the probe before a run


def test_a_run_asks_its_first_round_first_and_nothing_of_it_twice(tmp_path: Path) -> None:
    case = behaviour("openai-success")
    counts = {}
    for word in ("--probe", "--no-probe"):
        with replaying(case) as (endpoint, _, env):
            run = tmp_path / word
            done = epc(*case.command(word, "--out", run), env=env)
            assert done.returncode == 0, done.stderr
            assert ("\nprobe: 1\n" in done.stderr) == (word == "--probe")
            assert "probe    " not in done.stderr  # a bare letter is nothing to tell of
            assert set(endpoint.prompts.values()) == {1}
            counts[word] = len(endpoint.received)
            first = [evaluates(received) for received in endpoint.received[:3]]
            assert first == [False, False, True] or word == "--no-probe"

    assert counts["--probe"] == counts["--no-probe"]
    rows = [read_rows(tmp_path / word / "calls.jsonl") for word in counts]
    probed, unprobed = (sorted(row["prompt"] for row in table_row) for table_row in rows)
    assert probed == unprobed


@pytest.mark.parametrize("asking_way", ["--exhaustive", "--reuse=none"])
def test_an_evaluator_that_is_cut_off_stops_a_run_after_three_calls(
    tmp_path: Path, asking_way: str
) -> None:
    case, run = behaviour("vllm-think-cut"), tmp_path / "run"
    with replaying(case) as (_, replayed, env):
        arguments = ("--evaluator", case.model, "--executor", case.model, "--seeds", "0")
        few = ("--rounds", "2", asking_way)
        stopped = epc("run", *arguments, *few, "--out", run, env=env)
        asked_before = len(replayed.served)
        resumed = epc("resume", run, env=env)

    assert stopped.returncode == 1
    assert "was cut off before a verdict, and so it would be in every round" in stopped.stderr
    assert f"epc resume {run}" in stopped.stderr
    assert asked_before == 3
    assert resumed.returncode == 1, resumed.stderr
    assert "no verdict was ever counted" in resumed.stderr
    if asking_way == "--exhaustive":
        prompts = [received.prompt for received, _ in replayed.served]
        assert len(prompts) == len(set(prompts))
