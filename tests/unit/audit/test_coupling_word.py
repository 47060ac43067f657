"""The word of Readings R70 to R74 about evaluators whose preferences are known.

The figures are held to a second computation of them, `tests/oracle`, by other tests.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest
from audit_support import fewer_wheels
from budget_support import by_night, examples
from scipy.stats import binom
from studies.coupling import adversary, generators, intervals, levels, product

from epc.audit.power import called_coupled
from epc.protocol.weights import UpdateRule

ROOT = Path(__file__).parents[3]
KINDS = {kind.name: kind for kind in (*generators.NULLS, *generators.CROSSINGS)}


def test_reading_r70_one_table_in_both_domains_crosses_by_nothing() -> None:
    tables = generators.tables(KINDS["one ranking"], "fresh 10", 1, np.random.default_rng(11))

    assert not product.coupled(tables.text[0], tables.text[0], recorded=False, fewer=4)


def test_reading_r74_the_page_has_the_rates_and_intervals_of_the_studies() -> None:
    def shown(name: str) -> set[str]:
        """Return the rows of a file that the page draws."""
        table = (ROOT / "site" / "docs" / "data" / f"coupling-{name}.csv").read_text("utf-8")
        assert f"<!-- table: data/coupling-{name}.csv -->" in page
        _, *rows = csv.reader(table.splitlines())
        return {f"| {' | '.join(row)} |" for row in rows}

    def of_study(
        name: str, page_rows: Callable[[Iterable[Mapping[str, str]]], list[str]]
    ) -> set[str]:
        table = (ROOT / "tests" / "studies" / "coupling" / f"{name}.csv").read_text("utf-8")
        return {*page_rows(csv.DictReader(table.splitlines()))}

    page = (ROOT / "site" / "docs" / "statistics.md").read_text("utf-8")
    assert of_study("levels", levels.page_rows) == shown("wrong") | shown("right")
    assert len(shown("intervals")) == 8
    assert shown("intervals") <= of_study("intervals", intervals.page_rows)


@fewer_wheels()
def called(kind: generators.Kind, mode: str, runs: int) -> int:
    tables = generators.tables(kind, mode, runs, np.random.default_rng(5))
    groups = kind.groups(tables.text.shape[2]), kind.groups(tables.visual.shape[2])
    recorded = mode == "exhaustive"
    return sum(
        called_coupled(
            product.units(text, visual, recorded=recorded, groups=groups),
            rounds=kind.rounds,
            rule=UpdateRule(),
        )[0]
        for text, visual in zip(tables.text, tables.visual, strict=True)
    )


# By day a noisy one and one with topics.
BY_DAY = ("noise x4", "eight topics of four, declared")
BY_NIGHT = (
    *("coin", "always A", "baseline 3 logits stronger"),
    *("ties 0 and 40%, fixed 0/1", "ties 0 and 40%, one ranking"),
)


FOUND = (
    ("favourites 0.7/0.4", "fresh 10"),
    ("favourites 0.95/0.1", "exhaustive"),
    ("favourites 0.8/0.3, task effects, 8 and 100 tasks", "fresh 10"),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*BY_DAY, *by_night(BY_NIGHT)])
def test_reading_r71_evaluators_with_one_ranking_are_not_called_coupled(name: str) -> None:
    # At a level of 5%, 3 of 6 happen once in 450 times.
    assert called(KINDS[name], "fresh 10", 6) < 3


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), [*FOUND[:2], *by_night(FOUND[2:])])
def test_reading_r71_crossing_preferences_are_called_coupled(name: str, mode: str) -> None:
    # At a power of 95%, 3 of 6 or fewer happen once in 450 times.
    assert called(KINDS[name], mode, 6) > 3


WORST = adversary.worst_finds()
# Eight runs decide where the word is rarely false; where it often is, it takes a night's eighty.
OFTEN_FALSE = [n for n, (_, rates) in enumerate(WORST["false"]) if rates[adversary.RULE] >= 0.05]
DECIDED = sorted({*range(len(WORST["false"]))} - {*OFTEN_FALSE})


@pytest.mark.slow
@pytest.mark.parametrize("place", [*DECIDED, *by_night(OFTEN_FALSE)])
def test_reading_r71_the_worst_finds_of_the_adversary_are_no_worse_than_was_measured(
    place: int,
) -> None:
    evaluator, rates = WORST["false"][place]

    runs = max(8, examples(80))
    times = called(evaluator.kind(), evaluator.mode, runs)

    # Once in a thousand times, were the rate what was measured (a standard error more, for that).
    measured = rates[adversary.RULE] + 0.035
    assert times <= binom.ppf(0.999, runs, measured)
