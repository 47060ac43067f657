"""Composo's scores of four answers as verdicts of pairs (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import write
from recipes.composo import convert, pair

from epc.records.observed.converting import Conversion, Request

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
    found = convert(write(folder, {"judge.py": PROMPTS, **raw}), Request())
    assert not found.findings
    return found


def of_right(found: Conversion) -> list[tuple[Any, ...]]:
    """Return each verdict's item, asking, and the scores of the right answer and the other."""
    said = []
    for row in map(msgspec.to_builtins, found.rows):
        right, other = (f"{side}_score" for side in ("ab" if row["gold"] == "a" else "ba"))
        said.append((row["item"], row.get("repeat", 0), row.get(right), row.get(other)))
    return said


def test_reading_r77_composo_the_first_answer_stands_against_each_other_in_each_asking(
    tmp_path: Path,
) -> None:
    line = scored("nano", [[9, 8], [1, 2], [3, 4], [5, 6]])

    assert of_right(converted(tmp_path, base_nano_k8=line)) == [
        ("Math/7/1", 0, 9.0, 1.0),
        ("Math/7/1", 1, 8.0, 2.0),
        ("Math/7/2", 0, 9.0, 3.0),
        ("Math/7/2", 1, 8.0, 4.0),
        ("Math/7/3", 0, 9.0, 5.0),
        ("Math/7/3", 1, 8.0, 6.0),
    ]


def test_reading_r77_composo_the_right_answer_is_a_in_about_half_of_the_pairs() -> None:
    sides = [pair("Math", str(number), 1)[1] for number in range(400)]

    assert 150 < sides.count("a") < 250  # five standard deviations of a fair coin


@pytest.mark.parametrize(
    ("why", "verdicts", "left_out"),
    [
        ("empty_response (finish_reason=content_filter)", ["unreadable"] * 3, {}),
        ("no_score_found", ["unreadable"] * 3, {}),
        ("max_retries_exceeded", [], {"pairs with a score that a failed request left out": 3}),
        ("cli_error (rc=1): ", [], {"pairs with a score that a failed request left out": 3}),
    ],
)
def test_reading_r4_composo_a_failed_request_is_no_answer_and_a_filtered_one_is_unreadable(
    tmp_path: Path, why: str, verdicts: list[str], left_out: dict[str, int]
) -> None:
    line = scored("full", [[9, None], [1, 2], [3, 4], [5, 6]], why=why)

    found = converted(tmp_path, base_both_k8=line)

    stated = [row.verdict for row in found.rows if row.verdict is not msgspec.UNSET]
    assert (stated, found.header and found.header.left_out) == (verdicts, left_out)


def test_reading_r27_composo_what_the_client_adds_makes_another_setting(tmp_path: Path) -> None:
    scores: list[list[int | None]] = [[9, 8], [1, 2], [3, 4], [5, 6]]
    found = converted(
        tmp_path,
        base_both_k8=scored("full", scores),
        base_claude_both_k8=scored("full", scores, tokens=8 * 300),
        criteria_claude_both_k8=scored("full", scores, tokens=8 * 25_000),
    )

    assert found.header is not None
    settings = found.header.settings
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
    found = converted(
        tmp_path, **{"base_full_k8_t0.3": line, "cal-low_both": line, "combined": line}
    )

    assert found.header is not None
    settings = found.header.settings
    decoding = {name: each.decoding["temperature"] for name, each in settings.items()}  # type: ignore[index]
    assert decoding == {"gpt-5.4/base/t0.3": 0.3, "gpt-5.4/cal-low": 1, "gpt-5.4/combined": 1}
    assert settings["gpt-5.4/cal-low"].prompt.sha256 != settings["gpt-5.4/combined"].prompt.sha256
