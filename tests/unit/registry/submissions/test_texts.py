"""Text that is only text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.registry.submissions.texts import Kind, problems, shown

PLAIN = [
    ("name", "Zo\u00eb O\u2019Hara-M\u00fcller & Co. (Graz)"),
    ("name", "openrouter/openai/gpt-4o-2024-08-06:free"),
    ("name", "\u674e\u96f7"),
    ("prose", "I work for the maker of the evaluator; N = 30, 95% of it paid by a grant."),
    ("prose", "none"),
    ("prompt", "Derive f'(x) for x < 3.\n\nUse {task} as it is, [1] and all."),
    ("prompt", "Sort the data: f[0] (the first) comes before a[0][1], says the file: so?"),
    ("label", "vertex/claude-3-5-sonnet@20240620"),
    ("label", "https://x.openai.azure.com/openai?api-version=2024-06-01"),
    ("prompt", "{strategy_prompt}\n\n{task}"),
    ("prompt", "\U0001f468\u200d\U0001f469\u200d\U0001f467 A family in a photograph?"),
]
MORE_THAN_TEXT = [
    ("name", "=HYPERLINK(1)", "formula"),
    ("name", "+41 79", "formula"),
    ("name", "-1", "formula"),
    ("name", "@everyone", "formula"),
    ("name", "A <b>", "'<'"),
    ("name", "A | B", "'|'"),
    ("name", "A\nB", "U+000A"),
    ("name", "A\u202eB", "U+202E"),
    ("name", "A\u200bB", "U+200B"),
    ("name", "A\x1b[31m", "U+001B"),
    ("name", "x" * 201, "201 characters"),
    ("prose", "see https://example.org", "address"),
    ("prose", "thanks @maintainer", "'@'"),
    ("prose", "**very** good", "'*'"),
    ("prose", "`rm`", "'`'"),
    ("prose", "{{ config }}", "template"),
    ("prompt", "<script>alert(1)</script>", "HTML"),
    ("prompt", "a <!-- b", "HTML"),
    ("prompt", "{{ 7 * 7 }}", "template"),
    ("prompt", "{% include 'x' %}", "template"),
    ("prompt", "![x](y)", "Markdown"),
    ("prompt", "[x](y)", "Markdown"),
    ("prompt", "see\n[x]: https://evil.example", "Markdown"),
    ("prompt", "open FILE:///etc/passwd", "runs or opens"),
    ("prompt", "DATA:image/svg+xml;base64,x", "runs or opens"),
    ("label", "@everyone", "formula"),
    ("label", "a <b>", "'<'"),
    ("prompt", "go to JavaScript:alert(1)", "runs or opens"),
    ("prompt", "data:text/html,x", "runs or opens"),
    ("prompt", "=1+1", "formula"),
    ("prompt", "a\x00b", "U+0000"),
]


@pytest.mark.parametrize(("kind", "text"), PLAIN)
def test_plain_words_in_any_script_are_text(kind: Kind, text: str) -> None:
    assert list(problems(text, kind)) == []


@pytest.mark.parametrize(("kind", "text", "said"), MORE_THAN_TEXT)
def test_what_could_do_harm_is_named(kind: Kind, text: str, said: str) -> None:
    assert any(said in problem for problem in problems(text, kind))


@given(st.text(max_size=500) | st.text(alphabet=":#[ \n", max_size=9))
def test_what_is_shown_is_one_line_without_surprises(text: str) -> None:
    line = shown(text)

    assert line.isprintable()
    assert "::" not in line
    assert "##[" not in line


def test_a_workflow_command_in_a_log_is_none() -> None:
    assert shown("\n::set-output name=x::y") == "\\u{000a}: :set-output name=x: :y"
