"""When two measurements are the same one, whatever their dates and names say.

Pure: it takes manifests of valid shape. A measurement's *identity* is the digest of its evaluator,
endpoint, configuration, tasks and raw data. A *trace* is how one seed went: under the declared
draws two seeds end on the same weights, to the last bit, only if they took the same verdicts.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epc.protocol.results import Json
from epc.records.layout import IDENTITY
from epc.records.manifest import Manifest, RawName, SeedRecord
from epc.records.strict_json import dumps_line
from epc.spec.domains import Domains

_RAW: Final[tuple[RawName, ...]] = ("trials", "calls")
# A seed whose verdicts are nearly all alike ends as any evaluator with that bias ends: it tells
# nothing about where it comes from.
_LEAST_MINORITY: Final = 12


def identity(manifest: Manifest) -> str:
    """Return the digest of what was measured, how, and of what came of it; of no date."""
    document = manifest.document
    content = {
        "evaluator": _model(document["evaluator"]),
        "executor": _model(document["executor"]),
        "config": document["config"],
        "tasks": document["tasks"],
        "strategies": document["strategies"],
        "evaluator_prompt": document["evaluator_prompt"],
        "raw": {name: manifest.raw[name].sha256 if manifest.raw else None for name in _RAW},
    }
    return hashlib.sha256(dumps_line(content).encode()).hexdigest()


def traces(manifest: Manifest) -> frozenset[str]:
    """Return the digests of how each telling seed went, whatever seed and strategies are called."""
    return frozenset(
        _trace(record, manifest.names)
        for record in manifest.results.per_seed
        if _telling(record) >= _LEAST_MINORITY
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What an evaluator mostly said of each pair, in canonical order: a letter a pair.

    `asked` is the digest of the pairs; only the same ones can be compared. `counts` are how often
    it said A, B and tie of each.
    """

    asked: str
    said: str
    counts: tuple[tuple[int, ...], ...] = ()

    def shared(self, other: "Verdicts") -> tuple[int, int]:
        """Return on how many pairs two agree, and of how many that both have a verdict on."""
        if self.asked != other.asked:
            return 0, 0
        both = [(a, b) for a, b in zip(self.said, other.said, strict=True) if "-" not in a + b]
        return sum(a == b for a, b in both), len(both)

    def agreement(self, other: "Verdicts") -> float | None:
        """Return how often one answer of each agrees, over the pairs that both were asked.

        It is on the scale of how often an evaluator repeats itself, however often it was asked.
        """
        if self.asked != other.asked:
            return None
        shares = [
            sum(a * b for a, b in zip(one, two, strict=True)) / (sum(one) * sum(two))
            for one, two in zip(self.counts, other.counts, strict=True)
            if sum(one) and sum(two)
        ]
        return sum(shares) / len(shares) if shares else None


def verdicts(manifest: Manifest) -> Verdicts:
    """Return what the evaluator mostly said of each pair of strategy and task."""
    counts, by_pair = manifest.results.verdict_table.counts, dict[str, tuple[int, ...]]()
    for domain, tasks in manifest.tasks.items():
        for strategy, rows in counts[domain].items():
            for task, row in zip(tasks, rows, strict=False):
                by_pair[dumps_line({"of": [domain, strategy, task]})] = tuple(row)
    pairs = sorted(by_pair)
    digest = hashlib.sha256("".join(pairs).encode()).hexdigest()
    rows = tuple(by_pair[pair] for pair in pairs)
    return Verdicts(asked=digest, said="".join(map(_mostly, rows)), counts=rows)


def _mostly(row: Sequence[int]) -> str:
    """Return a letter for counts of A, B and tie: - where nothing was asked, = where none leads."""
    leaders = [letter for letter, count in zip("AB=", row, strict=True) if count == max(row)]
    return "-" if not any(row) else leaders[0] if len(leaders) == 1 else "="


def is_copy(own: frozenset[str], other: frozenset[str]) -> bool:
    """Whether so many telling seeds went alike that one measurement was made from the other.

    Evaluators that share a bias can agree on a seed by chance; on half of all seeds, each with its
    own draws, two hardly can.
    """
    return bool(own and other) and 2 * len(own & other) >= min(len(own), len(other))


def _trace(record: SeedRecord, names: list[str]) -> str:
    phases = Domains.among(record.weights).phase_names
    weights = [[record.weights[phase].get(name) for name in names] for phase in phases]
    verdicts = [record.verdicts[phase] for phase in phases]
    return hashlib.sha256(dumps_line([weights, verdicts]).encode()).hexdigest()


def _telling(record: SeedRecord) -> int:
    """Return how many decided rounds of a seed went against the majority of its verdicts."""
    counts: Counter[str] = Counter()
    for phase in Domains.among(record.weights).phase_names:
        counts.update(record.verdicts[phase])
    return min(counts["A"], counts["B"])


def _model(model: Json | None) -> Json | None:
    if model is None:
        return None
    kept = ("method", "decoding", "prompt_template")
    return {key: model[key] for key in (*IDENTITY, *kept) if key in model}
