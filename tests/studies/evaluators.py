"""Whole measurements of evaluators whose preferences are given, many seeds at once."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from epc.protocol.weights import UpdateRule
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS, PHASES, REFERENCE, ROUNDS

Array = NDArray[np.float64]
# By domain: the probability of A for each strategy and task; the rest is B.
Odds = Mapping[Domain, Array]

STRATEGIES, TASKS = 11, 8
RULE = UpdateRule()


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a simulated measurement left: counts (seeds, pairs, 3) and gamma by direction."""

    counts: NDArray[np.int64]
    gamma: dict[str, Array]


def measure(odds: Odds, seeds: int, rng: Generator, rounds: int = ROUNDS) -> Measured:
    """Play the four phases of every seed."""
    counts = {domain: np.zeros((seeds, STRATEGIES, TASKS, 3), np.int64) for domain in DOMAINS}
    weights: dict[str, Array] = {}
    for phase in PHASES:
        start = (
            weights[phase.start] if phase.start else np.full((seeds, STRATEGIES), 1 / STRATEGIES)
        )
        weights[phase.name] = _train(start, odds[phase.domain], counts[phase.domain], rounds, rng)
    gamma: dict[str, Array] = {}
    for direction, pure in REFERENCE.items():
        gap = np.linalg.norm(weights[direction] - weights[pure], axis=1)
        gamma[direction] = gap / np.linalg.norm(weights[pure], axis=1)
    flat = [counts[domain].reshape(seeds, -1, 3) for domain in DOMAINS]
    return Measured(counts=np.concatenate(flat, axis=1), gamma=gamma)


def _train(
    start: Array, odds: Array, counts: NDArray[np.int64], rounds: int, rng: Generator
) -> Array:
    weights, rows = start.copy(), np.arange(len(start))
    for _ in range(rounds):
        u, task, draws = (
            rng.random(len(rows)),
            rng.integers(0, TASKS, len(rows)),
            rng.random(len(rows)),
        )
        chosen = (np.cumsum(weights, axis=1) <= u[:, None]).sum(axis=1).clip(max=STRATEGIES - 1)
        won = draws < odds[chosen, task]
        counts[rows, chosen, task, np.where(won, 0, 1)] += 1
        step = np.where(won, RULE.alpha_win, -RULE.alpha_lose)
        weights[rows, chosen] = np.maximum(RULE.weight_floor, weights[rows, chosen] + step)
        weights /= weights.sum(axis=1, keepdims=True)
    return weights


def coin() -> Odds:
    """No preference at all."""
    return {domain: np.full((STRATEGIES, TASKS), 0.5) for domain in DOMAINS}


def favourites(high: float, low: float) -> Odds:
    """One favourite strategy a domain."""
    odds = {domain: np.full((STRATEGIES, TASKS), low) for domain in DOMAINS}
    for index, domain in enumerate(DOMAINS):
        odds[domain][index + 1] = high
    return odds


def table(rng: Generator) -> Odds:
    """A deterministic evaluator: every pair's verdict is fixed, A in half of them."""
    return {domain: (rng.random((STRATEGIES, TASKS)) < 0.5).astype(float) for domain in DOMAINS}


def changed(odds: Odds, share: float, rng: Generator) -> Odds:
    """The same evaluator with a share of its pairs, taken at random, turned over."""
    every = np.concatenate([odds[domain].ravel() for domain in DOMAINS])
    turned = rng.permutation(len(every))[: round(share * len(every))]
    every[turned] = 1 - every[turned]
    halves = np.split(every, len(DOMAINS))
    return {d: half.reshape(STRATEGIES, TASKS) for d, half in zip(DOMAINS, halves, strict=True)}


def shifted(odds: Odds, by: float) -> Odds:
    """The same evaluator, more inclined to say A by so much, everywhere."""
    return {domain: (odds[domain] + by).clip(0, 1) for domain in DOMAINS}
