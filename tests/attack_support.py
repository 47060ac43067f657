"""The attack corpus: a test that is an attack says so by a mark, `attack(kind)`.

`tests/attacks/index.py` collects them into the table of `tests/attacks/README.md`.
"""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

KINDS = {
    "execution": "something of the submission runs",
    "outside": "it reads or writes outside its own folder",
    "rendering": "its text becomes active where it is shown",
    "publication": "something is published that is not so, or in another's name",
    "bounds": "it takes time or memory without bound",
    "injection": "its text acts on a log or a terminal",
}


def attack(kind: str) -> pytest.MarkDecorator:
    """Mark a test, or a case of one, as an attack."""
    assert kind in KINDS, kind
    return pytest.mark.attack(kind)


def attacks(cases: Iterable[str], kind: str, **others: Collection[str]) -> list[Any]:
    """Return a test's cases with their kinds: `kind`, where they are not among the `others`."""
    named = {name: other_name for other_name, names in others.items() for name in names}
    cases = list(cases)
    assert named.keys() <= set(cases), named.keys() - set(cases)
    return [pytest.param(name, marks=attack(named.get(name, kind))) for name in cases]
