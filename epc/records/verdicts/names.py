"""Names of columns and values of cells, and the fields of a verdict that they mean.

A column is taken for a field by a name that people use for it, if its values fit; what a table is
taken for is said to its owner, who can say otherwise by --map, --label, --set and --ignore.

Source: Reading R101.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from epc.records.csv_tables import decimal
from epc.records.verdicts.aliases import (
    ALSO,
    plain,
)
from epc.records.verdicts.cells import Cells
from epc.records.verdicts.converting import day_of
from epc.records.verdicts.verdict_words import (
    NO_ANSWER,
    PASSES,
    PLACES,
    SIDES,
    TIE,
    UNREADABLE,
    bare,
    score_in,
)

_WHO: Final = "human|annotator|rater|reviewer|person|expert"
_SAYING: Final = (
    "labels?|winners?|verdicts?|preferences?|choices?|votes?|decisions?|scores?|ratings?"
)
_PEOPLE: Final = re.compile(rf"(humans?|people|experts?|annotators?|person)(_({_SAYING}))?")
_PERSON: Final = re.compile(rf"({_WHO})_?(?P<name>\d+|[a-z]+)(_({_SAYING}))?|({_WHO})_label_?\d+")
_NOBODY: Final = frozenset(
    (f"{_SAYING.replace('?', '').replace('|', ' ')} labels"
     " mean average avg median std var diff id ids status count n name"
     " agreement majority notes note comment comments reason explanation time confidence text"
     " response answer reference feedback email s").split()
)  # fmt: skip
_NO_VERDICT: Final = re.compile(
    r"parse_.*|(.*_)?(ok|error|cached?|hits?|swap|swapped|flipped|truncated|valid|skipped|success"
    r"|failed_to_parse)|(is|has|cache|error)_.*"
)
_NO_SCORE: Final = re.compile(
    r"(.*_)?(id|ids|uid|idx|index|turns?|tokens?|time|timestamp|date|seed|confidence|length|len"
    r"|cost|latency|ms|seconds|count|year|version|order|line|row|page|run)"
)
_FAMILY: Final = re.compile(
    "gpt|o[1345]_|claude|sonnet|opus|haiku|gemini|gemma|llama|mi[sx]tral|qwen|deepseek|phi|command"
    "|grok|glm|kimi|nova|yi_|vicuna|alpaca|olmo|prometheus|falcon|palm|nemotron|minimax|step_"
)
_OF_FAMILY: Final = re.compile(rf"(?P<judge>({_FAMILY.pattern}).*?)_(verdict|score|winner)")
# What judges' columns stand under in nested JSON, as `judge_scores.gpt-4o`.
_JUDGES_PART: Final = re.compile("(per_)?judges?(_(scores|verdicts|labels|votes|results))?")
_OF_JUDGE: Final = re.compile(r"judge_(?P<judge>.+)")
_NO_JUDGE: Final = frozenset(
    (
        *("name", "id", "model", "platform", "version", "prompt", "input", "temperature"),
        *("answer", "output", "response", "raw", "text", "score", "rating", "confidence"),
        *("reason", "reasoning", "explanation", "rationale", "time", "tokens", "cost"),
    )
)
_TRUE: Final = frozenset(("true", "false", "1", "0", "yes", "no"))
_NUMBER: Final = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")
_SHA256: Final = re.compile("[0-9a-f]{64}")
_SHORT: Final = 20  # characters of a score such as `Rating: 8/10`
_LONGEST_NAME: Final = 60  # characters of a model's name
_PERCENT: Final = 100
_NUMBERS_OF_WORDS: Final[tuple[set[float | None], ...]] = ({0.0, 1.0}, {1.0, 2.0})
_CERTAIN: Final = 0.95  # of a column's values
_A_QUESTION: Final = 5  # a judge has fewer prompts than a file has questions
_JUDGES: Final = 5  # as many judges a small file may well have
MOST_LABELS: Final = 255

Kind = Literal["pass", "pair", "label"]


def is_of_people(name: str) -> bool:
    """Return whether a column's name says that people's labels or scores stand in it."""
    return bool(_PEOPLE.fullmatch(plain(name)))


def is_of_a_person(name: str) -> bool:
    """Return whether a column's name says that one person's labels stand in it."""
    match = _PERSON.fullmatch(plain(name))
    return match is not None and (match.group("name") or "") not in _NOBODY


def is_no_verdict(name: str) -> bool:
    """Return whether a column's name says that it is no verdict."""
    return bool(_NO_VERDICT.fullmatch(plain(name)))


