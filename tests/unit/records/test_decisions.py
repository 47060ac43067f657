"""What a decision model is asked, and the reply that its decisions make."""

import json

from epc.judge.prompt import judge_prompt
from epc.judge.samples import Sample
from epc.records.decisions import Decision, askings, reply_of, spans
from epc.spec.judge_v1 import DIMENSIONS

SAMPLE = Sample(
    question_id="q1",
    prompt_variant="plain",
    target_model="m",
    output_id="o1",
    judge_model="typesafe/jev-1.13.0",
    method="cross_judge",
)


def prompt(output: str) -> str:
    return judge_prompt(
        "Judge. $task $output $meta",
        sample=SAMPLE,
        output=output,
        task=None,
        timestamp="2026-11-26",
    )


def decided(asked: str, score: str) -> str:
    decisions = {
        asking.name: Decision(
            chosen=score if asking.type == "score" else list(asking.options)[-1], probabilities={}
        )
        for asking in askings(asked)
    }
    return reply_of(asked, decisions)


def test_judge_4_1_a_long_output_s_quotes_come_from_its_whole_length() -> None:
    output = " ".join(f"word{number}" for number in range(8 * 250))
    assert len(spans(output)) == 250  # of eight words each

    offered = [asking.options for asking in askings(prompt(output)) if asking.type == "choice"]
    record = json.loads(decided(prompt(output), "1"))

    # Every third of 250, the least step by which at most 100 are left: 84.
    assert [len(options) for options in offered] == [84] * 4
    assert list(offered[0].values())[-1].startswith("word1992 ")  # 8 * 249, the last stretch
    assert record["evidence"][0]["quote"] == list(offered[0].values())[-1]
    assert "among 84 of the output's 250 stretches" in record["notes"]


def test_judge_3_3_scores_make_the_verdict_whatever_the_model_thinks_of_it() -> None:
    record = json.loads(decided(prompt("Paris is the capital of France."), "1"))

    assert list(record["scores"]) == [*DIMENSIONS, "overall_score"]
    assert list(record["scores"].values()) == [1, 1, 1, 1, 4]
    assert record["verdict"] == "PARTIAL"
    assert {each["reason"] for each in record["evidence"]} == {"the model states no probability"}


def test_judge_4_1_what_has_one_stretch_is_quoted_unasked_and_a_blank_not_at_all() -> None:
    for output, quotes in (("Paris is it.", ["Paris is it."] * 4), (" ", [])):
        text = prompt(output)

        assert {asking.type for asking in askings(text)} == {"score"}
        evidence = json.loads(decided(text, "0"))["evidence"]
        assert [each["quote"] for each in evidence] == quotes


def test_epc_2_6_c_a_verdict_without_probabilities_is_the_choice_alone() -> None:
    decisions = {"verdict": Decision(chosen="B", probabilities={})}

    assert reply_of("Evaluate. Which is better?", decisions) == "B"
