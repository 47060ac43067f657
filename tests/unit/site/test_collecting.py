"""Standings of pages: the states that a browser finds on later days."""

import json
from datetime import date
from pathlib import Path

import pytest
from registry_support import ROOT, date_claim, day, generation_record, life_record
from site_support import real_site, with_documents

from epc.site.collecting import collect
from epc.site.pages import Standing


def standing(folder: Path, as_of: str, **life: object) -> Standing:
    checkout = with_documents(folder)
    checkout.evaluator(generation_record("Judge-1", life_record(**life)))
    checkout.publish()
    (page,) = collect(checkout.folder, as_of=day(as_of), address="").snapshots
    return page.row.standing


def statuses(found: Standing) -> dict[str, str]:
    return {day.isoformat(): state.status for day, state in found.turns}


def test_the_reason_of_an_end_is_known_before_it_has_come(tmp_path: Path) -> None:
    snapshot_status = standing(tmp_path, "2026-02-10", retires=date_claim("2026-05-01"))

    assert (snapshot_status.state.status, snapshot_status.state.reason) == ("current", None)
    assert (snapshot_status.state.until, snapshot_status.end_reason) == (
        date(2026, 5, 1),
        "retired",
    )


def test_the_graver_of_two_ends_that_come_is_the_earlier_one(tmp_path: Path) -> None:
    """Measured on 1 January, it is stale on 30 June; it retires a day later."""
    snapshot_status = standing(tmp_path, "2026-02-10", retires=date_claim("2026-07-01"))

    assert (snapshot_status.state.until, snapshot_status.end_reason) == (date(2026, 6, 30), "stale")


def test_reading_r98_from_a_day_not_before_which_it_ends_nobody_confirms(tmp_path: Path) -> None:
    checkout = with_documents(tmp_path)
    life = life_record(retires=date_claim("2026-05-01", "not_before"))
    checkout.evaluator(generation_record("Judge-1", life))
    checkout.publish()
    site = collect(checkout.folder, as_of=day("2026-02-10"), address="")
    service, figure = site.evaluators[0].platforms[0].standing, site.snapshots[0].row.standing

    assert service.state.not_before == date(2026, 5, 1)
    assert statuses(service) == {"2026-02-10": "current", "2026-05-01": "unconfirmed"}
    # That nobody confirms its service ends no figure: it is 180 days old on 30 June.
    assert statuses(figure) == {
        "2026-02-10": "current",
        "2026-05-01": "expiring",
        "2026-06-30": "expired",
    }


@pytest.mark.slow
def test_a_measured_gamma_stands_on_its_own_noise_floor_as_its_manifest_has_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    pages = real_site(tmp_path_factory).snapshots
    measured = [page for page in pages if page.row.snapshot.kind == "measured"]

    assert measured
    for page in measured:
        path = ROOT / "snapshots" / page.row.tag / "manifest.json"
        floors = json.loads(path.read_text())["results"]["summary"]["control"]["noise_floor"]
        for direction in page.row.directions:
            floor, noise = floors[direction.name], direction.noise
            assert noise is not None, page.row.tag
            assert (noise.mean, noise.low, noise.high) == (
                floor["mean"],
                floor["q025"],
                floor["q975"],
            )


def test_weights_that_are_pinned_cannot_be_in_doubt(tmp_path: Path) -> None:
    retires = date_claim("2026-05-01", "not_before")
    snapshot_status = standing(tmp_path, "2026-02-10", retires=retires, pinned=True)

    assert snapshot_status.state.not_before is None
    assert statuses(snapshot_status) == {"2026-02-10": "current"}


def test_on_every_day_the_last_state_that_has_begun_is_the_registrys(tmp_path: Path) -> None:
    """Every day of half a year."""
    for name, kind in (("one", "exact"), ("two", "not_before")):
        built = standing(tmp_path / name, "2026-02-10", retires=date_claim("2026-05-01", kind))
        checkout = with_documents(tmp_path / f"{name}-again")
        life = life_record(retires=date_claim("2026-05-01", kind))
        checkout.evaluator(generation_record("Judge-1", life))
        checkout.publish()
        for number in range(200):
            today = date.fromordinal(date(2026, 2, 10).toordinal() + number)
            (page,) = collect(checkout.folder, as_of=today, address="").snapshots
            *_, (_, state) = (turn for turn in built.turns if turn[0] <= today)
            assert page.row.standing.state.status == state.status, (name, today)
