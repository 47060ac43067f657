"""Rules by which a table's columns are taken for the fields of a verdict: nothing is guessed.

A column is certain by its name and its values, or the user names it. Where no column of what the
judge said is certain, the answer is a question with commands to copy.

Over 400 lines: the rules are one list, in the order in which they take columns.

Source: Reading R101.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from epc.errors import UsageError
from epc.printable import shortened
from epc.records.verdicts.aliases import (
    A_BY,
    A_SCORE,
    ALONE,
    ALSO,
    ANNOTATOR,
    B_BY,
    B_SCORE,
    CONFIDENCE,
    FIRST,
    GENERATOR_1,
    GOLD,
    HUMAN_SCORE,
    HUMANS,
    JUDGE,
    MODEL,
    PEOPLE_SCORE,
    PLATFORM,
    PREFERENCE,
    PROMPT,
    QUESTION,
    SWAPPED,
    VERDICT,
    WINNER_OF,
    A,
    plain,
)
from epc.records.verdicts.cells import Cells
from epc.records.verdicts.converting import Request
from epc.records.verdicts.names import (
    Kind,
    Words,
    fits,
    is_no_score,
    is_no_verdict,
    is_of_a_person,
    is_of_people,
    is_question,
    number_of,
    one_hot,
    two_authors,
    wide_judge,
)
from epc.records.verdicts.table_words import words_for
from epc.records.verdicts.types import Row
from epc.records.verdicts.verdict_words import PASSES, PLACES, SIDES, TIE, bare

OF_SETTING: Final = ("judge", "model", "platform", "prompt", "prompt_sha256", "decoding")
TEXTS: Final = ("question", "a", "b", "answer")
_NOT_HERE: Final = (
    *("setting", "file", "a_text", "b_text", "candidates", "scores", "picked", "order", "right"),
    *("human_scores", "label", "gold_label", "human_labels"),
)
_OF_ROW: Final = tuple(name for name in Row.__struct_fields__ if name not in _NOT_HERE)
FIELDS: Final = (*_OF_ROW, *TEXTS, *OF_SETTING, "swapped")
SEVERAL: Final = ("verdict", "humans")  # fields that may be in a column for each judge or person
LABELLED: Final = ("first", "verdict", "gold", "humans", "a_score", "b_score", "human_score")
_BY_HAND: Final = ("judge", "first", "swapped", "verdict", "gold", "a_score", "b_score", "prompt")
_NAMELESS: Final[Mapping[str, tuple[str, ...]]] = {"pass": ("the answer",), "pair": ("A", "B")}
_BASELINE: Final = "the baseline"
_SINGLE: Final[Mapping[str, str]] = {
    "pass": "verdicts on single answers",
    "label": "choices among labels",
    "score": "scores of single answers",
}
_OF_EACH_ROW: Final = ("verdict", "a_score", "b_score", "human_score", "humans")
# What acts on no verdict of a kind on single answers, in a column or for all rows.
_INERT: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "pass": (("first", "swapped"), ("first", "swapped")),
    "label": (("first", "swapped"), ("first", "swapped", "gold")),
    "score": (("first", "swapped", "gold", "humans"), ("first", "swapped", "gold")),
}
NAME, VALUE, YOU = "name", "value", "you"
MOST_COMMANDS: Final = 4
_EXAMPLES: Final = 3
_MOST_WORDS: Final = 12  # of a column of verdicts; more are replies
_LONGEST_WORD: Final = 40
_SOME, _MOST = 0.5, 0.95  # shares of a column's values
_DRAW: Final = 1.5  # of a preference from 1 to 2
_ORDER_NAMES: Final = ("order", "presentation_order", "position_order", "answer_order")
_ORDERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ab", "a,b", "a_b", "a-b", "a_first", "first_a"), "a"),
    **dict.fromkeys(("ba", "b,a", "b_a", "b-a", "b_first", "first_b"), "b"),
}
_EXCHANGED_WINNERS: Final = ("g1_winner", "g2_winner")

Outcome = Literal["pass", "pair", "label", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question to the user, and the requests that would answer it, or in words what would."""

    problem: str
    requests: Sequence[Request] = ()
    fix: str = ""


@dataclass(slots=True, kw_only=True)
class Choice:
    """Columns by field, why each is taken or not, and what the verdicts are.

    `judges` names the judge of each column of a wide table. `orders` has the order of each such
    column instead, where they are one judge's in both orders. `one_hot` are the columns of which
    the one that is 1 is the winner. `sides` says which answer a word of an order's column names.
    """

    columns: dict[str, list[str]] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    kind: Outcome = "score"
    judges: dict[str, str] = field(default_factory=dict)
    orders: dict[str, str] = field(default_factory=dict)
    one_hot: list[str] = field(default_factory=list)
    sides: dict[str, str] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)

    def column(self, name: str) -> str:
        """Return the column of a field, empty without one."""
        return self.columns.get(name, [""])[0]

    def has(self, *names: str) -> bool:
        """Return whether one of the fields is known."""
        return bool({*names} & {*self.columns, *self.constants})


