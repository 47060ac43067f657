"""Names of figures in words, for texts and pages alike."""

import re
from collections.abc import Mapping
from typing import Final

from epc.analysis.verdicts_names import FIGURES as OBSERVED
from epc.analysis.verdicts_names import LABEL_FIGURES, OF_GOLD

# What a figure is, by how its name begins; the longest beginning counts. What follows it is a
# direction, a domain or a setting, and keeps its own words. The page of comparisons has the same.
FIGURES: Final[Mapping[str, str]] = {
    **{name: described.phrase for name, described in LABEL_FIGURES.items()},
    **{name: phrase for name, (_, phrase) in OF_GOLD.items()},
    **{name: described.phrase for name, described in OBSERVED.items()},
    "alone": "decides alone, with at most this share wrong",
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
    "loop/by_b": "gain on fresh items by another judge",
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


def in_words(name: str) -> str:
    """Return a figure's name in words, with its direction, domain or setting behind a colon."""
    _, phrase, detail = parted(name)
    return f"{phrase}: {detail}" if detail else phrase


def parted(name: str) -> tuple[str, str, str]:
    """Return how a figure's name begins, these words, and its direction, domain or setting."""
    parts = name.split("/")
    for end in range(len(parts), 0, -1):
        if phrase := FIGURES.get(beginning := "/".join(parts[:end])):
            return beginning, phrase, "/".join(map(_plain, parts[end:]))
    return parts[0], _plain(parts[0]).replace("_", " "), ": ".join(parts[1:])


def _plain(part: str) -> str:
    return part.replace("_", " ") if _DIRECTION.fullmatch(part) else part
