"""Every metric a second time, by another hand: one bug cannot agree with itself.

It shares no code with `epc.protocol` and knows the protocol from its text alone: the random
generator is its own (`pcg64`), weights are plain floats summed exactly, and the divergence is the
sum of two relative entropies. What it finds must be what the manifest says, within 1e-9.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, groupby, islice, permutations
from math import fsum, log, sqrt
from pathlib import Path
from typing import Any, Final

from oracle.learners import learner_of
from oracle.pcg64 import uniforms
from oracle.votes import composed_otherwise

from epc.records.layout import RAW

Json = dict[str, Any]

TOLERANCE: Final = 1e-9
_ZERO: Final = 1e-12
_ROUNDING: Final = 1e-12  # nearer than this to an edge, the wheel may stop on either side
_MOST_TOLD: Final = 20


@dataclass(kw_only=True)
class _Seed:
    """What one seed came to; `rounds` are those in which something was said."""

    weights: dict[str, list[float]]
    ties: int
    rounds: int


def disagreements(manifest: Json, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield where a record differs from what this implementation makes of its trials, and how.

    The record must have passed the first implementation: rows of valid shape, in order.
    """
    votes = composed_otherwise(manifest, folder / RAW["calls"], spoken)
    compared = chain(_compared(manifest, folder / RAW["trials"]), votes)
    yield from islice(compared, _MOST_TOLD)


def _compared(manifest: Json, trials: Path) -> Iterator[tuple[str, str]]:
    names = [strategy["name"] for strategy in manifest["strategies"]]
    stated = {int(record["seed"]): record for record in manifest["results"]["per_seed"]}
    figures: list[Json] = []
    with trials.open(encoding="utf-8") as file:
        rows = (json.loads(line) for line in file)
        for number, own in groupby(rows, key=lambda row: int(row["seed"])):
            problems: list[tuple[str, str]] = []
            seed = _replayed(list(own), number, manifest, names, problems)
            yield from problems
            figures.append(_figures(seed, sorted(manifest["tasks"])))
            record = stated.get(number)
            if record is None:
                yield "trials.jsonl", f"seed {number} is in no record"
                continue
            index = manifest["results"]["per_seed"].index(record)
            where = f"manifest.json/results/per_seed/{index}"
            for phase, weights in seed.weights.items():
                listed = [record["weights"][phase][name] for name in names]
                yield from _differ(f"{where}/weights/{phase}", listed, weights)
            yield from _differ_all(where, record, figures[-1])
    if len(figures) != len(stated):
        yield "trials.jsonl", f"{len(figures)} seeds, the record has {len(stated)}"
    if figures:
        summary = manifest["results"]["summary"]
        yield from _differ_all("manifest.json/results/summary", _means(summary), _mean(figures))


def _replayed(
    rows: Sequence[Json],
    seed: int,
    manifest: Json,
    names: Sequence[str],
    problems: list[tuple[str, str]],
) -> _Seed:
    config, finals, ties = manifest["config"], dict[str, list[float]](), 0
    counted, method = 0, manifest["evaluator"]["method"]
    phases = phases_of(list(manifest["tasks"]))
    by_phase = {name: [row for row in rows if row["phase"] == name] for name in phases}
    learner, states = learner_of(config), dict[str, list[float]]()
    for name, (domain, start, stream) in phases.items():
        state = list(states[start]) if start else learner.begin(len(names), float)
        weights = learner.weights(state)
        drawn = uniforms(seed, stream)
        for row in by_phase[name]:
            u_task, u_strategy = next(drawn), next(drawn)
            chosen = names.index(row["strategy"])
            task = int(u_task * len(manifest["tasks"][domain]))
            fits = (row["u_task"], row["u_strategy"], row["task"]) == (u_task, u_strategy, task)
            if not fits or not _stops(weights, u_strategy, chosen):
                where = f"seed {seed} {name} round {row['round']}"
                problems.append(("trials.jsonl", f"{where}: not what the draws give"))
            if row["evaluation"] is None and method == "recorded":
                continue  # a pair that the recorded file does not hold: no verdict, no tie
            counted += 1
            verdict = spoken(row["raw"])
            ties += verdict == "tie"
            if verdict != "tie":
                learner.learn(state, chosen, won=verdict == "A")
                weights = learner.weights(state)
        finals[name], states[name] = weights, state
    return _Seed(weights=finals, ties=ties, rounds=counted)


