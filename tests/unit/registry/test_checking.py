from pathlib import Path

import pytest
from registry_support import Checkout, generation_record, life_record, stated

from epc.errors import MalformedError
from epc.registry.checking import check

EARLY, LATE = stated("2026-01-01"), stated("2026-12-01")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_sound_registry_has_no_findings(checkout: Checkout) -> None:
    life = life_record(model="m", released=EARLY, deprecated=EARLY, retires=LATE)
    checkout.evaluator(generation_record("Sound-1", life))

    assert check(checkout.folder) == []


@pytest.mark.parametrize(
    ("life", "where"),
    [
        ({"retires": stated("soon")}, "/platforms/0/retires"),
        ({"retires": {"date": "2026-01-01"}}, "/platforms/0/retires"),
        ({"retires": stated("2026-01-01", "certain")}, "/platforms/0/retires"),
        ({"platform": "No Such"}, "/platforms/0/platform"),
        ({"released": LATE, "retires": EARLY}, "/platforms/0/retires"),
        ({"retires": stated("2026-02-31")}, "/platforms/0/retires/date"),
        ({"retires": stated("0000-01-01")}, "/platforms/0/retires/date"),
        ({"retires": stated("2026-03-01") | {"seen": "2025-02-29"}}, "/platforms/0/retires/seen"),
        ({"released": LATE, "deprecated": EARLY}, "/platforms/0/deprecated"),
        ({"deprecated": LATE, "retires": EARLY}, "/platforms/0/retires"),
        (
            {"retires": stated("2026-01-01", source="javascript:alert(1)")},
            "/platforms/0/retires",
        ),
        ({"retires": stated("2026-01-01", source=" JavaScript :x")}, "/platforms/0/retires"),
        (
            {"retires": stated("2026-01-01", source="data:text/html,x")},
            "/platforms/0/retires",
        ),
    ],
)
def test_a_life_that_cannot_be_is_found_at_its_place(
    checkout: Checkout, life: dict[str, object], where: str
) -> None:
    checkout.evaluator(generation_record("Bad-1", life_record(model="m", **life)))

    places = [finding.where for finding in check(checkout.folder)]
    assert places
    assert all(p == f"snapshots/evaluators/Bad-1.json{where}" for p in places)


def test_a_file_is_called_as_its_generation(checkout: Checkout) -> None:
    (checkout.home / "evaluators" / "Judge-1.json").rename(
        checkout.home / "evaluators" / "Judge-2.json"
    )

    (finding,) = check(checkout.folder)
    assert finding.where.endswith("Judge-2.json/generation")


def test_a_model_has_one_record_a_platform(checkout: Checkout) -> None:
    checkout.evaluator(generation_record("Twin-1"))

    (finding,) = check(checkout.folder)
    assert "maker/judge-1 has 2 records" in finding.problem


@pytest.mark.parametrize(
    "policy",
    [
        "",
        "expiry: 3",
        "expiry: {notice_days: 1}",
        "[",
        "expiry: {maximum_age_days: -1, notice_days: 1}",
    ],
)
def test_a_registry_without_a_policy_is_refused(checkout: Checkout, policy: str) -> None:
    (checkout.folder / "params.yaml").write_text(policy)

    with pytest.raises(MalformedError, match=r"params\.yaml"):
        check(checkout.folder)


def pointing(*targets: tuple[str, str | None]) -> list[dict[str, object]]:
    return [{"to": to, "since": since, "source": "s", "seen": None} for to, since in targets]


@pytest.mark.parametrize(
    ("targets", "problem"),
    [
        (pointing(("judge-1", None), ("judge-2", "2026-01-01")), ""),
        (pointing(("gone", "2025-01-01"), ("judge-1", "2026-01-01")), ""),
        (pointing(("judge-2", "2026-01-01"), ("judge-1", None)), "only of the first target"),
        (pointing(("judge-2", "2026-01-01"), ("judge-1", "2026-01-01")), "the days are"),
        (pointing(("judge-1", None), ("gone", "2026-01-01")), "there is no record of maker/gone"),
        (pointing(("judge", None)), "maker/judge is an alias itself"),
        (pointing(("judge-1", "2026-02-31")), "there is no day 2026-02-31"),
        ([], "has less than 1 item"),
    ],
)
def test_reading_r54_an_alias_has_targets_in_order_and_the_present_one_a_record(
    checkout: Checkout, targets: list[dict[str, object]], problem: str
) -> None:
    checkout.evaluator(generation_record("Judge-2", life_record(model="judge-2")))
    checkout.evaluator(generation_record("judge", life_record(model="judge", points_to=targets)))

    found = check(checkout.folder)

    assert bool(found) == bool(problem)
    assert all("points_to" in finding.where for finding in found)
    assert problem in "".join(finding.problem for finding in found)
