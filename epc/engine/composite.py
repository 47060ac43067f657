"""A model that asks others: what it asks its members, and what it makes of their answers.

It is asked nothing itself. `epc.engine.calls` asks its members, each answer kept as any other, and
keeps the composite's answer beside them.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs
from msgspec.structs import asdict

from epc.engine.model import Completion, Identity, Model, Prompt
from epc.protocol.config import Configuration, Decoding
from epc.protocol.prompt import Pair
from epc.records.layout import decoding_json, decoding_of
from epc.records.manifest import Member, member_decoding
from epc.records.typed import parse
from epc.spec.epc_v1 import BASELINE, Method
from epc.spec.reference import EVALUATOR_PROMPT


class Inquiry(Struct, frozen=True, kw_only=True):
    """One question of a composite to a member, whose numbers begin with 1.

    `suffix` tells it from another question to the same member about the same pair.
    """

    member: int
    pair: Pair
    text: str
    suffix: str = ""


class Composite(Struct, eq=False, kw_only=True):
    """A model and its members, as an evaluator.

    `template` and `baseline` are those of the configuration that it is asked within. Each member
    keeps to its own `concurrency`.
    """

    members: list[Model]
    identity: Identity
    method: Method
    repeatable: bool
    concurrency: int
    template: str = EVALUATOR_PROMPT
    baseline: str = BASELINE
    pinned: bool = False  # its members' answers are kept; composing again is as quick

    @property
    def methods(self) -> tuple[Method, ...]:
        """How each member gets to its verdict."""
        return tuple(member.method for member in self.members)

    def inquiries(self, pair: Pair) -> list[Inquiry]:
        """Return what its members are asked about a pair."""
        raise NotImplementedError

    def composed(self, replies: Sequence[str]) -> str:
        """Return its answer, which follows from the replies to its inquiries in their order."""
        raise NotImplementedError

    def times(self, number: int) -> int:
        """Return how often a member is asked about one pair."""
        raise NotImplementedError

    def default_decoding(self, role: str) -> Decoding:
        """Return the first member's; a member with another keeps its own."""
        return self.members[0].default_decoding(role)

    def decoding_of(self, number: int, decoding: Decoding) -> Decoding:
        """Return how a member decodes where the composite is asked to decode in a way."""
        members = parse(self.identity.details["members"], tuple[Member, ...])
        return decoding_of(member_decoding(members, number, decoding_json(decoding)))

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Ask its members and compose, outside of any run; in a run `epc.engine.calls` does so."""
        assert prompt.pair is not None
        completions = [
            await self.members[inquiry.member - 1].complete(
                structs.replace(prompt, text=inquiry.text, pair=inquiry.pair),
                self.decoding_of(inquiry.member, decoding),
            )
            for inquiry in self.inquiries(prompt.pair)
        ]
        ends = {completion.finish_reason for completion in completions}
        return Completion(
            text=self.composed([completion.text for completion in completions]),
            finish_reason=ends.pop() if len(ends) == 1 else None,
            tokens_in=sum(completion.tokens_in or 0 for completion in completions),
            tokens_out=sum(completion.tokens_out or 0 for completion in completions),
            latency_s=sum(completion.latency_s or 0.0 for completion in completions),
            retries=sum(completion.retries for completion in completions),
        )

    async def close(self) -> None:
        """Let go of every member."""
        for member in self.members:
            await member.close()


def put_within(model: Model, config: Configuration) -> None:
    """Tell a composite what its members are asked within."""
    if isinstance(model, Composite):
        model.template, model.baseline = config.evaluator_prompt, config.baseline


def every_model(models: Iterable[Model]) -> list[Model]:
    """Return models with the members of each composite in its stead."""
    parts: list[Model] = []
    for model in models:
        parts.extend(model.members if isinstance(model, Composite) else [model])
    return parts


def identity_of(name: str, members: Sequence[Model], **details: object) -> Identity:
    """Return what a manifest says of a composite: what its members have in common, and each."""
    identities = [member.identity for member in members]
    return Identity(
        model=name,
        version=_joined(identity.version for identity in identities),
        endpoint=_joined(identity.endpoint for identity in identities) or "",
        gateway=_joined(identity.gateway for identity in identities),
        details={
            **details,
            "members": [
                {
                    **asdict(member.identity),
                    "decoding": decoding_json(member.default_decoding("evaluator")),
                    "method": member.method,
                }
                for member in members
            ],
        },
    )


def _joined(texts: Iterable[str | None]) -> str | None:
    """Return what members have in common, or each once; None if one of them has nothing."""
    distinct = list(dict.fromkeys(texts))
    return None if None in distinct else ", ".join(str(word) for word in distinct)
