"""One snapshot as a page for people."""

from dataclasses import replace
from datetime import date
from typing import Any

from golden_support import Golden
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


def test_reading_r77_the_words_of_a_snapshot(golden: Golden) -> None:
    withdrawn = event("withdrawn", "2026-03-01", reason="a cache")
    warned = audited(p_value=0.034, findings=[{"problem": "few seeds"}, {"problem": "ties"}])
    failed = audited(verdict="no_verdicts_counted")
    other = measured("v1.1-Judge-1", low=1.5, high=1.7, conditions=CONDITIONS | {"rounds": 31})
    cases = {
        "reported and withdrawn": shown_text(
            shown(snapshot(last="2026-01-02"), events=(withdrawn,))
        ),
        "measured": shown_text(shown(warned), ["text to visual: nothing"]),
        "failed": shown_text(shown(failed)),
        "recorded by others": shown_text(shown(observed(settings=("J/1",)))),
        "two side by side": difference_text(difference(measured(), other)),
        "two alike": difference_text(difference(measured(), measured("v1.1-Judge-1"))),
    }

    golden("snapshot", cases)
