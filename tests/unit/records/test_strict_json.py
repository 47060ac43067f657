"""Tests of one reading of a JSON text, one writing of a value.

Over 400 lines, because reading and writing are tested against each other with the same values.
"""

import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from budget_support import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from epc.errors import MalformedError, UsageError, WorldError
from epc.json_text import MAX_DEPTH, MAX_DOCUMENT_BYTES, decode, parse, pointer, storable
from epc.records import strict_json
from epc.records.layout import digest
from epc.records.strict_json import (
    MAX_LINE_BYTES,
    content_of,
    dumps,
    dumps_line,
    read,
    read_lines,
    read_text,
    text_of,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def finding_places(text: str) -> list[tuple[str, str]]:
    _, problems = parse(text)
    return [(finding.where, finding.problem) for finding in problems]


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("NaN", "", "NaN is not a JSON number"),
        ('{"a": [0, NaN]}', "/a/1", "NaN is not a JSON number"),
        ('{"a": Infinity}', "/a", "Infinity is not a JSON number"),
        ('{"a": -Infinity}', "/a", "-Infinity is not a JSON number"),
        ('{"a": 1e999}', "/a", "1e999 overflows a double"),
        ('{"a": -1e999}', "/a", "-1e999 overflows a double"),
        ('{"a": 1' + "0" * 400 + ".5}", "/a", "1" + "0" * 39 + " overflows a double"),
        ('{"a": 1' + "0" * 19 + "}", "/a", "1" + "0" * 19 + " is too large for an integer here"),
        ('{"a": 1, "a": 1}', "/a", "the key 'a' appears twice"),
        ('{"a": 1, "a": 2, "b": 0, "a": 3}', "/a", "the key 'a' appears twice"),
        ('{"a": {"b": [{"c": 1, "c": 2}]}}', "/a/b/0/c", "the key 'c' appears twice"),
        ('{"a/b": {"~": 1, "~": 2}}', "/a~1b/~0", "the key '~' appears twice"),
        ('{"~1": {"/": NaN}}', "/~01/~1", "NaN is not a JSON number"),
        ('{"a": 1, "\\u0061": 2}', "/a", "the key 'a' appears twice"),
        ('{"": NaN}', "/", "NaN is not a JSON number"),
        ('{"a": "\\ud800"}', "/a", "a lone surrogate is no Unicode text"),
        ('{"a": ["x\\udc00y"]}', "/a/0", "a lone surrogate is no Unicode text"),
        ('{"a": {"\\ud800": 1}}', "/a", "a lone surrogate is no Unicode text"),
    ],
)
def test_what_json_does_not_know_is_found_at_its_place(text: str, where: str, problem: str) -> None:
    assert finding_places(text) == [(where, problem)]


def test_every_problem_of_a_document_is_reported_at_once() -> None:
    text = '{"a": NaN, "b": {"c": 1, "c": 1e999}, "d": ["\\udfff", -Infinity]}'

    assert [where for where, _ in finding_places(text)] == ["/a", "/b/c", "/b/c", "/d/0", "/d/1"]


def test_a_surrogate_in_a_repeated_key_leaves_a_printable_pointer() -> None:
    _, problems = parse('{"\\ud800": 1, "\\ud800": 2}')

    assert problems
    for finding in problems:
        json.dumps(finding.as_json(), ensure_ascii=False).encode("utf-8")


def test_a_paired_surrogate_is_one_character() -> None:
    assert parse('"\\ud83d\\ude00"') == ("\U0001f600", [])


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1,}',
        "{'a': 1}",
        '{"a": 01}',
        '{"a": .5}',
        '{"a": 5.}',
        '{"a": +1}',
        '{"a": 0x10}',
        '{"a": 1} {}',
        '{"a": 1}]',
        '{"a": /* one */ 1}',
        '{"a": "tab\tinside"}',
        '{"a": "bad \\x escape"}',
        '{"a": tru}',
        '{"a": 1',
        "\ufeff{}",
    ],
)
def test_bad_syntax_is_one_finding_of_the_whole_document_with_line_and_column(text: str) -> None:
    value, problems = parse(text)

    assert value is None
    assert [finding.where for finding in problems] == [""]
    assert problems[0].problem.startswith("not JSON at line 1 column ")


