"""Fitting the calibrated members of a wrapper before a run's first round."""

from epc.engine.calls import Caller, Question
from epc.engine.mitigated import Mitigated
from epc.engine.questions import Questions
from epc.engine.task_group import all_of, both
from epc.protocol.mitigation import CALIBRATION, Ask, calibrated_members, fitted
from epc.protocol.prompt import Pair
from epc.protocol.votes import known_pairs, vote_of
from epc.records.calls import call_of
from epc.records.row_types import Call
from epc.records.wrappers import Calibrated


async def calibrate(questions: Questions, caller: Caller) -> None:
    """Ask a wrapper's calibrated members about pairs whose better answer is known, and fit them.

    The pairs are made of the baseline's answers to the design's own tasks. What was asked before is
    not asked again.

    Raises: as `Caller.ask`.
    """
    model = questions.evaluator.model
    wanted = calibrated_members(model.judging) if isinstance(model, Mitigated) else []
    if not isinstance(model, Mitigated) or not wanted:
        return
    config = questions.config
    places = [
        (domain, task) for domain, tasks in config.tasks.items() for task in range(len(tasks))
    ]
    caller.progress.begin("calibration", len(places) * len(wanted))

    async def ask(question: Question, suffix: str) -> Call:
        # In a fresh run the rounds' own answers stay the rounds' own.
        if caller.reuse:
            return call_of(await caller.ask(question))
        return call_of(await caller.ask_again(question, f"{CALIBRATION}{suffix}"))

    written = await all_of(
        ask(questions.baseline(domain, task), f"{domain}/{task}/baseline")
        for domain, task in places
    )
    answers = {key: call.answer for key, call in zip(places, written, strict=True)}

    async def asked(number: int, pair: Pair, suffix: str) -> Call:
        vote = vote_of(
            Ask(number, exchanged=False),
            pair,
            model.mitigation.methods,
            template=config.evaluator_prompt,
            baseline=config.baseline,
        )
        role = questions.evaluator.members[number]
        return await ask(Question(role=role, text=vote.text, side="vote", pair=pair), suffix)

    async def known(number: int, at: int, right: Pair, wrong: Pair) -> tuple[Call, Call]:
        calls = await both(
            asked(number, right, f"{at}/first"), asked(number, wrong, f"{at}/second")
        )
        caller.progress.advance()
        return calls

    calibration = []
    for number in wanted:
        pairs = enumerate(known_pairs(config, answers))
        calls = await all_of(known(number, at, *pair) for at, pair in pairs)
        fit = fitted([(first.answer, second.answer) for first, second in calls])
        names = tuple((first.id, second.id) for first, second in calls)
        calibration.append(
            Calibrated(member=number, prior=fit.prior, temperature=fit.temperature, calls=names)
        )
    model.calibration = tuple(calibration)
