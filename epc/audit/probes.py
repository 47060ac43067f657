"""Questions beyond a run's own: planted and exchanged pairs.

What their answers show is worked out in `epc.audit.competence`.

Everything is made from the answers that the run has, and chosen by the digests that name them, so
the same run gives the same questions, and more of them begin with the same ones.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from re import split
from typing import Final, Literal

from msgspec import Struct

from epc.digests import sha256
from epc.protocol.config import Configuration
from epc.protocol.prompt import Pair, evaluation_text, exchanged, judged
from epc.protocol.verdict import AnswerKind, classify
from epc.spec.domains import Domain

Control = Literal["shuffled", "off_topic", "refusing"]
Kind = Literal["shuffled", "off_topic", "refusing", "swap"]
Side = Literal["answer", "against"]

CONTROLS: Final[tuple[Control, ...]] = ("shuffled", "off_topic", "refusing")
SIDES: Final[tuple[Side, ...]] = ("answer", "against")
REFUSAL: Final = "I'm sorry, but I can't help with that request."
PLACE: Final = "probe/"  # how the occasion of every such question begins

# What an answer needs within its judged characters to be a good one beside which words in another
# order are plainly worse: a sentence or two.
MIN_WORDS: Final = 12
MIN_DISTINCT: Final = 8


class Answer(Struct, frozen=True, kw_only=True):
    """An executor's answer: the call that gave it, and what it answers, by indices."""

    call: str
    domain: Domain
    task: int
    strategy: int
    text: str


class Probe(Struct, frozen=True, kw_only=True):
    """A question: an answer, what it stands against, and which of the two comes first.

    `against` is another answer of the run: the off-topic one, or in an exchanged pair the
    baseline's; None where what it stands against is made. `evaluation` is the call with the run's
    own verdict on an exchanged pair.
    """

    kind: Kind
    answer: Answer
    against: Answer | None = None
    evaluation: str | None = None
    first: Side

    @property
    def place(self) -> str:
        """The occasion of its call, so that it is no answer to anything else."""
        against = None if self.against is None else self.against.call
        parts = (self.kind, self.evaluation or self.answer.call, against, self.first)
        return PLACE + "/".join(part for part in parts if part is not None)

    def pair(self, config: Configuration) -> Pair:
        """Return what the evaluator compares.

        A planted pair carries the baseline's name on both sides, as a self-comparison does, so
        that no label tells which answer is the good one (Reading R41).
        """
        task = config.tasks[self.answer.domain][self.answer.task]
        if self.kind == "swap":
            assert self.against is not None
            answer_pair = Pair(
                domain=self.answer.domain,
                task=task,
                strategy=config.strategies[self.answer.strategy].name,
                response=self.answer.text,
                baseline=self.against.text,
            )
            return (
                answer_pair if self.first == "answer" else exchanged(answer_pair, config.baseline)
            )
        texts = (self.answer.text, self._planted())
        response, baseline = texts if self.first == "answer" else reversed(texts)
        return Pair(
            domain=self.answer.domain,
            task=task,
            strategy=config.baseline,
            response=response,
            baseline=baseline,
        )

    def text(self, config: Configuration) -> str:
        """Return what the evaluator is given."""
        return evaluation_text(
            self.pair(config), method=config.method, template=config.evaluator_prompt
        )

    def _planted(self) -> str:
        """Return the bad answer of a planted pair."""
        if self.kind == "shuffled":
            return shuffled(judged(self.answer.text), self.answer.call)
        return REFUSAL if self.against is None else self.against.text


def fit(text: str) -> bool:
    """Return whether an answer can stand as the good one of a planted pair (Reading R41)."""
    tokens = judged(text).casefold().split()
    enough = len(tokens) >= MIN_WORDS and len(set(tokens)) >= MIN_DISTINCT
    return enough and classify(text) is not AnswerKind.REFUSAL


