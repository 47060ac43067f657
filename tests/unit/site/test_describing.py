"""A page says what the record itself says was asked, beside the generation that is claimed."""

import json
from dataclasses import replace
from pathlib import Path

from epc.registry.kinds.table import parse_card
from epc.registry.record import Model, RecordedModel
from epc.site.describing import asked_as, by

MODEL = Model(model="x", platform=None, gateway=None, proxy=False, as_printed=None)


def test_the_name_and_the_address_stand_as_the_record_has_them() -> None:
    recorded_model = RecordedModel(model="llamacpp/x", endpoint="http://127.0.0.1:8080/v1")

    assert asked_as(replace(MODEL, asked=recorded_model)) == [
        ("Asked as", "llamacpp/x, at http://127.0.0.1:8080/v1")
    ]


def test_a_card_of_before_this_was_kept_claims_nothing() -> None:
    assert asked_as(MODEL) == []


def test_a_page_says_what_was_served_and_by_whom_as_the_contributor_states_it() -> None:
    published = Path(__file__).parents[3] / "snapshots" / "v1.0-CoinFlip" / "snapshot.json"
    document = json.loads(published.read_text("utf-8"))
    stated = {"login": "octocat", "source": "the annotators of study A"}

    assert asked_as(replace(MODEL, weights="sha256:ab")) == [("Weights, as stated", "sha256:ab")]
    assert by(parse_card(document)) == [("By", "EPC registry")]
    assert by(parse_card(document | stated)) == [
        ("By", "EPC registry (octocat on GitHub)"),
        ("Verdicts from, as stated", "the annotators of study A"),
    ]
