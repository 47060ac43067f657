"""The word of today's rule for what was published under an older one, and the older one again."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from registry_support import ROOT

from epc.records.manifest import Manifest
from epc.registry.fetching import restore
from epc.registry.figures import figures_of
from epc.registry.kinds.measured import _OF_A_RULE, _differing, recompute
from epc.registry.reading import of_folder
from epc.registry.recomputing import anew, audits
from epc.registry.record import AuditSummary

OPPOSED = "v1.0-Scripted-Opposed"
COIN = "v1.0-CoinFlip"


def manifest_of(tag: str) -> Manifest:
    path = ROOT / "snapshots" / tag / "manifest.json"
    return Manifest.parse(json.loads(path.read_bytes()))


def published_audit(tag: str) -> AuditSummary:
    audit = of_folder(ROOT).snapshots[tag].audit_published
    assert audit is not None
    return audit


@cache
def now_of(tag: str) -> AuditSummary:
    return anew(manifest_of(tag), published_audit(tag))


def test_what_is_kept_is_what_todays_rule_says_of_a_published_manifest() -> None:
    """Of all of them `make reproduce` says it, in CI."""
    kept_document = json.loads((ROOT / "snapshots" / "audits.json").read_bytes())
    registry = of_folder(ROOT)
    published = {tag: s.audit_published for tag, s in registry.snapshots.items()}
    first_registry = replace(registry, snapshots={OPPOSED: registry.snapshots[OPPOSED]})

    assert audits(ROOT, first_registry) == {OPPOSED: kept_document[OPPOSED]}
    assert {
        tag for tag, audit in published.items() if audit and audit.rule < 3
    } == kept_document.keys()
    assert {audit["rule"] for audit in kept_document.values()} == {4}


def test_reading_r71_planted_opposite_preferences_are_coupled_by_every_rule() -> None:
    now = now_of(OPPOSED)

    assert (now.rule, now.verdict, published_audit(OPPOSED).rule) == (4, "coupled", 1)
    assert now.transfer is not None
    assert all(into.regret > 0.3 for into in now.transfer.values())


def test_an_evaluator_that_cannot_judge_is_inconclusive_anew_as_its_questions_showed() -> None:
    """What the audit itself asked stands in no manifest, only on the card."""
    tag = "v1.2-SmolLM2-135M-Likelihood"
    asked = {"word": "incapable", "overall": {"accuracy": {"mean": 0.5}, "pairs": 48}}

    assert now_of(tag).verdict == "no_detectable_coupling"
    assert (
        anew(manifest_of(tag), replace(published_audit(tag), competence=asked)).verdict
        == "inconclusive"
    )


@pytest.mark.parametrize("tag", [OPPOSED, "v1.0-CoinFlip", "v1.2-MiniLM-L6-Relevance"])
def test_reading_r71_what_no_rule_decides_of_an_audit_is_as_published(tag: str) -> None:
    audit_summary, now = published_audit(tag), now_of(tag)

    assert (now.rule, audit_summary.rule) in {(4, 1), (4, 2)}
    assert set(_differing(now, audit_summary)) <= {*_OF_A_RULE}


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({"verdict": "collapsed", "p_value": 0.5}, []),
        ({"position_bias": {"swap": None}}, ["/snapshot.json/audit/position_bias"]),
    ],
)
def test_reading_r71_a_word_of_an_earlier_rule_is_left_to_the_digest_of_its_card(
    tmp_path: Path, change: dict[str, Any], places: list[str]
) -> None:
    snapshot = of_folder(ROOT).snapshots[COIN]
    assert snapshot.card.audit
    edited = replace(
        snapshot, card=replace(snapshot.card, audit=replace(snapshot.card.audit, **change))
    )
    restore(snapshot.tag, tmp_path, location=str(ROOT), seal=of_folder(ROOT).seal(COIN) or "")

    assert recompute(tmp_path, edited, None) == (places, [])


def test_reading_r8_a_failed_run_prints_nothing_of_what_crosses() -> None:
    """A few of its seeds may have counted a verdict, so that there are figures."""
    now = now_of(OPPOSED)
    failed = replace(now, verdict="no_verdicts_counted")
    snapshot = replace(of_folder(ROOT).snapshots[OPPOSED], audited_anew=failed)

    assert set(now.crossing) == {"text_to_visual", "visual_to_text"}
    assert not failed.crossing
    assert not [f.name for f in figures_of(snapshot) if f.name.startswith("transfer/")]


def test_figures_of_what_crosses_stand_beside_those_that_were_published() -> None:
    named = {figure.name: figure for figure in figures_of(of_folder(ROOT).snapshots[OPPOSED])}

    regret = named["transfer/regret/text_to_visual"]
    seen = named["transfer/these_tasks/regret/text_to_visual"]
    assert regret.interval is not None
    assert regret.interval[0] <= regret.mean <= regret.interval[1]
    assert seen.interval != regret.interval
    assert named["transfer/chance/text_to_visual"].interval is None
    assert named["gamma/text_to_visual"].mean == pytest.approx(0.887, abs=0.001)
