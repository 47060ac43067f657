"""How good each strategy's answers are, and what follows for the evaluator's calibration.

Accuracy comes from outside the measurement: a CSV file with the columns strategy and accuracy, or
labels that say how right each answer is. It stands in the manifest, so that ECE and Brier can be
computed again (EPC-2.5, Readings R11, R42).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from re import fullmatch
from typing import Final

from epc.digests import file_sha256
from epc.errors import UsageError
from epc.protocol.diagnostics import StrategyReliability, brier, ece
from epc.protocol.results import Json
from epc.protocol.verdict import Verdict
from epc.records.csv_tables import decimal, table_of
from epc.records.findings import Findings
from epc.records.gold import rightness
from epc.records.layout import ACCURACY, GOLD
from epc.records.manifest import Head, Manifest, plain
from epc.records.rows import Trial, read_typed

COLUMNS: Final = ("strategy", "accuracy")
_NUMBER: Final = r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?"
_CALIBRATION: Final = r"/summary/(ece|brier|reliability)(/.*)?|/per_seed/\d+/(ece|brier)"
_MAX_SHOWN: Final = 60

Tally = dict[str, list[int]]  # by strategy: trials won, trials decided


def read_accuracy(path: Path, strategies: Sequence[str]) -> Json:
    """Return the manifest's `accuracy` from a CSV file.

    A strategy that the file leaves out has no accuracy and is left out of the figures; `missing`
    in `epc.report.reliability` says so.

    Raises: UsageError or MalformedError with the line of the first row that cannot be used;
    WorldError if the file cannot be read.
    """
    values: dict[str, float] = {}
    with table_of(path, "EPC-2.5(c)") as table:
        if sorted(table.columns) != sorted(COLUMNS):
            header = ", ".join(table.columns) or "missing"
            raise UsageError(f"{path}:1: the columns are {header}, expected {','.join(COLUMNS)}")
        for line, cells in table:
            where = f"{path}:{line}"
            name, value = _row(cells, where)
            if name not in strategies:
                choices = ", ".join(strategies)
                raise UsageError(f"{where}: {name!r} is no strategy of the run; it has {choices}")
            if name in values:
                raise UsageError(f"{where}: {name} appears twice")
            values[name] = value
    if not values:
        raise UsageError(f"{path}: no accuracy in it; give one line a strategy")
    return {
        "source": path.name,
        "sha256": file_sha256(path),
        "values": values,
    }


def accuracy_beside(folder: Path, strategies: Sequence[str]) -> Json | None:
    """Return the manifest's `accuracy` from what a run's folder holds: a file of it, or gold.

    A strategy's accuracy by gold is its mean over the labelled tasks, where each label says how
    right an answer is. None where nothing is known, or the labels are of pairs of answers.

    Raises: as `read_accuracy`.
    """
    if (folder / ACCURACY).exists():
        return read_accuracy(folder / ACCURACY, strategies)
    # Reading R11: gold of each answer is an accuracy from outside the measurement.
    if not (folder / GOLD).exists() or not (values := rightness(folder / GOLD)):
        return None
    return {
        "source": GOLD,
        "sha256": file_sha256(folder / GOLD),
        "values": {name: values[name] for name in strategies if name in values},
    }


def calibrated(
    per_seed: list[Json], manifest: Head, folder: Path
) -> tuple[list[Json], dict[str, Json] | None]:
    """Return the seeds' records with their own ECE and Brier, and all seeds' counts together.

    Without an accuracy in the manifest the records come back as they are, and no counts.

    Raises: WorldError if the trials cannot be read.
    """
    if manifest.accuracy is None:
        return per_seed, None
    accuracy = manifest.accuracy.values
    trials = (trial for _, trial in read_typed(folder, Trial, Findings(), clause="EPC-2.5(d)"))
    phases = manifest.domains.phase_names  # without those of a measured control
    tallies = _tallies(trial for trial in trials if trial.phase in phases)
    records = []
    pooled: Tally = {}
    for record in per_seed:
        tally = tallies.get(record["seed"], {})
        reliabilities = [
            StrategyReliability(**counted) for counted in _reliability(tally, accuracy).values()
        ]
        records.append({**record, "ece": ece(reliabilities), "brier": brier(reliabilities)})
        for name, (wins, decided) in tally.items():
            counts = pooled.setdefault(name, [0, 0])
            counts[0] += wins
            counts[1] += decided
    return records, _reliability(pooled, accuracy)


def restated(manifest: Manifest) -> dict[str, Json] | None:
    """Return the counts that a manifest states, with the accuracies that it states."""
    if manifest.accuracy is None:
        return None
    counts = plain(manifest.results.summary.reliability)
    return {
        name: {**counts.get(name, {"wins": 0, "decided": 0}), "accuracy": value}
        for name, value in manifest.accuracy.values.items()
    }


def unknown_strategies(manifest: Head) -> Iterator[str]:
    """Yield what has an accuracy and is no strategy of the run."""
    accuracies = manifest.accuracy.values if manifest.accuracy else {}
    yield from (name for name in accuracies if name not in manifest.names)


def is_calibration(json_pointer: str) -> bool:
    """Return whether a place in `results` holds what follows from the accuracies."""
    return fullmatch(_CALIBRATION, json_pointer) is not None


def _row(row: Mapping[str, str], where: str) -> tuple[str, float]:
    name, text = row["strategy"], decimal(row["accuracy"])
    if not name:
        raise UsageError(f"{where}: strategy is empty, expected one of the run's")
    value = float(text) if fullmatch(_NUMBER, text.strip()) else -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"{where}: accuracy {text[:_MAX_SHOWN]!r}, expected a number from 0 to 1")
    return name, value


def _tallies(trials: Iterable[Trial]) -> dict[int, Tally]:
    """Count each seed's won and decided trials by strategy, over the protocol's phases."""
    tallies: dict[int, Tally] = {}
    for trial in trials:
        counts = tallies.setdefault(trial.seed, {}).setdefault(trial.strategy, [0, 0])
        counts[0] += trial.parsed_verdict is Verdict.A
        counts[1] += trial.parsed_verdict.decided
    return tallies


def _reliability(tally: Tally, accuracy: Mapping[str, float]) -> dict[str, Json]:
    return {
        name: {"wins": wins, "decided": decided, "accuracy": value}
        for name, value in accuracy.items()
        for wins, decided in [tally.get(name, [0, 0])]
    }
