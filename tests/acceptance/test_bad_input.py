"""Whatever is handed to `epc validate`: an exit code, a place, no traceback, bounded memory."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program_support import as_text, run_program
from records_support import Finished, Run, epc, epc_measured

LARGE = 200 * 2**20
MOST_MEGABYTES = 150  # of a process; it starts with about 35
MOST_SECONDS = 20  # of processor time

Change = Callable[[bytes], bytes]


def put(old: bytes, new: bytes) -> Change:
    def change(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new, 1)

    return change


def value(*path: str | int, to: Any) -> Change:
    """Return a change of one place of a manifest."""

    def change(content: bytes) -> bytes:
        manifest = json.loads(content)
        inside = manifest
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = to
        return json.dumps(manifest).encode()

    return change


MANIFESTS: dict[str, tuple[Change, str]] = {
    "NaN": (put(b'"alpha_win": 0.08', b'"alpha_win": NaN'), "/config/alpha_win: NaN is not a JSON"),
    "a duplicate key": (
        put(b'"rounds": 2,', b'"rounds": 2, "rounds": 2,'),
        "/config/rounds: the key 'rounds' appears twice",
    ),
    "a lone surrogate": (
        put(b'"protocol_version": "EPC', b'"protocol_version": "\\ud800EPC'),
        "/protocol_version: a lone surrogate",
    ),
    "10,000 nested brackets": (
        lambda _: b"[" * 10_000 + b"]" * 10_000,
        "(the whole document): nested more than 64 deep",
    ),
    "invalid UTF-8": (put(b"2026", b"\xff026"), "(the whole document): not UTF-8 at byte "),
    "a byte order mark": (lambda c: b"\xef\xbb\xbf" + c, "not JSON at line 1 column 1"),
    "an empty file": (lambda _: b"", "(the whole document): is empty"),
    "half a file": (lambda c: c[: len(c) // 2], "(the whole document): not JSON at line "),
    "a list": (lambda _: b"[]", "(the whole document): [] is not of type"),
    "text for a number": (value("config", "rounds", to="2"), "/config/rounds: "),
    "an unknown key": (value("judge", to=1), "/judge: no such key"),
    "a path that leads out": (value("raw", "trials", "path", to="../x"), "/raw/trials/path: "),
}


@pytest.mark.parametrize("what", MANIFESTS)
def test_a_bad_manifest_exits_1_and_says_where(tiny: Run, what: str) -> None:
    change, text = MANIFESTS[what]
    path = tiny.folder / "manifest.json"
    path.write_bytes(change(path.read_bytes()))

    done = epc("validate", tiny.folder)

    assert done.returncode == 1
    assert done.stderr == b""
    assert text in done.stdout.decode()
    assert "not valid, findings: " in done.stdout.decode().splitlines()[0]


@pytest.mark.parametrize("name", ["trials", "calls", "weights"])
def test_a_directory_in_a_raw_files_place_exits_1(tiny: Run, name: str) -> None:
    (tiny.folder / f"{name}.jsonl").unlink()
    (tiny.folder / f"{name}.jsonl").mkdir()

    done = epc("validate", tiny.folder)

    assert done.returncode == 1
    assert f"/raw/{name}: there is no file {name}.jsonl" in done.stdout.decode()


def test_a_directory_as_manifest_exits_1(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()

    done = epc("validate", tmp_path)

    assert done.returncode == 1
    assert b"manifest.json is a directory" in done.stdout


def test_a_directory_without_a_manifest_exits_1(tmp_path: Path) -> None:
    done = epc("validate", tmp_path)

    assert done.returncode == 1
    assert b"there is no manifest.json here" in done.stdout


@pytest.mark.parametrize("command", ["validate", "show"])
def test_a_path_that_is_not_there_exits_2_and_names_it(tmp_path: Path, command: str) -> None:
    done = epc(command, tmp_path / "none")

    assert done.returncode == 2
    assert done.stdout == b""
    assert b"none' does not exist" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("what", ["NaN", "10,000 nested brackets", "an empty file", "a list"])
def test_show_refuses_a_bad_manifest_with_exit_2(tiny: Run, what: str) -> None:
    change, text = MANIFESTS[what]
    path = tiny.folder / "manifest.json"
    path.write_bytes(change(path.read_bytes()))

    done = epc("show", tiny.folder)

    assert done.returncode == 2
    assert done.stdout == b""
    assert str(path) in done.stderr.decode()
    assert text.removeprefix("(the whole document)") in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_as_json_each_path_is_one_object_a_line(tiny: Run, flip: Run, tmp_path: Path) -> None:
    (tiny.folder / "manifest.json").write_bytes(b'{"\\ud800": NaN, "\xc3\xa4": Infinity}')

    done = epc("validate", "--format", "json", tiny.folder, flip.folder, tmp_path)

    assert done.returncode == 1
    assert done.stderr == b""
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert [line["path"] for line in lines] == [str(tiny.folder), str(flip.folder), str(tmp_path)]
    assert [line["ok"] for line in lines] == [False, True, False]
    for line in lines:
        assert set(line) == {"path", "ok", "findings"}
        for finding in line["findings"]:
            assert set(finding) == {"clause", "where", "problem", "remedy", "severity"}
    assert "/\u00e4" in {finding["where"] for finding in lines[0]["findings"]}
    assert lines[1]["findings"] == []


# --- 200 MB.


def assert_bounded(done: Finished) -> None:
    assert done.code == 1
    assert done.stderr == ""
    assert done.megabytes < MOST_MEGABYTES
    assert done.seconds < MOST_SECONDS


@pytest.mark.parametrize("form", ["run folder", "file"])
def test_a_manifest_of_200_mb_is_not_read(tmp_path: Path, form: str) -> None:
    path = tmp_path / "manifest.json"
    path.touch()
    os.truncate(path, LARGE)

    done = epc_measured(tmp_path, "validate", tmp_path if form == "run folder" else path)

    assert_bounded(done)
    assert "has 209,715,200 bytes, expected at most 67,108,864" in done.stdout


def test_a_line_of_200_mb_is_not_read(tiny: Run, tmp_path: Path) -> None:
    path = tiny.folder / "trials.jsonl"
    path.write_bytes(b"")
    os.truncate(path, LARGE)
    tiny.save(tiny.manifest())

    done = epc_measured(tmp_path, "validate", tiny.folder)

    assert_bounded(done)
    assert "/trials/0: the line is longer than 4,194,304 bytes" in done.stdout


def test_200_mb_of_junk_lines_are_not_read_to_the_end(tiny: Run, tmp_path: Path) -> None:
    path, line = tiny.folder / "trials.jsonl", b'{"seed": 0, "junk": "' + b"y" * 77 + b'"}\n'
    block = line * (2**20 // len(line))
    with path.open("wb") as file:
        for _ in range(LARGE // len(block)):
            file.write(block)
    tiny.save(tiny.manifest())

    done = epc_measured(tmp_path, "validate", tiny.folder)

    assert_bounded(done)
    assert "/trials/0" in done.stdout
    assert "more findings are not listed" in done.stdout


def test_one_trial_a_hundred_thousand_times_is_read_in_bounded_memory(
    tiny: Run, tmp_path: Path
) -> None:
    path = tiny.folder / "trials.jsonl"
    line = path.read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(line * 100_000)
    tiny.save(tiny.manifest())

    done = epc_measured(tmp_path, "validate", tiny.folder)

    assert_bounded(done)
    assert "/trials/1: seed 0 text round 0 appears twice" in done.stdout


@pytest.mark.parametrize("name", ["votes.csv", "votes.json", "votes.jsonl"])
@pytest.mark.parametrize("command", [("audit",), ("observe", "report"), ("loop", "report")])
def test_an_empty_file_is_called_empty(command: tuple[str, ...], name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\n" if command[0] == "audit" else b"")

    done = as_text(run_program(*command, name, cwd=tmp_path))

    assert done.returncode in (1, 2)
    assert f"{name}: is empty" in done.stdout + done.stderr


def test_a_number_that_is_none_is_called_so_without_a_word_of_ranges() -> None:
    done = as_text(run_program("which", "--budget", "cheap"))

    assert done.returncode == 2
    assert "'--budget': 'cheap' is not a valid number." in done.stderr
