"""What a reliability diagram shows, and what its words claim (EPC-5.2)."""

from pathlib import Path
from typing import Any

import pytest
from records_support import Run, vega_lite

from epc.records.manifest import Manifest
from epc.report.reliability import alternative_text, draw, lines, specification


@pytest.fixture
def manifest(flip: Run) -> Any:
    return with_counts(
        flip.manifest(),
        {"step_by_step": (1, 4, 0.5), "synthesis": (9, 10, 0.4), "creative_leap": (2, 8, 0.1)},
    )


def with_counts(manifest: Any, counts: dict[str, tuple[int, int, float]]) -> Any:
    """Return a manifest with the given wins, decided trials and accuracies."""
    values = {name: right for name, (_, _, right) in counts.items()}
    manifest["accuracy"] = {"source": "accuracy.csv", "sha256": "0" * 64, "values": values}
    manifest["results"]["summary"].update(
        ece={"mean": 0.3, "ci95": [0.25, 0.35], "seeds": 3, "pooled": 0.31},
        brier={"mean": 0.1, "ci95": [0.05, 0.15], "seeds": 3, "pooled": 0.11},
        reliability={
            name: {"wins": wins, "decided": decided, "accuracy": right}
            for name, (wins, decided, right) in counts.items()
        },
    )
    return manifest


def test_the_specification_is_valid_vega_lite(manifest: Any) -> None:
    assert list(vega_lite().iter_errors(specification(Manifest.parse(manifest)))) == []


def test_the_diagram_shows_strategies_and_bins(manifest: Any) -> None:
    bins, diagonal, dots, names, means = (
        layer["data"]["values"] for layer in specification(Manifest.parse(manifest))["layer"]
    )

    assert {(dot["win_rate"], dot["accuracy"]) for dot in dots} == {
        (0.25, 0.5),
        (0.9, 0.4),
        (0.25, 0.1),
    }
    assert names == dots
    assert diagonal == [{"win_rate": 0, "accuracy": 0}, {"win_rate": 1, "accuracy": 1}]
    # Two strategies share the third bin: (0.5 + 0.1) / 2; one stands in the last.
    assert [(b["low"], b["high"], b["win_rate"], b["accuracy"]) for b in bins] == [
        (0.2, 0.3, 0.25, 0.3),
        (0.9, 1.0, 0.9, 0.4),
    ]
    assert means == bins


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ([0.25, 0.35], "ECE 0.300 [0.250, 0.350] is above 0.2: preferences are substantially"),
        ([0.15, 0.35], "ECE 0.300 [0.150, 0.350] cannot be told from 0.2"),
        ([0.10, 0.20], "ECE 0.300 [0.100, 0.200] is not above 0.2"),
        (None, "(EPC-5.2); one seed has no interval"),
    ],
)
def test_epc_5_2_the_mark_is_held_against_the_interval(
    manifest: Any, interval: Any, words: str
) -> None:
    manifest["results"]["summary"]["ece"]["ci95"] = interval

    assert any(words in line for line in lines(Manifest.parse(manifest)))
    assert words in alternative_text(Manifest.parse(manifest))


def test_the_words_name_the_worst_strategies(manifest: Any) -> None:
    text = alternative_text(Manifest.parse(manifest))

    assert "Most overrated: synthesis wins 90% of its comparisons and is right in 40%." in text
    assert "Least: step_by_step wins 25% of its comparisons and is right in 50%." in text


def test_what_is_left_out_is_named(flip: Run) -> None:
    counted = with_counts(flip.manifest(), {"synthesis": (1, 2, 0.5), "step_by_step": (0, 0, 0.5)})

    said = list(lines(Manifest.parse(counted)))

    assert "Left out, for want of a decided trial: step_by_step." in said
    assert any("for want of an accuracy: critical_check, first_principles" in line for line in said)


def test_without_accuracies_there_is_nothing_to_say(flip: Run) -> None:
    assert list(lines(flip.parsed())) == []


def test_without_a_decided_trial_the_diagram_is_empty(flip: Run, tmp_path: Path) -> None:
    counted = with_counts(flip.manifest(), {"synthesis": (0, 0, 0.5)})
    counted["results"]["summary"].update(ece=None, brier=None)
    empty = Manifest.parse(counted)

    assert "ECE: no strategy with an accuracy has a decided trial." in list(lines(empty))
    assert alternative_text(empty).endswith("nothing is shown.")
    assert list(vega_lite().iter_errors(specification(empty))) == []
    assert [path.name for path in draw(empty, tmp_path)] == ["reliability.svg", "reliability.png"]
