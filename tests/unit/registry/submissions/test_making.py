"""What follows from a run and the registry, before anybody is asked for the rest."""

from pathlib import Path

import pytest
from registry_support import Checkout, generation_record, life_record

from epc.errors import UsageError
from epc.records.manifest import ModelIdentity
from epc.records.typed import parse
from epc.records.verdicts.types import Judge
from epc.registry.offers import Subject
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.submissions.making import (
    Inference,
    inferred,
    inferred_of,
    proposed_slug,
    require_agreeing,
)
from epc.registry.submissions.statement import Statement


def identity_of(model: str, endpoint: str = "https://api.openai.com/v1") -> ModelIdentity:
    return ModelIdentity(model=model, version=None, endpoint=endpoint, gateway=None, details={})


def recorded(model: str) -> Subject:
    """Return verdicts of others, whose source states a model on no platform."""
    judge = Judge(name="J", model=model, platform="unknown")
    return Subject(models={}, identity="ab" * 32, source_judge=judge)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """Return a registry of GPT-X on two platforms, GPT-Y on one, and two of one name."""
    checkout = Checkout(tmp_path)
    lives = [life_record(platform=name, model="gpt-x") for name in ("openai", "azure-openai")]
    checkout.evaluator(generation_record("GPT-X", *lives))
    checkout.evaluator(generation_record("GPT-Y", life_record(platform="openai", model="gpt-y")))
    for name in ("Twin-1", "Twin-2"):
        checkout.evaluator(generation_record(name, life_record(platform="openai", model="twin")))
    return of_folder(checkout.folder)


@pytest.mark.parametrize(
    ("model", "generation"), [("gpt-y", "GPT-Y"), ("gpt-z", None), ("twin", None)]
)
def test_reading_r77_a_source_s_judge_is_the_one_generation_that_its_name_can_mean(
    registry: Registry, model: str, generation: str | None
) -> None:
    inference = inferred_of(recorded(model), registry, None)

    assert inference == Inference(generation=generation, platform="unknown", endpoint="recorded")


@pytest.mark.parametrize(
    ("model", "platform", "found"),
    [
        ("openai/gpt-y", None, ("GPT-Y", "openai")),
        ("openai/gpt-x", None, ("GPT-X", "openai")),
        ("openai/gpt-y", "azure-openai", (None, "azure-openai")),
        ("openai/gpt-z", None, (None, None)),
        ("openai/twin", None, (None, None)),
    ],
)
def test_who_was_asked_where_follows_from_the_record_if_one_generation_fits(
    registry: Registry, model: str, platform: str | None, found: tuple[str | None, str | None]
) -> None:
    own_inference = inferred(identity_of(model), registry, platform)

    assert (own_inference.generation, own_inference.platform, own_inference.endpoint) == (
        *found,
        "direct",
    )
    subject = Subject(models={"evaluator": identity_of(model)}, identity="ab" * 32)
    assert inferred_of(subject, registry, platform) == own_inference


def test_a_mock_is_its_own_generation_and_on_no_platform(registry: Registry) -> None:
    own_inference = inferred(identity_of("mock/coin-flip", "mock"), registry)

    assert own_inference == Inference(generation="CoinFlip", platform=None, endpoint="direct")


@pytest.mark.parametrize(
    ("generation", "slug"),
    [
        ("GPT4o-0806", "gpt4o-0806-abababab"),
        ("A.B c", "a-b-c-abababab"),
        ("x" * 100, f"{'x' * 55}-abababab"),  # 55 + 1 + 8 = 64
    ],
)
def test_a_proposed_name_is_the_generation_s_with_the_begin_of_the_run_s_identity(
    generation: str, slug: str
) -> None:
    assert proposed_slug(generation, recorded("gpt-y")) == slug


def statement(**options: str) -> Statement:
    own = {"generation": "GPT-Y", "platform": "openai", "endpoint": "direct"}
    rest = {"contributor": "A. Name", "login": "a-name", "licence": "CC-BY-4.0"}
    told = {"conflicts": "none", "replicates": None, "identity": "ab" * 32}
    return parse(own | rest | told | options, Statement)


def test_submission_s8_a_statement_that_the_run_contradicts_is_refused() -> None:
    subject = Subject(models={"evaluator": identity_of("openai/gpt-y")}, identity="ab" * 32)

    require_agreeing(subject, statement())
    with pytest.raises(UsageError, match="azure-openai"):
        require_agreeing(subject, statement(platform="azure-openai"))
    require_agreeing(recorded("gpt-y"), statement(platform="azure-openai"))
