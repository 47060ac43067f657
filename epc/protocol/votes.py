"""What a wrapper asks its members, in the words in which each is asked."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from epc.protocol.config import Configuration
from epc.protocol.mitigation import Ask, Mitigation, asks
from epc.protocol.prompt import Pair, evaluation_text, exchanged
from epc.spec.domains import Domain
from epc.spec.epc_v1 import Method


class Vote(NamedTuple):
    """One question to a member: what is compared, and the text that it is given."""

    ask: Ask
    pair: Pair
    text: str


def votes(mitigation: Mitigation, pair: Pair, *, template: str, baseline: str) -> list[Vote]:
    """Return what a wrapper asks about a pair, in the order of its judging."""
    return [
        vote_of(ask, pair, mitigation.methods, template=template, baseline=baseline)
        for ask in asks(mitigation.judging)
    ]


def vote_of(
    ask: Ask, pair: Pair, methods: tuple[Method, ...], *, template: str, baseline: str
) -> Vote:
    """Return one question to a member."""
    presented = pair
    if ask.exchanged:
        presented = _back(pair) if pair.against is not None else exchanged(pair, baseline)
    text = evaluation_text(presented, method=methods[ask.member - 1], template=template)
    return Vote(ask, presented, text)


def _back(pair: Pair) -> Pair:
    """Return an exchanged pair as it was before."""
    assert pair.against is not None
    return Pair(
        domain=pair.domain,
        task=pair.task,
        strategy=pair.against,
        response=pair.baseline,
        baseline=pair.response,
    )


def known_pairs(
    config: Configuration, answers: Mapping[tuple[Domain, int], str]
) -> Iterator[tuple[Pair, Pair]]:
    """Yield pairs of which the better answer is known: it first, then the same exchanged.

    The baseline's answer to each task of the design is held against its answer to the next one, of
    the last task to the first.
    """
    places = [
        (domain, task) for domain, tasks in config.tasks.items() for task in range(len(tasks))
    ]
    for at, (domain, task) in enumerate(places):
        right = answers[domain, task]
        wrong = answers[places[(at + 1) % len(places)]]
        yield (
            _pair(config, domain, task, right, wrong),
            _pair(config, domain, task, wrong, right),
        )


def _pair(config: Configuration, domain: Domain, task: int, first: str, second: str) -> Pair:
    return Pair(
        domain=domain,
        task=config.tasks[domain][task],
        strategy=config.baseline,
        response=first,
        baseline=second,
    )
