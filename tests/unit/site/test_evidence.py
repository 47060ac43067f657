"""What was worked out of a snapshot, as it is kept."""

import json
from pathlib import Path

from epc.site import evidence
from epc.site.evidence import Evidence

RATE = {"strategy": "p", "domain": "text", "wins": 3, "losses": 1, "ties": 0}


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    band = {"mean": 1.2, "low": 0.8, "high": 1.6}
    facts = {"coin": {"gamma": band}, "win_rates": [RATE]}
    (tmp_path / evidence.FACTS).write_text(json.dumps(facts))

    found = Evidence.of(tmp_path)

    assert found.home == tmp_path
    assert (found.coin["gamma"].mean, found.coin["gamma"].high) == (1.2, 1.6)
    assert [(rate.strategy, rate.wins, rate.losses) for rate in found.win_rates] == [("p", 3, 1)]
