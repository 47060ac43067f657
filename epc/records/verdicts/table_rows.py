"""Rows of a table as verdicts: cells read, labels in our words, sides and items named.

Work is done by distinct values, or by distinct combinations of them: a million rows have few. A
row that cannot be read is left out, and counted by its reason.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import Any, Final

import msgspec

from epc.arrays import Codes, Flags, Indices, np
from epc.errors import UsageError
from epc.records.csv_tables import decimal
from epc.records.verdicts.aliases import (
    A_SCORE,
    A_SHA256,
    A_TEXT,
    B_SHA256,
    B_TEXT,
    CONFIDENCE,
    FIRST,
    GOLD,
    GOLD_LABEL,
    HUMAN_LABELS,
    HUMAN_SCORE,
    HUMAN_SCORES,
    HUMANS,
    ITEM,
    LABEL,
    QUESTION_SHA256,
    REPEAT,
    SETTING,
    SUBSET,
    VERDICT,
)
from epc.records.verdicts.cells import Cells, length_of, sha256_of
from epc.records.verdicts.coded import (
    ABSENT,
    absent,
    combined,
    constant,
    exchanged,
    flipped,
    of_combinations,
    of_values,
    opposite,
    recoded,
)
from epc.records.verdicts.column_rules import (
    EACH_ROW,
    LABELLED,
    MOST_COMMANDS,
    OF_SETTING,
    TEXTS,
    Ask,
    Choice,
    labels_of,
)
from epc.records.verdicts.columns import COLUMNS, Column, Verdicts, joined
from epc.records.verdicts.converting import FAILS, Request, day_of, digest
from epc.records.verdicts.names import number_of
from epc.records.verdicts.scales import BOTH, SENTINELS, both_scales, known_scale, on_unit, scale_of
from epc.records.verdicts.table_words import (
    RowWords,
    UnfitError,
    apart,
    is_word,
    people_words,
    words_for,
)
from epc.records.verdicts.types import UNKNOWN, Judge, Prompt, Scale, Setting
from epc.records.verdicts.verdict_words import MISSING, NO_ANSWER, PLACES, UNREADABLE, score_in

FILE: Final = "table"
_LARGEST: Final = 1e12
_MAX_COUNT: Final = 2**31
NO_SCORE: Final = "without a score, so without a verdict"
NO_PLAIN_SCORE: Final = "with a score that is no plain number (8/10 is read as 8)"
EXCHANGED: Final = "rows with the answers of another one exchanged are that pair in the other order"
_ENOUGH: Final = 20  # scores of a judge, of which its scale may be told
_SEVERAL: Final = 2
_APART: Final = 5  # times as high as another scale's top, which then is no part of this one
_LONG: Final = 200  # characters of an item's name, from which on a digest stands for it


@dataclass(slots=True, kw_only=True)
class Built:
    """Verdicts of a table; `left_out` and `notes` have lines by what is said of them.

    `texts` has the candidates' texts, where these may be kept.
    """

    verdicts: Verdicts
    settings: dict[str, Setting]
    rows: int
    left_out: dict[str, list[int]] = field(default_factory=dict)
    notes: dict[str, list[int]] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    scale: Scale | None = None
    texts: dict[str, Column] = field(default_factory=dict)
    repeated: int = 0
    asks: list[Ask] = field(default_factory=list)


def verdicts_of(cells: Cells, choice: Choice, request: Request) -> Built:
    """Return the verdicts of a table whose columns are chosen.

    Raises: UsageError for a label that no row has, or a scale that is none.
    """
    builder = _Builder(cells, choice, request)
    return builder.build()


class _Builder:
    """Conversion of a table on its way."""

    def __init__(self, cells: Cells, choice: Choice, request: Request) -> None:
        self.cells, self.choice, self.request = cells, choice, request
        self.size = len(cells)
        self.left: list[tuple[Flags, str]] = []
        self.notes: dict[str, list[int]] = {}
        self.settings: dict[str, Setting] = {}
        self._keys: dict[tuple[str, ...], str] = {}
        self.outside = 0
        self.labels: dict[str, dict[str, str]] = {}
        for name in LABELLED:
            for column in choice.columns.get(name, ()):
                self.labels[column] = labels_of(request, column, [*cells.columns])

    @property
    def alone(self) -> bool:
        """Return whether each verdict says pass or fail of one answer."""
        return self.choice.kind == "pass" and not self._is_paired

    @property
    def _is_paired(self) -> bool:
        return self.choice.has("b", "b_sha256", "b_by", "b_score")

    @property
    def has_texts(self) -> bool:
        """Return whether the table holds the answers, or their digests."""
        return self.choice.has("a", "a_sha256")

    def field(self, name: str) -> Column | None:
        """Return the cells of a field, or what the user states for all rows."""
        if name in self.choice.columns:
            return self.cells.columns[self.choice.column(name)]
        if name in self.choice.constants:
            return constant(self.choice.constants[name], self.size)
        return None

    # Parts of a wide table -------------------------------------------------------------------

    def build(self) -> Built:
        """Return the verdicts; of a wide table those of one judge after the other's."""
        outcome = "verdict" if "verdict" in self.choice.columns else "a_score"
        columns = self.choice.columns.get(outcome, [""])
        scale, on_scale = self._scale(columns if outcome == "a_score" else [])
        asks = self._odd_scores(scale, columns) + self._unlike_scales(
            columns if outcome == "a_score" else [""]
        )
        parts, texts, assumed, repeated = [], dict[str, Column](), list[str](), 0
        left_out: dict[str, list[int]] = {}
        for column in columns:
            part = _Part(self, outcome, column, on_scale)
            verdicts, kept = part.verdicts()
            parts.append(verdicts)
            texts = {
                name: replace(text, codes=text.codes[kept]) for name, text in part.texts.items()
            }
            assumed += part.assumed
            repeated += part.repeated
            for reason, lines in part.left_out().items():
                left_out.setdefault(reason, []).extend(lines)
        self._refuse_unmet()
        if scale is not None:
            scale = replace(scale, outside=self.outside)
        return Built(
            verdicts=parts[0] if len(parts) == 1 else joined(parts),
            settings=self.settings,
            rows=self.size * len(columns),
            left_out=left_out,
            notes=self.notes,
            assumed=[*dict.fromkeys(assumed)],
            scale=scale,
            texts=texts if len(parts) == 1 else {},
            repeated=repeated,
            asks=asks,
        )

    def _refuse_unmet(self) -> None:
        met: set[str] = set()
        people = [
            column for name in (HUMANS, HUMAN_SCORE) for column in self.choice.columns.get(name, ())
        ]
        for column, labels in self.labels.items():
            present = {name.strip().lower() for name in self.cells.columns[column].names}
            if column in people:
                present |= {
                    label.lower()
                    for name in self.cells.columns[column].names
                    for label in apart(name, {*labels, *people_words(self.choice.kind)})
                }
            met |= {f"{column}:{label}" for label in labels if label in present}
            met |= {label for label in labels if label in present}
        for label, word in self.request.labels.items():
            name, colon, value = label.partition(":")
            key = label.strip().lower()
            is_of_column = bool(colon) and name in self.cells.columns
            if is_of_column:
                key = f"{name}:{value.strip().lower()}"
            self._require_word(label, word, name if is_of_column else "")
            if key not in met:
                looked = ", ".join(self.labels) or "no column of labels"
                raise UsageError(
                    f"--label {label}={self.request.labels[label]}: no row has the label "
                    f"{value if is_of_column else label!r}\n  fix: labels stand in {looked}"
                )

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Return how each right label is most often spelt, by its letters in lower case."""
        counts: Counter[str] = Counter()
        for title in self.right_columns:
            read = self.label_reader(title)
            for cell, count in self.cells.counts(title).items():
                counts.update(dict.fromkeys(filter(None, map(read, cell.split(";"))), count))
        ranked = reversed(counts.most_common())
        return {label.casefold(): label for label, _ in ranked}

    @property
    def right_columns(self) -> list[str]:
        """Return the columns of labels of what is right, gold's and people's."""
        return [title for name in (GOLD, HUMANS) for title in self.choice.columns.get(name, ())]

    def label_reader(self, column: str) -> Callable[[str], str | None]:
        """Return what reads a right label as the user or the file spells it."""
        labels = self.labels.get(column, {})

        def read(cell: str) -> str | None:
            text = cell.strip()
            text = labels.get(text.lower(), text)
            missing = not text or text == UNREADABLE or text.lower() in MISSING
            return None if missing else text

        return read

    def _require_word(self, label: str, word: str, column: str) -> None:
        """Refuse a meaning that no label of this kind can have; a place is of verdicts alone."""
        kind = self.choice.kind
        problem = ""
        if kind == "score":
            is_score = word == UNREADABLE or number_of(word) is not None
            problem = "" if is_score else f"a score is a number or {UNREADABLE}"
        elif kind != "label" and not is_word(word, kind):
            problem = f"WORD is {words_for(VERDICT, kind)}"
        elif word in PLACES and column and column not in self.choice.columns.get(VERDICT, ()):
            problem = f"a place is what the judge was shown: WORD is {words_for(GOLD, kind)}"
        if problem:
            raise UsageError(f"--label {label}={word}: says nothing\n  fix: {problem}")

    # Scores ----------------------------------------------------------------------------------

    def read_score(self, column: str) -> Callable[[str], Any]:
        """Return what reads a score's cell: a number, `unreadable`, None if empty, or a problem."""
        labels = self.labels.get(column, {})

        def read(cell: str) -> Any:
            text = cell.strip()
            word = labels.get(text.lower())
            if word is not None:
                if word == UNREADABLE:
                    return UNREADABLE
                text = word
            if not text or text.lower() in MISSING:
                return None
            number = number_of(text)
            if number is None:
                number = score_in(decimal(text))
            if number is None or abs(number) > _LARGEST:
                return UnfitError(f"have {cell!r} in {column}, which is no number")
            return number

        return read

    def _scale(self, judges: Sequence[str]) -> tuple[Scale | None, Callable[[float, str], Any]]:
        """Return the scale of single answers' scores, and what reads a score on it."""
        people = self.choice.columns.get(HUMAN_SCORE, [])
        stated = self.request.scales
        if not judges or self._is_paired:
            if stated:
                fix = "leave it out, or --map a_score=COLUMN"
                raise UsageError(f"--scale: no scores of single answers\n  fix: {fix}")
            return None, lambda value, _: value
        by_judge, by_people = (self._numbers(columns) for columns in (judges, people))
        if both_scales(stated):
            if not people:
                fix = f"--scale {stated['judge']}" if "judge" in stated else "leave it out"
                raise UsageError(f"--scale humans: no scores of people\n  fix: {fix}")
            scales = {name: scale_of(text) for name, text in stated.items()}
            unit = Scale(low=0.0, high=1.0, step=0.1, stated=True)
            return unit, lambda value, who: _inside(value, scales[who], unit=True)
        if not stated and self._are_apart(by_judge, by_people):
            return None, lambda value, _: value
        scale = (
            scale_of(stated[BOTH], (*by_judge, *by_people))
            if stated
            else known_scale((*by_judge, *by_people))
        )
        if scale is None:
            return None, lambda value, _: value
        return scale, lambda value, _: _inside(value, scale)

    def _are_apart(self, by_judge: set[float], by_people: set[float]) -> bool:
        """Return whether a judge and people plainly score on two scales, as 0-1 and 1-5."""
        tops = [scale.high for side in (by_judge, by_people) if (scale := known_scale(side))]
        return len(tops) == _SEVERAL and self.size >= _ENOUGH and max(tops) >= _APART * min(tops)

    def _numbers(self, columns: Sequence[str]) -> set[float]:
        values = (
            self.read_score(column)(part)
            for column in columns
            for name in self.cells.columns[column].names
            for part in name.split(";")
        )
        return {value for value in values if isinstance(value, float)}

    def _odd_scores(self, scale: Scale | None, judges: Sequence[str]) -> list[Ask]:
        """Return what to ask of scores that may be none: a judge's 0, a sentinel among people's."""
        if scale is None or scale.stated:
            return []
        people = self.choice.columns.get(HUMAN_SCORE, [])
        by_judge, by_people = (self._numbers(columns) for columns in (judges, people))
        asks = []
        others = by_judge - {0.0} - SENTINELS
        if 0.0 in by_judge and others and min(others) >= 1 and 0.0 not in by_people:
            top = next(high for high in (5, 10, 100) if high >= max(others))
            unreadable = {f"{judge}:0": UNREADABLE for judge in judges}
            asks.append(
                Ask(
                    problem="the judge's other scores are at least 1: is its 0 a score, or none?",
                    requests=[
                        replace(self.request, labels={**self.request.labels, **unreadable}),
                        replace(self.request, scales={"": f"0-{top}"}),
                    ],
                )
            )
        if odd := sorted(value for value in by_people if not scale.low <= value <= scale.high):
            unreadable = {
                f"{column}:{name.strip()}": UNREADABLE
                for column in people
                for name in self.cells.columns[column].names
                if number_of(name) in odd
            }
            listed = ", ".join(f"{value:g}" for value in odd)
            asks.append(
                Ask(
                    problem=f"people's scores hold {listed}, outside the scale of the others",
                    requests=[replace(self.request, labels={**self.request.labels, **unreadable})],
                )
            )
        return asks

    def _unlike_scales(self, columns: Sequence[str]) -> list[Ask]:
        """Return what to ask of judges whose scores seem to be on scales of their own."""
        if self.request.scales or not columns[0] or self._is_paired:
            return []
        if self.choice.judges:
            by_judge = {self.choice.judges[c]: self.cells.counts(c) for c in columns}
        else:
            by_judge = self._scores_of_judges(columns[0])
        read = self.read_score(columns[0])
        scales = {
            judge: known_scale(filter(_is_number, map(read, counts)))
            for judge, counts in by_judge.items()
            if counts.total() >= _ENOUGH
        }
        tops = {judge: found for judge, found in scales.items() if found is not None}
        highest = [found.high for found in tops.values()]
        if len(tops) < _SEVERAL or max(highest) < 2 * min(highest):
            return []
        listed = ", ".join(f"{name} {s.low:g} to {s.high:g}" for name, s in tops.items())
        requests = [
            replace(self.request, columns={**self.request.columns, A_SCORE: column})
            for column in self.choice.judges
        ]
        requests = requests[: MOST_COMMANDS - 1]
        if (scale := known_scale(self._numbers(columns))) is not None:
            one = f"{scale.low:g}-{scale.high:g}"
            requests.append(replace(self.request, scales={BOTH: one}))
        advice = "" if self.choice.judges else " If not, give each judge a file of its own"
        problem = f"do the judges score on one scale ({listed})?{advice}"
        return [Ask(problem=problem, requests=requests)]

    def _scores_of_judges(self, column: str) -> dict[str, Counter[str]]:
        """Return how often each judge of a column of judges gives each score."""
        judge, scores = self.field("judge"), self.cells.columns.get(column)
        if judge is None or scores is None or len(judge.names) < _SEVERAL:
            return {}
        first, combination = combined([judge, scores], self.size)
        numbers = np.bincount(combination, minlength=len(first)).tolist()
        by_judge: dict[str, Counter[str]] = {}
        for row, number in zip(first.tolist(), numbers, strict=True):
            name = judge.names[int(judge.codes[row])]
            by_judge.setdefault(name, Counter())[scores.names[int(scores.codes[row])]] += number
        return by_judge

    # Settings --------------------------------------------------------------------------------

    def setting(self, fields: tuple[str, ...]) -> str:
        """Return the key of a setting, which is new if it differs from all before."""
        if fields not in self._keys:
            judge, model, platform, prompt, sha256, decoding = fields
            key = judge if prompt == UNKNOWN else f"{judge}/{prompt}"
            if key in self.settings:
                key = f"{key}#{len(self.settings) + 1}"
            self.settings[key] = Setting(
                judge=Judge(name=judge, model=model, platform=platform),
                prompt=Prompt(name=prompt, sha256=sha256),
                decoding=_decoding(decoding),
                date=UNKNOWN,
            )
            self._keys[fields] = key
        return self._keys[fields]


