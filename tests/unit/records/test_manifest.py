"""A manifest's configuration, there and back."""

from dataclasses import replace

import pytest
from records_support import Run

from epc.protocol.config import Configuration, Decoding
from epc.protocol.weights import UpdateRule
from epc.records.layout import config_json, configuration_json, decoding_json, decoding_of
from epc.records.manifest import Manifest, ModelIdentity
from epc.spec.reference import Strategy


def test_epc_2_8_4_the_reference_configuration_is_written_with_the_papers_constants() -> None:
    written = config_json(Configuration(), seeds=[0, 1], reuse="memo", exhaustive=True)

    assert written == {
        "rounds": 30,
        "alpha_win": 0.08,
        "alpha_lose": 0.04,
        "weight_floor": 0.001,
        "baseline": "step_by_step",
        "strategies": 11,
        "seeds": [0, 1],
        "generator": "numpy.random.Generator(PCG64(SeedSequence([seed, phase])))",
        "reuse": "memo",
        "exhaustive": True,
        "control": "simulated",
    }


def test_epc_2_8_1_the_reference_configuration_is_tagged_without_labels() -> None:
    assert configuration_json(Configuration())["protocol_version"] == "EPC-v1.0"


def test_reading_r74_a_manifest_says_which_tasks_belong_together_only_where_some_do() -> None:
    alone = Configuration(tasks={"text": ("t",), "visual": ("v", "w")})
    grouped = replace(alone, groups={"text": ("one",), "visual": ("two", "two")})

    assert configuration_json(grouped)["groups"] == {"text": ["one"], "visual": ["two", "two"]}
    assert "groups" not in configuration_json(alone)


def test_a_new_run_states_the_version_of_its_manifest(flip: Run) -> None:
    assert flip.manifest()["schema_version"] == 2
    assert flip.parsed().schema_version == 2


def test_reading_r31_the_manifest_records_how_strategy_and_task_are_joined(flip: Run) -> None:
    assert flip.manifest()["executor"]["prompt_template"] == "{strategy_prompt}\n\n{task}"


def test_reading_r13_a_manifest_gives_back_the_configuration_it_was_written_from(
    flip: Run,
) -> None:
    config = Configuration(
        rule=UpdateRule(alpha_win=0.1, alpha_lose=0.02, weight_floor=0.01),
        rounds=7,
        baseline="other",
        strategies=(Strategy(name="other", domain=None, prompt=""),),
        tasks={"text": ("t",), "visual": ("v", "w")},
        evaluator_prompt="{task}?",
        decoding=Decoding(temperature=0.5, max_tokens=3, top_p=0.9, stop=("\n",), constraint="AB"),
        method="likelihood",
        groups={"text": ("one",), "visual": ("two", "two")},
    )
    manifest = flip.manifest()
    manifest.update(configuration_json(config))
    manifest["config"] = config_json(config, seeds=[0], reuse="none", exhaustive=False)
    manifest["evaluator"].update(method=config.method, decoding=decoding_json(config.decoding))

    assert Manifest.parse(manifest).configuration == config
    assert (
        manifest["protocol_version"]
        == "EPC-v1.0-AltBaseline+AltEvaluator+AltLR+AltRounds+AltStrategies+AltTasks"
    )


def test_rounds_written_as_a_decimal_are_rounds(flip: Run) -> None:
    manifest = flip.manifest()
    manifest["config"]["rounds"] = 5.0

    assert repr(Manifest.parse(manifest).configuration.rounds) == "5"


def test_the_stop_words_come_back_as_they_were() -> None:
    decoding = Decoding(temperature=0.0, max_tokens=10, stop=("a", "b"))

    assert decoding_of(decoding_json(decoding)) == decoding
    assert decoding_of(decoding_json(replace(decoding, stop=()))) == replace(decoding, stop=())


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("file", True),
        ("mock", True),
        ("embedded", True),
        ("https://api.openai.com/v1", False),
        ("embedded, mock", False),  # what a panel of several asks
    ],
)
def test_answers_that_cannot_come_out_otherwise_are_facts(endpoint: str, *, expected: bool) -> None:
    model = ModelIdentity(model="m", version=None, endpoint=endpoint, gateway=None, details={})

    assert model.gives_facts == expected
