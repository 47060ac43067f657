"""The study of learning rules: its level and its power, by judges that are drawn here."""

import json
import random
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from studies.learning_rules.rules import (
    JUDGES,
    NULLS,
    OTHERS,
    RATES,
    STUDIED,
    Cell,
    Loop,
    Part,
    Point,
    Said,
    Truth,
    loops,
    points,
    summed,
    work,
)
from studies.learning_rules.tables import Study, as_json, markdown

from epc.audit.units import units_of
from epc.protocol.results import Json
from epc.protocol.table import VerdictTable

DOCS = Path(__file__).parents[3] / "site" / "docs"
NAMES = ["a", "b", "c"]


def judged(seed: int, liked: tuple[int, int], chance: float, tasks: int) -> list[Loop]:
    """Ask a judge that is drawn with the standard library alone, and compare the rules.

    Each domain has a strategy that it likes; every pair is asked once.
    """
    rng = random.Random(seed)
    counts = {}
    for domain, best in zip(("text", "visual"), liked, strict=True):
        cells = [
            [
                [int(won), int(not won), 0]
                for _ in range(tasks)
                for won in [rng.random() < (chance if at == best else 1 - chance)]
            ]
            for at in range(len(NAMES))
        ]
        counts[domain] = np.array(cells, np.int64)
    units = units_of(VerdictTable(counts=counts, repeated=True), NAMES)
    return loops("drawn", units, rounds=6, fewer=32)


def test_the_rules_are_said_to_differ_rarely_where_nothing_crosses() -> None:
    """A coin, and one favourite: at most 2 of 10, which at 5% happens with 99%."""
    said = [judged(seed, (0, 0), 0.5, 8) for seed in range(5)]
    said += [judged(seed, (1, 1), 0.8, 8) for seed in range(5)]

    assert sum(any(loop.differs for loop in found) for found in said) <= 2


def test_the_rules_are_said_to_differ_where_a_favourite_is_carried() -> None:
    """Opposite favourites of three strategies on 40 tasks, six rounds.

    A step of 0.08 is little of 1/3: the protocol's rule gains least and loses least here.
    """
    said = [judged(seed, (0, 2), 0.95, 40) for seed in range(4)]

    assert sum(any(loop.differs for loop in found) for found in said) >= 3
    for found in said:
        by_rule = {loop.rule: loop for loop in found}
        assert by_rule["bradley-terry"].regret > by_rule["weights"].regret
        assert by_rule["bradley-terry"].gain > by_rule["weights"].gain > 0


def study_of(stated: Json) -> Study:
    """Return the study that `as_json` wrote."""

    def kept(row: Json, *derived: str) -> Json:
        return {key: value for key, value in row.items() if key not in derived}

    return Study(
        truths=[Truth(**row) for row in stated["judges"]],
        grid=[Cell(**row) for row in stated["rates"]],
        said=[Said(**kept(row, "ci95")) for row in stated["differs"]],
        recorded=[Loop(**kept(row, "differs")) for row in stated["recorded"]],
    )


@pytest.fixture(scope="module")
def published() -> Study:
    return study_of(json.loads((DOCS / "data" / "learning-rules.json").read_text("utf-8")))


def test_the_page_has_rows_of_the_study_and_no_others(published: Study) -> None:
    page = (DOCS / "learning-rules.md").read_text("utf-8").split("## Which loop resists")[1]
    rows = {row for row in page.splitlines() if row.startswith("|")}

    assert len(rows) >= 15
    assert rows <= {*markdown(published).splitlines()}


def test_the_published_study_is_of_every_judge_rule_and_rate(published: Study) -> None:
    assert {(t.judge, t.rule) for t in published.truths} == {
        (judge, rule.name) for judge in JUDGES for rule in STUDIED
    }
    assert {(c.alpha_win, c.alpha_lose) for c in published.grid} == {
        (win, lose) for win in RATES for lose in RATES
    }
    assert (0.06, 0.06) in {(c.alpha_win, c.alpha_lose) for c in published.grid}
    assert study_of(json.loads(json.dumps(as_json(published)))) == published


def test_the_published_level_is_one(published: Study) -> None:
    for said in published.said:
        if said.judge in NULLS:
            assert said.any_differs <= 0.1 * said.runs


def test_nothing_crosses_for_the_judges_of_the_level(published: Study) -> None:
    for truth in published.truths:
        assert (truth.regret == 0) is (truth.judge in NULLS)


def test_a_part_of_the_study_is_the_same_wherever_it_is_worked_out(published: Study) -> None:
    judge = "carries a favourite"
    point = Point(kind="grid", judge=judge, number=1)

    found = work(point).cells

    assert tuple(found) == tuple(work(point).cells)
    assert [cell.alpha_win for cell in found] == [RATES[1]] * len(RATES)
    of_page = {(c.judge, c.alpha_win, c.alpha_lose): c for c in published.grid}
    for cell in found:
        there = of_page[judge, cell.alpha_win, cell.alpha_lose]
        for name in ("regret", "gain", "pci"):
            assert getattr(cell, name) == pytest.approx(getattr(there, name), rel=1e-9)


@pytest.mark.parametrize(
    ("point", "words"),
    [
        (Point(kind="truth", judge="one ranking"), b"('truth', 'one ranking', 0)"),
        (Point(kind="words", judge="noise", tasks=64, number=5), b"('words', 'noise', 64)"),
    ],
)
def test_a_part_has_the_stream_of_what_it_is_of_and_no_other(point: Point, words: bytes) -> None:
    """As the published study was drawn: other judges would be drawn by another stream."""
    sequence = np.random.SeedSequence([20261129, crc32(words)], spawn_key=(point.number,))

    assert point.rng.random() == np.random.Generator(np.random.PCG64(sequence)).random()
    assert replace(point, number=point.number + 1).rng.random() != point.rng.random()


def test_judges_of_a_kind_are_added_up() -> None:
    none = dict.fromkeys((rule.name for rule in OTHERS), 0)
    first = Said(judge="noise", tasks=8, runs=5, differ=none, any_differs=0)
    second = Said(judge="noise", tasks=8, runs=3, differ=none | {"bayes": 2}, any_differs=2)

    assert summed([Part(said=first), Part(), Part(said=second)]) == [
        Said(judge="noise", tasks=8, runs=8, differ=none | {"bayes": 2}, any_differs=2)
    ]
    assert sum(p.runs for p in points(12) if p.kind == "words") == 12 * 6
