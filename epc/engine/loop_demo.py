"""Two tasks that GEPA, a real optimiser, works on with no key (`epc loop demo`).

The bank: a candidate is a weight for each of eight recorded pickers, who vote on four answers to
each question; it hands in the answer with the most votes, and a recorded judge scores that.
The sums: a candidate is an instruction to the embedded model, which adds two numbers. Its judge is
how likely the same weights would have written the answer; whether the sum is right is gold.
"""

import asyncio
import math
import random
import re
from collections import defaultdict
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar, cast

from epc.arrays import Array, np
from epc.engine.model import Prompt
from epc.errors import unknown
from epc.extras import require
from epc.protocol.config import Decoding
from epc.records.banks import SharedBank

if TYPE_CHECKING:
    from epc.engine.local.models import Likelihood, Local

# Who decides what the optimiser sees, and who beside: another maker's model (Reading R93).
JUDGES: Final[Mapping[str, str]] = {
    "gpt-5.4": "claude-sonnet-4-6",
    "gpt-5.4-mini": "claude-sonnet-4-6",
    "gpt-5.4-nano": "claude-sonnet-4-6",
    "claude-sonnet-4-6": "gpt-5.4",
    "claude-haiku-4-5-20251001": "gpt-5.4",
}
# Where a run starts: all weight on the picker that is right most often, or least often.
STARTS: Final[Mapping[str, str]] = {
    "good": "Skywork-Reward-V2-Llama-3.1-8B",
    "weak": "qwen2-5-7b-instruct",
}
SIZES: Final = (60, 60, 400)  # questions to train on, to choose by, and never seen
CALLS: Final = 1_500  # of the judge by the optimiser
SUM_SIZES: Final = (12, 12, 30)
SUM_CALLS: Final = 60
_MOST: Final = 10  # of a judge's scale; and weights are tenths
_LESS: Final = 1e-4  # than any difference of weighted votes
_STAYS: Final = 0.5
_WRITTEN: Final = 8  # tokens of a sum
_NUMBER: Final = re.compile(r"\d+")
_INSTRUCTIONS: Final = (
    "Answer in one full sentence.",
    "Answer with the number alone.",
    "Answer with one or two digits and nothing else.",
    "Think step by step.",
    "Show the calculation.",
    "Explain it to a child.",
    "Repeat the question first.",
    "Be friendly.",
)
T = TypeVar("T")

Candidate = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item by its name, and what is asked."""

    item: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Items that an optimiser trains on, chooses by, and never sees."""

    train: Sequence[Item]
    validation: Sequence[Item]
    test: Sequence[Item]

    @classmethod
    def drawn(cls, items: Sequence[Item], sizes: tuple[int, int, int], seed: int) -> Self:
        """Return a split that a seed draws."""
        order = random.Random(seed).sample(items, k=sum(sizes))  # noqa: S311  (a draw, no secret)
        first, second = sizes[0], sizes[0] + sizes[1]
        return cls(train=order[:first], validation=order[first:second], test=order[second:])

    @property
    def by_name(self) -> dict[str, Sequence[Item]]:
        """The parts by the names that a log has for them."""
        return {"train": self.train, "val": self.validation, "test": self.test}


