"""Cases for the learning rules that may take the protocol's place (Reading R81)."""

from __future__ import annotations

from typing import Any

from case_building import Malformed, Vector, case, draws, lose, random_phase, spin, tie, win

BAYES: dict[str, Any] = {"name": "bayes", "high": 0.75, "low": 0.25}
BRADLEY_TERRY: dict[str, Any] = {"name": "bradley-terry", "step": 1.0}
THOMPSON: dict[str, Any] = {"name": "thompson", "prior_wins": 1, "prior_losses": 1}

IDLE: dict[str, list[object]] = {
    "text": [],
    "visual": [],
    "text_to_visual": [],
    "visual_to_text": [],
}


def shared(rule: dict[str, Any], seed: int, *, rounds: int) -> list[Vector]:
    """Return what every rule is asked: nothing, ties, a carried state, drawn rounds."""
    stream = draws(seed)
    some = [random_phase(stream, rounds, 0.5, 0.1) for _ in range(4)]
    return [
        Vector(
            description="no rounds: every phase stays uniform",
            given=case(3, rule=rule),
            worked="w = 1/3 everywhere",
        ),
        Vector(
            description="a tie changes nothing",
            given=case(3, [*win(0), *tie(1, 2)], win(0), rule=rule),
        ),
        Vector(
            description="a coupled phase begins with the state, not with the weights alone",
            given=case(3, win(0, 0, 1), lose(2, 2), lose(0), win(2), rule=rule),
        ),
        Vector(description="drawn rounds in every phase", given=case(4, *some, rule=rule)),
    ]


def refused(rule: dict[str, Any], description: str, error: str, **changes: object) -> Malformed:
    """Return a case with a rule that is none, or with what the rule does not take."""
    given = {"strategies": 2, "config": {"rule": rule}, "phases": IDLE, **changes}
    return Malformed(description=description, given=given, error=error)


LEARN_BAYES: list[Vector | Malformed] = [
    *shared(BAYES, 11, rounds=8),
    Vector(
        description="a win and a loss",
        given=case(2, win(0), lose(1), rule=BAYES),
        worked="text: (0.75, 0.25) of 1; visual: (0.75, 0.25) of 1",
    ),
    Vector(
        description="a posterior may begin with a prior of its own",
        given=case(2, win(1), initial=[0.75, 0.25], rule=BAYES),
        worked="(0.75 x 0.25, 0.25 x 0.75) / 0.375 = (1/2, 1/2)",
    ),
    Vector(
        description="the wheel turns over the posterior",
        given=case(2, [*win(0), *spin("A", 0.7, 0.8)], rule=BAYES),
        worked="0.7 < 0.75 falls on 0: (0.9, 0.1); 0.8 again on 0: (27/28, 1/28)",
    ),
]
LEARN_BRADLEY_TERRY: list[Vector | Malformed] = [
    *shared(BRADLEY_TERRY, 12, rounds=8),
    Vector(
        description="a win and a loss",
        given=case(2, win(0), lose(0), rule=BRADLEY_TERRY),
        worked="p = 1/2: a win gives 3/2 of 5/2, a loss 2/3 of 5/3: (0.6, 0.4) and (0.4, 0.6)",
    ),
    Vector(
        description="another step",
        given=case(2, win(0, 0), lose(1), rule={**BRADLEY_TERRY, "step": 0.5}),
        worked="1 + 1/4 = 5/4; 5/4 + (1/2)(5/9) = 55/36; visual: 1 / (5/4) = 4/5",
    ),
    refused(
        BRADLEY_TERRY,
        "weights do not say all of its state",
        "/initial_weights",
        initial_weights=[0.5, 0.5],
    ),
]
LEARN_THOMPSON: list[Vector | Malformed] = [
    *shared(THOMPSON, 13, rounds=5),
    Vector(
        description="a single strategy is always chosen",
        given=case(1, win(0), lose(0), rule=THOMPSON),
        worked="w = (1)",
    ),
    Vector(
        description="one win of two",
        given=case(2, win(0), rule=THOMPSON),
        worked="the mass is (2i+1)/256 in cell i, below its middle ((2i+1)/2 + i^2)/256, of the "
        "other (2i+1)/32: sums of (2i+1)^2 and of (2i+1)/2 + i^2 are 5456 and 1368; w = 341/512",
    ),
    Vector(
        description="a prior of Beta(3, 2)",
        given=case(3, win(0), lose(2), rule={**THOMPSON, "prior_wins": 3, "prior_losses": 2}),
    ),
    refused(
        THOMPSON,
        "weights do not say its posteriors",
        "/initial_weights",
        initial_weights=[0.5, 0.5],
    ),
]
