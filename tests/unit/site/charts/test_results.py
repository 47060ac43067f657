"""The picture of a snapshot: which figures it has, on which scale, and a row's small one."""

from datetime import date
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from registry_support import Checkout

from epc.protocol.weights import UpdateRule
from epc.simulation.training import Band, blind_band
from epc.site.charts import spark
from epc.site.charts.results import result_chart, stated_chart
from epc.site.collecting import collect
from epc.site.pages import SnapshotPage

READ = "substantial, within coin-flip range"


def row(folder: Path, **fields: Any) -> SnapshotPage:
    checkout = Checkout(folder)
    checkout.publish("v1.0-Judge-1", **fields)
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


def figure(value: float, low: float | None = None, high: float = 0.0) -> dict[str, Any]:
    return {"mean": value, "value": value, "ci95": None if low is None else [low, high]}


def test_what_a_judge_said_is_in_percent_with_what_was_invalid() -> None:
    shares = {"PASS": figure(0.5, 0.25, 0.75), "PARTIAL": figure(0.25), "FAIL": {"mean": None}}
    judgments: Any = SimpleNamespace(
        about="judgments", failed=False,
        snapshot=SimpleNamespace(figures={"verdict": shares, "invalid": figure(0.125, 0.1, 0.2)}),
    )  # fmt: skip

    forest = result_chart(judgments, None)

    assert forest is not None
    (panel,) = forest.panels
    assert [(m.label, m.value, m.interval) for m in panel.marks] == [
        ("PASS, of valid evaluations", 50, (25, 75)),
        ("PARTIAL, of valid evaluations", 25, None),
        ("invalid, of all samples", 12.5, (10, 20)),
    ]
    assert (panel.text(12.5), panel.reach) == ("12.5%", (0, 100))
    judgments.failed = True
    assert result_chart(judgments, None) is None


def into(redirected: float, regret: float, interval: tuple[float, float] | None) -> Any:
    return SimpleNamespace(
        redirected=redirected, redirected_ci95=interval, chance=0.125, regret=regret,
        regret_ci95=interval,
    )  # fmt: skip


def run(*directions: Any, failed: bool = False) -> Any:
    snapshot = SimpleNamespace(kind="measured")
    return SimpleNamespace(about="gamma", failed=failed, snapshot=snapshot, directions=directions)


def direction(name: str, found: Any = None, noise: Band | None = None) -> Any:
    gamma = SimpleNamespace(mean=1.25, interval=(1.0, 1.5), reading="substantial")
    return SimpleNamespace(
        name=name, title=name.replace("_", " "), into=found, gamma=gamma, noise=noise
    )


def test_what_crosses_is_drawn_in_hundredths_with_chance_and_the_margin() -> None:
    both = (
        direction("text_to_visual", into(0.5, 0.25, (0.25, 0.75))),
        direction("visual_to_text", into(0.25, -0.125, None)),
        direction("text_to_code"),
    )

    forest = result_chart(run(*both), None)

    assert forest is not None
    redirected, regret = forest.panels
    assert [(m.label, m.value, m.interval, m.noise) for m in redirected.marks] == [
        ("text first, then visual", 50, (25, 75), (0, 12.5)),
        ("visual first, then text", 25, None, (0, 12.5)),
    ]
    assert [(m.value, m.interval, m.noise) for m in regret.marks] == [
        (25, (25, 75), None),
        (-12.5, None, None),
    ]
    assert (redirected.reach, regret.lines) == ((0,), (0, 2))
    assert (redirected.text(49.6), regret.text(-0.04), regret.text(2.0)) == ("50", "+0.0", "+2.0")


def test_gamma_stands_on_its_own_noise_or_else_on_a_coin_flip() -> None:
    own_band, coin = Band(mean=0.5, low=0.25, high=0.75), Band(mean=1.0, low=0.5, high=1.5)

    forest = result_chart(run(direction("a_to_b", noise=own_band), direction("b_to_a")), coin)

    assert forest is not None
    (panel,) = forest.panels
    assert [(m.label, m.noise) for m in panel.marks] == [
        ("a to b: substantial", (0.25, 0.75)),
        ("b to a: substantial", (0.5, 1.5)),
    ]
    assert (panel.reach, panel.text(1.25)) == ((0,), "1.250")
    bare = result_chart(run(direction("a_to_b")), None)
    assert bare is not None
    assert bare.panels[0].marks[0].noise is None
    assert result_chart(run(direction("a_to_b"), failed=True), coin) is None
    assert result_chart(run(), coin) is None


def recorded(*groups: tuple[str, int, dict[str, Any]]) -> Any:
    rows = [{"settings": [name], "verdicts": n, "figures": found} for name, n, found in groups]
    snapshot = SimpleNamespace(kind="observed", figures={"groups": rows})
    return SimpleNamespace(about="verdicts", failed=False, snapshot=snapshot)


def test_recorded_verdicts_show_one_figure_of_the_ten_largest_settings_best_first() -> None:
    groups = [(f"s{n:02}", 100 - n, {"accuracy": figure(n / 100)}) for n in range(12)]

    forest = result_chart(recorded(*groups, ("none", 1, {})), None)

    assert forest is not None
    (panel,) = forest.panels
    assert [m.label for m in panel.marks] == [f"s{n:02}" for n in range(9, -1, -1)]
    assert panel.reach == ()
    assert forest.note.endswith(" The 10 settings with the most verdicts.")
    ten = result_chart(recorded(*groups[:10]), None)
    assert ten is not None
    assert "settings with the most" not in ten.note
    first_forest = result_chart(recorded(groups[3]), None)
    assert first_forest is not None
    assert first_forest.panels[0].reach == (0, 1)
    assert result_chart(recorded(("s", 1, {})), None) is None


def test_stated_figures_have_a_panel_a_start_where_they_are_gains() -> None:
    plain: Any = (SimpleNamespace(name="pci", mean=0.5, interval=None),)

    forest = stated_chart(plain, "reported")

    assert forest is not None
    (panel,) = forest.panels
    assert (forest.title, panel.title, panel.reach) == ("What was reported", "", (0, 1))
    assert panel.text(0.5) == "0.500"
    assert stated_chart((), "reported") is None
