"""Other people's text on a terminal and in a log."""

import json

import pytest
from attack_support import attack
from hypothesis import given
from hypothesis import strategies as st

from epc.printable import inert, json_shown, lines_shown, one_line, whole_line

TEXTS = st.text(max_size=500) | st.text(alphabet=":#[ \n\r\x1b\u009b", max_size=9)


@given(TEXTS)
def test_what_is_shown_is_one_line_without_surprises(text: str) -> None:
    line = one_line(text)

    assert line.isprintable()
    assert "::" not in line
    assert "##[" not in line


@given(TEXTS)
def test_a_whole_line_begins_with_no_command(text: str) -> None:
    line = whole_line(text)

    assert line.isprintable()
    assert not line.lstrip().startswith("::")
    assert "##[" not in line
    assert whole_line("a::b") == "a::b"


@given(TEXTS)
def test_lines_stay_lines_and_none_is_a_command(text: str) -> None:
    lines = lines_shown(text).split("\n")

    assert len(lines) == text.count("\n") + 1
    assert all(line.isprintable() and "##[" not in line for line in lines)
    assert not any(line.lstrip().startswith("::") for line in lines)


@given(TEXTS)
def test_json_says_the_same_with_nothing_unseen_in_it(text: str) -> None:
    printed_text = json_shown(json.dumps({"a": text}, ensure_ascii=False, indent=2))

    assert json.loads(printed_text) == {"a": text}
    assert all(line.isprintable() for line in printed_text.split("\n"))


@attack("injection")
def test_a_workflow_command_in_a_log_is_none() -> None:
    assert one_line("\n::set-output name=x::y") == "\\u{000a}: :set-output name=x: :y"
    assert lines_shown("a\n  ::error::y") == "a\n  : :error::y"


@attack("injection")
def test_what_steers_a_terminal_or_cannot_be_seen_is_spelt_out() -> None:
    assert lines_shown("a\x1b[2Jb\u009b1mc\u202ed\u3164e") == (
        "a\\u{001b}[2Jb\\u{009b}1mc\\u{202e}d\\u{3164}e"
    )
    assert json_shown('"\U000e0041"') == '"\\udb40\\udc41"'


@attack("injection")
@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("a\n=1+1", "a\n'=1+1"),
        ("a\r\n@x\n-y", "a\r\n'@x\n'-y"),
        ("a\r=1+1", "a\r'=1+1"),
        ("\t=1+1", "'\t=1+1"),
        ("a = b - c", "a = b - c"),
        (-1.5, -1.5),
    ],
)
def test_no_line_of_a_cell_is_a_formula(cell: object, written: object) -> None:
    assert inert(cell) == written
