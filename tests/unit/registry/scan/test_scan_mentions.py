"""Tests of which words of a file are names: known ones, and those that look like a model's."""

from time import process_time

import pytest
from registry_support import generation_record, life_record

from epc.registry.families import models
from epc.registry.lifecycles import Generation
from epc.registry.names import Names
from epc.registry.scan.scan import Mention, Vocabulary


def vocabulary() -> Vocabulary:
    served = {"openai": ["gpt-4o", "davinci"], "google-vertex": ["text-bison@001"]}
    served |= {
        "novita": ["meta-llama/llama-3-8b"],
        "anthropic": ["claude-opus-4-1", "claude-3-haiku"],
    }
    served |= {"xai": ["o3-mini", "o3"]}
    generations = [
        Generation.parse(generation_record(model, life_record(platform=platform, model=model)))
        for platform, models in served.items()
        for model in models
    ]
    return Vocabulary(Names(models(generations, [], {}), ["v1.0-Judge-1"]), ["v1.0-Judge-1"])


def names(text: str) -> list[str]:
    return [mention.name for mention in vocabulary().mentions(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('model="gpt-4o"', ["gpt-4o"]),
        ("- openai:chat:GPT-4o\n- judge:GPT-4o", ["openai:chat:GPT-4o", "GPT-4o"]),
        ("judge: openai/gpt-4o.", ["openai/gpt-4o"]),
        ("text-bison@001, V1.0-judge-1 v1.0-Judge-1", ["text-bison@001", "v1.0-Judge-1"]),
        (r'"m = \"gpt-4o\"\n", "\tgpt-4o"', ["gpt-4o", "gpt-4o"]),
        ("\ufeffgpt-4o\u00a0gpt-4o", ["gpt-4o", "gpt-4o"]),
        # Known nowhere, and like a model's.
        ("gpt-4o-2024-08-60 claude-sonet-9 text-bison-2", None),
        ("azure/gpt-4o openrouter/meta-llama/Llama-9-70b", None),
        ("us.anthropic.claude-opus-9-v1:0 o7-mini results/gpt-4o", None),
        ("# judged by Claude Opus 4.1. Not Claude\nClaude 4", ["Claude Opus 4.1"]),
        ("o3 GPT 4o, o3 mini", ["o3", "GPT 4o", "o3 mini"]),
        # Not names.
        ("davinci claude gpt-tokenizer text-2xl gpt-4o.json notes-gpt-4o", []),
        ("https://example.org/models/gpt-4o ./prompts/gpt-4o /gpt-4o lib/davinci", []),
        ("openai/gpt-* claude-${n}-1 chat/davinci arn:aws:iam::1:role/judge-4", []),
        ("data:image/png;base64," + "gpt-4/" * 300, []),
        ("a1:" * 13 + "gpt-4o " + "a1:" * 12 + "gpt-4o", ["gpt-4o"]),
    ],
)
def test_a_word_is_a_name_if_it_is_known_or_looks_like_one(
    text: str, expected: list[str] | None
) -> None:
    assert names(text) == (text.split() if expected is None else expected)


def test_a_place_counts_lines_and_characters_from_one() -> None:
    text = "\n\U0001f916 = 'x:gpt-4o'; gpt-4o\r\n\tgpt-4o"

    assert list(vocabulary().mentions(text)) == [
        Mention(name="gpt-4o", line=2, column=8),
        Mention(name="gpt-4o", line=2, column=17),
        Mention(name="gpt-4o", line=3, column=2),
    ]


def test_a_line_that_says_so_is_passed_over_and_no_other() -> None:
    assert names("gpt-4o-1 # epc: ignore\ngpt-4o-2\nx # epc: ignore") == ["gpt-4o-2"]


@pytest.mark.parametrize(
    "word", ["a" * 2_000_000, ":" * 2_000_000, "a-" * 900_000, "\\n" * 900_000]
)
def test_no_text_takes_long(word: str) -> None:
    began = process_time()

    assert names(word) == []

    assert process_time() - began < 1
