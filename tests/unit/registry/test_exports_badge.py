"""A judge's badge: it states a day, which stays true in a copy."""

from datetime import date
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from epc.registry.expiry import Expiry
from epc.registry.exports import of_judge

DAY = date(2026, 11, 26)
END = date(2027, 1, 14)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"status": "current"}, "no end stated on 2026-11-26"),
        ({"status": "current", "until": END}, "served until 2027-01-14"),
        ({"status": "expiring", "until": END}, "served until 2027-01-14"),
        ({"status": "current", "not_before": END}, "served until 2027-01-14 at the least"),
        ({"status": "expired", "since": DAY, "until": DAY}, "gone since 2026-11-26"),
        ({"status": "unconfirmed"}, "not known on 2026-11-26"),
        ({"status": "unknown"}, "not known on 2026-11-26"),
    ],
)
def test_a_badge_states_a_day_and_no_state(state: dict[str, Any], message: str) -> None:
    drawn = of_judge(Expiry(id="openai/a<b", as_of=DAY, note="", **state))

    picture = ET.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    assert [text.text for text in picture.iter(f"{space}text")] == ["judge: openai/a<b", message]
    assert picture.findtext(f"{space}title") == f"judge: openai/a<b, {message}"
