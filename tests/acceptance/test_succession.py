"""`epc evaluators succeed MODEL`: what do I replace a retired judge with? (Readings R27, R76)

The verdicts are invented, and their figures worked out by hand. old-1 retired on 2025-06-06;
new-1 is served; gone-1 and gone-2 retired as well. Old and new were asked in both orders about
two items:

    question, first    old    new    alike
    Count., yes        yes    yes    1
    Count., no         yes    no     0
    Rhyme., y          y      y      1
    Rhyme., z          z      y      0

New has Rhyme. mirrored, under another number. First place: old 3 of 4, new 3 of 4. The better one
(yes; z): old 3 of 4, new 1 of 4.
"""

import json
import shlex
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from golden_support import Golden
from pages_support import misuses
from records_support import epc
from registry_support import ROOT, Checkout, date_claim, generation_record, life_record

from epc.answers.replacement import replacement_on
from epc.answers.subjects import subject
from epc.answers.succession import _measurement
from epc.engine.catalog import open_model
from epc.engine.local.models import embedded_model
from epc.engine.providers import PROVIDERS
from epc.registry.reading import of_folder

LONG = "Because the one follows what was asked for and the other one does not. " * 2
HEAD = "item,question,a,b,first,verdict,gold,model,prompt,subset,answer,judge"
OLD = f"""{HEAD}
i1,Count.,yes,no,a,a,a,old-1,P,Plain,{LONG}1,old-1
i1,Count.,yes,no,b,a,a,old-1,P,Plain,{LONG}2,old-1
i2,Rhyme.,y,z,a,a,b,old-1,P,Hard,{LONG}3,old-1
i2,Rhyme.,y,z,b,b,b,old-1,P,Hard,{LONG}4,old-1
i4,Alone.,y,z,b,b,b,old-1,P,Hard,{LONG}5,old-1
"""
NEW = f"""{HEAD}
x1,Count.,yes,no,a,a,a,new-1,P,Plain,no,new-1
x1,Count.,yes,no,b,b,a,new-1,P,Plain,no,new-1
x2,Rhyme.,z,y,b,b,a,new-1,P,Hard,no,new-1
x2,Rhyme.,z,y,a,b,a,new-1,P,Hard,no,new-1
x1,Count.,yes,no,a,a,a,new-1,Q,Plain,no,new-1
x1,Count.,yes,no,a,a,a,gone-1,P,Plain,no,gone-1
x1,Count.,yes,no,a,a,a,copied-1,P,Plain,{LONG}1,copied-1
x1,Count.,yes,no,a,a,a,old-1,P,Plain,no,old-1
x1,Count.,yes,no,a,a,a,old,P,Plain,no,old
"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    checkout = Checkout(tmp_path_factory.mktemp("registry"))
    gone = life_record(platform="openai", model="old-1", retires=date_claim("2025-06-06"))
    checkout.evaluator(generation_record("old-1", gone | {"replacement": "new-1"}))
    checkout.evaluator(generation_record("gone-1", gone | {"model": "gone-1"}))
    doubtful = {"model": "gone-2", "replacement": "unsure-1"}
    checkout.evaluator(generation_record("gone-2", gone | doubtful))
    least = life_record(
        platform="openai", model="unsure-1", retires=date_claim("2026-03-01", "not_before")
    )
    checkout.evaluator(generation_record("unsure-1", least))
    checkout.evaluator(generation_record("new-1", life_record(platform="openai", model="new-1")))
    pointer = {"to": "old-1", "since": None, "source": "https://m.example", "seen": None}
    alias = life_record(platform="openai", model="old", points_to=[pointer])
    checkout.evaluator(generation_record("old", alias))
    for name, text in (("old", OLD), ("new", NEW)):
        (checkout.folder / f"{name}.csv").write_text(text)
        arguments = (checkout.folder / f"{name}.csv", "--shape", "csv", "--out")
        done = epc("observe", "import", *arguments, checkout.folder / f"{name}.jsonl")
        assert done.returncode == 0, done.stdout
    return checkout.folder


def succeed(registry: Path, model: str, *names: str, form: str = "text", code: int = 0) -> str:
    files = [word for name in names for word in ("--verdicts", registry / f"{name}.jsonl")]
    arguments = (model, *files, "--registry", registry, "--as-of", "2026-04-01", "--format", form)
    done = epc("evaluators", "succeed", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return (done.stderr if code else done.stdout).decode()


@pytest.fixture(scope="module")
def found(registry: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(succeed(registry, "old-1", "old", "new", form="json"))
    return record


def test_what_do_i_replace_a_retired_judge_with_is_answered_in_words(
    registry: Path, golden: Golden
) -> None:
    """By place chance gives 3/4 x 3/4 + 1/4 x 1/4 = 0.625.

    The replacement that gone-2's platform names was to be served until 2026-03-01 at the least, and
    a month has passed since: it is asked before an embedded model.
    """
    cases = {
        "retired, beside one on the same items": succeed(registry, "old-1", "old", "new"),
        "retired, without common items": succeed(registry, "old-1"),
        "served, so that both can be asked": succeed(registry, "new-1"),
        "its replacement is of unknown state": succeed(registry, "gone-2"),
    }

    golden("succeed", cases)


def test_agreement_and_shifts_are_those_worked_out_by_hand(found: dict[str, Any]) -> None:
    new = next(s["agreement"] for s in found["successors"] if s["agreement"]["model"] == "new-1")

    assert new["alike"] == {"value": 0.5, "ci95": None, "n": 4, "items": 2}
    assert {name: (f["value"], f["n"], f["items"]) for name, f in new["shifts"].items()} == {
        "first_place": (0, 4, 2),
        "better": (-0.5, 4, 2),
    }
    assert new["same_decoding"] is False  # neither states one
    assert found["recorded"] == 3


def test_reading_r27_another_prompt_is_not_compared_and_r76_no_judge_with_itself(
    found: dict[str, Any],
) -> None:
    """Not old-1 again, not its alias, and nobody who has the same long answer."""
    compared = [(s["agreement"]["model"], s["agreement"]["prompt"]) for s in found["successors"]]

    assert compared == [("new-1", "P"), ("gone-1", "P")]  # who is served comes first
    assert [s["living"] for s in found["successors"]] == [True, False]


def test_scores_of_one_candidate_are_alike_if_equal_and_shift_by_their_mean(
    registry: Path,
) -> None:
    """7 and 7, 5 and 8: half alike, and 1.5 more."""
    rows = ["item,question,a,a_score,judge,prompt"]
    rows += ["i1,Q1,x,7,old-1,S", "i2,Q2,x,5,old-1,S", "i1,Q1,x,7,new-1,S", "i2,Q2,x,8,new-1,S"]
    (registry / "scores.csv").write_text("\n".join(rows) + "\n")
    out = registry / "scores.jsonl"
    epc("observe", "import", registry / "scores.csv", "--shape", "csv", "--out", out)

    document = json.loads(succeed(registry, "old-1", "scores", form="json"))

    agreement = document["successors"][0]["agreement"]
    assert agreement["alike"]["value"] == 0.5
    assert {name: shift["value"] for name, shift in agreement["shifts"].items()} == {"score": 1.5}


@pytest.mark.parametrize(
    ("spelled", "name", "platforms"),
    [
        ("gpt-35-turbo-0613", "gpt-3.5-turbo-0613", {"openai", "azure-foundry"}),
        ("models/text-bison-001", "text-bison-001", {"google-gemini-api"}),
        (
            *("meta-llama/Llama-2-70b-chat-hf", "Llama-2-70b-chat-hf"),
            {"open-weights", "aws-bedrock", "fireworks", "perplexity", "snowflake-cortex"},
        ),
        ("openai/gpt-4-0613", "gpt-4-0613", {"openai"}),
    ],
)
def test_a_sources_spelling_means_the_model_on_every_platform_and_a_platforms_name_that_one(
    spelled: str, name: str, platforms: set[str]
) -> None:
    card = json.loads(
        epc("evaluators", "card", spelled, "--registry", ROOT, "--format=json").stdout
    )
    own_subject = subject(of_folder(ROOT), spelled, date(2026, 11, 28))  # whom `succeed` compares

    assert card["name"] == own_subject.name == name
    assert {life["platform"] for life in card["served"]} == platforms
    assert {life.platform for life in own_subject.lives} == platforms
    assert {
        snapshot.model.casefold() for snapshot in own_subject.snapshots
    } <= own_subject.spellings


def said_of_pairs(folder: Path, tag: str) -> dict[tuple[str, str], str]:
    """Return which of two answers a published measurement decided for, by both their texts."""
    out = folder / tag
    assert epc("snapshot", "fetch", tag, "--from", ROOT, "--out", out).returncode == 0
    calls = map(json.loads, (out / "calls.jsonl").read_text().splitlines())
    texts = {call["id"]: call["answer"] for call in calls}
    return {
        (texts[row["response"]], texts[row["baseline"]]): row["verdict"]
        for row in map(json.loads, (out / "trials.jsonl").read_text().splitlines())
        if row["verdict"] != "tie" and row["response"] != row["baseline"]
    }


def test_measurements_are_compared_where_both_judged_the_same_answers(
    tmp_path: Path,
) -> None:
    tags = ("v1.0-Word-Count", "v1.0-WordLlama-Relevance")
    arguments, llama = (said_of_pairs(tmp_path, tag) for tag in tags)
    both = arguments.keys() & llama.keys()
    alike = sum(arguments[pair] == llama[pair] for pair in both) / len(both)

    done = epc("evaluators", "succeed", "Word-Count", "--registry", ROOT, "--format=json")
    agreements = [s["agreement"] for s in json.loads(done.stdout)["successors"]]
    other_agreement = next(
        a for a in agreements if a["model"] == "wordllama-relevance" and not a["subset"]
    )

    assert (other_agreement["items"], other_agreement["alike"]["value"]) == (
        len(both),
        pytest.approx(alike),
    )
    assert other_agreement["sources"] == [*tags]
    assert other_agreement["same_decoding"]
    kinds = {a["subset"] for a in agreements if a["model"] == "wordllama-relevance"}
    assert kinds == {None, "text", "visual"}
    assert not {"scripted", "coin-flip", "word-count"} & {a["model"] for a in agreements}


def test_what_do_i_replace_gpt_4_0613_with_in_the_published_registry() -> None:
    done = epc("evaluators", "succeed", "gpt-4-0613", "--as-of", "2026-11-23", "--registry", ROOT)

    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.startswith(
        "gpt-4-0613: gpt-5.6-sol, named by openai; agreement not in this registry. Nobody is shown "
        "to agree with it: no verdict of it is kept here: they stay with their source."
    )
    assert "  openai: expired since 2026-10-23 (retired)" in text
    assert "\n  epc run --evaluator openai/" in text
    assert "\n  epc observe import CLONE --shape alpaca-eval --out verdicts.jsonl\n" in text


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "gpt-4",
            (
                "Nobody is shown to agree with it: of those that somebody serves "
                "meta-llama/Llama-2-70b-chat-hf has the same verdict on 67.2 [64.5, 69.8] of 100, "
                "chance 50.1, on 870 common items of 747 questions (LLMBar, prompt "
                "Vanilla_NoRules), but its share of right answers may be lower by more than 10 "
                "points (-22.7 [-25.7, -19.6])."
            ),
        ),
        (
            "gpt-4o-2024-05-13",
            (
                "gpt-4-turbo-2024-04-09 was asked about 6,130 of the same items, but no source "
                "says whether with the same prompt."
            ),
        ),
        (
            "gpt-3.5-turbo",
            (
                "pandalm-7b was asked about 844 of the same items, but no source says whether with "
                "the same prompt."
            ),
        ),
    ],
)
def test_reading_r96_a_judge_is_no_successor_by_chance_alone_nor_by_an_unknown_prompt(
    name: str, says: str
) -> None:
    arguments = (name, "--as-of", "2026-11-23", "--registry", ROOT)

    assert says in epc("evaluators", "succeed", *arguments).stdout.decode().splitlines()[0]


def test_a_name_that_means_another_has_the_replacement_of_that_one_and_who_names_it() -> None:
    arguments = ("gpt-4o-mini", "--as-of", "2026-11-23", "--registry", ROOT)
    text = epc("evaluators", "succeed", *arguments).stdout.decode()

    assert "\n  openai names gpt-6-luna instead: openai: current; " in text
    assert "\n  azure-foundry names gpt-4.1-mini instead: openai: expiring" in text
    assert "--evaluator openai/gpt-4o-mini --evaluator openai/gpt-6-luna " in text


def test_every_command_that_succeed_prints_names_models_that_run_can_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of each judge that anything is published of: some commands named a platform, or a note."""
    for provider in PROVIDERS:
        variable = provider.upper().replace("-", "_")
        monkeypatch.setenv(f"{variable}_API_KEY", "sk-test")
        monkeypatch.setenv(f"{variable}_BASE_URL", "https://x.test")
    registry, day = of_folder(ROOT), date(2026, 11, 28)
    for name in dict.fromkeys(snapshot.model for snapshot in registry.snapshots.values()):
        today = replacement_on(registry, None, name, day)
        command = _measurement(registry, subject(registry, name, day), today).command
        words = shlex.split(command)
        assert list(misuses(command)) == []
        judges = [words[n + 1] for n, word in enumerate(words) if word == "--evaluator"]
        assert judges
        for judge in judges:
            provider, _, model = judge.partition("/")
            if provider == "local":
                assert "evaluator" in embedded_model(model).description, command
            else:
                open_model(judge)


