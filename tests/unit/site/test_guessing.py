"""Addresses that people type, and what stands at them."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.site.guessing import _PLAIN, Alias, _best, _leading


def page(name: str) -> Any:
    return SimpleNamespace(name=name, platforms=())


def test_a_name_means_what_it_means_best_each_evaluator_once() -> None:
    one, other = page("One"), page("Two")

    own, alias, elsewhere = (False, False), (True, False), (False, True)
    assert _best([(alias, one), (own, other), (own, other)]) == (other,)
    assert _best([(elsewhere, one), (own, other)]) == (other,)
    assert _best([(alias, one), (alias, other)]) == (one, other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-4o", True),
        ("gpt-4o:free", True),
        ("openai/gpt-4o", False),
        ("x" * 120, True),
        ("x" * 121, False),
        (".hidden", False),
        ("a/../b", False),
        ("page.json", False),
        ("ends.", False),
    ],
)
def test_a_plain_name_is_a_harmless_part_of_an_address(name: str, *, expected: bool) -> None:
    assert bool(_PLAIN.fullmatch(name)) == expected


@pytest.mark.parametrize(
    ("names", "address", "leads", "canonical"),
    [
        (["One"], "https://x/", True, True),
        (["One"], "", True, False),
        (["One", "Two"], "https://x/", False, False),
    ],
)
def test_a_page_leads_on_where_one_is_meant_and_names_its_address_if_it_knows_it(
    names: list[str], address: str, *, leads: bool, canonical: bool
) -> None:
    site: Any = SimpleNamespace(address=address)

    text = _leading(site, Alias(place="gpt", means=tuple(map(page, names))))

    assert ('content="0; url=../One/"' in text) == leads
    assert ('<link rel="canonical" href="https://x/evaluators/One/">' in text) == canonical
    assert all(f'<a href="../{name}/">' in text for name in names)
