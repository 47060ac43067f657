"""Effects of known faults stand in the data: a registry of one's own has its own (ANSWERS 4)."""

import json

import pytest
from commands_support import run
from registry_support import Checkout

EFFECT = """faults:
  - id: tired
    touches: ["{touches}"]
    effect: mark
    says: Asked late at night
    so: By day the share may differ.
    may_not: That it is so by day.
"""


def way(model: str, tag: str) -> dict[str, object]:
    return {
        "models": [model], "askings": 1, "prompt": "p", "source": "S", "tags": [tag],
        "settings": [f"{model}/night"], "usd": 1.0, "priced": "as stated",
    }  # fmt: skip


@pytest.mark.parametrize(("touches", "is_marked"), [("*/night", True), ("*/day", False)])
def test_a_fault_marks_the_figures_of_the_settings_that_it_touches(
    checkout: Checkout, touches: str, *, is_marked: bool
) -> None:
    checkout.publish(
        "v1.1-Judge-1", known_faults=[{"id": "tired", "says": "The judge was asked at 3."}]
    )
    policy = checkout.folder / "params.yaml"
    policy.write_text(policy.read_text() + EFFECT.format(touches=touches))
    domain = {"questions": 101, "right": [0.7], "covariance": [[0.0009]], "point": 2.4}
    document = {
        "benchmark": "B", "decides": "d", "chance": 0.25,
        "ways": [way("Judge-1", "v1.1-Judge-1")], "domains": {"all": domain},
    }  # fmt: skip
    (checkout.home / "choices.json").write_text(json.dumps(document))

    printed = run(checkout.folder, "which", "--as-of", "2026-06-01").stdout

    assert ("Judge-1, once †: 70.0%" in printed) == is_marked
    assert (
        "† Asked late at night (a known fault): Judge-1. By day the share may differ." in printed
    ) == is_marked


def test_an_effect_that_is_none_is_refused_with_its_place(checkout: Checkout) -> None:
    policy = checkout.folder / "params.yaml"
    policy.write_text(policy.read_text() + "faults:\n  - id: tired\n    effect: shrug\n")

    done = run(checkout.folder, "evaluators", "list")

    assert done.returncode != 0
    assert "params.yaml" in done.stderr
    assert "no effects of faults" in done.stderr
