"""The files of a study."""

from pathlib import Path

from studies.words.tables import write_texts


def test_texts_are_written_into_a_folder_that_is_made_and_again_into_one_that_is_there(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "deep" / "study"

    write_texts({"a.csv": "1\n"}, folder)
    written = write_texts({"a.csv": "2\n", "b.csv": "3\n"}, folder)

    assert written == [folder / "a.csv", folder / "b.csv"]
    assert [path.read_text() for path in written] == ["2\n", "3\n"]
