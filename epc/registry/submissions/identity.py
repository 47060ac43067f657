"""When two measurements are the same one, whatever their dates and names say.

Pure: it takes manifests of valid shape. A measurement's *identity* is the digest of its evaluator,
endpoint, configuration, tasks and raw data. A *trace* is how one seed went: under the declared
draws two seeds end on the same weights, to the last bit, only if they took the same verdicts.
"""

import hashlib
from collections import Counter
from typing import Any, Final

from epc.records.layout import IDENTITY
from epc.records.strict_json import dumps_line
from epc.spec.epc_v1 import PHASE_NAMES

Json = dict[str, Any]

_RAW: Final = ("trials", "calls")
# A seed whose verdicts are nearly all alike ends as any evaluator with that bias ends: it tells
# nothing about where it comes from.
_TELLING: Final = 12


def identity(manifest: Json) -> str:
    """Return the digest of what was measured, how, and of what came of it; of no date."""
    told = {
        "evaluator": _model(manifest["evaluator"]),
        "executor": _model(manifest["executor"]),
        "config": manifest["config"],
        "tasks": manifest["tasks"],
        "strategies": manifest["strategies"],
        "evaluator_prompt": manifest["evaluator_prompt"],
        "raw": {name: (manifest["raw"] or {}).get(name, {}).get("sha256") for name in _RAW},
    }
    return hashlib.sha256(dumps_line(told).encode()).hexdigest()


def traces(manifest: Json) -> frozenset[str]:
    """Return the digests of how each telling seed went, whatever seed and strategies are called."""
    names = [strategy["name"] for strategy in manifest["strategies"]]
    return frozenset(
        _trace(record, names)
        for record in manifest["results"]["per_seed"]
        if _telling(record) >= _TELLING
    )


def is_copy(own: frozenset[str], other: frozenset[str]) -> bool:
    """Whether so many telling seeds went alike that one measurement was made from the other.

    Evaluators that share a bias can agree on a seed by chance; on half of all seeds, each with its
    own draws, two hardly can.
    """
    return bool(own and other) and 2 * len(own & other) >= min(len(own), len(other))


def _trace(record: Json, names: list[str]) -> str:
    weights = [[record["weights"][phase].get(name) for name in names] for phase in PHASE_NAMES]
    verdicts = [record["verdicts"][phase] for phase in PHASE_NAMES]
    return hashlib.sha256(dumps_line([weights, verdicts]).encode()).hexdigest()


def _telling(record: Json) -> int:
    """Return how many decided rounds of a seed went against the majority of its verdicts."""
    counts: Counter[str] = Counter()
    for phase in PHASE_NAMES:
        counts.update(record["verdicts"][phase])
    return min(counts["A"], counts["B"])


def _model(given: Json | None) -> Json | None:
    if given is None:
        return None
    kept = ("method", "decoding", "prompt_template")
    return {key: given[key] for key in (*IDENTITY, *kept) if key in given}
