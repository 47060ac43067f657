"""What the tests try by day, and what is left to the night.

Every night a property is tried on all of its examples, and on others than the night before; in
`make check` and `make fast` on a twentieth, always the same, so that nothing is refused for what
another change would meet, too. A test with the mark `nightly` runs every night alone: it repeats at
length what a quicker test, which the mark names, does in `make check`.
"""

from collections.abc import Iterable
from typing import Any, Final

import pytest
from hypothesis import settings

# Examples by the name of the budget, for a property that names no number of its own.
BUDGETS: Final = {"nightly": 200, "check": 10}


def is_night() -> bool:
    """Return whether all is tried that costs much and rarely breaks."""
    assert settings.default is not None
    return settings.default.max_examples >= BUDGETS["nightly"]


def examples(nightly: int) -> int:
    """Return how many examples to try now, of so many in a night."""
    assert settings.default is not None
    return max(5, nightly * settings.default.max_examples // BUDGETS["nightly"])


def by_night(values: Iterable[object]) -> list[Any]:
    """Return values of a test's parameters that are left to the night; others run by day."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.nightly)
        for value in values
    ]
