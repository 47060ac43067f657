"""What a user sees of a run under way: a block on a real terminal, lines anywhere else."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from endpoint_support import Endpoint, HoldsAfter, Received, Reply, answering, completion, refusal
from engine_support import PATIENCE_S, environment, epc
from judge_support import record, table_row, write_rows
from program_support import PROGRAM

from epc.cli.countdown import counted, rounded, span
from epc.cli.progress import Pace, stage_text
from epc.engine.progress import Stage

SMALL = ("--evaluator", "openai/judge-0806", "--executor", "openai/writer-0806")
FRESH = ("--seeds", "0-1", "--rounds", "4", "--reuse", "none")
HIDDEN, BACK = "\x1b[?25l", "\x1b[?25h"
CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][;m]")


@dataclass(kw_only=True)
class Terminal:
    """A program whose stderr is a terminal; its stdout is a file."""

    process: "subprocess.Popen[bytes]"
    reader: threading.Thread
    pieces: list[bytes]

    @property
    def raw(self) -> str:
        return b"".join(self.pieces).decode()

    @property
    def text(self) -> str:
        return " ".join(CONTROLS.sub("", self.raw).replace("\r", "").split())

    def until(self, wanted: str) -> None:
        while wanted not in self.text:
            assert self.process.poll() is None, self.raw
            time.sleep(0.02)

    def ended(self) -> int:
        code = self.process.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        return code


def on_terminal(
    *arguments: str | Path, out: Path, width: int = 120, env: dict[str, str]
) -> Terminal:
    """Start the program in a pseudo-terminal of a width."""
    # A run of tests in several processes states a width of its own, which a terminal does not.
    env = {name: value for name, value in env.items() if name not in {"COLUMNS", "LINES"}}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    with out.open("wb") as stdout:
        process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            env={**env, "TERM": "xterm-256color"},
            stdout=stdout,
            stderr=theirs,
            start_new_session=True,
        )
    os.close(theirs)
    pieces: list[bytes] = []

    def read() -> None:
        with suppress(OSError):  # what a terminal ends in once nobody holds its other end
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        os.close(ours)

    reader = threading.Thread(target=read)
    reader.start()
    return Terminal(process=process, reader=reader, pieces=pieces)


def hosted(endpoint: Endpoint, **further_options: str) -> dict[str, str]:
    return environment(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-x", **further_options)


def test_a_terminal_sees_phases_calls_retries_use_against_caps_and_verdicts(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    # The evaluator refuses every comparison, and the first reply of all is a failure whose words
    # would clear the screen.
    def behave(received: Received) -> Reply:
        if received.prompt.startswith("Evaluate."):
            return completion("I cannot help with that.")
        return answering(received)

    endpoint.behave = behave
    endpoint.script = [refusal(503, "\x1b[2J[bold]worn out", retry_after="0")]
    run, out = tmp_path / "run", tmp_path / "out"
    caps = ("--max-calls", "5000", "--max-time", "600")

    terminal = on_terminal(
        "run", *SMALL, *FRESH, *caps, "--out", run, out=out, env=hosted(endpoint)
    )

    assert terminal.ended() == 1  # no verdict was counted
    # 2 seeds x 4 phases x 4 rounds, two answers and a comparison each.
    assert "32/32, 100%" in terminal.text
    assert "text 8/8, visual 8/8, text to visual 8/8, visual to text 8/8" in terminal.text
    assert "96 of at most 5,000, 1 retries" in terminal.text
    assert re.search(r"cost unknown, 2,304 tokens, \d+ s of at most 10 min 00 s", terminal.text)
    assert "failures 1, tried again; the last: HTTP 503: \\u{001b}[2J[bold]worn" in terminal.text
    assert "refused 100% of 32" in terminal.text
    assert "\x1b[2J" not in terminal.raw
    assert terminal.raw.rindex(BACK) > terminal.raw.rindex(HIDDEN)
    result = epc("show", run, env=hosted(endpoint))
    assert out.read_text("utf-8") == result.stdout


def test_a_campaign_has_one_view_with_a_line_a_run_and_all_calls_together(tmp_path: Path) -> None:
    models = ("--evaluator", "mock/coin-flip", "--evaluator", "mock/deterministic")
    arguments = (*models, "--executor", "mock/deterministic", "--seeds", "0-1", "--rounds", "4")
    out = tmp_path / "out"

    terminal = on_terminal(
        "run", *arguments, "--out", tmp_path / "runs", out=out, env=environment()
    )

    assert terminal.ended() == 0
    assert "coin-flip_on_deterministic: writing" in terminal.text
    assert "deterministic_on_deterministic: writing" in terminal.text
    assert re.search(r"calls +\d+ asked", terminal.text)
    assert out.read_text("utf-8") == epc("show", tmp_path / "runs").stdout


def test_ctrl_c_leaves_the_terminal_in_order_and_says_how_to_go_on(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = holding = HoldsAfter(20)
    run = tmp_path / "run"
    terminal = on_terminal(
        "run", *SMALL, *FRESH, "--out", run, out=tmp_path / "out", env=hosted(endpoint)
    )
    terminal.until("20 asked")

    os.kill(terminal.process.pid, signal.SIGINT)
    code = terminal.ended()
    holding.go_on.set()

    assert code == 4
    assert terminal.raw.rindex(BACK) > terminal.raw.rindex(HIDDEN)
    lines = [line.rstrip("\r") for line in terminal.raw.split("\n")]
    assert lines[-1] == ""
    assert lines[-2] == f"  next: epc resume {run}"
    assert (tmp_path / "out").read_bytes() == b""


def test_a_log_gets_a_line_a_stage(tmp_path: Path, endpoint: Endpoint) -> None:
    run = tmp_path / "run"

    done = epc("run", *SMALL, *FRESH, "--out", run, env=hosted(endpoint))

    assert done.returncode == 0
    assert "\nrounds: 32\n" in done.stderr
    assert "\x1b" not in done.stderr
    assert "spent    96 calls, 2,304 tokens, cost unknown" in done.stderr


def test_judging_shows_the_same_block_without_colour_in_a_narrow_terminal(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    table = write_rows(tmp_path / "outputs.jsonl", (table_row(f"q{n}", "v", "T") for n in range(3)))
    endpoint.behave = lambda _: completion(json.dumps(record()))
    folder, env = tmp_path / "judged", hosted(endpoint, NO_COLOR="1")
    planned = ("judge", "plan", table, "--judge", "openai/judge-0806", "--methods", "cross")
    assert epc(*planned, "--out", folder, env=env).returncode == 0

    arguments = ("judge", "run", folder)
    terminal = on_terminal(*arguments, out=tmp_path / "out", width=38, env=env)

    assert terminal.ended() == 0
    assert "judgments 3/3, 100%" in terminal.text
    assert "PASS 100% of 3" in terminal.text
    block = terminal.raw[terminal.raw.index(HIDDEN) : terminal.raw.rindex(BACK)]
    assert not COLOUR.search(block)
    assert max(len(CONTROLS.sub("", line)) for line in re.split(r"[\r\n]", block)) <= 38


def test_time_left_is_by_what_was_done_since_and_not_by_what_a_journal_gave_at_once() -> None:
    pace, stage = Pace(), Stage(name="rounds", total=1000)
    assert pace.left_s() is None
    stage.done = 600  # from the journal, before anybody looked
    pace.note(stage, 0.0)
    stage.done = 610
    pace.note(stage, 5.0)
    assert pace.left_s() == 390 / (10 / 5)

    stage.done = 670
    pace.note(stage, 35.0)  # the first look is more than 30 s old

    assert pace.left_s() == 330 / (60 / 30)
    assert span(330 / 2) == "2 min 45 s"


def test_an_estimate_is_steady_where_answers_come_in_bursts() -> None:
    """128 calls at once, answered every 25 or 60 s by turns: 5,000 end after 39 full bursts.

    By the last 30 s the end was expected up to 600 s too early, or could not be told.
    """
    pace, stage = Pace(), Stage(name="rounds", total=5000)
    bursts, at = [], 0.0
    for number in range(40):
        at += 25 if number % 2 else 60
        bursts.append(at)
    ends = bursts[-1]
    expected = []
    for quarter in range(int(ends * 4)):
        now = quarter / 4
        stage.done = min(5000, 128 * sum(burst <= now for burst in bursts))
        pace.note(stage, now)
        left = pace.left_s()
        if now >= 300 and now % 60 == 0:
            assert left is not None
            expected.append(now + left)

    assert max(abs(end - ends) for end in expected) < 0.2 * ends
    later = expected[len(expected) // 2 :]
    assert max(abs(end - ends) for end in later) < 0.08 * ends


def test_an_estimate_is_no_finer_than_it_is_known() -> None:
    assert [rounded(seconds) for seconds in (0.4, 42, 59, 89, 1000, 3599, 5000, 9000)] == [
        *("10 s", "50 s", "60 s", "1 min", "17 min", "60 min"),
        *("1 h 20 min", "2 h 30 min"),
    ]
    stage = Stage(name="rounds", total=4)
    stage.done = 1
    assert re.fullmatch(r"1/4, 25%, about 50 s left, until .*\d\d:\d\d", stage_text(stage, 42))


def test_a_log_says_soon_how_far_long_work_is_before_its_first_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 54: `plan --pilot` and `design show --power` were silent for 45 s."""
    monkeypatch.setattr("epc.cli.countdown.FIRST_LINE_S", 0.05)

    def slow() -> Iterator[int]:
        for number in range(3):
            time.sleep(0.2)
            yield number

    assert list(counted(slow(), 3, "designs")) == [0, 1, 2]
    assert capsys.readouterr().err == "designs: 0 of 3\n"
    assert list(counted(iter(range(3)), 3, "designs")) == [0, 1, 2]
    assert capsys.readouterr().err == "", "short work says nothing"
