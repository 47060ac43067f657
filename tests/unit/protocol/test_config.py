"""EPC-2.6, EPC-2.8 and Reading R13: the variant tag follows from the configuration."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from epc.protocol.config import REFERENCE_DECODING, Configuration, Decoding, variant_tag
from epc.protocol.rules import Bayes, BradleyTerry, Thompson
from epc.protocol.weights import UpdateRule
from epc.spec.epc_v1 import Method
from epc.spec.reference import STRATEGIES, TASKS

REFERENCE = Configuration()
DEVIATIONS: dict[str, dict[str, Any]] = {
    "AltBaseline": {"baseline": "synthesis"},
    "AltLR": {"rule": UpdateRule(alpha_win=0.06, alpha_lose=0.06)},
    "AltPrompt": {"evaluator_prompt": "Which is better, A or B?"},
    "AltRounds": {"rounds": 16},
    "AltStrategies": {"strategies": STRATEGIES[:8]},
    "AltTasks": {"tasks": {**TASKS, "visual": TASKS["visual"][:7]}},
}


def test_epc_2_8_nothing_deviates() -> None:
    assert variant_tag(REFERENCE) == "EPC-v1.0"


@pytest.mark.parametrize(("label", "change"), DEVIATIONS.items())
def test_epc_2_8_each_deviation_has_its_label(label: str, change: dict[str, Any]) -> None:
    assert variant_tag(replace(REFERENCE, **change)) == f"EPC-v1.0-{label}"


@pytest.mark.parametrize("labels", list(combinations(DEVIATIONS, 2)))
def test_reading_r13_labels_join_in_a_fixed_order(labels: tuple[str, str]) -> None:
    changes = {key: value for label in reversed(labels) for key, value in DEVIATIONS[label].items()}

    assert variant_tag(replace(REFERENCE, **changes)) == f"EPC-v1.0-{'+'.join(labels)}"


@pytest.mark.parametrize("method", ["likelihood", "recorded"])
def test_reading_r13_an_evaluator_that_is_not_asked_is_an_alt_evaluator(method: Method) -> None:
    config = replace(REFERENCE, method=method, evaluator_prompt="unused")

    assert variant_tag(config) == "EPC-v1.0-AltEvaluator"


@pytest.mark.parametrize(
    "decoding",
    [
        Decoding(temperature=0.7, max_tokens=10),
        Decoding(temperature=0.0, max_tokens=4),
        replace(REFERENCE_DECODING, top_p=0.9),
        replace(REFERENCE_DECODING, stop=("\n",)),
        replace(REFERENCE_DECODING, constraint="A|B"),
    ],
)
def test_epc_2_6_changed_decoding_is_an_alt_prompt(decoding: Decoding) -> None:
    assert variant_tag(replace(REFERENCE, decoding=decoding)) == "EPC-v1.0-AltPrompt"


def test_reading_r81_another_learning_rule_is_an_alt_rule_whatever_its_rates() -> None:
    for rule in (Thompson(), Thompson(prior_wins=3), Bayes(), BradleyTerry()):
        assert variant_tag(replace(REFERENCE, rule=rule)) == "EPC-v1.0-AltRule"


def test_reading_r32_a_changed_floor_is_an_alt_lr() -> None:
    config = replace(REFERENCE, rule=UpdateRule(weight_floor=0.01))

    assert variant_tag(config) == "EPC-v1.0-AltLR"


def test_epc_2_4_c_substituted_tasks_are_no_variant() -> None:
    tasks = {**TASKS, "text": tuple(f"task {n}" for n in range(8))}

    assert variant_tag(replace(REFERENCE, tasks=tasks)) == "EPC-v1.0"


@pytest.mark.parametrize("count", [8, 9, 64])
def test_reading_r90_other_or_more_tasks_are_no_variant(count: int) -> None:
    tasks = {domain: tuple(f"{domain} {n}" for n in range(count)) for domain in TASKS}

    assert variant_tag(replace(REFERENCE, tasks=tasks)) == "EPC-v1.0"


def test_epc_2_4_a_fewer_than_eight_tasks_in_one_domain_are_an_alt_tasks() -> None:
    few = replace(REFERENCE, tasks={**TASKS, "text": TASKS["text"][:7]})

    assert few.few_tasks == {"text": 7}
    assert variant_tag(few) == "EPC-v1.0-AltTasks"


def test_epc_2_3_a_the_baseline_is_found_by_name() -> None:
    assert REFERENCE.baseline_index == 0


def test_reading_r78_the_domains_are_those_of_the_tasks_in_their_order() -> None:
    three = replace(REFERENCE, tasks={"b": ("t",), "a": ("t",), "c": ("t",)})

    assert REFERENCE.domains.names == ("text", "visual")
    assert set(three.domains.names) == {"a", "b", "c"}
    assert REFERENCE.phases == REFERENCE.domains.phases
    assert replace(REFERENCE, control="measured").phases == REFERENCE.domains.every_phase
