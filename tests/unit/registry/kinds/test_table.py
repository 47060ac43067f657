"""A kind of record is a row of one table and one module beside it."""

import pytest

from epc.registry.kinds import judged, loop, measured, observed
from epc.registry.kinds.adapter import Adapter, adapter
from epc.registry.kinds.table import KINDS, parse_card

OFFERED: dict[str, Adapter] = {
    "measured": measured,
    "judged": judged,
    "observed": observed,
    "loop": loop,
}


def test_every_kind_of_the_table_has_its_module_and_those_with_documents_all_of_it() -> None:
    with_documents = {name for name, kind in KINDS.items() if kind.documents}

    assert {name: adapter(name) for name in with_documents} == OFFERED
    for name in KINDS:
        assert callable(adapter(name).departures)


def test_no_two_kinds_are_told_by_the_same_document() -> None:
    first = [kind.documents[0] for kind in KINDS.values() if kind.documents]

    assert len(set(first)) == len(first)


@pytest.mark.parametrize("name", KINDS)
def test_a_card_without_what_its_kind_always_states_is_no_card(name: str) -> None:
    model = {"model": "m", "platform": None, "gateway": None, "proxy": False, "as_printed": None}
    card: dict[str, object] = {
        **dict.fromkeys(("tag", "generation", "protocol_version", "contributor"), "x"),
        **dict.fromkeys(("executor", "measured", "replicates", "citation")),
        "evaluator": model,
        "kind": name,
        "trust": "reported",
        "calibration": False,
        "known_faults": [],
    }

    with pytest.raises(ValueError, match=f"a card of a {name} record has no"):
        parse_card(card)
    with pytest.raises(KeyError):
        parse_card(card | {"kind": "voted"})


def test_the_files_of_a_snapshot_are_those_that_its_kind_has() -> None:
    own, figures, pointer = "snapshot.json", "metrics.json", "raw.dvc"

    assert {name: kind.files for name, kind in KINDS.items()} == {
        "measured": (own, "manifest.json", figures, pointer),
        "reported": (own, figures),
        "judged": (own, "judge.json", "run_log.json", figures, pointer),
        "observed": (own, "observed.json", figures),
        "loop": (own, "loop.json", figures, pointer),
    }
