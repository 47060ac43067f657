"""Kinds of quotes: whether one stands in the evaluated output, else what it is (JUDGE-4.4)."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from epc.json_text import storable
from epc.judge.reply import Json, items
from epc.spec.judge_v1 import (
    ABSENCES,
    DASHES,
    ELLIPSES,
    EVIDENCE_KEYS,
    KINDS,
    LEAST_CHARACTERS,
    LEAST_WORDS,
    QUOTATION_MARKS,
    RULES,
    Kind,
    Rules,
)

_ONE_SPELLING: Final = str.maketrans(
    {mark: plain for plain, marks in QUOTATION_MARKS.items() for mark in marks}
    | dict.fromkeys(DASHES, "-")
)
_DOTS: Final = "..."
_ELLIPSES: Final = re.compile("|".join((*map(re.escape, ELLIPSES), r"\.{4,}")))
# [3], [^3], [3, 5-7], what search tools put into their answers, and what other brackets hold.
_CITATIONS: Final = re.compile(
    "\\[\\^?\\d+(?:\\s*[,;-]\\s*\\d+)*\\]|\u3010[^\u3011]*\u3011|\ue200[^\ue201]*\ue201"
)
_LINKS: Final = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_LINE_STARTS: Final = re.compile(r"^[ \t]*(?:[-+*>]|#{1,6}|\u2022)[ \t]+", re.MULTILINE)
_MARKUP: Final = re.compile(r"[*_`~#|\\]|</?[A-Za-z][^<>]*>")
_BEFORE_STOPS: Final = re.compile(r" (?=[.,;:!?])")
# A word is a run of letters and digits; in scripts that do not part words, a character.
_WORDS: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff]+"
)
_BRACKETED: Final = re.compile(r"[\[(]\s*\.\.\.\s*[\])]")
_AROUND: Final = "[](){}<>\"'.,:;!- "
_MOST_QUOTES: Final = 12  # of a reply, that are shown or taken out to test its judge
_LONGEST_QUOTE: Final = 600


def fold(text: str, rules: Rules = RULES) -> str:
    """Return a text with every stretch of white space as one space, and one spelling of marks.

    White space is what Unicode calls so; quotation marks become straight, dashes a hyphen,
    ellipses three dots, and letters with accents are composed. Nothing else may differ: letters,
    case and other punctuation count (Reading R22).
    """
    if rules > 1:
        text = _ELLIPSES.sub(_DOTS, text)
    if not text.isascii():
        text = text.translate(_ONE_SPELLING)
        if rules > 1:
            text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


def _loose(text: str) -> str:
    """Return a text without markup, links' addresses and citation marks, in one Unicode form."""
    text = _LINE_STARTS.sub("", unicodedata.normalize("NFKC", text))
    text = _MARKUP.sub("", _LINKS.sub(r"\1", _CITATIONS.sub("", text.translate(_ONE_SPELLING))))
    return _BEFORE_STOPS.sub("", fold(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotes:
    """How many quotes a reply gives, and what they are (Reading R25).

    Under the first rules blank quotes are not counted, `invented` are those that the output does
    not hold under Reading R22, and nothing else is known. Under later rules the kinds add up.
    """

    given: int
    invented: int
    verbatim: int | None = None
    altered: int | None = None
    elided: int | None = None
    absence: int | None = None
    trivial: int | None = None

    @classmethod
    def from_kinds(cls, kinds: Iterable[Kind]) -> "Quotes":
        """Return the counts of some quotes' kinds."""
        counts = Counter(kinds)
        return cls(given=counts.total(), **{kind: counts[kind] for kind in KINDS})


@dataclass(frozen=True)
class Output:
    """An evaluated output, folded once for all the quotes that are looked up in it.

    `rules` is the version of Reading R22's rules under which its evaluations are checked.
    """

    text: str
    rules: Rules = RULES

    @cached_property
    def _folded(self) -> str:
        return fold(self.text, self.rules)

    @cached_property
    def _loosely(self) -> str:
        return _loose(self.text)

    def holds(self, quote: str) -> bool:
        """Return whether a quote that is not blank stands in the output (Reading R22)."""
        # What is copied is found, even where a quote ends within what is folded into one.
        return fold(quote, self.rules) in self._folded or quote in self.text

    # Reading R25: the first that fits counts, in this order; a trivial quote is counted apart.
    def kind(self, quote: str) -> Kind:
        """Return what a quote is. A blank one says that there is nothing to quote."""
        phrase = fold(quote).casefold().strip(_AROUND)
        absent = not quote.strip() or phrase in ABSENCES
        if not absent and sum(map(str.isalnum, quote)) < LEAST_CHARACTERS:
            return "trivial"
        if quote.strip() and quote in self.text:
            return "verbatim"
        loosely = _loose(quote)
        # What is all markup and marks leaves nothing to be found.
        if len(_tokens(loosely)) and loosely in self._loosely:
            return "altered"
        if self._holds_pieces(loosely):
            return "elided"
        return "absence" if absent else "invented"

    def _holds_pieces(self, loosely: str) -> bool:
        """Return whether what stands between ellipses is found in order."""
        pieces = [piece.strip() for piece in _BRACKETED.sub(_DOTS, loosely).split(_DOTS)]
        long = [piece for piece in pieces if len(_tokens(piece)) >= LEAST_WORDS]
        position = 0
        for piece in long:
            position = self._loosely.find(piece, position)
            if position < 0:
                return False
            position += len(piece)
        return len(pieces) > 1 and bool(long)


def _tokens(text: str) -> list[str]:
    return _WORDS.findall(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A piece of evidence: what it is about, the quote, what kind of quote that is, the reason."""

    dimension: str
    quote: str
    kind: Kind
    reason: str


def quotations(reply: Json, output: Output) -> Iterator[Quotation]:
    """Yield the evidence of a reply as far as it has the form of evidence."""
    for item in islice(items(reply, "evidence"), _MOST_QUOTES):
        if isinstance(item, dict):
            texts = [item.get(key) for key in EVIDENCE_KEYS]
            dimension, quote, reason = (text if isinstance(text, str) else "" for text in texts)
            cut = (storable(text[:_LONGEST_QUOTE]) for text in (dimension, quote, reason))
            yield Quotation(**dict(zip(EVIDENCE_KEYS, cut, strict=True)), kind=output.kind(quote))
