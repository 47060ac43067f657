"""What a card states of what was measured, judged or recorded: days, models, conditions."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from observed_support import SETTINGS, columns, verdict
from registry_support import Json, audit_record, generation, life_record

from epc.records.judging.documents import Judge, Plan, PlannedSet, Reference, Thresholds
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.verdicts.types import ImportOptions, JudgePart
from epc.registry.cards import Declaration
from epc.registry.kinds.judged import judged_card_of
from epc.registry.kinds.measured import card_of, conditions_of
from epc.registry.kinds.observed import observed_card_of, observed_conditions_of
from epc.registry.record import RecordedModel
from epc.registry.tags import Tag

TAG = Tag.parse("v1.0-Judge-1")
SAID = Declaration(
    generation="Judge-1",
    contributor="A. Name",
    licence="CC-BY-4.0",
    conflicts=None,
    proxy=False,
    replicates=None,
)
JUDGE = ModelIdentity(
    model="openai/judge-1",
    version=None,
    endpoint="https://api.openai.com/v1",
    gateway=None,
    details={},
)
PLAN = Plan(
    protocol="Judge-v1.0",
    epc_version="1.0",
    date="2026-07-02",
    judges=(Judge(model="openai/judge-1", identity=None, decoding={"temperature": 0}),),
    methods=("cross_judge",),
    prompts={"cross_judge": Reference(id="p", sha256="1" * 64)},
    constraint=None,
    retry_malformed=2,
    mapping=None,
    thresholds=Thresholds(pass_from=7, fail_to=3),
    samples=PlannedSet(sha256="2" * 64, rows=20),
    gaps_allowed=False,
)
DAYS = (date(2026, 7, 2), date(2026, 7, 3), date(2026, 7, 5))


def example() -> Json:
    """Return the manifest of a run of 2 July 2026, whose evaluator was a mock."""
    valid = Path(__file__).parents[2] / "acceptance" / "examples" / "valid" / "deterministic"
    document: Json = json.loads((valid / "manifest.json").read_text("utf-8"))
    return document


def test_a_judged_card_goes_from_the_first_day_to_the_last() -> None:
    card = judged_card_of(TAG, PLAN, JUDGE, days=DAYS, declaration=SAID, life=None)

    assert (card.first_day, card.last_day) == (date(2026, 7, 2), date(2026, 7, 5))
    record = judged_card_of(TAG, PLAN, JUDGE, days=DAYS[1:2], declaration=SAID, life=None)
    assert record.first_day == record.last_day == date(2026, 7, 3)


def test_a_card_s_model_is_without_its_provider_and_its_life_s_platform_goes_first() -> None:
    life = generation(life_record(platform="azure-openai")).lives[0]

    card = judged_card_of(TAG, PLAN, JUDGE, days=DAYS, declaration=SAID, life=None)
    cloud = judged_card_of(
        TAG, PLAN, JUDGE, days=DAYS, declaration=replace(SAID, proxy=True), life=life
    )

    assert (card.evaluator.model, card.evaluator.platform) == ("judge-1", "openai")
    assert card.evaluator.asked == RecordedModel(model=JUDGE.model, endpoint=JUDGE.endpoint)
    assert (card.evaluator.proxy, card.calibration) == (False, True)
    assert (cloud.evaluator.platform, cloud.evaluator.proxy) == ("azure-openai", True)
    assert not cloud.calibration


def test_what_must_agree_of_two_evaluations_is_what_was_planned() -> None:
    card = judged_card_of(TAG, PLAN, JUDGE, days=DAYS, declaration=SAID, life=None)
    mapped = replace(PLAN, mapping=Reference(id="m", sha256="3" * 64))
    other_record = judged_card_of(TAG, mapped, JUDGE, days=DAYS, declaration=SAID, life=None)

    assert card.conditions
    assert other_record.conditions
    assert card.conditions["samples"] == "2" * 64
    assert card.conditions["methods"] == ["cross_judge"]
    assert card.conditions["retry_malformed"] == 2
    assert (card.conditions["mapping"], other_record.conditions["mapping"]) == (None, "3" * 64)


def test_a_measured_card_is_of_the_day_of_its_manifest() -> None:
    manifest = Manifest.parse(example())
    audit = audit_record("inconclusive")

    own_card = card_of(TAG, manifest, audit, SAID, None)
    repeated_card = card_of(TAG, manifest, audit, replace(SAID, replicates="v1.1-Judge-1"), None)

    assert (
        own_card.first_day
        == own_card.last_day
        == date.fromisoformat(manifest.evaluator.measurement_date)
    )
    assert own_card.audit
    assert (own_card.trust, own_card.calibration, own_card.audit.verdict) == (
        "recomputed",
        True,
        "inconclusive",
    )
    assert (repeated_card.trust, repeated_card.replicates) == ("recomputed", "v1.1-Judge-1")
    assert (own_card.executor is None) == (manifest.executor is None)


def observed_document(made: ImportOptions | None) -> JudgePart:
    header, _ = columns(verdict("1", "a", "a"))
    own_header = replace(header, settings={"stated": SETTINGS["stated"]}, made=made)
    return JudgePart(judge="l", header=own_header, verdicts=1, sha256="4" * 64)


@pytest.mark.parametrize(
    ("days", "first", "last"),
    [((), None, None), (DAYS[:2], DAYS[0], DAYS[1]), (DAYS, DAYS[0], DAYS[2])],
)
def test_reading_r77_an_observed_card_states_the_source_s_days_if_there_are_any(
    days: tuple[date, ...], first: date | None, last: date | None
) -> None:
    document = observed_document(None)

    card = observed_card_of(TAG, document, days=days, declaration=SAID, keeps_verdicts=True)

    assert (card.first_day, card.last_day) == (first, last)
    assert (card.evaluator.model, card.evaluator.as_printed) == ("m-1", "l")
    assert (card.recipe, card.kept, card.licence) == (None, True, "l")


def test_reading_r77_a_recipe_names_the_shape_the_judge_and_the_digest_of_the_lines() -> None:
    import_options = ImportOptions(
        shape="csv", columns={"item": "id"}, labels={"A": "a"}, constants={"prompt": "v 1"}
    )

    card = observed_card_of(
        TAG, observed_document(import_options), days=(), declaration=SAID, keeps_verdicts=False
    )

    assert card.recipe
    assert (card.recipe.shape, card.recipe.judge, card.recipe.sha256) == ("csv", "l", "4" * 64)
    assert card.recipe.command == (
        "epc observe import CLONE --shape csv --map item=id --label A=a --set 'prompt=v 1'"
    )


def test_reading_r77_of_recorded_verdicts_source_and_settings_must_agree() -> None:
    header, _ = columns(verdict("1", "a", "a"))
    first_header = replace(header, settings={"x": SETTINGS["one"], "y": SETTINGS["warmer"]})
    turned = replace(header, settings={"p": SETTINGS["warmer"], "q": SETTINGS["one"]})

    document = observed_conditions_of(first_header)

    assert document["source"] == "r c"
    assert observed_conditions_of(turned) == document, "names and order of settings say nothing"
    colder = replace(header, settings={"x": SETTINGS["one"]})
    assert observed_conditions_of(colder)["settings"] != document["settings"]


def test_what_a_design_alone_can_change_is_stated_where_it_departs_from_the_reference() -> None:
    document = example()
    plain = conditions_of(Manifest.parse(document))
    document["config"] |= {"alpha_win": 0.06, "baseline": "synthesis"}
    document["executor"]["prompt_template"] = "{task} {strategy_prompt}"

    own_document = conditions_of(Manifest.parse(document))

    assert {
        key: own_document[key] for key in own_document.keys() - plain.keys() - {"executor_prompt"}
    } == {
        "rule": {"alpha_win": 0.06, "alpha_lose": 0.04, "weight_floor": 0.001},
        "baseline": "synthesis",
    }
    assert re.fullmatch("[0-9a-f]{64}", own_document["executor_prompt"])
    assert {key: own_document[key] for key in plain} == plain
