"""Every file of designs/invalid is a test: dropping one in adds the case.

At the end of a line stands what `epc design check` must find in it, and it may find nothing else:
`# expect: CLAUSE`, with `x3` for three of them.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from program_support import as_text, run_program

INVALID = sorted((Path(__file__).parent / "designs" / "invalid").iterdir())


def expected(text: str) -> Counter[tuple[int, str]]:
    counts: Counter[tuple[int, str]] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        _, _, said = line.partition("# expect: ")
        for part in filter(None, said.split(", ")):
            clause, _, times = part.partition(" x")
            counts[number, clause] += int(times or 1)
    return counts


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_epc_2_8_a_bad_design_gets_all_findings_at_once_each_with_its_line(path: Path) -> None:
    wanted = expected(path.read_text("utf-8"))
    assert wanted

    done = run_program("design", "check", path, "--format", "json")

    report = json.loads(done.stdout)
    counts = Counter((finding["line"], finding["clause"]) for finding in report["findings"])
    assert counts == wanted, "\n".join(map(str, report["findings"]))
    assert (done.returncode, report["ok"]) == (1, False)


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_a_bad_design_is_not_run_and_every_line_of_it_is_named(path: Path, tmp_path: Path) -> None:
    mocks = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")

    done = as_text(run_program("run", "--design", path, *mocks, "--out", tmp_path / "run"))

    assert done.returncode == 2
    named = {int(number) for number in re.findall(rf"{path.name}:(\d+): ", done.stderr)}
    assert named == {line for line, _ in expected(path.read_text("utf-8"))}
    assert not (tmp_path / "run").exists()
