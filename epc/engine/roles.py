"""Roles: a model as executor or evaluator, what it may be asked, and its answers' rows."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from msgspec import Struct
from msgspec.structs import asdict

from epc.engine.composite import Composite
from epc.engine.model import Completion, Model
from epc.json_text import storable
from epc.protocol.config import Decoding
from epc.protocol.prompt import Pair
from epc.protocol.results import Json
from epc.records.layout import MEMBER, CallNames, decoding_json, stamp
from epc.records.rows import ASKED, COMPOSED, RECORDED, Call


class Role(Struct, frozen=True, kw_only=True, dict=True):
    """A model as executor or evaluator, with the decoding it is asked for."""

    name: str
    model: Model
    decoding: Decoding

    @cached_property
    def decoding_json(self) -> Json:
        """The decoding, as it stands in the manifest."""
        return decoding_json(self.decoding)

    @cached_property
    def members(self) -> "dict[int, Role]":
        """Every member of a composite by its number, as the role that it is asked in."""
        if not isinstance(self.model, Composite):
            return {}
        return {
            number: Role(
                name=f"{MEMBER}{number}",
                model=member,
                decoding=self.model.decoding_of(number, self.decoding),
            )
            for number, member in enumerate(self.model.members, 1)
        }

    @cached_property
    def names(self) -> CallNames:
        """The names of what it is asked; of a composite's member, those that its own run gives."""
        role = "evaluator" if self.name.startswith(MEMBER) else self.name
        return CallNames(role, asdict(self.model.identity), self.decoding_json)


class Question(Struct, frozen=True, kw_only=True):
    """Something to ask a role. `side` tells the two answers of a round apart."""

    role: Role
    text: str
    side: str
    pair: Pair | None = None


def answered_row(
    name: str, question: Question, completion: Completion, place: str | None, now: datetime
) -> Json:
    """Return the row of an answer that has just come in.

    Nobody knows when a recorded verdict was given.
    """
    recorded = question.role.model.method == "recorded"
    answered_at = None if recorded else stamp(now)
    headers = completion.headers
    optional = {
        "reasoning": storable(completion.reasoning) or None,
        "reasoning_tokens": completion.reasoning_tokens or None,
        "limit_field": completion.limit_field,
        "reply": None if completion.reply is None else storable(completion.reply),
        "headers": None if headers is None else {k: storable(v) for k, v in headers.items()},
    }
    return {
        "id": name,
        "role": question.role.name,
        "model": question.role.model.identity.model,
        "served_model": completion.served_model,
        "system_fingerprint": completion.system_fingerprint,
        "prompt": question.text,
        "answer": storable(completion.text),
        "finish_reason": completion.finish_reason,
        "tokens_in": completion.tokens_in,
        "tokens_out": completion.tokens_out,
        "latency_s": completion.latency_s,
        "retries": completion.retries,
        "occasion": place,
        "answered_at": answered_at,
        "origin": RECORDED if recorded else ASKED,
        **{key: value for key, value in optional.items() if value is not None},
    }


def composed_row(
    name: str,
    question: Question,
    votes: Sequence[Call],
    *,
    answer: str,
    place: str | None,
) -> Json:
    """Return the row of a composite's answer.

    It follows from its members' calls alone, so it is the same whenever it is made. What they cost
    stands with them.
    """
    times = [call.answered_at for call in votes]
    known_times = [time for time in times if time is not None]
    ends = {call.finish_reason for call in votes}
    return {
        "id": name,
        "role": question.role.name,
        "model": question.role.model.identity.model,
        "served_model": None,
        "system_fingerprint": None,
        "prompt": question.text,
        "answer": answer,
        "finish_reason": ends.pop() if len(ends) == 1 else None,
        "tokens_in": None,
        "tokens_out": None,
        "latency_s": None,
        "retries": 0,
        "occasion": place,
        "answered_at": max(known_times) if len(known_times) == len(times) else None,
        "origin": COMPOSED,
        "votes": [call.id for call in votes],
    }
