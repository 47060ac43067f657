"""Per-seed weights that somebody published alone, without trials or manifest.

A list of `{"seed", "weights": {phase: {strategy: weight}}}`, or a folder of files with such lists,
single entries, or the rows of a weights.jsonl. Vectors may be rounded; phases may be missing.
"""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.errors import Finding, MalformedError, refuse
from epc.json_text import is_number
from epc.protocol.weights import Weights
from epc.records import strict_json
from epc.records.layout import RAW
from epc.spec.domains import PAIRED, Domains

_CLAUSE: Final = "EPC-2.5(d)"
_FULL_PRECISION: Final = 8  # decimals; a vector with fewer throughout was rounded
_REMEDY: Final = 'expected [{"seed": 0, "weights": {"text": {"a": 0.5, "b": 0.5}, ...}}, ...]'


class PublishedWeights(Struct, frozen=True, kw_only=True):
    """The weights of each seed by phase, all in one order of strategies.

    `decimals` is None where they are in full precision.
    """

    strategies: tuple[str, ...]
    seeds: dict[int, dict[str, Weights]]
    decimals: int | None

    @property
    def domains(self) -> Domains:
        """The domains of the phases."""
        return Domains.among(phase for phases in self.seeds.values() for phase in phases)

    @property
    def tolerance(self) -> float:
        """How far a stored weight may be from the one that was measured."""
        return 0.0 if self.decimals is None else 10.0**-self.decimals / 2


def read_published_weights(path: Path) -> PublishedWeights:
    """Return the per-seed weights at a path.

    Raises: MalformedError naming the first thing that cannot be used; WorldError if the disk
    fails.
    """
    entries = list(_entries(path))
    if not entries:
        raise _malformed(str(path), "holds no per-seed weights", _REMEDY)
    named: dict[int, dict[str, dict[str, float]]] = {}
    decimals = 0
    for where, entry in entries:
        seed, weights = _entry(where, entry)
        if seed in named:
            raise _malformed(where, f"seed {seed} appears twice", "keep each seed once")
        named[seed] = weights
        decimals = max([decimals, *(_decimals(w) for v in weights.values() for w in v.values())])
    first = next(iter(named.values()))
    strategies = tuple(next(iter(first.values())))
    ordered = {
        seed: {phase: _ordered(seed, phase, v, strategies) for phase, v in weights.items()}
        for seed, weights in sorted(named.items())
    }
    return PublishedWeights(
        strategies=strategies,
        seeds=ordered,
        decimals=decimals if decimals < _FULL_PRECISION else None,
    )


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    rows = [file for file in files if file.name == RAW["weights"]]
    for file in rows or [file for file in files if file.suffix == ".json"]:
        if rows:
            yield from _grouped(file)
            continue
        value, problems = strict_json.read(file)
        refuse(problems)
        listed = value if isinstance(value, list) else [value]
        yield from ((f"{file.name}#/{index}", entry) for index, entry in enumerate(listed))


def _grouped(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield the seeds of a weights.jsonl as entries."""
    seeds: dict[int, dict[str, dict[str, Any]]] = {}
    for index, row, problems in strict_json.read_lines(file, "weights"):
        refuse(problems)
        if not isinstance(row, dict) or not row.keys() >= {"seed", "phase", "strategy", "weight"}:
            raise _malformed(
                f"{file.name}#/{index}", "is no weight", "expected seed, phase, strategy, weight"
            )
        seed, phase, strategy = row["seed"], row["phase"], row["strategy"]
        where = f"{file.name}#/{index}"
        if not isinstance(seed, int) or not isinstance(phase, str) or not isinstance(strategy, str):
            raise _malformed(where, "is no weight", "expected a whole seed, and names")
        vector = seeds.setdefault(seed, {}).setdefault(phase, {})
        if strategy in vector:
            raise _malformed(where, f"seed {seed} {phase} {strategy} appears twice", "keep it once")
        vector[strategy] = row["weight"]
    yield from ((file.name, {"seed": seed, "weights": w}) for seed, w in seeds.items())


def _entry(where: str, entry: Any) -> tuple[int, dict[str, dict[str, float]]]:
    if not isinstance(entry, dict) or not {"seed", "weights"} <= entry.keys():
        raise _malformed(where, "is no seed with its weights", _REMEDY)
    seed, weights = entry["seed"], entry["weights"]
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise _malformed(f"{where}/seed", f"is {seed!r}", "expected a whole number")
    if not isinstance(weights, dict):
        raise _malformed(f"{where}/weights", "is no object of phases", _REMEDY)
    domains = Domains.among(weights)
    if len(domains.names) < PAIRED:
        problem = "lacks a pure phase: a vector for each of two domains, such as text and visual"
        raise _malformed(f"{where}/weights", problem, _REMEDY)
    vectors: dict[str, dict[str, float]] = {}
    for phase in (name for name in domains.phase_names if name in weights):
        vector = weights[phase]
        if not isinstance(vector, dict) or not vector:
            raise _malformed(f"{where}/weights/{phase}", "is no object of weights", _REMEDY)
        for name, weight in vector.items():
            if not is_number(weight):
                location = f"{where}/weights/{phase}/{name}"
                raise _malformed(location, f"is {weight!r}", "expected a number")
        vectors[phase] = {name: float(weight) for name, weight in vector.items()}
    return seed, vectors


def _ordered(
    seed: int, phase: str, vector: dict[str, float], strategies: tuple[str, ...]
) -> Weights:
    if vector.keys() != set(strategies):
        odd = ", ".join(sorted(vector.keys() ^ set(strategies)))
        raise _malformed(
            f"seed {seed} {phase}", f"{odd}: not every vector's", "name the same strategies"
        )
    return tuple(vector[name] for name in strategies)


def _decimals(weight: float) -> int:
    exponent = Decimal(repr(weight)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _malformed(where: str, problem: str, remedy: str) -> MalformedError:
    return MalformedError(Finding(clause=_CLAUSE, where=where, problem=problem, remedy=remedy))
