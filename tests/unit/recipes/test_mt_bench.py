"""MT-Bench's pairs: two verdicts of a pair, and who won by name (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import judged, mt_bench, write
from recipes import mt_bench as shape

from epc.records.verdicts.converting import Conversion, Request, digest

DATA = "fastchat/llm_judge/data"
NEXT_DAY = 1717243200.0 + 86_400  # 2024-06-02T12:00Z


def field_values(found: Conversion, *fields: str) -> list[tuple[Any, ...]]:
    rows = [msgspec.to_builtins(row) for row in found.rows]
    return [tuple(row.get(field) for field in fields) for row in rows]


def of_pairs(folder: Path, *entries: dict[str, Any]) -> Conversion:
    source = write(
        mt_bench(folder), {f"{DATA}/mt_bench/model_judgment/gpt-x_pair.jsonl": list(entries)}
    )
    return shape.convert(source, Request())


def test_reading_r77_mt_bench_a_pair_asked_again_is_a_repeat(tmp_path: Path) -> None:
    conversion = of_pairs(tmp_path, judged(1, "tie", "tie"), judged(1, "tie", "model_1"))

    assert field_values(conversion, "first", "repeat") == [
        ("a", None),
        ("b", None),
        ("a", 1),
        ("b", 1),
    ]


@pytest.mark.parametrize(
    ("more", "question"), [({}, "Why?"), ({"turn": 2}, "Why?\n\nAnd then?")], ids=["1", "2"]
)
def test_reading_r77_mt_bench_a_later_turn_asks_all_turns_up_to_it(
    more: dict[str, Any], question: str, tmp_path: Path
) -> None:
    conversion = of_pairs(tmp_path, judged(1, "tie", "tie", **more))

    assert field_values(conversion, "question_sha256") == [(digest(question),)] * 2


@pytest.mark.parametrize(
    ("days", "stated"),
    [((NEXT_DAY, NEXT_DAY), "2024-06-02"), ((1717243200.0, NEXT_DAY), "unknown")],
    ids=["one day", "two days"],
)
def test_reading_r77_mt_bench_a_setting_has_the_day_that_all_its_verdicts_share(
    days: tuple[float, float], stated: str, tmp_path: Path
) -> None:
    pairs = [judged(index, "tie", "tie", tstamp=day) for index, day in enumerate(days, 1)]

    conversion = of_pairs(tmp_path, *pairs)

    assert conversion.header is not None
    assert conversion.header.settings["gpt-x/pair"].date == stated


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (judged(9, "tie", "tie"), f"question 9, turn 1 is not in {DATA}/mt_bench/question.jsonl"),
        (judged(1, "tie", "tie", turn=0), "question 1, turn 0 is not in"),
        (judged(1, "tie", "tie", turn=3), "question 1, turn 3 is not in"),
        (
            judged(1, "tie", "tie", g2_user_prompt=judged(1, "tie", "tie")["g1_user_prompt"]),
            "the prompts do not show the same two answers in both orders",
        ),
        (
            judged(1, "tie", "tie", judge=["gpt-x", "lost"]),
            f"prompt 'lost' is not in {DATA}/judge_prompts.jsonl",
        ),
    ],
)
def test_reading_r77_mt_bench_an_entry_that_does_not_fit_is_a_finding_with_its_line(
    entry: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    conversion = of_pairs(tmp_path, judged(1, "tie", "tie"), entry)

    assert conversion.header is None
    (finding,) = conversion.findings
    assert finding.where.endswith("gpt-x_pair.jsonl:2")
    assert finding.problem.startswith(problem)