def split_columns(text: str, present: Collection[str]) -> list[str]:
    """Return the columns that an option names, apart by a comma unless one is called so."""
    return [text] if text in present else text.split(", ")


def labels_of(request: Request, column: str, present: Collection[str]) -> dict[str, str]:
    """Return the user's words for the labels of a column, in lower case: its own before others."""
    general, of_columns = {}, {}
    for label, word in request.labels.items():
        name, colon, value = label.partition(":")
        if colon and name in present:
            if name == column:
                of_columns[value.strip().lower()] = word
        else:
            general[label.strip().lower()] = word
    return general | of_columns


def choose(cells: Cells, request: Request) -> tuple[Cells, Choice]:
    """Return what a table's columns are taken for, or what to ask; one-hot winners are one column.

    Raises: UsageError if the request names what is not there.
    """
    present = [*cells.columns]
    _check(present, request)
    chooser = _Chooser(cells, request)
    chooser.take_mapped()
    chooser.take_by_name()
    chooser.take_outcome()
    chooser.take_people_and_gold()
    chooser.take_who()
    chooser.finish()
    return chooser.cells, chooser.choice


def _check(present: Sequence[str], request: Request) -> None:
    has = f"its columns are {', '.join(map(repr, present)) or 'none'}"
    for option, fields in (("--map", request.columns), ("--set", request.constants)):
        for name in fields:
            if name not in FIELDS:
                problem = f"{option} {name}: no such field"
                raise UsageError(f"{problem}\n  fix: name one of {', '.join(FIELDS)}")
    if twice_named := [name for name in request.columns if name in request.constants]:
        raise UsageError(f"{twice_named[0]} is mapped and set\n  fix: give --map or --set")
    for name in {*request.constants} & {*_OF_EACH_ROW}:
        raise UsageError(f"--set {name}: each row has its own\n  fix: --map {name}=COLUMN")
    mapped = [
        (name, column)
        for name, text in request.columns.items()
        for column in (split_columns(text, present) if name in SEVERAL else [text])
    ]
    for option, column in (
        *((f"--map {name}", column) for name, column in mapped),
        *(("--ignore", column) for column in request.ignored),
    ):
        if column not in present:
            raise UsageError(f"{option}: the file has no column {column!r}\n  fix: {has}")
    for column in {column for _, column in mapped} & {*request.ignored}:
        raise UsageError(f"--ignore {column}: --map takes it\n  fix: keep one of both")


