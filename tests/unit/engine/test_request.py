"""What a measurement can ask: the prompts of EPC-2.3, and all of them for an exhaustive run."""

from pathlib import Path

from engine_support import Told, digest, plan_for, role

from epc.engine.catalog import open_model
from epc.engine.plan import configuration
from epc.engine.request import Questions
from epc.engine.roles import Question
from epc.protocol.results import Json
from epc.spec.reference import STRATEGIES, TASKS


def reference() -> Questions:
    model = Told()
    config = configuration(plan_for(model, model), model)
    return Questions(
        config=config, evaluator=role("evaluator", model), executor=role("executor", model)
    )


def answered(question: Question) -> Json:
    return {"answer": f"answer to {digest(question.text)[:8]}"}


def test_epc_2_3_the_executor_is_asked_by_strategy_and_task() -> None:
    question = reference().answer(2, "visual", 5)

    assert question.role.name == "executor"
    assert question.text == f"{STRATEGIES[2].prompt}\n\n{TASKS['visual'][5]}"
    assert (question.pair, question.side) == (None, "response")


def test_epc_2_3_a_the_baseline_follows_from_the_task_alone() -> None:
    question = reference().baseline("text", 3)

    prompts = {strategy.name: strategy.prompt for strategy in STRATEGIES}
    assert question.text == f"{prompts['step_by_step']}\n\n{TASKS['text'][3]}"
    assert question.side == "baseline"


def test_epc_2_6_a_comparison_shows_the_strategy_s_answer_as_a() -> None:
    question = reference().comparison(0, "text", 1, ({"answer": "first"}, {"answer": "second"}))

    assert question.role.name == "evaluator"
    assert question.pair is not None
    assert (question.pair.response, question.pair.baseline) == ("first", "second")
    assert question.text.index("first") < question.text.index("second")


def test_reading_r16_two_waves_hold_every_pair_once() -> None:
    questions = reference()

    answers, comparisons = questions.answers(), questions.comparisons(answered)

    assert len({question.text for question in answers}) == len(answers) == 176
    assert len(comparisons) == 176
    pairs = {(c.pair.domain, c.pair.task, c.pair.strategy) for c in comparisons if c.pair}
    assert len(pairs) == 176
    by_text = {question.text: answered(question)["answer"] for question in answers}
    for question in comparisons:
        assert question.pair is not None
        assert question.pair.response in by_text.values()
        assert question.pair.baseline in by_text.values()


def test_reading_r72_recorded_verdicts_have_one_wave_of_the_pairs_that_the_file_holds(
    tmp_path: Path,
) -> None:
    table = tmp_path / "v.csv"
    table.write_text("strategy,domain,task,verdict\ns,text,t,A\nr,visual,v,B\n")
    model = open_model(f"recorded:{table}")
    config = configuration(plan_for(model, None), model)
    questions = Questions(config=config, evaluator=role("evaluator", model), executor=None)

    assert questions.answers() == []
    assert len(questions.comparisons(answered)) == 2
