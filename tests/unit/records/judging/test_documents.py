"""A plan that was written before some of its keys were."""

import json
from pathlib import Path

from judge_support import grid, planned

from epc.records.judging.documents import PLAN, Plan
from epc.records.typed import parse


def test_a_plan_without_the_later_keys_is_of_the_first_rules_seen_and_no_test(
    tmp_path: Path,
) -> None:
    planned(tmp_path / "e", grid(), ("mock/judge",))
    document = json.loads((tmp_path / "e" / PLAN).read_text())
    for later in ("rules", "blind", "competence"):
        document.pop(later, None)

    plan = parse(document, Plan)

    assert (plan.rules, plan.blind, plan.competence) == (1, False, None)
