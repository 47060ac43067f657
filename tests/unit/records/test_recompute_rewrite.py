"""`epc validate --write` brings a manifest in line with its trials, or leaves it alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from records_support import Run

from epc.errors import MalformedError
from epc.records.recompute import rewrite


def contents(run: Run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.folder.iterdir()}


def test_writing_a_true_record_again_changes_no_byte(flip: Run) -> None:
    before = contents(flip)

    outcome = rewrite(flip.folder / "manifest.json", write=True)

    assert outcome.written == ["weights.jsonl", "manifest.json"]
    assert contents(flip) == before


def _gamma(manifest: Any) -> None:
    manifest["results"]["per_seed"][1]["gamma"]["text_to_visual"] += 0.25


def _weights(manifest: Any) -> None:
    weights = manifest["results"]["per_seed"][0]["weights"]["text"]
    weights["synthesis"] += 0.01


def _summary(manifest: Any) -> None:
    manifest["results"]["summary"]["jsd"]["visual_to_text"]["ci95"] = None


def _seeds(manifest: Any) -> None:
    del manifest["results"]["per_seed"][2]


def _raw(manifest: Any) -> None:
    manifest["raw"]["weights"]["sha256"] = "0" * 64


@pytest.mark.parametrize("tamper", [_gamma, _weights, _summary, _seeds, _raw])
def test_epc_2_5_d_writing_restores_what_was_tampered_with_to_the_byte(
    flip: Run, tamper: Callable[[Any], None]
) -> None:
    before = contents(flip)
    manifest = flip.manifest()
    tamper(manifest)
    flip.save(manifest, described=False)
    assert not flip.validate().ok

    rewrite(flip.folder, write=True)

    assert contents(flip) == before
    assert flip.validate().findings == []


def test_epc_2_5_b_writing_restores_the_weights_file(flip: Run) -> None:
    before = contents(flip)
    flip.edit_row("weights", 0, weight=0.5)
    assert not flip.validate().ok

    rewrite(flip.folder, write=True)

    assert contents(flip) == before


def test_what_differs_is_named_and_nothing_is_written_unasked(flip: Run) -> None:
    flip.edit(_gamma)
    before = contents(flip)

    outcome = rewrite(flip.folder, write=False)

    assert outcome.changed == ["/per_seed/1/gamma/text_to_visual"]
    assert outcome.written == []
    assert contents(flip) == before


@pytest.mark.parametrize(
    "change",
    [{"raw": "A "}, {"u_strategy": 0.5}, {"evaluation": "0" * 20}, {"response": None}],
)
def test_nothing_is_written_while_a_trial_does_not_fit(flip: Run, change: dict[str, Any]) -> None:
    # The call, not the verdict, is at odds: the seed can be replayed and results exist.
    row = flip.rows("trials")[0]
    if "raw" in change:
        change = {"raw": f"{row['verdict']} "}
    flip.edit_row("trials", 0, **change)
    flip.edit(_gamma)
    before = contents(flip)

    outcome = rewrite(flip.folder, write=True)

    assert outcome.findings
    assert outcome.written == []
    assert contents(flip) == before


def test_nothing_is_written_while_a_seed_is_missing(flip: Run) -> None:
    flip.save_rows("trials", flip.rows("trials")[:-1])
    before = contents(flip)

    with pytest.raises(MalformedError):
        rewrite(flip.folder, write=True)

    assert contents(flip) == before


def test_nothing_is_written_while_a_call_does_not_fit(flip: Run) -> None:
    rows = flip.rows("calls")
    flip.save_rows("calls", [*rows, rows[0]])
    before = contents(flip)

    assert rewrite(flip.folder, write=True).written == []
    assert contents(flip) == before


def test_reading_r42_a_calibration_that_accuracies_add_is_no_difference_and_any_other_is(
    flip: Run, tmp_path: Path
) -> None:
    table = tmp_path / "accuracy.csv"
    names = [strategy["name"] for strategy in flip.manifest()["strategies"]]
    table.write_text("strategy,accuracy\n" + "".join(f"{name},0.5\n" for name in names))
    flip.edit(_gamma)

    alone, added = (
        rewrite(flip.folder, write=False),
        rewrite(flip.folder, write=False, accuracy=table),
    )

    assert alone.changed == added.changed != []
    assert added.manifest.document["accuracy"] is not None
