"""The folders of a campaign's runs, and what is left once all of them are complete."""

from pathlib import Path

from epc.engine.campaign import _forget_answers
from epc.records.campaign import ANSWERS, Campaign


def test_somebody_elses_file_among_the_answers_stays(tmp_path: Path) -> None:
    other_path = tmp_path / ANSWERS / "x" / "notes.txt"
    other_path.parent.mkdir(parents=True)
    other_path.write_text("mine")

    _forget_answers(tmp_path, Campaign(schema_version=2, id="0" * 16, runs=()))

    assert other_path.read_text() == "mine"
