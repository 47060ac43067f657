"""The second implementation: its own generator, its own figures, nothing of the first."""

import json
from itertools import islice
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import recomputation
from oracle.pcg64 import uniforms
from oracle.recomputation import disagreements, divergence, spoken
from records_support import Run, make_run
from scipy.spatial.distance import jensenshannon
from test_layers import imports

from epc.protocol.verdict import parse_verdict

WORDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run") / "run"
    return make_run(folder, evaluator="mock/coin-flip", seeds=4, rounds=30, control="measured")


@given(WORDS, st.integers(0, 7))
def test_reading_r2_the_stream_in_whole_numbers_is_numpys(seed: int, stream: int) -> None:
    numpys = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, stream])))

    assert list(islice(uniforms(seed, stream), 64)) == numpys.random(64).tolist()


def test_it_shares_no_code_with_the_first_implementation() -> None:
    modules = sorted(Path(recomputation.__file__).parent.glob("*.py"))
    ours = {name for path in modules for name in imports(path) if name.startswith(("epc", "nump"))}

    assert len(modules) == 16
    assert {name for name in ours if not name.startswith("epc.spec.")} == {
        # Draws of the largest of all pairs: a library's, and no code of ours.
        *("numpy", "numpy.typing", "numpy.typing.NDArray"),
        *("epc.records.layout", "epc.records.layout.RAW"),
        *("epc.records.verdicts.columns", "epc.records.verdicts.columns.Verdicts"),
        *("epc.records.verdicts.types", "epc.records.verdicts.types.Header"),
        *("epc.records.verdicts.types.Setting", "epc.records.verdicts.types.UNKNOWN"),
        *("epc.registry.verdicts", "epc.registry.verdicts.verdicts_in"),
    }


def test_a_true_record_is_agreed_with(run: Run) -> None:
    assert list(disagreements(run.manifest(), run.folder)) == []


@pytest.mark.parametrize(
    "place",
    [
        "per_seed/1/gamma/text_to_visual",
        "per_seed/2/jsd/visual_to_text",
        "per_seed/0/tie_rate",
        "per_seed/3/weights/visual/synthesis",
        "summary/gamma/visual_to_text/mean",
        "summary/jsd/text_to_visual/mean",
        "summary/zero_coupling_rate/text_to_visual/mean",
        "summary/tie_rate/mean",
        "summary/pci/text/mean",
        "summary/cpci/mean",
        "summary/mpci/mean",
    ],
)
def test_a_figure_that_is_off_by_a_millionth_is_named(run: Run, place: str) -> None:
    manifest = run.manifest()
    value = manifest["results"]
    *path, last = [int(part) if part.isdecimal() else part for part in place.split("/")]
    for part in path:
        value = value[part]
    value[last] += 1e-6

    found = [where for where, _ in disagreements(manifest, run.folder)]

    named = f"manifest.json/results/{place}".removesuffix("/mean").removesuffix("/synthesis")
    assert named in found


def test_a_draw_of_another_seed_is_named(run: Run, tmp_path: Path) -> None:
    rows = run.rows("trials")
    rows[7]["u_strategy"] = rows[8]["u_strategy"]
    (tmp_path / "trials.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    problems = [problem for _, problem in disagreements(run.manifest(), tmp_path)]

    assert any("seed 0 text round 7: not what the draws give" in text for text in problems)


@given(st.text(alphabet="ABab \n\r\t\"'`*()[].:x\u00a0", max_size=12))
def test_reading_r5_two_readings_of_a_verdict_agree(raw: str) -> None:
    assert spoken(raw) == parse_verdict(raw).value


def test_epc_2_5_divergence_by_hand_and_by_scipy() -> None:
    assert divergence([1.0, 0.0], [0.0, 1.0]) == pytest.approx(log(2), abs=1e-15)
    assert divergence([0.5, 0.5], [0.5, 0.5]) == 0
    a, b = [0.7, 0.2, 0.1], [0.1, 0.3, 0.6]
    assert sqrt(divergence(a, b)) == pytest.approx(float(jensenshannon(a, b)), abs=1e-12)
