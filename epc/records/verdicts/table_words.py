"""Labels of a row in our words: by the user's words, authors' names, ours, or places."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epc.records.verdicts.aliases import (
    FIRST,
    HUMANS,
    SWAPPED,
    VERDICT,
)
from epc.records.verdicts.coded import opposite
from epc.records.verdicts.verdict_words import (
    MISSING,
    NO_ANSWER,
    PASSES,
    PLACES,
    SIDES,
    TIE,
    UNREADABLE,
    bare,
)

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "first": ("a", "b"),
    "verdict": ("a", "b", TIE, UNREADABLE),
    "gold": ("a", "b", TIE),
    "humans": ("a", "b", TIE),
}
_FALSE: Final = frozenset(("false", "0", "no"))


class UnfitError(Exception):
    """A cell cannot be used, so its row is left out."""


def _ours(kind: str) -> Mapping[str, str]:
    return PASSES if kind == "pass" else SIDES


def people_words(kind: str) -> Collection[str]:
    """Return the words that people's labels of a kind may be without an explanation."""
    return {*_ours(kind), *_WORDS[HUMANS]}


def words_for(name: str, kind: str) -> str:
    """Return the words that a label of a field can mean, as a hint lists them."""
    sides = ["pass", "fail"] if kind == "pass" else ["a", "b"]
    places = [*PLACES] if name == VERDICT and kind != "pass" else []
    return f"{', '.join([*sides, TIE, *places])} or {UNREADABLE}"


def is_word(word: str, kind: str) -> bool:
    """Return whether a label can mean this word."""
    return word in {*_ours(kind), *_WORDS[VERDICT], *PLACES, *NO_ANSWER}


def apart(cell: str, vocabulary: Collection[str]) -> list[str]:
    """Return the labels of a cell: apart by semicolons, or by blanks where all are known."""
    text = cell.strip()
    if not text or any(label in vocabulary for label in (text, text.lower(), bare(text))):
        return [text]
    parts = [part.strip() for part in text.split(";") if part.strip()]
    split = [
        word for part in parts for word in ([part] if part.lower() in vocabulary else part.split())
    ]
    return split if all(word.lower() in vocabulary for word in split) else parts


@dataclass(frozen=True, slots=True, kw_only=True)
class RowWords:
    """How the labels of a row are read: the user's words, authors' names, ours, places."""

    kind: str
    labels: Mapping[str, Mapping[str, str]]
    titles: Mapping[str, str]
    people: Sequence[str]
    sides: Mapping[str, str]
    order: str | None

    @property
    def ours(self) -> Mapping[str, str]:
        """Return our words for the labels of this kind."""
        return _ours(self.kind)

    def of(self, row: Sequence[tuple[str, str]]) -> dict[str, Any] | str:
        """Return the fields of a row, or why it cannot be used."""
        try:
            return self._of(row)
        except UnfitError as error:
            return str(error)

    def _of(self, row: Sequence[tuple[str, str]]) -> dict[str, Any]:
        cells = dict(row)
        by = [cells[f"{side}_by"].strip() for side in "ab" if cells.get(f"{side}_by", "").strip()]
        authors = dict(zip(by, "ab", strict=False)) if len({*by}) == len("ab") else {}
        fields: dict[str, Any] = {} if self.order is None else {"first": self.order}
        if "first" in cells:
            side = self._word("first", self.titles[FIRST], cells[FIRST], authors, None)
            fields |= {"first": side} if side else {}
        elif "swapped" in cells and cells[SWAPPED].strip():
            fields[FIRST] = "a" if cells[SWAPPED].strip().lower() in _FALSE else "b"
        first = fields.get(FIRST)
        for name in ("verdict", "gold"):
            if name in cells:
                word = self._word(name, self.titles[name], cells[name], authors, first)
                fields |= {name: word} if word else {}
        people = [cell for name, cell in row if name == "humans"]
        titles = [*self.people] or [""] * len(people)
        labels = [
            word
            for title, cell in zip(titles, people, strict=True)
            for part in self._apart(title, cell)
            if (word := self._word("humans", title, part, authors, first))
        ]
        return fields | ({"humans": tuple(labels)} if labels else {})

    def _apart(self, title: str, cell: str) -> list[str]:
        """Return the labels of a cell of people's."""
        return apart(cell, {*self.labels.get(title, {}), *people_words(self.kind)})

    def _word(
        self, name: str, title: str, cell: str, authors: Mapping[str, str], first: str | None
    ) -> str | None:
        text = cell.strip()
        label = self.labels.get(title, {}).get(text.lower())
        if label in PLACES and name != "verdict":
            label = None  # a place is what a judge was shown, not what people or gold say
        if label is not None:
            meaning = self.ours.get(label, label)
        elif not text or (name != "verdict" and text.lower() in MISSING):
            return None
        elif name == "first" and text in self.sides:
            return self.sides[text]
        else:
            ours = self.ours.get(text.lower()) or self.ours.get(bare(text), bare(text))
            meaning = authors.get(text, ours)
        if meaning in PLACES:
            if first is None:
                raise UnfitError(
                    f"name a place ({text!r} in {title}), and nothing says who stood there"
                )
            meaning = first if meaning == PLACES[0] else opposite(first)
        if meaning in _WORDS[name]:
            return meaning
        if meaning in NO_ANSWER or meaning == UNREADABLE:
            return UNREADABLE if name == "verdict" else None
        raise UnfitError(
            f"have {text!r} in {title}, which is no label: --label {text!r}=WORD says what it "
            f"means; WORD is {words_for(name, self.kind)}"
        )
