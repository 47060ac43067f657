"""Tests of who may replace a judge: who is named, who still lives, and what would tell more."""

from datetime import date
from pathlib import Path

import pytest
from registry_support import Checkout, Json, date_claim, generation_record, life_record

from epc.analysis.succession import Measurement, Succession
from epc.answers.subjects import subject
from epc.answers.succession import succession_of, successions
from epc.registry.reading import of_folder
from epc.registry.succession import VerdictStore, agreed_of

AS_OF = date(2026, 4, 1)
OTHER_FIGURES = "the old judge is gone, so this measures only the new one"


def life(model: str, **given: Json | str) -> Json:
    return life_record(platform="openai", model=model, **given)


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    """Return a registry in which old-1 has retired in favour of new-1, and late-1 will."""
    checkout = Checkout(tmp_path / "registry")
    gone, late = date_claim("2025-06-06"), date_claim("2027-01-01")
    checkout.evaluator(generation_record("old-1", life("old-1", retires=gone, replacement="new-1")))
    checkout.evaluator(
        generation_record("late-1", life("late-1", retires=late, replacement="new-2"))
    )
    checkout.evaluator(generation_record("new-1", life("new-1")))
    return checkout


def succession_from(made: Checkout, name: str) -> Succession:
    registry = of_folder(made.folder)
    own_subject = subject(registry, name, AS_OF)
    return succession_of(registry, own_subject, AS_OF, agreed_of(registry, own_subject, []))


def test_the_verdicts_are_those_of_a_named_place_or_else_of_this_checkout(
    made: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = of_folder(made.folder)
    monkeypatch.chdir(made.home)

    assert VerdictStore.from_registry(registry, None).registry_root == str(made.folder)
    kept_verdict_store = VerdictStore.from_registry(registry, "https://registry.example/")
    assert (
        kept_verdict_store.registry,
        kept_verdict_store.registry_root,
        kept_verdict_store.read,
    ) == (
        registry,
        "https://registry.example/",
        {},
    )


def test_a_judge_of_whom_nothing_is_published_has_no_verdicts_beside_it(made: Checkout) -> None:
    registry = of_folder(made.folder)
    kept_verdict_store = VerdictStore.from_registry(registry, str(made.folder))

    assert list(kept_verdict_store.judges_sharing_sources(subject(registry, "old-1", AS_OF))) == []
    assert kept_verdict_store.sources(subject(registry, "old-1", AS_OF)) == []
    assert list(successions(kept_verdict_store, AS_OF)) == []


def test_of_a_retired_judge_the_replacement_alone_is_measured(made: Checkout) -> None:
    own_succession = succession_from(made, "old-1")

    assert own_succession.state == ("openai: expired since 2025-06-06 (retired)",)
    assert own_succession.named == {"new-1": "openai: current"}
    assert own_succession.successors == ()
    command = "epc run --evaluator openai/new-1 --executor local/smollm2-135m --exhaustive"
    assert own_succession.measurement == Measurement(
        why=OTHER_FIGURES, command=f"{command} --out runs/successor", calls=176
    )


def test_a_judge_that_is_still_served_is_measured_beside_its_replacement(made: Checkout) -> None:
    """The replacement is not in this registry, so no command asks it."""
    own_succession = succession_from(made, "late-1")

    assert own_succession.state == ("openai: current until 2027-01-01",)
    nobody = "not in this registry: nobody knows whether it is served"
    assert own_succession.named == {"new-2": nobody}
    assert own_succession.measurement.command.startswith(
        "epc run --evaluator openai/late-1 --evaluator local/smollm2-135m-likelihood --executor "
    )
    assert own_succession.measurement.calls == 2 * 176
    assert own_succession.measurement.why.startswith("both judge the same answers")


def test_where_nobody_is_named_anybody_can_measure_a_model_that_needs_no_key(
    made: Checkout,
) -> None:
    own_succession = succession_from(made, "new-1")

    assert own_succession.named == {}
    assert own_succession.measurement.command.startswith(
        "epc run --evaluator openai/new-1 --evaluator local/smollm2-135m-likelihood --executor "
    )
