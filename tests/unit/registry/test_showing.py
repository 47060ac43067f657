"""One snapshot as a page for people, worked out by hand."""

from dataclasses import replace
from datetime import date
from typing import Any

from registry_support import (
    CONDITIONS,
    OWN_DATA,
    Json,
    audit_record,
    card,
    event,
    measured,
    observed,
    snapshot,
)

from epc.registry.expiry import unknown
from epc.registry.figures import difference
from epc.registry.showing import Shown, difference_text, shown_text
from epc.registry.snapshots import Snapshot

AS_OF = date(2026, 4, 1)
STATE = "  state      unknown: nobody knows"
HEAD = "  figures, with 95% intervals where the numbers allow one"


def shown(of: Snapshot, **given: Any) -> Shown:
    told = Shown(
        snapshot=of,
        trust=of.card.trust,
        events=(event("published", "2026-02-01", sha256="0" * 64),),
        expiry=unknown(str(of.tag), AS_OF, "nobody knows"),
    )
    return replace(told, **given)


def audited(**audit: Any) -> Snapshot:
    """Return a measured snapshot of one figure, by an audit that says this."""
    own = OWN_DATA | {"kind": "measured", "trust": "recomputed", "conditions": CONDITIONS}
    told: Json = card() | own | {"audit": audit_record("inconclusive") | audit}
    figures = {
        "n": 30,
        "gamma": {"a_to_b": {"mean": 1.1, "ci95": [1.0, 1.2]}},
        "control": {"method": "simulated"},
    }
    return Snapshot.parse(told, figures)


def test_a_reported_snapshot_s_page_has_its_source_its_figures_and_its_events() -> None:
    told = event("withdrawn", "2026-03-01", reason="a cache")

    page = shown_text(shown(snapshot(last="2026-01-02"), events=(told,)))

    assert page.splitlines() == [
        "v1.0-Judge-1  reported  EPC-v1.0",
        STATE,
        "  evaluator  maker/judge-1",
        "  executor   none",
        "  measured   2026-01-01 to 2026-01-02, N = 8, by a test",
        "  source     w",
        "             p",
        "             a",
        "",
        HEAD,
        "    gamma/text_to_visual  1.100 (no interval)  substantial, within coin-flip range",
        "",
        "  events",
        "    2026-03-01  withdrawn  a cache",
    ]


def test_a_measured_snapshot_s_page_has_what_its_audit_says_and_warns_of() -> None:
    of = audited(p_value=0.034, findings=[{"problem": "few seeds"}, {"problem": "ties"}])

    lines = shown_text(shown(of), ["text to visual: nothing"]).splitlines()

    assert lines[0] == "v1.0-Judge-1  measured, recomputed  EPC-v1.0"
    assert lines[4] == "  measured   2026-01-01, N = 30, by a test"
    assert lines[5:9] == [
        "  audit      inconclusive (rule 1), p = 0.034; the control is simulated",
        "             text to visual: nothing",
        "             few seeds",
        "             ties",
    ]
    assert "    gamma/a_to_b  1.100 [1.000, 1.200]  substantial, within coin-flip range" in lines


def test_reading_r8_a_failed_run_is_marked_before_all_else() -> None:
    lines = shown_text(shown(audited(verdict="no_verdicts_counted"))).splitlines()

    assert lines[1].startswith("  FAILED     ")
    assert lines[2] == STATE


def test_reading_r77_recorded_verdicts_have_a_source_and_no_day_that_it_does_not_state() -> None:
    lines = shown_text(shown(observed(settings=("J/1",)))).splitlines()

    assert lines[2:8] == [
        "  judge      maker/judge-1, J in the source",
        "  recorded   by others, unknown; 8 verdicts, published by a test",
        "  source     Source, https://source.example/verdicts",
        f"             commit {'a' * 40}, licence CC-BY-4.0",
        "  verdicts   with their source alone, as its licence has it",
        "",
    ]


def test_two_snapshots_side_by_side_show_each_condition_and_each_figure_of_both() -> None:
    other = measured("v1.1-Judge-1", low=1.5, high=1.7, conditions=CONDITIONS | {"rounds": 31})
    within = "substantial, within coin-flip range"

    assert difference_text(difference(measured(), other)).splitlines() == [
        "NOT like for like; these differ:",
        "  rounds",
        "    a  30",
        "    b  31",
        f"  gamma/a_to_b{' ' * 24}1.100  1.600  +0.500  {within}; {within}",
        f"  gamma/b_to_a{' ' * 24}1.100  1.600  +0.500  {within}; {within}",
    ]
    alike = difference_text(difference(measured(), measured("v1.1-Judge-1"))).splitlines()
    assert alike[0] == "like for like"
