"""The words of `epc scan --fail-on`."""

import pytest

from epc.errors import UsageError
from epc.registry.scan.files import WORDS, Rule


@pytest.mark.parametrize("text", [*WORDS, "expiring:0d", "expiring:30d"])
def test_a_rule_is_written_as_it_was_read(text: str) -> None:
    assert str(Rule.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "Expired", "expiring:", "expiring:-1d", "expiring:30", "stale"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no rule"):
        Rule.parse(text)
