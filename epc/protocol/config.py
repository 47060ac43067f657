"""Configuration of a measurement, and the variant tag that follows from it (EPC-2.8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from epc.protocol.rules import Rule
from epc.protocol.weights import UpdateRule
from epc.spec.domains import PAIRED, Domain, Domains, Phase
from epc.spec.epc_v1 import (
    BASELINE,
    EVALUATOR_MAX_TOKENS,
    EVALUATOR_TEMPERATURE,
    MIN_TASKS,
    PROTOCOL,
    ROUNDS,
    VARIANT_LABELS,
    ControlMethod,
    Method,
)
from epc.spec.reference import (
    EVALUATOR_PROMPT,
    EXECUTOR_PROMPT,
    STRATEGIES,
    TASKS,
    Strategy,
)

Reasoning = Literal["none", "minimal", "low", "medium", "high"]
REASONING: Final[tuple[Reasoning, ...]] = get_args(Reasoning)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How a model is asked to decode (EPC-2.6(b)).

    A temperature of None is not sent: the provider decodes as it likes, for models that take no
    other. `constraint` names a restriction of the output to a fixed set, such as a grammar that
    admits A and B only; None is free text. `reasoning` is how much the model is asked to reason
    before it answers; None asks for nothing, and the provider decides. `body` is what else of a
    request the user set, by the provider's own names.
    """

    temperature: float | None
    max_tokens: int
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    constraint: str | None = None
    reasoning: Reasoning | None = None
    body: Mapping[str, Any] = field(default_factory=dict, hash=False)


REFERENCE_DECODING = Decoding(temperature=EVALUATOR_TEMPERATURE, max_tokens=EVALUATOR_MAX_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Everything that decides a measurement besides its models and seeds.

    `method` is how the evaluator gets to its verdict: asked by the prompt, by scoring the
    likelihood of both answers, by another score of each (a rule, an embedding), or from verdicts
    that were recorded earlier. `control` says where
    the noise floor comes from; it is no variant, because the protocol's phases stay as they are.
    `groups` names the group of each task, in the order of the tasks; None is each task by itself.
    A group lies within its domain: the same name in the other domain is another group.
    `member_methods` say so of each of those whom an evaluator asks; empty if it asks nobody.
    """

    rule: Rule = field(default_factory=UpdateRule)
    rounds: int = ROUNDS
    baseline: str = BASELINE
    strategies: tuple[Strategy, ...] = STRATEGIES
    tasks: dict[Domain, tuple[str, ...]] = field(default_factory=lambda: dict(TASKS))
    evaluator_prompt: str = EVALUATOR_PROMPT
    executor_prompt: str = EXECUTOR_PROMPT  # Reading R31: the paper prints none, so no variant
    decoding: Decoding = REFERENCE_DECODING
    method: Method = "prompt"
    control: ControlMethod = "simulated"
    groups: Mapping[Domain, tuple[str, ...]] | None = None  # Reading R74: a group is one unit
    member_methods: tuple[Method, ...] = ()

    @property
    def domains(self) -> Domains:
        """The domains that the tasks are of (Reading R78)."""
        return Domains.from_names(self.tasks)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of every seed, in the order of their streams (EPC-2.1, Reading R15)."""
        return self.domains.every_phase if self.control == "measured" else self.domains.phases

    @property
    def few_tasks(self) -> dict[Domain, int]:
        """The domains with fewer tasks than EPC-2.4(a) asks for, and how many they have."""
        return {name: n for name, t in self.tasks.items() if (n := len(t)) < MIN_TASKS}

    @property
    def baseline_index(self) -> int:
        """Index of the baseline among the strategies."""
        names = (strategy.name for strategy in self.strategies)
        return next(index for index, name in enumerate(names) if name == self.baseline)


def variant_labels(config: Configuration) -> tuple[str, ...]:
    """Return the labels of every way in which a configuration departs from the reference.

    Substituted tasks are no variant (EPC-2.4(c)): what they change is whether two records are
    like for like. Too few tasks in a domain are one (EPC-2.4(a)).

    Source: EPC-2.6, EPC-2.8; Readings R13 and R90.
    """
    # Reading R32: the floor is part of the update rule, so a changed floor is an AltLR.
    # Reading R35: mocks are asked by the prompt like any model, so they are no AltEvaluator.
    departs = {
        "AltBaseline": config.baseline != BASELINE,
        # Reading R78: two domains of other names are other tasks, and no variant.
        "AltDomains": len(config.tasks) != PAIRED,
        "AltEvaluator": any(
            method != "prompt" for method in config.member_methods or (config.method,)
        ),
        "AltLR": isinstance(config.rule, UpdateRule) and config.rule != UpdateRule(),
        # Reading R78: what a wrapper makes of verdicts is no evaluator asked by the prompt.
        "AltMitigation": bool(config.member_methods),
        "AltPrompt": config.method == "prompt"
        and (config.evaluator_prompt != EVALUATOR_PROMPT or not _is_reference(config.decoding)),
        "AltRounds": config.rounds != ROUNDS,
        # Reading R81: another rule has no rates that could differ from the protocol's.
        "AltRule": not isinstance(config.rule, UpdateRule),
        "AltStrategies": config.strategies != STRATEGIES,
        "AltTasks": bool(config.few_tasks),
    }
    return tuple(label for label in VARIANT_LABELS if departs[label])


def _is_reference(decoding: Decoding) -> bool:
    """Return whether a decoding is the protocol's; no reasoning is what it asks for itself."""
    # Reading R79:
    if decoding.reasoning == "none":
        decoding = replace(decoding, reasoning=None)
    return decoding == REFERENCE_DECODING


def variant_tag(config: Configuration) -> str:
    """Return the protocol version that a manifest must carry (Reading R13)."""
    labels = variant_labels(config)
    return f"{PROTOCOL}-{'+'.join(labels)}" if labels else PROTOCOL
