"""Copies among tasks, found by their texts alone, without a verdict (Reading R102)."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final

from epc.spec.coupling import COPIES_FOUND, FEWEST_CHECKED
from epc.spec.domains import Domain

ALIKE: Final = 0.6  # share of pairs of words that two texts have in common
_FEWEST_WORDS: Final = 8  # of shorter texts equal ones alone are copies
_WORD: Final = re.compile(r"\w+")


def near_copies(texts: Sequence[str], groups: Sequence[str] | None = None) -> list[tuple[int, int]]:
    """Return the places of tasks of several groups whose texts are the same but for a few words.

    Texts are alike if most of all neighbouring words of either stand in both. Case, marks and white
    space do not matter. Without groups each task is one by itself.

    Source: the resemblance of A. Z. Broder, Compression and Complexity of Sequences (1997), 21-29.
    """
    texts_words = [_split_words(text) for text in texts]
    neighbours = [frozenset(pairwise(text_words)) for text_words in texts_words]
    return [
        (first, second)
        for first, second in combinations(range(len(texts)), 2)
        if groups is None or groups[first] != groups[second]
        if texts_words[first] == texts_words[second]
        or _resemblance(
            texts_words[first], texts_words[second], neighbours[first], neighbours[second]
        )
        >= ALIKE
    ]


def are_declared(groups: Mapping[Domain, Sequence[str]] | None) -> bool:
    """Return whether any group has two tasks: groups of one task each declare nothing."""
    return any(len({*names}) < len(names) for names in (groups or {}).values())


# Reading R102: with few strategies the verdicts of two tasks are often the same by chance.
def unchecked(strategies: int, *, declared: bool, texts: bool) -> bool:
    """Return whether copies among the tasks would not have been found, by verdicts or by texts."""
    return strategies < FEWEST_CHECKED and not declared and not texts


def copies_found(strategies: int) -> float:
    """Return how often the check of verdicts finds copies, with so many strategies.

    Unit:   share of runs in which each of 8 tasks of a domain stands twice.
    """
    return COPIES_FOUND[max(number for number in COPIES_FOUND if number <= max(2, strategies))]


def _split_words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _resemblance(
    first: Sequence[str], second: Sequence[str], left: frozenset[object], right: frozenset[object]
) -> float:
    if min(len(first), len(second)) < _FEWEST_WORDS:
        return 0.0
    return len(left & right) / len(left | right)
