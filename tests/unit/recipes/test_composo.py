"""Composo's scores of four answers, an asking each (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import write
from recipes.composo import convert

from epc.records.verdicts.converting import Conversion, Request, digest

PROMPTS = "\n".join(
    f"{name} = {value!r}"
    for name, value in {
        "RATING_PROMPT": "Rate.",
        "RATING_PROMPT_CRITERIA": "Rate by {criteria}.",
        "TASK_CRITERIA": {"Math": "logic"},
        "RATING_PROMPT_CALIBRATION": "Rate as {cal_score}.",
        "RATING_PROMPT_CALIBRATION_BOTH": "Rate between.",
    }.items()
)


def scored(model: str, scores: list[list[int | None]], tokens: int = 10, **errors: Any) -> Any:
    """Return a line with two askings of each of four answers."""
    reasons = [[None if each else errors["why"] for each in answer] for answer in scores]
    return {
        "id": "7",
        "subset": "Math",
        "k": 2,
        f"{model}_scores": scores,
        f"{model}_errors": reasons,
        "cost": {f"{model}_input_tokens": tokens, f"{model}_output_tokens": 1},
        "refused": False,
    }


def converted(folder: Path, **files: Any) -> Conversion:
    raw = {f"results/raw/{name}.jsonl": [line] for name, line in files.items()}
    conversion = convert(write(folder, {"judge.py": PROMPTS, **raw}), Request())
    assert not conversion.findings
    return conversion


def test_reading_r77_composo_an_asking_is_a_list_whose_first_answer_is_right(
    tmp_path: Path,
) -> None:
    line = scored("nano", [[9, 8], [1, 2], [3, None], [5, 6]], tokens=40, why="no_score_found")

    one, two = map(msgspec.to_builtins, converted(tmp_path, base_nano_k8=line).rows)

    assert (one["item"], one["right"], one["scores"]) == ("Math/7", 0, (9.0, 1.0, 3.0, 5.0))
    assert (two["repeat"], two["scores"]) == (1, (8.0, 2.0, None, 6.0))
    assert one["candidates"] == tuple(digest(f"RewardBench 2/Math/7/{n}") for n in range(4))
    assert (one["input_tokens"], one["output_tokens"]) == (40.0, 0.5)  # one answer of two choices


@pytest.mark.parametrize(
    ("why", "scores", "left_out"),
    [
        ("empty_response (finish_reason=content_filter)", (None, 2.0, 4.0, 6.0), {}),
        ("no_score_found", (None, 2.0, 4.0, 6.0), {}),
        ("max_retries_exceeded", None, {"askings with a score that a failed request left out": 1}),
        ("cli_error (rc=1): ", None, {"askings with a score that a failed request left out": 1}),
    ],
)
def test_reading_r4_composo_a_failed_request_is_no_answer_and_a_filtered_one_is_unreadable(
    tmp_path: Path, why: str, scores: Any, left_out: dict[str, int]
) -> None:
    line = scored("full", [[9, None], [1, 2], [3, 4], [5, 6]], why=why)

    conversion = converted(tmp_path, base_both_k8=line)

    assert conversion.header
    assert conversion.header.left_out == left_out
    assert [row.scores for row in conversion.rows] == [
        (9.0, 1.0, 3.0, 5.0),
        *([scores] if scores else []),
    ]


def test_reading_r26_composo_a_question_without_any_answer_was_asked_all_the_same(
    tmp_path: Path,
) -> None:
    line = scored("full", [[9, 8], [1, 2], [3, 4], [5, 6]])

    conversion = converted(tmp_path, base_both_k8=line, base_claude_both_k8=line | {"id": "8"})

    assert conversion.header
    asked = {name: setting.asked for name, setting in conversion.header.settings.items()}
    assert asked == {"gpt-5.4/base": {"Math": 2}, "claude-sonnet-4-6/base": None}


def test_reading_r27_composo_what_the_client_adds_makes_another_setting(tmp_path: Path) -> None:
    scores: list[list[int | None]] = [[9, 8], [1, 2], [3, 4], [5, 6]]
    conversion = converted(
        tmp_path,
        base_both_k8=scored("full", scores),
        base_claude_both_k8=scored("full", scores, tokens=8 * 300),
        criteria_claude_both_k8=scored("full", scores, tokens=8 * 25_000),
    )

    assert conversion.header is not None
    settings = conversion.header.settings
    assert [*settings] == [
        "gpt-5.4/base",
        "claude-sonnet-4-6/base",
        "claude-sonnet-4-6/criteria/client-context",
    ]
    digests = [settings[name].prompt.sha256 for name in settings]
    assert len({*digests}) == len(digests)
    assert digests[2] == "unknown"


def test_reading_r27_composo_a_temperature_is_that_of_the_name_and_examples_are_other_prompts(
    tmp_path: Path,
) -> None:
    line = scored("full", [[9, 8], [1, 2], [3, 4], [5, 6]])
    conversion = converted(
        tmp_path, **{"base_full_k8_t0.3": line, "cal-low_both": line, "combined": line}
    )

    assert conversion.header is not None
    settings = conversion.header.settings
    decoding = {name: setting.decoding["temperature"] for name, setting in settings.items()}  # type: ignore[index]
    assert decoding == {"gpt-5.4/base/t0.3": 0.3, "gpt-5.4/cal-low": 1, "gpt-5.4/combined": 1}
    assert settings["gpt-5.4/cal-low"].prompt.sha256 != settings["gpt-5.4/combined"].prompt.sha256
