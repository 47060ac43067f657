"""An executor's answers that several runs share: who waits, who is asked, who stops whom (R76)."""

import asyncio
from pathlib import Path

import pytest
from engine_support import DAY, Told, question

from epc.engine.calls import Caller, SharedAnswers
from epc.engine.journal import Journal
from epc.engine.model import CallError, Completion, Occasion, Prompt
from epc.engine.progress import Progress
from epc.protocol.config import Decoding


class Held(Told):
    """A model that answers one prompt after the other, once it is let go."""

    def __init__(self) -> None:
        super().__init__(concurrency=1)
        self.go_on = asyncio.Event()

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        answer = await super().complete(prompt, decoding)
        await self.go_on.wait()
        return answer


def shared(folder: Path, runs: int) -> SharedAnswers:
    caller = Caller(journal=Journal(folder), reuse=False, progress=Progress(), clock=lambda: DAY)
    return SharedAnswers(caller=caller, runs=runs)


async def ended(answers: SharedAnswers) -> None:
    await answers.close()
    answers.caller.journal.close()


def test_a_run_that_is_cut_off_takes_the_answer_from_no_other(tmp_path: Path) -> None:
    async def two_runs() -> tuple[str, int]:
        answers, model = shared(tmp_path, 2), Held()
        sent_question = question(model, "x", name="executor")
        first, second = (asyncio.create_task(answers.ask(sent_question, None)) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.sleep(0)
        model.go_on.set()
        call = await second
        repeated_document = await answers.ask(sent_question, None)
        await ended(answers)
        assert call == repeated_document
        return call["answer"], len(model.asked)

    answer, asked = asyncio.run(two_runs())

    assert answer.startswith("Answer ")
    assert asked == 1


def test_nothing_more_is_asked_once_every_run_has_stopped(tmp_path: Path) -> None:
    gone = CallError("both evaluators are gone")

    async def both_stop() -> tuple[list[str], int]:
        answers, model = shared(tmp_path, 2), Held()
        runs = [object(), object()]
        tasks = [
            asyncio.create_task(answers.ask(question(model, str(n), name="executor"), None))
            for n in range(4)
        ]
        await asyncio.sleep(0.01)
        answers.leave(runs[0], gone)
        answers.leave(runs[0], gone)  # the same run twice is one
        await asyncio.sleep(0)
        assert not any(task.done() for task in tasks)
        answers.leave(runs[1], gone)
        model.go_on.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        await ended(answers)
        return [type(result).__name__ for result in results], len(model.asked)

    results, asked = asyncio.run(both_stop())

    # What was under way is paid for, and kept.
    assert results == ["dict", "CallError", "CallError", "CallError"]
    assert asked == 1


@pytest.mark.parametrize("reused", [True, False])
def test_a_run_that_reuses_answers_names_no_round_and_a_fresh_one_does(
    tmp_path: Path,
    reused: bool,  # noqa: FBT001  (pytest hands it over by name)
) -> None:
    async def one_run() -> str | None:
        model = Held()
        model.go_on.set()
        (tmp_path / "answers").mkdir()
        answers = shared(tmp_path / "answers", 1)
        caller = Caller(
            journal=Journal(tmp_path),
            reuse=reused,
            progress=Progress(),
            clock=lambda: DAY,
            siblings=answers,
        )
        sent_question = question(model, "x", name="executor", side="baseline")
        call = await caller.ask(sent_question, Occasion(seed=1, phase="text", round=2))
        assert caller.existing_call(call["id"]) == call  # in the run's own journal, too
        await caller.close()
        caller.journal.close()
        await ended(answers)
        place: str | None = call["occasion"]
        return place

    assert asyncio.run(one_run()) == (None if reused else "1/text/2/baseline")
