"""Text from anywhere, made to show as text, and its terms as links to the glossary.

The generated pages are Markdown that holds HTML, and pass through a template engine before and a
Markdown reader after; whatever could mean something to any of them becomes a character reference.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup

# Letters, digits and what no reader gives a meaning to inside a line stay as they are.
_SPECIAL: Final = re.compile(
    r"[^A-Za-z0-9 ,;.?%/()\-\u00a1-\ud7ff\uf900-\ufffd\U00010000-\U0010ffff]"
)
# What HTML has no place for, or what makes a text read otherwise than it is written.
_UNSHOWN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_WEB: Final = re.compile(r"https?://[^\s]+")


def as_markup(value: Any) -> Markup:
    """Return a text as one line of markup that shows it, in an element or a quoted attribute.

    Line breaks become spaces; what has no shape of its own becomes U+FFFD.
    """
    return _references(" ".join(str(value).splitlines()))


def verbatim(value: Any) -> Markup:
    """Return a text as markup that shows it with its lines kept, for a `pre` element.

    The line breaks are character references too, so that no line of it begins a line of Markdown.
    """
    return _references("\n".join(str(value).splitlines()))


def _references(text: str) -> Markup:
    visible = _UNSHOWN.sub("\ufffd", text)
    return Markup(_SPECIAL.sub(lambda match: f"&#{ord(match[0])};", visible))  # noqa: S704  (escaped here)


def address(value: Any, *, host: bool = False) -> Markup:
    """Return a text as a link if it is an address on the web, else as text.

    `javascript:` and its like are no addresses here. With `host` its host alone is read.
    """
    text = str(value)
    if not _WEB.fullmatch(text):
        return as_markup(text)
    read = text.split("/")[2] if host else text
    link = Markup('<a href="{}" rel="nofollow noopener">{}</a>')
    return link.format(as_markup(text), as_markup(read))


def finalized(value: Any) -> Any:
    """Return what a template prints for a value: markup as it is, everything else as text."""
    return value if isinstance(value, Markup) else as_markup(value)


# Phrases of our own sentences, and the entries of the glossary that explain them.
TERMS: Final[Mapping[str, str]] = {
    **{name: name for name in ("accuracy", "agreement", "drift", "gateway", "kappa")},
    **{name: name for name in ("cpci", "ece", "evaluator", "executor", "gamma", "jsd", "judge")},
    **{name: name for name in ("margin", "mpci", "pci", "setting", "trust")},
    "agreement with people": "agreement-with-humans",
    "audit": "audit-word",
    "Brier score": "brier",
    "by chance": "chance-share",
    "calibration snapshot": "calibration-snapshot",
    "choices redirected": "redirected-choices",
    "coin flip": "coin-flip",
    "coupling": "coupled",
    "crossing regret": "crossing-regret",
    "loss against no detour": "loss-against-no-detour",
    "domain": "domain",
    "excess coupling": "excess-coupling",
    "failed run": "failed-run",
    "for the domain": "this-domain",
    "for these tasks": "these-tasks",
    "invalid evaluations": "invalid-evaluation",
    "invented quotes": "invented-quote",
    "judge protocol": "judge",
    "noise floor": "noise-floor",
    "place consistency": "place-consistency",
    "planted pairs": "planted-pair",
    "redirects": "redirected-choices",
    "regret": "transfer-regret",
    "repeat consistency": "repeat-consistency",
    "score per doubling": "score-per-doubling",
    "seeds": "seed",
    "settings": "setting",
    "spoilt texts": "planted-pair",
    "strategies": "strategy",
    "tie rate": "tie-rate",
    "ties": "tie",
    "transfer regret": "transfer-regret",
    "trials": "trial",
    "verdicts": "verdict",
    "win rate": "win-rate",
    "zero-coupling rate": "zero-coupling-rate",
}
_ANCHORS: Final = {phrase.lower(): anchor for phrase, anchor in TERMS.items()}
# Not inside a name such as `gpt-judge/2`, whose parts are nobody's terms.
_TERM: Final = re.compile(
    rf"(?<![\w/.&;-])({'|'.join(sorted(TERMS, key=len, reverse=True))})(?![\w/-]|\.\w)",
    re.IGNORECASE,
)


def glossed(text: object, root: str = "../../") -> Markup:
    """Return a text as markup, each term linked to the glossary where it first stands.

    `root` leads from the page to the site's root.
    """
    linked_terms: set[str] = set()

    def linked(match: re.Match[str]) -> str:
        anchor = _ANCHORS[match[0].lower()]
        if anchor in linked_terms:
            return match[0]
        linked_terms.add(anchor)
        return f'<a class="epc-term" href="{root}glossary/#{anchor}">{match[0]}</a>'

    return Markup(_TERM.sub(linked, as_markup(text)))  # noqa: S704  (escaped, then our own links)
