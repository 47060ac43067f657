"""Evidence in a manifest's figures: noise floor, excess and p-value, as they stand there.

Sources: Readings R15, R38, R39 and R70.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import combinations

from msgspec import to_builtins

from epc.arrays import np
from epc.audit.control import Control, measured, simulated
from epc.audit.coupling import Transfer, any_differ, transfer
from epc.audit.permutation import PermutationTest, by_tasks
from epc.audit.units import in_one_order
from epc.protocol.config import Configuration
from epc.protocol.metrics import gamma
from epc.protocol.results import Json, vector
from epc.protocol.table import VerdictTable
from epc.spec.domains import Direction


def evidence(per_seed: Sequence[Json], *, table: VerdictTable, config: Configuration) -> Json:
    """Return what of `results.summary` rests on the verdict table and the seeds' records.

    That is `control` and `transfer`.
    """
    controls = (_measured if config.control == "measured" else _simulated)(per_seed, table, config)
    control = control_json(config.control, controls)
    figures, preferences = crossing(per_seed, table=table, config=config)
    document = {key: part for key, part in to_builtins(figures).items() if key != "tests" or part}
    return {
        "control": control | {"test": to_builtins(preferences)},
        "transfer": json.loads(json.dumps(document)),  # with lists for tuples
    }


def crossing(
    per_seed: Sequence[Json], *, table: VerdictTable, config: Configuration
) -> tuple[Transfer, PermutationTest]:
    """Return what crosses between the domains, and whether preferences differ (Reading R71)."""
    names = [strategy.name for strategy in config.strategies]
    vectors = {
        phase.name: [
            tuple(record["weights"][phase.name][name] for name in names) for record in per_seed
        ]
        for phase in config.phases
    }
    differ = [
        by_tasks(in_one_order(table.of_domains(domain_pair), names), config.rule)
        for domain_pair in combinations(table.domains.names, 2)
    ]
    return transfer(vectors, table=table, config=config), any_differ(differ)


def _measured(
    per_seed: Sequence[Json], _: VerdictTable, config: Configuration
) -> dict[Direction, Control]:
    """Compare each seed's control phase with its own pure vector, as gamma's is."""
    return {
        direction: measured(
            [record["gamma"][direction] for record in per_seed],
            [gamma(vector(record, control), vector(record, target)) for record in per_seed],
        )
        for direction, target in config.domains.target.items()
        for control in [config.domains.control[direction]]
    }


def _simulated(
    per_seed: Sequence[Json], table: VerdictTable, config: Configuration
) -> dict[Direction, Control]:
    return {
        direction: simulated(
            [record["gamma"][direction] for record in per_seed],
            [vector(record, target) for record in per_seed],
            table=table,
            domain=target,
            rounds=config.rounds,
            rule=config.rule,
        )
        for direction, target in config.domains.target.items()
    }


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
            domain: dict(zip(strategies, counts.tolist(), strict=True))
            for domain, counts in table.counts.items()
        },
    }


def table_of(document: Json, strategies: Sequence[str], *, is_whole: bool) -> VerdictTable:
    """Return the table that stands in a manifest of valid shape; it does not say if it is whole."""
    return VerdictTable(
        counts={
            domain: np.array([rows[name] for name in strategies], np.int64)
            for domain, rows in document["counts"].items()
        },
        repeated=document["repeated"],
        is_whole=is_whole,
    )
