"""The card beside the tables: a header that programs read, and each column explained."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from registry_support import Checkout, observed_card, observed_figures

from epc.registry.data import Table, Withheld, licences, text
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.tables import TABLES

FIGURES = Table(name="figures", path="figures.parquet", rows=999, bytes=1, sha256="0" * 64)
TRIALS = replace(FIGURES, name="trials", path="trials.parquet", rows=1)
AS_OF = date(2026, 4, 1)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """Return a registry of kept verdicts under MIT, and of others that stay with their source."""
    checkout = Checkout(tmp_path)
    for number, licence in ((0, "MIT"), (1, "unknown")):
        card = observed_card(f"v1.{number}-Judge-1", kept=licence == "MIT", licence=licence)
        checkout.publish(card.pop("tag"), figures=observed_figures("J/1"), **card)
    return of_folder(checkout.folder)


def header(card: str) -> Any:
    return yaml.safe_load(card.split("---\n")[1])


def test_the_licences_are_those_of_what_the_tables_hold_and_of_the_data_itself(
    registry: Registry,
) -> None:
    assert licences(registry) == ["CC-BY-4.0", "MIT"]
    assert header(text([FIGURES], registry, AS_OF, []))["license"] == ["cc-by-4.0", "mit"]


@pytest.mark.parametrize(
    ("rows", "size"),
    [(0, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (9_999, "1K<n<10K"), (10**7, "10M<n<100M")],
)
def test_the_header_says_how_many_rows_there_are(registry: Registry, rows: int, size: str) -> None:
    card = text([replace(FIGURES, rows=rows)], registry, AS_OF, [])

    assert header(card)["size_categories"] == [size]


def test_each_table_is_a_configuration_and_its_columns_are_explained(registry: Registry) -> None:
    card = text([FIGURES, TRIALS], registry, AS_OF, [])

    configurations = header(card)["configs"]
    assert [configuration["config_name"] for configuration in configurations] == [
        "figures",
        "trials",
    ]
    assert [configuration.get("default") for configuration in configurations] == [True, None]
    lines = card.splitlines()
    assert "- `trials.parquet`, 1 rows: one row a round of every measured snapshot" in lines
    assert "States are those of 2026-04-01." in lines
    for table in ("figures", "trials"):
        begin = lines.index(f"## {table}") + 4
        told = [line.split(" | ")[0] for line in lines[begin : begin + len(TABLES[table])]]
        assert told == [f"| `{name}`" for name in TABLES[table]]


def test_what_stays_with_its_source_is_counted(registry: Registry) -> None:
    withheld = Withheld(source="S", licence="unknown", verdicts=1_000, tags=("t",), commands=())

    lines = text(
        [FIGURES], registry, AS_OF, [withheld, replace(withheld, source="R", verdicts=5)]
    ).splitlines()

    assert "1,005 recorded verdicts are not here. Their licence keeps them with" in lines
    assert "- S, licence unknown: 1,000" in lines
    assert "- R, licence unknown: 5" in lines
