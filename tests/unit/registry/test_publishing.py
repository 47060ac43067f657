"""What DVC shows of the registry: the published figures, and what became of them."""

from pathlib import Path

from registry_support import ROOT, Checkout, audit_record, card, generation_record, judged, measured

from epc.protocol.results import Json
from epc.records.typed import as_json
from epc.registry.publishing import gammas, headline, write_headlines
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.writing import RegistryLock

TAG = "v1.0-Judge-1"


def registry(snapshot: Snapshot, *events: str) -> Registry:
    told = [
        {"date": "2026-02-01", "event": name, "tag": TAG, "sha256": "0" * 64, "reason": "r"}
        for name in ("published", *events)
    ]
    return Registry.from_document(
        {
            "evaluators": [generation_record()],
            "snapshots": [{"card": as_json(snapshot.card), "figures": snapshot.figures}],
            "events": told,
            "policy": {"maximum_age_days": 180, "notice_days": 60},
        }
    )


def audited(**fields: Json) -> Snapshot:
    """Return a measured snapshot with an audit, a control and a figure too many."""
    whole_snapshot = measured(low=1.0, high=1.5)
    floor = {"mean": 1.1, "q025": 0.5, "q975": 1.75}
    control = {
        "excess": {"a_to_b": {"mean": 0.125, "ci95": [0.0, 0.25]}},
        "noise_floor": {"a_to_b": floor},
    }
    figures = whole_snapshot.figures | {"control": control, "tie_rate": {"mean": 0.5, "ci95": None}}
    return Snapshot.parse(as_json(whole_snapshot.card) | fields, figures)


def test_a_measured_headline_has_the_larger_gamma_and_whether_it_stands() -> None:
    whole_report = audited()
    figures = whole_report.figures | {
        "gamma": {"a_to_b": {"mean": 1.2504}, "b_to_a": {"mean": 1.1}}
    }
    snapshot = Snapshot.parse(as_json(whole_report.card), figures)

    assert headline(registry(snapshot), TAG) == {"n": 30, "stands": True, "gamma": 1.25}


def test_reading_r8_a_failed_run_has_no_gamma_to_show() -> None:
    failed = audited(audit=audit_record("no_verdicts_counted"))

    assert headline(registry(failed), TAG) == {"n": 30, "stands": True}


def test_a_judged_headline_has_its_share_and_no_gamma() -> None:
    actual_registry = registry(judged(share=0.25))

    assert headline(actual_registry, TAG) == {"n": 20, "stands": True, "share": 0.25}
    assert list(gammas(actual_registry)) == []


def test_a_figure_that_an_event_ended_stands_no_more_whatever_came_after() -> None:
    assert not headline(registry(audited(), "withdrawn", "superseded"), TAG)["stands"]
    assert not headline(registry(audited(), "superseded"), TAG)["stands"]


def test_a_row_of_the_plot_has_its_interval_and_its_floor_where_there_is_one() -> None:
    first, second = gammas(registry(audited()))

    assert first == {
        "snapshot": TAG,
        "direction": "a to b",
        "kind": "measured",
        "audit": "inconclusive",
        "rule": 1,
        "faults": 0,
        "event": "published",
        "gamma": 1.25,
        "low": 1.0,
        "high": 1.5,
        "floor_low": 0.5,
        "floor_high": 1.75,
    }
    assert (second["floor_low"], second["floor_high"]) == (None, None)


def test_a_mock_is_called_a_calibration() -> None:
    figures = {"n": 1, "gamma": {"a_to_b": {"mean": 1.0, "ci95": None}}}
    (row,) = gammas(registry(Snapshot.parse(card() | {"calibration": True}, figures)))

    assert row["kind"] == "calibration"


def test_files_that_are_right_are_left_alone(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.publish()
    write_headlines(RegistryLock(checkout=tmp_path))
    paths = [checkout.home / "gammas.json", checkout.home / "dvc" / f"{TAG}.json"]
    before = [path.stat().st_ino for path in paths]

    write_headlines(RegistryLock(checkout=tmp_path))
    assert [path.stat().st_ino for path in paths] == before

    paths[1].write_text("{}\n")
    write_headlines(RegistryLock(checkout=tmp_path))
    assert '"gamma": 1.1' in paths[1].read_text()


def test_a_mean_that_rounds_to_nothing_has_no_sign_in_dvc() -> None:
    metrics = sorted((ROOT / "snapshots" / "dvc").glob("*.json"))

    assert len(metrics) > 90
    for path in metrics:
        assert "-0.0," not in path.read_text("utf-8"), path.name
