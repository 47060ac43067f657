"""From weight vectors to figures: a seed's record, the summary, a conformance case's answer.

The record of a seed and the answer to a conformance case have their figures from one place.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from epc.errors import Finding, MalformedError
from epc.protocol.diagnostics import StrategyReliability, brier, ece
from epc.protocol.draws import Turn
from epc.protocol.metrics import cpci, gamma, jsd, mpci, pci, zero_cause, zero_coupling
from epc.protocol.phases import Comparison, Outcome, drive, measure
from epc.protocol.rules import Bayes, Rule, rule_of
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule, Weights, simplex_problem
from epc.spec.domains import Domain, Domains, PhaseName
from epc.spec.epc_v1 import PHASES, REFERENCE_DOMAINS
from epc.statistics.intervals import Interval, mean, mean_interval, mean_intervals, share_interval

Json = dict[str, Any]
Estimate = Json  # {"mean": float, "ci95": [low, high] | None}


def weight_figures(seeds: Sequence[Mapping[PhaseName, Weights]], domains: Domains) -> list[Json]:
    """Return what follows from each seed's weight vectors alone (EPC-2.5)."""
    return [_figures_of(weights, domains) for weights in seeds]


def _figures_of(weights: Mapping[PhaseName, Weights], domains: Domains) -> Json:
    pairs = {d: (weights[d], weights[target]) for d, target in domains.target.items()}
    gammas = {d: gamma(*pair) for d, pair in pairs.items()}
    return {
        "gamma": gammas,
        "jsd": {d: jsd(*pair) for d, pair in pairs.items()},
        "zero_coupling": {d: zero_coupling(value) for d, value in gammas.items()},
    }


def zero_causes(
    weights: Mapping[PhaseName, Weights], zero: Mapping[str, bool], domains: Domains
) -> Json:
    """Return why each direction that did not couple did not (Reading R8)."""
    return {
        direction: zero_cause(weights[direction], weights[target]) if zero[direction] else None
        for direction, target in domains.target.items()
    }


def answer(outcome: Outcome) -> Json:
    """Return the conformance answer of one measurement (EPC-2.8).

    Weight vectors are lists in strategy order. The tie rate is that of all phases
    together, and 0 where there was no round.
    """
    weights = _weights(outcome, REFERENCE_DOMAINS)
    return {
        "weights": {name: list(vector) for name, vector in weights.items()},
        **weight_figures([weights], REFERENCE_DOMAINS)[0],
        "tie_rate": _tie_share(outcome, REFERENCE_DOMAINS),
    }


def seed_records(
    outcomes: Mapping[int, Outcome], strategies: Sequence[str], domains: Domains
) -> list[Json]:
    """Return each seed's entry of `results.per_seed` (EPC-2.5(d)).

    Beside the figures of the conformance answer it says why a zero coupling is zero (Reading R8)
    and how the rounds of each phase ended.
    """
    vectors = [_weights(outcome, domains) for outcome in outcomes.values()]
    return [
        {"seed": seed, **_seed_record(outcome, weights, strategies, domains, figures)}
        for (seed, outcome), weights, figures in zip(
            outcomes.items(), vectors, weight_figures(vectors, domains), strict=True
        )
    ]


def _seed_record(
    outcome: Outcome,
    weights: Mapping[PhaseName, Weights],
    strategies: Sequence[str],
    domains: Domains,
    figures: Json,
) -> Json:
    return {
        **figures,
        "weights": {
            name: dict(zip(strategies, vector, strict=True)) for name, vector in weights.items()
        },
        "tie_rate": _tie_share(outcome, domains),
        "zero_cause": zero_causes(weights, figures["zero_coupling"], domains),
        "verdicts": {
            name: {
                verdict.value: outcome[name].verdicts[verdict]
                for verdict in Verdict
                # Only rounds of recorded verdicts can miss one.
                if verdict is not Verdict.MISSING or outcome[name].verdicts[verdict]
            }
            for name in weights
        },
    }


