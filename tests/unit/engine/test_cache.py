"""Answers kept across runs (Reading R16): for good from pinned weights, for a day from others."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
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
    same_files,
    sitting,
    verdict_of,
)

from epc.engine.budget import Limits
from epc.engine.cache import Cache
from epc.engine.calls import Progress
from epc.engine.places import answer_cache_folder
from epc.errors import WorldError
from epc.records.validate import validate

TODAY, TOMORROW = "2026-07-02", "2026-07-03"
HOSTED = asked_for("openai/judge", "openai/writer", reuse="memo")


def cached(folder: Path, evaluator: Told, executor: Told, cache: Path, **given: Any) -> Progress:
    progress = Progress()
    kept = Cache(cache, today=given.pop("today", TODAY))
    measured(folder, evaluator, executor, cache=kept, progress=progress, **given)
    return progress


def test_an_answer_is_found_under_its_own_name_only(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "answers", today=TODAY)
    cache.put(call(1, answer="zwei\nZeilen ü"))

    assert cache.get(call(1)["id"], pinned=True) == call(1, answer="zwei\nZeilen ü")
    assert cache.get(call(2)["id"], pinned=True) is None
    assert Cache(tmp_path / "none", today=TODAY).get(call(1)["id"], pinned=True) is None


def test_a_hosted_answer_holds_for_the_day_it_was_given_and_a_pinned_one_for_good(
    tmp_path: Path,
) -> None:
    Cache(tmp_path, today=TODAY).put(call(1))

    held = [
        Cache(tmp_path, today=day).get(call(1)["id"], pinned=pinned) is not None
        for day in (TODAY, TOMORROW)
        for pinned in (True, False)
    ]

    assert held == [True, True, True, False]


DAMAGE: dict[str, Callable[[str], str]] = {
    "empty": lambda _: "",
    "torn": lambda text: text[:-20],
    "no object": lambda _: "[]",
    "another shape": lambda text: text.replace('"day"', '"date"'),
    "no call": lambda text: text.replace('"answer"', '"says"'),
    "another's name": lambda text: text.replace(call(1)["id"], call(2)["id"]),
    "a key twice": lambda text: text.replace('"day"', '"day": "x", "day"'),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_no_entry(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path, today=TODAY)
    cache.put(call(1))
    (path,) = tmp_path.glob("??/*.json")
    path.write_text(DAMAGE[damage](path.read_text()))

    assert cache.get(call(1)["id"], pinned=True) is None
    cache.put(call(1))
    assert cache.get(call(1)["id"], pinned=True) == call(1)


def test_an_entry_that_cannot_be_read_is_no_entry(tmp_path: Path) -> None:
    cache = Cache(tmp_path, today=TODAY)
    cache.put(call(1))
    (path,) = tmp_path.glob("??/*.json")
    path.unlink()
    path.mkdir()

    assert cache.get(call(1)["id"], pinned=True) is None
    assert list(cache.entries()) == []


def test_a_cache_that_cannot_be_written_is_the_disk_s_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(WorldError, match=r"cannot make .*: Not a directory"):
        Cache(tmp_path / "file", today=TODAY).put(call(1))


def test_a_cache_is_listed_sized_and_cleared(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "answers", today=TODAY)
    assert (list(cache.entries()), cache.clear()) == ([], 0)
    for number in range(5):
        cache.put(call(number))

    entries = list(cache.entries())
    assert [entry.call["id"] for entry in entries] == sorted(call(n)["id"] for n in range(5))
    assert {entry.day for entry in entries} == {TODAY}
    on_disk = sum(path.stat().st_size for path in (tmp_path / "answers").rglob("*.json"))
    assert sum(entry.size for entry in entries) == on_disk
    assert cache.clear() == 5
    assert list(cache.entries()) == []


WRITER = """
import json, sys
from pathlib import Path
from epc.engine.cache import Cache
cache, call = Cache(Path(sys.argv[1]), today="2026-07-02"), json.loads(sys.argv[2])
for _ in range(200):
    cache.put(call)
"""


def test_processes_that_write_one_entry_leave_a_whole_one(tmp_path: Path) -> None:
    given = (str(tmp_path), json.dumps(call(1, answer="x" * 5000)))
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, *given], env=environment())
        for _ in range(2)
    ]
    cache, seen = Cache(tmp_path, today=TODAY), 0
    while any(writer.poll() is None for writer in writers):
        found = cache.get(call(1)["id"], pinned=True)
        assert found is None or found["answer"] == "x" * 5000
        assert found is not None or not seen
        seen += found is not None

    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen
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
    assert progress.asked == 0
    for name in ("first", "second"):
        same_files(tmp_path / "bare", tmp_path / name, (*RAW_FILES, "manifest.json"))


@pytest.mark.parametrize(("pinned", "again"), [(True, False), (False, True)])
def test_reading_r16_yesterday_s_answers_are_of_pinned_weights_only(
    tmp_path: Path,
    pinned: bool,  # noqa: FBT001  (pytest hands it over by name)
    again: bool,  # noqa: FBT001  (pytest hands it over by name)
) -> None:
    def models() -> tuple[Told, Told]:
        return Told(verdict_of, pinned=pinned), Told(pinned=pinned)

    first, second = models(), models()
    cached(tmp_path / "first", *first, tmp_path / "cache")
    cached(tmp_path / "second", *second, tmp_path / "cache", today=TOMORROW)

    asked = [len(model.asked) for model in first]
    assert [len(model.asked) for model in second] == (asked if again else [0, 0])


def test_reading_r16_an_entry_that_answers_something_else_is_not_used(tmp_path: Path) -> None:
    cached(tmp_path / "first", Told(verdict_of), Told(), tmp_path / "cache")
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_text(path.read_text().replace("Evaluate.", "Judge."))
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


def test_a_second_hosted_run_of_the_day_asks_the_server_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    with serving() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        sitting(tmp_path / "first", HOSTED)
        asked = len(endpoint.received)
        sitting(tmp_path / "second", HOSTED, now=DAY + timedelta(hours=23))
        assert len(endpoint.received) == asked
        sitting(tmp_path / "wider", replace(HOSTED, seeds=[0, 1, 2]))
        assert max(endpoint.prompts.values()) == 1
        asked_wider = len(endpoint.received)

        sitting(tmp_path / "tomorrow", HOSTED, now=DAY + timedelta(days=1))
        assert len(endpoint.received) == asked_wider + asked
        sitting(tmp_path / "without", HOSTED, limits=Limits(cache=False))
        assert len(endpoint.received) == asked_wider + 2 * asked
        assert len(list(answer_cache_folder().rglob("*.json"))) == asked_wider
    for name in ("second", "tomorrow", "without"):
        same_files(tmp_path / "first", tmp_path / name, ("trials.jsonl", "weights.jsonl"))
