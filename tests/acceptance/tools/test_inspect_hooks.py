"""Inside Inspect AI: a real `inspect eval` with Inspect's mock models and the installed program."""

import json
import os
import shutil
import subprocess
from importlib.metadata import distribution
from pathlib import Path

import pytest
from engine_support import PATIENCE_S
from installed_support import Installed
from program_support import as_text, run_program

TASK = Path(__file__).with_name("inspect_task.py")
pytestmark = pytest.mark.slow


def evaluated(installed: Installed, folder: Path, *arguments: str) -> str:
    """Run `inspect eval`; Inspect is that of this environment, the program is the installed one."""
    shutil.copy(TASK, folder / "task.py")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "INSPECT_DISPLAY": "plain",
        "PYTHONPATH": str(distribution("inspect-ai").locate_file("")),
        "SOURCE_DATE_EPOCH": "1795694400",  # 2026-11-26 at 12:00 in UTC
    }
    main = "import sys; from inspect_ai._cli.main import main; sys.argv[0] = 'inspect'; main()"
    command = [str(installed.python), "-c", main, "eval", "task.py", "--epochs", "2", *arguments]
    done = subprocess.run(
        [*command, "--max-samples", "1"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def recorded(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the one verdict file of an `inspect eval` with the flag, and what was printed."""
    folder = tmp_path_factory.mktemp("recorded")
    text = evaluated(installed, folder, "--env", "EPC_VERDICTS=verdicts")
    (file,) = (folder / "verdicts").iterdir()
    return file, text


def test_one_flag_records_every_verdict_and_says_what_is_known_of_the_judge(
    recorded: tuple[Path, str],
) -> None:
    file, text = recorded

    header, *rows = map(json.loads, file.read_text().splitlines())
    # Each of three samples was graded in two epochs, and one of these grades was another one.
    asked = sorted((row["item"].split("/")[1], row.get("repeat", 0)) for row in rows)
    assert asked == [(sample, repeat) for sample in "123" for repeat in (0, 1)]
    assert sorted(row["a_score"] for row in rows) == [0, 1, 1, 1, 1, 1]
    assert header["left_out"] == {"scores without a model's grading": 6}
    (setting,) = header["settings"].values()
    assert setting["judge"]["model"] == "gpt-4-0613"
    assert "hooks enabled: 1" in text
    assert f"epc: 6 verdicts in verdicts/{file.name}" in text
    assert "judge gpt-4-0613 (openai) expired since 2026-10-23 (retired)." in text
    assert "named gpt-5.6-sol instead" in text
    assert "score_repeat_exact 0.667 (too few items), n 3" in text
    assert f"all figures: epc audit verdicts/{file.name}" in text
    # Grades of 0 and 1 are within a point of each other, whatever was said.
    assert "within_1" not in text


def test_the_audit_of_such_a_file_names_the_run_and_its_day(recorded: tuple[Path, str]) -> None:
    file, _ = recorded
    header, *rows = map(json.loads, file.read_text().splitlines())
    (day,) = {row["date"] for row in rows}

    printed = as_text(run_program("audit", file)).stdout
    assert printed.splitlines()[0] == f"sums, writer, {day}: 6 verdicts"
    assert header["source"]["name"] == f"sums, writer, {day}"
    assert f"prompt model_graded_qa, date {day} stated; decoding not stated" in printed
    assert "within 1" not in printed


def test_labels_by_people_are_added_as_the_page_says(
    recorded: tuple[Path, str], tmp_path: Path
) -> None:
    """A table of items and what is right, by the items' names in the verdict file."""
    file, _ = recorded
    _, *rows = map(json.loads, file.read_text().splitlines())
    items = sorted({row["item"] for row in rows})
    labels = tmp_path / "labels.csv"
    labels.write_text("item,gold\n" + "".join(f"{item},pass\n" for item in items))

    done = as_text(run_program("audit", file, "--gold", labels))

    assert done.returncode == 0, done.stderr
    # The judge gave 1 in five of six gradings, which is what a pass is worth.
    (line,) = [line for line in done.stdout.splitlines() if "the same score as people" in line]
    assert "0.833" in line


def test_without_the_flag_nothing_is_recorded(installed: Installed, tmp_path: Path) -> None:
    text = evaluated(installed, tmp_path)

    assert "epc" not in text
    assert not (tmp_path / "verdicts").exists()