def test_bad_syntax_names_the_line_it_stands_on() -> None:
    assert finding_places('{\n "a": 1,\n "b": oops\n}')[0][1].startswith(
        "not JSON at line 3 column 7: "
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-1", -1),
        ("1e308", 1e308),
        ("5e-324", 5e-324),
        ("1e-999", 0.0),
        ("0.1", 0.1),
        (" \t\r\n[ ] \n", []),
        ('"NaN"', "NaN"),
        ('{"a": {"a": 1}}', {"a": {"a": 1}}),
        ('"\\u0000"', "\0"),
    ],
)
def test_what_json_knows_is_read(text: str, value: object) -> None:
    assert parse(text) == (value, [])


def test_minus_zero_keeps_its_sign() -> None:
    value, _ = parse("-0.0")

    assert math.copysign(1, value) == -1


@pytest.mark.parametrize("core", ["1", "NaN", '"\\u0041"', '{"a": 1, "a": 2}', '"\\ud800"'])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 990, 10_000, 1_000_000])
def test_deep_nesting_is_one_finding_whatever_stands_inside(core: str, depth: int) -> None:
    value, problems = parse("[" * depth + core + "]" * depth)

    assert value is None
    assert [(f.where, f.problem) for f in problems] == [("", "nested more than 64 deep")]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_brackets_that_never_close_are_one_finding(opening: str) -> None:
    assert len(finding_places(opening * 10_000)) == 1


def test_nesting_up_to_the_limit_is_read() -> None:
    # The innermost value is a level of its own: 63 lists around a number are 64 levels.
    value, problems = parse("[" * (MAX_DEPTH - 1) + "1" + "]" * (MAX_DEPTH - 1))

    assert problems == []
    assert value is not None


def test_many_repeated_keys_are_found_in_bounded_time() -> None:
    text = "{" + ",".join(f'"k{i}":0' for i in range(100_000)) + ',"k7":1}'

    assert finding_places(text) == [("/k7", "the key 'k7' appears twice")]


@given(keys=st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_a_pointer_leads_to_the_place_of_the_problem(keys: list[str]) -> None:
    text = "NaN"
    for key in reversed(keys):
        text = f"{{{json.dumps(key)}: {text}}}"

    ((where, _),) = finding_places(text)

    assert where == pointer(*keys)
    parts = [p.replace("~1", "/").replace("~0", "~") for p in where.split("/")[1:]]
    assert parts == keys


@pytest.mark.parametrize(
    ("parts", "expected"),
    [((), ""), (("",), "/"), (("a", 0), "/a/0"), (("m~n", "a/b"), "/m~0n/a~1b"), (("~1",), "/~01")],
)
def test_rfc_6901_pointers(parts: tuple[str | int, ...], expected: str) -> None:
    assert pointer(*parts) == expected


# --- Bytes and files.


def test_invalid_utf_8_says_where_it_begins() -> None:
    assert decode(b'{"a": "\xff"}')[1][0].problem == "not UTF-8 at byte 7"


@pytest.mark.parametrize(
    "content", [b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"]
)
def test_encoded_surrogates_and_overlong_forms_are_not_utf_8(content: bytes) -> None:
    assert decode(b'"' + content + b'"')[1][0].problem == "not UTF-8 at byte 1"


@pytest.mark.parametrize("content", [b"", b" \n\t "])
def test_an_empty_file_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.json"
    path.write_bytes(content)

    value, problems = read(path)

    assert value is None
    assert [(f.where, f.problem) for f in problems] == [("", "is empty")]


def test_a_directory_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "d.json").mkdir()

    assert read(tmp_path / "d.json")[1][0].problem == "d.json is a directory"


def test_a_missing_file_is_the_worlds_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"cannot read .*none\.json"):
        read(tmp_path / "none.json")
    with pytest.raises(WorldError, match=r"cannot read .*none\.jsonl"):
        list(read_lines(tmp_path / "none.jsonl", "trials"))


def test_a_document_past_the_size_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.touch()
    os.truncate(path, MAX_DOCUMENT_BYTES + 1)

    _, problems = read_text(path)

    assert [f.problem for f in problems] == [
        "big.json has 67,108,865 bytes, expected at most 67,108,864"
    ]


