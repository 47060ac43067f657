"""What the page on recorded verdicts says of the published ones: the numbers of their cards."""

import json
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "site" / "docs" / "observed.md").read_text("utf-8")


def test_the_numbers_of_what_is_published_are_those_of_the_cards() -> None:
    """What a newer snapshot says anew is counted apart, and in the store only once."""
    log = (ROOT / "snapshots" / "events.jsonl").read_text("utf-8")
    events = [json.loads(line) for line in log.splitlines()]
    superseded = {event["tag"] for event in events if event["event"] == "superseded"}
    judges, verdicts, anew, kept = [], 0, [], 0
    for path in sorted((ROOT / "snapshots").glob("*/observed.json")):
        card = json.loads((path.parent / "snapshot.json").read_text("utf-8"))
        count = json.loads(path.read_text("utf-8"))["verdicts"]
        verdicts += count
        judges.append(card["generation"])
        if card["tag"] in superseded:
            anew.append(count)
        else:
            kept += count * card["kept"]

    left = verdicts - sum(anew)
    assert (
        f"{len(judges)} snapshots of {len(set(judges))} judges hold {verdicts:,} verdicts that "
        f"others recorded. {len(anew)} of them, with {sum(anew):,}, were superseded by newer ones "
        f"of the same verdicts. Of the {left:,} that are left {kept:,} are in the store"
    ) in PAGE.replace("\n", " ")
