"""The terms in our sentences that the glossary explains, as links."""

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from epc.site.escaping import shown

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
    seen: set[str] = set()

    def linked(match: re.Match[str]) -> str:
        anchor = _ANCHORS[match[0].lower()]
        if anchor in seen:
            return match[0]
        seen.add(anchor)
        return f'<a class="epc-term" href="{root}glossary/#{anchor}">{match[0]}</a>'

    return Markup(_TERM.sub(linked, shown(text)))  # noqa: S704  (escaped, then our own links)
