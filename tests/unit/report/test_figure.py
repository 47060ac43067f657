"""One specification, drawn the same every time, with its numbers in words."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from records_support import Run, make_run, vega_lite

from epc.errors import WorldError
from epc.records.manifest import Manifest
from epc.report.figure import draw, specification

SVG = "{http://www.w3.org/2000/svg}"


def layers(spec: Any) -> list[Any]:
    return [layer for panel in spec["hconcat"] for layer in panel["layer"]]


@pytest.mark.parametrize("name", ["flip", "exhaustive", "single"])
def test_the_specification_is_valid_vega_lite(made: dict[str, Run], name: str) -> None:
    spec = specification(made[name].parsed())

    # altair carries version 6 of the schema; the specification names version 5, whose
    # constructs it uses. Only the name of the version differs, and the schema admits any.
    assert spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert list(vega_lite().iter_errors(spec)) == []


def test_the_check_of_the_specification_can_fail(flip: Run) -> None:
    spec = specification(flip.parsed())
    spec["hconcat"][0]["layer"][0]["mark"]["type"] = "rectangle"

    assert list(vega_lite().iter_errors(spec))


def test_the_picture_shows_the_numbers_of_the_manifest(flip: Run) -> None:
    manifest = flip.manifest()
    spec = specification(Manifest.parse(manifest))
    titles = {"text_to_visual": "text to visual", "visual_to_text": "visual to text"}

    for panel, metric in zip(spec["hconcat"][:2], ("gamma", "jsd"), strict=True):
        _, _, seeds, interval, mean = panel["layer"]
        shown = {(v["direction"], v["value"]) for v in seeds["data"]["values"]}
        assert shown == {
            (titles[d], record[metric][d])
            for record in manifest["results"]["per_seed"]
            for d in titles
        }
        for d, (drawn, whole) in zip(
            titles,
            zip(interval["data"]["values"], mean["data"]["values"], strict=True),
            strict=True,
        ):
            stated = manifest["results"]["summary"][metric][d]
            assert (drawn["value"], drawn["high"]) == tuple(stated["ci95"])
            assert whole["value"] == stated["mean"]


def test_reading_r74_the_regret_is_drawn_for_the_domain_and_for_these_tasks(flip: Run) -> None:
    manifest = flip.manifest()
    _, _, panel = specification(Manifest.parse(manifest))["hconcat"]
    zero, margin, spans, dots = panel["layer"]

    stated = manifest["results"]["summary"]["transfer"]["directions"]
    assert (zero["data"]["values"], margin["data"]["values"]) == ([{"value": 0}], [{"value": 2}])
    drawn = {(row["direction"], row["of"]): row for row in dots["data"]["values"]}
    for direction, title in (
        ("text_to_visual", "text to visual"),
        ("visual_to_text", "visual to text"),
    ):
        into = stated[direction]
        for scope, part in (("for the domain", into), ("for these tasks", into["these_tasks"])):
            row = drawn[title, scope]
            assert row["value"] == 100 * part["regret"]
            assert [row["low"], row["high"]] == [100 * end for end in part["regret_ci95"]]
    assert spans["data"]["values"] == dots["data"]["values"]


def test_reading_r10_one_seed_is_drawn_without_an_interval(made: dict[str, Run]) -> None:
    one, several = (specification(made[name].parsed()) for name in ("single", "flip"))

    assert len(layers(several)) == 2 * 5 + 4
    assert len(layers(one)) == 2 * 4  # too little was decided for any regret
    assert not any(
        "high" in value for layer in layers(one)[3:4] for value in layer["data"]["values"]
    )


def test_the_words_for_the_picture_hold_its_numbers(flip: Run) -> None:
    manifest = flip.manifest()
    gamma = manifest["results"]["summary"]["gamma"]

    words = specification(Manifest.parse(manifest))["description"]

    assert f"text to visual {gamma['text_to_visual']['mean']:.2f}" in words
    assert f"visual to text {gamma['visual_to_text']['mean']:.2f}" in words
    floor = manifest["results"]["summary"]["control"]["noise_floor"]["text_to_visual"]["mean"]
    assert f"(noise floor {floor:.2f})" in words
    assert words.endswith("no claim can rest on this, either way.")


def test_epc_5_2_the_picture_says_what_the_paper_makes_of_each_gamma(flip: Run) -> None:
    manifest = flip.manifest()
    summary = manifest["results"]["summary"]
    lines = specification(Manifest.parse(manifest))["title"]["subtitle"]

    for direction in ("text to visual", "visual to text"):
        key = direction.replace(" ", "_")
        gamma, (low, high) = summary["gamma"][key], summary["control"]["excess"][key]["ci95"]
        name = (
            "substantial" if gamma["mean"] > 0.5 else "weak" if gamma["mean"] < 0.2 else "between"
        )
        side = "above" if low > 0 else "below" if high < 0 else "within"
        assert f"by EPC-5.2, gamma from {direction}: {name}, {side} noise" in lines


def test_reading_r15_gamma_is_drawn_on_top_of_its_noise_floor(flip: Run) -> None:
    manifest = flip.manifest()
    floors = manifest["results"]["summary"]["control"]["noise_floor"]

    band, middle, *_ = specification(Manifest.parse(manifest))["hconcat"][0]["layer"]

    assert [(v["low"], v["middle"], v["high"]) for v in band["data"]["values"]] == [
        (floors[d]["q025"], floors[d]["mean"], floors[d]["q975"]) for d in floors
    ]
    assert middle["encoding"]["y"]["field"] == "middle"


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


def test_a_folder_that_is_gone_is_the_worlds_fault(flip: Run, tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="cannot write"):
        draw(flip.parsed(), tmp_path / "none")


def test_a_name_with_what_no_picture_can_hold_is_drawn_without_it(flip: Run) -> None:
    manifest = flip.manifest()
    manifest["evaluator"]["model"] = "a\x00b\x1bc\ufffe"

    svg, _ = draw(Manifest.parse(manifest), flip.folder)

    assert "a\ufffdb\ufffdc\ufffd" in svg.read_text("utf-8")
