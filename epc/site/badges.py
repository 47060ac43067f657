"""An evaluator's badge, as our own picture and as the answer that shields.io draws from.

It states a day and not a state, so that a copy of it that lies in a cache is still true.
"""

from typing import Final
from xml.sax.saxutils import escape, quoteattr

from epc.protocol.results import Json
from epc.site.pages import EvaluatorPage

COLOURS: Final = {
    "current": "#1a6b3c",
    "unconfirmed": "#555555",
    "expiring": "#8a5300",
    "expired": "#a31515",
    "unknown": "#555555",
}
_CHARACTER: Final = 6.6  # pixels of an 11 pixel sans-serif, on average
_SPACE: Final = 12


def words(page: EvaluatorPage) -> tuple[str, str]:
    """Return a badge's message, and the status that colours it."""
    newest = page.newest
    if newest is None:
        return "failed run" if page.failed else "no baseline", "unknown"
    state, version = newest.row.standing.state, newest.row.snapshot.tag.version
    if state.status == "expired":
        return f"{version} expired {state.since}", "expired"
    if state.until:
        return f"{version} until {state.until}", state.status
    return f"{version} no end stated", state.status


def alternative(page: EvaluatorPage) -> str:
    """Return in words what the badge shows."""
    return f"EPC {page.name}: {words(page)[0]}"


def endpoint(page: EvaluatorPage) -> Json:
    """Return the badge as shields.io's endpoint takes it."""
    message, status = words(page)
    return {
        "schemaVersion": 1,
        "label": f"EPC {page.name}",
        "message": message,
        "color": COLOURS[status].removeprefix("#"),
        "cacheSeconds": 3600,
    }


def svg(page: EvaluatorPage) -> str:
    """Return the badge as a picture of our own."""
    message, status = words(page)
    label = f"EPC {page.name}"
    left, right = (round(len(text) * _CHARACTER) + _SPACE for text in (label, message))
    wide = left + right

    def text(content: str, middle: float) -> str:
        return f'<text x="{middle:g}" y="14" text-anchor="middle">{escape(content)}</text>'

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="20" role="img" '
        f"aria-label={quoteattr(alternative(page))}><title>{escape(alternative(page))}</title>"
        f'<clipPath id="r"><rect width="{wide}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#333333"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[status]}"/></g>'
        '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{text(label, left / 2)}{text(message, left + right / 2)}</g></svg>\n"
    )
