"""Recorded verdicts one by one, as the second computation takes them (Reading R77)."""

from dataclasses import dataclass
from typing import Any, Final

from oracle.observed_sums import Json

from epc.records.observed.columns import Verdicts
from epc.records.observed.types import UNKNOWN

CHOICES: Final = ("a", "b", "tie")
_LONG: Final = 100
_FIELDS: Final = (
    *("item", "setting", "first", "repeat", "gold", "humans", "verdict", "a_score", "b_score"),
    *("question_sha256", "a_sha256", "b_sha256", "a_length", "b_length"),
    *("answer_sha256", "answer_length", "a_by", "b_by", "subset"),
)


@dataclass(slots=True)
class Verdict:
    """One verdict, with its cluster: items of one question that share a candidate."""

    stated: Json
    cluster: object
    said: str | None
    longer: str | None
    answer: str | None

    @property
    def decided(self) -> bool:
        """Whether it names a winner."""
        return self.said in {"a", "b"}

    @property
    def readable(self) -> bool:
        """Whether it says anything."""
        return self.said in CHOICES

    @property
    def asked(self) -> tuple[object, ...]:
        """What was asked, in which order."""
        return self.stated["item"], self.stated["first"]

    @property
    def task(self) -> object:
        """The question, or the item where no question is stated."""
        question = self.stated["question_sha256"]
        return ("item", self.stated["item"]) if question is None else question

    @property
    def score(self) -> float | None:
        """The score of a single candidate."""
        score: float | None = self.stated["a_score"]
        return score if self.stated["b_sha256"] is None else None


def rows_of(verdicts: Verdicts) -> list[Verdict]:
    """Return every verdict of a file."""
    columns = {}
    for name in _FIELDS:
        column = getattr(verdicts, name)
        columns[name] = [column.names[c] if c >= 0 else None for c in column.codes.tolist()]
    stated = [
        dict(zip(_FIELDS, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    above: dict[object, object] = {}
    for row in stated:
        root = _root(above, ("item", row["item"]))
        if None not in (row["question_sha256"], row["a_sha256"], row["b_sha256"]):
            for text in (row["a_sha256"], row["b_sha256"]):
                above[_root(above, (row["question_sha256"], text))] = root
    return [
        Verdict(
            stated=row,
            cluster=_root(above, ("item", row["item"])),
            said=row["verdict"] or _higher(row["a_score"], row["b_score"], "tie"),
            longer=_higher(row["a_length"], row["b_length"], None),
            answer=row["answer_sha256"] if (row["answer_length"] or 0) >= _LONG else None,
        )
        for row in stated
    ]


def _root(above: dict[object, object], one: object) -> object:
    """Return what stands at the top of all that share something with one thing."""
    while (higher := above.setdefault(one, one)) != one:
        above[one] = above[higher]
        one = higher
    return one


def pair_of(row: Verdict) -> object:
    """Return the question with its candidates in any order, or the item where one is unknown."""
    texts = (row.stated["question_sha256"], row.stated["a_sha256"], row.stated["b_sha256"])
    return row.stated["item"] if None in texts else (texts[0], *sorted(texts[1:]))


def _higher(a: float | None, b: float | None, equal: str | None) -> str | None:
    if a is None or b is None:
        return None
    return equal if a == b else "a" if a > b else "b"


def alike(settings: Any) -> list[list[str]]:
    """Return the names that stand for one judge, one known prompt, one decoding and one date."""
    groups: list[tuple[Any, list[str]]] = []
    for name, each in sorted(settings.items()):
        known = each.prompt.sha256 != UNKNOWN
        own = (each.judge, each.prompt.sha256, each.decoding, each.date, each.note)
        key = own if known else name
        for other, names in groups:
            if other == key:
                names.append(name)
                break
        else:
            groups.append((key, [name]))
    return [names for _, names in groups]
