"""What the page on recorded verdicts says of the published ones: the numbers of their cards."""

import json
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "site" / "docs" / "observed.md").read_text("utf-8")


def test_the_numbers_of_what_is_published_are_those_of_the_cards() -> None:
    judges, kept, every = [], 0, 0
    for path in sorted((ROOT / "snapshots").glob("*/observed.json")):
        card = json.loads((path.parent / "snapshot.json").read_text("utf-8"))
        verdicts = json.loads(path.read_text("utf-8"))["verdicts"]
        every += verdicts
        kept += verdicts * card["kept"]
        judges.append(card["generation"])

    assert (
        f"{len(judges)} snapshots of {len(set(judges))} judges hold {every:,} verdicts. {kept:,} of"
        " these are in the store"
    ) in PAGE.replace("\n", " ")
