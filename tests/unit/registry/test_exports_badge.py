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


def test_a_badge_is_as_wide_as_its_words() -> None:
    """Of 6.6 pixels a letter and 12 beside them: 8 letters have 52.8, and 21 have 138.6."""
    drawn = of_judge(Expiry(id="a", as_of=DAY, note="", status="expired", since=DAY))

    picture = ET.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    drawn_on = [(r.get("x"), r.get("width"), r.get("fill")) for r in picture.iter(f"{space}rect")]
    assert (picture.get("width"), picture.get("height")) == ("216", "20")
    assert drawn_on[-2:] == [(None, "65", "#333333"), ("65", "151", "#a31515")]
    assert [t.get("x") for t in picture.iter(f"{space}text")] == ["32.5", "140.5"]
