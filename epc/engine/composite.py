"""A model that asks others: mitigated judging, in both places or as a panel, as an evaluator.

It is asked nothing itself. `epc.engine.calls` asks its members, each answer kept as any other, and
keeps the composite's answer beside them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, structs
from msgspec.structs import asdict

from epc.engine.model import Completion, Identity, Model, Prompt
from epc.errors import UsageError
from epc.protocol.config import Configuration, Decoding
from epc.protocol.mitigation import (
    Judging,
    Vote,
    as_document,
    asks,
    composed,
    parts_of,
    spelled,
    votes,
)
from epc.protocol.prompt import Pair
from epc.records.layout import decoding_json, decoding_of
from epc.records.manifest import Member, member_decoding
from epc.records.model_names import RECORDED
from epc.records.typed import parse
from epc.spec.epc_v1 import BASELINE, Method
from epc.spec.reference import EVALUATOR_PROMPT

_PLACELESS = ("likelihood", "score")  # methods by which each answer is scored by itself


class Composite(Struct, eq=False, kw_only=True):
    """Wrapper round evaluators, its members: its verdict follows from theirs.

    `template` and `baseline` are those of the configuration that it is asked within. Each member
    keeps to its own `concurrency`.
    """

    judging: Judging
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

    def votes_on(self, pair: Pair) -> list[Vote]:
        """Return what its members are asked about a pair."""
        return votes(
            self.judging, pair, self.methods, template=self.template, baseline=self.baseline
        )

    def composed(self, replies: Sequence[str]) -> str:
        """Return its answer, which follows from the replies to its votes in their order."""
        return composed(self.judging, dict(zip(asks(self.judging), replies, strict=True)))

    def times(self, number: int) -> int:
        """Return how often a member is asked about one pair."""
        return sum(ask.member == number for ask in asks(self.judging))

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
            await self.members[vote.ask.member - 1].complete(
                structs.replace(prompt, text=vote.text, pair=vote.pair),
                self.decoding_of(vote.ask.member, decoding),
            )
            for vote in self.votes_on(prompt.pair)
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


def open_wrapper(name: str, open_member: Callable[[str], Model]) -> Composite:
    """Return the wrapper of a name with its members open.

    Raises: UsageError if it cannot be one, or as opening a member does.
    """
    judging, names = spelled(name)
    if any(member_name.startswith(RECORDED) for member_name in names):
        why = "recorded verdicts cannot be asked in another way"
        raise UsageError(f"{name}: {why}\n  fix: name the evaluator that gave them")
    members = [open_member(member_name) for member_name in names]
    for part in parts_of(judging):
        for number in {inner.member for inner in part.parts if inner.member}:
            _require_fit(part, members[number - 1])
    models = {
        spelling: member.identity.model for spelling, member in zip(names, members, strict=True)
    }
    methods = [member.method for member in members]
    return Composite(
        judging=judging,
        members=members,
        # By the prompt if a member is asked by it, whose words tell most; else as the first.
        method="prompt" if "prompt" in methods else methods[0],
        repeatable=all(member.repeatable for member in members),
        concurrency=sum(member.concurrency for member in members),
        identity=_identity_of(_named(name, models), members, judging),
    )


def _require_fit(part: Judging, model: Model) -> None:
    """Refuse a wrapper that its model has nothing for."""
    name = model.identity.model
    if part.kind == "band" and not getattr(model, "states_scores", False):
        raise UsageError(
            f"band={part.band:g}:{name}: {name} states no scores of its answers\n"
            "  fix: put the band round an embedded scorer (`epc models list`)"
        )
    if part.kind == "balanced" and model.method in _PLACELESS:
        raise UsageError(
            f"balanced:{name}: {name} scores each answer by itself, so both places say the same\n"
            "  fix: name it without balanced:, or with band=0.1:"
        )


def _named(name: str, models: Mapping[str, str]) -> str:
    """Return a wrapper's name with its members' own names, longest first: one may begin another."""
    for spelling in sorted(models, key=len, reverse=True):
        if spelling != models[spelling]:
            name = name.replace(spelling, models[spelling])
    return name


def _identity_of(name: str, members: Sequence[Model], judging: Judging) -> Identity:
    """Return what a manifest says of a composite: what its members have in common, and each."""
    identities = [member.identity for member in members]
    return Identity(
        model=name,
        version=_joined(identity.version for identity in identities),
        endpoint=_joined(identity.endpoint for identity in identities) or "",
        gateway=_joined(identity.gateway for identity in identities),
        details={
            "judging": as_document(judging),
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
