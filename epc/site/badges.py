"""An evaluator's badge, as our own picture and as the answer that shields.io draws from.

It states a day and not a state, so that a copy of it that lies in a cache is still true.
"""

from epc.protocol.results import Json
from epc.registry import badge
from epc.site.pages import EvaluatorPage


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
        "color": badge.COLOURS[status].removeprefix("#"),
        "cacheSeconds": 3600,
    }


def svg(page: EvaluatorPage) -> str:
    """Return the badge as a picture of our own."""
    message, status = words(page)
    return badge.svg(f"EPC {page.name}", message, status, alternative(page))
