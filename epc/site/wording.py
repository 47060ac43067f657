"""Names of figures in words, and the terms in them that the glossary explains."""

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from epc.analysis.observed_names import FIGURES as OBSERVED
from epc.site.escaping import shown

# What a figure is, by how its name begins; the longest beginning counts. What follows it is a
# direction, a domain or a setting, and keeps its own words. The page of comparisons has the same.
FIGURES: Final[Mapping[str, str]] = {
    **{name: described.words for name, described in OBSERVED.items()},
    "brier": "Brier score",
    "competence/detected": "spoilt texts detected",
    "competence/kinds": "planted pairs scored as expected",
    "competence/shifts": "shift of the score with",
    "control/excess": "excess coupling",
    "control/noise_floor": "noise floor of gamma",
    "cpci": "CPCI, how far the weights of the domains lie apart",
    "dimensions": "mean score",
    "ece": "ECE",
    "gamma": "gamma",
    "invalid": "invalid evaluations",
    "invented_quotes": "invented quotes",
    "jsd": "JSD",
    "loop/believed": "gain that the judge reported",
    "loop/by_b": "gain on fresh items by judge B",
    "loop/fresh": "gain on fresh items",
    "loop/gold": "gain by gold, share of right answers",
    "loop/luck": "reported gain less that on fresh items",
    "mpci": "MPCI, PCI on average plus CPCI",
    "overall_score": "overall score, 0 to 8",
    "pci": "PCI, how unequal the weights are",
    "quotes": "quotes of the kind",
    "tie_rate": "tie rate",
    "tie_rate_by_phase": "tie rate",
    "transfer/chance": "choices redirected by chance",
    "transfer/crossing": "crossing regret",
    "transfer/harm": "loss against no detour",
    "transfer/redirected": "choices redirected, for the domain",
    "transfer/regret": "transfer regret, for the domain",
    "transfer/these_tasks/redirected": "choices redirected, for these tasks",
    "transfer/these_tasks/regret": "transfer regret, for these tasks",
    "verdict": "share of valid evaluations",
    "zero_coupling_rate": "zero-coupling rate",
}
_DIRECTION: Final = re.compile(r"[a-z0-9_-]+_to_[a-z0-9_-]+")
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


def in_words(name: str) -> str:
    """Return a figure's name in words, with its direction, domain or setting behind a colon."""
    parts = name.split("/")
    for end in range(len(parts), 0, -1):
        if words := FIGURES.get("/".join(parts[:end])):
            return ": ".join((words, *filter(None, ["/".join(map(_plain, parts[end:]))])))
    return _plain(parts[0]).replace("_", " ") + "".join(f": {part}" for part in parts[1:])


def _plain(part: str) -> str:
    return part.replace("_", " ") if _DIRECTION.fullmatch(part) else part


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
