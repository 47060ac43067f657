"""Reasoning told from the answer, wherever a model or a server puts it (Reading R79)."""

from typing import Any

import pytest

from epc.records.replies import reasoning_of
from epc.records.reply_parts import separated


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("A", "", "A"),
        ("<think>x</think>A", "x", "A"),
        ("\n <think>\nx\ny\n</think>\n\nA\n", "x\ny", "A\n"),
        ("<think>\n\n</think>\n\nA", "", "A"),  # what Qwen leaves where it was told not to
        ("<think>x</think><think>y</think>B", "x\ny", "B"),
        ("<thinking>x</thinking>A", "x", "A"),
        ("[THINK]x[/THINK]A", "x", "A"),
        ("<think>x", "x", ""),  # cut short: the answer had not begun
        ("x\n</think>\n\nA", "x", "A"),  # DeepSeek R1's template opens the block itself
        ("</think>\nA", "", "A"),
        ("A, as <think>x</think> says", "", "A, as <think>x</think> says"),  # not at the start
        ("Write `</think>` to end it.", "", "Write `</think>` to end it."),
        ("<think>a </thinking> b</think>A", "a </thinking> b", "A"),
    ],
)
def test_reading_r79_blocks_at_the_start_are_no_answer(
    text: str, reasoning: str, answer: str
) -> None:
    assert separated(text) == (reasoning, answer)


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"content": "A"}, ""),
        ({"reasoning_content": " x "}, "x"),
        ({"reasoning": "x", "reasoning_content": None}, "x"),
        ({"reasoning": {"effort": "high"}}, ""),
        ({"content": [{"type": "thinking", "thinking": "x"}]}, "x"),
        ({"content": [{"type": "reasoning", "text": "x"}, {"type": "text", "text": "A"}]}, "x"),
        ({"content": ["x", {"type": "thinking"}, {"type": "thinking", "thinking": [7, {}]}]}, ""),
    ],
)
def test_reading_r79_what_stands_beside_the_content_is_reasoning(
    message: dict[str, Any], reasoning: str
) -> None:
    assert reasoning_of(message) == reasoning
