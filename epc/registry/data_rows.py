"""The published tables as Arrow batches, a snapshot at a time.

Nothing larger than one snapshot's verdicts, or some thousand trials, is in memory at a time.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from epc.analysis.verdicts_lists import with_pairs
from epc.digests import sha256
from epc.errors import UsageError
from epc.records.layout import RAW
from epc.records.recompute import load_manifest
from epc.records.rows import Trial
from epc.records.verdicts.columns import Column, Verdicts
from epc.records.verdicts.types import Header
from epc.registry.expiry import States, day_of
from epc.registry.fetching import Sealed
from epc.registry.kinds.table import KINDS
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.tables import TABLES, figures, snapshots, subject
from epc.registry.verdicts import kept_verdicts

Columns = Mapping[str, tuple[str, str]]
Values = Mapping[str, Any]  # an Arrow array or a list for each row; anything else for all rows

GROUP: Final = 65_536  # rows of a batch
_WORDS: Final = ("a", "b", "tie")  # of a verdict table's counts: won, lost, tied


def schema_of(columns: Columns) -> Any:
    """Return the Arrow schema of a table; each field has its description.

    Raises: UsageError where pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise UsageError(
            "Parquet needs the package pyarrow, which is not installed\n"
            "  fix: pip install 'epc-registry[data]'"
        ) from None
    kinds = {
        "text": pa.string(),
        "code": pa.dictionary(pa.int32(), pa.string()),
        "date": pa.date32(),
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "float": pa.float64(),
    }
    return pa.schema(
        [
            pa.field(name, kinds[kind], metadata={"description": says})
            for name, (kind, says) in columns.items()
        ]
    )


def batches(name: str, sealed: Sealed, states: States) -> Iterator[tuple[str, Any]]:
    """Yield the batches of a table, each with the last snapshot that it has rows of.

    Raises: MalformedError if a file is not as it was published; UsageError where pyarrow is not
    installed; WorldError if the disk or the network fails.
    """
    schema, snapshots = schema_of(TABLES[name]), sealed.registry.snapshots
    if name in OF_CARDS:
        yield next(reversed(snapshots), "none"), batch_of_cards(name, sealed.registry, states)
        return
    for tag, snapshot in snapshots.items():
        has_verdicts = snapshot.card.kept and KINDS[snapshot.kind].verdict_file
        if snapshot.card.audit or (name == "verdicts" and has_verdicts):
            for record_batch in _OF_RAW[name](sealed, snapshot, schema):
                yield tag, record_batch


def groups(name: str, sealed: Sealed, states: States) -> Iterator[tuple[str, Any]]:
    """Yield the row groups of a table, as `batches`: many small snapshots are one group.

    A group for each snapshot would take most of the time and of the file.
    """
    import pyarrow as pa

    pending: list[Any] = []
    last = ""
    for tag, record_batch in batches(name, sealed, states):
        if pending and sum(len(part) for part in pending) + len(record_batch) > GROUP:
            yield last, pa.Table.from_batches(pending).unify_dictionaries()
            pending = []
        pending.append(record_batch)
        last = tag
    if pending:
        yield last, pa.Table.from_batches(pending).unify_dictionaries()


def batch_of_cards(name: str, registry: Registry, states: States) -> Any:
    """Return a table that needs no raw files as one batch.

    Raises: UsageError where pyarrow is not installed.
    """
    schema, rows = schema_of(TABLES[name]), list(OF_CARDS[name](registry, states))
    return batch(schema, {key: [row[key] for row in rows] for key in schema.names}, len(rows))


def batch(schema: Any, values: Values, rows: int) -> Any:
    """Return a batch; a column that is not given is empty."""
    import pyarrow as pa

    def column(field: Any) -> Any:
        value = values.get(field.name)
        if isinstance(value, pa.Array):
            return value.cast(field.type) if value.type != field.type else value
        if not isinstance(value, list):
            value = [value] * rows
        if pa.types.is_dictionary(field.type):
            return pa.array(value, pa.string()).dictionary_encode()
        return pa.array(value, field.type)

    return pa.record_batch([column(field) for field in schema], schema=schema)


