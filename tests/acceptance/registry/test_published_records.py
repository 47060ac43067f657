"""What the page on recorded verdicts says of the published ones: their own figures, row by row."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "site" / "docs" / "observed.md").read_text("utf-8")


def published() -> Iterator[tuple[str, Any, Any]]:
    """Yield tag, card and figures of each snapshot of recorded verdicts."""
    for path in sorted((ROOT / "snapshots").glob("*/observed.json")):
        card, figures = (
            json.loads((path.parent / name).read_text("utf-8"))
            for name in ("snapshot.json", "metrics.json")
        )
        yield path.parent.name, card, figures["figures"]


def points(value: float, low: float, high: float) -> str:
    return f"{100 * value:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


def rows_of(heading: str) -> list[str]:
    """Return the rows of the first table below a heading."""
    lines = PAGE.split(f"{heading}\n", 1)[1].split("\n#", 1)[0].splitlines()
    table = [line for line in lines if line.startswith("|")]
    return table[2:]


def test_the_numbers_of_what_is_published_are_those_of_the_cards() -> None:
    judges, kept, every = [], 0, 0
    for tag, card, _ in published():
        verdicts = json.loads((ROOT / "snapshots" / tag / "observed.json").read_text())["verdicts"]
        every += verdicts
        kept += verdicts * card["kept"]
        judges.append(card["generation"])

    assert (
        f"{len(judges)} snapshots of {len(set(judges))} judges hold {every:,} verdicts. {kept:,} of"
        " these are in the store"
    ) in PAGE.replace("\n", " ")


def test_what_crosses_beside_the_people_is_what_is_published() -> None:
    expected = []
    for tag, _, figures in published():
        for group in figures["groups"]:
            people = (group.get("transfer") or {}).get("people") or {}
            for direction, both in sorted(people.items()):
                regret = both["regret"]
                cells = [
                    points(regret[name], *regret[f"{name}_ci95"])
                    for name in ("judge", "people", "difference")
                ]
                words = direction.replace("_", " ")
                expected.append(f"| `{tag}` | {words} | {' | '.join(cells)} |")

    assert rows_of("### Beside the people") == expected


def test_what_the_page_says_of_prompts_against_a_baseline_is_published() -> None:
    transfers = [
        (tag, transfer)
        for tag, _, figures in published()
        for group in figures["groups"]
        if (transfer := group.get("transfer")) and not transfer["people"]
    ]
    alpaca = {"oasst": 188, "selfinstruct": 252}  # tasks
    crossed = [transfer for _, transfer in transfers if transfer["domains"] == alpaca]
    others = {tag: each["word"] for tag, each in transfers if each["domains"] != alpaca}

    words = sorted(each["word"] for each in crossed)
    assert words == ["no_coupling_beyond_margin", *["no_detectable_coupling"] * 3]
    assert sum(each["test"]["p_value"] <= 0.004 for each in crossed) == 3
    bounds = [into["crossing_ci95"] for each in crossed for into in each["directions"].values()]
    assert all(low <= 0 <= high for low, high in bounds)
    assert others == dict.fromkeys(("v1.0-gpt-4o-mini", "v1.0-gpt-5.2"), "inconclusive")
