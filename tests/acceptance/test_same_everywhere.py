"""Mock runs are the same on every machine: digests that were written down on one of them.

What is right about these runs is tested elsewhere (the conformance suite, the independent Perl
program). Here only this is asked: does this machine, this Python, this NumPy give the same bytes?
"""

import asyncio
import hashlib
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from epc.engine.request import Request
from epc.engine.session import measure, start

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from epc.engine.progress import Progress

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@asynccontextmanager
async def unwatched(_: "Progress") -> "AsyncIterator[None]":
    yield


def digests(folder: Path) -> dict[str, str]:
    content = {name: (folder / f"{name}.jsonl").read_bytes() for name in ("trials", "weights")}
    results = json.loads((folder / "manifest.json").read_text())["results"]
    content["results"] = json.dumps(results, sort_keys=True).encode()
    return {name: hashlib.sha256(data).hexdigest()[:16] for name, data in content.items()}


@pytest.mark.parametrize(
    ("evaluator", "exhaustive", "recorded"),
    [
        (
            "mock/deterministic",
            True,
            {
                "results": "40c7fbf83983bdd5",
                "trials": "562cdc7424020f22",
                "weights": "d03b006c9c5676a4",
            },
        ),
        (
            "mock/coin-flip",
            False,
            {
                "results": "fc6240cc32aa3c3d",
                "trials": "138bd27fa70015c1",
                "weights": "5e7ac2c2b28f1484",
            },
        ),
    ],
)
def test_epc_2_8_mock_runs_are_the_same_bytes_everywhere(
    tmp_path: Path, evaluator: str, recorded: dict[str, str], *, exhaustive: bool
) -> None:
    request = Request(
        evaluator=evaluator,
        executor="mock/deterministic",
        seeds=[0, 1, 2],
        rounds=30,
        reuse=None,
        exhaustive=exhaustive,
    )
    opened = start(request, tmp_path / "run", now=NOW)
    asyncio.run(measure(opened, tmp_path / "run", clock=lambda: NOW, watch=unwatched))

    assert digests(tmp_path / "run") == recorded
