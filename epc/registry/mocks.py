"""Under which names mocks are published: a fixed list, so that none passes for a model.

Pure.
"""

import re
from typing import Final

from epc.registry.registry import Registry

# The name that each is offered under, by what stands after `mock/`; a script may say which it is.
_NAMES: Final = {
    "careless-judge": "CarelessJudge",
    "coin-flip": "CoinFlip",
    "deterministic": "deterministic",
    "judge": "DigestJudge",
    "scripted": "Scripted",
}
_FIXED: Final = re.compile(rf"{'|'.join(_NAMES.values())}|AlwaysA|Scripted(-[A-Za-z0-9.]+)+")


def named(mock: str, registry: Registry) -> str:
    """Return the name under which a mock is offered: the one it was published under, or its own."""
    for snapshot in registry.snapshots.values():
        if snapshot.calibration and snapshot.model == mock:
            return snapshot.tag.generation
    return _NAMES.get(mock.partition(":")[0], mock)


def misnamed(mock: str, generation: str, registry: Registry) -> str:
    """Say why a mock cannot be published under a name; empty if it can."""
    if not _FIXED.fullmatch(generation):
        names = ", ".join(sorted((*_NAMES.values(), "AlwaysA", "Scripted-...")))
        return f"mock/{mock} is a mock, and no {generation}: mocks are named {names}"
    mocks = (s for s in registry.snapshots.values() if s.calibration)
    others = {s.model for s in mocks if s.tag.generation == generation}
    if others - {mock}:
        return f"{generation} is mock/{', mock/'.join(sorted(others))}, and no mock/{mock}"
    return ""
