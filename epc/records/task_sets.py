"""The task sets that this package brings, read from its data."""

from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from epc.spec.task_set import TaskSet

Name = Literal["reference-64"]


@cache
def task_set(name: Name) -> TaskSet:
    """Return one of this package's task sets.

    Source: EPC-2.4(c), which lets researchers bring their own tasks.
    """
    path = files("epc.spec") / "designs" / f"{name}.json"
    return msgspec.json.decode(path.read_bytes(), type=TaskSet)
