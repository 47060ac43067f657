"""The lives of evaluators are sealed as snapshots are: a changed date is found."""

import pytest
from engine_support import epc
from registry_support import ROOT, Checkout, Json, commit, generation_record, life_record, stated

from epc.records.schemas import findings as schema_findings
from epc.registry import sealed_lives
from epc.registry.reading import document, of_folder
from epc.registry.verify import verify


def problems(made: Checkout) -> list[tuple[str, str]]:
    return [
        (f.where, f.problem.split(",")[0]) for f in verify(made.folder) if f.severity == "error"
    ]


def life(day: str) -> Json:
    return generation_record("Judge-1", life_record(retires=stated(day)))


@pytest.fixture
def sealed(checkout: Checkout) -> Checkout:
    checkout.init()
    done = epc("admin", "evaluators", "seal", cwd=checkout.folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "sealed 1 records\n"
    commit(checkout.folder, "seal")
    return checkout


def test_a_seal_is_an_event_of_the_chain_and_sealing_again_adds_none(sealed: Checkout) -> None:
    assert problems(sealed) == []
    told = sealed.events()[-1]
    assert told["event"] == "lives_sealed"
    assert schema_findings("event", told) == []
    before = (sealed.home / "events.jsonl").read_bytes()

    assert (
        epc("admin", "evaluators", "seal", cwd=sealed.folder).stdout
        == "all 1 records are sealed already\n"
    )
    assert (sealed.home / "events.jsonl").read_bytes() == before


def test_a_date_that_was_changed_since_is_found_until_it_is_sealed(sealed: Checkout) -> None:
    path = "snapshots/evaluators/Judge-1.json"
    sealed.evaluator(life("2026-07-02"))

    (found,) = problems(sealed)
    assert found[0] == path
    assert found[1].startswith("SHA-256 is ")
    done = epc("snapshot", "verify", cwd=sealed.folder)
    assert done.returncode == 1
    assert path in done.stdout
    assert "run `epc admin evaluators seal`" in done.stdout

    assert epc("admin", "evaluators", "seal", cwd=sealed.folder).returncode == 0
    assert problems(sealed) == []


def test_a_record_that_came_or_went_is_found_and_so_is_a_forged_list(sealed: Checkout) -> None:
    sealed.evaluator(generation_record("Judge-2", life_record(model="judge-2")))
    (sealed.home / "evaluators" / "Judge-1.json").unlink()
    assert problems(sealed) == [
        ("snapshots/evaluators/Judge-1.json", "was sealed and is gone"),
        ("snapshots/evaluators/Judge-2.json", "is not sealed"),
    ]

    sums = sealed.home / "evaluators" / "SHA256SUMS"
    sums.write_text("")
    assert problems(sealed)[0][0] == "snapshots/evaluators/SHA256SUMS"
    sums.unlink()
    assert problems(sealed)[0] == ("snapshots/evaluators/SHA256SUMS", "is missing")


def test_a_seal_that_was_taken_out_of_the_events_is_found(sealed: Checkout) -> None:
    path = sealed.home / "events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))

    assert any("was published and is gone" in problem for _, problem in problems(sealed))


def test_records_with_a_fault_are_not_sealed(checkout: Checkout) -> None:
    checkout.init()
    checkout.evaluator(life("2026-02-30"))

    done = epc("admin", "evaluators", "seal", cwd=checkout.folder)

    assert done.returncode == 2
    assert "there is no day 2026-02-30" in done.stderr
    assert not (checkout.home / "evaluators" / "SHA256SUMS").exists()


def test_where_nobody_sealed_all_works_and_no_reader_of_the_document_meets_a_seal(
    sealed: Checkout, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Checkout(tmp_path_factory.mktemp("other"))
    other.publish()
    assert problems(other) == []
    assert {e["event"] for e in document(sealed.folder)["events"]} == {"published"}
    assert len(of_folder(sealed.folder).events) == 1


def test_the_published_lives_are_sealed() -> None:
    """And `verify` finds nothing in them, as test_published.py says."""
    assert sealed_lives.latest(ROOT)
