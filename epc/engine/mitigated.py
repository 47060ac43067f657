"""A wrapper round evaluators: who its members are, and what it may be a wrapper of.

A wrapper is asked nothing itself. `epc.engine.calls` asks its members, each call kept as any other,
and composes the wrapper's verdict from their replies (`epc.protocol.mitigation`).
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, structs
from msgspec.structs import asdict

from epc.engine.model import Completion, Identity, Model, Prompt
from epc.errors import UsageError
from epc.protocol.config import Configuration, Decoding
from epc.protocol.mitigation import (
    Fit,
    Judging,
    Mitigation,
    calibrated_members,
    composed,
    parts_of,
    spelled,
)
from epc.protocol.prompt import Pair, Vote, votes
from epc.records.layout import decoding_json, decoding_of
from epc.records.wrappers import Calibrated, as_document, member_decoding, members_of
from epc.spec.epc_v1 import BASELINE, Method
from epc.spec.reference import EVALUATOR_PROMPT

_PLACELESS = ("likelihood", "score")  # methods by which each answer is scored by itself


class Mitigated(Struct, eq=False, kw_only=True):
    """A wrapper and its members, as an evaluator.

    `template` and `baseline` are those of the configuration that it is asked within, `calibration`
    what was fitted of its calibrated members. Each member keeps to its own `concurrency`.
    """

    judging: Judging
    members: list[Model]
    identity: Identity
    method: Method
    repeatable: bool
    concurrency: int
    template: str = EVALUATOR_PROMPT
    baseline: str = BASELINE
    calibration: tuple[Calibrated, ...] = ()
    pinned: bool = False  # its members' answers are kept; composing again is as quick

    @property
    def mitigation(self) -> Mitigation:
        """What the configuration says of it."""
        methods = tuple(member.method for member in self.members)
        fits = {each.member: each.fit for each in self.calibration}
        return Mitigation(judging=self.judging, methods=methods, fits=fits)

    def default_decoding(self, role: str) -> Decoding:
        """Return the first member's; a member with another keeps its own."""
        return self.members[0].default_decoding(role)

    def decoding_of(self, number: int, decoding: Decoding) -> Decoding:
        """Return how a member decodes where the wrapper is asked to decode in a way."""
        members = members_of(self.identity.details)
        return decoding_of(member_decoding(members, number, decoding_json(decoding)))

    def votes(self, pair: Pair) -> list[Vote]:
        """Return what its members are asked about a pair."""
        return votes(self.mitigation, pair, template=self.template, baseline=self.baseline)

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Ask its members and compose, outside of any run: what is not fitted yet is not corrected.

        In a run `epc.engine.calls` does so, and keeps each member's answer.
        """
        assert prompt.pair is not None
        cast = self.votes(prompt.pair)
        completions = [
            await self.members[vote.ask.member - 1].complete(
                structs.replace(prompt, text=vote.text, pair=vote.pair),
                self.decoding_of(vote.ask.member, decoding),
            )
            for vote in cast
        ]
        raw = {
            number: Fit(prior=0.0, temperature=1.0) for number in calibrated_members(self.judging)
        }
        replies = {vote.ask: each.text for vote, each in zip(cast, completions, strict=True)}
        ends = {each.finish_reason for each in completions}
        return Completion(
            text=composed(self.judging, replies, {**raw, **self.mitigation.fits}),
            finish_reason=ends.pop() if len(ends) == 1 else None,
            tokens_in=sum(each.tokens_in or 0 for each in completions),
            tokens_out=sum(each.tokens_out or 0 for each in completions),
            latency_s=sum(each.latency_s or 0.0 for each in completions),
            retries=sum(each.retries for each in completions),
        )

    async def close(self) -> None:
        """Let go of every member."""
        for member in self.members:
            await member.close()


def open_wrapper(name: str, open_member: Callable[[str], Model]) -> Mitigated:
    """Return the wrapper of a name with its members open.

    Raises: UsageError if it cannot be one, or as opening a member does.
    """
    judging, names = spelled(name)
    members = [open_member(each) for each in names]
    for part in parts_of(judging):
        for number in {inner.member for inner in part.of if inner.member}:
            _require_fit(part, members[number - 1])
    for member in members:
        if member.method == "recorded":
            why = "recorded verdicts cannot be asked in another way"
            raise UsageError(f"{name}: {why}\n  fix: name the evaluator that gave them")
    own = {spelling: member.identity.model for spelling, member in zip(names, members, strict=True)}
    identities = [member.identity for member in members]
    methods = [member.method for member in members]
    return Mitigated(
        judging=judging,
        members=members,
        # By the prompt if a member is asked by it, whose words tell most; else as the first.
        method="prompt" if "prompt" in methods else methods[0],
        repeatable=all(member.repeatable for member in members),
        concurrency=sum(member.concurrency for member in members),
        identity=Identity(
            model=_named(name, own),
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
        ),
    )


def put_within(
    model: Model, config: Configuration, calibration: tuple[Calibrated, ...] = ()
) -> None:
    """Tell a wrapper what its members are asked within, and what was fitted of them there."""
    if isinstance(model, Mitigated):
        model.template, model.baseline = config.evaluator_prompt, config.baseline
        model.calibration = calibration or model.calibration


def every_model(models: Iterable[Model]) -> list[Model]:
    """Return models with the members of each wrapper in its stead."""
    return [each for m in models for each in (m.members if isinstance(m, Mitigated) else [m])]


def _require_fit(part: Judging, model: Model) -> None:
    """Refuse a wrapper that its model has nothing for."""
    name, scores = model.identity.model, getattr(model, "states_scores", False)
    if part.kind == "calibrated" and not (scores and model.method != "score"):
        raise UsageError(
            f"calibrated:{name}: {name} states no likelihoods of its verdicts\n"
            "  fix: calibrate an embedded likelihood scorer (`epc models list`); a hosted model "
            "can be asked in both places instead: balanced:MODEL"
        )
    if part.kind == "band" and not scores:
        raise UsageError(
            f"band={part.band:g}:{name}: {name} states no scores of its answers\n"
            "  fix: put the band round an embedded scorer (`epc models list`)"
        )
    if part.kind == "balanced" and model.method in _PLACELESS:
        raise UsageError(
            f"balanced:{name}: {name} scores each answer by itself, so both places say the same\n"
            "  fix: name it without balanced:, or with band=0.1:"
        )


def _named(name: str, own: Mapping[str, str]) -> str:
    """Return a wrapper's name with its members' own names, longest first: one may begin another."""
    for spelling in sorted(own, key=len, reverse=True):
        if spelling != own[spelling]:
            name = name.replace(spelling, own[spelling])
    return name


def _joined(words: Iterable[str | None]) -> str | None:
    """Return what members have in common, or each once; None if one of them has nothing."""
    distinct = list(dict.fromkeys(words))
    return None if None in distinct else ", ".join(str(word) for word in distinct)
