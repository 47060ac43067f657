"""What a card states of what was measured, judged or recorded: days, models, conditions."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from observed_support import SETTINGS, columns, verdict
from registry_support import Json, audit_record, generation, life_record

from epc.records.judging.documents import Judge, Plan, Planned, Reference, Thresholds
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.observed.types import Made, Observed
from epc.registry.cards import Said
from epc.registry.kinds.judged import judged_card_of
from epc.registry.kinds.measured import card_of, conditions_of
from epc.registry.kinds.observed import observed_card_of, observed_conditions_of
from epc.registry.record import Asked
from epc.registry.tags import Tag

TAG = Tag.parse("v1.0-Judge-1")
SAID = Said(
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
    samples=Planned(sha256="2" * 64, rows=20),
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
    one = judged_card_of(TAG, PLAN, JUDGE, days=DAYS[1:2], declaration=SAID, life=None)
    assert one.first_day == one.last_day == date(2026, 7, 3)


def test_a_card_s_model_is_without_its_provider_and_its_life_s_platform_goes_first() -> None:
    life = generation(life_record(platform="azure-openai")).lives[0]

    card = judged_card_of(TAG, PLAN, JUDGE, days=DAYS, declaration=SAID, life=None)
    cloud = judged_card_of(
        TAG, PLAN, JUDGE, days=DAYS, declaration=replace(SAID, proxy=True), life=life
    )

    assert (card.evaluator.model, card.evaluator.platform) == ("judge-1", "openai")
    assert card.evaluator.asked == Asked(model=JUDGE.model, endpoint=JUDGE.endpoint)
    assert (card.evaluator.proxy, card.calibration) == (False, True)
    assert (cloud.evaluator.platform, cloud.evaluator.proxy) == ("azure-openai", True)
    assert not cloud.calibration


def test_what_must_agree_of_two_evaluations_is_what_was_planned() -> None:
    card = judged_card_of(TAG, PLAN, JUDGE, days=DAYS, declaration=SAID, life=None)
    mapped = replace(PLAN, mapping=Reference(id="m", sha256="3" * 64))
    other = judged_card_of(TAG, mapped, JUDGE, days=DAYS, declaration=SAID, life=None)

    assert card.conditions
    assert other.conditions
    assert card.conditions["samples"] == "2" * 64
    assert card.conditions["methods"] == ["cross_judge"]
    assert card.conditions["retry_malformed"] == 2
    assert (card.conditions["mapping"], other.conditions["mapping"]) == (None, "3" * 64)


def test_a_measured_card_is_of_the_day_of_its_manifest() -> None:
    manifest = Manifest.parse(example())
    audit = audit_record("inconclusive")

    own = card_of(TAG, manifest, audit, SAID, None)
    again = card_of(TAG, manifest, audit, replace(SAID, replicates="v1.1-Judge-1"), None)

    assert own.first_day == own.last_day == date.fromisoformat(manifest.evaluator.measurement_date)
    assert own.audit
    assert (own.trust, own.calibration, own.audit.verdict) == ("recomputed", True, "inconclusive")
    assert (again.trust, again.replicates) == ("recomputed", "v1.1-Judge-1")
    assert (own.executor is None) == (manifest.executor is None)


def observed_document(made: Made | None) -> Observed:
    header, _ = columns(verdict("1", "a", "a"))
    own = replace(header, settings={"stated": SETTINGS["stated"]}, made=made)
    return Observed(judge="l", header=own, verdicts=1, sha256="4" * 64)


@pytest.mark.parametrize(
    ("days", "first", "last"),
    [((), None, None), (DAYS[:2], DAYS[0], DAYS[1]), (DAYS, DAYS[0], DAYS[2])],
)
def test_reading_r77_an_observed_card_states_the_source_s_days_if_there_are_any(
    days: tuple[date, ...], first: date | None, last: date | None
) -> None:
    document = observed_document(None)

    card = observed_card_of(TAG, document, days=days, declaration=SAID, kept=True)

    assert (card.first_day, card.last_day) == (first, last)
    assert (card.evaluator.model, card.evaluator.as_printed) == ("m-1", "l")
    assert (card.recipe, card.kept, card.licence) == (None, True, "l")


def test_reading_r77_a_recipe_names_the_shape_the_judge_and_the_digest_of_the_lines() -> None:
    made = Made(shape="csv", columns={"item": "id"}, labels={"A": "a"}, constants={"prompt": "v 1"})

    card = observed_card_of(TAG, observed_document(made), days=(), declaration=SAID, kept=False)

    assert card.recipe
    assert (card.recipe.shape, card.recipe.judge, card.recipe.sha256) == ("csv", "l", "4" * 64)
    assert card.recipe.command == (
        "epc observe import CLONE --shape csv --map item=id --label A=a --set 'prompt=v 1'"
    )


def test_reading_r77_of_recorded_verdicts_source_and_settings_must_agree() -> None:
    header, _ = columns(verdict("1", "a", "a"))
    one = replace(header, settings={"x": SETTINGS["one"], "y": SETTINGS["warmer"]})
    turned = replace(header, settings={"p": SETTINGS["warmer"], "q": SETTINGS["one"]})

    told = observed_conditions_of(one)

    assert told["source"] == "r c"
    assert observed_conditions_of(turned) == told, "names and order of settings say nothing"
    colder = replace(header, settings={"x": SETTINGS["one"]})
    assert observed_conditions_of(colder)["settings"] != told["settings"]


def test_what_a_design_alone_can_change_is_stated_where_it_departs_from_the_reference() -> None:
    document = example()
    plain = conditions_of(Manifest.parse(document))
    document["config"] |= {"alpha_win": 0.06, "baseline": "synthesis"}
    document["executor"]["prompt_template"] = "{task} {strategy_prompt}"

    own = conditions_of(Manifest.parse(document))

    assert {key: own[key] for key in own.keys() - plain.keys() - {"executor_prompt"}} == {
        "rule": {"alpha_win": 0.06, "alpha_lose": 0.04, "weight_floor": 0.001},
        "baseline": "synthesis",
    }
    assert re.fullmatch("[0-9a-f]{64}", own["executor_prompt"])
    assert {key: own[key] for key in plain} == plain
