"""Publishing step by step: a second try ends what the first one began, under the same id."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from records_support import Run, make_run
from registry_support import Checkout

from epc.digests import file_sha256, parse_sums
from epc.errors import UsageError
from epc.registry.cards import Said
from epc.registry.locking import RegistryLock, locked
from epc.registry.publishing import offered, publish

DAY = date(2026, 7, 3)
SAID = Said(
    generation="deterministic",
    contributor="A. Name",
    licence="CC-BY-4.0",
    conflicts=None,
    proxy=False,
    replicates=None,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("publishing") / "run", seeds=2, rounds=2)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "registry")


@pytest.fixture
def lock(checkout: Checkout) -> Iterator[RegistryLock]:
    with locked(checkout.folder, tell=print) as held:
        yield held


def published(lock: RegistryLock, run: Run) -> str:
    return str(publish(lock, offered(run.folder, SAID), day=DAY, tell=print, git=False))


def test_a_published_run_has_an_event_that_seals_it_and_its_raw_files_in_the_store(
    lock: RegistryLock, checkout: Checkout, run: Run
) -> None:
    assert published(lock, run) == "v1.0-deterministic"

    folder = checkout.home / "v1.0-deterministic"
    (event,) = checkout.events()
    assert (event["event"], event["date"]) == ("published", "2026-07-03")
    assert event["sha256"] == file_sha256(folder / "SHA256SUMS")
    sums = parse_sums((folder / "SHA256SUMS").read_text()) or {}
    own = {name for name in sums if not name.startswith("raw/")}
    assert {name: file_sha256(folder / name) for name in own} == {name: sums[name] for name in own}
    raw = {entry["path"]: entry["sha256"] for entry in run.manifest()["raw"].values()}
    assert {name.removeprefix("raw/"): sums[name] for name in sums.keys() - own} == raw
    stored = {file_sha256(path) for path in (checkout.home / ".store").rglob("*") if path.is_file()}
    assert set(raw.values()) <= stored


def test_publishing_again_gives_the_same_id_and_tells_no_second_event(
    lock: RegistryLock, checkout: Checkout, run: Run
) -> None:
    first = published(lock, run)

    assert published(lock, run) == first
    assert len(checkout.events()) == 1


def test_a_publication_that_was_cut_short_before_its_event_is_ended(
    lock: RegistryLock, checkout: Checkout, run: Run
) -> None:
    first = published(lock, run)
    (checkout.home / "events.jsonl").unlink()

    assert published(lock, run) == first
    assert [event["tag"] for event in checkout.events()] == [first]


def test_another_run_gets_the_next_id(
    lock: RegistryLock, checkout: Checkout, run: Run, tmp_path: Path
) -> None:
    published(lock, run)
    other = make_run(tmp_path / "other", seeds=2, first=2, rounds=2)

    assert published(lock, other) == "v1.1-deterministic"
    kinds = [(event["tag"], event["event"]) for event in checkout.events()]
    assert ("v1.1-deterministic", "published") in kinds


def test_a_run_without_raw_files_is_not_offered(single: Run) -> None:
    single.without_raw()

    with pytest.raises(UsageError, match="has no raw files"):
        offered(single.folder, SAID)
