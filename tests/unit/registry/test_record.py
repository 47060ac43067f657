"""When a record was measured, and where recorded verdicts stand in public."""

import pytest
from registry_support import card

from epc.registry.kinds.table import parse_card
from epc.registry.record import Origin


def test_a_record_is_of_its_first_and_last_day_and_of_one_where_both_are_the_same() -> None:
    several = parse_card(card(first="2026-01-05", last="2026-01-07"))
    record = parse_card(card(first="2026-01-05"))

    assert (str(several.first_day), str(several.last_day)) == ("2026-01-05", "2026-01-07")
    assert several.days == "2026-01-05 to 2026-01-07"
    assert record.days == "2026-01-05"
    assert several.by == "a test"
    assert parse_card(card() | {"login": "a-test"}).by == "a test (a-test on GitHub)"


@pytest.mark.parametrize(
    ("repository", "commit", "lines"),
    [
        ("https://x/y", "0abc", "git clone https://x/y CLONE\ngit -C CLONE checkout 0abc\n"),
        ("unknown", "0abc", ""),
        ("https://x/y", "unknown", ""),
    ],
)
def test_a_source_is_cloned_where_it_is_stated_what_to_get(
    repository: str, commit: str, lines: str
) -> None:
    assert Origin(name="s", repository=repository, commit=commit).clone == lines
