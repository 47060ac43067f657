"""A page says what the record itself says was asked, beside the generation that is claimed."""

from dataclasses import replace

from epc.registry.card_types import Asked, Model
from epc.site.describing import asked_as

MODEL = Model(model="x", platform=None, gateway=None, proxy=False, as_printed=None)


def test_the_name_and_the_address_stand_as_the_record_has_them() -> None:
    asked = Asked(model="llamacpp/x", endpoint="http://127.0.0.1:8080/v1")

    assert asked_as(replace(MODEL, asked=asked)) == [
        ("Asked as", "llamacpp/x, at http://127.0.0.1:8080/v1")
    ]


def test_a_card_of_before_this_was_kept_claims_nothing() -> None:
    assert asked_as(MODEL) == []
