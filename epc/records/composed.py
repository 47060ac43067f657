"""Verdicts that a wrapper composed: computed again from its members' calls, and held against them.

A composed verdict is a row of calls.jsonl like any other. Its `votes` name the members' calls that
it follows from.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from epc.protocol.config import Configuration
from epc.protocol.mitigation import (
    CALIBRATION,
    MEMBER,
    Ask,
    Mitigation,
    asks,
    composed,
    fitted,
    is_wrapper,
)
from epc.protocol.prompt import Pair, executor_prompt, known_pairs, vote_of, votes
from epc.records.findings import Findings
from epc.records.manifest import ModelIdentity
from epc.records.rows import Call
from epc.records.wrappers import Calibrated, mismatch

CLAUSE: Final = "Reading R80"
_REMEDY: Final = "restore the calls as they were answered"


def miscomposed(call: Call, calls: Mapping[str, Call], mitigation: Mitigation) -> str | None:
    """Return why a verdict does not follow from the calls that it names; None if it does."""
    wanted = asks(mitigation.judging)
    cast = [calls.get(name) for name in call.votes or ()]
    roles = [f"{MEMBER}{ask.member}" for ask in wanted]
    if [vote.role if vote else None for vote in cast] != roles:
        return f"names {len(cast)} calls as its votes, and not those of its members"
    replies = {ask: vote.answer for ask, vote in zip(wanted, cast, strict=True) if vote}
    again = composed(mitigation.judging, replies, mitigation.fits)
    if again != call.answer:
        return f"says {call.answer.splitlines()[:1]}, its votes give {again!r}"
    return None


def misasked(
    config: Configuration, pair: Pair, call: Call, calls: Mapping[str, Call]
) -> str | None:
    """Return why the votes of a verdict are not about its pair; None if they are."""
    if config.mitigation is None:
        return None
    pair_votes = votes(
        config.mitigation, pair, template=config.evaluator_prompt, baseline=config.baseline
    )
    prompts = [calls[name].prompt for name in call.votes or () if name in calls]
    if prompts != [vote.text for vote in pair_votes]:
        return f"call {call.id} rests on votes that were asked something else"
    return None


def check(
    evaluator: ModelIdentity,
    config: Configuration,
    calibration: Sequence[Calibrated],
    calls: Mapping[str, Call],
    findings: Findings,
) -> None:
    """Note what of a wrapper's record does not follow from its members' calls."""
    model, details = evaluator.model, evaluator.details
    wraps = is_wrapper(model) or "judging" in details or bool(calibration)
    if wraps and (wrong := mismatch(model, details, calibration)):
        findings.add(CLAUSE, *wrong, "restore the manifest as it was written")
    mitigation = config.mitigation
    for at, each in enumerate(calibration if mitigation else ()):
        for problem in _misfitted(each, config, calls):
            findings.add(CLAUSE, f"/calibration/{at}", problem, _REMEDY)
    for at, call in enumerate(calls.values()):
        if call.role == "evaluator" and mitigation is not None:
            if otherwise := miscomposed(call, calls, mitigation):
                findings.add(CLAUSE, f"/calls/{at}/answer", otherwise, _REMEDY)
        elif call.votes is not None:
            findings.add(CLAUSE, f"/calls/{at}/votes", f"{call.model} has no members", _REMEDY)


def _misfitted(
    stated: Calibrated, config: Configuration, calls: Mapping[str, Call]
) -> Iterator[str]:
    assert config.mitigation is not None
    cast = [[calls.get(name) for name in pair] for pair in stated.calls]
    role = f"{MEMBER}{stated.member}"
    if not all(call and call.role == role for pair in cast for call in pair):
        yield f"names calls that are not those of the {role}"
        return
    replies = [(a.answer, b.answer) for a, b in cast if a and b]
    if (again := fitted(replies)) != stated.fit:
        yield f"says {stated.fit}, its calls give {again}"
    answers = _baseline_answers(config, calls)
    if answers is None:
        yield "the baseline's answers that it was fitted to are not here"
        return
    texts = [
        vote_of(
            Ask(stated.member, exchanged=False),
            pair,
            config.mitigation.methods,
            template=config.evaluator_prompt,
            baseline=config.baseline,
        ).text
        for both in known_pairs(config, answers)
        for pair in both
    ]
    if texts != [call.prompt for pair in cast for call in pair if call]:
        yield "was fitted to other pairs than those of the design's own tasks"


def _baseline_answers(
    config: Configuration, calls: Mapping[str, Call]
) -> dict[tuple[str, int], str] | None:
    """Return the baseline's answer to each task, as the calibration was shown it."""
    prompt = config.strategies[config.baseline_index].prompt
    # In a fresh run the calibration's own answers are kept under names of their own.
    shown = sorted(
        (call for call in calls.values() if call.role == "executor"),
        key=lambda call: not (call.occasion or CALIBRATION).startswith(CALIBRATION),
    )
    known = {call.prompt: call.answer for call in reversed(shown)}
    prompts = {
        (domain, at): executor_prompt(
            strategy_prompt=prompt, task=task, template=config.executor_prompt
        )
        for domain, tasks in config.tasks.items()
        for at, task in enumerate(tasks)
    }
    if not all(text in known for text in prompts.values()):
        return None
    return {key: known[text] for key, text in prompts.items()}
