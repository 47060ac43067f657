"""What the generated pages' templates can ask for: days, states and values in few words."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import UndefinedError

from epc.site.templating import _away, _brief, _brief_state, _lives, environment
from epc.statistics.figures import Figure

TODAY = date(2026, 11, 26)


def rendered_template(template: str, **values: Any) -> str:
    return environment().from_string(template).render(**values)


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2026, 11, 26), "today"),
        (date(2026, 11, 27), "in 1 day"),
        (date(2026, 11, 28), "in 2 days"),
        (date(2026, 11, 25), "1 day ago"),
        (date(2026, 11, 24), "2 days ago"),
    ],
)
def test_a_day_is_so_many_days_away(day: date, words: str) -> None:
    assert _away(day, TODAY) == words


def test_a_year_is_written_from_half_a_year_on() -> None:
    assert _brief(date(2027, 5, 27), TODAY) == "27 May"  # 182 days
    assert _brief(date(2027, 5, 28), TODAY) == "28 May 2027"
    assert _brief(date(2026, 5, 28), TODAY) == "28 May"
    assert _brief(date(2026, 5, 27), TODAY) == "27 May 2026"
    assert _brief(date(2026, 11, 7)) == "7 Nov 2026"


def platform(name: str = "p", day: date | None = None, **state: Any) -> Any:
    service_state = {"status": "current", "until": None, "platform": name} | state
    return SimpleNamespace(
        record=SimpleNamespace(platform=name),
        standing=SimpleNamespace(state=SimpleNamespace(**service_state), day=lambda _: day),
    )


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"status": "expiring", "until": date(2026, 11, 27)}, "1 day"),
        ({"status": "expiring", "until": date(2026, 12, 26)}, "30 days"),
        ({"status": "current", "until": date(2026, 12, 26)}, "served"),
        ({"status": "unknown", "name": "open-weights"}, "open weights"),
        ({"status": "expired"}, "ended"),
        ({"status": "unconfirmed"}, "not confirmed"),
    ],
)
def test_a_platform_s_state_is_a_word_or_the_days_that_are_left(
    state: dict[str, Any], words: str
) -> None:
    assert _brief_state(platform(**state), TODAY) == words


def test_what_stands_before_a_platform_s_name_fits_the_day_behind_it() -> None:
    day = date(2027, 1, 1)

    assert _lives(platform(status="expired", until=day), TODAY) == "Ended at"
    assert _lives(platform(until=day), TODAY) == "Served until, at"
    assert _lives(platform(day=day), TODAY) == "Served at least until, at"
    assert _lives(platform(), TODAY) == "Served at"


def test_a_day_in_a_text_is_written_short_and_a_model_s_name_stays() -> None:
    text = "2026-03-07, gpt-2026-03-07 and 2026-02-31"

    assert (
        rendered_template("{{ text | dated }}", text=text)
        == "7 Mar 2026, gpt-2026-03-07 and 2026-02-31"
    )
    assert rendered_template("{{ day | long }}", day=TODAY) == "26 November 2026"
    assert rendered_template("{{ day | away(today) }}", day=TODAY, today=TODAY) == "today"


def test_every_value_is_escaped_and_a_missing_one_is_an_error() -> None:
    assert "<" not in rendered_template("{{ text }}", text="<b>").replace("&lt;", "")
    with pytest.raises(UndefinedError):
        rendered_template("{{ nothing }}")


def test_a_block_s_line_leaves_no_line_and_the_last_newline_stays() -> None:
    assert rendered_template("a\n  {% if yes %}\nb\n  {% endif %}\nc\n", yes=True) == "a\nb\nc\n"


def test_words_are_parted_and_figures_drawn_between_chance_and_all() -> None:
    assert rendered_template("{{ 'a_b' | words }}") == "a b"
    half = Figure(value=0.625, ci95=(0.25, 1.0))
    assert 'x1="2.0%" x2="50.0%"' in rendered_template("{{ bar(half, 0.25) }}", half=half)
    assert 'x="98.0%" y="12">100<' in rendered_template("{{ scale(0.25) }}")
