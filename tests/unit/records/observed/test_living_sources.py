"""Seven sources with judges that are served today, as verdicts (Reading R77)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import write
from recipes import (
    agreement_harness,
    arena_claude,
    debate,
    judgment_battery,
    ssafy,
    uijudge,
    wmt25,
)

from epc.records.observed.converting import Conversion, Request
from epc.records.observed.work import Work

Convert = Callable[[Path, Request], Conversion]


def rows(convert: Convert, folder: Path, files: dict[str, Any]) -> list[dict[str, Any]]:
    found = convert(write(folder, files), Request())
    assert not found.findings
    return [msgspec.to_builtins(row) for row in found.rows]


def fields(found: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row.get(name) for name in names) for row in found]


def test_reading_r77_arena_claude_a_pick_stands_beside_a_person_s_choice(tmp_path: Path) -> None:
    pair = {"model_a": "claude", "model_b": "other"}
    judged = [
        {"id": "1", **pair, "human_winner": "model_b", "judge_pick": "A"},
        {"id": "2", **pair, "human_winner": "model_a", "judge_pick": None},
    ]

    found = rows(arena_claude.convert, tmp_path, {"data/judge_results/x_vs_y_j-5.2.json": judged})

    assert fields(found, "setting", "subset", "verdict", "humans") == [
        ("j-5.2", "x_vs_y", "a", ("b",)),
        ("j-5.2", "x_vs_y", "unreadable", ("a",)),
    ]


def said(order: str, verdict: str, **more: Any) -> dict[str, Any]:
    fixed = {"question_id": 91, "model_a": "one", "model_b": "two", "verdict_raw": "[[?]]"}
    about = {"judge_model": "j", "temperature": 0.0, "ts": "2026-08-06T20:26:47+00:00"}
    return {**fixed, "parse_ok": True, **about, "order": order, "verdict": verdict, **more}


def test_reading_r77_agreement_harness_a_verdict_is_a_place(tmp_path: Path) -> None:
    answers = [
        said("ab", "model_a"),
        said("ba", "model_a"),
        said("ba", "tie"),
        said("ab", "model_b"),
    ]
    answers += [said("ab", "tie", parse_ok=False)] * 96
    files = {"results/runs/full.jsonl": answers, "results/runs/trial.jsonl": answers[:4]}

    found = rows(agreement_harness.convert, tmp_path, files)

    assert len(found) == 100
    assert fields(found, "first", "verdict")[:5] == [
        ("a", "a"),
        ("b", "b"),
        ("b", "tie"),
        ("a", "b"),
        ("a", "unreadable"),
    ]
    assert fields(found, "subset", "date")[0] == ("roleplay", "2026-08-06")


REPORT = """# Report
- topic_id: `prop_1`

## Debate A

- debate_id: `d0`
- roles: PRO = **Big (high)**, CON = **Small**

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Judge One | Big (high) | +2.3 | +2.30 | 6.0 |
| Judge Two | Small | -0.4 | -0.40 | 7.0 |

## Debate B

