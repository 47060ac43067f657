"""Claims held against a passage, as verdicts pass and fail (Reading R77)."""

from pathlib import Path

from observed_sources_support import fields, rows
from recipes import faithfulness_judge

_CLAIMS = """
claims:
- {claim_id: c1, context_id: x, variant: helpful, label: supported}
- {claim_id: c2, context_id: x, variant: helpful, label: partial}
- {claim_id: c3, context_id: y, variant: assertive, label: unsupported}
- {claim_id: c4, context_id: y, variant: assertive, label: na}
"""
_JUDGED = """
meta: {judge_model: claude-opus-4-8, judged_at: '2026-07-18T21:42:27+00:00'}
judgments:
- {claim_id: c1, judge_label: supported}
- {claim_id: c2, judge_label: supported}
- {claim_id: c3, judge_label: null}
- {claim_id: c4, judge_label: unsupported}
"""


def test_reading_r77_faithfulness_judge_partly_is_fail_and_no_claim_is_left_out(
    tmp_path: Path,
) -> None:
    files = {"data/claims.yaml": _CLAIMS, "data/judgments_opus.yaml": _JUDGED}

    actual_rows = rows(faithfulness_judge.convert, tmp_path, files)

    assert fields(actual_rows, "item", "verdict", "gold", "date") == [
        ("c1", "a", "a", "2026-07-18"),
        ("c2", "a", "b", "2026-07-18"),
        ("c3", "unreadable", "b", "2026-07-18"),
    ]
    assert len({row["question_sha256"] for row in actual_rows}) == 2, "a passage is the item"
