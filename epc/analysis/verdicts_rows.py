"""Recorded verdicts as numbers: which are of one setting, and which of one item (Reading R77)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from epc.arrays import Array, ByRow, Codes, Flags, np
from epc.records.earlier import Clusters
from epc.records.gold import AnswersGold
from epc.records.strict_json import dumps_line
from epc.records.typed import as_json
from epc.records.verdicts.checking import asks
from epc.records.verdicts.columns import Column, Verdicts, texts_of
from epc.records.verdicts.types import UNKNOWN, Setting

TIE: Final = 2
UNREADABLE: Final = 3
_WORDS: Final = ("a", "b", "tie", "unreadable")
RULE: Final = (
    3  # by which figures are clustered, weighed and have intervals; published ones state it
)
LONG_ANSWER: Final = 100  # characters; a shorter answer is said again in the same words by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNames:
    """The authors, subsets and questions of a file; an item stands for a question of no name.

    `gold` has labels of the authors' answers that stand beside the file.
    """

    authors: Sequence[str]
    subsets: Sequence[str]
    questions: Sequence[str]
    gold: AnswersGold | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(ByRow):
    """Verdicts of one group as numbers: 0 is candidate a, 1 is b, -1 is absent.

    `humans` counts the persons who said a, b and tie. `score`, `human_score` and `length` are
    those of a single candidate, NaN where there are two. Verdicts of one `unit` weigh as much
    together as those of another, however many there are; without one (-1) each weighs alike.
    `question` is the item's where the source
    does not name its question. Authors and subsets are places in the lists of `FileNames`.

    Shapes: each (m,), `humans` (m, 3).
    """

    item: Codes
    cluster: Codes
    unit: Codes
    ask: Codes
    first: Codes
    verdict: Codes
    gold: Codes
    longer: Codes
    answer: Codes
    humans: Codes
    question: Codes
    a_by: Codes
    b_by: Codes
    subset: Codes
    group: Codes
    score: Array
    human_score: Array
    length: Array
    confidence: Array

    @property
    def readable(self) -> Flags:
        """Mask of the verdicts that are there and say something."""
        readable: Flags = (self.verdict >= 0) & (self.verdict != UNREADABLE)
        return readable

    @property
    def labelled(self) -> Flags:
        """Mask of the verdicts that have one candidate that is better by a gold label."""
        labelled: Flags = (self.gold >= 0) & (self.gold < TIE)
        return labelled

    @property
    def scored(self) -> Flags:
        """Mask of the verdicts that are the score of a single candidate."""
        scored: Flags = ~np.isnan(self.score)
        return scored

    @property
    def order(self) -> Codes:
        """A number for each item and order."""
        return self.item * 3 + self.first + 1


def fits(names: Iterable[str], patterns: Sequence[str]) -> bool:
    """Return whether one of a setting's names fits a pattern; without a pattern each does."""
    return not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


# A judge's settings by the first of their names, how it was asked, and its rows.
JudgeRows = tuple[str, Setting, Rows]


def same_settings(settings: Mapping[str, Setting]) -> list[list[str]]:
    """Return the settings' names, together where judge, prompt by digest and decoding are equal."""
    groups: dict[str, list[str]] = {}
    for name, setting in sorted(settings.items()):
        has_prompt = setting.prompt.sha256 != UNKNOWN
        unnamed = replace(setting, prompt=replace(setting.prompt, name=""))
        groups.setdefault(dumps_line(as_json(unnamed)) if has_prompt else name, []).append(name)
    return list(groups.values())


class Both(Sequence[str]):
    """Names of two lists, of which neither is copied."""

    def __init__(self, names: Sequence[str], further: Sequence[str]) -> None:
        self._names, self._further = names, further

    def __len__(self) -> int:
        return len(self._names) + len(self._further)

    def __getitem__(self, index: Any) -> Any:
        size = len(self._names)
        return self._names[index] if index < size else self._further[index - size]


def file_names(verdicts: Verdicts, gold: AnswersGold | None = None) -> FileNames:
    """Return what the codes of authors, subsets and questions stand for."""
    authors = {*verdicts.a_by.names, *verdicts.b_by.names}
    return FileNames(
        authors=sorted(authors),
        subsets=verdicts.subset.names,
        questions=Both(verdicts.question_sha256.names, verdicts.item.names),
        gold=gold,
    )


