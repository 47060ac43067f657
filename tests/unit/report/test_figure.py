"""Tests of one specification, drawn the same every time, with its numbers in words."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from records_support import Run, make_run, vega_lite

from epc.records.manifest import Manifest
from epc.report.figure import draw, specification

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["flip", "exhaustive", "single"])
def test_the_specification_is_valid_vega_lite(made: dict[str, Run], name: str) -> None:
    spec = specification(made[name].parsed())

    assert spec["$schema"] == "https://vega.github.io/schema/vega-lite/v6.json"
    assert list(vega_lite().iter_errors(spec)) == []


def test_the_check_of_the_specification_can_fail(flip: Run) -> None:
    spec = specification(flip.parsed())
    spec["vconcat"][0]["layer"][0]["mark"]["type"] = "rectangle"

    assert list(vega_lite().iter_errors(spec))


def test_reading_r74_both_panels_have_the_figures_of_the_domain_and_of_these_tasks(
    flip: Run,
) -> None:
    manifest = flip.manifest()
    stated_directions = manifest["results"]["summary"]["transfer"]["directions"]

    panels = specification(Manifest.parse(manifest))["vconcat"]

    for panel, figure in zip(panels, ("redirected", "regret"), strict=True):
        rows = panel["layer"][-1]["data"]["values"]
        drawn = {(row["direction"], row["of"]): row for row in rows}
        assert len(drawn) == len(rows) == 4
        for direction in ("text_to_visual", "visual_to_text"):
            into = stated_directions[direction]
            for scope, part in (("for the domain", into), ("for these tasks", into["these_tasks"])):
                row = drawn[direction.replace("_", " "), scope]
                assert row["value"] == 100 * part[figure]
                assert [row["low"], row["high"]] == [100 * end for end in part[f"{figure}_ci95"]]


def test_the_title_is_the_word_with_the_sentence_of_the_direction_that_costs_more(
    flip: Run,
) -> None:
    manifest = flip.manifest()
    regret = {
        name: into["regret"]
        for name, into in manifest["results"]["summary"]["transfer"]["directions"].items()
    }
    first, _, _ = max(regret, key=lambda name: regret[name]).partition("_to_")

    spec = specification(Manifest.parse(manifest))

    text = " ".join(spec["title"]["text"])
    assert text.startswith(f"Inconclusive. Training in {first} first redirects")
    assert spec["title"]["subtitle"] == "mock/coin-flip \u00b7 EPC-v1.0-AltRounds, 2026-07-02"
    assert "The audit's word: inconclusive, by rule 4" in spec["description"]


def test_reading_r15_where_too_little_was_decided_gamma_is_drawn_on_its_noise_floor(
    made: dict[str, Run],
) -> None:
    manifest = made["single"].manifest()
    floors = manifest["results"]["summary"]["control"]["noise_floor"]

    spec = specification(Manifest.parse(manifest))

    band, middle, seeds, mean = spec["layer"]  # one seed has no interval (Reading R10)
    assert [(v["low"], v["middle"], v["high"]) for v in band["data"]["values"]] == [
        (floors[d]["q025"], floors[d]["mean"], floors[d]["q975"]) for d in floors
    ]
    assert middle["encoding"]["y"]["field"] == "middle"
    (record,) = manifest["results"]["per_seed"]
    assert [v["value"] for v in seeds["data"]["values"]] == [*record["gamma"].values()]
    assert [v["value"] for v in mean["data"]["values"]] == [*record["gamma"].values()]


def test_the_files_are_an_svg_and_a_png(flip: Run) -> None:
    svg, png = draw(flip.parsed(), flip.folder)

    assert (svg.name, png.name) == ("figure.svg", "figure.png")
    root = ET.fromstring(svg.read_text("utf-8"))
    assert root.tag == f"{SVG}svg"
    text = " ".join("".join(node.itertext()) for node in root.iter(f"{SVG}text"))
    assert "mock/coin-flip" in text
    assert "EPC-v1.0-AltRounds" in text
    content = png.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20], "big") > 500  # its width in pixels
    assert content[-8:-4] == b"IEND"


def test_drawn_twice_the_files_are_the_same(flip: Run) -> None:
    first = [path.read_bytes() for path in draw(flip.parsed(), flip.folder)]

    assert [path.read_bytes() for path in draw(flip.parsed(), flip.folder)] == first


def test_a_model_with_odd_letters_in_its_name_is_drawn(flip: Run) -> None:
    manifest = flip.manifest()
    manifest["evaluator"]["model"] = 'a<b>&"\u00e9\u4e2d'

    svg, _ = draw(Manifest.parse(manifest), flip.folder)

    root = ET.fromstring(svg.read_text("utf-8"))
    assert 'a<b>&"\u00e9\u4e2d' in "".join(root.itertext())


def test_a_run_that_measured_nothing_can_be_drawn(ties: Run, tmp_path: Path) -> None:
    for run in (ties, make_run(tmp_path / "none", seeds=2, rounds=0)):
        for path in draw(run.parsed(), run.folder):
            assert path.stat().st_size > 1000
