"""The newest seal of the lives of evaluators holds, whatever earlier ones stated."""

from datetime import date
from pathlib import Path

import pytest
from registry_support import Checkout, generation_record, life_record, stated

from epc.digests import file_sha256
from epc.records.findings import Findings
from epc.registry.locking import locked
from epc.registry.sealed_lives import check, latest, seal

PLACE = "snapshots/evaluators"
LIST = f"{PLACE}/SHA256SUMS"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def sealed(made: Checkout) -> str:
    with locked(made.folder, tell=print) as lock:
        return seal(lock, date(2026, 7, 10))


def found(made: Checkout, digest: str | None) -> list[tuple[str, str]]:
    findings = Findings()
    check(made.folder, digest, findings)
    return [(finding.where, finding.problem) for finding in findings.kept()]


def moved(made: Checkout, day: str) -> None:
    made.evaluator(generation_record("Judge-1", life_record(retires=stated(day))))


def test_the_newest_seal_is_the_one_that_holds(checkout: Checkout) -> None:
    seals = []
    for day in ("2026-08-01", "2026-09-01", "2026-10-01"):
        moved(checkout, day)
        assert sealed(checkout) == "sealed 1 records"
        seals.append(file_sha256(checkout.home / "evaluators" / "SHA256SUMS"))
        assert latest(checkout.folder) == seals[-1]

    assert len(set(seals)) == 3
    assert [event["sha256"] for event in checkout.events()] == seals
    assert found(checkout, seals[-1]) == []
    ((where, problem),) = found(checkout, seals[0])
    assert where == LIST
    assert problem == f"SHA-256 is {seals[2]}, sealed with {seals[0]}"


def test_a_list_of_digests_that_is_gone_is_named_with_every_record(checkout: Checkout) -> None:
    sealed(checkout)
    (checkout.home / "evaluators" / "SHA256SUMS").unlink()

    assert found(checkout, latest(checkout.folder)) == [
        (LIST, "is missing"),
        (f"{PLACE}/Judge-1.json", "is not sealed"),
    ]
