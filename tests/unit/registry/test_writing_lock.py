"""The lock that the registry is written under: whoever comes second waits; nothing is left."""

import threading
from pathlib import Path

import pytest
from registry_support import Checkout, unheard

from epc.errors import WorldError
from epc.registry.layout import POLICY
from epc.registry.writing import locked


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "registry")


def test_the_second_is_told_once_and_waits_for_the_first(checkout: Checkout) -> None:
    texts: list[str] = []

    def second() -> None:
        with locked(checkout.folder, progress=texts.append):
            texts.append("done")

    with locked(checkout.folder, progress=unheard):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.3)
        assert texts == [f"another process is writing to {checkout.home}; waiting until it is done"]
    thread.join()

    assert texts[1:] == ["done"]


def test_it_is_free_again_after_a_failure_and_leaves_no_file(checkout: Checkout) -> None:
    with pytest.raises(KeyError), locked(checkout.folder, progress=unheard):
        raise KeyError

    with locked(checkout.folder, progress=unheard) as lock:
        assert (lock.checkout, lock.home) == (checkout.folder, checkout.home)
    assert [path.name for path in checkout.home.iterdir()] == ["evaluators"]


def test_never_two_at_once(checkout: Checkout) -> None:
    """A count that loses steps as soon as two come to read it at the same time."""
    count = checkout.home / "count"
    count.write_text("0")

    def step() -> None:
        for _ in range(20):
            with locked(checkout.folder, progress=unheard):
                count.write_text(str(int(count.read_text()) + 1))

    threads = [threading.Thread(target=step) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert count.read_text() == "120"


def test_a_registry_that_cannot_be_locked_is_named(checkout: Checkout) -> None:
    (checkout.folder / POLICY).unlink()

    with (
        pytest.raises(WorldError, match=r"cannot lock .*params\.yaml"),
        locked(checkout.folder, progress=unheard),
    ):
        pass
