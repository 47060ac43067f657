"""Tests of where the free text of a manifest stands, and what of a statement goes onto the card."""

from typing import Any

import pytest

from epc.registry.submissions.statement import (
    Statement,
    _texts,
    manifest_texts,
    statement_texts,
)

VALUE = {"a": {"b": "one", "c": ["two", {"d": "three"}]}, "e": "four"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("e",), [(("e",), "four")]),
        (("a", "b"), [(("a", "b"), "one")]),
        (("a", "missing"), []),
        (("e", "b"), [(("e",), "four")]),  # a text is a text, however deep the path goes
        (("a", "*"), [(("a", "b"), "one")]),
        (("a", "c", "*"), [(("a", "c", 0), "two")]),
        (("a", "c", "*", "d"), [(("a", "c", 0), "two"), (("a", "c", 1, "d"), "three")]),
        (
            ("a", "c", "**"),
            [(("a", "c", 0), "two"), (("a", "c", 1, "d"), "d"), (("a", "c", 1, "d"), "three")],
        ),
    ],
)
def test_texts_are_found_at_a_path_each_with_its_place(
    path: tuple[str, ...], expected: list[tuple[tuple[str | int, ...], str]]
) -> None:
    assert list(_texts(VALUE, path, ())) == expected


@pytest.mark.parametrize(
    ("manifest", "where"),
    [
        ({"evaluator": {"model": "m\u200bn"}}, "manifest.json/evaluator/model"),
        ({"tasks": {"text": ["fine", "see <script>"]}}, "manifest.json/tasks/text/1"),
        ({"executor": {"details": {"<b>": "x"}}}, "manifest.json/executor/details/<b>"),
    ],
)
def test_what_is_wrong_with_a_text_is_found_at_its_place(
    manifest: dict[str, Any], where: str
) -> None:
    assert {finding.where for finding in manifest_texts(manifest)} == {where}


def statement(**changed: Any) -> Statement:
    fixed = {"generation": "G", "platform": "openai", "endpoint": "direct", "contributor": "A. B."}
    more = {"login": "ab", "licence": "CC0-1.0", "replicates": None, "identity": "1"}
    return Statement(**{**fixed, **more, "conflicts": "none", **changed})


@pytest.mark.parametrize(
    "name", ["\u0410. Name", "\u0418\u0432\u0430\u043d", "\uff21. Name", "Zo\u00eb"]
)
def test_submission_s5_a_maintainer_looks_at_a_name_with_a_letter_beyond_a_to_z(name: str) -> None:
    strategies = {"strategies": [{"name": name, "prompt": name}]}

    found = [*statement_texts(statement(contributor=name)), *manifest_texts(strategies)]

    assert [(f.where, f.severity) for f in found] == [
        ("submission.json/contributor", "warning"),
        ("manifest.json/strategies/0/name", "warning"),
    ]
    assert list(statement_texts(statement(contributor="A. Name 2"))) == []


@pytest.mark.parametrize(
    ("conflicts", "said"),
    [("none", None), ("None.", None), (" no ", None), ("I work there", "I work there")],
)
def test_no_conflict_is_stated_as_none(conflicts: str, said: str | None) -> None:
    assert statement(conflicts=conflicts).declaration().conflicts == said


@pytest.mark.parametrize(("endpoint", "proxy"), [("direct", False), ("gateway", True)])
def test_what_was_asked_through_a_gateway_is_marked(endpoint: str, *, proxy: bool) -> None:
    assert statement(endpoint=endpoint).declaration().proxy == proxy
