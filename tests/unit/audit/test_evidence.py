"""What of a summary rests on the verdict table and the seeds (Readings R15, R70 and R71)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from audit_support import table

from epc.audit.evidence import crossing, evidence
from epc.protocol.config import Configuration
from epc.protocol.table import VerdictTable
from epc.spec.reference import Strategy

NAMES = ("m", "n")
CONFIG = Configuration(
    strategies=tuple(Strategy(name=name, domain=None, prompt="") for name in NAMES)
)
OPPOSED = table(["A" * 8, "B" * 8], ["B" * 8, "A" * 8])
ALIKE = table(["A" * 8, "B" * 8], ["A" * 8, "B" * 8])
# Where each phase of a seed ends: the first strategy's weight. Visual tasks want the second one.
ENDED = {"text": 0.9, "visual": 0.1, "text_to_visual": 0.4, "visual_to_text": 0.7}


def seeds(ended: Mapping[str, float] = ENDED, number: int = 4) -> list[dict[str, Any]]:
    weights = {phase: dict(zip(NAMES, (w, 1 - w), strict=True)) for phase, w in ended.items()}
    gamma = {"text_to_visual": 0.5, "visual_to_text": 0.25}
    return [{"weights": weights, "gamma": gamma}] * number


def test_reading_r71_opposed_preferences_cross_and_differ() -> None:
    transfer, preferences = crossing(seeds(), table=OPPOSED, config=CONFIG)

    assert set(transfer.directions or {}) == {"text_to_visual", "visual_to_text"}
    assert transfer.test is not None
    # Of the 6,435 ways to deal 16 tasks out in halves one alone separates the two kinds.
    assert preferences.p_value == pytest.approx(1 / 6435)
    assert transfer.test.p_value <= 0.002  # of 1,999 ways that are drawn
    for into in (transfer.directions or {}).values():
        assert into.regret == pytest.approx(into.redirected)  # each choice led away costs a win
        assert into.regret > 0.3


def test_reading_r71_one_preference_in_both_domains_does_neither() -> None:
    transfer, preferences = crossing(seeds(), table=ALIKE, config=CONFIG)

    assert preferences.p_value == 1
    for into in (transfer.directions or {}).values():
        assert (into.redirected, into.regret) == (0, 0)


def test_reading_r78_any_two_of_three_domains_may_differ() -> None:
    """Two pairs of domains differ; the least p-value counts as often as there are pairs."""
    three = VerdictTable(
        counts={
            "audio": OPPOSED.counts["text"],
            "text": OPPOSED.counts["text"],
            "visual": OPPOSED.counts["visual"],
        },
        repeated=False,
    )
    tasks = dict.fromkeys(three.counts, CONFIG.tasks["text"])
    config = replace(CONFIG, tasks=tasks)
    pure = {phase.name: 0.5 for phase in config.phases}

    transfer, preferences = crossing(seeds(pure), table=three, config=config)

    assert preferences.p_value == pytest.approx(3 / 6435)
    assert len(transfer.directions or {}) == 6


def test_reading_r15_a_measured_control_is_each_seeds_own_distance_from_its_pure_vector() -> None:
    config = replace(CONFIG, control="measured")
    ended = {**ENDED, "text_start": 0.7, "visual_start": 0.3}
    ended |= {"text_to_text": 0.8, "visual_to_visual": 0.1}

    control = evidence(seeds(ended), table=OPPOSED, config=config)["control"]

    # Text again is (0.8, 0.2) after (0.9, 0.1): sqrt(2) * 0.1 of a length of sqrt(0.82).
    floor = 0.1 * 2**0.5 / 0.82**0.5
    assert control["method"] == "measured"
    assert control["noise_floor"]["visual_to_text"]["mean"] == pytest.approx(floor)
    assert control["excess"]["visual_to_text"]["mean"] == pytest.approx(0.25 - floor)
    assert control["noise_floor"]["text_to_visual"]["mean"] == 0
    assert control["excess"]["text_to_visual"]["mean"] == 0.5


def test_reading_r38_without_control_phases_the_floor_is_simulated_of_the_verdicts() -> None:
    control = evidence(seeds(), table=OPPOSED, config=CONFIG)["control"]

    assert control["method"] == "simulated"
    for direction, gamma in seeds()[0]["gamma"].items():
        floor, excess = control["noise_floor"][direction], control["excess"][direction]
        assert floor["mean"] > 0
        assert excess["mean"] == pytest.approx(gamma - floor["mean"])


def test_reading_r70_control_and_transfer_are_plain_json() -> None:
    document = evidence(seeds(), table=OPPOSED, config=CONFIG)

    assert set(document) == {"control", "transfer"}
    assert document["control"]["test"]["p_value"] == pytest.approx(1 / 6435)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
