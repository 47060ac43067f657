"""The journal of a run: every answer on disk before anything is built on it."""

import asyncio
import fcntl
import io
import json
import os
import random
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_support import call, environment, epc, journal_line, plan_for, read_rows

from epc.engine.catalog import open_model
from epc.engine.journal import Journal, damaged_lines
from epc.engine.plan import save
from epc.errors import UsageError, WorldError
from epc.records.strict_json import dumps_line

HOLDER = """
import sys
from pathlib import Path
from epc.engine.journal import Journal
journal = Journal(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def append(journal: Journal, *calls: dict[str, Any]) -> None:
    """Append calls that are answered together."""

    async def appending() -> None:
        await asyncio.gather(*(journal.append(logged_call) for logged_call in calls))

    asyncio.run(appending())


def by_name(*numbers: int, **changed: str) -> list[dict[str, Any]]:
    return sorted((call(n, **changed) for n in numbers), key=lambda each: str(each["id"]))


def write(folder: Path, *lines: str) -> Path:
    path = folder / "journal.jsonl"
    path.write_text("".join(lines), "utf-8")
    return path


def line(number: int) -> str:
    return journal_line(dumps_line(call(number)))


def read_prompts(path: Path) -> Iterator[str]:
    return (row["prompt"] for row in read_rows(path))


def test_what_is_appended_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    first = Journal(tmp_path)
    for number in range(3):
        append(first, call(number, answer="zwei\nZeilen\u2028 ü"))
    first.close()

    repeated_journal = Journal(tmp_path)

    assert list(repeated_journal.calls()) == by_name(0, 1, 2, answer="zwei\nZeilen\u2028 ü")
    assert [line.decode() for _, line in repeated_journal.lines()] == list(
        map(dumps_line, repeated_journal.calls())
    )
    assert (
        len(repeated_journal),
        call(1)["id"] in repeated_journal,
        call(9)["id"] in repeated_journal,
    ) == (3, True, False)
    assert (repeated_journal.torn, repeated_journal.damaged) == (0, 0)
    append(repeated_journal, call(3))
    repeated_journal.close()
    assert len(repeated_journal.path.read_bytes().splitlines()) >= 4


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

    last = [json.loads(content.splitlines()[-1]) for content in synced]
    assert [document["call"] for document in last] == [call(0), call(1)]


def test_what_nobody_waits_for_any_more_is_on_disk_once_it_is_drained(tmp_path: Path) -> None:
    async def abandoned(journal: Journal) -> bool:
        await journal.drain()  # of nothing
        asking = asyncio.create_task(journal.append(call(0)))
        await asyncio.sleep(0)
        asking.cancel()
        await journal.drain()
        return call(0)["id"] in journal

    journal = Journal(tmp_path)

    assert asyncio.run(abandoned(journal))
    assert list(journal.calls()) == [call(0)]
    journal.close()


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_torn_last_line_is_set_aside_and_counted(tmp_path: Path, cut: int) -> None:
    torn = line(2)[:-cut]
    path = write(tmp_path, line(0), line(1), torn)

    journal = Journal(tmp_path)
    assert list(journal.calls()) == by_name(0, 1)
    append(journal, call(3))
    assert list(journal.calls()) == by_name(0, 1, 3)
    journal.close()

    assert (journal.torn, journal.damaged) == (1, 0)
    assert [row["prompt"] for row in read_rows(path)] == ["prompt 0", "prompt 1", "prompt 3"]
    assert (tmp_path / "journal.torn").read_text("utf-8") == f"{torn.strip()}\n"
    assert not (tmp_path / "journal.damaged").exists()


def test_a_journal_of_one_torn_line_is_empty(tmp_path: Path) -> None:
    write(tmp_path, '{"answer": "A", "i')

    journal = Journal(tmp_path)
    journal.close()

    assert (len(journal), journal.torn) == (0, 1)
    repeated_journal = Journal(tmp_path)
    repeated_journal.close()
    assert (len(repeated_journal), repeated_journal.torn, repeated_journal.damaged) == (0, 0, 0)


EDITED = [b"{}\n", dumps_line(call(1)).encode()]
STRANGE = [
    b"nothing\n",
    b"\x00" * 700 + b"\n",
    line(1)[9:].encode(),
    b"\xff" + line(1).encode(),
    b"\x00" * 300 + line(1)[20:].encode(),
]


@pytest.mark.parametrize(
    ("spoilt", "kept_in"),
    [*((each, "torn") for each in STRANGE), *((each, "damaged") for each in EDITED)],
)
def test_a_line_that_is_no_call_is_set_aside_once_and_whole_ones_apart(
    tmp_path: Path, spoilt: bytes, kept_in: str
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(line(0).encode() + spoilt + line(2).encode())

    journal = Journal(tmp_path)
    assert list(journal.calls()) == by_name(0, 2)
    assert {"torn": journal.torn, "damaged": journal.damaged}[kept_in] == 1
    assert journal.torn + journal.damaged == 1
    append(journal, call(1))
    journal.close()

    (aside,) = tmp_path.glob("journal.[!j]*")
    assert (aside.name, aside.read_bytes()) == (f"journal.{kept_in}", spoilt)
    assert damaged_lines(tmp_path) == journal.damaged
    repeated_journal = Journal(tmp_path)
    repeated_journal.close()
    assert list(read_prompts(path)) == ["prompt 0", "prompt 2", "prompt 1"]
    assert (len(repeated_journal), repeated_journal.torn, repeated_journal.damaged) == (3, 0, 0)


_CRC = zlib.crc32(dumps_line(call(1)).strip().encode())
SPACED = json.dumps({"call": call(1), "crc": f"{_CRC:08x}"})


@pytest.mark.parametrize(
    "edited",
    [
        lambda line: line.replace('"answer":"A"', '"answer":"B"'),
        lambda line: line.replace('"tokens_in":3', '"tokens_in":4'),
        lambda line: line.replace('"crc":"', '"crc":"0')[:-4] + '"}\n',
        lambda line: line.replace('"crc":', '"note":1,"crc":'),
        lambda _: f"{SPACED}\n",
        lambda _: EDITED[1].decode(),
    ],
)
def test_a_line_that_was_edited_is_found_wherever_it_stands_and_asked_again(
    tmp_path: Path, edited: Callable[[str], str]
) -> None:
    journal = Journal(tmp_path)
    append(journal, call(0), call(1))
    journal.close()
    lines = journal.path.read_text("utf-8").splitlines(keepends=True)
    instead = edited(lines[1])
    assert instead != lines[1]
    journal.path.write_text(lines[0] + instead, "utf-8")

    repeated_journal = Journal(tmp_path)
    repeated_journal.close()

    assert (len(repeated_journal), repeated_journal.torn, repeated_journal.damaged) == (1, 0, 1)
    assert call(1)["id"] not in repeated_journal
    assert (tmp_path / "journal.damaged").read_text("utf-8") == instead


@pytest.mark.parametrize("seed", range(20))
def test_a_power_cut_anywhere_in_a_group_loses_no_whole_line(tmp_path: Path, seed: int) -> None:
    """Blocks that never reached the disk read as zeros; what was synced before stays."""
    rng = random.Random(seed)
    journal = Journal(tmp_path)
    append(journal, *(call(number) for number in range(rng.randrange(1, 6))))
    synced = journal.path.stat().st_size
    kept_count = len(journal)
    append(journal, *(call(number, answer="A" * rng.randrange(200)) for number in range(10, 30)))
    journal.close()
    content = bytearray(journal.path.read_bytes())
    whole_lines = bytes(content).splitlines(keepends=True)
    for _ in range(rng.randrange(1, 4)):
        begin = rng.randrange(synced, len(content))
        length = min(rng.choice((1, 50, 512, 4096)), len(content) - begin)
        content[begin : begin + length] = bytes(length)
    if rng.random() < 0.3:
        del content[rng.randrange(synced, len(content)) :]
    journal.path.write_bytes(content)
    left = set(bytes(content).splitlines(keepends=True))

    repeated_journal = Journal(tmp_path)
    found = {logged_call["id"] for logged_call in repeated_journal.calls()}
    append(repeated_journal, call(99))
    repeated_journal.close()

    intact = [json.loads(line) for line in whole_lines if line in left]
    assert found == {document["call"]["id"] for document in intact}
    assert len(found) >= kept_count
    assert repeated_journal.damaged == 0
    third = Journal(tmp_path)
    third.close()
    assert (len(third), third.torn, third.damaged) == (len(found) + 1, 0, 0)


def test_what_was_written_and_not_synced_is_synced_before_it_is_built_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, line(0))
    synced: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.read_bytes()))

    Journal(tmp_path).close()

    assert synced == [line(0).encode()]


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
    whole_content = journal.path.read_bytes()
    journal._file.close()
    journal._file = _Full(journal.path, "a+b")

    for _ in range(2):  # a second call that was under way fails in the same way
        with pytest.raises(WorldError, match=r"cannot write .*: No space left on device"):
            append(journal, call(1))
    journal.close()

    assert journal.path.read_bytes() == whole_content


def test_a_folder_that_cannot_be_made_is_the_disk_s_fault(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorldError, match=r"cannot open .*journal.jsonl"):
        Journal(tmp_path / "file")


def test_a_journal_is_removed_for_good(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    append(journal, call(0))

    journal.remove()

    assert not tmp_path.exists()


def test_a_journal_that_is_taken_away_while_another_process_opens_it_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the answers of that process would go to a file that has no name any more."""
    first, lock = Journal(tmp_path), fcntl.flock

    def lock_late(file: Any, how: int) -> None:
        first.remove()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    second = Journal(tmp_path)
    monkeypatch.undo()
    append(second, call(0))
    first.remove()  # once more: it is another's by now

    assert second.path.read_bytes() == line(0).encode()
    with pytest.raises(UsageError, match="another process is working on"):
        Journal(tmp_path)
    second.close()


def test_a_journal_is_held_until_it_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, unlink = Journal(tmp_path), Path.unlink

    def refused(path: Path, **fields: Any) -> None:
        with pytest.raises(UsageError, match="another process is working on"):
            Journal(tmp_path)
        unlink(path, **fields)

    monkeypatch.setattr(Path, "unlink", refused)
    journal.remove()

    assert not tmp_path.exists()
