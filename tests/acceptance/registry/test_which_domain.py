"""`epc which` in domains that have benchmarks of their own, as a user types it."""

import json
from datetime import date
from typing import Any

import pytest
from commands_support import run
from registry_support import ROOT

import epc
from epc.api.answers import Answers

DAY = ("--as-of", "2026-11-29")


def answer(domain: str, *options: str) -> dict[str, Any]:
    done = run(ROOT, "which", "--domain", domain, *options, *DAY, "--format", "json")
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    return record


@pytest.mark.parametrize(
    ("domain", "word"), [("rag", "retrieval"), ("agent", "tool-use"), ("faithfulness", "grounded")]
)
def test_a_domain_and_a_near_word_give_one_answer(domain: str, word: str) -> None:
    assert answer(domain) == answer(word)
    assert answer(domain)["domain"] == domain


def test_passages_that_tell_no_judges_apart_decide_nothing() -> None:
    """Opus 4.7 .56 [.48, .63] lies .08 above Gemma's .48 [.39, .56]: less than the ends reach."""
    (part,) = answer("rag")["benchmarks"]

    assert part["decided"] is False
    assert part["candidates"][0]["judge"] == "claude-opus-4-7"
    done = run(ROOT, "which", "--domain", "rag", *DAY)
    assert done.stdout.startswith("rag: not decided, no judge is shown to be better")
    line = next(line for line in done.stdout.splitlines() if line.startswith("  claude-opus-4-7"))
    assert "0.56 [0.48, 0.63], n 537 of 86 items, by April 2026" in line
    assert "cut-passages" in done.stdout, "what is wrong with the source stands beside it"
    assert "GPT4o-0806" not in done.stdout.replace("v1.3-GPT4o-0806", "")


def test_a_judge_that_fails_everything_is_shown_to_be_worse() -> None:
    """.93 [.90, .95] less .49 [.49, .51]: a gap of .43 less at most .03 and .02."""
    (part,) = answer("agent")["benchmarks"]
    first, *_, last = part["candidates"]

    assert part["decided"] is True
    assert (first["setting"], last["setting"]) == ("step:qwen2.5:14b", "step:llama3.1:8b")
    assert (last["sides"]["tpr"]["value"], last["sides"]["tnr"]["value"]) == (0, 0.99)


def test_twelve_items_decide_nothing_however_many_claims_there_are() -> None:
    done = run(ROOT, "which", "--domain", "faithfulness", *DAY)
    assert "not decided, 12 items are too few to tell judges apart" in done.stdout
    assert "n 189 of 12 items, July 2026" in done.stdout


def test_translation_states_no_winner_where_nobody_said_who_is_right() -> None:
    done = run(ROOT, "which", "--domain", "translation", *DAY)
    assert "not decided" in done.stdout.splitlines()[0]
    assert "remark: favours its own answers by 6.598" in done.stdout


def test_translation_is_answered_by_language_pair_and_never_pooled() -> None:
    """Counts of the published files: en-ar_EG has 12,284 scores, 2 of Command A's unreadable."""
    printed = run(ROOT, "which", "--domain", "translation", *DAY).stdout
    pairs = [
        line for line in printed.splitlines() if line.startswith(("    en-", "    cs-", "    ja-"))
    ]
    assert len(pairs) == 31
    unreadable = "share of unreadable verdicts"
    assert (
        f"    en-ar_EG: command-a-03-2025 (command-a) {unreadable} 0.0002 (n 12,284); "
        f"gpt-4.1 {unreadable} 0.0000 (n 12,284)"
    ) in pairs

    one = run(ROOT, "which", "--domain", "translation:en-de", *DAY).stdout
    assert one.startswith("translation, en-de: not decided")
    assert (
        "    en-de_DE: command-a-03-2025 (command-a) share of unreadable verdicts 0.0000 (n 12,288)"
        in one
    )
    assert "en-ar_EG" not in one
    assert "favours its own answers" not in one, "that is of all language pairs together"

    two = answer("translation:en-sr")["benchmarks"][0]["candidates"][0]["by_subset"]
    assert [*two] == ["en-sr_Cyrl_RS", "en-sr_Latn_RS"]


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        (
            "translation:en-xx",
            "no judge has figures of 'en-xx' in translation: its parts are cs-de",
        ),
        ("rag:films", "no judge has figures of 'films' in rag: no part of it has figures"),
    ],
)
def test_a_part_without_figures_is_refused_with_those_that_have_some(
    domain: str, problem: str
) -> None:
    done = run(ROOT, "which", "--domain", domain, *DAY)
    assert done.returncode == 2
    assert problem in done.stderr


