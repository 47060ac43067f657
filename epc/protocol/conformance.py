"""Answering one conformance case (EPC-2.8)."""

from collections.abc import Mapping
from typing import Any

from epc.errors import Finding, MalformedError
from epc.protocol.draws import Turn
from epc.protocol.phases import Comparison, drive, measure
from epc.protocol.results import Json, answer
from epc.protocol.rules import Bayes, Rule, rule_of
from epc.protocol.verdict import Verdict
from epc.protocol.weights import UpdateRule, simplex_problem
from epc.spec.epc_v1 import PHASES

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