def by_question(verdicts: Verdicts) -> tuple[Codes, Codes]:
    """Return the cluster and the unit of each verdict: its group or question, and its item.

    Questions of one stated group share their fate, so the group is what was drawn.
    """
    question, group = questions(verdicts), verdicts.group.codes.astype(np.int64)
    group_codes = group + int(question.max(initial=-1)) + 1
    return np.where(group < 0, question, group_codes), verdicts.item.codes.astype(np.int64)


def rows_of(verdicts: Verdicts, clusters: Clusters = by_question) -> Rows:
    """Return verdicts as numbers; two scores are the verdict that they make."""
    authors = file_names(verdicts).authors
    cluster, unit = clusters(verdicts)
    a_score, b_score = verdicts.a_score.as_numbers(), verdicts.b_score.as_numbers()
    verdict = verdicts.verdict.as_places(_WORDS).astype(np.int64)
    scored = np.select([a_score > b_score, a_score < b_score, a_score == b_score], [0, 1, TIE], -1)
    a_length, b_length = verdicts.a_length.as_numbers(), verdicts.b_length.as_numbers()
    alone = verdicts.b_sha256.codes < 0
    rows = Rows(
        item=verdicts.item.codes.astype(np.int64),
        cluster=cluster,
        unit=unit,
        ask=asks(verdicts, by_place=False),
        first=verdicts.first.as_places(_WORDS[:2]).astype(np.int64),
        verdict=np.where(verdict >= 0, verdict, scored),
        gold=verdicts.gold.as_places(_WORDS[: TIE + 1]).astype(np.int64),
        longer=np.select([a_length > b_length, a_length < b_length], [0, 1], -1),
        answer=long_answers(verdicts),
        humans=_counted(verdicts.humans),
        question=questions(verdicts),
        a_by=verdicts.a_by.as_places(authors).astype(np.int64),
        b_by=verdicts.b_by.as_places(authors).astype(np.int64),
        subset=verdicts.subset.codes.astype(np.int64),
        group=verdicts.group.codes.astype(np.int64),
        score=np.where(alone, a_score, np.nan),
        human_score=np.where(alone, verdicts.human_score.as_numbers(), np.nan),
        length=np.where(alone, a_length, np.nan),
        confidence=verdicts.confidence.as_numbers(),
    )
    columns: dict[str, Any] = {name: _lean(getattr(rows, name)) for name in Rows.__slots__}
    return Rows(**columns)


def _lean(values: Any) -> Any:
    """Return a column that takes no room if all of its values are one, such as what is absent."""
    first = values[:1]
    same = np.array_equal(np.broadcast_to(first, values.shape), values, equal_nan=True)
    return np.broadcast_to(first, values.shape) if same and len(values) else values


def questions(verdicts: Verdicts) -> Codes:
    """Return a number for each verdict's question, or for its item where none is stated."""
    question = verdicts.question_sha256.codes.astype(np.int64)
    item = len(verdicts.question_sha256.names) + verdicts.item.codes.astype(np.int64)
    return np.where(question < 0, item, question)


def long_answers(verdicts: Verdicts) -> Codes:
    """Return a number for each long answer, -1 for others."""
    long = verdicts.answer_length.as_numbers() >= LONG_ANSWER
    return np.where(long, verdicts.answer_sha256.codes, -1).astype(np.int64)


def _counted(humans: Column) -> Codes:
    """Return how many persons said a, b and tie of each verdict's pair."""
    answers = _WORDS[: TIE + 1]
    counts = [[labels.count(word) for word in answers] for labels in humans.names]
    return np.array([*counts, [0] * len(answers)], np.int64)[humans.codes]


def renamed(verdicts: Verdicts) -> int:
    """Return how many items are another's question and pair, under another number or mirrored."""
    _, text_ids, pair = texts_of(verdicts)
    key = np.zeros(len(text_ids), np.int64)
    for part in (text_ids, *pair):
        _, code = np.unique(part, return_inverse=True)
        _, key = np.unique(key * len(text_ids) + code, return_inverse=True)
    return len(text_ids) - int(key.max(initial=-1)) - 1
