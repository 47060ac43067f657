"""A result is kept while all that it follows from is the same, and while it is whole."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from epc.analysis.observed_figures import Figure
from epc.registry.data import File
from epc.site import evidence_cache
from epc.site.result_cache import ResultCache

FOUND = {"alike": Figure(value=0.1 + 0.2, ci95=(0.25, 1 / 3), n=7, items=5)}
KIND = dict[str, Figure]


@pytest.fixture
def renewed() -> Iterator[None]:
    """Let the program be digested again, and afterwards once more."""
    evidence_cache.program.cache_clear()
    yield
    evidence_cache.program.cache_clear()


def never() -> dict[str, Figure]:
    raise AssertionError("it was worked out again")


def test_what_was_kept_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "kept")

    first = cache.recall(KIND, ["a", "b"], lambda: FOUND).value

    assert first == FOUND
    assert cache.recall(KIND, ["a", "b"], never).value == FOUND
    assert ResultCache(tmp_path / "kept").recall(KIND, ["a", "b"], never).value == FOUND


@pytest.mark.parametrize("given", [["a"], ["a", "c"], ["ab"], ["b", "a"], []])
def test_another_source_finds_nothing(tmp_path: Path, given: list[str]) -> None:
    cache = ResultCache(tmp_path)
    assert cache.recall(KIND, ["a", "b"], lambda: FOUND).value == FOUND

    with pytest.raises(AssertionError, match="worked out again"):
        assert cache.recall(KIND, given, never).value == FOUND


@pytest.mark.usefixtures("renewed")
def test_another_program_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ResultCache(tmp_path)
    assert cache.recall(KIND, ["a"], lambda: FOUND).value == FOUND
    monkeypatch.setattr("epc.site.result_cache.program", lambda: "another")

    with pytest.raises(AssertionError, match="worked out again"):
        assert cache.recall(KIND, ["a"], never).value == FOUND


@pytest.mark.parametrize("damage", [b"", b"\xff\n", b"{}"])
def test_what_was_damaged_is_worked_out_again(tmp_path: Path, damage: bytes) -> None:
    cache = ResultCache(tmp_path)
    assert cache.recall(KIND, ["a"], lambda: FOUND).value == FOUND
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes().replace(b"0.25", b"0.35") if damage == b"{}" else damage)

    assert cache.recall(KIND, ["a"], dict).value == {}


def test_what_a_build_did_not_ask_for_is_thrown_away(tmp_path: Path) -> None:
    before = ResultCache(tmp_path)
    assert before.recall(KIND, ["a"], lambda: FOUND).value == FOUND
    assert before.recall(KIND, ["b"], lambda: FOUND).value == FOUND
    now = ResultCache(tmp_path)
    now.recall(KIND, ["b"], never)  # whether anybody looks at it or not

    now.tidy()

    assert now.recall(KIND, ["b"], never).value == FOUND
    with pytest.raises(AssertionError, match="worked out again"):
        assert now.recall(KIND, ["a"], never).value


def test_work_that_fails_leaves_nothing(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)

    with pytest.raises(AssertionError):
        assert cache.recall(KIND, ["a"], never).value

    assert list(tmp_path.iterdir()) == []


def test_a_file_is_made_once_and_again_only_where_it_was_damaged(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_bytes(b"a table")

    def kept() -> File:
        return ResultCache(tmp_path / "kept").file(["a"], tmp_path, make).value

    for _ in range(2):
        assert kept().path.read_bytes() == b"a table"
    assert kept().sha256 == sha256(b"a table").hexdigest()
    assert len(made) == 1

    made[0].write_bytes(b"a tablet")
    assert kept().path.read_bytes() == b"a table"
    assert len(made) == 2

    cache = ResultCache(tmp_path / "kept")
    cache.file(["a"], tmp_path, make)
    cache.tidy()
    assert made[0].is_file()
    ResultCache(tmp_path / "kept").tidy()
    assert not made[0].exists()


def test_a_file_whose_making_failed_is_made_again(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError("no space")

    def make(path: Path) -> None:
        path.write_bytes(b"whole")

    cache = ResultCache(tmp_path / "kept")
    with pytest.raises(OSError, match="no space"):
        assert cache.file(["a"], tmp_path, fail).value
    file = cache.file(["a"], tmp_path, make).value

    assert file.path.read_bytes() == b"whole"
