"""A page says what the record itself says was asked, beside the generation that is claimed."""

from epc.site.describing import asked_as


def test_the_name_and_the_address_stand_as_the_record_has_them() -> None:
    card = {"asked": {"model": "llamacpp/x", "endpoint": "http://127.0.0.1:8080/v1"}}

    assert asked_as(card) == [("Asked as", "llamacpp/x, at http://127.0.0.1:8080/v1")]


def test_a_card_of_before_this_was_kept_claims_nothing() -> None:
    assert asked_as({"model": "x"}) == []
