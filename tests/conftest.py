"""Fixtures that every test may rely on."""

import gc
import os
import shutil
import signal
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

# As `epc` has it, before anything loads NumPy: workers outnumber processors, and a second thread
# would spin on one that another worker needs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from budget_support import BUDGETS, is_night
from golden_support import REWRITE, Golden, golden_of
from hypothesis import settings
from program_support import every_run_started

from epc.engine.cache import CACHE_VARIABLE, weights_folder

_ALLOCATIONS = 50_000
_SITE = "deployed"  # takes half a minute to build
_LEFT = pytest.StashKey[int]()  # how many tests are left to the night

for name, count in BUDGETS.items():
    settings.register_profile(name, max_examples=count, deadline=None, derandomize=name == "check")
settings.load_profile(os.environ.get("EPC_TEST_BUDGET", "check"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag with which the golden files are written anew."""
    parser.addoption(REWRITE, action="store_true", help="write tests/golden anew")


def pytest_collection_finish() -> None:
    """Look for cyclic garbage seldom: there are a million objects of tests and modules by now."""
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Golden:
    """Hold what was printed against its golden file."""
    return golden_of(pytestconfig)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is tested by night alone, and share the rest out."""
    by_night = [] if is_night() else [i for i in items if i.get_closest_marker("nightly")]
    config.stash[_LEFT] = len(by_night)
    if by_night:
        config.hook.pytest_deselected(items=by_night)
        items[:] = [item for item in items if item.get_closest_marker("nightly") is None]
    _share_out(items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this worker how many tests it left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left"] = session.config.stash[_LEFT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear how many tests a worker left out: all of them leave the same."""
    node.config.stash[_LEFT] = getattr(node, "workeroutput", {}).get("left", 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many tests were left to the night, and how they are run."""
    if count := config.stash.get(_LEFT, 0):
        terminalreporter.write_line(
            f"{count} tests are left to the night: `make night` runs them with all others, "
            "EPC_TEST_BUDGET=nightly before pytest those that are named"
        )


def _share_out(items: list[pytest.Item]) -> None:
    """Give every worker a like share: files of slow tests first, then files of acceptance tests.

    `worksteal` cuts the list into even parts, one for each worker. Left as it is, the list would
    give all that takes long to the first, and the others could only take it over at the end. A file
    goes to one worker, which makes its fixtures once. All tests of the published site are as one
    file: while it is built, the other workers do something else.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    of_site = {i.path for i in items if isinstance(i, pytest.Function) and _SITE in i.fixturenames}
    slow: dict[Path | str, list[pytest.Item]] = {}
    acceptance: dict[Path | str, list[pytest.Item]] = {_SITE: []}
    quick: list[pytest.Item] = []
    for item in items:
        file = _SITE if item.path in of_site else item.path
        if item.get_closest_marker("slow") is not None:
            slow.setdefault(file, []).append(item)
        elif "acceptance" in item.path.parts:
            acceptance.setdefault(file, []).append(item)
        else:
            quick.append(item)
    files = [*slow.values(), *acceptance.values()]
    size = len(items)
    items.clear()
    for worker in range(workers):
        share = [*chain.from_iterable(files[worker::workers])]
        room = (size - len(items)) // (workers - worker) - len(share)
        items += [*share, *quick[: max(room, 0)]]
        del quick[: max(room, 0)]
    items += quick


@pytest.fixture(autouse=True)
def _own_process(request: pytest.FixtureRequest) -> Iterator[None]:
    """Start the program for each run of a test that carries the mark `own_process`."""
    if request.node.get_closest_marker("own_process") is None:
        yield
        return
    with every_run_started():
        yield


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the keys or endpoints of whoever runs it."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def _heard_interrupts() -> None:
    """Programs started here hear Ctrl-C, also where a shell runs the suite in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Have the weights of this machine, and none of its answers."""
    weights, folder = weights_folder(), tmp_path_factory.mktemp("cache")
    (folder / "weights").symlink_to(weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(folder))
        yield folder


@pytest.fixture(autouse=True)
def _no_answers(_cache_of_the_tests: Path) -> None:
    """No test is answered from what another one asked."""
    shutil.rmtree(_cache_of_the_tests / "answers", ignore_errors=True)
