"""Agreement pair by pair is that of all verdicts at once, and only what is new is worked out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
from observed_support import SETTING, columns, verdict
from registry_support import Checkout, generation_record, life_record

from epc.analysis.ballots import Ballot, BallotDigest, ballots, merged
from epc.analysis.succession import Agreed
from epc.records.observed.converting import digest
from epc.records.observed.cutting import rows_of
from epc.records.observed.types import Judge, SourceFile
from epc.records.observed.writing import write
from epc.registry.agreeing import agreed_by_pairs, agreed_of
from epc.registry.cards import Said
from epc.registry.kept_ballots import Kept
from epc.registry.locking import locked
from epc.registry.observed import cut_to
from epc.registry.publishing import offered, publish
from epc.registry.reading import of_folder
from epc.registry.recall import Later
from epc.registry.subjects import subject

T = TypeVar("T")
DAY = date(2026, 4, 1)


class Memory:
    """What remembers results, and the first word of what each that it worked out follows from."""

    def __init__(self) -> None:
        self.worked: list[str] = []
        self._kept: dict[tuple[str, ...], object] = {}

    def recall(self, kind: type[T], inputs: Sequence[str], work: Callable[[], T], /) -> Later[T]:
        def found() -> T:
            key = (str(kind), *inputs)
            if key not in self._kept:
                self.worked.append(inputs[0])
                self._kept[key] = work()
            return cast("T", self._kept[key])

        return Later(inputs, found)


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "registry")
    for name in ("old-1", "new-1", "new-2"):
        made.evaluator(generation_record(name, life_record(model=name)))
    return made


def record(made: Checkout, source: str, judge: str, verdicts: str) -> None:
    """Publish what a judge said in a source: of each item `a`, `b` or a tie, in both orders."""
    name = f"{judge}/p"
    setting = replace(SETTING, judge=Judge(name=judge, model=judge, platform="unknown"))
    words = {"a": "a", "b": "b", "t": "tie"}
    lines = [
        verdict(f"{i}", first, words[word], setting=name, question_sha256=digest(f"{source[0]}{i}"))
        for i, word in enumerate(verdicts)
        for first in ("a", "b")
    ]
    header, read = columns(*lines)
    own = replace(header.source, name=source[0], repository="https://s.example/v", licence="MIT")
    header = replace(
        header,
        source=replace(own, commit=digest(source)[:40]),
        files={"f": SourceFile(path="f", sha256="0" * 64)},
        settings={name: setting},
    )
    folder = made.folder / "offers" / f"{source}-{judge}"
    folder.mkdir(parents=True)
    write(folder / "verdicts.jsonl", header, rows_of(read))
    said: dict[str, Any] = {"licence": "CC-BY-4.0", "conflicts": None, "proxy": False}
    said |= {"generation": judge, "contributor": "A. Name", "replicates": None}
    part = cut_to(folder / "verdicts.jsonl", judge, folder / "part")
    with locked(made.folder, tell=print) as lock:
        publish(lock, offered(part, Said(**said)), day=DAY, tell=print, git=False)


def agreement(made: Checkout, memory: Memory) -> Agreed:
    """Return the agreement with old-1, pair by pair, which is that of all verdicts at once."""
    registry = of_folder(made.folder)
    who, kept = subject(registry, "old-1"), Kept.of(registry, str(made.folder))
    at_once = agreed_of(registry, who, [*kept.beside(who)])
    by_pairs = agreed_by_pairs(Kept.of(registry, str(made.folder)), who, memory.recall)
    assert by_pairs == at_once
    return by_pairs


def test_what_another_file_adds_is_worked_out_and_nothing_else(made: Checkout) -> None:
    """Of the first source's 4 items new-1 says 3 alike; in the second, of 2 none."""
    record(made, "x", "old-1", "aabt")
    record(made, "x", "new-1", "aabb")
    memory = Memory()

    first = agreement(made, memory)

    assert first.recorded == 4
    assert [(each.model, each.alike.value) for each in first.agreements] == [("new-1", 0.75)]
    assert sorted(memory.worked) == ["ballots", "items", "pair"]

    memory.worked.clear()
    assert agreement(made, memory) == first
    assert memory.worked == []

    record(made, "y", "old-1", "ab")
    record(made, "y", "new-2", "ba")

    second = agreement(made, memory)

    assert second.recorded == 6
    assert {each.model: each.alike.value for each in second.agreements} == {
        "new-1": 0.75,
        "new-2": 0,
    }
    # One more source; old-1 says more now, so that both pairs of it are other ones.
    assert sorted(memory.worked) == ["ballots", "items", "pair", "pair"]


def test_what_is_said_again_in_another_commit_of_a_source_is_compared_no_more(
    made: Checkout,
) -> None:
    record(made, "x", "old-1", "aabt")
    record(made, "x", "new-1", "aabb")
    memory = Memory()
    first = agreement(made, memory)
    memory.worked.clear()
    record(made, "x again", "old-1", "aabt")

    assert agreement(made, memory) == first
    assert memory.worked == ["ballots"] * 2  # of the new commit, and of what is left of the old one


def ballot(*lines: dict[str, Any]) -> Ballot:
    (made,) = ballots(*columns(*lines))
    return made


def test_a_ballot_that_says_the_same_as_another_counts_once() -> None:
    """A judge said a, then b, then a again of an item: the mean of two, not of three."""
    one, two = (ballot(verdict("1", "a", w, question_sha256=digest("1"))) for w in ("a", "b"))

    (whole,) = merged([one, two, one])

    assert [said.saying for said in whole.said.values()] == [(0.5, 0.5, 0)]


def test_the_digest_of_a_ballot_is_of_what_it_says_in_its_order() -> None:
    one, two = (verdict(i, "a", "a", question_sha256=digest(i)) for i in ("1", "2"))
    digests = [BallotDigest.of(ballot(*lines)) for lines in ([one, two], [two, one], [one], [one])]

    assert [each.name for each in digests] == ["one"] * 4
    assert len({each.sha256 for each in digests}) == 3
    assert digests[2] == digests[3]