def shuffled(text: str, key: str) -> str:
    """Return a text with its words in another order, its white space where it was.

    The order follows from the key alone. Length and layout stay, so that nothing but the sense
    tells the two apart.

    Raises: nothing; a text of fewer than two distinct words comes back as it is.
    """
    parts = split(r"(\s+)", text)
    places = [index for index, part in enumerate(parts) if part and not part.isspace()]
    tokens = [parts[position] for position in places]
    if len(set(tokens)) < 2:  # noqa: PLR2004  (no other order)
        return text
    for attempt in count():
        order = sorted(range(len(tokens)), key=lambda i: _digest(key, attempt, i))
        mixed = [tokens[i] for i in order]
        if mixed != tokens:
            break
    for position, word in zip(places, mixed, strict=True):
        parts[position] = word
    return "".join(parts)


def planted(answers: Iterable[Answer], config: Configuration) -> Iterator[tuple[Probe, Probe]]:
    """Yield planted pairs, each in both orders, until no answer is left that is fit.

    Each good answer serves once. Tasks of both domains take turns and so do the three kinds; of
    a task's answers the least used strategy's comes first.

    Source: EPC-5.3(4); Reading R41.
    """
    good = _distinct(answer for answer in answers if fit(answer.text))
    turns: dict[tuple[int, Domain], list[Answer]] = {}
    for answer in good:
        turns.setdefault((answer.task, answer.domain), []).append(answer)
    used: Counter[int] = Counter()
    for visit in count():
        if not any(turns.values()):
            return
        for number, waiting in enumerate(turns[key] for key in sorted(turns)):
            if not waiting:
                continue
            answer = min(waiting, key=lambda a: (used[a.strategy], a.call))
            waiting.remove(answer)
            used[answer.strategy] += 1
            kind = CONTROLS[(number + visit) % len(CONTROLS)]
            off_topic = _off_topic(answer, good, config) if kind == "off_topic" else None
            if kind == "off_topic" and off_topic is None:  # answers to one task only
                kind = "shuffled"
            yield (
                Probe(kind=kind, answer=answer, against=off_topic, first="answer"),
                Probe(kind=kind, answer=answer, against=off_topic, first="against"),
            )


def exchanges(compared: Iterable[Probe], config: Configuration) -> Iterator[Probe]:
    """Yield the exchanged forms of a run's own comparisons, strategies and domains taking turns.

    `compared` are the comparisons as the run asked them, first the answer. Equal answers are left
    out: exchanging them changes nothing but the names.

    Source: Reading R40.
    """
    turns: dict[tuple[int, Domain], list[Probe]] = {}
    for probe in sorted(compared, key=lambda probe: probe.evaluation or ""):
        assert probe.against is not None
        alike = judged(probe.answer.text) == judged(probe.against.text)
        if not alike and probe.answer.strategy != config.baseline_index:
            key = (probe.answer.strategy, probe.answer.domain)
            turns.setdefault(key, []).append(probe)
    for visit in range(max(map(len, turns.values()), default=0)):
        for key in sorted(turns):
            if visit < len(turns[key]):
                turn = turns[key][visit]
                yield Probe(
                    kind="swap",
                    answer=turn.answer,
                    against=turn.against,
                    evaluation=turn.evaluation,
                    first="against",
                )


def _distinct(answers: Iterable[Answer]) -> list[Answer]:
    """Return answers in the order of their calls, equal ones to one task once."""
    distinct: dict[tuple[Domain, int, str], Answer] = {}
    for answer in sorted(answers, key=lambda answer: answer.call):
        distinct.setdefault((answer.domain, answer.task, judged(answer.text)), answer)
    return list(distinct.values())


def _off_topic(answer: Answer, answers: Sequence[Answer], config: Configuration) -> Answer | None:
    """Return an answer to another task: of the other domain and the same strategy if there is one.

    The same strategy, so that the two differ in what they are about and not in their manner.
    """

    def task(candidate: Answer) -> str:
        return config.tasks[candidate.domain][candidate.task]

    candidates = [
        candidate
        for candidate in answers
        if task(candidate) != task(answer) and judged(candidate.text) != judged(answer.text)
    ]
    return min(
        candidates,
        default=None,
        key=lambda candidate: (
            candidate.domain == answer.domain,
            candidate.strategy != answer.strategy,
            _digest(answer.call, candidate.call),
        ),
    )


def _digest(*parts: object) -> str:
    return sha256("/".join(map(str, parts)))
