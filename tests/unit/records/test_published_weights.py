"""Weights that were published alone: which are taken, how exact they are, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from epc.errors import MalformedError
from epc.records.published_weights import PublishedWeights, read_published_weights

PURE = {"text": {"x": 0.25, "y": 0.75}, "visual": {"x": 0.5, "y": 0.5}}


def entry(seed: Any = 0, **phases: Any) -> dict[str, Any]:
    return {"seed": seed, "weights": {**PURE, **phases}}


def published(folder: Path, value: Any) -> PublishedWeights:
    path = folder / "weights.json"
    path.write_text(json.dumps(value), "utf-8")
    return read_published_weights(path)


def rows(*seeds: int) -> list[dict[str, Any]]:
    return [
        {"seed": seed, "phase": phase, "strategy": name, "weight": weight}
        for seed in seeds
        for phase, vector in PURE.items()
        for name, weight in vector.items()
    ]


def refused(path: Path) -> tuple[str, str]:
    with pytest.raises(MalformedError) as raised:
        read_published_weights(path)
    return raised.value.finding.where, raised.value.finding.problem


def test_weights_stand_by_seed_and_phase_in_one_order_of_strategies(tmp_path: Path) -> None:
    found = published(
        tmp_path, [entry(7), entry(3, text={"y": 0.125, "x": 0.875}, text_to_visual=PURE["text"])]
    )

    assert found.strategies == ("x", "y")
    assert list(found.seeds) == [3, 7]
    assert found.seeds[3] == {
        "text": (0.875, 0.125),
        "visual": (0.5, 0.5),
        "text_to_visual": (0.25, 0.75),
    }
    assert found.seeds[7] == {"text": (0.25, 0.75), "visual": (0.5, 0.5)}
    assert found.domains.names == ("text", "visual")


@pytest.mark.parametrize(
    ("weight", "decimals", "tolerance"),
    [
        (0.25, 2, 0.005),
        (0.125, 3, 0.0005),
        (1, 2, 0.005),
        (0.0000125, 7, 0.00000005),
        (0.00000125, None, 0.0),
        (1 / 3, None, 0.0),
    ],
)
def test_a_vector_of_fewer_than_eight_decimals_throughout_was_rounded(
    weight: float, decimals: int | None, tolerance: float, tmp_path: Path
) -> None:
    """A weight is then within half of the last decimal. PURE alone has two."""
    found = published(tmp_path, [entry(), entry(1, text={"x": weight, "y": 0.5})])

    assert found.decimals == decimals
    assert found.tolerance == pytest.approx(tolerance, rel=1e-12)


def test_weights_of_0_and_1_have_no_decimals(tmp_path: Path) -> None:
    sure = {"x": 1, "y": 0.0}

    found = published(tmp_path, [entry(text=sure, visual={"x": 10.0, "y": 0})])

    assert (found.decimals, found.tolerance) == (0, 0.5)


def test_a_folder_has_its_files_in_order_or_the_rows_of_a_run(tmp_path: Path) -> None:
    for seed in (2, 1):
        (tmp_path / f"{seed}.json").write_text(json.dumps(entry(seed)), "utf-8")
    (tmp_path / "notes.txt").write_text("no weights", "utf-8")
    by_file = read_published_weights(tmp_path)
    lines = "".join(f"{json.dumps(row)}\n" for row in rows(5, 4))
    (tmp_path / "weights.jsonl").write_text(lines, "utf-8")
    by_row = read_published_weights(tmp_path)

    assert (list(by_file.seeds), list(by_row.seeds)) == ([1, 2], [4, 5])
    assert by_row.seeds[4] == by_file.seeds[1] == {"text": (0.25, 0.75), "visual": (0.5, 0.5)}


ONE = {"text": PURE["text"]}


@pytest.mark.parametrize(
    ("value", "where", "problem"),
    [
        ([], "weights.json", "holds no per-seed weights"),
        ([1], "weights.json#/0", "is no seed with its weights"),
        ([entry(), {"seed": 1}], "weights.json#/1", "is no seed with its weights"),
        ([entry(seed=True)], "weights.json#/0/seed", "is True"),
        ([entry("1")], "weights.json#/0/seed", "is '1'"),
        ([entry(1), entry(1)], "weights.json#/1", "seed 1 appears twice"),
        ([{"seed": 0, "weights": []}], "weights.json#/0/weights", "is no object of phases"),
        ([{"seed": 0, "weights": ONE}], "weights.json#/0/weights", "lacks a pure phase"),
        ([entry(text={})], "weights.json#/0/weights/text", "is no object of weights"),
        ([entry(text=[1])], "weights.json#/0/weights/text", "is no object of weights"),
        ([entry(text={"x": "1", "y": 1})], "weights.json#/0/weights/text/x", "is '1'"),
        ([entry(text={"x": 1, "y": True})], "weights.json#/0/weights/text/y", "is True"),
        ([entry(visual={"x": 1, "z": 0})], "seed 0 visual", "y, z: not every vector's"),
    ],
)
def test_the_first_thing_that_cannot_be_used_is_named(
    value: Any, where: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(value), "utf-8")

    found = refused(path)

    assert found[0].endswith(where)
    assert found[1].startswith(problem)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"seed": 0, "phase": "text", "strategy": "x"}, "is no weight"),
        ({**rows(0)[0], "seed": "0"}, "is no weight"),
        ({**rows(0)[0], "phase": 1}, "is no weight"),
        ({**rows(0)[0], "strategy": 1}, "is no weight"),
        (rows(0)[0], "seed 0 text x appears twice"),
        ([], "is no weight"),
    ],
)
def test_a_row_that_is_no_weight_is_named(row: Any, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "weights.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in [*rows(0), row]), "utf-8")

    assert refused(path) == ("weights.jsonl#/4", problem)
