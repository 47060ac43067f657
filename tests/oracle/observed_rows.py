"""Recorded verdicts one by one, as the second computation takes them (Reading R77)."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from oracle.observed_sums import Json

from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.types import UNKNOWN

CHOICES: Final = ("a", "b", "tie")
_LONG: Final = 100
_FIELDS: Final = (
    *("item", "setting", "first", "repeat", "gold", "humans", "verdict", "a_score", "b_score"),
    "human_score",
    *("question_sha256", "a_sha256", "b_sha256", "a_length", "b_length"),
    *("answer_sha256", "answer_length", "a_by", "b_by", "subset", "confidence", "candidates"),
    "group",
    *("scores", "picked", "order", "right", "input_tokens", "output_tokens"),
)


@dataclass(slots=True)
class Verdict:
    """A verdict; `rank` is its question's place among those of the file."""

    stated: Json
    rank: int
    said: str | None
    longer: str | None
    answer: str | None

    @property
    def decided(self) -> bool:
        """Return whether it names a winner."""
        return self.said in {"a", "b"}

    @property
    def readable(self) -> bool:
        """Return whether it says anything."""
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
    def cluster(self) -> object:
        """What it is not independent of: the group that its source states, or its question."""
        group = self.stated["group"]
        return self.task if group is None else ("group", group)

    @property
    def unit(self) -> object:
        """What weighs alike, however often it was asked."""
        return self.stated["item"]

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
    questions = verdicts.question_sha256
    ranks = [
        question if question >= 0 else len(questions.names) + item
        for question, item in zip(
            questions.codes.tolist(), verdicts.item.codes.tolist(), strict=True
        )
    ]
    return [
        Verdict(
            stated=row,
            rank=rank,
            said=row["verdict"] or _higher(row["a_score"], row["b_score"], "tie"),
            longer=_higher(row["a_length"], row["b_length"], None),
            answer=row["answer_sha256"] if (row["answer_length"] or 0) >= _LONG else None,
        )
        for row, rank in zip(stated, ranks, strict=True)
    ]


def in_pairs(rows: list[Verdict]) -> list[Verdict]:
    """Return verdicts, with the right candidate and each other in the place of scored lists."""
    picking = {row.stated["setting"] for row in rows if row.stated["picked"] is not None}
    return [
        pair
        for row in rows
        for pair in ([row] if row.stated["candidates"] is None else _pairs(row, picking))
    ]


def _pairs(row: Verdict, picking: set[str]) -> list[Verdict]:
    names, right = row.stated["candidates"], row.stated["right"]
    scores = row.stated["scores"] or [None] * len(names)
    if row.stated["setting"] in picking:
        return []
    found = []
    for two_indexes in combinations(range(len(names)), 2):
        if right is None or right in two_indexes:
            a, b = sorted(two_indexes, key=names.__getitem__)
            known = scores[a] is not None and scores[b] is not None
            stated_counts = dict.fromkeys(_FIELDS) | {
                **{name: row.stated[name] for name in ("setting", "subset", "repeat")},
                "question_sha256": row.stated["question_sha256"],
                "item": f"{row.stated['item']}/{two_indexes[0]}/{two_indexes[1]}",
                "a_sha256": names[a],
                "b_sha256": names[b],
                "a_score": scores[a],
                "b_score": scores[b],
                "verdict": None if known else "unreadable",
                "gold": None if right is None else "ab"[right == b],
            }
            said = stated_counts["verdict"] or _higher(scores[a], scores[b], "tie")
            found.append(
                Verdict(stated=stated_counts, rank=row.rank, said=said, longer=None, answer=None)
            )
    return found


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