@pytest.mark.parametrize("made", [lambda p: p.symlink_to("/dev/zero"), os.mkfifo])
def test_what_has_no_end_is_refused_unread(tmp_path: Path, made: Callable[[Path], object]) -> None:
    path = tmp_path / "endless.json"
    made(path)

    _, problems = read_text(path)
    [(_, _, of_lines)] = read_lines(path, "trials")

    for found_there in (problems, of_lines):
        assert [f.problem for f in found_there] == ["endless.json is no regular file"]
    with pytest.raises(WorldError, match="no regular file"):
        digest(path)


def lines(tmp_path: Path, content: bytes) -> list[tuple[int, Any, list[tuple[str, str]]]]:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    rows = read_lines(path, "trials")
    return [(i, value, [(f.where, f.problem) for f in problems]) for i, value, problems in rows]


def test_each_line_is_read_on_its_own_and_a_bad_one_stops_nothing(tmp_path: Path) -> None:
    content = b'{"a":1}\n{"a":NaN}\n\xff\n\n{"a":1,"a":2}\n[\n{"a":2}'

    rows = lines(tmp_path, content)

    assert [index for index, _, _ in rows] == [0, 1, 2, 3, 4, 5, 6]
    assert (rows[0][1:], rows[6][1:]) == (({"a": 1}, []), ({"a": 2}, []))
    assert rows[1][2] == [("/trials/1/a", "NaN is not a JSON number")]
    assert rows[2][2] == [("/trials/2", "not UTF-8 at byte 0")]
    assert rows[3][2] == [("/trials/3", "is empty")]
    assert rows[4][2] == [("/trials/4/a", "the key 'a' appears twice")]
    assert [where for where, _ in rows[5][2]] == ["/trials/5"]


def test_a_line_may_fill_the_limit_but_not_pass_it(tmp_path: Path) -> None:
    full = b'"' + b"x" * (MAX_LINE_BYTES - 3) + b'"\n'
    longer = b'"' + b"x" * (MAX_LINE_BYTES - 2) + b'"\n'

    rows = lines(tmp_path, full + longer + b"1\n")

    assert rows[0][2] == []
    # After a line without an end in sight there is nothing to go on from.
    assert rows[1:] == [(1, None, [("/trials/1", "the line is longer than 4,194,304 bytes")])]


def test_a_deep_line_is_refused_like_a_deep_document(tmp_path: Path) -> None:
    content = b"[" * 500 + b"NaN" + b"]" * 500 + b"\n" + b"[" * 10_000 + b"\n"

    rows = lines(tmp_path, content)

    assert [problems for _, _, problems in rows] == [
        [("/trials/0", "nested more than 64 deep")],
        [("/trials/1", "nested more than 64 deep")],
    ]


# --- Writing.


