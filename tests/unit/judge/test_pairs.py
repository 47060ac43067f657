"""The prompt of a pair: it is filled once, and shows both answers."""

import pytest

from epc.judge.pairs import pair_prompt, pair_template_problem

TEMPLATE = "$question | $a | $b | $$5"


def test_an_answer_that_looks_like_a_placeholder_stays_what_it_is() -> None:
    text = pair_prompt(TEMPLATE, question="$a?", first="$b", second="${question}")

    assert text == "$a? | $b | ${question} | $5"


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("$a and $b", None),
        (TEMPLATE, None),
        ("$question $a", "it has no $b"),
        ("$a $b $output", "it has a placeholder $output that nothing fills"),
        ("$a $b costs $5", "a $ in it begins no placeholder; a bare dollar is written $$"),
    ],
)
def test_a_template_shows_both_answers_and_nothing_unknown(
    template: str, problem: str | None
) -> None:
    finding = pair_template_problem(template)

    assert (finding.problem if finding else None) == problem