def _is_number(score: Any) -> bool:
    return isinstance(score, float)


def _inside(value: float, scale: Scale, *, unit: bool = False) -> Any:
    if not scale.low <= value <= scale.high:
        return UNREADABLE
    return on_unit(value, scale) if unit else value


def _decoding(text: str) -> dict[str, Any] | str:
    if text == UNKNOWN:
        return UNKNOWN
    return msgspec.json.decode(text, type=dict[str, Any])


class _Part:
    """Verdicts of one judge's column, or of a table that has one."""

    def __init__(
        self, builder: _Builder, outcome: str, column: str, on_scale: Callable[[float, str], Any]
    ) -> None:
        self.of, self.outcome, self.column, self.on_scale = builder, outcome, column, on_scale
        self.size, self.choice = builder.size, builder.choice
        self.columns: dict[str, Column] = {}
        self.reasons: dict[str, Flags] = {}
        self.taken: Flags = np.zeros(self.size, bool)
        self.assumed: list[str] = []
        self.repeated = 0
        self.texts: dict[str, Column] = {}

    def field(self, name: str) -> Column | None:
        """Return the cells of a field in this part."""
        if name == self.outcome and self.column:
            return self.of.cells.columns[self.column]
        if name == "judge" and self.choice.judges:
            return constant(self.choice.judges[self.column], self.size)
        if name == "first" and self.choice.orders:
            return constant(self.choice.orders[self.column], self.size)
        return self.of.field(name)

    def leave_out(self, rows: Flags, reason: str) -> None:
        """Leave rows out for a reason, unless another one came first."""
        rows = rows & ~self.taken
        if rows.any():
            self.reasons[reason] = self.reasons.get(reason, np.zeros(self.size, bool)) | rows
            self.taken |= rows

    def left_out(self) -> dict[str, list[int]]:
        """Return the lines that were left out by reason."""
        lines = self.of.cells.lines
        return {reason: lines[rows].tolist() for reason, rows in self.reasons.items()}

    def verdicts(self) -> tuple[Verdicts, Flags]:
        """Return the verdicts that can be read, and which rows they are."""
        self._read_plain()
        self._read_scores()
        self._read_texts()
        self._name_questions()
        turned = self._turned()
        if self.choice.kind == "label":
            self._read_labels()
        else:
            self._read_words(turned)
        self._turn(turned)
        self._name_items()
        self._read_settings()
        self._number_askings()
        self._refuse_empty()
        keep = ~self.taken
        empty = absent(self.size)
        columns = {name: self.columns.get(name, empty) for name in COLUMNS}
        verdicts = Verdicts(lines=self.of.cells.lines, **columns)
        if not keep.all():
            verdicts = verdicts[keep]
            verdicts = replace(verdicts, item=verdicts.item.pruned())
        return verdicts, keep

    # Cells -----------------------------------------------------------------------------------

    def _read_plain(self) -> None:
        self.columns |= {"file": constant(FILE, self.size)}
        for name, read in _READERS.items():
            if (column := self.field(name)) is not None:
                self.columns[name] = recoded(column, read)
        if (column := self.field("repeat")) is not None:
            self.columns[REPEAT] = _repeats(column)
        if (column := self.field("confidence")) is not None:
            self.columns[CONFIDENCE] = _confidence(column)

    def _read_scores(self) -> None:
        for name in ("a_score", "b_score"):
            if (column := self.field(name)) is not None:
                self._read_score(name, column)
        self._read_people_scores()

    def _read_score(self, name: str, column: Column) -> None:
        alone = self.outcome == "a_score" and not self.choice.has(
            "b", "b_sha256", "b_by", "b_score"
        )
        title = self.column if name == self.outcome else self.choice.column(name)
        numbers = [*map(self.of.read_score(title), column.names)]
        values = [
            self.on_scale(number, "judge") if alone and isinstance(number, float) else number
            for number in numbers
        ]
        self.columns[name] = of_values(
            [value if isinstance(value, float) else None for value in values], column.codes
        )
        self._leave_out_unfit(column, numbers)
        self._note_odd(column, numbers)
        outside = [n != value == UNREADABLE for n, value in zip(numbers, values, strict=True)]
        self.of.outside += int(_rows_of(column, outside).sum())
        self._unreadable(_rows_of(column, [value == UNREADABLE for value in values]))
        if alone:
            self.leave_out(_rows_of(column, [value is None for value in values]), "have no score")

    def _leave_out_unfit(self, column: Column, numbers: Sequence[Any]) -> None:
        problems: dict[str, list[int]] = {}
        for code, number in enumerate(numbers):
            if isinstance(number, UnfitError):
                problems.setdefault(str(number), []).append(code)
        for problem, codes in problems.items():
            self.leave_out(np.isin(column.codes, codes), problem)

    def _note_odd(self, column: Column, numbers: Sequence[Any]) -> None:
        """Note the rows whose score is no plain number, as 8/10."""
        odd = [
            isinstance(number, float) and number_of(cell) is None
            for cell, number in zip(column.names, numbers, strict=True)
        ]
        if any(odd):
            lines = self.of.cells.lines[_rows_of(column, odd)].tolist()
            self.of.notes.setdefault(NO_PLAIN_SCORE, []).extend(lines)

    def _unreadable(self, rows: Flags) -> None:
        if not rows.any():
            return
        self.columns[VERDICT] = Column(
            codes=np.where(rows, 0, self._codes("verdict")).astype(np.int32),
            names=self.columns[VERDICT].names if "verdict" in self.columns else [UNREADABLE],
        )
        for name in ("a_score", "b_score"):
            if name in self.columns:
                column = self.columns[name]
                codes = np.where(rows, ABSENT, column.codes).astype(np.int32)
                self.columns[name] = Column(codes=codes, names=column.names)

    def _codes(self, name: str) -> Indices:
        return self.columns[name].codes if name in self.columns else absent(self.size).codes

    def _read_people_scores(self) -> None:
        titles = self.choice.columns.get(HUMAN_SCORE, [])
        if not titles:
            return
        readers = [self.of.read_score(title) for title in titles]

        def scores(row: list[Any]) -> tuple[float, ...] | None:
            values = [
                self.on_scale(number, "humans")
                for read, cell in zip(readers, row, strict=True)
                for part in (cell or "").split(";")
                for number in [read(part)]
                if isinstance(number, float)
            ]
            return tuple(v for v in values if v != UNREADABLE) or None

        columns = [self.of.cells.columns[title] for title in titles]
        people = of_combinations(columns, self.size, scores)
        self.columns[HUMAN_SCORES] = people
        self.columns[HUMAN_SCORE] = _means(people)

    def _read_texts(self) -> None:
        for name in TEXTS:
            column = self.field(name)
            if column is None:
                continue
            self.columns[f"{name}_sha256"] = recoded(column, sha256_of)
            if name != "question":
                self.columns[f"{name}_length"] = recoded(column, length_of)
            if self.of.request.texts and name in ("a", "b"):
                self.texts[f"{name}_text"] = column
        if self.of.alone:
            self.columns[B_SHA256] = constant(FAILS, self.size)
            for name in ("b_by", "b_length"):
                self.columns.pop(name, None)

    # Items -----------------------------------------------------------------------------------

    def _name_questions(self) -> None:
        """Name each row's question, and without texts the answers by who wrote them."""
        item = self.field("item")
        if EACH_ROW in self.choice.assumed:
            item = Column(
                codes=np.arange(self.size, dtype=np.int32),
                names=[f"line {line}" for line in self.of.cells.lines.tolist()],
            )
        if item is not None:
            if not all(0 < len(cell) <= _LONG for cell in item.names):
                item = recoded(item, _item_cell)
            self.leave_out(item.codes < 0, "name no item")
        self.item = item
        parts = [self.columns.get(SUBSET), item, self.columns.get(QUESTION_SHA256)]
        listed = [column for column in parts if column is not None]
        if listed == [item] and item is not None and (item.codes >= 0).all():
            self.question = item
        elif listed:
            self.question = of_combinations(listed, self.size, _joined, distinct=True)
        else:
            texts = [self.columns.get(name, absent(self.size)) for name in ("a_sha256", "b_sha256")]
            self.question = of_combinations(texts, self.size, _digest_of_texts)
        if not self.of.has_texts:
            self._name_answers()

    def _name_answers(self) -> None:
        """Name answers without texts by their question and who wrote them: one of a side is one."""
        sides = ["a"] if self.of.alone or self.choice.kind == "label" else ["a", "b"]
        by = {side: self.columns.get(f"{side}_by") or self._constant_by(side) for side in sides}
        named = {side: column for side, column in by.items() if column is not None}
        if not named:
            return
        code_of: dict[Any, int] = {}
        codes = []
        for column in named.values():
            places = [code_of.setdefault(value, len(code_of)) for value in column.names]
            codes.append(np.array([*places, ABSENT], np.int32)[column.codes])
        authors = Column(codes=np.concatenate(codes), names=[*code_of])
        question = Column(codes=np.tile(self.question.codes, len(named)), names=self.question.names)
        answers = of_combinations(
            [question, authors], len(authors.codes), _digest_by, distinct=True
        )
        for place, (side, column) in enumerate(named.items()):
            own = answers.codes[place * self.size : (place + 1) * self.size]
            own = np.where(column.codes < 0, ABSENT, own)
            self.columns[f"{side}_sha256"] = Column(codes=own, names=answers.names)

    def _constant_by(self, side: str) -> Column | None:
        by = self.choice.constants.get(f"{side}_by")
        if by is None:
            return None
        self.columns[f"{side}_by"] = constant(by, self.size)
        return self.columns[f"{side}_by"]

    def _turned(self) -> Flags:
        """Return which rows have the answers of an earlier one exchanged."""
        nothing: Flags = np.zeros(self.size, bool)
        if self.of.alone or "b_sha256" not in self.columns:
            return nothing
        code_of: dict[str, int] = {}
        sides = []
        both = [self.columns[name] for name in ("a_sha256", "b_sha256")]
        if both[0].names is both[1].names:
            return self._exchanged(*(column.codes.astype(np.int64) for column in both))
        for column in both:
            places = [code_of.setdefault(value, len(code_of)) for value in column.names]
            sides.append(np.array([*places, ABSENT], np.int64)[column.codes])
        return self._exchanged(*sides)

    def _exchanged(self, a: Codes, b: Codes) -> Flags:
        names: Sequence[Any] = range(int(max(a.max(initial=0), b.max(initial=0))) + 1)
        low, high = (
            Column(codes=part, names=names) for part in (np.minimum(a, b), np.maximum(a, b))
        )
        first, pair = combined([self.question, low, high], self.size)
        turned: Flags = (a != a[first[pair]]) & (b >= 0)
        return turned

    def _turn(self, turned: Flags) -> None:
        if not turned.any():
            return
        self.assumed.append(EXCHANGED)
        for kind in ("sha256", "by", "length", "score"):
            left, right = f"a_{kind}", f"b_{kind}"
            if {left, right} & {*self.columns}:
                self.columns[left], self.columns[right] = exchanged(
                    self.columns.get(left, absent(self.size)),
                    self.columns.get(right, absent(self.size)),
                    turned,
                )
        for name in ("first", "verdict", "gold"):
            if name in self.columns:
                self.columns[name] = flipped(self.columns[name], turned, opposite)
        if "humans" in self.columns:
            self.columns[HUMANS] = flipped(
                self.columns[HUMANS], turned, lambda people: tuple(map(opposite, people))
            )
        if self.texts:
            self.texts[A_TEXT], self.texts[B_TEXT] = exchanged(
                self.texts[A_TEXT], self.texts[B_TEXT], turned
            )

    def _name_items(self) -> None:
        title = self.choice.column("item")
        is_item = (
            title == self.of.request.columns.get(ITEM, "item") or "item" in self.choice.constants
        )
        named = self.of.has_texts and is_item and self.item is not None
        if named:
            assert self.item is not None
            self.columns[ITEM] = self.item
            return
        if "question_sha256" not in self.columns:
            self.columns[QUESTION_SHA256] = of_combinations(
                [self.question], self.size, _digest_of, distinct=True
            )
        texts = [self.columns.get(name, absent(self.size)) for name in ("a_sha256", "b_sha256")]
        item = [] if self.item is None or self.item is self.question else [self.item]
        self.columns[ITEM] = of_combinations(
            [self.question, *texts, *item], self.size, _item_name, distinct=True
        )

    def _number_askings(self) -> None:
        """Number the askings where nothing but the texts tells a repeat."""
        if not self.of.has_texts or self.choice.has("item", "repeat"):
            return
        columns = [self.columns[name] for name in ("item", "setting")]
        columns += [self.columns[FIRST]] if "first" in self.columns else []
        first, asking = combined(columns, self.size)
        order = np.argsort(asking, kind="stable")
        starts = np.searchsorted(asking[order], np.arange(len(first)))
        number = np.empty(self.size, np.int64)
        number[order] = np.arange(self.size) - starts[asking[order]]
        self.repeated = int((number > 0).sum())
        if self.repeated:
            self.columns[REPEAT] = Column(
                codes=np.where(number > 0, number - 1, ABSENT).astype(np.int32),
                names=[*range(1, int(number.max()) + 1)],
            )

    def _read_settings(self) -> None:
        columns = [self.field(name) or constant(UNKNOWN, self.size) for name in OF_SETTING]
        if self.field("judge") is not None:
            empty = [code for code, name in enumerate(columns[0].names) if not name.strip()]
            self.leave_out(np.isin(columns[0].codes, empty), "name no judge")
        for code, name in enumerate(columns[-1].names):
            if name and name != UNKNOWN and not _is_object(name):
                self.leave_out(
                    columns[-1].codes == code, f"have no JSON object in decoding: {name!r}"
                )
        columns[-1] = recoded(columns[-1], lambda cell: cell if _is_object(cell) else "")
        self.columns[SETTING] = of_combinations(
            columns, self.size, lambda row: self.of.setting(tuple(cell or UNKNOWN for cell in row))
        )
        used = {
            self.columns[SETTING].names[c]
            for c in {*self.columns[SETTING].codes[~self.taken].tolist()}
        }
        for name in {*self.columns[SETTING].names} - used:
            if not self.choice.judges:
                self.of.settings.pop(name, None)

    # Words -----------------------------------------------------------------------------------

    def _read_labels(self) -> None:
        """Read choices among labels as the file spells them."""
        column = self.field("verdict")
        assert column is not None
        given = self.of.labels.get(self.column, {})
        spellings = self.of.spellings

        def read(cell: str) -> str | None:
            text = cell.strip()
            text = given.get(text.lower(), text)
            missing = text.lower() in NO_ANSWER and text.casefold() not in spellings
            if not text or missing or text == UNREADABLE:
                return None
            return spellings.get(text.casefold()) or spellings.setdefault(text.casefold(), text)

        said = recoded(column, read)
        empty = [code for code, cell in enumerate(column.names) if not cell.strip()]
        self.columns[LABEL] = said
        self.leave_out(np.isin(column.codes, empty), "have no verdict")
        self.columns[VERDICT] = Column(
            codes=np.where(said.codes < 0, 0, ABSENT).astype(np.int32), names=[UNREADABLE]
        )
        if gold := self.choice.columns.get(GOLD):
            labels = recoded(self.of.cells.columns[gold[0]], self.of.label_reader(gold[0]))
            self.columns[GOLD_LABEL] = recoded(labels, self._spelt)
        if people := self.choice.columns.get(HUMANS):
            columns = [self.of.cells.columns[title] for title in people]
            readers = [self.of.label_reader(title) for title in people]
            self.columns[HUMAN_LABELS] = of_combinations(
                columns, self.size, lambda row: self._persons(row, readers)
            )

    def _persons(
        self, row: Sequence[str | None], readers: Sequence[Callable[[str], str | None]]
    ) -> tuple[str, ...] | None:
        """Return the labels of the persons of a row, of whom several may stand in one cell."""
        parts = [
            read(part)
            for cell, read in zip(row, readers, strict=True)
            for part in (cell or "").split(";")
        ]
        return tuple(self._spelt(label) for label in parts if label) or None

    def _spelt(self, label: str) -> str:
        return self.of.spellings[label.casefold()]

    def _read_words(self, turned: Flags) -> None:
        """Read labels in our words, which name candidates and not places."""
        people = self.choice.columns.get(HUMANS, [])
        titles = {"verdict": self.column if self.outcome == "verdict" else ""}
        titles |= {name: self.choice.column(name) for name in ("first", "swapped", "gold")}
        listed = [(name, self.field(name)) for name in ("verdict", "first", "swapped", "gold")]
        listed += [("humans", self.of.cells.columns[title]) for title in people]
        if "humans" in self.choice.constants:
            listed += [("humans", self.field("humans"))]
        listed += [(f"{side}_by", self.columns.get(f"{side}_by")) for side in "ab"]
        present = [(name, column) for name, column in listed if column is not None]
        has_order = any(name in ("first", "swapped") for name, _ in present)
        exchanged = bool(turned.any()) and not has_order
        # Who exchanges the answers asks in both orders, and writes down what was shown.
        words = RowWords(
            kind="pass" if self.choice.kind == "pass" else "pair",
            labels={**self.of.labels, "": {}},
            titles=titles,
            people=people,
            sides=self.choice.sides,
            order="a" if exchanged else None,
        )
        names = [name for name, _ in present]
        first, combination = combined([column for _, column in present], self.size)
        results = (
            [
                words.of(
                    [
                        (n, c.names[code] if code >= 0 else "")
                        for (n, c), code in zip(present, row, strict=True)
                    ]
                )
                for row in zip(
                    *(column.codes[first].tolist() for _, column in present), strict=True
                )
            ]
            if names
            else []
        )
        scored = self._codes("a_score") >= 0 if self.choice.has("a_score", "b_score") else None
        for name in ("first", "verdict", "gold", "humans"):
            values = [None if isinstance(r, str) else r.get(name) for r in results]
            if any(value is not None for value in values):
                column = of_values(values, combination)
                self.columns[name] = self._with_unreadable(column) if name == "verdict" else column
        problems = np.array([isinstance(result, str) for result in results] or [False])
        for index in np.flatnonzero(problems).tolist():
            self.leave_out(combination == index, str(results[index]))
        if self.outcome == "verdict" and self.choice.has("verdict"):
            empty = self._codes("verdict") < 0
            if scored is not None:
                empty &= ~scored
            self.leave_out(empty, "have no verdict")
        elif "verdict" in self.columns or self.choice.has("b_score"):
            self._note_half_scored()

    def _with_unreadable(self, column: Column) -> Column:
        """Return verdicts with those that a score made unreadable."""
        before = self._codes("verdict")
        if not (before >= 0).any():
            return column
        names = [*column.names]
        code = names.index(UNREADABLE) if UNREADABLE in names else len(names)
        names += [UNREADABLE] if code == len(names) else []
        return Column(codes=np.where(before >= 0, code, column.codes).astype(np.int32), names=names)

    def _note_half_scored(self) -> None:
        if not self.choice.has("b_score"):
            return
        a, b = self._codes("a_score") >= 0, self._codes("b_score") >= 0
        half = (a != b) & (self._codes("verdict") < 0) & ~self.taken
        if half.any():
            self.of.notes.setdefault(NO_SCORE, []).extend(self.of.cells.lines[half].tolist())
        self.leave_out(~a & ~b & (self._codes("verdict") < 0), "have no score")

    def _refuse_empty(self) -> None:
        if "a_sha256" not in self.columns:
            return
        self.leave_out(self.columns[A_SHA256].codes < 0, "name no answer")


