"""Tests of one snapshot as a page for people."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from golden_support import Golden
from registry_support import (
    CONDITIONS,
    FIGURES,
    OWN_DATA,
    Checkout,
    Json,
    audit_record,
    card,
    event,
    judged,
    measured,
    observed,
    snapshot,
)

from epc.answers.snapshot_status import snapshot_states
from epc.registry.comparison import Comparison, Operand, compare_snapshots
from epc.registry.expiry import Expiry, unknown
from epc.registry.figures import Figure
from epc.registry.reading import of_folder
from epc.registry.record import Identity
from epc.registry.showing import (
    ReferenceRow,
    SnapshotView,
    difference_text,
    model_in_words,
    reference_rows,
    reference_text,
    snapshot_text,
)
from epc.registry.snapshots import Snapshot

AS_OF = date(2026, 4, 1)


def shown(of: Snapshot, **fields: Any) -> SnapshotView:
    snapshot_view = SnapshotView(
        snapshot=of,
        events=(event("published", "2026-02-01", sha256="0" * 64),),
        expiry=unknown(str(of.tag), AS_OF, "nobody knows"),
    )
    return replace(snapshot_view, **fields)


def audited(**audit: Any) -> Snapshot:
    """Return a measured snapshot of one figure, by an audit that says this."""
    own_data = OWN_DATA | {"kind": "measured", "trust": "recomputed", "conditions": CONDITIONS}
    document: Json = card() | own_data | {"audit": audit_record("inconclusive") | audit}
    figures = {
        "n": 30,
        "gamma": {"a_to_b": {"mean": 1.1, "ci95": [1.0, 1.2]}},
        "control": {"method": "simulated"},
    }
    return Snapshot.parse(document, figures)


def test_reading_r77_the_words_of_a_snapshot(golden: Golden) -> None:
    withdrawn = event("withdrawn", "2026-03-01", reason="a cache")
    warned = audited(p_value=0.034, findings=[{"problem": "few seeds"}, {"problem": "ties"}])
    failed = audited(verdict="no_verdicts_counted")
    other_snapshot = measured(
        "v1.1-Judge-1", low=1.5, high=1.7, conditions=CONDITIONS | {"rounds": 31}
    )
    cases = {
        "reported and withdrawn": snapshot_text(
            shown(snapshot(last="2026-01-02"), events=(withdrawn,))
        ),
        "measured": snapshot_text(shown(warned), ["text to visual: nothing"]),
        "failed": snapshot_text(shown(failed)),
        "recorded by others": snapshot_text(shown(observed(settings=("J/1",)))),
        "two side by side": difference_text(compare_snapshots(measured(), other_snapshot)),
        "two alike": difference_text(compare_snapshots(measured(), measured("v1.1-Judge-1"))),
    }

    golden("snapshot", cases)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "maker/m"),
        ({"platform": None}, "embedded/m"),
        ({"platform": "unknown", "gateway": "g", "proxy": True}, "m on an unknown platform"),
        ({"gateway": "g"}, "maker/m through g"),
        ({"gateway": "g", "proxy": True}, "maker/m through g, a third party's gateway"),
    ],
)
def test_who_was_asked_is_said_with_where_and_through_whom(given: Json, words: str) -> None:
    model: Json = {"model": "m", "platform": "maker", "gateway": None, "proxy": False} | given

    assert model_in_words(Identity(**model)) == words
    assert model_in_words(None) == "none"


RETIRED = Expiry(
    id="j", status="expired", reason="retired", since=AS_OF, until=AS_OF, as_of=AS_OF, note="gone"
)


def test_a_page_has_the_state_what_was_asked_the_faults_and_the_events() -> None:
    asked = {"asked": {"model": "j@1", "endpoint": "https://a.example"}, "weights": "sha256:0"}
    evaluator = card()["evaluator"] | asked
    fault = {"id": "no-spread", "says": "No spread was published."}
    of = Snapshot.parse(card() | {"evaluator": evaluator, "known_faults": [fault]}, FIGURES)

    page = snapshot_text(shown(of, expiry=RETIRED)).splitlines()

    assert page[1:5] == [
        "  state      expired, retired: gone",
        "  evaluator  maker/judge-1",
        "  asked as   j@1 at https://a.example",
        "  weights    sha256:0, as the contributor states",
    ]
    known = page.index("  known faults")
    assert page[known + 1 :] == [
        *("    no-spread: No spread was published.", "", "  events"),
        "    2026-02-01  published",
    ]


def test_what_the_newest_rule_says_stands_before_what_was_published() -> None:
    before = audited(p_value=0.034, findings=[{"problem": "ties"}])
    assert before.audit_published
    anew = replace(before.audit_published, rule=2, p_value=None, findings=())
    both_snapshot_views = shown(replace(before, audited_anew=anew))

    page = snapshot_text(both_snapshot_views, ["to visual: nothing"]).splitlines()

    start = page.index("  executor   none") + 2
    assert page[start : start + 4] == [
        "  audit      inconclusive (rule 2); quality: not measured; the control is simulated",
        "             to visual: nothing",
        "             published as inconclusive (rule 1, 2026-11-22)",
        "",
    ]
    document = both_snapshot_views.as_json()
    assert (document["audit"]["rule"], document["audit_published"]["p_value"]) == (2, 0.034)
    alone = shown(before).as_json()
    assert "audit_published" not in alone
    assert alone["trust"] == "recomputed"
    assert alone["failed"] is False
    assert alone["epc_5_2"] == {"gamma/a_to_b": "substantial, within coin-flip range"}


def test_of_a_judge_a_page_says_how_much_it_judged_and_what_to_beware_of() -> None:
    totals = {
        "cross_judge": {"samples": 20, "valid": 10, "invalid": 2, "flags": {"ties": 3, "cut": 0}},
        "never": {"samples": 0, "valid": 0, "invalid": 0, "flags": {}},
    }
    tested = {"word": "tells_apart", "pairs": 9, "at_floor": 1, "detected": {"hits": 6}}
    labels = {"labelled": 5, "same_verdict": {"hits": 4}}
    beside = {"totals": totals, "competence": tested, "labels": labels, "remarks": ["a", "b"]}
    first_snapshot = judged()

    def lines(**fields: Any) -> list[str]:
        figures = {**first_snapshot.figures, **beside, **fields}
        page = snapshot_text(shown(replace(first_snapshot, figures=figures))).splitlines()
        return page[2 : page.index("")]

    assert lines() == [
        "  judge      maker/judge-1",
        "  judged     2026-01-01, N = 20, by a test",
        "  totals     cross_judge: 10 valid, 2 invalid, ties 3, cut 0",
        "  competence tells apart: scored 6 of 8 spoilt texts below their outputs",
        "  people     says the same of 4 of 5 outputs",
        *("  beware     a", "  beware     b"),
    ]
    assert lines(competence=None, remarks=[], labels={"labelled": 0, "same_verdict": None})[3:] == [
        "  people     says the same of 0 of 0 outputs"
    ]


def test_of_verdicts_of_others_a_page_says_how_anybody_makes_them_again() -> None:
    recipe = {"shape": "s", "columns": {}, "labels": {}, "judge": "J", "sha256": "1" * 64}
    page = snapshot_text(shown(observed(settings=("J/1",), recipe=recipe, kept=True))).splitlines()

    assert page[6] == "  verdicts   in the store"
    assert page[7].endswith(", of J alone")
    assert page[8:10] == [
        f"             SHA-256 of its lines {'1' * 64}",
        "             epc snapshot recompute v1.0-Judge-1 --source CLONE",
    ]


def test_a_failed_run_is_no_other_measurement_s_difference() -> None:
    failed = audited(verdict="no_verdicts_counted")

    lines = difference_text(compare_snapshots(failed, measured())).splitlines()

    why = "no verdict was counted in most seeds, so that its gamma is no measurement"
    assert f"v1.0-Judge-1 is a failed run: {why}" in lines
    assert lines[-1].startswith("  gamma/a_to_b   1.100   1.100  a failed run; ")
    assert difference_text(compare_snapshots(measured(), judged())).endswith(
        "\nno figure is in both"
    )


def test_a_difference_that_rounds_to_zero_has_no_minus() -> None:
    lines = difference_text(compare_snapshots(measured(low=1.0), measured(low=0.9999))).splitlines()

    assert lines[-1].startswith("  gamma/b_to_a   1.100   1.100  +0.000")


def test_a_long_name_of_a_figure_is_apart_from_its_numbers() -> None:
    long = "transfer/these_tasks/regret/text_to_visual"
    figures = {"gamma/a_to_b": (-0.5, 1.5), long: (0.25, 0.125)}

    def operand(place: int) -> Operand:
        means = {name: pair[place] for name, pair in figures.items()}
        stated_figures = {n: Figure(name=n, mean=mean, interval=None) for n, mean in means.items()}
        return Operand(name="one", snapshot=measured(), conditions={}, figures=stated_figures)

    lines = difference_text(Comparison(left=operand(0), right=operand(1))).splitlines()

    assert lines == [
        "like for like",
        f"  gamma/a_to_b{' ' * 30}  -0.500   1.500  +2.000",
        f"  {long}   0.250   0.125  -0.125",
    ]


def row(place: str, figures: Json, *faults: str) -> ReferenceRow:
    fields = card() | {"known_faults": [{"id": "f", "says": says} for says in faults]}
    cells = tuple(f"{place[6]}{n}" for n in range(5 if place[6] != "2" else 4))
    return ReferenceRow(
        place=place, cells=cells, snapshot=Snapshot.parse(fields, figures), state=RETIRED
    )


def test_the_reference_snapshot_is_told_by_table_and_faults_by_row() -> None:
    plain: Json = {"n": 8, "ece": {"mean": 0.1, "ci95": None}}
    rows = [
        row("Table 1, row 2", FIGURES, "misread"),
        row("Table 2, row 1", plain, "no spread"),
        row("Table 3, row 10", plain, "misread", "no spread"),
    ]

    parts = reference_text(rows).split("\n\n")

    tables = [[re.split("  +", line.strip()) for line in p.splitlines()] for p in parts[2:5]]
    tail = ["v1.0-Judge-1", "expired since 2026-04-01 (retired)"]
    assert [t[-1] for t in tables] == [
        ["10", "11", "12", "13", "14", "substantial, within coin-flip range", *tail],
        ["20", "21", "22", "23", *tail],
        ["30", "31", "32", "33", "34", *tail],
    ]
    assert [t[1][-3:] for t in tables] == [
        ["by EPC-5.2", "snapshot", "state"],
        ["JSD there, and back", "snapshot", "state"],
        ["Brier", "snapshot", "state"],
    ]
    assert parts[0] == "Reference Snapshot v1.0 (arXiv:2607.00297, section 3)"
    assert parts[5].splitlines() == [
        "Known faults, by table and row",
        *("  1.2, 3.10: misread", "  2.1, 3.10: no spread"),
    ]
    assert [(r.table, r.as_json()["epc_5_2"]) for r in rows[::2]] == [
        ("Table 1", "substantial, within coin-flip range"),
        ("Table 3", None),
    ]


def test_the_rows_of_the_reference_snapshot_are_the_papers_in_its_order(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    works = {"v1.0-Judge-1": ("arXiv:2607.00297v2", "Table 2, row 1", "a | N = 8 | gamma 1.1")}
    works["v1.1-Judge-1"] = ("arXiv:2607.00297", "Table 1, row 3", "N = 8 of 9 | PCI 2 | no PCI 3")
    works["v1.2-Judge-1"] = ("another work", "Table 1, row 1", "b")
    for tag, (work, place, printed) in works.items():
        citation = {"work": work, "place": place, "address": "a", "as_printed": printed}
        checkout.publish(tag, citation=citation)

    registry = of_folder(tmp_path)
    rows = reference_rows(registry, snapshot_states(registry, AS_OF))

    assert [(str(r.snapshot.tag), r.short, r.cells) for r in rows] == [
        ("v1.1-Judge-1", "1.3", ("8 of 9", "2", "no PCI 3")),
        ("v1.0-Judge-1", "2.1", ("a", "8", "1.1")),
    ]
