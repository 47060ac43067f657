"""Reading R73: tasks added to one domain take no power away; every night with more runs."""

import numpy as np
import pytest
from audit_support import fewer_wheels
from budget_support import examples

from epc.audit.power import called_coupled
from epc.audit.units import units_of
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.epc_v1 import DOMAINS

K = 11


def crossing(numbers: tuple[int, int], rng: np.random.Generator) -> VerdictTable:
    """Return one verdict a pair of crossing preferences, 0.8 against 0.3, tasks uneven by 1 logit.

    Every second strategy is the better one in the first domain, the others in the second.
    """
    counts = {}
    for place, (domain, tasks) in enumerate(zip(DOMAINS, numbers, strict=True)):
        shares = np.where(np.arange(K) % 2 == place, 0.8, 0.3)
        logits = np.log(shares / (1 - shares))[:, None] + rng.normal(0, 1, tasks)
        won = (rng.random((K, tasks)) < 1 / (1 + np.exp(-logits))).astype(np.int64)
        counts[domain] = np.stack([won, 1 - won, 0 * won], axis=2)
    return VerdictTable(counts=counts, repeated=True)


@pytest.mark.parametrize("numbers", [(8, 8), (8, 40), (100, 8)])
@fewer_wheels()
def test_reading_r73_power_is_sixty_percent_with_8_tasks_against_8_40_and_100(
    numbers: tuple[int, int],
) -> None:
    rng = np.random.default_rng(20261123)
    runs = examples(24)

    names = [f"{index:02}" for index in range(K)]
    tables = (units_of(crossing(numbers, rng), names) for _ in range(runs))
    total = sum(called_coupled(units, rounds=30, rule=UpdateRule())[0] for units in tables)

    assert total >= 0.6 * runs
