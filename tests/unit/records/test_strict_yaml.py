"""YAML read strictly: one reading only, nothing followed or built, every value with its line."""

from typing import Any

import pytest
import yaml

from epc.records import strict_yaml
from epc.records.findings import MAX_KEPT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("No", "No"),
        ("2026-07-02", "2026-07-02"),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("1e999", "1e999"),
        (".inf", ".inf"),
        ("30", 30),
        ("-4", -4),
        ("0.08", 0.08),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'30'", "30"),
        ("|-\n  a\n  b", "a\nb"),
        ("{'<<': {b: 1}}", {"<<": {"b": 1}}),
    ],
)
def test_a_plain_value_is_read_as_json_would_or_is_text(text: str, value: Any) -> None:
    document = strict_yaml.parse(f"a: {text}\n")

    assert document.findings.as_list() == []
    assert document.value == {"a": value}
    assert type(document.value["a"]) is type(value)


@pytest.mark.parametrize(
    ("text", "where", "line", "problem"),
    [
        ("a: 1\nb: 2\na: 3\n", "/a", 1, "the key appears twice: here and on line 3"),
        ("a: &x 1\n", "/a", 1, "&x is an anchor"),
        ("a: 1\nb: *x\n", "/b", 2, "*x is an alias"),
        ("a: !!python/object/apply:os.system [ls]\n", "/a", 1, "a tag says how to read it"),
        ("a: 1\n---\nb: 1\n", "", 1, "holds more than one document"),
        ("a:\n  [b]: 1\n", "/a/?", 2, "a key that is no plain word"),
        ("a: [1\nb: 2\n", "", 2, "not YAML: "),
        ("a: 1\nb: \x07\n", "", 2, "not YAML: a character that may not stand in it"),
        ("a:\n  " + "[" * 40 + "]" * 40, "", 2, "nested more than 16 deep"),
    ],
)
def test_what_hides_a_mistake_or_does_harm_is_a_finding_with_its_line(
    text: str, where: str, line: int, problem: str
) -> None:
    document = strict_yaml.parse(text)

    (finding,) = document.findings.as_list()
    assert (finding.where, document.line(finding.where)) == (where, line)
    assert finding.problem.startswith(problem)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a:\n  " + "[" * 17 + "]" * 17, 2),
        ("a:\n  " + "{b: " * 16 + "}" * 16, 2),
        ("a: 1\na:\n  " + "[" * 17 + "]" * 17, 3),
        ("a:\n  ? " + "[" * 16 + "]" * 16, 2),
        ("a:\n  ? [b]\n  : " + "[" * 16 + "]" * 16, 3),
    ],
    ids=["list", "mapping", "a second time", "as a key", "below a key"],
)
def test_seventeen_deep_ends_the_reading_wherever_it_stands(text: str, line: int) -> None:
    document = strict_yaml.parse(text)

    last = document.findings.as_list()[-1]
    assert (last.problem, document.line(last.where)) == ("nested more than 16 deep", line)
    assert document.value is None


@pytest.mark.parametrize("value", ["[" * 15 + "x" + "]" * 15, "{b: " * 15 + "x" + "}" * 15])
def test_sixteen_deep_is_deep_enough_for_whoever_writes_by_hand(value: str) -> None:
    document = strict_yaml.parse(f"a: {value}\n")

    inner = document.value["a"]
    for _ in range(15):
        inner = inner["b"] if isinstance(inner, dict) else inner[0]
    assert (inner, document.findings.as_list()) == ("x", [])


def test_a_flood_of_aliases_is_counted_and_not_followed() -> None:
    document = strict_yaml.parse("a: &a [x]\nb: [" + "*a, " * 200_000 + "]\n")

    assert len(document.findings) == 200_001
    assert len(document.findings.as_list()) == MAX_KEPT + 1


def test_a_text_of_more_than_a_mebibyte_is_not_read() -> None:
    document = strict_yaml.parse("a: " + "x" * 2**20)

    assert [finding.problem for finding in document.findings.as_list()] == [
        "more than 1,048,576 bytes"
    ]


@pytest.mark.parametrize("parser", [yaml.CSafeLoader, yaml.SafeLoader])
@pytest.mark.parametrize("escape", ["\\uD800", "\\U00110000", "\\x00"])
def test_an_escape_of_no_character_harms_nothing_whichever_parser_there_is(
    parser: type, escape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict_yaml, "_PARSER", parser)

    document = strict_yaml.parse(f'a: "{escape}"\n')

    assert document.findings.as_list() or document.value["a"].encode("utf-8")


def test_what_is_not_there_has_the_line_of_what_it_would_stand_in() -> None:
    document = strict_yaml.parse("a:\n  - b: 1\n  - c: 2\n")

    assert document.line("/a/1/c") == 3
    assert document.line("/a/1/missing/part") == 3
    assert document.line("/z") == 1
