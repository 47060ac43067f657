"""An evaluator's badge: until when its baseline holds.

It states a day and not a state, so that a copy of it that lies in a cache is still true.
"""

from epc.registry import badge
from epc.site.pages import EvaluatorPage


def _words(page: EvaluatorPage) -> tuple[str, str]:
    """Return a badge's message, and the status that colours it."""
    newest = page.newest
    if newest is None:
        return "failed run", "unknown"
    state, version = newest.row.standing.state, newest.row.snapshot.tag.version
    if state.status == "expired":
        return f"{version} expired {state.since}", "expired"
    if state.until:
        return f"{version} until {state.until}", state.status
    return f"{version} no end stated", state.status


def alternative(page: EvaluatorPage) -> str:
    """Return in words what the badge shows."""
    return f"EPC {page.name}: {_words(page)[0]}"


def svg(page: EvaluatorPage) -> str:
    """Return the badge as a picture."""
    message, status = _words(page)
    return badge.svg(f"EPC {page.name}", message, status, alternative(page))