def _weights(outcome: Outcome, domains: Domains) -> dict[PhaseName, Weights]:
    """Return the final vectors in the order of the streams."""
    ran = (phase.name for phase in domains.every_phase if phase.name in outcome)
    return {name: outcome[name].weights for name in ran}


def _tie_share(outcome: Outcome, domains: Domains) -> float:
    return _tie_rate([outcome[name].verdicts for name in domains.phase_names])


def summarise(
    records: Sequence[Json],
    *,
    domains: Domains,
    evidence: Json,
    diagnostics: Json | None = None,
    determinism: Json | None = None,
    reliability: Mapping[str, Json] | None = None,
    length: Mapping[Domain, float | None] | None = None,
) -> Json:
    """Return `results.summary` from the records of all seeds.

    Every figure is a mean over seeds with its 95% bootstrap interval, null for a single seed
    (EPC-2.5(f); Reading R10); the zero-coupling rate has a share's interval (EPC-2.5(e); Reading
    R33). `evidence` is `epc.audit.evidence.evidence` (Readings R15 and R70). `ece` and `brier` are
    null without an accuracy; `reliability` holds each strategy's wins, decided trials and accuracy.
    """
    directions, phases = domains.directions, domains.phase_names
    vectors = {p: [vector(record, p) for record in records] for p in phases}
    pcis: dict[str, list[float]] = {p: [pci(vector) for vector in vectors[p]] for p in phases}
    cpcis = _cpcis([vectors[domain] for domain in domains.names])
    pure = zip(*(pcis[domain] for domain in domains.names), strict=True)
    over = _estimates(
        {
            "gamma": {d: [r["gamma"][d] for r in records] for d in directions},
            "jsd": {d: [r["jsd"][d] for r in records] for d in directions},
            "tie_rate_by_phase": {
                p: [_tie_rate([r["verdicts"][p]]) for r in records] for p in phases
            },
            "pci": pcis,
            "all": {
                "tie_rate": [r["tie_rate"] for r in records],
                "cpci": cpcis,
                "mpci": [mpci(*pair) for pair in zip(pure, cpcis, strict=True)],
            },
        }
    )
    return {
        "n": len(records),
        "gamma": over["gamma"],
        "jsd": over["jsd"],
        "zero_coupling_rate": {d: _zero_rate(records, d) for d in directions},
        "zero_causes": {
            d: dict(sorted(Counter(c for r in records if (c := r["zero_cause"][d])).items()))
            for d in directions
        },
        "tie_rate": over["all"]["tie_rate"],
        "tie_rate_by_phase": over["tie_rate_by_phase"],
        "pci": over["pci"],
        "cpci": over["all"]["cpci"],
        "mpci": over["all"]["mpci"],
        "diagnostics": diagnostics,
        "determinism": determinism,
        "ece": _calibration(records, reliability, "ece", ece),
        "brier": _calibration(records, reliability, "brier", brier),
        **({} if reliability is None else {"reliability": dict(reliability)}),
        **({} if length is None else {"length_correlation": dict(length)}),
        **evidence,
    }


def estimate(values: Sequence[float]) -> Estimate:
    """Return a mean over seeds and its interval (null for a single seed)."""
    return _estimate(values, mean_interval(values))


def tie_rate(record: Json, domains: Domains) -> float:
    """Return the share of ties in a seed's record, over the protocol's phases."""
    return _tie_rate([record["verdicts"][phase] for phase in domains.phase_names])


def _cpcis(pure: Sequence[Sequence[Weights]]) -> list[float]:
    """Return each seed's CPCI: the mean over every two domains (Readings R12 and R78).

    Shapes: by domain, (n, K) each.
    """
    of_two = [list(map(cpci, *pair)) for pair in combinations(pure, 2)]
    return [mean(domains) for domains in zip(*of_two, strict=True)]


def vector(record: Json, phase: str) -> Weights:
    """Return a record's weights of one phase in strategy order."""
    return tuple(record["weights"][phase].values())


def _estimates(figures: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, Json]:
    """Return `estimate` of every figure by group and name, all in one go."""
    intervals = iter(mean_intervals([row for group in figures.values() for row in group.values()]))
    return {
        name: {key: _estimate(row, next(intervals)) for key, row in group.items()}
        for name, group in figures.items()
    }


