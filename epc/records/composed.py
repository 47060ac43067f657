"""Verdicts that a wrapper composed: computed again from its members' calls, and held against them.

A composed verdict is a row of calls.jsonl like any other. Its `votes` name the members' calls that
it follows from.
"""

from collections.abc import Mapping
from typing import Final

from epc.errors import UsageError
from epc.protocol.config import Configuration
from epc.protocol.mitigation import (
    Judging,
    as_document,
    asks,
    composed,
    is_wrapper,
    spelled,
    votes,
)
from epc.protocol.prompt import Pair
from epc.records.findings import Findings
from epc.records.layout import MEMBER
from epc.records.manifest import ModelIdentity
from epc.records.rows import Call

CLAUSE: Final = "Reading R80"
_REMEDY: Final = "restore the calls as they were answered"


def check(evaluator: ModelIdentity, calls: Mapping[str, Call], findings: Findings) -> None:
    """Note what of a wrapper's record does not follow from its members' calls."""
    judging = None
    if is_wrapper(evaluator.model) or evaluator.composition is not None:
        if wrong := mismatch(evaluator):
            findings.add(CLAUSE, *wrong, "restore the manifest as it was written")
        else:
            judging = spelled(evaluator.model)[0]
    for place, call in enumerate(calls.values()):
        if call.role == "evaluator" and judging is not None:
            if problem := miscomposed(call, calls, judging):
                findings.add(CLAUSE, f"/calls/{place}/answer", problem, _REMEDY)
        elif call.votes is not None and not evaluator.members:
            findings.add(CLAUSE, f"/calls/{place}/votes", f"{call.model} has no members", _REMEDY)


def mismatch(evaluator: ModelIdentity) -> tuple[str, str] | None:
    """Return where and how a wrapper's name and members do not go together."""
    try:
        judging, names = spelled(evaluator.model)
    except UsageError as error:
        return "/evaluator/model", str(error).splitlines()[0]
    composition = evaluator.composition
    member_names = tuple(member.model for member in evaluator.members)
    if composition is None or composition.judging != as_document(judging) or member_names != names:
        return "/evaluator/details", f"are not those of {evaluator.model}"
    return None


def miscomposed(call: Call, calls: Mapping[str, Call], judging: Judging) -> str | None:
    """Return why a verdict does not follow from the calls that it names; None if it does."""
    wanted = asks(judging)
    cast = [calls.get(name) for name in call.votes or ()]
    roles = [f"{MEMBER}{ask.member}" for ask in wanted]
    if [vote.role if vote else None for vote in cast] != roles:
        return f"names {len(cast)} calls as its votes, and not those of its members"
    replies = {ask: vote.answer for ask, vote in zip(wanted, cast, strict=True) if vote}
    composition = composed(judging, replies)
    if composition != call.answer:
        return f"says {call.answer.splitlines()[:1]}, its votes give {composition!r}"
    return None


def misasked(
    config: Configuration, pair: Pair, call: Call, calls: Mapping[str, Call]
) -> str | None:
    """Return why the votes of a verdict are not about its pair; None if they are."""
    if not config.member_methods:
        return None
    try:
        judging, names = spelled(call.model)
    except UsageError:
        return f"call {call.id} is of {call.model}, which composes nothing"
    if len(names) != len(config.member_methods):
        return f"call {call.id} is of {len(names)} members, the record has others"
    wanted = votes(
        judging,
        pair,
        config.member_methods,
        template=config.evaluator_prompt,
        baseline=config.baseline,
    )
    prompts = [calls[name].prompt for name in call.votes or () if name in calls]
    if prompts != [vote.text for vote in wanted]:
        return f"call {call.id} rests on votes that were asked something else"
    return None
