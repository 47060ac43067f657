"""What an evaluator said, as one of A, B and tie (EPC-2.6(c), Reading R5)."""

import re
from enum import StrEnum
from typing import Final

# Not str.splitlines: a vertical tab or U+2028 inside a line is part of the line in most languages.
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_STRIPPED: Final = "\"'`*()[].:"


class Verdict(StrEnum):
    """A: the sampled strategy won. B: the baseline won. TIE: nothing is learnt from the round."""

    A = "A"
    B = "B"
    TIE = "tie"

    @property
    def decided(self) -> bool:
        """Whether the verdict moves a weight."""
        return self is not Verdict.TIE


def parse_verdict(raw: str) -> Verdict:
    """Return the verdict that an evaluator's raw text stands for.

    The first line that is not blank, without surrounding white space and the marks that models
    wrap an answer in; a bare letter A or B in either case decides, anything else is a tie. The
    rule is strict on purpose: an English sentence that starts with "A" is no verdict.

    Source: EPC-2.6(c); Reading R5.
    """
    for line in _LINE_END.split(raw):
        if line.strip():
            return _LETTERS.get(_bare(line), Verdict.TIE)
    return Verdict.TIE


_LETTERS: Final = {"A": Verdict.A, "a": Verdict.A, "B": Verdict.B, "b": Verdict.B}


def _bare(line: str) -> str:
    """Strip white space and marks from both ends, in whatever order they are nested."""
    before = None
    while line != before:
        before, line = line, line.strip().strip(_STRIPPED)
    return line