def _verdicts(sealed: Sealed, snapshot: Snapshot, schema: Any) -> Iterator[Any]:
    card = snapshot.card
    if card.origin is None:
        yield _ballots(sealed, snapshot, card.licence, schema)
        return
    with sealed.folder(snapshot) as folder:
        header, verdicts = kept_verdicts(folder)
    verdicts = with_pairs(verdicts)
    constants = {"licence": card.licence, "source": card.origin.name, "times": 1}
    shared = subject(snapshot) | constants
    record_batch = batch(schema, shared | _recorded(header, verdicts), len(verdicts))
    for begin in range(0, len(verdicts), GROUP):
        yield record_batch.slice(begin, GROUP)


def _recorded(header: Header, verdicts: Verdicts) -> dict[str, Any]:
    """Return the columns of recorded verdicts: each distinct value is looked at once."""
    columns = {name: _arrow_array(getattr(verdicts, name), name) for name in _AS_RECORDED}
    people = verdicts.humans
    for word in _WORDS:
        counts = [choices.count(word) for choices in people.names]
        columns[f"humans_{word}"] = _arrow_array(Column(codes=people.codes, names=counts), "humans")
    columns["date"] = _days(header, verdicts)
    return columns


def _arrow_array(column: Column, name: str) -> Any:
    """Return a column as an Arrow array, null where it is absent."""
    import pyarrow as pa

    codes = pa.array(column.codes, pa.int32(), mask=column.codes < 0)
    if name in _TEXTS:
        return pa.DictionaryArray.from_arrays(codes, pa.array(column.names, pa.string()))
    kind = pa.float64() if name.endswith("_score") else pa.int64()
    return pa.array(column.names, kind).take(codes)


def _days(header: Header, verdicts: Verdicts) -> Any:
    """Return each verdict's own day, or else its setting's, where either is one."""
    import numpy as np
    import pyarrow as pa

    texts = [*verdicts.date.names, *(header.settings[s].date for s in verdicts.setting.names)]
    codes = verdicts.date.codes
    places = np.where(codes >= 0, codes, verdicts.setting.codes + len(verdicts.date.names))
    # Reading R77: what the source does not state as a day stays unknown.
    return pa.array([day_of(text) for text in texts], pa.date32()).take(pa.array(places))


def _ballots(sealed: Sealed, snapshot: Snapshot, licence: str, schema: Any) -> Any:
    """Return what a measured evaluator said: a row for each pair and verdict."""
    with sealed.folder(snapshot, raw=()) as folder:
        manifest = load_manifest(folder)
    rows = [
        {
            "subset": domain,
            "item": str(task),
            "question_sha256": sha256(manifest.tasks[domain][task]),
            "a_by": strategy,
            "verdict": word,
            "times": times,
        }
        for domain, table in manifest.results.verdict_table.counts.items()
        for strategy, cells in table.items()
        for task, counts in enumerate(cells)
        for word, times in zip(_WORDS, counts, strict=True)
        if times
    ]
    shared = subject(snapshot) | {"licence": licence, "b_by": manifest.config.baseline}
    keys = ("subset", "item", "question_sha256", "a_by", "verdict", "times")
    return batch(schema, shared | {key: [row[key] for row in rows] for key in keys}, len(rows))


def _trials(sealed: Sealed, snapshot: Snapshot, schema: Any) -> Iterator[Any]:
    decoder, shared = msgspec.json.Decoder(Trial), subject(snapshot)
    with sealed.folder(snapshot, raw=(RAW["trials"],)) as folder:
        manifest = load_manifest(folder)
        phases = {name: phase.domain for name, phase in manifest.domains.phase.items()}
        with (folder / RAW["trials"]).open("rb") as file:
            while rows := [decoder.decode(line) for line in islice(file, GROUP)]:
                columns = {name: [getattr(row, name) for row in rows] for name in _OF_TRIAL}
                domains = [phases[row.phase] for row in rows]
                questions = [
                    manifest.tasks[domain][row.task]
                    for domain, row in zip(domains, rows, strict=True)
                ]
                columns |= {"domain": domains, "question": questions}
                yield batch(schema, shared | columns, len(rows))


OF_CARDS: Final = {"snapshots": snapshots, "figures": figures}
_OF_RAW: Final = {"verdicts": _verdicts, "trials": _trials}
_OF_TRIAL: Final = tuple(field for field in Trial.__struct_fields__)
_TEXTS: Final = (
    *("setting", "subset", "item", "question_sha256", "a_by", "a_sha256", "b_by", "b_sha256"),
    *("first", "verdict", "gold", "answer_sha256"),
)
_NUMBERS: Final = ("a_length", "b_length", "a_score", "b_score", "repeat", "answer_length")
_AS_RECORDED: Final = (*_TEXTS, *_NUMBERS)
