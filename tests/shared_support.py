"""What is costly to make is made once a run: by the worker that needs it first, for all of them.

Nobody changes it afterwards. A test that would takes a copy.
"""

import fcntl
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """Return what `make` made in an empty folder, in whichever process; others wait meanwhile."""
    base = factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    home.mkdir(exist_ok=True)
    with (home / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept_folder = home / f"{name}.pickle"
        if not kept_folder.exists():
            shutil.rmtree(home / name, ignore_errors=True)  # of a worker that failed or was killed
            (home / name).mkdir()
            kept_folder.write_bytes(pickle.dumps(make(home / name)))
    made: T = pickle.loads(kept_folder.read_bytes())  # noqa: S301  (written above, in this run)
    return made
