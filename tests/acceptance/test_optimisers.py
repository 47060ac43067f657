"""Real optimisers: the files of the page for strangers, run as they stand, and the demo."""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pytest
from registry_support import ROOT

PAGE = (ROOT / "site" / "docs" / "optimisers.md").read_text("utf-8")
FILES = dict(re.findall(r'```python title="(\S+)"\n(.*?)```', PAGE, re.DOTALL))
# DSPy's packages take 0.4 GB, so it has an environment of its own: CONTRIBUTING.md says how.
DSPY = Path(os.environ.get("EPC_DSPY", ROOT / ".venv-dspy" / "bin" / "python"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def ran(folder: Path, *arguments: str, python: Path = Path(sys.executable)) -> str:
    done = subprocess.run(
        [str(python), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loop_report(folder: Path, name: str) -> dict[str, Any]:
    """Return the report after plan and checks, as the page's commands make it."""
    log, checks = f"{name}.loop.jsonl", f"{name}.checks.jsonl"
    ran(folder, "-m", "epc", "loop", "plan", log, "--test", "test.jsonl", "--gold", "100")
    ran(folder, "-c", f"import work; work.check({name!r})")
    report: dict[str, Any] = json.loads(
        ran(folder, "-m", "epc", "loop", "report", log, checks, "--format", "json")
    )
    return report


def steps_of_final(folder: Path, name: str) -> int:
    plan = json.loads((folder / f"{name}.plan.json").read_bytes())
    kept = map(json.loads, (folder / f"{name}.kept.jsonl").read_text().splitlines())
    values = {row["id"]: row["value"] for row in kept if row["kind"] == "candidate"}
    assert values[plan["seed"]] == {"instruction": "Answer."}
    return int(values[plan["final"]]["instruction"].count("step"))


def is_as_the_page_says(folder: Path, name: str, report: dict[str, Any]) -> bool:
    """The judge pays a point a step, and each step has 4% more of the sums wrong."""
    steps = steps_of_final(folder, name)
    labelled = json.loads((folder / f"{name}.plan.json").read_bytes())["gold"]
    wrong = sum(random.Random(item).random() < 0.04 * steps for item in labelled)
    assert report["believed"]["value"] == report["fresh"]["value"] == steps
    assert report["gold"]["value"] == pytest.approx(-wrong / len(labelled), abs=1e-12)
    assert report["quality"] == "worse"
    return steps > 0


@pytest.mark.extra
def test_reading_r93_gepa_from_the_page(folder: Path) -> None:
    ran(folder, "gepa_run.py")

    assert is_as_the_page_says(folder, "run", loop_report(folder, "run"))


@pytest.mark.extra
@pytest.mark.skipif(
    not DSPY.is_file(), reason=f"DSPy takes 0.4 GB, and no environment with it is at {DSPY}"
)
def test_reading_r93_dspy_from_the_page(folder: Path) -> None:
    ran(folder, "dspy_run.py", python=DSPY)

    assert is_as_the_page_says(folder, "dspy", loop_report(folder, "dspy"))


def test_reading_r93_a_plain_function_from_the_page(folder: Path) -> None:
    ran(folder, "plain_run.py")

    assert is_as_the_page_says(folder, "plain", loop_report(folder, "plain"))


def test_reading_r93_two_tables_from_the_page(folder: Path) -> None:
    ran(folder, "csv_run.py")

    arguments = "loop", "report", "log.csv", "checks.csv", "--format", "json"
    report = json.loads(ran(folder, "-m", "epc", *arguments))

    ran(folder, "-c", "import work")
    items = [json.loads(line)["id"] for line in (folder / "test.jsonl").read_text().splitlines()]
    wrong = sum(random.Random(item).random() < 0.12 for item in items)
    assert report["believed"]["value"] == report["fresh"]["value"] == 3
    assert report["gold"]["value"] == pytest.approx(-wrong / len(items), abs=1e-12)
    assert report["planned"] is False


def processor_s() -> float:
    """Return what the programs that ran here have used, on a busy machine as on an idle one."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.extra
def test_the_demo_runs_gepa_and_ends_with_the_sentence_and_the_picture(tmp_path: Path) -> None:
    begun = processor_s()
    arguments = "-m", "epc", "loop", "demo", "--registry", str(ROOT), "--out"
    first = ran(tmp_path, *arguments, "one")
    took = processor_s() - begun
    second = ran(tmp_path, *arguments, "two")

    assert took < 60
    assert first == second
    assert "Asked again on 400 items that the optimiser never saw" in first
    page = (tmp_path / "one" / "run.html").read_text("utf-8")
    assert "<svg" in page
    assert "metric calls" in page
    logs = [(tmp_path / name / "run.loop.jsonl").read_bytes() for name in ("one", "two")]
    assert logs[0] == logs[1]