def is_no_score(name: str) -> bool:
    """Return whether a column's name says that it is no score."""
    return bool(_NO_SCORE.fullmatch(plain(name)))


def wide_judge(name: str) -> str | None:
    """Return the judge whose column of verdicts or scores this is by its name, or None."""
    part, _, inner_name = name.partition(".")
    if inner_name and _JUDGES_PART.fullmatch(plain(part)):
        return inner_name
    text = plain(name)
    if match := _OF_FAMILY.fullmatch(text):
        return match.group("judge")
    match = _OF_JUDGE.fullmatch(text)
    alias_names = {text} & {alias for names in ALSO.values() for alias in names.split()}
    return name if match and match.group("judge") not in _NO_JUDGE and not alias_names else None


def number_of(cell: str) -> float | None:
    """Return a cell as a number, None where it is none."""
    text = decimal(cell).strip()
    return float(text) if _NUMBER.fullmatch(text) else None


class Words:
    """Values of columns of labels: in words of ours, in authors' names, or shared with labels."""

    def __init__(
        self,
        cells: Cells,
        user: Callable[[str], Collection[str]],
        is_several: Callable[[str], bool],
        authors: Collection[str] = (),
    ) -> None:
        self._cells, self._user, self.authors = cells, user, frozenset(authors)
        self._is_several = is_several
        self._counts: dict[str, Counter[str]] = {}

    def counts(self, column: str) -> Counter[str]:
        """Return how often a column has each value."""
        if column not in self._counts:
            counts = self._cells.counts(column)
            self._counts[column] = _apart(counts) if self._is_several(column) else counts
        return self._counts[column]

    def share(self, column: str, fits: Callable[[str], bool]) -> float:
        """Return the share of a column's values that fit; 0 where it has none."""
        counts = self.counts(column)
        total = counts.total()
        return sum(n for value, n in counts.items() if fits(value)) / total if total else 0.0

    def says(self, column: str, kind: Kind) -> float:
        """Return the share of a column's values that say pass or fail, or which of two it is."""
        user = self._user(column)
        vocabulary = PASSES if kind == "pass" else SIDES
        fitting = 0

        def fits(value: str) -> bool:
            nonlocal fitting
            word = bare(value)
            is_side = kind == "pair" and (value in self.authors or word in (*PLACES, TIE))
            is_word = value in user or word in vocabulary or is_side
            fitting += is_word
            return is_word or word in NO_ANSWER or word in (TIE, UNREADABLE)

        share = self.share(column, fits)
        return share if fitting else 0.0

    def kind(
        self, column: str, labels: Collection[str], *, paired: bool, least: float = _CERTAIN
    ) -> Kind | None:
        """Return which words a column's values are, or None where they are none."""
        values = self.counts(column)
        if self._are_grades(column):
            return None
        only_sides = any(bare(v) in SIDES and bare(v) not in PASSES for v in values)
        order: tuple[Kind, Kind] = ("pair", "pass") if paired or only_sides else ("pass", "pair")
        for kind in order:
            if self.says(column, kind) >= least:
                return kind
        is_short = len(values) <= min(MOST_LABELS, max(2, values.total() / 2))
        shared = self.share(column, lambda value: value.casefold() in labels)
        if is_short and labels and 2 * shared >= 1 and not self.are_numbers(column):
            return "label"
        return self._best(column) if least < _CERTAIN else None

    def _are_grades(self, column: str) -> bool:
        """Return whether a column holds numbers of which some are no word, so that none is one."""
        user = self._user(column)
        numbers = {number_of(value) for value in self.counts(column) if value not in user}
        return None not in numbers and not any(numbers <= labels for labels in _NUMBERS_OF_WORDS)

    def _best(self, column: str) -> Kind | None:
        kinds: tuple[Kind, Kind] = ("pass", "pair")
        best = max(kinds, key=lambda kind: self.says(column, kind))
        return best if self.says(column, best) else None

    def are_numbers(self, column: str, least: float = _CERTAIN) -> bool:
        """Return whether a column holds scores: `8`, `3,5` or `8/10`."""
        counts = self.counts(column)
        if not counts:
            return False
        numbers = self.share(column, lambda value: number_of(value) is not None)
        if numbers >= least:
            return True
        if not numbers and max(map(len, counts)) > _SHORT:
            return False
        return self.share(column, lambda value: score_in(value) is not None) >= least

    def are_binary(self, column: str) -> bool:
        """Return whether a column's numbers are 0 and 1 alone."""
        return {number_of(value) for value in self.counts(column)} <= {0.0, 1.0}

    def values(self, columns: Iterable[str]) -> set[str]:
        """Return the values of columns, to be compared."""
        return {value.casefold() for column in columns for value in self.counts(column)}

    def constant(self, column: str) -> bool:
        """Return whether a column has one value in all rows."""
        counts = self.counts(column)
        return len(counts) == 1 and counts.total() == len(self._cells)

    def are_models(self, column: str, verdicts: Collection[str]) -> bool:
        """Return whether a column of answers names the models that wrote them."""
        counts = self.counts(column)
        if (
            not counts
            or max(map(len, counts)) > _LONGEST_NAME
            or 2 * len(counts) > max(2, counts.total())
        ):
            return False
        named = any(value.casefold() in verdicts for value in counts)
        return named or all(_FAMILY.match(plain(value) + "_") for value in counts)


