"""The reference domain as data, against the paper's own words."""

from epc.spec.reference import EVALUATOR_PROMPT, STRATEGIES, TASKS


def test_epc_2_2_eleven_strategies_eight_of_text_and_three_visual() -> None:
    assert len(STRATEGIES) == 11
    assert [s.domain for s in STRATEGIES].count("text") == 8
    assert [s.domain for s in STRATEGIES].count("visual") == 3
    assert len({s.name for s in STRATEGIES}) == 11
    assert len({s.prompt for s in STRATEGIES}) == 11


def test_epc_2_4_b_no_task_stands_twice() -> None:
    tasks = [task for domain in TASKS.values() for task in domain]

    assert len(set(tasks)) == 16


def test_epc_2_6_a_the_reference_prompt_verbatim() -> None:
    assert EVALUATOR_PROMPT == (
        "Evaluate. Task: {task} A ({strategy_name}): {response_A[:300]} "
        "B (step_by_step): {response_B[:300]} Better? Output only A or B."
    )


def test_epc_a_2_eight_tasks_a_domain_verbatim() -> None:
    assert {domain: len(tasks) for domain, tasks in TASKS.items()} == {"text": 8, "visual": 8}
    assert TASKS["text"][0] == "Explain why the sky is blue."
    assert TASKS["visual"][-1] == "How does lighting affect the mood of a photograph?"
