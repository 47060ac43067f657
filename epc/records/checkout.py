"""Programs of a checkout: each runs in a process of its own, and an installed package has none."""

import subprocess
import sys
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from epc.errors import WorldError

ROOT: Final = Path(__file__).parents[2]
T = TypeVar("T")


def answer(folder: Path, module: str, question: object, kind: type[T]) -> T:
    """Return what a module of a folder answers to a question, both in JSON.

    Raises: WorldError if it fails.
    """
    done = subprocess.run(  # noqa: S603  (our own interpreter, a module of the checkout)
        [sys.executable, "-m", module],
        cwd=folder,
        input=msgspec.json.encode(question),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise WorldError(f"{module} failed: {done.stderr.decode(errors='replace')[-500:]}")
    return msgspec.json.decode(done.stdout, type=kind)
