"""A badge as a picture of our own: what it is of, and what is said of it.

It states a day and not a state, so that a copy of it that lies somewhere is still true.
"""

from typing import Final
from xml.sax.saxutils import escape, quoteattr

from epc.registry.expiry import Expiry

COLOURS: Final = {
    "current": "#1a6b3c",
    "unconfirmed": "#555555",
    "expiring": "#8a5300",
    "expired": "#a31515",
    "unknown": "#555555",
}
_CHARACTER: Final = 6.6  # pixels of an 11 pixel sans-serif, on average
_SPACE: Final = 12


def of_judge(state: Expiry) -> str:
    """Return the badge of a judge for a README: until when it is served."""
    message = f"not known on {state.as_of}"
    if state.status == "expired":
        message = f"gone since {state.since}"
    elif state.status != "unknown" and (end := state.until or state.not_before):
        message = f"served until {end}" + (" at the least" if not state.until else "")
    elif state.status == "current":
        message = f"no end stated on {state.as_of}"
    label = f"judge: {state.id}"
    return svg(label, message, state.status, f"{label}, {message}")


def svg(label: str, message: str, status: str, alternative: str) -> str:
    """Return a badge, coloured by a status; `alternative` says in words what it shows."""
    left, right = (round(len(text) * _CHARACTER) + _SPACE for text in (label, message))
    wide = left + right

    def text(content: str, middle: float) -> str:
        return f'<text x="{middle:g}" y="14" text-anchor="middle">{escape(content)}</text>'

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="20" role="img" '
        f"aria-label={quoteattr(alternative)}><title>{escape(alternative)}</title>"
        f'<clipPath id="r"><rect width="{wide}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#333333"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[status]}"/></g>'
        '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{text(label, left / 2)}{text(message, left + right / 2)}</g></svg>\n"
    )
