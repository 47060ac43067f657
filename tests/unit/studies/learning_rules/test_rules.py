"""The study of learning rules: its level and its power, by judges that are drawn here."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from studies.learning_rules.rules import (
    Cell,
    Loop,
    Said,
    Truth,
    loops,
)
from studies.learning_rules.tables import Study, markdown

from epc.audit.units import units_of
from epc.protocol.results import Json
from epc.protocol.table import VerdictTable

DOCS = Path(__file__).parents[4] / "site" / "docs"
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
                for won in [rng.random() < (chance if index == best else 1 - chance)]
            ]
            for index in range(len(NAMES))
        ]
        counts[domain] = np.array(cells, np.int64)
    units = units_of(VerdictTable(counts=counts, repeated=True), NAMES)
    return loops("drawn", units, rounds=6, fewer=32)


def test_the_rules_are_said_to_differ_rarely_where_nothing_crosses() -> None:
    """A coin, and one favourite: at most 2 of 10, which at 5% happens with 99%."""
    printed_loops = [judged(seed, (0, 0), 0.5, 8) for seed in range(5)]
    printed_loops += [judged(seed, (1, 1), 0.8, 8) for seed in range(5)]

    assert sum(any(loop.differs for loop in found) for found in printed_loops) <= 2


def test_the_rules_are_said_to_differ_where_a_favourite_is_carried() -> None:
    """Opposite favourites of three strategies on 40 tasks, six rounds.

    A step of 0.08 is little of 1/3: the protocol's rule gains least and loses least here.
    """
    printed_loops = [judged(seed, (0, 2), 0.95, 40) for seed in range(4)]

    assert sum(any(loop.differs for loop in found) for found in printed_loops) >= 3
    for found in printed_loops:
        by_rule = {loop.rule: loop for loop in found}
        assert by_rule["bradley-terry"].regret > by_rule["weights"].regret
        assert by_rule["bradley-terry"].gain > by_rule["weights"].gain > 0


def study_of(stated_document: Json) -> Study:
    """Return the study that `as_json` wrote."""

    def kept(row: Json, *derived: str) -> Json:
        return {key: value for key, value in row.items() if key not in derived}

    return Study(
        truths=[Truth(**row) for row in stated_document["judges"]],
        grid=[Cell(**row) for row in stated_document["rates"]],
        said=[Said(**kept(row, "ci95")) for row in stated_document["differs"]],
        recorded=[Loop(**kept(row, "differs")) for row in stated_document["recorded"]],
    )


@pytest.fixture(scope="module")
def published() -> Study:
    return study_of(json.loads((DOCS / "data" / "learning-rules.json").read_text("utf-8")))


def test_the_page_has_rows_of_the_study_and_no_others(published: Study) -> None:
    page = (DOCS / "learning-rules.md").read_text("utf-8").split("## Which loop resists")[1]
    rows = {row for row in page.splitlines() if row.startswith("|")}

    assert len(rows) == 10
    assert rows <= {*markdown(published).splitlines()}
