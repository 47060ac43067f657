"""The small picture of a row."""

from datetime import date
from html import unescape
from pathlib import Path
from typing import Any

from registry_support import Checkout

from epc.protocol.weights import UpdateRule
from epc.simulation.noise import blind_band
from epc.site.charts import spark
from epc.site.collecting import collect
from epc.site.pages import SnapshotPage

READ = "substantial, within coin-flip range"


def row(folder: Path, **given: Any) -> SnapshotPage:
    made = Checkout(folder)
    made.publish("v1.0-Judge-1", **given)
    return collect(folder, as_of=date(2026, 4, 1), address="").snapshots[0]


def test_a_row_is_drawn_on_a_coin_flip_where_it_has_no_floor_of_its_own(tmp_path: Path) -> None:
    coin = blind_band(strategies=11, rounds=30, rule=UpdateRule())["gamma"]

    drawn = unescape(spark(row(tmp_path).row))

    assert f"gamma 1.100 (no interval), {READ}" in drawn
    assert f"a coin flip {coin.mean:.2f}" in drawn
    assert drawn.count("<rect") == 1
    assert drawn.count("<circle") == 1


def test_a_variant_with_another_coin_is_drawn_without_a_band(tmp_path: Path) -> None:
    drawn = spark(row(tmp_path, protocol_version="EPC-v1.0-AltRounds").row)

    assert "<rect" not in drawn
    assert "<circle" in drawn
