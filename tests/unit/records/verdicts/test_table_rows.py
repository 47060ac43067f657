"""Lines of a table as verdicts: cells, words, sides and names (Reading R77)."""

from collections import Counter
from typing import Any

import pytest
from msgspec import UNSET

from epc.digests import sha256
from epc.records.findings import Causes
from epc.records.verdicts.converting import FAILS, ColumnChoice, Request
from epc.records.verdicts.table_rows import FIELDS, UnfitError, Work, add, words_of
from epc.records.verdicts.types import Row

LINE = {"item": "i", "judge": "j", "a": "one", "b": "two!", "verdict": "a"}
A, B = sha256("one"), sha256("two!")


def work(**fields: Any) -> Work:
    columns = fields.pop("columns", {name: name for name in FIELDS})
    taken_column_choice = ColumnChoice(columns=columns)
    return Work(
        request=Request(**fields), causes=Causes("t.csv", "R77"), column_choice=taken_column_choice
    )


def rows(*lines: dict[str, str], of: Work | None = None) -> list[Row]:
    done = of or work()
    for number, values in enumerate(lines, 1):
        add(number, values, done)
    assert done.causes.findings() == []
    assert done.lines == list(range(1, len(lines) + 1))
    return done.rows


def problem(values: dict[str, str], of: Work | None = None) -> tuple[str, str, str]:
    done = of or work()
    add(7, values, done)
    assert (done.rows, done.lines) == ([], [])
    (finding,) = done.causes.findings()
    return finding.where, finding.problem, finding.remedy


def test_reading_r77_texts_are_kept_as_digests_and_lengths_and_as_texts_where_they_may_be() -> None:
    (row,) = rows({**LINE, "question": "Q?", "answer": "A wins"})

    assert (row.a_sha256, row.a_length, row.b_sha256, row.b_length) == (A, 3, B, 4)
    assert (row.question_sha256, row.answer_sha256) == (sha256("Q?"), sha256("A wins"))
    assert row.answer_length == 6
    assert (row.a_text, row.b_text) == (UNSET, UNSET)
    (row,) = rows({**LINE, "question": "Q?"}, of=work(texts=True))
    assert (row.a_text, row.b_text) == ("one", "two!")
    where, text, remedy = problem({**LINE, "a_sha256": "0" * 64})
    assert (where, text) == ("t.csv:7/a_sha256", "is not that of a")
    assert remedy == "leave out a_sha256, or a"
    assert rows({**LINE, "a_length": "3"})[0].a_length == 3, "what a column says as well agrees"


@pytest.mark.parametrize(
    ("cell", "score"),
    [("7", 7.0), ("7.5", 7.5), ("7,5", 7.5), ("8/10", 8.0), ("-2", -2.0), ("Score: 3", 3.0)],
)
def test_reading_r77_a_score_may_be_out_of_ten_or_have_a_comma(cell: str, score: float) -> None:
    line = {name: value for name, value in LINE.items() if name != "verdict"}

    done = work()
    (row,) = rows({**line, "a_score": cell, "b_score": "1"}, of=done)

    assert (row.a_score, row.b_score, row.verdict) == (score, 1.0, UNSET)
    plain = cell.strip().replace(",", ".").lstrip("-").replace(".", "").isdigit()
    assert list(done.notes.values()) == ([] if plain else [[1]])


def test_reading_r77_a_missing_score_is_noted_and_no_verdict() -> None:
    line = {name: value for name, value in LINE.items() if name != "verdict"}
    done = work()

    row, neither = rows(
        {**line, "a_score": "7", "b_score": "n/a"},
        {**line, "a_score": "7", "b_score": "6"},
        of=done,
    )

    assert (row.a_score, row.b_score) == (7.0, UNSET)
    assert neither.b_score == 6.0
    assert done.notes == {"without a score, so without a verdict": [1]}
    where, text, remedy = problem({**line, "a_score": "good", "b_score": "1"})
    assert (where, text) == ("t.csv:7/a_score", "'good' is no number")
    assert "as 8 or 8/10" in remedy
    assert "there is no score beside it" in problem({**line, "verdict": ""})[1]
    assert rows({**line, "verdict": "", "a_score": "1", "b_score": "2"})[0].verdict is UNSET


