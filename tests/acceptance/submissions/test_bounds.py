"""The largest submissions that get past the door cost bounded time and memory."""

import json
from pathlib import Path
from typing import Any

import pytest
from attack_support import attack
from records_support import epc_measured
from submissions_support import Offered

from epc.registry.submissions.layout import LARGEST, MOST_ROUNDS, MOST_SEEDS

MEGABYTES = 1_100  # of memory; the files have 96 at most
SECONDS = 30  # of processor time; a workflow gives it 30 minutes


def smallest_call(submission: Offered) -> str:
    row = {**submission.run.rows("calls")[0], "prompt": "", "answer": ""}
    return json.dumps(row, separators=(",", ":"))


@pytest.mark.slow
@attack("bounds")
@pytest.mark.parametrize("case", ["calls", "brackets", "work"])
def test_a_submission_of_the_largest_size_is_refused_in_bounded_time_and_memory(
    case: str, honest: Offered, tmp_path: Path
) -> None:
    folder = honest.folder
    if case == "calls":
        line = f"{smallest_call(honest)}\n".encode()
        size = LARGEST["calls.jsonl"] - 2**20
        (folder / "calls.jsonl").write_bytes(line * (size // len(line)))
    elif case == "brackets":
        text = '{"a":[' + "[]," * 5_000_000 + "0]}"
        (folder / "manifest.json").write_text(text[: LARGEST["manifest.json"]])
    else:  # small files that ask for all that a manifest may ask for

        def ask(manifest: Any) -> None:
            manifest["config"] |= {"seeds": list(range(MOST_SEEDS)), "rounds": MOST_ROUNDS}

        honest.manifest(ask)

    done = epc_measured(
        tmp_path, "submission", "check", folder, "--base", honest.checkout, "--format", "json"
    )

    assert done.code == 1, done.stderr
    assert json.loads(done.stdout)["ok"] is False
    assert len(done.stdout) < 200_000
    assert done.megabytes < MEGABYTES
    assert done.seconds < SECONDS
