"""Whether a quote stands in the evaluated output (JUDGE-4.4)."""

from dataclasses import dataclass
from typing import Final

from epc.spec.judge_v1 import DASHES, QUOTATION_MARKS

_ONE_SPELLING: Final = str.maketrans(
    {mark: plain for plain, marks in QUOTATION_MARKS.items() for mark in marks}
    | dict.fromkeys(DASHES, "-")
)


def fold(text: str) -> str:
    """Return a text with every stretch of white space as one space, and one spelling of marks.

    White space is what Unicode calls so; quotation marks become straight, dashes a hyphen. Nothing
    else may differ: letters, case and punctuation count (Reading R22).
    """
    if not text.isascii():
        text = text.translate(_ONE_SPELLING)
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Output:
    """An evaluated output, folded once for all the quotes that are looked up in it."""

    folded: str

    @classmethod
    def of(cls, text: str) -> "Output":
        """Return an output that quotes can be looked up in."""
        return cls(fold(text))

    def holds(self, quote: str) -> bool:
        """Return whether a quote that is not blank stands in the output."""
        return fold(quote) in self.folded
