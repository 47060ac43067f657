"""Asking the evaluator of a measurement again, each pair twice."""

import asyncio
from pathlib import Path

from engine_support import DAY, unwatched
from records_support import make_run

from epc.analysis.spot_checking import Drawn
from epc.engine.budget import Limits
from epc.engine.panel import ask_twice
from epc.records.calls import asked_by_run
from epc.records.recompute import load_manifest


def test_each_pair_is_asked_twice_in_its_own_words(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", exhaustive=True).folder
    manifest = load_manifest(folder)
    asked = asked_by_run(manifest, folder)
    drawn = [
        Drawn(domain=d, strategy=s, task=t, prompt=each.text, recorded=each.raw)
        for (d, s, t), each in list(asked.items())[:3]
    ]

    identity, calls = asyncio.run(
        ask_twice(
            manifest,
            asked,
            drawn,
            name="mock/deterministic",
            clock=lambda: DAY,
            watch=unwatched,
            limits=Limits(cache=False),
        )
    )

    assert identity.model == "mock/deterministic"
    assert [tuple(call.prompt for call in pair) for pair in calls] == [
        (each.prompt, each.prompt) for each in drawn
    ]
    assert [pair[0].answer for pair in calls] == [each.recorded for each in drawn]
    assert len({call.id for pair in calls for call in pair}) == 6
