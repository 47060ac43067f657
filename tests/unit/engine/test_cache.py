"""Answers kept across runs (Reading R16): for good from pinned weights, for a day from others."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import serving
from engine_support import (
    DAY,
    RAW_FILES,
    Told,
    asked_for,
    call,
    environment,
    measured,
    read_rows,
    same_files,
    sitting,
    verdict_of,
)
from msgspec.structs import replace
from records_support import Run

from epc.engine.budget import Limits
from epc.engine.cache import Cache, answer_cache_folder
from epc.engine.journal import line_of
from epc.engine.progress import Progress
from epc.engine.request import Request
from epc.engine.session import prepare
from epc.errors import MalformedError, StoppedError, UsageError, WorldError
from epc.records.validate import validate

HOSTED = asked_for("openai/judge", "openai/writer", reuse="memo")


def cached(folder: Path, evaluator: Told, executor: Told, cache: Path, **fields: Any) -> Progress:
    progress = Progress()
    kept_cache = Cache(cache)
    measured(folder, evaluator, executor, cache=kept_cache, progress=progress, **fields)
    return progress


def test_an_answer_is_found_under_its_own_name_only(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "answers")
    cache.put(call(1, answer="zwei\nZeilen ü"))

    assert cache.get(call(1)["id"]) == call(1, answer="zwei\nZeilen ü")
    assert cache.get(call(2)["id"]) is None
    assert Cache(tmp_path / "none").get(call(1)["id"]) is None


def changed(text: str, old: str, new: str) -> str:
    """Return an entry with a change and the sum of the changed call."""
    return line_of(json.loads(json.dumps(json.loads(text)["call"]).replace(old, new))).decode()


DAMAGE: dict[str, Callable[[str], str]] = {
    "empty": lambda _: "",
    "torn": lambda text: text[:-20],
    "no object": lambda _: "[]",
    "a letter of the answer": lambda text: text.replace('"answer":"', '"answer":"!'),
    "a call without its sum": lambda text: json.dumps(json.loads(text)["call"]),
    "another shape": lambda text: changed(text, '"origin"', '"from"'),
    "of a day nobody knows": lambda text: changed(text, '"2026-07-02T00:00:00Z"', "null"),
    "no call": lambda text: changed(text, '"answer"', '"says"'),
    "another's name": lambda text: changed(text, call(1)["id"], call(2)["id"]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_no_entry(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path)
    cache.put(call(1))
    (path,) = tmp_path.glob("??/*.json")
    path.write_text(DAMAGE[damage](path.read_text()))

    assert cache.get(call(1)["id"]) is None
    cache.put(call(1))
    assert cache.get(call(1)["id"]) == call(1)


def test_an_entry_that_cannot_be_read_is_no_entry(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(call(1))
    (path,) = tmp_path.glob("??/*.json")
    path.unlink()
    path.mkdir()

    assert cache.get(call(1)["id"]) is None
    assert list(cache.entries()) == []


def test_a_cache_that_cannot_be_written_is_the_disk_s_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(WorldError, match=r"cannot make .*: Not a directory"):
        Cache(tmp_path / "file").put(call(1))


WRITER = """
import json, sys
from pathlib import Path
from epc.engine.cache import Cache
cache, call = Cache(Path(sys.argv[1])), json.loads(sys.argv[2])
for _ in range(200):
    cache.put(call)
