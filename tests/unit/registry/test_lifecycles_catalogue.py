"""Models that lists alone know: a line a life, answered by name, and no records."""

from pathlib import Path

import pytest
from registry_support import Checkout, day, generation_record, life_record

from epc.answers.service import states
from epc.registry.checking import check
from epc.registry.expiry import Expiry
from epc.registry.lifecycles import catalogue_lines, catalogue_text
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.scan.scan import Vocabulary

HEAD = "generation,maker,platform,names,released,not_before,retires,seen,source"
AS_OF = day("2026-11-26")
# Judge-1 has a record at its maker; the lists know it at a host, and two further models.
LISTED = (
    "Judge-1,maker,host,org/judge-1 judge-one,,,,,a list",
    "Judge-1,maker,maker,judge-uno,,,,,a list",
    "Other-2,other,host,other-2,2026-01-05,,2026-11-01,,a list",
    "Other-2,other,open-weights,org/Other-2,,,,,a list",
    "Third-3,third,third,third-3,,,,2026-10-23,a list",
)


def text(*rows: str) -> str:
    return "".join(f"{row}\n" for row in (HEAD, *rows))


def registry(*rows: str) -> Registry:
    return Registry.from_document(
        {
            "evaluators": [generation_record("Judge-1", life_record(platform="maker"))],
            "snapshots": [],
            "events": [],
            "policy": {"maximum_age_days": 180, "notice_days": 60, "confirmation_days": 120},
            "catalogue": text(*(rows or LISTED)),
        }
    )


def answers(name: str) -> dict[str | None, Expiry]:
    return {state.platform: state for state in states(registry(), name, AS_OF)}


@pytest.mark.parametrize(
    ("asked", "platform", "words"),
    [
        # A list that only has a name states no day of serving, so it says nothing.
        ("host/judge-one", "host", "unknown"),
        ("host/org/judge-1", "host", "unknown"),
        ("host/other-2", "host", "expired since 2026-11-01 (retired)"),
        ("org/Other-2", "open-weights", "current"),
        # 34 days after it was seen; a word is believed for 120.
        ("third-3", "third", "current"),
    ],
)
def test_a_line_answers_for_its_names_on_its_platform(
    asked: str, platform: str, words: str
) -> None:
    assert answers(asked)[platform].status_text == words


def test_a_further_name_of_a_recorded_life_gets_the_records_answer() -> None:
    by_list, by_record = answers("maker/judge-uno")["maker"], answers("maker/judge-1")["maker"]

    assert (by_list.status, by_list.note) == (by_record.status, by_record.note)


def test_a_platform_of_which_a_list_alone_speaks_is_told_with_the_makers_state() -> None:
    own_text = answers("judge-1")["maker"].status_text

    assert answers("host/judge-one")["host"].note.endswith(f"; at maker it is {own_text}")


def test_reading_r104_what_lists_have_of_a_recorded_model_counts_behind_its_maker() -> None:
    assert list(answers("Judge-1")) == ["maker", "host"]
    assert answers("Judge-1")["host"].note.startswith("listed by a list, no day")


def test_reading_r104_a_name_that_its_maker_does_not_host_is_unknown() -> None:
    told = answers("Other-2")

    assert [state.status for state in told.values()] == ["unknown", "expired"]
    assert told[None].note == (
        "other, its maker, has no record of it here; only host/Other-2; its weights are public"
    )


def test_a_listed_model_is_no_record_and_no_text_is_searched_for_it() -> None:
    actual_registry = registry()

    assert [record.generation for record in actual_registry.records] == ["Judge-1"]
    vocabulary = Vocabulary.from_registry(actual_registry)
    # What is asked about is answered; what only looks like a listed model's family is no mention.
    assert [m.name for m in vocabulary.mentions("model: third/third-3\n")] == ["third/third-3"]
    assert list(vocabulary.mentions("third-4 other-9\n")) == []


def test_the_file_is_written_in_one_order_whatever_the_lines_order() -> None:
    forth, back = catalogue_lines(text(*LISTED)), catalogue_lines(text(*LISTED[::-1]))

    assert catalogue_text(forth) == catalogue_text(back) == text(*LISTED)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (text(*LISTED[::-1]), "not in order"),
        (text("A-1,m,m,a-1,,,2026-02-31,,list"), "cannot be read"),
        (text("A-1,m,m,a-1,,,"), "cannot be read"),
        ("generation,maker\n", "the columns are not"),
        (text("Judge-9,m,maker,judge-1,,,,,list"), "maker/judge-1 is Judge-9, and Judge-1 too"),
        (
            text("A-1,m,host,a,,,,,list", "B-2,m,host,b A,,,,,list"),
            "host/A is B-2, and A-1 too",
        ),
    ],
)
def test_two_models_under_one_name_and_unreadable_lines_are_found(
    tmp_path: Path, given: str, problem: str
) -> None:
    checkout = Checkout(tmp_path)
    path = checkout.home / "evaluators" / "catalogue.csv"
    path.write_text(text(*LISTED))
    assert check(tmp_path) == []
    assert of_folder(tmp_path).catalogue.keys() == {"Other-2", "Third-3"}

    path.write_text(given)

    assert any(problem in finding.problem for finding in check(tmp_path))