def _rows_of(column: Column, chosen: Sequence[bool]) -> Flags:
    """Return the rows whose value is chosen."""
    rows: Flags = np.array([*chosen, False])[column.codes]
    return rows


def _joined(parts: list[Any]) -> str:
    return "/".join(str(part) for part in parts if part is not None)


def _digest_of_texts(texts: list[Any]) -> str:
    return digest("/".join(sorted(map(str, (None, *texts)))))


def _digest_by(parts: list[Any]) -> str:
    question, by = parts
    return digest(f"{question}/{by}")


def _digest_of(parts: list[Any]) -> str:
    return digest(parts[0])


def _item_cell(cell: str) -> str | None:
    return (sha256_of(cell) if len(cell) > _LONG else cell) or None


def _item_name(parts: list[Any]) -> str:
    question, a, b, *items = parts
    item = items[0] if items else None
    short = question if len(question) < len(a or "") else question[:12]
    return f"{item or short}/{(a or '')[:12]}/{(b or '')[:12]}"


def _text(cell: str) -> str | None:
    return cell.strip() or None


def _count(cell: str) -> int | None:
    number = number_of(cell)
    usable = number is not None and 0 <= number < _MAX_COUNT and number.is_integer()
    return int(number) if usable and number is not None else None


def _tokens(cell: str) -> float | None:
    number = number_of(cell)
    return number if number is not None and 0 <= number <= _LARGEST else None


