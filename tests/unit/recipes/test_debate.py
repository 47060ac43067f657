"""Debates that judges decided, as verdicts (Reading R77)."""

from pathlib import Path

from observed_sources_support import fields, rows
from recipes import debate

REPORT = """# Report
- topic_id: `prop_1`

## Debate A

- debate_id: `d0`
- roles: PRO = **Big (high)**, CON = **Small**

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Judge One | Big (high) | +2.3 | +2.30 | 6.0 |
| Judge Two | Small | -0.4 | -0.40 | 7.0 |

## Debate B

- debate_id: `d1`
- roles: PRO = **Small**, CON = **Big (high)**

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Judge One | Big (high) | -1.0 | +1.00 | 6.0 |
"""


def test_reading_r77_debate_exchanged_roles_are_another_item(tmp_path: Path) -> None:
    name = "reports/debate_matchup_judgments/x/matchup-judgment-prop_1.md"

    actual_rows = rows(debate.convert, tmp_path, {name: REPORT})

    assert fields(actual_rows, "item", "setting", "verdict", "a_by", "b_by", "first") == [
        ("d0", "Judge One", "a", "Big (high)", "Small", None),
        ("d0", "Judge Two", "b", "Big (high)", "Small", None),
        ("d1", "Judge One", "b", "Small", "Big (high)", None),
    ]