def phases_of(names: Sequence[str]) -> dict[str, tuple[str, str | None, int]]:
    """Return each phase's domain, the phase that it continues, and its stream.

    The alphabet orders the domains. Two take the streams 0 to 3, and 4 to 7 are their control's.
    The n-th domain after them adds itself, a pair there and back with each before it, and two
    streams of its control, which is none of the figures here.
    """
    ordered = sorted(names)
    first, second, *more = ordered
    phases: dict[str, tuple[str, str | None, int]] = {
        first: (first, None, 0),
        second: (second, None, 1),
        f"{first}_to_{second}": (second, first, 2),
        f"{second}_to_{first}": (first, second, 3),
    }
    stream = 8
    for number, domain in enumerate(more, start=2):
        before = ordered[:number]
        phases[domain] = (domain, None, stream)
        for index, other in enumerate(before):
            phases[f"{other}_to_{domain}"] = (domain, other, stream + 1 + index)
            phases[f"{domain}_to_{other}"] = (other, domain, stream + 1 + number + index)
        stream += 1 + 2 * number + 2
    # A phase comes after the one that it continues.
    return dict(sorted(phases.items(), key=lambda phase: (phase[1][1] is not None, phase[1][2])))


def _stops(weights: Sequence[float], u: float, chosen: int) -> bool:
    """Return whether the wheel can stop at a strategy: u lies in its stretch, edges included."""
    low = fsum(weights[:chosen])
    high = low + weights[chosen] if chosen + 1 < len(weights) else 1.0
    return low - _ROUNDING <= u <= high + _ROUNDING


def spoken(raw: str) -> str:
    """Return A, B or tie for an evaluator's raw text: its first line that is not blank, bare."""
    for line in raw.replace("\r", "\n").split("\n"):
        bare = line.strip()
        if not bare:
            continue
        while bare and (bare[0] in _STRIPPED or bare[0].isspace()):
            bare = bare[1:]
        while bare and (bare[-1] in _STRIPPED or bare[-1].isspace()):
            bare = bare[:-1]
        return bare.upper() if bare in {"A", "B", "a", "b"} else "tie"
    return "tie"


_STRIPPED: Final = set("\"'`*()[].:")


def _figures(seed: _Seed, domains: Sequence[str]) -> Json:
    """Return one seed's figures under the names of a manifest's summary."""
    document: Json = {"gamma": {}, "jsd": {}, "zero_coupling": {}}
    for begun, pure in permutations(domains, 2):
        coupled = f"{begun}_to_{pure}"
        a, b = seed.weights[coupled], seed.weights[pure]
        distance = fsum((x - y) ** 2 for x, y in zip(a, b, strict=True))
        gamma = sqrt(distance / fsum(y * y for y in b))
        document["gamma"][coupled] = gamma
        document["jsd"][coupled] = divergence(a, b)
        document["zero_coupling"][coupled] = gamma <= _ZERO
    document["pci"] = {phase: concentration(w) for phase, w in seed.weights.items()}
    halves = [
        fsum(abs(x - y) for x, y in zip(seed.weights[one], seed.weights[other_domain], strict=True))
        / 2
        for one, other_domain in combinations(domains, 2)
    ]
    document["cpci"] = _average(halves)
    document["mpci"] = _average([document["pci"][domain] for domain in domains]) + document["cpci"]
    document["tie_rate"] = seed.ties / seed.rounds if seed.rounds else 0.0
    return document


def divergence(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the Jensen-Shannon divergence of two distributions in nats."""
    terms = [
        weight * log(2 * weight / (x + y)) / 2
        for x, y in zip(a, b, strict=True)
        for weight in (x, y)
        if weight > 0
    ]
    return max(0.0, fsum(terms))


def concentration(weights: Sequence[float]) -> float:
    """Return sigma over mu, with K weights that sum to 1: sqrt(K * sum of squares - 1)."""
    return sqrt(max(0.0, len(weights) * fsum(w * w for w in weights) - 1))


def _mean(figures: Sequence[Json]) -> Json:
    """Return the mean of every figure over the seeds; of a truth, the share of seeds."""
    first = figures[0]
    return {
        ("zero_coupling_rate" if key == "zero_coupling" else key): (
            {part: _average([float(f[key][part]) for f in figures]) for part in value}
            if isinstance(value, Mapping)
            else _average([f[key] for f in figures])
        )
        for key, value in first.items()
    }


def _average(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _means(summary: Json) -> Json:
    """Return the means that a summary states, without their intervals."""
    return {
        key: value["mean"] if "mean" in value else {k: v["mean"] for k, v in value.items()}
        for key, value in summary.items()
        if key in ("gamma", "jsd", "zero_coupling_rate", "pci", "cpci", "mpci", "tie_rate")
    }


def _differ_all(where: str, stated_document: Json, figures: Json) -> Iterator[tuple[str, str]]:
    """Yield each figure that both have and that differs."""
    for key, value in figures.items():
        if key not in stated_document:
            continue
        if isinstance(value, Mapping):
            for part, figure in value.items():
                yield from _differ(f"{where}/{key}/{part}", [stated_document[key][part]], [figure])
        else:
            yield from _differ(f"{where}/{key}", [stated_document[key]], [value])


def _differ(
    where: str, stated_figures: Sequence[float], values: Sequence[float]
) -> Iterator[tuple[str, str]]:
    for ours, theirs in zip(values, stated_figures, strict=True):
        if not abs(ours - theirs) <= TOLERANCE:
            yield where, f"says {theirs!r}, a second implementation {ours!r}"
            return
