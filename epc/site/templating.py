"""The generated pages' template engine: it escapes every value that it prints."""

from datetime import date
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from epc.records.strict_json import dumps_line
from epc.registry.kinds.loop import reports_of
from epc.report.coupling_text import MEANING, condition, headline, p_value
from epc.report.loop_text import starts_sentences
from epc.site import describing, numbers
from epc.site.charts.sparkline import spark
from epc.site.escaping import address, finalized, verbatim
from epc.site.wording import glossed, in_words
from epc.spec.coupling import UNKNOWN_QUALITY

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
        "figure_words": in_words,
        "glossed": glossed,
        "interval": numbers.interval,
        "json": lambda value: Markup(dumps_line(value).strip()),  # noqa: S704  (of a front matter)
        "judged": lambda audit: list(describing.judged(audit)),
        "tie_rates": describing.tie_rates,
        "verbatim": verbatim,
        "words": lambda value: str(value).replace("_", " "),
    }
    templates.globals |= {
        "condition": condition,
        "digits": numbers.digits,
        "headline": headline,
        "kinds": _KINDS,
        "loop_sentences": lambda snapshot: starts_sentences(reports_of(snapshot)),
        "starts_sentences": starts_sentences,
        "meaning": MEANING,
        "unknown_quality": UNKNOWN_QUALITY,
        "number": numbers.number,
        "p_value": p_value,
        "points": numbers.points,
        "share": numbers.share,
        "signed": numbers.signed,
        "spark": spark,
        "whole": numbers.whole,
    }
    return templates


def _away(day: date, today: date) -> str:
    """Return in words how far a day is away."""
    days = (day - today).days
    if not days:
        return "today"
    unit = "day" if abs(days) == 1 else "days"
    return f"in {days} {unit}" if days > 0 else f"{-days} {unit} ago"
