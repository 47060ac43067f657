"""Tests of one number, the same digits everywhere: page, API, CSV, and the command line."""

import csv
import json
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

from browser_support import Visit
from site_support import AS_OF, BuiltSite, epc

TAGS = ("v1.0-Judge-1", "v1.1-Judge-1", "v1.0-Judge-3", "v1.0-CoinFlip", "v1.0-CarelessJudge")
ROWS = """() => Object.fromEntries(
    [...document.querySelectorAll("#figures tbody tr")].map(({ cells }) => [
        cells[0].querySelector("code").textContent,
        [1, 2].flatMap((place) =>
            [...cells[place].querySelectorAll("data")].map((number) => number.value))]))"""


def means(given: Any, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield each figure of a document whose numbers were left as they are spelled."""
    for key, value in given.items():
        if isinstance(value, dict) and value.get("mean") is not None:
            bounds = value.get("ci95") or []
            yield f"{prefix}{key}", [value["mean"], *bounds]
        elif isinstance(value, dict):
            yield from means(value, f"{prefix}{key}/")


def spelled(text: str) -> dict[str, list[str]]:
    document = json.loads(text, parse_float=str, parse_int=str)
    return dict(means(document["figures"])) | dict(crossing(document.get("audit", {})))


def crossing(audit: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield each figure of what crosses, by the name that it has in the table."""
    for direction, into in audit.get("transfer", {}).items():
        for place, part in (("transfer", into), ("transfer/these_tasks", into["these_tasks"])):
            for name in ("chance", "crossing", "harm", "redirected", "regret"):
                if name in part:
                    bounds = part.get(f"{name}_ci95") or []
                    yield f"{place}/{name}/{direction}", [part[name], *bounds]


def test_values_are_equal_on_page_api_csv_and_command_line(
    window: Callable[..., Visit], site: BuiltSite
) -> None:
    table: dict[str, dict[str, list[str]]] = {}
    for row in csv.DictReader(StringIO(site.text("figures.csv"))):
        ends = [row[key] for key in ("ci95_low", "ci95_high") if row[key]]
        table.setdefault(row["tag"], {})[row["figure"]] = [row["mean"], *ends]
    visit = window()
    for tag in TAGS:
        arguments = ("snapshot", "show", tag, "--as-of", AS_OF, "--format", "json")
        told = spelled(epc(site.checkout.folder, *arguments).stdout)
        page = visit.to(f"snapshots/{tag}/")
        assert told, tag
        assert spelled(site.text(f"api/v1/snapshots/{tag}.json")) == told
        assert table[tag] == told
        assert page.evaluate(ROWS) == told
