"""EPC-2.2 and EPC-2.6: what executor and evaluator are asked."""

import json

from epc.protocol.prompt import Pair, characters_shown, evaluation_text, executor_prompt, judged
from epc.spec.reference import EVALUATOR_PROMPT, EXECUTOR_PROMPT

PAIR = Pair(domain="text", task="Why?", strategy="synthesis", response="yes", baseline="no")


def test_epc_2_6_a_the_prompt_is_filled_as_printed() -> None:
    assert evaluation_text(PAIR, method="prompt") == (
        "Evaluate. Task: Why? A (synthesis): yes B (step_by_step): no Better? Output only A or B."
    )


def test_reading_r7_the_cut_counts_code_points() -> None:
    long = "\U0001f600" * 299 + "ab"  # 301 code points, more than 300 of any other unit
    text = evaluation_text(
        Pair(domain="text", task="t", strategy="s", response=long, baseline=""), method="prompt"
    )

    assert "\U0001f600" * 299 + "a B (" in text
    assert judged(long) == long[:-1]


def test_epc_2_6_an_answer_that_holds_a_placeholder_stays_as_it_was_written() -> None:
    sly = Pair(
        domain="text", task="t", strategy="s", response="{task} {response_B[:300]}", baseline="b"
    )

    assert "A (s): {task} {response_B[:300]} B (" in evaluation_text(sly, method="prompt")


def test_epc_2_2_a_strategy_is_a_prefix_of_the_task() -> None:
    assert executor_prompt(strategy_prompt="Think.", task="Why?") == "Think.\n\nWhy?"


def test_reading_r31_a_blank_line_joins_the_strategy_and_the_task_as_they_are_written() -> None:
    assert executor_prompt(strategy_prompt="Think. \nTwice.", task=" Why {task}? ") == (
        "Think. \nTwice.\n\n Why {task}? "
    )
    assert EXECUTOR_PROMPT == "{strategy_prompt}\n\n{task}"  # what a manifest records


def test_reading_r13_a_scorer_sees_the_task_and_both_cut_answers_only() -> None:
    long = Pair(domain="text", task="t", strategy="s", response="x" * 400, baseline="y" * 400)

    document = json.loads(evaluation_text(long, method="likelihood"))

    assert document == {"task": "t", "response_A": "x" * 300, "response_B": "y" * 300}


def test_reading_r13_a_record_is_looked_up_by_strategy_domain_and_task() -> None:
    document = json.loads(evaluation_text(PAIR, method="recorded"))

    assert document == {"strategy": "synthesis", "domain": "text", "task": "Why?"}


def test_epc_2_6_an_unknown_placeholder_is_left_alone() -> None:
    text = evaluation_text(PAIR, method="prompt", template="{task} {nobody} {strategy_name}")

    assert text == "Why? {nobody} synthesis"


def test_reading_r7_a_prompt_of_a_design_shows_as_much_of_an_answer_as_it_says() -> None:
    pair = Pair(domain="text", task="t", strategy="s", response="a" * 900, baseline="b" * 900)
    prompt = "{task} {response_A[:800]} {response_B}"

    assert evaluation_text(pair, method="prompt", template=prompt) == f"t {'a' * 800} {'b' * 300}"
    assert [characters_shown(each) for each in (prompt, EVALUATOR_PROMPT, "{response_A[:9]}")] == [
        800,
        300,
        9,
    ]