class _Chooser:
    """Choice of a table's columns on its way."""

    def __init__(self, cells: Cells, request: Request) -> None:
        self.cells, self.request = cells, request
        self.present = [*cells.columns]
        self.choice = Choice(constants=dict(request.constants))
        self.free: dict[str, str] = {}
        for name in self.present:
            if name not in request.ignored:
                self.free.setdefault(plain(name), name)
        self.words = Words(cells, self._labelled, self._is_of_people)
        for name in request.ignored:
            self.choice.refused[name] = "you ignore it"

    def _is_of_people(self, column: str) -> bool:
        """Return whether a cell may hold what several people said."""
        named = _is_of_humans(column) or plain(column) == "human_score"
        mapped = split_columns(self.request.columns.get(HUMANS, ""), self.present)
        return named or column in mapped

    def _labelled(self, column: str) -> Collection[str]:
        labels = labels_of(self.request, column, self.present)
        return {value for value in self.words.counts(column) if value.lower() in labels}

    def _take(self, name: str, columns: Iterable[str], why: str) -> None:
        listed = [*columns]
        self.choice.columns[name] = listed
        for column in listed:
            self.choice.why[column] = why
            self.choice.refused.pop(column, None)
            self.free = {key: free for key, free in self.free.items() if free != column}

    def _unnamed(self, name: str) -> bool:
        return name not in self.choice.columns and name not in self.choice.constants

    # The user, and names ---------------------------------------------------------------------

    def take_mapped(self) -> None:
        """Take what the user maps."""
        for name, text in self.request.columns.items():
            several = name in SEVERAL
            self._take(name, split_columns(text, self.present) if several else [text], YOU)

    def take_by_name(self) -> None:
        """Take the fields that a name and fitting values make certain."""
        names = {**dict.fromkeys(FIELDS, ""), **ALSO}
        prompt = self.free.get(PROMPT, "")
        if prompt and "question" not in self.free and is_question(self.words.counts(prompt)):
            names |= {"question": f"prompt {names[QUESTION]}", "prompt": ""}
            names[PROMPT] = "judge_prompt prompt_name prompt_version template"
        for name in [name for name in names if self._unnamed(name) and name not in _BY_HAND]:
            if name not in ("humans", "human_score", "model", "platform", "question_sha256"):
                self._take_named(name, names[name])
        self._take_named("question_sha256", "")
        if self._unnamed("prompt"):
            self._take_prompt(names[PROMPT])
        self._take_named("b_score", ALSO[B_SCORE])
        if self._is_paired():
            self._take_named("a_score", ALSO[A_SCORE])
        else:
            self._take_alone()

    def _is_paired(self) -> bool:
        return self.choice.has("b", "b_sha256", "b_by", "b_score")

    def _take_alone(self) -> None:
        """Take the answers, and who wrote them, of a file that judges answers one by one."""
        if not self.choice.has("a_sha256"):
            self._take_named("a", ALONE[A])
        self._take_named("a_by", ALONE[A_BY])
        is_free = "answer" in self.choice.columns and "answer" not in self.request.columns
        if is_free and not self.choice.has("a", "a_sha256"):
            self._take("a", self.choice.columns.pop("answer"), NAME)

    def _take_prompt(self, names: str) -> None:
        for alias in ("prompt", *names.split()):
            column = self.free.get(alias, "")
            if column and self._unnamed("prompt") and self.words.counts(column):
                self._take("prompt", [column], NAME)

    def _take_named(self, name: str, names: str) -> None:
        for alias in (name, *names.split()):
            column = self.free.get(alias)
            if column is None or not self._unnamed(name):
                continue
            if problem := fits(name, column, self.words):
                self.choice.refused[column] = problem
            elif name in ("a_score", "b_score") and not self.words.are_numbers(column):
                self.choice.refused[column] = "holds no numbers"
            else:
                self._take(name, [column], NAME)

    # What the judge said ---------------------------------------------------------------------

    def take_outcome(self) -> None:
        """Take the verdicts or scores, or ask which column they are in."""
        if self._unnamed("judge"):
            self._take_judge_name()
        self._set_authors()
        self._take_one_hot()
        self._take_preference()
        labels, paired = self._label_values(), self._is_paired()
        if "verdict" not in self.choice.columns:
            self._take_verdict(labels, paired=paired)
        if "verdict" in self.choice.columns and not self.choice.asks:
            self._set_kind(labels, paired=paired)
        if self.choice.has("verdict"):
            if not paired:
                self._take_score(ask=False)
            return
        if paired and self.choice.has("a_score") != self.choice.has("b_score"):
            self._refuse_half_score()
        if not self.choice.has("a_score", "b_score"):
            self._take_score(ask=True)

    def _refuse_half_score(self) -> None:
        """Take back a score of one of two answers, which is no verdict."""
        for name in ("a_score", "b_score"):
            for column in self.choice.columns.pop(name, ()):
                self.choice.why.pop(column)
                self.choice.refused[column] = "a score of one of two answers"

    def _take_judge_name(self) -> None:
        annotator = [ANNOTATOR] if self._is_of_alpaca else []
        for alias in ("judge", *ALSO[JUDGE].split(), *annotator):
            column = self.free.get(alias)
            if column is None or not self._unnamed("judge"):
                continue
            kinds: tuple[Kind, Kind] = ("pass", "pair")
            if max(self.words.says(column, kind) for kind in kinds) >= _SOME:
                continue  # holds verdicts: judged below
            if self.words.are_numbers(column):
                continue
            if not self.words.counts(column):
                self.choice.refused[column] = "is empty"
            elif problem := fits("judge", column, self.words):
                self.choice.refused[column] = problem
                self.choice.asks.append(
                    Ask(
                        problem=f"{column!r} {problem}",
                        requests=[
                            self._with(columns={"judge": column}),
                            self._with(constants={"judge": "one"}),
                        ],
                    )
                )
            else:
                self._take("judge", [column], NAME)

    def _set_authors(self) -> None:
        """Answers that name models are who wrote them; the words of verdicts may be these names."""
        verdicts = [
            column
            for alias in ("verdict", *ALSO[VERDICT].split())
            for column in [self.choice.column("verdict") or self.free.get(alias)]
            if column
        ]
        verdict_values = self.words.values(verdicts)
        for side in ("a", "b"):
            column = self.choice.column(side)
            is_free = side not in self.request.columns and self._unnamed(f"{side}_by")
            if column and is_free and self.words.are_models(column, verdict_values):
                del self.choice.columns[side]
                self._take(f"{side}_by", [column], "holds models' names, no texts")
        columns = [self.choice.column(f"{side}_by") for side in "ab"]
        named = {value for column in columns if column for value in self.words.counts(column)}
        named |= {
            self.choice.constants[by] for by in ("a_by", "b_by") if by in self.choice.constants
        }
        if "b_by" in {*self.choice.columns, *self.choice.constants}:
            self.words.authors = frozenset(named)

    def _take_one_hot(self) -> None:
        hot = [*one_hot([*self.free.values()], self.words)]
        if len(hot) < len("ab") or self.choice.has("verdict"):
            return
        columns = [self.cells.columns[name] for name, _ in hot]
        numbers = [[number_of(value.strip()) == 1 for value in column.names] for column in columns]
        rows = zip(
            *(
                [ones[code] for code in column.codes.tolist()]
                for ones, column in zip(numbers, columns, strict=True)
            ),
            strict=True,
        )
        sides = [side for _, side in hot]
        winners = ["" if sum(row) != 1 else sides[row.index(True)] for row in rows]
        name = " | ".join(name for name, _ in hot)
        self._take_made([column for column, _ in hot], "the winner is the column that is 1")
        self._take_as("verdict", name, winners)

    def _take_made(self, columns: Sequence[str], why: str) -> None:
        """Take columns of which the verdict is made."""
        self.choice.one_hot = [*columns]
        self._take(WINNER_OF, columns, why)
        del self.choice.columns[WINNER_OF]

    def _take_as(self, field_name: str, name: str, cells: Sequence[str]) -> None:
        """Take a column that is made of others; its name is none that a file has."""
        self.cells = self.cells.with_column(name, cells)
        self.words = Words(self.cells, self._labelled, self._is_of_people, self.words.authors)
        self._take(field_name, [name], VALUE)

    def _take_preference(self) -> None:
        """Take a number from 1 to 2 for a choice of two answers, and for how sure it is.

        Such is the preference of AlpacaEval: 1 and the probability of the second answer. 0 is a
        draw there, as 1.5 is.
        """
        column = self.choice.column(VERDICT) or self.free.get(PREFERENCE, "")
        if not column or not self._is_paired():
            return
        cells = self.cells.columns[column]
        numbers = [number_of(name.strip()) for name in cells.names]
        values = [number for number in numbers if number is not None]
        is_weighted = any(not number.is_integer() for number in values)
        draws = {0.0} if self._is_of_alpaca else set()
        inside = all(1 <= number <= 2 or number in draws for number in values)  # noqa: PLR2004
        if not values or not inside or not (is_weighted or 0.0 in values):
            return
        choices = [_choice_of_two(number) for number in numbers]
        sure = ["" if number is None else f"{abs(number - _DRAW) + 0.5:g}" for number in numbers]
        codes = cells.codes.tolist()
        self._take_made([column], "1 and the probability of the second answer")
        self._take_as(VERDICT, f"{column} | choice", [choices[code] for code in codes])
        if is_weighted and self._unnamed(CONFIDENCE):
            self._take_as(CONFIDENCE, f"{column} | confidence", [sure[code] for code in codes])

    @property
    def _is_of_alpaca(self) -> bool:
        """Return whether the columns are AlpacaEval's, whose annotator is a judge."""
        return GENERATOR_1 in map(plain, self.present)

    def _label_values(self) -> set[str]:
        """Return the values of columns of labels by their names, and of those that are mapped."""
        columns = [*self.choice.columns.get(HUMANS, ()), *self.choice.columns.get(GOLD, ())]
        columns += [*self._free_gold(), *filter(_is_of_humans, self.free.values())]
        return self.words.values(columns)

    def _free_gold(self) -> list[str]:
        """Return the columns that are called gold and are not taken yet."""
        return [self.free[alias] for alias in ("gold", *ALSO[GOLD].split()) if alias in self.free]

    def _take_verdict(self, labels: set[str], *, paired: bool) -> None:
        games = [self.free[name] for name in _EXCHANGED_WINNERS if name in self.free]
        if len(games) == len(_EXCHANGED_WINNERS):
            self._take("verdict", games, NAME)
            self.choice.orders = dict(zip(games, "ab", strict=True))
            return
        certain = []
        for alias in ("verdict", *ALSO[VERDICT].split(), "judge"):
            column = self.free.get(alias)
            if column is None:
                continue
            if self.words.kind(column, labels, paired=paired) or self._names_two(column):
                certain.append(column)
            elif self.words.counts(column):
                self.choice.refused[column] = "its values are no verdicts: a reply"
        if not certain and not self.choice.has("a_score", "b_score"):
            certain = [
                column
                for alias in ALONE[A_SCORE].split()
                if (column := self.free.get(alias))
                and not self.words.are_numbers(column)
                and self.words.kind(column, labels, paired=paired)
            ]
        if len(certain) > 1:
            self._ask_which(certain)
            return
        wide = self._wide(lambda name: bool(self.words.kind(name, labels, paired=paired)))
        if certain:
            self._take("verdict", certain, NAME)
        elif len(wide) > 1 and not {*self._wide(self.words.are_numbers)} - {*wide}:
            self._take("verdict", wide, NAME)
            self.choice.judges = wide

    def _names_two(self, column: str) -> bool:
        """Return whether verdicts name two authors that no column does, but one of the order."""
        if self.choice.has("a", "a_sha256", "b", "b_sha256", "a_score") or self.words.authors:
            return False
        names = [v for v in self.words.counts(column) if self._strange(v)]
        counts = self.words.counts(column)
        is_most = 2 * sum(counts[name] for name in names) > counts.total()
        is_pair = len(names) == len("ab") and is_most and len(counts) <= len("ab12")
        return is_pair and self._has_order_of(names, column)

    def _has_order_of(self, names: Sequence[str], column: str) -> bool:
        """Return whether a column says which of two authors was shown first, as `ours_first`."""
        _, order, _ = two_authors(names, self._orders(column), [])
        return order is not None

    def _orders(self, verdict: str) -> dict[str, Collection[str]]:
        """Return the values of columns that may say what was shown first: of no labels."""
        labelled = {verdict, *self._free_gold(), *filter(_is_of_humans, self.free.values())}
        free = [name for name in self.free.values() if name not in labelled]
        return {name: self.words.counts(name) for name in free}

    def _strange(self, value: str) -> bool:
        labels = {key.lower() for key in self.request.labels}
        verdict_words = {*SIDES, *PASSES, *PLACES, "tie", "unreadable", *labels}
        is_known = bare(value) in verdict_words or value.lower() in verdict_words
        return not is_known and value not in self.words.authors

    def _wide(self, holds: Callable[[str], bool]) -> dict[str, str]:
        judged = {name: wide_judge(name) for name in self.free.values()}
        return {name: judge for name, judge in judged.items() if judge and holds(name)}

    def _ask_which(self, columns: Sequence[str]) -> None:
        requests = self._verdict_requests(columns)
        listed = ", ".join(columns)
        self.choice.asks.append(
            Ask(
                problem=f"several columns hold what a judge said: {listed}. Name one, or all of "
                "several judges",
                requests=requests,
            )
        )

    def _verdict_requests(self, columns: Sequence[str]) -> list[Request]:
        """Return the requests that map columns to the verdict: all as several judges', and each."""
        texts = [", ".join(columns)] * (len(columns) > 1) + [*columns]
        return [self._with(columns={"verdict": text}) for text in texts]

    def _set_kind(self, labels: set[str], *, paired: bool) -> None:
        """Say which words the verdicts are, and who wrote the answers that they name."""
        columns = self.choice.columns[VERDICT]
        column = columns[0]
        kinds = [self.words.kind(name, labels, paired=paired) for name in columns]
        kind: Outcome | None = next(filter(None, kinds), None)
        if kind is None and self._names_two(column):
            kind = "pair"
        if kind is None:
            kind = self.words.kind(column, labels, paired=paired, least=_SOME) or "pair"
        self.choice.kind = kind
        if kind == "pair":
            self._set_order(column)
        elif self.choice.has("swapped"):
            self.choice.columns.pop(SWAPPED, None)
        if len(columns) > 1 and not self.choice.judges and not self.choice.orders:
            self.choice.judges = {name: wide_judge(name) or name for name in columns}

    def _set_order(self, column: str) -> None:
        for name in ("first", "swapped"):
            if not self.choice.has("first", "swapped"):
                self._take_order(name)
        first = self.choice.column("first")
        orders = {first: self.words.counts(first)} if first else self._orders(column)
        by = [self.choice.constants[by] for by in ("a_by", "b_by") if by in self.choice.constants]
        no_texts = not self.choice.has("a", "a_sha256", "b", "b_sha256")
        if no_texts and "a_by" not in self.choice.columns:
            values = [v for v in self.words.counts(column) if self._strange(v)]
            authors, order, sides = two_authors(values, orders, by)
            if order:
                self._take("first", [order], self.choice.why.get(order, VALUE))
                self.choice.sides = sides
            if authors and not by:
                self.choice.constants |= dict(zip(("a_by", "b_by"), authors, strict=True))
                self.words.authors = frozenset(authors)
        self._ask_of_letters(column)

    def _take_order(self, name: str) -> None:
        orders = {**_ORDERS, **{order.upper(): side for order, side in _ORDERS.items()}}
        for column in map(self.free.get, _ORDER_NAMES if name == FIRST else ()):
            if column and self.words.counts(column) and {*self.words.counts(column)} <= {*orders}:
                self._take(FIRST, [column], NAME)
                self.choice.sides = orders
                return
        for alias in (name, *ALSO[name].split()):
            column = self.free.get(alias)
            if column is None or fits(name, column, self.words) or not self._unnamed(name):
                continue
            is_side = name == "swapped" or self.words.says(column, "pair") >= _MOST
            if is_side:
                self._take(name, [column], NAME)
            elif self.words.counts(column):
                self.choice.refused[column] = "names no answer"

    def _ask_of_letters(self, column: str) -> None:
        """Ask of letters beside `swapped` whether they name answers or places."""
        if not self.choice.has("swapped"):
            return
        labels = labels_of(self.request, column, self.present)
        letters = {
            value: SIDES[bare(value)]
            for value in sorted(self.words.counts(column))
            if SIDES.get(bare(value)) in ("a", "b")
            and value.lower() not in labels
            and value not in self.words.authors
        }
        if not letters:
            return
        places = {value: PLACES["ab".index(side)] for value, side in letters.items()}
        self.choice.asks.append(
            Ask(
                problem=f"{self.choice.column('swapped')!r} says when the answers were exchanged: "
                f"do {' and '.join(letters)} in {column!r} name places, or answers?",
                requests=[self._with(labels=places), self._with(labels=letters)],
            )
        )

    def _take_score(self, *, ask: bool) -> None:
        aliases = ("a_score", *ALONE[A_SCORE].split(), *(["judge"] if ask else []))
        named = [self.free[alias] for alias in aliases if alias in self.free]
        certain = [column for column in named if self.words.are_numbers(column)]
        for column in {*named} - {*certain}:
            self.choice.refused.setdefault(column, "holds no numbers")
        wide = self._wide(self.words.are_numbers) if ask else {}
        if len(certain) == 1 or (certain and not ask):
            self._take("a_score", certain[:1], NAME)
        elif len(wide) > 1 and not certain:
            self._take("a_score", wide, NAME)
            self.choice.judges = wide
        elif ask and not self.choice.asks:
            self._ask_outcome(certain)

    def _ask_outcome(self, certain: Sequence[str]) -> None:
        """Ask for the column of what the judge said, with commands that work."""
        further_columns = {
            alias
            for field_name, names in {**dict.fromkeys(FIELDS, ""), **ALSO}.items()
            if field_name not in ("verdict", "judge", "a_score", "b_score")
            for alias in (field_name, *names.split())
        }
        free = {name for key, name in self.free.items() if key not in further_columns}
        kinds: tuple[Kind, Kind] = ("pass", "pair")
        labelled = [*self._free_gold(), *filter(_is_of_humans, self.present)]
        labelled += self.choice.columns.get(GOLD, [])
        for name in free:
            if is_no_verdict(name):
                self.choice.refused[name] = "its name says it is no verdict"
        verdicts = [
            name
            for name in self.present
            if name in free
            and not is_no_verdict(name)
            and name not in labelled
            and not self.words.are_numbers(name)
            and max(self.words.says(name, kind) for kind in kinds) >= _SOME
        ]
        scores = [
            name
            for name in self.present
            if name in free
            and not is_no_score(name)
            and not is_no_verdict(name)
            and name not in labelled
            and self.words.are_numbers(name)
        ]
        gold = [
            name for name in labelled if max(self.words.says(name, kind) for kind in kinds) >= _MOST
        ]
        requests = self._verdict_requests(verdicts)
        requests += [self._with(columns={"a_score": name}) for name in (*certain, *scores) if name]
        problem = "no column is certain to hold what a judge said"
        fix, unknown = "", self._unknown_words()
        if unknown and not verdicts:
            problem, fix = unknown
        elif verdicts or scores:
            problem += f": {', '.join(dict.fromkeys((*verdicts, *certain, *scores)))} may"
            problem += self._strange_values(verdicts)
        elif gold:
            listed = " and ".join(gold)
            holds = "hold" if len(gold) > 1 else "holds"
            problem = (
                f"no column holds what a judge said: {listed} {holds} labels. If a judge gave them:"
            )
            requests += [self._with(columns={"verdict": name}) for name in gold]
        elif labelled:
            listed = " and ".join(dict.fromkeys(labelled))
            problem = f"no column holds what a judge said beside the labels in {listed}"
            fix = (
                "give a column `verdict` or `score` of what the judge said, or --map verdict=COLUMN"
            )
        self.choice.asks.append(Ask(problem=problem, requests=requests, fix=fix))

    def _unknown_words(self) -> tuple[str, str] | None:
        """Return what to say of a column that is called a verdict and has words of nobody's."""
        for alias in ("verdict", *ALSO[VERDICT].split()):
            column = self.free.get(alias)
            counts = self.words.counts(column) if column else {}
            is_short = len(counts) <= min(_MOST_WORDS, max(2, len(self.cells) / 2))
            if column is None or not counts or not is_short or self.words.are_numbers(column):
                continue
            values = sorted(value for value in counts if self._strange(value))
            if values and max(map(len, values)) <= _LONGEST_WORD:
                holds = f"{', '.join(map(repr, values))} in {column!r}"
                problem = f"no column is certain to hold what a judge said: nobody knows {holds}"
                fix = (
                    f"say what each means by --label VALUE=WORD: {words_for(VERDICT, 'pass')} of "
                    f"one answer, {words_for(VERDICT, 'pair')} of two"
                )
                return problem, fix
        return None

    def _strange_values(self, columns: Sequence[str]) -> str:
        """Return which values of a column that is called a verdict are none of our labels."""
        named = {self.free.get(alias) for alias in ("verdict", *ALSO[VERDICT].split(), "judge")}
        for column in columns:
            strange = [value for value in self.words.counts(column) if self._strange(value)]
            if column in named and strange:
                examples = shortened([*map(repr, strange)], _EXAMPLES)
                kind = "pair" if self._is_paired() else "pass"
                hint = "--label VALUE=WORD says what they mean"
                return f" ({examples} are no labels: {hint}; WORD is {words_for(VERDICT, kind)})"
        return ""

    def _with(
        self,
        *,
        columns: Mapping[str, str] = {},
        labels: Mapping[str, str] = {},
        constants: Mapping[str, str] = {},
    ) -> Request:
        """Return the user's request with further options."""
        request = self.request
        return replace(
            request,
            columns={**request.columns, **columns},
            labels={**request.labels, **labels},
            constants={**request.constants, **constants},
        )

    # Labels ----------------------------------------------------------------------------------

    def take_people_and_gold(self) -> None:
        """Take people's labels or scores and gold, as far as they speak of what the judge said."""
        if not self.choice.has("verdict", "a_score", "b_score"):
            self._await_labels()
            return
        free = [*self.free.values()]
        people = [name for name in free if is_of_people(name)]
        persons = [name for name in free if is_of_a_person(name) and name not in people]
        self._match_binary([*people, *persons])
        if not {"humans", "human_score"} & {*self.choice.columns}:
            named = self.free.get(HUMAN_SCORE) or self.free.get(PEOPLE_SCORE)
            for listed in (persons, people or ([named] if named else [])):
                usable = [name for name in listed if self._is_label(name, "humans")]
                if usable and not {"humans", "human_score"} & {*self.choice.columns}:
                    is_score = self.choice.kind == "score" and not self.choice.has("b_score")
                    self._take("human_score" if is_score else "humans", usable, NAME)
            for name in people:
                if name in self.free.values() and "humans" in self.choice.columns:
                    self.choice.refused.setdefault(name, "the columns of single people are used")
        for column in self._free_gold():
            if self._unnamed("gold") and self._is_label(column, "gold"):
                self._take("gold", [column], NAME)

    def _await_labels(self) -> None:
        """Say of columns of labels that they wait for what the judge said."""
        gold = self._free_gold()
        for name in self.free.values():
            if name in gold or _is_of_humans(name):
                self.choice.refused.setdefault(name, "labels, and nothing of a judge beside them")

    def _match_binary(self, people: Sequence[str]) -> None:
        """Take scores of 0 and 1 for pass and fail where those beside them are 0 and 1 as well."""
        label_columns = [*people, *self.choice.columns.get(HUMAN_SCORE, ())]
        label_columns += self._free_gold()
        label_columns += self.choice.columns.get(GOLD, [])
        label_columns += self.choice.columns.get(HUMANS, [])
        scores = self.choice.columns.get(A_SCORE, [])
        alone = not self.choice.has("b", "b_by", "b_score", "b_sha256", "verdict")
        binary = [name for name in label_columns if self.words.counts(name) and self._binary(name)]
        if alone and scores and binary and all(self._binary(name) for name in scores):
            self.choice.columns[VERDICT] = self.choice.columns.pop("a_score")
            if "human_score" in self.choice.columns:
                self.choice.columns[HUMANS] = self.choice.columns.pop("human_score")
            self.choice.kind = "pass"

    def _binary(self, name: str) -> bool:
        return self.words.are_binary(name) or self.words.says(name, "pass") >= _MOST

    def _is_label(self, column: str, field_name: str) -> bool:
        """Return whether a column holds labels of what the judge said; else note why not."""
        kind = self.choice.kind
        problem = ""
        verdicts = self.words.values(self.choice.columns.get(VERDICT, ()))
        shares = bool(self.words.values([column]) & verdicts)
        if not self.words.counts(column):
            problem = "is empty"
        elif kind == "score" and not self.choice.has("b_score"):
            is_number = self.words.are_numbers(column) and field_name == "humans"
            problem = "" if is_number else "holds no scores to compare with the judge's"
            if field_name == "gold" and self.words.are_numbers(column):
                problem += f" of people: if it does, --map human_score={column}"
        elif kind == "label":
            problem = "" if shares else "shares no value with the verdicts: a reference"
        else:
            word_kind: Kind = "pass" if kind == "pass" else "pair"
            if self.words.says(column, word_kind) < _MOST and not shares:
                problem = "shares no value with the verdicts: a reference"
                if field_name == "humans":
                    problem = "holds no labels"
        if problem:
            self.choice.refused[column] = problem
        return not problem

    # Who judged and who answered -------------------------------------------------------------

    def take_who(self) -> None:
        """Take `model` for who answered or who judged; nothing of the answers splits a judge."""
        judged = self.choice.has("judge") or bool(self.choice.judges)
        column = self.free.get(MODEL, "")
        mapped_model = self.choice.column("judge") if "judge" in self.request.columns else ""
        if plain(mapped_model) == "model" and self._unnamed("model"):
            self.choice.columns[MODEL] = [mapped_model]
        if column and self.words.counts(column):
            self._take_model(column, judged=judged)
        for name in ("platform", *ALSO[PLATFORM].split(), "version"):
            column = self.free.get(name, "")
            if column and self.words.counts(column):
                if name == "version" or not self._constant_within_judge(column):
                    self.choice.refused[column] = "of the answers: it splits no judge"
                elif self._unnamed("platform"):
                    self._take("platform", [column], NAME)

    def _take_model(self, column: str, *, judged: bool) -> None:
        if judged and self._constant_within_judge(column) and not self._answers_alone():
            self._take("model", [column], NAME)
        elif judged:
            if self._unnamed("a_by") and not self._is_paired():
                self._take("a_by", [column], "beside the judge: who answered")
            else:
                self.choice.refused[column] = "of the answers: it splits no judge"
        elif self.words.constant(column):
            self._take("judge", [column], "alone and the same in all rows")
            self.choice.columns[MODEL] = [column]
        elif not self.choice.asks:
            requests = [self._with(columns={"judge": column})]
            if self._unnamed("a_by"):
                requests.append(self._with(columns={"a_by": column}))
            else:
                requests.append(replace(self.request, ignored=(*self.request.ignored, column)))
            self.choice.asks.append(
                Ask(
                    problem=f"{column!r}: does it name who judged, or who answered?",
                    requests=requests,
                )
            )

    def _answers_alone(self) -> bool:
        return not self._is_paired() and self._unnamed("a_by")

    def _constant_within_judge(self, column: str) -> bool:
        judge = self.choice.column("judge")
        if not judge:
            return self.words.constant(column)
        codes = self.cells.columns[column].codes, self.cells.columns[judge].codes
        pairs = {*zip(*(part.tolist() for part in codes), strict=True)}
        return len(pairs) == len({judge_code for _, judge_code in pairs})

    # What no column states -------------------------------------------------------------------

    def finish(self) -> None:
        """State what no column does, and name why each other column is not used."""
        choice = self.choice
        self._refuse_inert()
        if choice.kind == "pass" and not choice.has("b", "b_by"):
            choice.assumed.append(SINGLE)
        has_author = choice.has("verdict") and choice.has("a_by")
        if choice.kind == "pair" and has_author and not self._is_paired():
            choice.assumed.append(ONE_BASELINE)
            choice.constants[B_BY] = _BASELINE
        self._name_authors()
        self._point_at_people()
        if not choice.has("judge") and not choice.judges:
            choice.assumed.append(NO_JUDGE)
        if not choice.has("item", "question", "question_sha256"):
            choice.assumed.append(NO_ITEM if choice.has("a", "a_sha256") else EACH_ROW)
        for name in self.present:
            if name not in choice.why:
                reason = "its name says it is no verdict" if is_no_verdict(name) else NOT_KNOWN
                choice.refused.setdefault(name, reason)

    def _refuse_inert(self) -> None:
        """Refuse a field of the user's that acts on no verdict of this kind.

        Raises: UsageError if there is one.
        """
        choice = self.choice
        if choice.asks:
            return
        for name in ("b", "b_sha256"):
            if name in self.request.constants and not choice.has("a", "a_sha256"):
                raise UsageError(f"--set {name}: nothing has the answers a\n  fix: --map a=COLUMN")
        if self._is_paired() or choice.kind not in _INERT:
            return
        for option, fields, inert in (
            ("--map", self.request.columns, _INERT[choice.kind][0]),
            ("--set", self.request.constants, _INERT[choice.kind][1]),
        ):
            for name in (name for name in inert if name in fields):
                fix = "leave it out"
                if name in (GOLD, HUMANS) and option == "--map":
                    fix = f"--map human_score={fields[name]} if people gave these scores"
                problem = f"{option} {name}: {_SINGLE[choice.kind]} have no such field"
                raise UsageError(f"{problem}\n  fix: {fix}")

    def _name_authors(self) -> None:
        """Name answers that nothing names, or ask where only the second is there."""
        choice = self.choice
        if not choice.has("a", "a_sha256", "a_by"):
            kind = "pair" if choice.kind == "pair" or self._is_paired() else "pass"
            for name, author in zip(("a_by", "b_by"), _NAMELESS[kind], strict=False):
                if self._unnamed(name):
                    choice.constants[name] = author
        second = choice.column("b") or choice.column("b_sha256")
        if second and not choice.has("a", "a_sha256") and choice.has("verdict"):
            request = replace(self.request, ignored=(*self.request.ignored, second))
            choice.asks.append(Ask(problem="has the answers b, and no a", requests=[request]))

    def _point_at_people(self) -> None:
        """Point at columns of labels under names of their own, which may be people's."""
        if self.choice.kind not in ("pass", "pair") or self.choice.has("humans", "human_score"):
            return
        kind: Kind = "pass" if self.choice.kind == "pass" else "pair"
        alike = [
            name
            for name in self.free.values()
            if not is_no_verdict(name)
            and not self.words.are_numbers(name)
            and self.words.says(name, kind) >= _MOST
        ]
        if alike:
            options = " ".join(
                f"--map humans={name}" for name in sorted(alike, key=self.present.index)
            )
            self.choice.assumed.append(f"labels of people? {options}")


def _choice_of_two(preference: float | None) -> str:
    """Return the word for a preference from 1 to 2, or 0 for a draw; nothing if there is none."""
    if preference is None:
        return ""
    if preference in (0, _DRAW):
        return TIE
    return "a" if preference < _DRAW else "b"


def _is_of_humans(column: str) -> bool:
    """Return whether a column's name says that people, or one of them, gave what it holds."""
    return is_of_people(column) or is_of_a_person(column)


NOT_KNOWN: Final = "its name is none of a field"
NO_ITEM: Final = "no column names the question: rows of equal texts are of one question"
EACH_ROW: Final = "no column names the question, or has texts: each row is of another question"
NO_JUDGE: Final = "no column names the judge: all verdicts count as those of one judge"
ONE_BASELINE: Final = "each verdict compares an answer (a) with one baseline (b)"
SINGLE: Final = "each verdict is of one answer: pass counts as a, fail as b"