@pytest.mark.parametrize(
    ("model", "judges"),
    [
        # The name of a family is no id of Bedrock: the id of what it means there is.
        ("claude-opus-4-5", "bedrock/anthropic.claude-opus-4-5-20251101-v1:0"),
        ("claude-opus-4-1", "bedrock/anthropic.claude-opus-4-1-20250805-v1:0"),
        # A list has `mixtral-8x7b-instruct` there, and Bedrock mistral.mixtral-8x7b-instruct-v0:1.
        ("mixtral-8x7b-instruct", "local/smollm2-135m-likelihood"),
    ],
)
def test_succeed_asks_a_model_by_the_id_that_its_platform_knows(model: str, judges: str) -> None:
    arguments = (model, "--as-of", "2026-11-28", "--registry", ROOT)
    text = epc("evaluators", "succeed", *arguments).stdout.decode()

    assert f"  epc run --evaluator {judges} --" in text


def test_a_judge_that_is_served_where_run_asks_nobody_is_not_called_gone() -> None:
    arguments = ("kimi-k2.6", "--as-of", "2026-11-28", "--registry", ROOT)
    text = epc("evaluators", "succeed", *arguments).stdout.decode()

    assert "`epc run` cannot ask the old judge where it is served" in text
    assert "is gone" not in text
