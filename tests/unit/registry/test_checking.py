from pathlib import Path

import pytest
from registry_support import Checkout, date_claim, generation_record, life_record

from epc.records.strict_json import dumps
from epc.registry.checking import check

EARLY, LATE = date_claim("2026-01-01"), date_claim("2026-12-01")


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
        ({"retires": date_claim("soon")}, "/platforms/0/retires"),
        ({"retires": {"date": "2026-01-01"}}, "/platforms/0/retires"),
        ({"retires": date_claim("2026-01-01", "certain")}, "/platforms/0/retires"),
        ({"platform": "No Such"}, "/platforms/0/platform"),
        ({"released": LATE, "retires": EARLY}, "/platforms/0/retires"),
        ({"retires": date_claim("2026-02-31")}, "/platforms/0/retires/date"),
        ({"retires": date_claim("0000-01-01")}, "/platforms/0/retires/date"),
        (
            {"retires": date_claim("2026-03-01") | {"seen": "2025-02-29"}},
            "/platforms/0/retires/seen",
        ),
        ({"released": LATE, "deprecated": EARLY}, "/platforms/0/deprecated"),
        ({"deprecated": LATE, "retires": EARLY}, "/platforms/0/retires"),
        (
            {"retires": date_claim("2026-01-01", source="javascript:alert(1)")},
            "/platforms/0/retires",
        ),
        ({"retires": date_claim("2026-01-01", source=" JavaScript :x")}, "/platforms/0/retires"),
        (
            {"retires": date_claim("2026-01-01", source="data:text/html,x")},
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


def test_a_model_has_one_record_a_platform(checkout: Checkout) -> None:
    checkout.evaluator(generation_record("Twin-1"))

    (finding,) = check(checkout.folder)
    assert "maker/judge-1 has 2 records" in finding.problem


WHERE = "snapshots/evaluators"


def checkout_findings(checkout: Checkout) -> list[tuple[str, str, str]]:
    findings = check(checkout.folder)
    assert {finding.clause for finding in findings} <= {"EPC-5.3(1)"}
    return [(f.where.removeprefix(WHERE), f.problem, f.remedy) for f in findings]


def pointing(*targets: tuple[str, str | None]) -> list[dict[str, object]]:
    return [{"to": to, "since": since, "source": "s", "seen": None} for to, since in targets]


FIRST_ONLY = (
    "only of the first target may the day be unknown",
    "leave the later target out until a source dates it",
)
OLDEST = "list the oldest target first"
NO_RECORD = (
    "there is no record of maker/gone",
    "add one: an alias ends when its target does",
)


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([("judge-1", None), ("judge-2", "2026-01-01")], []),
        ([("gone", "2025-01-01"), ("judge-1", "2026-01-01")], []),
        ([("a", None), ("b", "2026-01-01"), ("judge-1", "2026-01-02")], []),
        ([("judge-2", "2026-01-01"), ("judge-1", None)], [FIRST_ONLY]),
        (
            [("judge-2", "2026-01-01"), ("judge-1", "2026-01-01")],
            [("the days are ['2026-01-01', '2026-01-01']", OLDEST)],
        ),
        (
            [("judge-2", "2026-02-01"), ("gone", "2026-01-01")],
            [("the days are ['2026-02-01', '2026-01-01']", OLDEST), NO_RECORD],
        ),
        ([("judge-1", None), ("gone", "2026-01-01")], [NO_RECORD]),
        ([("judge", None)], [("maker/judge is an alias itself", "name what that one points to")]),
    ],
)
def test_reading_r54_an_alias_has_targets_in_order_and_the_present_one_a_record(
    checkout: Checkout, targets: list[tuple[str, str | None]], expected: list[tuple[str, str]]
) -> None:
    checkout.evaluator(generation_record("Judge-2", life_record(model="judge-2")))
    alias = life_record(model="judge", points_to=pointing(*targets))
    checkout.evaluator(generation_record("judge", life_record(model="judge-3"), alias))

    place = "/judge.json/platforms/1/points_to"
    assert checkout_findings(checkout) == [(place, *finding) for finding in expected]


@pytest.mark.parametrize(
    ("targets", "where", "problem"),
    [
        ([("judge-1", "2026-02-31")], "/0/since", "there is no day 2026-02-31"),
        ([], "", "has less than 1 item"),
    ],
)
def test_reading_r54_an_alias_whose_targets_cannot_be_read_is_found(
    checkout: Checkout, targets: list[tuple[str, str | None]], where: str, problem: str
) -> None:
    alias = life_record(model="judge", points_to=pointing(*targets))
    checkout.evaluator(generation_record("judge", alias))

    ((place, text, _),) = checkout_findings(checkout)

    assert place == f"/judge.json/platforms/0/points_to{where}"
    assert problem in text


def test_a_record_says_what_is_wrong_with_it_and_what_to_do(checkout: Checkout) -> None:
    """One file is called otherwise than its generation, whose name another has in small letters."""
    other_generation_record = generation_record(
        "JUDGE-1", life_record(model="other", retires=date_claim("2026-02-30"))
    )
    path = checkout.home / "evaluators" / "Other.json"
    path.write_text(dumps(other_generation_record))
    no_day = ("/Other.json/platforms/0/retires/date", "there is no day 2026-02-30")
    assert checkout_findings(checkout) == [(*no_day, "see what its source says")]

    path.write_text(dumps(generation_record("JUDGE-1", life_record(model="other"))))

    assert checkout_findings(checkout) == [
        (
            "/Other.json/generation",
            "says JUDGE-1, the file is called Other",
            "rename the file",
        ),
        ("", "judge-1 has 2 records", "keep one of them"),
    ]


def test_a_life_that_ends_before_it_begins_is_told_by_its_two_days(checkout: Checkout) -> None:
    sound = life_record(model="m", released=EARLY, retires=EARLY)
    bad = life_record(model="n", released=LATE, retires=EARLY)
    worse = life_record(
        model="o", released=EARLY, deprecated=LATE, retires=date_claim("2026-06-01")
    )
    checkout.evaluator(generation_record("Bad-1", sound, bad, worse))

    source = "see what its source says"
    assert checkout_findings(checkout) == [
        (
            "/Bad-1.json/platforms/1/retires",
            "retires on 2026-01-01, released on 2026-12-01 only",
            source,
        ),
        (
            "/Bad-1.json/platforms/2/retires",
            "retires on 2026-06-01, deprecated on 2026-12-01 only",
            source,
        ),
    ]


def test_the_catalogue_s_findings_have_its_place_and_remedies(checkout: Checkout) -> None:
    checkout.evaluator(generation_record("Judge-2", life_record(model="j2", aliases=["Also"])))
    path = checkout.home / "evaluators" / "catalogue.csv"
    head = "generation,maker,platform,names,released,not_before,retires,seen,source\n"
    rows = "B-2,m,maker,also judge-1,,,,,list\n", "A-1,m,host,also,,,,,list\n"

    path.write_text(head + "".join(rows))
    found = checkout_findings(checkout)

    text = "a name means one model on a platform"
    assert found == [
        (
            "/catalogue.csv",
            "the lines are not in order",
            "sort them by generation and platform",
        ),
        ("/catalogue.csv", "maker/also is B-2, and Judge-2 too", text),
        ("/catalogue.csv", "maker/judge-1 is B-2, and Judge-1 too", text),
    ]
    path.write_text("generation\n")
    ((where, problem, remedy),) = checkout_findings(checkout)
    assert (where, remedy) == ("/catalogue.csv", "see the first line's columns")
    assert problem.startswith("cannot be read: the columns are not generation, maker, ")
