"""Rules as evaluators: a word count, a readability formula, a sentiment lexicon.

Nobody would take one of them for a person, and none of them knows the task. They are baselines
whose preference is known beforehand: what the protocol says of them can be held against that.
"""

import hashlib
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError
from epc.extras import install, require

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_SENTENCE_END: Final = re.compile(r"[.!?]+(?=\s|$)")
_VOWELS: Final = re.compile(r"[aeiouy]+")
VADER: Final = {
    "vaderSentiment.py": "25cd814d23000b41c0e242d99960832c6620b3f1b844469173404500ce63206b",
    "vader_lexicon.txt": "1ec9c6e9ee19aade328f8beb393a6afa71a5bb3acf7d3cc22d4ef568df374bf5",
    "emoji_utf8_lexicon.txt": "b8d54223ae1ce22a3e12c1f745316b71678c328eb5f5d3063a842f37cfbe2823",
}


class WordCount:
    """The longer answer wins, by its words."""

    unit = "words"
    version = "1"
    details: dict[str, object] = {}  # noqa: RUF012  (the protocol asks for a plain dict)

    def __call__(self, task: str, answer: str) -> float:  # noqa: ARG002  (a rule knows no task)
        """Return the number of words: runs of letters and digits, joined by ' and -."""
        return float(len(_words(answer)))


class FleschReadingEase:
    """The answer that is easier to read wins, by Flesch's formula for English."""

    unit = "Flesch reading ease"
    version = "1"
    details: dict[str, object] = {  # noqa: RUF012  (the protocol asks for a plain dict)
        "formula": "206.835 - 1.015 words/sentences - 84.6 syllables/words"
    }

    def __call__(self, task: str, answer: str) -> float:  # noqa: ARG002  (a rule knows no task)
        """Return the reading ease; about 100 is very easy, 0 very hard, and no end is a bound.

        Source: R. Flesch, "A new readability yardstick", Journal of Applied Psychology 32 (1948).
        """
        words = _words(answer)
        if not words:
            return 0.0
        ends = [match.end() for match in _SENTENCE_END.finditer(answer)]
        rest = answer[ends[-1] if ends else 0 :]  # a sentence that the cut at 300 left open counts
        sentences = len(ends) + bool(_words(rest))
        syllables = sum(map(_syllables, words))
        return 206.835 - 1.015 * len(words) / sentences - 84.6 * syllables / len(words)


class VaderSentiment:
    """The answer of the more positive sentiment wins, by VADER's lexicon and rules for English.

    Source: C. J. Hutto and E. Gilbert, "VADER", ICWSM (2014); package vaderSentiment (MIT).
    """

    unit = "VADER compound"

    def __init__(self) -> None:
        self._analyzer = _vader()
        self.version = f"vaderSentiment {version('vaderSentiment')}"
        self.details: dict[str, object] = {
            "files": [{"file": name, "sha256": digest} for name, digest in VADER.items()],
            "licence": "MIT",
        }

    def __call__(self, task: str, answer: str) -> float:  # noqa: ARG002  (a rule knows no task)
        """Return the compound score, from -1 to 1."""
        return float(self._analyzer.polarity_scores(answer)["compound"])


def sentiment_missing() -> str | None:
    """Return how to get the sentiment rules, or None if they are here."""
    return install("local") if find_spec("vaderSentiment") is None else None


def _vader() -> Any:
    """Return VADER's analyzer, once its code and lexicons are those that a record can name.

    Raises: MissingExtraError if it is not installed; UsageError if it is of another version.
    """
    if sentiment_missing() is not None:
        require("local")
    spec = find_spec("vaderSentiment.vaderSentiment")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    for name, digest in VADER.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            file = f"{name} of vaderSentiment {version('vaderSentiment')}"
            raise UsageError(
                f"{file} is not the file that is known here ({digest[:12]}...)\n"
                f"  fix: {install('local')}"
            )
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _syllables(word: str) -> int:
    """Return about how many syllables an English word has: groups of vowels, no silent e."""
    folded = word.casefold()
    groups = len(_VOWELS.findall(folded))
    silent = folded.endswith("e") and not folded.endswith(("le", "ee", "ye"))
    return max(1, groups - silent)
