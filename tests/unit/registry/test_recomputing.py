"""What came of recomputing: whether every figure came out as it was published."""

from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from registry_support import Checkout, observed_card, observed_figures

from epc.errors import UsageError
from epc.records.checkout import ROOT
from epc.registry.kinds.measured import _differing
from epc.registry.reading import of_folder
from epc.registry.recomputing import (
    SnapshotRecomputation,
    passed_over,
    rebuildable,
    recomputable,
    recompute,
)
from epc.registry.record import AuditSummary
from epc.registry.tags import Tag


@pytest.mark.parametrize(
    ("changed", "problems", "ok"),
    [
        ([], [], True),
        (["/summary/gamma"], [], False),
        ([], ["a file is missing"], False),
        (["/summary/gamma"], ["a file is missing"], False),
    ],
)
def test_a_snapshot_came_out_as_published_where_nothing_changed_and_nothing_was_in_the_way(
    changed: list[str], problems: list[str], *, ok: bool
) -> None:
    repeated_snapshot_recomputation = SnapshotRecomputation(
        tag="v1.0-Judge-1", changed=changed, problems=problems
    )

    assert repeated_snapshot_recomputation.ok is ok
    assert repeated_snapshot_recomputation.as_json() == {
        "tag": "v1.0-Judge-1",
        "changed": changed,
        "problems": problems,
        "ok": ok,
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Return a registry of a reported snapshot, of kept verdicts, and of verdicts elsewhere."""
    checkout = Checkout(tmp_path / "registry")
    checkout.publish("v1.0-Judge-1")
    for number, kept in ((1, True), (2, False)):
        card = observed_card(f"v1.{number}-Judge-1", kept=kept, licence="unknown")
        checkout.publish(card.pop("tag"), figures=observed_figures("J/1"), **card)
    return checkout


def test_all_that_has_raw_files_is_recomputed_where_nothing_is_named(checkout: Checkout) -> None:
    registry = of_folder(checkout.folder)

    assert recomputable(registry, []) == [Tag.parse("v1.1-Judge-1")]
    assert recomputable(registry, ["v1.1-Judge-1"]) == [Tag.parse("v1.1-Judge-1")]


def test_what_is_passed_over_is_counted_with_its_reasons(checkout: Checkout) -> None:
    assert passed_over(of_folder(checkout.folder)) == (
        "not recomputed: 2 of 3, for 1 were printed without trials and the verdicts of 1 stay with "
        "their source"
    )


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("v1.0-Judge-1", "v1.0-Judge-1 is a reported snapshot"),
        ("v1.2-Judge-1", "v1.2-Judge-1 keeps no verdicts here: their licence is unknown"),
    ],
)
def test_a_named_snapshot_without_raw_files_is_refused_and_says_why(
    checkout: Checkout, tag: str, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        recomputable(of_folder(checkout.folder), ["v1.1-Judge-1", tag])


def test_verdicts_are_made_again_from_a_source_only_by_their_recipe(checkout: Checkout) -> None:
    registry = of_folder(checkout.folder)

    with pytest.raises(UsageError, match="name the snapshots of its verdicts"):
        rebuildable(registry, [])
    with pytest.raises(UsageError, match=r"v1\.2-Judge-1 has no recipe"):
        rebuildable(registry, ["v1.2-Judge-1"])


def test_what_stands_in_the_way_is_said_of_its_snapshot_and_stops_no_other(
    checkout: Checkout,
) -> None:
    """Neither has the files that its card speaks of."""
    tags = [Tag.parse("v1.1-Judge-1"), Tag.parse("v1.2-Judge-1")]

    snapshot_recomputations = list(recompute(checkout.folder, of_folder(checkout.folder), tags))

    assert [
        repeated_snapshot_recomputation.tag
        for repeated_snapshot_recomputation in snapshot_recomputations
    ] == ["v1.1-Judge-1", "v1.2-Judge-1"]
    assert not any(
        repeated_snapshot_recomputation.ok
        for repeated_snapshot_recomputation in snapshot_recomputations
    )
    assert all(
        repeated_snapshot_recomputation.problems
        for repeated_snapshot_recomputation in snapshot_recomputations
    )


def test_what_an_audit_says_otherwise_now_is_named_but_for_its_findings() -> None:
    same_counts = dict.fromkeys((field.name for field in fields(AuditSummary)), "same")
    stated: Any = SimpleNamespace(**same_counts)
    again: Any = SimpleNamespace(**{**same_counts, "verdict": "coupled", "findings": "others"})

    assert _differing(again, stated) == ["verdict"]
    assert _differing(stated, stated) == []


def test_reading_r102_published_verdicts_keep_their_rule_and_a_changed_interval_is_found() -> None:
    registry, tag = of_folder(ROOT), Tag.parse("v1.0-gpt-5.4-nano")
    snapshot = registry.snapshots[str(tag)]
    (as_published,) = recompute(ROOT, registry, [tag])
    published, today = deepcopy(snapshot.published_figures), deepcopy(snapshot.figures)
    for figures in (published, today):
        figures["groups"][0]["figures"]["best/1"]["ci95"][0] += 1e-6
    registry.snapshots[str(tag)] = replace(snapshot, figures=today, published_figures=published)

    (changed,) = recompute(ROOT, registry, [tag])

    place = "groups/0/figures/best~11/ci95/0"
    assert snapshot.published_figures["rule"] == 2
    assert as_published.ok
    assert changed.changed == [
        f"/metrics.json/figures/{place}",
        f"/intervals.json/{tag}/{place}",
    ]


def test_reading_r102_one_figure_under_two_names_has_one_interval_today() -> None:
    snapshot = of_folder(ROOT).snapshots["v1.0-gpt-5.4-mini"]
    ends = {
        name: figures["groups"][0]["figures"][name]["ci95"]
        for figures in (snapshot.figures,)
        for name in ("accuracy", "pairs/1")
    }
    published = snapshot.published_figures["groups"][0]["figures"]["pairs/1"]["ci95"]

    assert ends["accuracy"] == pytest.approx([0.7900, 0.8158], abs=5e-5)
    assert ends["pairs/1"] == pytest.approx(ends["accuracy"], abs=1e-9)
    assert published == pytest.approx([0.7838, 0.8213], abs=5e-5)