class Work(Protocol):
    """Work that is optimised.

    The optimiser sees the scores of its `judge`, at most `top_score`; `unseen_judges` are judges
    that it never sees.
    """

    @property
    def items(self) -> Sequence[Item]:
        """All items, which runs split."""

    @property
    def judge(self) -> str:
        """Name of the judge."""

    @property
    def unseen_judges(self) -> tuple[str, ...]:
        """Names of the judges of the checks alone."""

    @property
    def top_score(self) -> float:
        """The highest score."""

    def outputs(self, candidate: Candidate, items: Sequence[Item]) -> Sequence[Any]:
        """Return what a candidate hands in for each item."""

    def scores(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return what the judge gives each output."""

    def fresh(self, judge: str, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return what a judge gives each output when it is asked for the checks."""

    def right(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return gold: 1 for each output that is right."""

    def changed(self, candidate: Candidate, rng: random.Random) -> dict[str, str]:
        """Return a proposal made from a candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A work as GEPA's adapter, with a proposer that draws and asks no model."""

    work: Work
    rng: random.Random

    def evaluate(
        self,
        batch: Sequence[Item],
        candidate: Candidate,
        capture_traces: bool = False,  # noqa: FBT001, FBT002  (GEPA's signature)
    ) -> Any:
        """Score a candidate on items."""
        from gepa.core.adapter import EvaluationBatch

        outputs = list(self.work.outputs(candidate, batch))
        scores = list(self.work.scores(batch, outputs))
        traces = outputs if capture_traces else None
        return EvaluationBatch(outputs=outputs, scores=scores, trajectories=traces)

    def make_reflective_dataset(
        self,
        candidate: Candidate,  # noqa: ARG002  (GEPA's signature)
        eval_batch: Any,
        components_to_update: Sequence[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return what a language model would be shown; the proposer here looks at nothing."""
        examples = [{"score": score} for score in eval_batch.scores]
        return dict.fromkeys(components_to_update, examples)

    def propose_new_texts(
        self,
        candidate: Candidate,
        reflective_dataset: object,  # noqa: ARG002  (GEPA's signature)
        components_to_update: Sequence[str],  # noqa: ARG002  (they are all)
    ) -> dict[str, str]:
        """Return new values of all components."""
        return self.work.changed(candidate, self.rng)


class _Silent:
    """A logger for GEPA, which prints every step."""

    def log(self, message: str) -> None:
        """Say nothing."""


def optimise(
    adapter: Any, start: Candidate, split: Split, *, top_score: float, calls: int, seed: int
) -> Candidate:
    """Return the candidate that GEPA ends with; `adapter` is one, or wraps one.

    `top_score` is the highest: GEPA learns nothing from a batch that has it throughout.

    Raises: MissingExtraError without GEPA.
    """
    require("loop")
    from gepa.api import optimize

    result: Any = optimize(
        seed_candidate=dict(start),
        trainset=list(split.train),
        valset=list(split.validation),
        adapter=adapter,
        max_metric_calls=calls,
        perfect_score=top_score,
        seed=seed,
        module_selector="all",
        logger=_Silent(),
    )
    return cast("Candidate", result.best_candidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pickers:
    """The bank as a work; the optimiser's judge answers each time by another asking.

    `votes` are the pickers' on each answer: (pickers, items, answers), 1 shared by each picker.
    Equal votes are decided by `ties`, a draw that knows nothing of which answer is right.
    `judges` are the scores of each judge, 1 to 10. `askings` counts how often the judge
    was asked about an answer so far; the last asking is kept for the checks.
    """

    judge: str
    names: tuple[str, ...]
    votes: Array
    ties: Array
    judges: Mapping[str, Array]
    gold: Array
    items: tuple[Item, ...]
    places: Mapping[str, int]
    askings: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))

    @classmethod
    def from_bank(cls, bank: SharedBank, judge: str) -> Self:
        """Return the work with a judge of the bank; its items are those that all judges scored.

        Raises: UsageError if the bank has no such judge.
        """
        if judge not in JUDGES:
            raise unknown(judge, JUDGES, list_intro="those of the bank are", noun="judge ")
        names = tuple(name for name in bank.scores if name not in JUDGES)
        judges = {name: bank.scores[name] for name in JUDGES}
        complete = [~np.isnan(scores).any(axis=(1, 2)) for scores in judges.values()]
        usable = np.flatnonzero(np.logical_and.reduce(complete))
        items, answers = bank.gold.shape
        order = np.random.default_rng(0).permuted(np.tile(np.arange(answers), (items, 1)), axis=1)
        return cls(
            judge=judge,
            names=names,
            votes=np.stack([_votes(bank.scores[name]) for name in names]),
            ties=order * _LESS,
            judges=judges,
            gold=bank.gold,
            items=tuple(_named(bank.items[place]) for place in usable),
            places={name: place for place, name in enumerate(bank.items)},
        )

    @property
    def top_score(self) -> float:
        """The highest score."""
        return _MOST

    @property
    def unseen_judges(self) -> tuple[str, ...]:
        """Judge B."""
        return (JUDGES[self.judge],)

    def start(self, name: str) -> dict[str, str]:
        """Return the candidate with all weight on one picker."""
        return {picker: f"{float(picker == name):.1f}" for picker in self.names}

    def outputs(self, candidate: Candidate, items: Sequence[Item]) -> list[int]:
        """Return for each item the answer with the most votes."""
        weights, rows = [float(candidate[name]) for name in self.names], self._rows(items)
        votes = np.einsum("p,pia->ia", weights, self.votes[:, rows])
        chosen: list[int] = np.argmax(votes + self.ties[rows], axis=1).tolist()
        return chosen

    def scores(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return the judge's next asking about each answer."""
        judge_scores, scores = self.judges[self.judge], []
        for key in zip(self._rows(items), outputs, strict=True):
            scores.append(
                float(judge_scores[*key, self.askings[key] % (judge_scores.shape[2] - 1)])
            )
            self.askings[key] += 1
        return scores

    def fresh(self, judge: str, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return what a judge says at the asking that the optimiser never sees."""
        scores: list[float] = self.judges[judge][self._rows(items), outputs, -1].tolist()
        return scores

    def right(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return gold: 1 for the right answer."""
        right: list[float] = self.gold[self._rows(items), outputs].tolist()
        return right

    def changed(self, candidate: Candidate, rng: random.Random) -> dict[str, str]:
        """Return other weights, in tenths: each stays with a probability of one half."""
        return {
            name: weight if rng.random() < _STAYS else f"{rng.randrange(_MOST + 1) / _MOST:.1f}"
            for name, weight in candidate.items()
        }

    def _rows(self, items: Sequence[Item]) -> list[int]:
        return [self.places[item.item] for item in items]


def _named(name: str) -> Item:
    """Return an item of the bank, which has its name in the benchmark in the place of a text."""
    return Item(item=name, question=f"RewardBench 2, {name}")


def _votes(scores: Array) -> Array:
    """Return the share of a picker's askings that each answer won, ties shared.

    Shapes: scores (items, answers, askings); the result (items, answers).
    """
    filled = np.where(np.isnan(scores), -np.inf, scores)
    won = (filled == filled.max(axis=1, keepdims=True)) & np.isfinite(filled)
    shared = won / np.maximum(1, won.sum(axis=1, keepdims=True))
    return np.asarray(shared.mean(axis=2), dtype=np.float64)


class Sums:
    """Sums as a work: the embedded model writes, its own likelihood judges, arithmetic is gold."""

    judge: str = "local/smollm2-135m-likelihood"
    unseen_judges: tuple[str, ...] = ()
    top_score: float = 1.0
    items: tuple[Item, ...] = tuple(
        Item(item=f"{a}+{b}", question=f"What is {a} plus {b}?")
        for a in range(2, 10)
        for b in range(2, 10)
    )
    begin: Final = {"instruction": "Answer in one full sentence."}

    def __init__(self) -> None:
        """Load the weights, once for writing and judging.

        Raises: UsageError if they are not here.
        """
        from epc.engine.local.models import open_local

        self._writer = cast("Local", open_local("smollm2-135m"))
        self._judge = cast("Likelihood", open_local("smollm2-135m-likelihood"))
        self._runner = asyncio.Runner()
        self._written: dict[tuple[str, str], str] = {}

    def close(self) -> None:
        """End the loop that asks the model."""
        self._runner.close()

    def outputs(self, candidate: Candidate, items: Sequence[Item]) -> list[str]:
        """Return what the model writes; at temperature 0 it writes the same again."""
        keys = [(candidate["instruction"], item.question) for item in items]
        new = [key for key in dict.fromkeys(keys) if key not in self._written]
        self._written |= zip(
            new, self._runner.run(self._gather(map(self._write, new))), strict=True
        )
        return [self._written[key] for key in keys]

    def scores(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return the probability of a token of each answer, as a geometric mean."""
        pending = [
            self._judge.score(item.question, text)
            for item, text in zip(items, outputs, strict=True)
        ]
        return [math.exp(score) for score, _ in self._runner.run(self._gather(pending))]

    def fresh(self, judge: str, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:  # noqa: ARG002  (there is one)
        """Return the same as before: these weights always judge alike."""
        return self.scores(items, outputs)

    def right(self, items: Sequence[Item], outputs: Sequence[Any]) -> list[float]:
        """Return gold: 1 where the last number of an answer is the sum."""
        return [
            float(_NUMBER.findall(text)[-1:] == [str(sum(map(int, item.item.split("+"))))])
            for item, text in zip(items, outputs, strict=True)
        ]

    def changed(self, candidate: Candidate, rng: random.Random) -> dict[str, str]:
        """Return another instruction."""
        alternatives = [text for text in _INSTRUCTIONS if text != candidate["instruction"]]
        return {"instruction": rng.choice(alternatives)}

    async def _write(self, key: tuple[str, str]) -> str:
        instruction, question = key
        prompt = Prompt(text=f"{question} {instruction}")
        done = await self._writer.complete(prompt, Decoding(temperature=0.0, max_tokens=_WRITTEN))
        return done.text

    @staticmethod
    async def _gather(waiting: Iterable[Awaitable[T]]) -> list[T]:
        return await asyncio.gather(*waiting)
