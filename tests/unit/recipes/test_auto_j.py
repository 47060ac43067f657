"""Auto-J's outputs as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

from observed_sources_support import write
from recipes.auto_j import convert

from epc.records.verdicts.converting import Conversion, Request

TEST, OUTPUTS = "data/test/testdata_pairwise.jsonl", "data/outputs"


def pair(label: int) -> dict[str, Any]:
    said = {"response 1": "one", "response 2": "two"}
    return {"scenario": "email", "label": label, "prompt": "write", **said}


def converted(folder: Path, *, plain: list[int], turned: list[int]) -> Conversion:
    files = {
        TEST: [pair(0), pair(2)],
        f"{OUTPUTS}/pairwise_example_output.jsonl": [{"output": n} for n in plain],
        f"{OUTPUTS}/pairwise_exchange_example_output.jsonl": [{"output": n} for n in turned],
    }
    return convert(write(folder, files), Request())


def test_reading_r77_auto_j_files_of_unequal_length_belong_to_nothing(tmp_path: Path) -> None:
    conversion = converted(tmp_path, plain=[0], turned=[0, 1])

    assert conversion.header is None
    assert any("files of 2, 1 lines" in str(finding) for finding in conversion.findings)
