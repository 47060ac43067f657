"""Text that is only text."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from epc.records.schemas import findings
from epc.registry.submissions.statement import manifest_texts
from epc.registry.submissions.texts import Kind, problems

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
    ("prompt", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
    ("name", "\u7530\u4e2d Ken"),
    ("name", "\u0418\u0432\u0430\u043d \u041f\u0435\u0442\u0440\u043e\u0432"),
    ("name", "x" * 200),
    ("label", "x" * 300),
    ("prose", "x" * 2_000),
    ("prompt", "x" * 20_000),
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
    ("name", "x" * 201, "201 characters, expected at most 200"),
    ("label", "x" * 301, "301 characters, expected at most 300"),
    ("prose", "x" * 2_001, "2,001 characters, expected at most 2,000"),
    ("prompt", "x" * 20_001, "20,001 characters, expected at most 20,000"),
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
    ("prompt", "joined\u200dup", "U+200D"),
    ("prompt", "\u0645\u06cc\u200c\u200c\u062e", "U+200C"),
]
# Ends of every range of Default_Ignorable_Code_Point that a name once could hide behind.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180f\u200b\u200f\u202a\u202e\u2060\u206f\u3164"
    "\ufe00\ufe0f\ufeff\uffa0\ufff0\ufff8\U0001bca0\U0001bca3\U0001d173\U0001d17a\U000e0000\U000e0100\U000e0fff"
)


@pytest.mark.parametrize(("kind", "text"), PLAIN)
def test_plain_words_in_any_script_are_text(kind: Kind, text: str) -> None:
    assert list(problems(text, kind)) == []


@pytest.mark.parametrize(("kind", "text", "said"), MORE_THAN_TEXT)
def test_what_could_do_harm_is_named(kind: Kind, text: str, said: str) -> None:
    assert any(said in problem for problem in problems(text, kind))


@pytest.mark.parametrize("kind", ["name", "label", "prose", "prompt"])
@pytest.mark.parametrize("char", IGNORABLE, ids=lambda c: f"U+{ord(c):04X}")
def test_submission_s5_what_a_font_shows_nothing_for_stands_in_no_field(
    char: str, kind: Kind
) -> None:
    assert f"holds a character that is not seen, U+{ord(char):04X}" in problems(f"a{char}b", kind)


MANIFEST = Path(__file__).parents[3] / "acceptance" / "examples" / "valid" / "coin_flip"
UNSEEN = "\u3164\u115f\uffa0\u034f\u17b4\u180b\ufe0f\u200b\u2060\u00ad\u061c\U000e0041"
Place = tuple[str | int, ...]


def places(value: Any, where: Place = ()) -> Iterator[Place]:
    """Yield every text of a document outside its figures."""
    if isinstance(value, str):
        yield where
    elif isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            if (*where, key) != ("results",):
                yield from places(item, (*where, key))


def changed(document: Any, where: Place, further_text: str) -> Any:
    new_document = inner = deepcopy(document)
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] += further_text
    return new_document


def test_no_text_of_a_manifest_takes_what_is_not_seen() -> None:
    """The one exception is the generator's name, which is compared with the only known one."""
    manifest = json.loads((MANIFEST / "manifest.json").read_text("utf-8"))
    taken = [
        where
        for number, where in enumerate(places(manifest))
        for made in [changed(manifest, where, UNSEEN[number % len(UNSEEN)])]
        if not list(manifest_texts(made)) and not findings("epc_manifest_schema", made)
    ]

    assert taken == [("config", "generator")]
