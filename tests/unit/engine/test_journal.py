"""The journal of a run: every answer on disk before anything is built on it."""

import asyncio
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from engine_support import digest, environment, epc, plan_for

from epc.engine.catalog import open_model
from epc.engine.journal import Journal
from epc.engine.plan import save
from epc.errors import UsageError, WorldError

HOLDER = """
import sys
from pathlib import Path
from epc.engine.journal import Journal
journal = Journal(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def call(number: int, answer: str = "A") -> dict[str, Any]:
    return {
        "id": digest(str(number))[:20],
        "role": "evaluator",
        "model": "test/told",
        "served_model": None,
        "system_fingerprint": None,
        "prompt": f"prompt {number}",
        "answer": answer,
        "finish_reason": "stop",
        "tokens_in": 3,
        "tokens_out": None,
        "latency_s": 0.25,
        "retries": 0,
        "occasion": None,
    }


def append(journal: Journal, *calls: dict[str, Any]) -> None:
    """Append calls that are answered together."""

    async def appending() -> None:
        await asyncio.gather(*(journal.append(each) for each in calls))

    asyncio.run(appending())


def by_name(*numbers: int, **changed: str) -> list[dict[str, Any]]:
    return sorted((call(n, **changed) for n in numbers), key=lambda each: str(each["id"]))


def write(folder: Path, *lines: str) -> Path:
    path = folder / "journal.jsonl"
    path.write_text("".join(lines), "utf-8")
    return path


def line(number: int) -> str:
    return json.dumps(call(number)) + "\n"


def test_what_is_appended_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    first = Journal(tmp_path)
    for number in range(3):
        append(first, call(number, answer="zwei\nZeilen\u2028 ü"))
    first.close()

    again = Journal(tmp_path)

    assert list(again.calls()) == by_name(0, 1, 2, answer="zwei\nZeilen\u2028 ü")
    assert (len(again), call(1)["id"] in again, call(9)["id"] in again) == (3, True, False)
    assert again.repaired == 0
    append(again, call(3))
    again.close()
    assert len(again.path.read_bytes().splitlines()) >= 4


def test_each_answer_is_on_disk_before_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []
    path = tmp_path / "journal.jsonl"
    real = os.fdatasync

    def fdatasync(handle: int) -> None:
        real(handle)
        synced.append(path.read_bytes())

    monkeypatch.setattr(os, "fdatasync", fdatasync)
    journal = Journal(tmp_path)
    append(journal, call(0))
    append(journal, call(1))
    journal.close()

    assert [json.loads(content.splitlines()[-1]) for content in synced] == [call(0), call(1)]


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_torn_last_line_is_cut_off_and_counted(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path, line(0), line(1), line(2)[:-cut])

    journal = Journal(tmp_path)
    assert list(journal.calls()) == by_name(0, 1)
    append(journal, call(3))
    assert list(journal.calls()) == by_name(0, 1, 3)
    journal.close()

    assert journal.repaired == 1
    kept = [json.loads(row)["prompt"] for row in path.read_text().splitlines()]
    assert kept == ["prompt 0", "prompt 1", "prompt 3"]


def test_a_journal_of_one_torn_line_is_empty(tmp_path: Path) -> None:
    path = write(tmp_path, '{"answer": "A", "i')

    journal = Journal(tmp_path)
    journal.close()

    assert (len(journal), journal.repaired) == (0, 1)
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    "damage", ["{}\n", "nothing\n", "\n", line(1)[:-1].replace('"A"', "1") + "\n", line(1)[9:]]
)
def test_a_damaged_line_in_the_middle_is_refused_with_its_number(
    tmp_path: Path, damage: str
) -> None:
    path = write(tmp_path, line(0), damage, line(2))
    before = path.read_bytes()

    with pytest.raises(UsageError) as refused:
        Journal(tmp_path)

    assert str(refused.value).startswith(f"{path}:2: not a call")
    assert path.read_bytes() == before


def test_a_second_process_is_locked_out_until_the_first_is_done(tmp_path: Path) -> None:
    evaluator, executor = open_model("mock/deterministic"), open_model("mock/deterministic")
    save(plan_for(evaluator, executor, rounds=1), tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        with pytest.raises(UsageError, match="another process is working on"):
            Journal(tmp_path)
        second = epc("resume", tmp_path)
        holder.stdin.close()
        assert holder.wait() == 0

    assert second.returncode == 2
    assert f"another process is working on {tmp_path}" in second.stderr
    Journal(tmp_path).close()


class _Full(io.FileIO):
    """A disk that takes some bytes of a line and then no more."""

    def write(self, given: Any) -> int:
        if len(given) < 100:
            raise OSError(28, "No space left on device")
        return super().write(bytes(given)[:100])


def test_a_full_disk_leaves_whole_lines_only(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    append(journal, call(0))
    whole = journal.path.read_bytes()
    journal._file.close()
    journal._file = _Full(journal.path, "a+b")

    for _ in range(2):  # a second call that was under way fails in the same way
        with pytest.raises(WorldError, match=r"cannot write .*: No space left on device"):
            append(journal, call(1))
    journal.close()

    assert journal.path.read_bytes() == whole


def test_a_folder_that_is_gone_is_the_disk_s_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"cannot open .*: No such file or directory"):
        Journal(tmp_path / "gone")


def test_a_journal_is_removed_for_good(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    append(journal, call(0))

    journal.remove()

    assert list(tmp_path.iterdir()) == []
