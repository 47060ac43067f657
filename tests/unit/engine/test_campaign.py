"""The folders of a campaign's runs, and what is left once all of them are complete."""

from pathlib import Path

import pytest

from epc.engine.campaign import _forget_answers, _names
from epc.records.campaign import ANSWERS, Campaign, Member
from epc.records.layout import JOURNAL, MANIFEST


def test_models_whose_names_differ_in_case_alone_have_folders_of_their_own() -> None:
    names = _names(["p/m", "P/M"], ["p/m", "p/m "])

    assert len({name.casefold() for name in names.values()}) == len(names) == 3
    assert names["P/M"].casefold() == f"{names['p/m']}-2"


@pytest.mark.parametrize("complete", [1, 2])
def test_shared_answers_are_removed_once_every_run_has_them(tmp_path: Path, complete: int) -> None:
    runs = tuple(
        Member(folder=name, evaluator=name, executor="x", answers="x") for name in ("a", "b")
    )
    journal = tmp_path / ANSWERS / "x" / JOURNAL
    journal.parent.mkdir(parents=True)
    journal.write_text("")
    for run in runs[:complete]:
        (tmp_path / run.folder).mkdir()
        (tmp_path / run.folder / MANIFEST).write_text("{}")

    _forget_answers(tmp_path, Campaign(schema_version=2, id="0" * 16, runs=runs))

    assert (tmp_path / ANSWERS).exists() == (complete == 1)


def test_somebody_elses_file_among_the_answers_stays(tmp_path: Path) -> None:
    other = tmp_path / ANSWERS / "x" / "notes.txt"
    other.parent.mkdir(parents=True)
    other.write_text("mine")

    _forget_answers(tmp_path, Campaign(schema_version=2, id="0" * 16, runs=()))

    assert other.read_text() == "mine"
