"""Mitigated judging as an evaluator: it asks others, in both places or as a panel, and composes."""

from collections.abc import Callable, Mapping, Sequence

from epc.engine.composite import Composite, Inquiry, identity_of
from epc.engine.model import Model
from epc.errors import UsageError
from epc.protocol.mitigation import (
    EXCHANGED,
    Judging,
    as_document,
    asks,
    composed,
    parts_of,
    spelled,
    votes,
)
from epc.protocol.prompt import Pair

_PLACELESS = ("likelihood", "score")  # methods by which each answer is scored by itself


class Mitigated(Composite, eq=False, kw_only=True):
    """A wrapper round evaluators, whose verdict follows from theirs."""

    judging: Judging

    def inquiries(self, pair: Pair) -> list[Inquiry]:
        """Return what its members are asked about a pair."""
        cast = votes(
            self.judging, pair, self.methods, template=self.template, baseline=self.baseline
        )
        return [
            Inquiry(
                member=vote.ask.member,
                pair=vote.pair,
                text=vote.text,
                suffix=EXCHANGED * vote.ask.exchanged,
            )
            for vote in cast
        ]

    def composed(self, replies: Sequence[str]) -> str:
        """Return its answer, which follows from the replies to its inquiries in their order."""
        return composed(self.judging, dict(zip(asks(self.judging), replies, strict=True)))

    def times(self, number: int) -> int:
        """Return how often a member is asked about one pair."""
        return sum(ask.member == number for ask in asks(self.judging))


def open_wrapper(name: str, open_member: Callable[[str], Model]) -> Mitigated:
    """Return the wrapper of a name with its members open.

    Raises: UsageError if it cannot be one, or as opening a member does.
    """
    judging, names = spelled(name)
    members = [open_member(member_name) for member_name in names]
    for part in parts_of(judging):
        for number in {inner.member for inner in part.parts if inner.member}:
            _require_fit(part, members[number - 1])
    for member in members:
        if member.method == "recorded":
            why = "recorded verdicts cannot be asked in another way"
            raise UsageError(f"{name}: {why}\n  fix: name the evaluator that gave them")
    models = {
        spelling: member.identity.model for spelling, member in zip(names, members, strict=True)
    }
    methods = [member.method for member in members]
    return Mitigated(
        judging=judging,
        members=members,
        # By the prompt if a member is asked by it, whose words tell most; else as the first.
        method="prompt" if "prompt" in methods else methods[0],
        repeatable=all(member.repeatable for member in members),
        concurrency=sum(member.concurrency for member in members),
        identity=identity_of(_named(name, models), members, judging=as_document(judging)),
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
