"""The score that a reply states, or its only number (Reading R93)."""

import pytest

from epc.records.verdicts.verdict_words import score_in


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("7", 7.0),
        ("Score: 7.5", 7.5),
        ("7/10", 7.0),
        ("I give it 7 out of 10.", 7.0),
        ('{"score": 0.25, "reason": "2 of 8 are right"}', 0.25),
        ('Here:\n```json\n{"reason": "3 faults", "score": 4}\n```', 4.0),
        ("-2", -2.0),
        ("7. Again: 7", 7.0),
        ("between 6 and 7", None),
        ("6-7", None),
        ("no number", None),
        ('{"score": "high"}', None),
        ('{"verdict": 3}', None),
        ('{"score": true}', None),
        ("GPT-4 would", None),
        ("NaN", None),
    ],
)
def test_reading_r93_a_reply_has_its_stated_score_or_its_only_number(
    reply: str, score: float | None
) -> None:
    assert score_in(reply) == score