def test_figures_of_images_are_pooled_with_nothing() -> None:
    """LLaVA-Critic .36 [.33, .38] lies .07 above Phi-4's .29 [.27, .32], whose ends reach .04.

    Gemini's ended with the platform that was asked.
    """
    parts = answer("vision")["benchmarks"]
    assert [part["benchmark"]["name"] for part in parts] == ["MLLM-Judge", "Polaris"]
    assert {part["benchmark"]["modality"] for part in parts} == {"image"}
    assert [one["judge"] for one in parts[0]["candidates"]] == [
        "llava-critic-7b",
        "Phi-4-reasoning-vision-15B",
    ]
    assert parts[0]["decided"]
    assert "images-unnamed" in parts[0]["faults"]
    for domain in ("rag", "agent", "preference"):
        tags = {one["tag"] for part in answer(domain)["benchmarks"] for one in part["candidates"]}
        assert not tags & {"v1.1-gemini-2.5-flash", "v1.0-llava-critic-7b"}
    printed = run(ROOT, "which", "--domain", "image", *DAY).stdout
    assert "rank correlation with one person's grades; by chance 0; judges saw images" in printed


def test_benchmarks_of_a_domain_stand_apart() -> None:
    parts = answer("preference")["benchmarks"]
    assert [part["benchmark"]["name"] for part in parts] == [
        "Arena pairs with Claude Opus 4",
        "Korean pairs",
    ]
    assert [part["candidates"][0]["figure"]["n"] for part in parts] == [877, 50]


def test_reading_r103_an_answer_from_old_figures_says_so_and_how_to_measure_again() -> None:
    """Their verdicts were published by 3 January 2026; 180 days later is 2 July."""
    arena, _ = run(ROOT, "which", "--domain", "preference", *DAY).stdout.splitlines()[:2]
    assert "All these figures are too old: measure a judge on verdicts of yours with epc audit" in (
        arena
    )


def test_a_domain_without_judges_says_what_is_public_and_how_to_measure_one() -> None:
    done = run(ROOT, "which", "--domain", "code", *DAY)

    assert done.returncode == 1
    assert "no judge was measured here" in done.stdout
    assert "epc judge pairs pairs.csv --judge MODEL --out verdicts.jsonl" in done.stdout
    assert "epc audit verdicts.jsonl" in done.stdout
    assert "Booyaka101/llm-judge-blind-spot" in done.stdout


def test_a_mistyped_domain_names_near_ones_and_a_budget_without_prices_is_refused() -> None:
    done = run(ROOT, "which", "--domain", "agnet", *DAY)
    assert (done.returncode, "near it: agent" in done.stderr) == (2, True)
    done = run(ROOT, "which", "--domain", "rag", "--budget", "5", *DAY)
    assert (done.returncode, "leave --budget out" in done.stderr) == (2, True)


def test_a_platform_keeps_to_what_it_serves() -> None:
    (part,) = answer("rag", "--platform", "anthropic")["benchmarks"]
    assert {one["judge"] for one in part["candidates"]} == {"claude-opus-4-7", "claude-sonnet-4-6"}
    assert "gpt-5.5" in part["unserved"]
    done = run(ROOT, "which", "--domain", "rag", "--platform", "nowhere", *DAY)
    assert (done.returncode, "nowhere serves no judge" in done.stderr) == (2, True)


def test_python_and_the_tool_of_agents_give_the_answer_of_the_command() -> None:
    day = date(2026, 11, 29)
    printed = run(ROOT, "which", "--domain", "agent", *DAY).stdout.strip()
    assert str(epc.which("agent", registry=str(ROOT), as_of=day)) == printed
    told = Answers(str(ROOT), lambda: day).which_judge("agent")
    assert told.text.startswith(printed)
    assert told.document["benchmarks"] == answer("agent")["benchmarks"]


def test_choices_stand_set_by_set_with_what_a_judge_decides_alone() -> None:
    """Gemini's .989 [.96, 1] of attacked mails lies .08 above Jev's .911 [.88, .94], whose ends
    reach .04, widened .06; mails are all right by both, and tasks .72 [.62, .80], .69 [.59, .78].
    """
    parts = {part["benchmark"]["name"]: part for part in answer("routing")["benchmarks"]}
    assert list(parts) == ["BANKING77", "CLINC150", "Mails", "Attacked mails", "Coding tasks"]
    (jev,) = (c for c in parts["BANKING77"]["candidates"] if c["judge"] == "jev-1.13.0")
    assert jev["alone"]["threshold"] == 1
    assert jev["sides"]["repeat_consistency_all"]["n"] == 9240
    decided = {name for name, part in parts.items() if part["decided"]}
    assert decided == {"BANKING77", "CLINC150", "Attacked mails"}

    printed = run(ROOT, "which", "--domain", "choices", *DAY).stdout
    assert "n 1,050 of 80 items, October 2026" in printed
    assert "always the same label would be right in 0.67" in printed
    assert "alone: no confidence is shown to keep its errors at 5%" in printed
    assert printed.count("  known faults\n") == 1, "one source is five sets"
    assert "† description-copied" in printed, "by the source's own rule Jev leads on CLINC150"
    (sentence,) = (line for line in printed.splitlines() if "CLINC150, which" in line)
    assert sentence.endswith("better than the others; read † before you rely on that.")


def test_the_card_of_a_decision_model_has_each_set_alone_and_the_same_again() -> None:
    card = run(ROOT, "evaluators", "card", "jev-1.13.0", *DAY).stdout
    section = card[card.index("  alone/0.05" if "  alone/0.05" in card else "  alone") :]
    assert "jev-1.13.0/banking77" in section
    assert "from a confidence of 1 on it decides 41%" in section
    assert "repeat_consistency_all" in card
