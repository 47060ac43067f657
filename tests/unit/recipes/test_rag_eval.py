"""Relevance of passages beside NIST's grades, as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any, Final

from observed_sources_support import fields, rows, write
from recipes import rag_eval

from epc.records.verdicts.converting import Request

_OPUS: Final = "Claude Opus 4.7 (OpenRouter)"
_PAIRS: Final = [["t1", "p1"], ["t1", "p2"]]


def _files(scores: list[int | None]) -> dict[str, Any]:
    common = {"pair_index": _PAIRS, "human_scores": [3, 0]}
    return {
        "results/trec-rag-2024_judges.json": {**common, "per_judge_scores": {_OPUS: scores}},
        "results/intra_judge_consistency.json": {
            **common,
            "per_judge": {_OPUS: {"runs": [[2, 0], [2, 1]]}},
        },
        "results/umbrela_baseline_trec_rag_2024.json": {**common, "umbrela_scores": [1, 0]},
        "src/eval_llm_judge.py": "prompt",
    }


def test_reading_r77_rag_eval_a_null_is_unreadable_and_askings_in_other_form_are_a_setting(
    tmp_path: Path,
) -> None:
    actual_rows = rows(rag_eval.convert, tmp_path, _files([2, None]))

    assert fields(actual_rows, "setting", "item", "a_score", "human_score", "repeat") == [
        ("claude-opus-4-7/once", "t1/p1", 2.0, 3.0, None),
        ("claude-opus-4-7/once", "t1/p2", None, 0.0, None),
        ("claude-opus-4-7/again", "t1/p1", 2.0, 3.0, None),
        ("claude-opus-4-7/again", "t1/p2", 0.0, 0.0, None),
        ("claude-opus-4-7/again", "t1/p1", 2.0, 3.0, 1),
        ("claude-opus-4-7/again", "t1/p2", 1.0, 0.0, 1),
        ("UMBRELA", "t1/p1", 1.0, 3.0, None),
        ("UMBRELA", "t1/p2", 0.0, 0.0, None),
    ]
    assert actual_rows[1]["verdict"] == "unreadable"
    assert len({row["question_sha256"] for row in actual_rows}) == 1, "a topic is the item"


def test_reading_r77_rag_eval_prompts_differ_and_a_grade_off_the_scale_is_a_finding(
    tmp_path: Path,
) -> None:
    done = rag_eval.convert(write(tmp_path / "whole", _files([2, 1])), Request())
    assert done.header
    prompts = {name: setting.prompt for name, setting in done.header.settings.items()}
    digests = {name: prompt.sha256 for name, prompt in prompts.items()}
    assert digests["claude-opus-4-7/once"] != digests["claude-opus-4-7/again"]
    assert done.header.source.licence == "CC-BY-4.0", "of results/*.json, not that of the code"

    wrong = rag_eval.convert(write(tmp_path / "wrong", _files([2, 7])), Request())
    assert [finding.problem for finding in wrong.findings] == ["has the score 7"]