def _apart(counts: Counter[str]) -> Counter[str]:
    """Return how often each label stands in cells of several, apart by semicolons or blanks."""
    apart: Counter[str] = Counter()
    verdict_words = {*SIDES, *PASSES, TIE}
    for cell, number in counts.items():
        for part in filter(None, map(str.strip, cell.split(";"))):
            parts = part.split() if bare(part) not in verdict_words else [part]
            for word in parts:
                apart[word] += number
    return apart


def fits(field: str, column: str, words: Words) -> str | None:
    """Return why a column cannot be the field that its name says, or None."""
    counts = words.counts(column)
    if not counts:
        return "is empty"
    form = _FORMS.get(field) or _FORMS.get(field.rpartition("_")[2])
    if form and words.share(column, form[0]) < _CERTAIN:
        return form[1]
    if field == "judge":
        return _no_judges(counts)
    return None


def _no_judges(counts: Counter[str]) -> str | None:
    """Return why a column that is called after a judge cannot name judges, or None."""
    if len(counts) > _JUDGES and 2 * len(counts) > counts.total():
        return f"names {len(counts):,} judges in {counts.total():,} rows"
    return None


def _is_count(value: str) -> bool:
    number = number_of(value)
    return number is not None and 0 <= number < 2**31 and number.is_integer()


def _is_share(value: str) -> bool:
    number = number_of(value)
    return number is not None and 0 <= number <= _PERCENT


def _is_day(value: str) -> bool:
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", day_of(value)))


_FORMS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    # By field, or by the end of its name.
    "length": (_is_count, "holds no lengths"),
    "tokens": (lambda value: (number_of(value) or 0.0) >= 0, "holds no counts of tokens"),
    "confidence": (_is_share, "holds no probabilities"),
    "date": (_is_day, "holds no days"),
    "sha256": (lambda value: bool(_SHA256.fullmatch(value)), "holds no SHA-256"),
    "swapped": (lambda value: value.lower() in _TRUE, "holds no true and false"),
}


def is_question(counts: Counter[str]) -> bool:
    """Return whether a column of prompts is of questions: a judge has fewer prompts."""
    return len(counts) > _A_QUESTION


def two_authors(
    values: Collection[str], orders: Mapping[str, Collection[str]], named: Sequence[str]
) -> tuple[tuple[str, ...], str | None, dict[str, str]]:
    """Return the two authors that verdicts name, or the `named` ones, and where the order stands.

    That is a column with two values, one begins with either name: `ours_first`, `base_first`. With
    it comes which answer, a or b, each value says was shown first.
    """
    verdict_words = {*SIDES, *PASSES, *NO_ANSWER, *PLACES}
    names = [*named] or [name for name in values if bare(name) not in verdict_words]
    for column, cells in orders.items():
        first = {
            value: max((name for name in names if _begins(value, name)), key=len, default="")
            for value in cells
        }
        authors = tuple(name for name in names if name in first.values())
        if len(first) == len(authors) == len("ab") and "" not in first.values():
            sides = dict(zip(authors, "ab", strict=True))
            return authors, column, {value: sides[name] for value, name in first.items()}
    return (tuple(names) if len(names) == len("ab") else ()), None, {}


def _begins(value: str, name: str) -> bool:
    return value.startswith(name) and not value[len(name) : len(name) + 1].isalnum()


def one_hot(present: Sequence[str], words: Words) -> Iterator[tuple[str, str]]:
    """Yield the columns `winner_*` of 0 and 1, and which answer each names."""
    for name in present:
        side = plain(name).removeprefix("winner_")
        meaning = SIDES.get(side, TIE if side == TIE else "")
        if side != plain(name) and meaning and words.are_binary(name):
            yield name, meaning
