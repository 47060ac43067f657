"""The picture that goes with a link to a judge's page: its name, its state, its figure."""

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape

from epc.registry.exports import COLOURS
from epc.site.pages import EvaluatorPage, Site
from epc.site.profile import LABELS, long_day
from epc.statistics.figures import figure_text

HOME: Final = "assets/cards"
GENERAL: Final = "registry"  # the card of every page without one of its own
_GREY: Final = "#555555"
_LONGEST: Final = 24  # letters of a name at full size
_CARD: Final = """<svg xmlns="http://www.w3.org/2000/svg" width="600" height="315">
<rect width="600" height="315" fill="#fbfaf7"/><rect width="600" height="6" fill="#0b5a6b"/>
<g font-family="Georgia, serif" font-weight="600" fill="#1c2326">
<text x="40" y="60" font-size="20">EPC registry</text>
<text x="40" y="140" font-size="{size}">{title}</text></g>
<g font-family="sans-serif" font-size="24">
<text x="40" y="195" font-weight="600" fill="{colour}">{state}</text>
<text x="40" y="240" fill="#1c2326">{figure}</text></g></svg>"""


def has_card(page: EvaluatorPage) -> bool:
    """Return whether a judge has a card of its own: it was measured, or ends soon."""
    ending = any(platform.standing.state.status == "expiring" for platform in page.platforms)
    return bool(page.snapshots or page.card.quotable.headline or ending)


def cards(site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield the picture of each judge that has one, and the general one."""
    import vl_convert  # slow to load, and only a build draws

    texts = {page.name: _text(page) for page in site.evaluators if has_card(page)}
    texts[GENERAL] = _card("Can you trust your judge?", "", f"{len(site.evaluators):,} LLM judges")
    for name, text in texts.items():
        yield f"{HOME}/{name}.png", vl_convert.svg_to_png(text)


def _text(page: EvaluatorPage) -> str:
    platform = page.chief
    state, colour = "no platform's dates are known", _GREY
    if platform:
        standing = platform.standing.state
        status_texts = {"expired": "ended", "unconfirmed": "not confirmed", "unknown": "unknown"}
        state = status_texts.get(standing.status, "served, no end stated")
        if standing.until:
            word = "ended" if standing.status == "expired" else "served until"
            state = f"{word} {long_day(standing.until)}"
        state, colour = f"{state} ({platform.record.platform})", COLOURS[standing.status]
    figure = page.card.quotable.headline
    text = ""
    if figure and figure.unit == "share":
        share = f"{figure_text(figure.value, figure.ci95, '.0c')}{' †' * bool(figure.marks)}"
        text = f"{LABELS[figure.key]}: {share} of 100, {figure.dated}"
    return _card(page.plain, state, text, colour)


def _card(title: str, state: str, figure: str, colour: str = _GREY) -> str:
    size = round(44 * min(1, _LONGEST / len(title)), 1)
    parts = {"title": title, "state": state, "figure": figure}
    escaped_parts = {name: escape(text) for name, text in parts.items()}
    return _CARD.format(size=size, colour=colour, **escaped_parts)
