"""WMT25's scores of segments, as verdicts (Reading R77)."""

from pathlib import Path

from observed_sources_support import fields, rows
from recipes import wmt25


def test_reading_r77_wmt25_each_segment_of_a_document_is_a_score_by_two_judges(
    tmp_path: Path,
) -> None:
    scores = {"GEMBA-ESA-GPT4.1": [90, 70], "GEMBA-ESA-CMDA": [95, None], "XCOMET-XL": [0.1, 0.2]}
    document = {"language_pair": "cs-de", "domain": "news", "document_id": "D"}
    line = {**document, "metric_scores": scores}

    actual_rows = rows(wmt25.convert, tmp_path, {"data/automatic_scores/Sys.jsonl": [line]})

    assert fields(actual_rows, "setting", "item", "a_score", "verdict") == [
        ("gpt-4.1", "cs-de/D/0/Sys", 90.0, None),
        ("gpt-4.1", "cs-de/D/1/Sys", 70.0, None),
        ("command-a", "cs-de/D/0/Sys", 95.0, None),
        ("command-a", "cs-de/D/1/Sys", None, "unreadable"),
    ]