"""


def test_processes_that_write_one_entry_leave_a_whole_one(tmp_path: Path) -> None:
    given = (str(tmp_path), json.dumps(call(1, answer="x" * 5000)))
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, *given], env=environment())
        for _ in range(2)
    ]
    cache, seen = Cache(tmp_path), 0
    while any(writer.poll() is None for writer in writers):
        document = cache.get(call(1)["id"])
        assert document is None or document["answer"] == "x" * 5000
        assert document is not None or not seen
        seen += document is not None

    assert [writer.wait() for writer in writers] == [0, 0]
    assert cache.get(call(1)["id"])
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json"]


def test_reading_r16_a_run_from_the_cache_asks_nothing_and_gives_the_same_bytes(
    tmp_path: Path,
) -> None:
    bare = Told(verdict_of), Told()
    measured(tmp_path / "bare", *bare, seeds=[0, 1])
    first, second = (Told(verdict_of), Told()), (Told(verdict_of), Told())

    cached(tmp_path / "first", *first, tmp_path / "cache", seeds=[0, 1])
    progress = cached(tmp_path / "second", *second, tmp_path / "cache", seeds=[0, 1])

    assert [len(model.asked) for model in first] == [len(model.asked) for model in bare]
    assert [len(model.asked) for model in second] == [0, 0]
    assert progress.from_cache == sum(len(model.asked) for model in first)
    assert progress.calls == 0
    same_files(tmp_path / "bare", tmp_path / "first", (*RAW_FILES, "manifest.json"))
    same_files(tmp_path / "bare", tmp_path / "second", ("trials.jsonl", "weights.jsonl"))
    for row, taken_row in zip(
        read_rows(tmp_path / "first" / "calls.jsonl"),
        read_rows(tmp_path / "second" / "calls.jsonl"),
        strict=True,
    ):
        assert taken_row == {**row, "origin": "cache"}


@pytest.mark.parametrize("pinned", [True, False])
def test_reading_r76_answers_of_other_runs_are_of_pinned_weights_only(
    tmp_path: Path,
    pinned: bool,  # noqa: FBT001  (pytest hands it over by name)
) -> None:
    def models() -> tuple[Told, Told]:
        return Told(verdict_of, pinned=pinned), Told(pinned=pinned)

    first, second = models(), models()
    cached(tmp_path / "first", *first, tmp_path / "cache")
    progress = cached(tmp_path / "second", *second, tmp_path / "cache")

    counts = [len(model.asked) for model in first]
    assert [len(model.asked) for model in second] == ([0, 0] if pinned else counts)
    assert progress.from_cache == (sum(counts) if pinned else 0)
    assert len(list(Cache(tmp_path / "cache").entries())) == progress.from_cache
    origins = {row["origin"] for row in read_rows(tmp_path / "second" / "calls.jsonl")}
    assert origins == ({"cache"} if pinned else {"asked"})


def test_reading_r16_an_entry_that_answers_something_else_is_not_used(tmp_path: Path) -> None:
    cached(tmp_path / "first", Told(verdict_of), Told(), tmp_path / "cache")
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_text(changed(path.read_text(), "Evaluate.", "Judge."))
    evaluator, executor = Told(verdict_of), Told()

    cached(tmp_path / "second", evaluator, executor, tmp_path / "cache")

    assert executor.asked == []
    assert evaluator.asked
    assert validate(tmp_path / "second").findings == []


def test_reading_r16_fresh_answers_are_neither_kept_nor_taken(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for name in ("one", "two"):
        executor = Told()
        cached(tmp_path / name, Told(verdict_of), executor, cache, reuse="none")
        assert len(executor.asked) == 2 * 4 * 4
    assert not cache.exists()


def test_reading_r76_a_hosted_run_asks_whatever_was_asked_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    with serving() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        sitting(tmp_path / "first", HOSTED)
        request_count = len(endpoint.received)
        sitting(tmp_path / "second", HOSTED)
        assert len(endpoint.received) == 2 * request_count
        named = replace(HOSTED, seeds=[0, 1, 2], reuse_answers_of=(tmp_path / "first",))
        sitting(tmp_path / "wider", named)
        wider = read_rows(tmp_path / "wider" / "calls.jsonl")
        assert len(endpoint.received) == 2 * request_count + len(wider) - request_count
        assert not list(answer_cache_folder().rglob("*.json"))
    same_files(tmp_path / "first", tmp_path / "second", ("trials.jsonl", "weights.jsonl"))


def test_reading_r76_reuse_ends_as_one_run_would_wherever_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    named = replace(HOSTED, seeds=[0, 1, 2], reuse_answers_of=(tmp_path / "first",))
    with serving() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        sitting(tmp_path / "first", HOSTED)
        sitting(tmp_path / "whole", named)
        request_count = len(endpoint.received)
        with pytest.raises(StoppedError, match="stopped at --max-calls 5"):
            sitting(tmp_path / "parts", named, limits=Limits(max_calls=5))
        (tmp_path / "first").rename(tmp_path / "gone")  # the run has what it needs
        sitting(tmp_path / "parts")
        again = len(endpoint.received) - request_count

    wider = read_rows(tmp_path / "whole" / "calls.jsonl")
    assert again == len(wider) - len(read_rows(tmp_path / "gone" / "calls.jsonl"))
    same_files(
        tmp_path / "whole", tmp_path / "parts", ("trials.jsonl", "weights.jsonl", "run.json")
    )
    assert {p.name for p in (tmp_path / "parts").iterdir()} == {
        p.name for p in (tmp_path / "whole").iterdir()
    }
    assert not (tmp_path / "whole" / "reusable").exists()


def test_reading_r76_what_cannot_be_reused_is_refused(tmp_path: Path) -> None:
    mocks = asked_for("mock/deterministic", "mock/deterministic", reuse="memo")
    first = tmp_path / "first"
    sitting(first, mocks)

    def refused(request: Request, why: str) -> None:
        with pytest.raises(UsageError, match=why):
            prepare(replace(request, reuse_answers_of=(first,)), now=DAY)

    refused(asked_for("mock/coin-flip", "mock/deterministic"), "a fresh run reuses nothing")
    shorter = {"executor": {"max_tokens": 7}, "evaluator": {"max_tokens": 7}}
    hosted = replace(HOSTED, decoding=shorter)
    refused(hosted, "holds no answer for this run")
    with (first / "calls.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    refused(mocks, "is not as it was measured")
    (first / "calls.jsonl").unlink()
    refused(mocks, "holds no answers: name the run folder")


def test_reading_r76_no_answer_is_taken_over_that_its_own_reply_contradicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    first = Run(folder=tmp_path / "first")
    with serving() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        sitting(first.folder, HOSTED)
    named = replace(HOSTED, reuse_answers_of=(first.folder,))
    assert prepare(named, now=DAY).reusable
    first.edit_row("calls", 3, answer="I was never said.")
    with pytest.raises(MalformedError, match=r"/calls/3/answer.*I was never said"):
        prepare(named, now=DAY)
