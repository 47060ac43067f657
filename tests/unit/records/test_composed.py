"""What a record says of a wrapper round evaluators (Reading R80)."""

from typing import Any

import pytest

from epc.protocol.mitigation import as_document, spelled
from epc.records.composed import mismatch
from epc.records.manifest import Member, ModelIdentity, member_decoding
from epc.records.typed import parse

PANEL = "panel:a/x,band=0.1:b/y,balanced:c/z"


def member(model: str, **decoding: Any) -> dict[str, Any]:
    return {"model": model, "version": None, "endpoint": "mock", "gateway": None, "details": {},
            "decoding": {"constraint": model, **decoding}, "method": "prompt"}  # fmt: skip


def details(name: str) -> dict[str, Any]:
    judging, models = spelled(name)
    return {"judging": as_document(judging), "members": [member(model) for model in models]}


def identity(name: str, stated: dict[str, Any]) -> ModelIdentity:
    return ModelIdentity(model=name, version=None, endpoint="mock", gateway=None, details=stated)


def test_reading_r80_a_judging_is_written_part_by_part() -> None:
    document = as_document(spelled(PANEL)[0])

    assert document == {"kind": "panel", "of": [
        {"kind": "asked", "member": 1},
        {"kind": "band", "band": 0.1, "of": [{"kind": "asked", "member": 2}]},
        {"kind": "balanced", "of": [{"kind": "asked", "member": 3}]},
    ]}  # fmt: skip


def test_reading_r80_members_are_those_of_a_wrapper_and_nobody_s_else() -> None:
    panel = identity(PANEL, details(PANEL))

    assert [member.model for member in panel.members] == ["a/x", "b/y", "c/z"]
    assert identity("a/x", {}).members == ()
    assert mismatch(panel) is None


@pytest.mark.parametrize(
    ("name", "stated", "where"),
    [
        ("balanced:balanced:a/x", details(PANEL), "/evaluator/model"),
        ("balanced:a/x", details("balanced:b/y"), "/evaluator/details"),
        ("balanced:a/x", details("band=0.1:a/x"), "/evaluator/details"),
        ("balanced:a/x", {}, "/evaluator/details"),
        ("a/x", details("balanced:a/x"), "/evaluator/details"),
        ("calibrated:a/x", details("balanced:a/x"), "/evaluator/model"),
    ],
)
def test_reading_r80_what_does_not_go_together_has_its_place(
    name: str, stated: dict[str, Any], where: str
) -> None:
    found = mismatch(identity(name, stated))

    assert found is not None
    assert found[0] == where


def test_reading_r80_a_member_decodes_its_own_way_unless_the_wrapper_is_asked_otherwise() -> None:
    members = [
        parse(member(model, temperature=heat), Member) for model, heat in (("a/x", 0), ("b/y", 1))
    ]
    usual = members[0].decoding

    assert member_decoding(members, 2, usual) == {"constraint": "b/y", "temperature": 1}
    other = {"constraint": "a/x", "temperature": 0.5}
    assert member_decoding(members, 2, other) == {"constraint": "b/y", "temperature": 0.5}
    assert member_decoding(members, 1, other) == other
