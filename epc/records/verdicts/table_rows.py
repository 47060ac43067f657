"""Rows of a table as verdicts: cells read, labels in our words, sides and items named.

Over 400 lines: a row is read in one order, in which a later part needs what an earlier one read.
Work is done by distinct values, or by distinct combinations of them: a million rows have few. A
row that cannot be read is left out, and counted by its reason.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import Any, Final

import msgspec

from epc.arrays import Codes, Flags, Indices, np
from epc.errors import UsageError
from epc.records.verdicts.aliases import (
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
from epc.records.verdicts.cell_values import READERS, confidence_of, is_object, repeats_of
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
    OF_SETTING,
    TEXTS,
    Ask,
    Choice,
    labels_of,
)
from epc.records.verdicts.columns import COLUMNS, Column, Verdicts, joined
from epc.records.verdicts.converting import FAILS, Request, digest
from epc.records.verdicts.names import number_of
from epc.records.verdicts.table_scores import Scores
from epc.records.verdicts.table_words import (
    RowWords,
    UnfitError,
    apart,
    is_word,
    people_words,
    words_for,
)
from epc.records.verdicts.types import UNKNOWN, Judge, Prompt, Scale, Setting
from epc.records.verdicts.verdict_words import MISSING, NO_ANSWER, PLACES, UNREADABLE

FILE: Final = "table"
NO_SCORE: Final = "without a score, so without a verdict"
NO_PLAIN_SCORE: Final = "with a score that is no plain number (8/10 is read as 8)"
EXCHANGED: Final = "rows with the answers of another one exchanged are that pair in the other order"
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
        self.scores = Scores(cells=cells, choice=choice, request=request, labels=self.labels)

    @property
    def alone(self) -> bool:
        """Return whether each verdict says pass or fail of one answer."""
        return self.choice.kind == "pass" and not self.scores.is_paired

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
        scale, on_scale = self.scores.scale(columns if outcome == "a_score" else [])
        asks = self.scores.odd_scores(scale, columns) + self.scores.unlike_scales(
            columns if outcome == "a_score" else [""]
        )
        parts, texts, assumed, repeated = [], dict[str, Column](), list[str](), 0
        left_out: dict[str, list[int]] = {}
        for column in columns:
            part = _Part(self, outcome, column, on_scale)
            verdicts, indices = part.verdicts()
            parts.append(verdicts)
            texts = {
                name: replace(text, codes=text.codes[indices]) for name, text in part.texts.items()
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
        used: set[str] = set()
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
            used |= {f"{column}:{label}" for label in labels if label in present}
            used |= {label for label in labels if label in present}
        for label, word in self.request.labels.items():
            name, colon, value = label.partition(":")
            key = label.strip().lower()
            is_of_column = bool(colon) and name in self.cells.columns
            if is_of_column:
                key = f"{name}:{value.strip().lower()}"
            self._require_word(label, word, name if is_of_column else "")
            if key not in used:
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
        for name, read in READERS.items():
            if (column := self.field(name)) is not None:
                self.columns[name] = recoded(column, read)
        if (column := self.field("repeat")) is not None:
            self.columns[REPEAT] = repeats_of(column)
        if (column := self.field("confidence")) is not None:
            self.columns[CONFIDENCE] = confidence_of(column)

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
        numbers = [*map(self.of.scores.read_score(title), column.names)]
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
        readers = [self.of.scores.read_score(title) for title in titles]

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
            answer_codes = answers.codes[place * self.size : (place + 1) * self.size]
            answer_codes = np.where(column.codes < 0, ABSENT, answer_codes)
            self.columns[f"{side}_sha256"] = Column(codes=answer_codes, names=answers.names)

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
        answers = [self.columns[name] for name in ("a_sha256", "b_sha256")]
        if answers[0].names is answers[1].names:
            return self._exchanged(*(column.codes.astype(np.int64) for column in answers))
        for column in answers:
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
            if name and name != UNKNOWN and not is_object(name):
                self.leave_out(
                    columns[-1].codes == code, f"have no JSON object in decoding: {name!r}"
                )
        columns[-1] = recoded(columns[-1], lambda cell: cell if is_object(cell) else "")
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
        meanings = self.of.labels.get(self.column, {})
        spellings = self.of.spellings

        def read(cell: str) -> str | None:
            text = cell.strip()
            text = meanings.get(text.lower(), text)
            missing = text.lower() in NO_ANSWER and text.casefold() not in spellings
            if not text or missing or text == UNREADABLE:
                return None
            return spellings.get(text.casefold()) or spellings.setdefault(text.casefold(), text)

        label_column = recoded(column, read)
        empty = [code for code, cell in enumerate(column.names) if not cell.strip()]
        self.columns[LABEL] = label_column
        self.leave_out(np.isin(column.codes, empty), "have no verdict")
        self.columns[VERDICT] = Column(
            codes=np.where(label_column.codes < 0, 0, ABSENT).astype(np.int32), names=[UNREADABLE]
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
        row_words = RowWords(
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
                row_words.of(
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


def _means(people: Column) -> Column:
    values = [fmean(scores) for scores in people.names]
    return of_values([*values, None], np.where(people.codes < 0, len(values), people.codes))