def file_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writing_is_canonical() -> None:
    value = {"b": [1, 0.1, None], "a": {"ä": True}, "": "\n"}

    assert dumps(value) == (
        '{\n  "": "\\n",\n  "a": {\n    "ä": true\n  },\n  "b": [\n'
        "    1,\n    0.1,\n    null\n  ]\n}\n"
    )
    assert dumps_line(value) == '{"":"\\n","a":{"ä":true},"b":[1,0.1,null]}\n'


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_nan_is_ever_written(bad: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps({"a": bad})
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps_line([bad])


@settings(max_examples=examples(300))
@given(value=JSON)
def test_whatever_is_written_is_read_back_the_same(value: object) -> None:
    for text in (dumps(value), dumps_line(value)):
        again, problems = parse(text)
        assert problems == []
        # repr tells 1 from 1.0 from true, and 0.0 from -0.0.
        assert repr_sorted(again) == repr_sorted(value)
        assert text.endswith("\n")


def repr_sorted(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {repr_sorted(value[k])}' for k in sorted(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(repr_sorted, value))}]"
    return repr(value)


SPELLED = st.recursive(
    st.sampled_from(
        ["1", "-0", "1.5e3", "1e99", "1e309", "9" * 19, "9" * 20, "NaN", "true", "null"]
    )
    | st.sampled_from(['"a"', '"\\""', '"a\\":"', '" :"', '"\\ud800"', '"\\u0061"', '"NaN"']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
        | st.lists(
            st.tuples(
                st.sampled_from(['"a"', '"b"', '"\\u0061"', '"a\\":"']),
                st.sampled_from([":", ": ", " :", "\t:", "\n :"]),
                inner,
            ).map("".join),
            max_size=3,
        ).map(lambda parts: f"{{{','.join(parts)}}}")
    ),
    max_leaves=8,
)


def strictly(text: str) -> Any:
    """Read a text by a parser of its own, which stops at the first problem."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError(pairs)
        return dict(pairs)

    def finite(number: str) -> float:
        if math.isinf(float(number)):
            raise ValueError(number)
        return float(number)

    def small(number: str) -> int:
        if abs(int(number)) >= 10**19:
            raise ValueError(number)
        return int(number)

    def refused(name: str) -> None:
        raise ValueError(name)

    value = json.loads(
        text,
        object_pairs_hook=once,
        parse_float=finite,
        parse_int=small,
        parse_constant=refused,
    )
    json.dumps(value, ensure_ascii=False).encode()  # refuses a lone surrogate
    return value


@settings(max_examples=examples(500))
@given(text=SPELLED)
def test_a_text_has_problems_exactly_if_a_slower_reading_has(text: str) -> None:
    value, problems = parse(text)

    try:
        wanted = strictly(text)
    except ValueError:
        assert problems
    else:
        assert problems == []
        assert repr(value) == repr(wanted)


def failing(parts: list[bytes]) -> Iterator[bytes]:
    yield from parts
    raise OSError(28, "No space left on device")


def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_bytes(b"old")

    with pytest.raises(WorldError, match=r"cannot write .*: No space left on device"):
        strict_json.write_bytes(path, failing([b"new" * 1000]))

    assert path.read_bytes() == b"old"
    assert file_names(tmp_path) == ["manifest.json"]


def test_a_value_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    strict_json.write(path, {"a": 1})

    with pytest.raises(ValueError, match="not JSON compliant"):
        strict_json.write(path, {"a": math.nan})
    with pytest.raises(UnicodeEncodeError):
        strict_json.write(path, {"a": "\ud800"})

    assert path.read_text("utf-8") == '{\n  "a": 1\n}\n'
    assert file_names(tmp_path) == ["manifest.json"]


def test_an_interrupt_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    def interrupted() -> Iterator[str]:
        yield "half"
        raise KeyboardInterrupt

    path = tmp_path / "weights.jsonl"
    path.write_text("old", "utf-8")

    with pytest.raises(KeyboardInterrupt):
        strict_json.write_text(path, interrupted())

    assert path.read_text("utf-8") == "old"
    assert file_names(tmp_path) == ["weights.jsonl"]


def test_a_name_that_the_disk_refuses_is_the_worlds_fault(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()

    with pytest.raises(WorldError, match="cannot write"):
        strict_json.write(tmp_path / "taken", {})
    with pytest.raises(WorldError, match="cannot write"):
        strict_json.write(tmp_path / "none" / "x.json", {})

    assert file_names(tmp_path) == ["taken"]


def test_a_written_file_can_be_read_by_others(tmp_path: Path) -> None:
    strict_json.write(tmp_path / "x.json", {})

    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o644


@given(text=st.text(st.characters()))
def test_storable_text_can_always_be_written_and_true_text_stays(text: str) -> None:
    assert storable(text).encode("utf-8").decode("utf-8") == storable(text)
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert storable(text) == text


def test_a_lone_surrogate_is_stored_as_replacement_characters() -> None:
    assert set(storable("\ud800")) == {"\ufffd"}


def test_a_file_is_read_up_to_the_size_of_a_document_and_as_utf_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"12345\xff")
    monkeypatch.setattr(strict_json, "MAX_DOCUMENT_BYTES", 6)

    assert content_of(path) == b"12345\xff"
    with pytest.raises(MalformedError, match="is not UTF-8 at byte 5"):
        text_of(path, "R77")
    path.write_bytes(b"1234567")
    with pytest.raises(UsageError, match="larger than 6 bytes"):
        content_of(path)