def test_reading_r77_people_s_scores_of_one_answer_are_their_mean() -> None:
    (row,) = rows({**LINE, "human_score": "1; 2;6", "confidence": "0,5", "repeat": "2"})

    assert (row.human_score, row.confidence, row.repeat) == (3.0, 0.5, 2)


@pytest.mark.parametrize(
    ("field", "cell", "form"),
    [
        ("repeat", "x", "a whole number: 0, 1, 2, ..."),
        ("a_length", "x", "a whole number"),
        ("confidence", "2", "a number from 0 to 1"),
        ("date", "yesterday", "a day: YYYY-MM-DD"),
        ("question_sha256", "x", "a SHA-256: 64 hexadecimal digits"),
        ("input_tokens", "x", "a number"),
    ],
)
def test_reading_r77_a_cell_that_is_no_value_of_its_field_says_what_one_is(
    field: str, cell: str, form: str
) -> None:
    line = {name: value for name, value in LINE.items() if name not in ("a", "b")}

    assert problem({**line, field: cell}) == (
        f"t.csv:7/{field}",
        f"{cell!r} is not {form}",
        f"write {form}, or leave the cell empty",
    )


@pytest.mark.parametrize("name", ["item", "judge"])
def test_reading_r77_a_verdict_names_its_item_and_its_judge(name: str) -> None:
    assert problem({**LINE, name: ""}) == (
        f"t.csv:7/{name}",
        "is empty",
        f"say of each verdict its {name}",
    )


@pytest.mark.parametrize(
    ("values", "scored", "expected"),
    [
        ({"verdict": "A is better"}, False, {"verdict": "a"}),
        ({"verdict": "Model B"}, False, {"verdict": UnfitError}),
        ({"verdict": "refused"}, False, {"verdict": "unreadable"}),
        ({"verdict": "n/a"}, False, {"verdict": "unreadable"}),
        ({"verdict": "", "gold": "", "humans": "-"}, True, {}),
        ({"verdict": "a", "gold": "tie"}, False, {"verdict": "a", "gold": "tie"}),
        ({"verdict": "gpt", "a_by": "gpt", "b_by": "pi"}, False, {"verdict": "a"}),
        ({"verdict": "pi", "a_by": "gpt", "b_by": "pi"}, False, {"verdict": "b"}),
        ({"verdict": "b", "a_by": "b", "b_by": "b"}, False, {"verdict": "b"}),  # names no side
        ({"verdict": " TIE ", "first": "a"}, False, {"first": "a", "verdict": "tie"}),
        ({"verdict": "a", "first": "b"}, False, {"first": "b", "verdict": "a"}),
        ({"gold": "first", "first": "a"}, True, {"first": "a", "gold": "a"}),
        ({"verdict": "first", "first": "a"}, False, {"first": "a", "verdict": "a"}),
        ({"verdict": "first", "first": "b"}, False, {"first": "b", "verdict": "b"}),
        ({"verdict": "second", "first": "b"}, False, {"first": "b", "verdict": "a"}),
        ({"verdict": "second", "first": "a"}, False, {"first": "a", "verdict": "b"}),
        ({"verdict": "a", "humans": "a; tie;b"}, False, {"verdict": "a", "humans": tuple("a_b")}),
        ({"verdict": "a", "humans": "a b"}, False, {"verdict": "a", "humans": ("a", "b")}),
    ],
)  # fmt: skip
def test_reading_r77_a_label_is_a_word_of_ours_an_author_or_a_place(
    values: dict[str, str], *, scored: bool, expected: dict[str, Any]
) -> None:
    wanted = {
        name: tuple(part.replace("_", "tie") for part in value) if name == "humans" else value
        for name, value in expected.items()
    }
    if UnfitError in wanted.values():
        with pytest.raises(UnfitError, match="'Model B' is no label"):
            words_of(values, {}, scored=scored)
    else:
        assert words_of(values, {}, scored=scored) == wanted


