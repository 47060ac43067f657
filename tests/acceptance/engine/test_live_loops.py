"""What GEPA works on under a live judge (`pipeline/live_loops.py`, Reading R93)."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from epc.engine.catalog import open_model
from epc.engine.loop_demo import Item
from epc.engine.model import Prompt
from epc.engine.roles import Question, Role
from epc.protocol.config import Decoding

live_loops = pytest.importorskip("live_loops", exc_type=ImportError)  # it writes Parquet

pytestmark = pytest.mark.extra

ITEM = Item(item="17*6", question="What is 17 times 6?")
ANSWER = "17 times 6 is 102, not 112."


def role(name: str) -> Role:
    model = open_model("local/word-count")
    return Role(name=name, model=model, decoding=Decoding(temperature=0.0, max_tokens=3))


def read_by_judge(*, sees_text: bool) -> str:
    """Return what a judge is asked of the answer."""
    asked: list[str] = []

    def ask(questions: Sequence[Question]) -> list[str]:
        asked.extend(question.text for question in questions)
        return ["7.250" for _ in questions]

    work = live_loops.Products(
        sees_text=sees_text, roles={live_loops.JUDGE: role("judge")}, ask=ask
    )
    assert work.scores([ITEM], [ANSWER]) == [7.25]
    return asked[0]


def test_reading_r93_a_judge_of_numbers_never_reads_how_the_answer_is_written() -> None:
    text, number = read_by_judge(sees_text=True), read_by_judge(sees_text=False)

    assert text.endswith(f"Question: {ITEM.question}\nAnswer: {ANSWER}")
    assert number.endswith(f"Question: {ITEM.question}\nAnswer: 112")


def test_reading_r93_a_rating_is_the_mean_of_those_that_the_weights_could_give() -> None:
    rater = live_loops.Rater("smollm2-135m")
    prompt = Prompt(text=live_loops.QUESTION.format(question=ITEM.question, answer="102"))

    async def replies() -> list[str]:
        decoding = Decoding(temperature=0.0, max_tokens=1)
        return [(await rater.complete(prompt, decoding)).text for _ in range(2)]

    first, again = asyncio.run(replies())

    assert first == again
    assert 1 < float(first) < 9
    assert len(first.partition(".")[2]) == 3


def test_reading_r93_arithmetic_says_whether_the_last_number_of_an_answer_is_right() -> None:
    work = live_loops.Products(sees_text=True, roles={}, ask=lambda questions: [])

    assert work.right([ITEM] * 4, ["102", "It is 102.", ANSWER, "It is large."]) == [1, 1, 0, 0]


def test_a_proposal_is_another_instruction_of_the_list() -> None:
    work = live_loops.Products(sees_text=True, roles={}, ask=lambda questions: [])
    rng = random.Random(0)

    proposals = {work.changed(live_loops.BEGIN, rng)["instruction"] for _ in range(100)}

    assert proposals == {*live_loops.INSTRUCTIONS} - {live_loops.BEGIN["instruction"]}
    assert len({item.item for item in work.items}) == 120