- debate_id: `d1`
- roles: PRO = **Small**, CON = **Big (high)**

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Judge One | Big (high) | -1.0 | +1.00 | 6.0 |
"""


def test_reading_r77_debate_exchanged_roles_are_another_item(tmp_path: Path) -> None:
    name = "reports/debate_matchup_judgments/x/matchup-judgment-prop_1.md"

    found = rows(debate.convert, tmp_path, {name: REPORT})

    assert fields(found, "item", "setting", "verdict", "a_by", "b_by", "first") == [
        ("d0", "Judge One", "a", "Big (high)", "Small", None),
        ("d0", "Judge Two", "b", "Big (high)", "Small", None),
        ("d1", "Judge One", "b", "Small", "Big (high)", None),
    ]


@pytest.mark.parametrize(
    ("answer", "refused", "verdict"),
    [
        ("yes", False, "a"),
        ("no", False, "b"),
        ("perhaps", False, "unreadable"),
        ("no", True, "unreadable"),
    ],
)
def test_reading_r77_uijudge_an_answer_is_a_verdict_and_a_page_a_cluster(
    tmp_path: Path, *, answer: str, refused: bool, verdict: str
) -> None:
    about = {"page_id": "p", "judge": "x:v4", "runs": [{"raw": "words"}], "refused": False}
    answers = [
        {**about, "item_id": "i1", "task_level": "L1", "answer": answer, "refused": refused},
        {**about, "item_id": "i2", "task_level": "L4", "answer": "yes"},
        {**about, "item_id": "i3", "task_level": "L3", "answer": {"box": [1, 2]}},
    ]
    labels = [{"item_id": "i1", "ground_truth": "no"}, {"item_id": "i3", "ground_truth": {"x": 1}}]
    files = {"reports/predictions_x.jsonl": answers, "labels/items.jsonl": labels}

    found = rows(uijudge.convert, tmp_path, files)

    assert fields(found, "item", "verdict", "gold") == [("i1", verdict, "b"), ("i2", "a", None)]
    assert found[0]["a_sha256"] == found[1]["a_sha256"]
    assert found[0]["b_sha256"] != found[1]["b_sha256"]


def test_reading_r24_judgment_battery_a_rank_is_a_score_turned_round(tmp_path: Path) -> None:
    about = {"dilemma_id": "A1", "category": "A", "timestamp": "2026-02-01T00:06:54+00:00"}
    ranked = [
        {"model": "gpt-5.1", "rank": 1, "avg_rank": 1.5},
        {"model": "gemini-3-pro", "rank": 2, "avg_rank": 1.5},
        {"model": "claude-opus", "rank": 3},
    ]
    file = {
        "run_label": "ablation-B-position",
        "judge_model": "gemini-3-pro-preview",
        "comparisons": [{**about, "rankings": ranked}, about],
    }

    found = rows(
        judgment_battery.convert, tmp_path, {"comparisons/compare_1_ablation-B.json": file}
    )

    assert fields(found, "a_by", "a_score", "setting")[1:] == [
        ("gemini-3-pro", 2.5, "gemini-3-pro/ablation-B-position/unknown"),
        ("claude-opus", 1.0, "gemini-3-pro/ablation-B-position/unknown"),
    ]
    assert len({row["question_sha256"] for row in found}) == 1


def test_reading_r77_wmt25_each_segment_of_a_document_is_a_score_by_two_judges(
    tmp_path: Path,
) -> None:
    scores = {"GEMBA-ESA-GPT4.1": [90, 70], "GEMBA-ESA-CMDA": [95, None], "XCOMET-XL": [0.1, 0.2]}
    document = {"language_pair": "cs-de", "domain": "news", "document_id": "D"}
    line = {**document, "metric_scores": scores}

    found = rows(wmt25.convert, tmp_path, {"data/automatic_scores/Sys.jsonl": [line]})

    assert fields(found, "setting", "item", "a_score", "verdict") == [
        ("gpt-4.1", "cs-de/D/0/Sys", 90.0, None),
        ("gpt-4.1", "cs-de/D/1/Sys", 70.0, None),
        ("command-a", "cs-de/D/0/Sys", 95.0, None),
        ("command-a", "cs-de/D/1/Sys", None, "unreadable"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "licence"),
    [
        ("LICENSE.md", "# MIT License\n", "MIT"),
        ("LICENSE.txt", "Apache License\n", "Apache-2.0"),
        ("LICENSE.md", "# Terms\n", "unknown"),
    ],
)
def test_reading_r77_a_licence_is_that_of_the_file_under_any_of_its_names(
    name: str, text: str, licence: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    work = Work(source=tmp_path, request=Request(), expected="rows")
    work.add("x:1", item="1", setting="j", file="f", a_sha256="0" * 64, a_score=1.0)

    header = work.done(name="s").header

    assert header is not None
    assert header.source.licence == licence


def page(a: str, b: str, said: str) -> str:
    parts = (
        "# T (code)",
        "**문제**\n> Q?\n",
        f"## 🅰️ X\n{a}\n",
        f"## 🅱️ Y\n{b}\n",
        f"## ⚖️ J\n{said}\n",
    )
    return "\n".join(parts)


def test_reading_r77_ssafy_what_was_shown_as_a_is_turned_back_and_bold_is_read(
    tmp_path: Path,
) -> None:
    battle, swap = "battle_20260516_134437_judge-gpt5", "replay_20260516_1_swap"
    judge = {"name": "J", "model": "j-5"}
    at = {"timestamp": "20260516_134437", "judge": judge}
    results = [{"id": "code-1", "category": "code", "winner": "A"}]
    again = [{"id": "code-1", "category": "code", "original_winner": "TIE"}]
    failed = [{"id": "code-2", "category": "code", "original_winner": "ERROR"}]
    files = {
        f"results/{battle}/_results.json": {**at, "results": results},
        f"results/{battle}/code-1.md": page("one", "two", "WINNER: A\nREASON: A."),
        f"results/{swap}/_results.json": {
            **at,
            "from_battle": battle,
            "swap_ab": True,
            "results": again + failed,
        },
        f"results/{swap}/code-1.md": page("two", "one", "**WINNER: A**\n\n**해석**: WINNER: B"),
        "results/human_baseline/progress.json": {"scores": {"code-1": {"human_pick": "B"}}},
        "results/logickor_fights/01.json": {
            "questions": ["Q1", "Q2"],
            "a": {"answers": ["x1", "x2"]},
            "b": {"answers": ["y1", "y2"]},
        },
        "results/logickor_judge_1/_results.json": {
            **at,
            "results": [
                {
                    "id": 1,
                    "category": "수학(Math)",
                    "turns": [
                        {"turn": 1, "winner": "TIE", "raw": "I like both."},
                        {"turn": 2, "winner": "B", "raw": "WINNER: B"},
                    ],
                }
            ],
        },
    }

    found = rows(ssafy.convert, tmp_path, files)

    assert fields(found, "item", "subset", "first", "verdict", "humans") == [
        (f"{battle}/code-1", "code", "a", "a", ("b",)),
        ("logickor/1/1", "math", "a", "unreadable", None),
        ("logickor/1/2", "math", "a", "b", None),
        (f"{battle}/code-1", "code", "b", "b", ("b",)),
    ]
    first, *_, exchanged = found
    assert first["a_sha256"] == exchanged["a_sha256"]
    assert {row["date"] for row in found} == {"2026-05-16"}
