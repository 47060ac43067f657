"""Which pairs of a published measurement are asked again, and what came of it.

The draw depends on the commit that published it, which nobody knew while measuring: whoever forges
verdicts cannot make true just those that will be asked. Any program can draw again: pairs in the
order of SHA-256 of the commit, a space, and the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from epc.protocol.verdict import parse_verdict
from epc.records.calls import AskedPair, PairKey
from epc.records.manifest import ModelIdentity
from epc.records.rows import Call
from epc.spec.domains import Domain
from epc.statistics.e_process import Agreement, agreement

TwoCalls = tuple[Call, Call]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A pair that is asked again: its place, its question, and the recorded verdict."""

    domain: Domain
    strategy: str
    task: str
    prompt: str
    recorded: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotCheck:
    """What somebody was answered, who asked the evaluator of a snapshot again.

    `seed` is the commit that published it. `asked` is the model that was asked, as its own record;
    `direct` whether that is the platform that the card names. `answers` has two calls a pair.
    """

    tag: str
    seed: str
    day: str
    asked: ModelIdentity
    direct: bool
    pairs: tuple[Drawn, ...]
    answers: tuple[TwoCalls, ...]
    agreement: Agreement


def draw(pool: Mapping[PairKey, AskedPair], commit: str, pairs: int) -> tuple[Drawn, ...]:
    """Return the pairs that a commit draws; equal questions count once."""
    distinct = {item.text: key for key, item in reversed(list(pool.items()))}
    order = sorted(distinct, key=lambda text: sha256(f"{commit} {text}".encode()).digest())
    return tuple(_drawn(distinct[text], pool[distinct[text]]) for text in order[:pairs])


def _drawn(key: PairKey, item: AskedPair) -> Drawn:
    domain, strategy, task = key
    return Drawn(
        domain=domain,
        strategy=strategy,
        task=task,
        prompt=item.text,
        recorded=item.verdict.value,
    )


def judged(pairs: Sequence[Drawn], answers: Sequence[TwoCalls]) -> Agreement:
    """Return the agreement of the recorded verdicts with two fresh calls a pair."""
    verdicts = [tuple(parse_verdict(call.answer).value for call in both) for both in answers]
    return agreement(
        [(pair.recorded, now, again) for pair, (now, again) in zip(pairs, verdicts, strict=True)]
    )
