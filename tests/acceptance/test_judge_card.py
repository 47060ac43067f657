"""`epc evaluators card MODEL`, as a user types it.

The registry: judge-0613 retired on 2025-06-06 at its maker, and is served by a cloud until
2026-07-01. The verdicts are those of `observed_support`: in both orders of the Vanilla prompt, of
two readable pairs one changed.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from golden_support import Golden
from observed_support import llmbar
from records_support import epc
from registry_support import Checkout, date_claim, generation_record, life_record

AS_OF = ("--as-of", "2026-04-01")


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    checkout = Checkout(tmp_path_factory.mktemp("registry"))
    gone = life_record(model="judge-0613", retires=date_claim("2025-06-06"))
    cloud = life_record(platform="cloud", model="judge-0613", retires=date_claim("2026-07-01"))
    alias = life_record(
        model="judge",
        points_to=[
            {"to": "judge-0613", "since": None, "source": "https://m.example", "seen": None}
        ],
    )
    checkout.evaluator(generation_record("judge-0613", gone))
    checkout.evaluator(generation_record("judge", alias))
    checkout.evaluator(generation_record("Cloud-2", cloud | {"model": "cloud-2"}))
    fault = {"id": "one-seed", "says": "One seed only."}
    doubtful = life_record(model="doubtful-1", retires=date_claim("2026-03-01", "not_before"))
    checkout.evaluator(generation_record("Doubtful-1", doubtful))
    checkout.publish("v1.0-Judge-1", known_faults=[fault])
    checkout.publish("v1.1-Judge-1", known_faults=[fault])
    checkout.tell(
        {"date": "2026-03-01", "event": "withdrawn", "reason": "a cache", "tag": "v1.0-Judge-1"}
    )
    return checkout.folder


@pytest.fixture(scope="module")
def verdicts(registry: Path) -> Path:
    file = registry / "tiny.jsonl"
    source = llmbar(registry / "LLMBar")
    assert epc("observe", "import", source, "--shape", "llmbar", "--out", file).returncode == 0
    return file


def card(registry: Path, *arguments: str | Path, code: int = 0) -> str:
    done = epc("evaluators", "card", *arguments, *AS_OF, "--registry", registry)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout.decode()


def document(registry: Path, *arguments: str | Path, code: int = 0) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(card(registry, *arguments, "--format=json", code=code))
    return record


VANILLA = ("--setting", "*/Vanilla")


def test_the_words_of_a_card(registry: Path, verdicts: Path, golden: Golden) -> None:
    """An unreadable answer agrees with nothing: of three pairs of the Vanilla prompt one agrees."""
    cases = {
        "retired, with verdicts": card(registry, "judge-0613", "--verdicts", verdicts, *VANILLA),
        "served until a day": card(registry, "Cloud-2"),
        "not confirmed lately": card(registry, "doubtful-1"),
        "with a figure that was withdrawn": card(registry, "judge-1"),
    }

    golden("card", {case: text.replace(str(registry), "HERE") for case, text in cases.items()})


@pytest.mark.parametrize(
    ("words", "answer", "code"),
    [
        (("days_left>=91", "Cloud-2"), "meets", 0),  # 29 of April, 31 of May, 30 of June, and one
        (("days_left>=92", "Cloud-2"), "does not meet", 1),
        (("days_left>=0", "judge-1"), "meets", 0),
        (("days_left>=1", "judge-1"), "unknown", 1),  # no end is stated
        (("gamma<=2", "judge-1"), "unknown", 1),  # published without an interval
        (("gamma<=2", "Cloud-2"), "unknown", 1),
    ],
)
def test_a_requirement_is_answered_by_a_word_and_the_exit_code(
    registry: Path, words: tuple[str, str], answer: str, code: int
) -> None:
    requirement, model = words
    actual_document = document(registry, model, "--require", requirement, code=code)

    assert [each["answer"] for each in actual_document["requirements"]] == [answer]
    assert f"\n{requirement}: {answer} (" in card(
        registry, model, "--require", requirement, code=code
    )


def test_a_withdrawn_figure_stands_on_the_card_and_counts_for_nothing(registry: Path) -> None:
    actual_document = document(registry, "Judge-1")
    gammas = {
        figure["of"]: figure
        for figure in actual_document["figures"]
        if figure["name"] != "days_left"
    }

    assert gammas["v1.0-Judge-1"]["left_out"] == "withdrawn: a cache"
    assert "left_out" not in gammas["v1.1-Judge-1"]
    assert actual_document["drift"] == ["2026-03-01  v1.0-Judge-1  withdrawn: a cache"]


def test_a_name_that_nobody_knows_gets_candidates_and_is_misuse(
    registry: Path, verdicts: Path
) -> None:
    done = epc("evaluators", "card", "judge-061", "--verdicts", verdicts, "--registry", registry)

    assert done.returncode == 2
    output = done.stderr.decode()
    assert "judge-061: not in this registry; did you mean judge-0613" in output
    assert "the verdict files have J, judge-0613" in output


def test_a_verdict_file_with_findings_is_misuse(registry: Path, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text("{}\n")

    done = epc("evaluators", "card", "judge-1", "--verdicts", file, "--registry", registry)

    assert done.returncode == 2
    assert f"see `epc validate {file}`" in done.stderr.decode()