def _day(cell: str) -> str | None:
    day = day_of(cell)
    return day if len(day) == len("2026-01-01") and day[4] == day[7] == "-" else None


def _repeats(column: Column) -> Column:
    """Return the number of each asking; names of askings are numbered as they come."""
    cells = [cell.strip() for cell in column.names]
    if all(_count(cell) is not None for cell in cells if cell):
        return recoded(column, _count)
    numbers = {cell: number for number, cell in enumerate(dict.fromkeys(filter(None, cells)))}
    return recoded(column, lambda cell: numbers.get(cell.strip()))


def _confidence(column: Column) -> Column:
    """Return probabilities, of which those to 100 are percent."""
    numbers = {cell: number_of(cell) for cell in column.names}
    top = max((number for number in numbers.values() if number is not None), default=0.0)
    divisor = 100.0 if top > 1 else 1.0

    def read(cell: str) -> float | None:
        number = numbers[cell]
        return None if number is None or not 0 <= number <= divisor else number / divisor

    return recoded(column, read)


def _is_object(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return False
    return True


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("subset", "group", "a_by", "b_by"), _text),
    **dict.fromkeys((f"{name}_sha256" for name in ("question", "a", "b", "answer")), _text),
    **dict.fromkeys(("a_length", "b_length", "answer_length"), _count),
    **dict.fromkeys(("input_tokens", "output_tokens"), _tokens),
    "date": _day,
}


def _means(people: Column) -> Column:
    values = [fmean(scores) for scores in people.names]
    return of_values([*values, None], np.where(people.codes < 0, len(values), people.codes))
