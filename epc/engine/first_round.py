"""A run's first comparison, asked before all else: does the evaluator get to a verdict?"""

from collections.abc import Callable
from pathlib import Path

from epc.engine.calls import Caller
from epc.engine.controls import IncapableError, first_choice
from epc.engine.fitness import CUT, kind_of
from epc.engine.model import Occasion
from epc.engine.plan import Plan
from epc.engine.questions import Questions
from epc.spec.domains import Domain


async def ask_first_round(
    plan: Plan,
    folder: Path,
    questions: Questions,
    caller: Caller,
    *,
    say: Callable[[str], None],
) -> None:
    """Ask a run's first comparison before all else, and tell of an answer that is no bare letter.

    These calls are the run's own: it asks none of them again, in this sitting or a later one.

    Raises: IncapableError if the answer was cut off before a verdict, as every other would be;
    else as `Caller.ask`.
    """
    config = questions.config
    if questions.executor is None or not (plan.seeds and config.rounds):
        return
    domain, task, strategy, occasion = _first(plan, questions)
    caller.progress.begin("probe", 1)
    response = await caller.ask(questions.answer(strategy, domain, task), occasion)
    baseline = await caller.ask(questions.baseline(domain, task), occasion)
    comparison = questions.comparison(strategy, domain, task, (response, baseline))
    call = await caller.ask(comparison, occasion)
    caller.progress.advance()
    kind = kind_of(call["answer"], call["finish_reason"])
    after = " after reasoning" if "reasoning" in call or "reasoning_tokens" in call else ""
    if after or kind != "letter":
        say(f"probe    {plan.evaluator} answers with a {kind}{after}")
    if kind in ("silence", "text") and call["finish_reason"] in CUT:
        raise IncapableError(
            f"{plan.evaluator} was cut off before a verdict, and so it would be in every round\n"
            f"  fix: `epc doctor {plan.evaluator}` says how to ask it: with more --max-tokens, or "
            "--reasoning none\n"
            f"  next: ask it otherwise in a new run, or measure it like this: `epc resume {folder}`"
        )


def _first(plan: Plan, questions: Questions) -> tuple[Domain, int, int, Occasion | None]:
    """Return the domain, task and strategy of a comparison that the run asks whatever is said."""
    config = questions.config
    if plan.exhaustive:
        against_itself = config.baseline_index
        return *next(p for p in questions.pairs() if p[2] != against_itself), None
    phase = next(phase for phase in config.phases if phase.start is None)
    return first_choice(config, phase, plan.seeds[0])
