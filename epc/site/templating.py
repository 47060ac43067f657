"""The generated pages' template engine: it escapes every value that it prints."""

import re
from datetime import date
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from epc.printable import begun
from epc.records.strict_json import dumps_line
from epc.registry.expiry import Expiry
from epc.registry.lifecycles import OPEN_WEIGHTS
from epc.report.coupling_text import MEANING, condition, headline, p_value
from epc.report.figure_names import in_words
from epc.report.judge_card_text import picking, picks
from epc.report.loop_text import starts_sentences
from epc.site import describing, numbers
from epc.site.charts.forest import bar, scale
from epc.site.charts.results import spark
from epc.site.escaping import address, finalized, glossed, verbatim
from epc.site.front import part
from epc.site.pages import Platform, Standing, holds
from epc.site.profile import long_day
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.statistics.figures import interval_text, number_text

_HALF: Final = 183  # days
_DAY: Final = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")  # and not in a model's name
_SERVED: Final = {
    "current": "served",
    "expired": "ended",
    "unconfirmed": "not confirmed",
    "unknown": "unknown",
}
_KINDS: Final = {
    "exact": "the platform's own day",
    "not_before": "not before this day",
    "announced": "somebody else's word, or reserved",
}


@cache
def environment() -> Environment:
    """Return the engine with everything that the templates ask for."""
    templates = Environment(
        loader=PackageLoader("epc.site"),
        autoescape=True,
        finalize=finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {
        "address": address,
        "away": _away,
        "begun": begun,
        "brief": _brief,
        "dated": lambda text: _DAY.sub(_dated, text),
        "figure_words": in_words,
        "glossed": glossed,
        "interval": numbers.interval,
        "long": long_day,
        "json": lambda value: Markup(dumps_line(value).strip()),  # noqa: S704  (of a front matter)
        "judged": lambda audit: list(describing.judged(audit)),
        "part": part,
        "tie_rates": describing.tie_rates,
        "verbatim": verbatim,
        "words": lambda value: str(value).replace("_", " "),
    }
    templates.globals |= {
        "bar": lambda figure, chance: bar(figure.value, figure.ci95, (chance, 1.0)),
        "brief_state": _brief_state,
        "scale": lambda chance: scale((chance, 1.0)),
        "condition": condition,
        "digits": numbers.digits,
        "headline": headline,
        "hundred": numbers.hundred,
        "kinds": _KINDS,
        "starts_sentences": starts_sentences,
        "turns": _turns,
        "lives": _lives,
        "meaning": MEANING,
        "unknown_quality": UNKNOWN_QUALITY,
        "interval_text": interval_text,
        "number": numbers.number,
        "number_text": number_text,
        "p_value": p_value,
        "picking": picking,
        "picks": picks,
        "points": numbers.points,
        "share": numbers.share,
        "signed": numbers.signed,
        "spark": spark,
        "whole": numbers.integer,
    }
    return templates


def _brief(day: date, today: date | None = None) -> str:
    """Return a day in few letters, without its year where it is less than half a year away."""
    near = today is not None and abs((day - today).days) < _HALF
    return f"{day.day} {day:%b}" if near else f"{day.day} {day:%b %Y}"


def _dated(match: re.Match[str]) -> str:
    try:
        return _brief(date.fromisoformat(match[0]))
    except ValueError:  # in somebody's text, and no day
        return match[0]


def _brief_state(platform: Platform, today: date) -> str:
    """Return in a word or two whether a platform serves it, or for how many days it does."""
    state = platform.standing.state
    if word := service_word(state):
        return word
    days = (state.until - today).days if state.until else 0
    return f"{days} {'day' if days == 1 else 'days'}"


def service_word(state: Expiry) -> str:
    """Return whether a platform serves a model; nothing where the days that are left say it."""
    if state.status == "expiring":
        return ""
    return "open weights" if state.platform == OPEN_WEIGHTS else _SERVED[state.status]


def _turns(standing: Standing) -> list[list[str]]:
    """Return what `expiry.js` shows of a state from each day on."""
    return [
        [
            day.isoformat(),
            state.status,
            "" if holds(state) else state.reason or "",
            service_word(state),
            "until" if holds(state) else "since",
        ]
        for day, state in standing.turns
    ]


def _lives(platform: Platform, today: date) -> str:
    """Return what stands before a platform's name where its day follows."""
    state = platform.standing.state
    if state.status == "expired":
        return "Ended at"
    if state.until:
        return "Served until, at"
    return "Served at least until, at" if platform.standing.day(today) else "Served at"


def _away(day: date, today: date) -> str:
    """Return in words how far a day is away."""
    days = (day - today).days
    if not days:
        return "today"
    unit = "day" if abs(days) == 1 else "days"
    return f"in {days} {unit}" if days > 0 else f"{-days} {unit} ago"
