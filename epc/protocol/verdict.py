"""Verdict of an evaluator, as one of A, B and tie (EPC-2.6(c), Reading R5)."""

import re
from enum import StrEnum
from typing import Final

from epc.spec.refusals import WITHHELD, refuses

# Not str.splitlines: a vertical tab or U+2028 inside a line is part of the line in most languages.
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_STRIPPED: Final = "\"'`*()[].:"


class Verdict(StrEnum):
    """A: the sampled strategy won. B: the baseline won. TIE: nothing is learnt from the round.

    MISSING is no verdict: a round drew a pair that nobody asked about. Nothing is learnt either,
    but nothing was said (Reading R72).
    """

    A = "A"
    B = "B"
    TIE = "tie"
    MISSING = "missing"

    @property
    def decided(self) -> bool:
        """Return whether the verdict moves a weight."""
        return self in (Verdict.A, Verdict.B)


class AnswerKind(StrEnum):
    """Kind of an evaluator's answer; only A and B move weights, the others are counted."""

    A = "A"
    B = "B"
    UNPARSEABLE = "unparseable"
    REFUSAL = "refusal"


def classify(raw: str, *, finish_reason: str | None = None) -> AnswerKind:
    """Return what kind of answer an evaluator gave.

    A bare A or B by the strict rule, whatever else is true of it. Of the rest a refusal is what
    the provider withheld (`content_filter`, `refusal`) or what says, in one of the ways listed in
    `epc.spec.refusals`, that it will not judge. It is a tie like any unparseable answer; it is
    told apart because an evaluator that refuses half the tasks has another fault than one that
    explains itself.

    Source: EPC-2.6(c); Readings R5 and R37.
    """
    verdict = parse_verdict(raw)
    if verdict.decided:
        return AnswerKind(verdict.value)
    if finish_reason in WITHHELD:
        return AnswerKind.REFUSAL
    return AnswerKind.REFUSAL if refuses(raw) else AnswerKind.UNPARSEABLE


def parse_verdict(raw: str) -> Verdict:
    """Return the verdict that an evaluator's raw text stands for.

    The first line that is not blank, without surrounding white space and the marks that models
    wrap an answer in; a bare letter A or B in either case decides, anything else is a tie. The
    rule is strict on purpose: an English sentence that starts with "A" is no verdict.

    Source: EPC-2.6(c); Reading R5.
    """
    return _LETTERS.get(_word(raw), Verdict.TIE)


def says_tie(raw: str) -> bool:
    """Return whether a text is the bare word `tie`, by the rule for a letter.

    The protocol counts it like an answer that cannot be read; whoever reads the counts is told of
    the two apart.
    """
    return _word(raw).lower() == Verdict.TIE


_LETTERS: Final = {"A": Verdict.A, "a": Verdict.A, "B": Verdict.B, "b": Verdict.B}


def _word(raw: str) -> str:
    """Return the first line that is not blank, bare."""
    return next((_bare(line) for line in _LINE_END.split(raw) if line.strip()), "")


def _bare(line: str) -> str:
    """Strip white space and marks from both ends, in whatever order they are nested."""
    before = None
    while line != before:
        before, line = line, line.strip().strip(_STRIPPED)
    return line
