"""The calendar that we write is what `icalendar`, another's program, reads."""

from dataclasses import replace
from datetime import date

import pytest
from icalendar import Calendar

from epc.registry.expiry import Expiry
from epc.registry.exports import calendar

ESCAPED, TAB = r"\u{0007}", r"\u{0009}"
NOTE = "é" * 60 + ' a \\ and a "quote";\nthe next\tline, as it is: \x07'


def state(until: date | None) -> Expiry:
    return Expiry(
        id="judge;1,2",
        status="expiring",
        reason="retired",
        since=None,
        until=until,
        source="https://maker.example/ends?a=b;c,d",
        as_of=date(2026, 11, 23),
        platform="maker",
        note=NOTE,
        revision=3,
    )


def test_rfc_5545_text_dates_and_folded_lines_are_read_as_they_were_meant() -> None:
    calendar_text = calendar([state(date(2027, 1, 14)), state(None)])

    (entry,) = Calendar.from_ical(calendar_text).walk("VEVENT")
    assert entry["SUMMARY"] == "judge;1,2 expires"
    assert entry["UID"] == "judge;1,2.maker@epc-registry"
    assert entry["DESCRIPTION"] == (
        f"{NOTE.replace(chr(7), ESCAPED).replace(chr(9), TAB)}\nsource: https://maker.example/ends?a=b;c,d"
    )
    assert (entry.decoded("DTSTART"), entry["SEQUENCE"]) == (date(2027, 1, 14), 3)
    assert entry.decoded("DTSTAMP").isoformat() == "2026-11-23T00:00:00+00:00"
    assert max(len(line.encode()) for line in calendar_text.split("\r\n")) == 75
    assert calendar_text.count("\n") == calendar_text.count("\r\n")


def test_reading_r98_a_day_not_before_which_nothing_ends_is_entered_as_what_it_is() -> None:
    kept_service_state = replace(state(None), status="current", not_before=date(2027, 7, 24))
    both_service_states = replace(state(date(2027, 1, 14)), not_before=date(2027, 7, 24))

    first, second = Calendar.from_ical(calendar([kept_service_state, both_service_states])).walk(
        "VEVENT"
    )

    assert first["SUMMARY"] == (
        "judge;1,2 is served until 2027-07-24 at the least: look whether it still is"
    )
    assert first.decoded("DTSTART") == date(2027, 7, 24)
    assert first["UID"] == second["UID"]  # a subscriber sees it move once an end is stated
    assert second.decoded("DTSTART") == date(2027, 1, 14)


def test_rfc_5545_no_entry_where_nothing_ends() -> None:
    assert "VEVENT" not in calendar([state(None)])
    assert Calendar.from_ical(calendar([])).calendar_name == "EPC expiry"


def test_rfc_5545_what_is_not_seen_is_spelt_out_as_in_the_text() -> None:
    """Controls of the second kind, and what turns the direction of a line."""
    odd = replace(state(date(2027, 1, 14)), id="judge\u202e1\x85", note="a\u2066b\u200bc")

    (entry,) = Calendar.from_ical(calendar([odd])).walk("VEVENT")

    assert entry["SUMMARY"] == r"judge\u{202e}1\u{0085} expires"
    assert str(entry["DESCRIPTION"]).startswith(r"a\u{2066}b\u{200b}c" + "\nsource: ")


@pytest.mark.parametrize(
    ("letters", "lines"),
    [
        (58, ["SUMMARY:" + "a" * 58 + " expires"]),
        (59, ["SUMMARY:" + "a" * 59 + " expire", " s"]),
        (133, ["SUMMARY:" + "a" * 66, " " + "a" * 67 + " expire", " s"]),
    ],
)
def test_rfc_5545_a_line_has_74_octets_and_the_next_ones_a_space_before_as_many(
    letters: int, lines: list[str]
) -> None:
    made = calendar([replace(state(date(2027, 1, 14)), id="a" * letters)]).split("\r\n")

    first = next(n for n, line in enumerate(made) if line.startswith("SUMMARY"))
    assert made[first : first + len(lines)] == lines
    assert made[first + len(lines)].startswith("DTSTART")


def test_a_calendar_is_called_as_it_is_named_and_an_entry_as_its_judge() -> None:
    bare = replace(state(date(2027, 1, 14)), platform=None)

    mine = calendar([bare], name="EPC: my judges").split("\r\n")

    assert mine[:6] == [
        *("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//EPC registry//epc expiry//EN"),
        *("NAME:EPC: my judges", "X-WR-CALNAME:EPC: my judges", "UID:my%20judges@epc-registry"),
    ]
    assert r"UID:judge\;1\,2@epc-registry" in mine
    assert "TRANSP:TRANSPARENT" in mine
    assert mine[-3:] == ["END:VEVENT", "END:VCALENDAR", ""]