def test_reading_r77_what_users_say_of_labels_goes_before_all_else() -> None:
    labels = {"": "tie", "left one": "a", "n/a": "b", "x; y": "b", "pass": "a"}

    assert words_of({"verdict": ""}, labels, scored=False) == {"verdict": "tie"}
    assert words_of({"verdict": "", "gold": "n/a"}, labels, scored=True) == {"gold": "b"}
    people = words_of({"verdict": "a", "humans": "left one;b"}, labels, scored=False)["humans"]
    assert people == ("a", "b")
    humans = words_of({"verdict": "a", "humans": "x; y"}, labels, scored=False)["humans"]
    assert humans == ("b",)
    for cell, remedy in (
        ("maybe", "say what it means: --label 'maybe=WORD', where WORD is one of pass, fail, tie"),
        ("4.5", "a column of scores is a_score: --map a_score=COLUMN. Else say what"),
    ):
        with pytest.raises(UnfitError) as caught:
            words_of({"verdict": cell}, labels, scored=False)
        assert caught.value.remedy.startswith(remedy)
    with pytest.raises(UnfitError, match="is a place, and no column `first`"):
        words_of({"verdict": "second"}, {}, scored=False)
    with pytest.raises(UnfitError) as caught:
        words_of({"verdict": ""}, {}, scored=False)
    assert caught.value.remedy.endswith("where WORD is one of a, b, tie, unreadable")


def test_reading_r77_a_pair_that_comes_back_turned_round_is_the_same_item() -> None:
    columns = {"item": "id", "a": "left", "b": "right", "judge": "judge", "verdict": "verdict"}
    done = work(columns=columns)
    line = {**LINE, "first": "a", "a_score": "2", "b_score": "1", "gold": "a", "humans": "a;b;tie"}
    turned = {**line, "a": "two!", "b": "one"}

    row, two_rows = rows(line, turned, of=done)

    assert done.exchanged
    assert row.item == two_rows.item == f"i/{A[:12]}/{B[:12]}"
    assert (two_rows.a_sha256, two_rows.a_length, two_rows.a_score, two_rows.b_score) == (
        A,
        3,
        1.0,
        2.0,
    )
    assert (two_rows.verdict, two_rows.first, two_rows.gold, two_rows.humans) == (
        "b",
        "b",
        "b",
        ("b", "a", "tie"),
    )
    assert (row.verdict, row.humans) == ("a", ("a", "b", "tie"))
    assert row.question_sha256 == sha256("i"), "the column names the question"


def test_reading_r77_a_column_item_names_its_pair_and_answers_without_texts_go_by_author() -> None:
    (row,) = rows(LINE)
    assert row.item == "i"
    done = work(columns={"a_by": "m", "b_by": "n", "judge": "judge"})
    (row,) = rows(
        {"item": "i", "judge": "j", "a_by": "x", "b_by": "y", "verdict": "x", "subset": "s"},
        of=done,
    )
    assert (row.a_sha256, row.b_sha256) == (sha256("s/i/x"), sha256("s/i/y"))
    assert (row.verdict, row.question_sha256) == ("a", sha256("s/i"))
    assert row.item == f"i/{sha256('s/i/x')[:12]}/{sha256('s/i/y')[:12]}"


def test_reading_r77_answers_that_pass_or_fail_are_never_turned_round() -> None:
    done = work(columns={"a": "text", "judge": "judge"})

    rows({"judge": "j", "question": "q", "a": "one", "b_sha256": FAILS, "verdict": "a"}, of=done)

    assert (done.pairs, done.exchanged) == (set(), False)


def test_reading_r77_the_same_question_asked_again_is_a_repeat_from_its_second_asking_on() -> None:
    done = work()
    done.askings = Counter()

    actual_rows = rows(LINE, LINE, {**LINE, "judge": "k"}, LINE, of=done)

    assert [row.repeat for row in actual_rows] == [UNSET, 1, UNSET, 2]


def test_reading_r77_settings_are_told_apart_by_all_that_a_line_states_of_them() -> None:
    done = work()

    actual_rows = rows(
        LINE,
        {**LINE, "prompt": "short"},
        {**LINE, "model": "m-1"},
        {**LINE, "decoding": '{"temperature": 0.5}'},
        LINE,
        of=done,
    )

    assert [row.setting for row in actual_rows] == ["j", "j/short", "j#3", "j#4", "j"]
    assert done.settings["j#3"].judge.model == "m-1"
    assert done.settings["j#4"].decoding == {"temperature": 0.5}
    assert done.settings["j"].decoding == "unknown"
    assert problem({**LINE, "decoding": "hot"})[0] == "t.csv:7/decoding"
