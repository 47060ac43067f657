"""What a measurement's figures weigh: noise floor, excess and p-value as they stand in a manifest.

Sources: Readings R15, R38 and R39.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from epc.core.control import Control, simulated
from epc.core.domain_test import by_tasks
from epc.core.table import VerdictTable
from epc.core.weights import UpdateRule
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS, REFERENCE, Direction

Json = dict[str, Any]


def evidence(
    per_seed: Sequence[Json], *, table: VerdictTable, rounds: int, rule: UpdateRule
) -> Json:
    """Return `results.summary.control` from the seeds' records and the verdict table."""
    controls = {
        direction: simulated(
            [record["gamma"][direction] for record in per_seed],
            [list(record["weights"][REFERENCE[direction]].values()) for record in per_seed],
            table=table,
            domain=REFERENCE[direction],
            rounds=rounds,
            rule=rule,
        )
        for direction in DIRECTIONS
    }
    return control_json("simulated", controls) | {"test": asdict(by_tasks(table, rule))}


def control_json(method: str, controls: Mapping[Direction, Control]) -> Json:
    """Return the noise floor and the excess of each direction."""
    return {
        "method": method,
        "noise_floor": {
            direction: {"mean": control.floor, "q025": control.low, "q975": control.high}
            for direction, control in controls.items()
        },
        "excess": {
            direction: {
                "mean": control.excess,
                "ci95": list(control.interval) if control.interval else None,
            }
            for direction, control in controls.items()
        },
    }


def table_json(table: VerdictTable, strategies: Sequence[str]) -> Json:
    """Return `results.verdict_table`: counts of A, B and tie, a strategy a row, a task a triple."""
    return {
        "repeated": table.repeated,
        "counts": {
            domain: dict(zip(strategies, table.counts[domain].tolist(), strict=True))
            for domain in DOMAINS
        },
    }


def table_of(given: Json, strategies: Sequence[str]) -> VerdictTable:
    """Return the table that stands in a manifest of valid shape."""
    import numpy as np

    return VerdictTable(
        counts={
            domain: np.array([given["counts"][domain][name] for name in strategies], np.int64)
            for domain in DOMAINS
        },
        repeated=given["repeated"],
    )
