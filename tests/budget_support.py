"""How many examples a property of the tests is tried on.

Every night on all of them, and on others than the night before; in `make check` and `make fast` on
a twentieth, always the same, so that nothing is refused for what another change would meet, too.
"""

from typing import Final

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