def _estimate(values: Sequence[float], interval: Interval | None) -> Estimate:
    return {"mean": mean(values), "ci95": list(interval) if interval else None}


def _calibration(
    records: Sequence[Json],
    reliability: Mapping[str, Json] | None,
    key: str,
    metric: Callable[[Sequence[StrategyReliability]], float | None],
) -> Json | None:
    """Return a calibration figure over seeds, and pooled over all of their trials (Reading R42)."""
    values = [record[key] for record in records if record.get(key) is not None]
    if reliability is None or not values:
        return None
    pooled = metric([StrategyReliability(**counted) for counted in reliability.values()])
    return {**estimate(values), "seeds": len(values), "pooled": pooled}


def _zero_rate(records: Sequence[Json], direction: str) -> Estimate:
    """Return the share of seeds that did not couple, with its interval (EPC-2.5(e))."""
    zeros = sum(record["zero_coupling"][direction] for record in records)
    interval = share_interval(zeros, len(records))
    return {"mean": zeros / len(records), "ci95": list(interval) if interval else None}


def _tie_rate(counts: Sequence[Mapping[Verdict, int]] | Sequence[Mapping[str, int]]) -> float:
    """Return the share of ties among what was said; a missing pair is none (Reading R72)."""
    ended = [item for count in counts for item in count.items()]
    ties = sum(number for verdict, number in ended if verdict == Verdict.TIE)
    total = sum(number for verdict, number in ended if verdict != Verdict.MISSING)
    return ties / total if total else 0.0  # Reading R34


_CLAUSE = "EPC-2.8"


def replay(case: Mapping[str, Any]) -> Json:
    """Return the answer to a case whose shape the case schema has already admitted.

    Raises: MalformedError where the case breaks a rule that a schema cannot state.
    Source: EPC-2.8; the shapes are those of `conformance_case.json`.
    """
    strategies = int(case["strategies"])  # JSON lets a whole number be written as 3.0
    turns: dict[str, list[Turn]] = {}
    for name in (phase.name for phase in PHASES):
        turns[name] = [
            Turn(u_strategy=trial.get("u"), strategy=_strategy(trial, name, index, strategies))
            for index, trial in enumerate(case["phases"][name])
        ]
    config = case.get("config", {})
    rule = rule_of(config.get("rule", config))
    measurement = measure(
        turns, strategies=strategies, rule=rule, initial=_initial(case, strategies, rule)
    )

    def trial(comparison: Comparison) -> Verdict:
        return Verdict(case["phases"][comparison.phase.name][comparison.round]["verdict"])

    return answer(drive(measurement, trial))


def _strategy(case_round: Mapping[str, Any], phase: str, index: int, strategies: int) -> int | None:
    if "strategy" not in case_round:
        return None
    chosen = int(case_round["strategy"])
    if chosen >= strategies:
        raise _malformed(
            f"/phases/{phase}/{index}/strategy",
            f"is {chosen}, expected 0 to {strategies - 1}",
            "number the strategies from 0",
        )
    return chosen


def _initial(case: Mapping[str, Any], strategies: int, rule: Rule) -> tuple[float, ...] | None:
    raw_weights = case.get("initial_weights")
    if raw_weights is None:
        return None
    if not isinstance(rule, UpdateRule | Bayes):
        raise _malformed(
            "/initial_weights",
            f"is given, and the state of {rule.name} is more than its weights",
            "leave it out",
        )
    if len(raw_weights) != strategies:
        raise _malformed(
            "/initial_weights",
            f"has {len(raw_weights)} weights for {strategies} strategies",
            "give one weight a strategy",
        )
    weights = tuple(float(weight) for weight in raw_weights)
    if problem := simplex_problem(weights):
        raise _malformed("/initial_weights", problem, "divide the weights by their sum")
    return weights


def _malformed(where: str, problem: str, remedy: str) -> MalformedError:
    return MalformedError(Finding(clause=_CLAUSE, where=where, problem=problem, remedy=remedy))
