"""All that is published as a few Parquet files (`epc data`): same content, same bytes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from epc.digests import file_sha256, sums_text
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.strict_json import write_text
from epc.registry.data_rows import batches, groups, schema_of
from epc.registry.expiry import States
from epc.registry.fetching import Sealed
from epc.registry.kinds.table import KINDS
from epc.registry.layout import DATA_LICENCE, SUMS
from epc.registry.record import Origin, Record
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.tables import TABLES
from epc.registry.writing import new_folder

Progress = Callable[[str], None]
CARD: Final = "README.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Table that was written."""

    name: str
    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """Recorded verdicts that are not here, because their licence keeps them with their source.

    `commands` make the verdict file of the source again, and recompute the snapshots from it.
    """

    source: str
    licence: str
    verdicts: int
    tags: tuple[str, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Report of what was written where, and what cannot be."""

    out: str
    as_of: date
    tables: tuple[Table, ...]
    recorded: int
    withheld: tuple[Withheld, ...]

    def as_json(self) -> Json:
        """Return it as plain JSON."""
        document: Json = to_builtins(self)
        return document


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """Return the tables of some names in their order; all of them where none is named.

    Raises: UsageError at a name that is none.
    """
    if strange := [name for name in names if name not in TABLES]:
        raise UsageError(f"there is no table {strange[0]!r}\n  fix: name {', '.join(TABLES)}")
    return tuple(name for name in TABLES if name in names or not names)


def write(
    sealed: Sealed,
    names: Sequence[str],
    out: Path,
    states: States,
    progress: Progress,
    *,
    as_of: date,
) -> Data:
    """Write tables, their digests and a card to a new folder; it appears once all of it is there.

    Raises: UsageError if the folder exists, or pyarrow is not installed; MalformedError if a file
    is not as it was published; WorldError if the disk or the network fails.
    """
    with new_folder(out, out.with_name(f".{out.name}.partial"), "--out") as folder:
        done = tuple(table for table, _ in tables(sealed, names, folder, states, progress))
        absent = tuple(withheld(sealed.registry)) if "verdicts" in names else ()
        for name, text in texts(sealed.registry, done, as_of, absent).items():
            write_text(folder / name, [text])
    return Data(
        out=str(out),
        as_of=as_of,
        tables=done,
        recorded=recorded(sealed.registry),
        withheld=absent,
    )


def tables(
    sealed: Sealed, names: Sequence[str], folder: Path, states: States, progress: Progress
) -> Iterator[tuple[Table, Path]]:
    """Write each table to a folder, and yield it with its file.

    Raises: as `write`.
    """
    import pyarrow.parquet as pq

    for name in names:
        path, rows = folder / f"{name}.parquet", 0
        schema = schema_of(TABLES[name])
        with pq.ParquetWriter(path, schema, compression="zstd", compression_level=6) as writer:
            for tag, group in groups(name, sealed, states):
                writer.write_table(group, row_group_size=len(group) or None)
                rows += len(group)
                progress(f"{name}: {rows:,} rows, up to {tag}")
        table = Table(
            name=name,
            path=path.name,
            rows=rows,
            bytes=path.stat().st_size,
            sha256=file_sha256(path),
        )
        yield table, path


def texts(
    registry: Registry, done: Sequence[Table], as_of: date, absent: Sequence[Withheld]
) -> dict[str, str]:
    """Return what stands beside tables: a card, and their digests."""
    return {
        CARD: text(done, registry, as_of, absent),
        SUMS: sums_text({table.path: table.sha256 for table in done}),
    }


def rows_of(sealed: Sealed, name: str, states: States) -> Any:
    """Return a table as a pandas DataFrame.

    Raises: as `write`; UsageError where pandas is not installed.
    """
    return frame(name, (batch for _, batch in batches(name, sealed, states)))


def frame(name: str, record_batches: Iterable[Any]) -> Any:
    """Return the batches of a table as a pandas DataFrame.

    Codes are categories, days are times of pandas, and whole numbers may be absent.

    Raises: UsageError where pandas or pyarrow is not installed.
    """
    schema = schema_of(TABLES[name])
    import pyarrow as pa

    try:
        import pandas as pd
    except ImportError:
        raise UsageError(
            "tables are pandas DataFrames, and pandas is not installed\n"
            "  fix: pip install 'epc-registry[data]'"
        ) from None
    table = pa.Table.from_batches(record_batches, schema).unify_dictionaries()
    integer_types = {pa.int64(): pd.Int64Dtype()}
    return table.to_pandas(date_as_object=False, types_mapper=integer_types.get)


def withheld(registry: Registry) -> Iterator[Withheld]:
    """Yield what is not here of recorded verdicts, a source at a time."""
    absent = [
        (origin.name, card.licence, f"{origin.clone}{_making(card)}", card.tag)
        for card, origin in _recorded(registry)
        if not card.kept
    ]
    for (source, licence, commands), rows in groupby(sorted(absent), lambda row: row[:3]):
        tags = tuple(row[-1] for row in rows)
        recompute_command = f"epc snapshot recompute {' '.join(tags)} --source CLONE"
        yield Withheld(
            source=source,
            licence=licence,
            verdicts=sum(registry.snapshots[tag].n for tag in tags),
            tags=tags,
            commands=(*commands.splitlines(), recompute_command),
        )


def recorded(registry: Registry) -> int:
    """Return how many verdicts that others recorded are published, here or not."""
    return sum(registry.snapshots[card.tag].n for card, _ in _recorded(registry))


def totals_text(registry: Registry) -> str:
    """Return how many verdicts that others recorded are published, and how many are here."""
    snapshots = [s for s in registry.snapshots.values() if KINDS[s.card.kind].verdict_file]
    superseded = [s for s in snapshots if registry.is_said_anew(s)]
    total = sum(snapshot.n for snapshot in snapshots)
    repeated = sum(snapshot.n for snapshot in superseded)
    stored = sum(snapshot.n for snapshot in _in_store(snapshots, superseded))
    judges = len({snapshot.tag.generation for snapshot in snapshots})
    return (
        f"{len(snapshots)} snapshots of {judges} judges hold {total:,} verdicts that others "
        f"recorded. {len(superseded)} of them, with {repeated:,}, were superseded by newer ones of "
        f"the same verdicts. Of the {total - repeated:,} that are left {stored:,} are in the "
        f"store; the other "
        f"{total - repeated - stored:,} stay with their source, as its licence has it."
    )


def _in_store(snapshots: Sequence[Snapshot], superseded: Sequence[Snapshot]) -> Iterator[Snapshot]:
    return (snapshot for snapshot in snapshots if snapshot.card.kept and snapshot not in superseded)


def absence(absent: Sequence[Withheld], total: int) -> Iterator[str]:
    """Yield the lines that say which recorded verdicts are not here, and how to come by them."""
    if absent:
        count = sum(part.verdicts for part in absent)
        text = f"{count:,} of {total:,} recorded verdicts are not here, {total - count:,} are"
        yield f"{text}: their licence keeps them with their source"
    for part in absent:
        tags = f"{len(part.tags)} snapshot{'s' * (len(part.tags) > 1)}"
        yield f"{part.source}, licence {part.licence}: {part.verdicts:,} verdicts of {tags}"
        yield from (f"  {command}" for command in part.commands)


def _recorded(registry: Registry) -> Iterator[tuple[Record, Origin]]:
    """Yield the cards of recorded verdicts: of a superseded one the newer snapshot has them."""
    cards = (s.card for s in registry.snapshots.values() if not registry.is_said_anew(s))
    return ((card, card.origin) for card in cards if KINDS[card.kind].verdict_file and card.origin)


def _making(card: Record) -> str:
    return f"{card.recipe.command} --out verdicts.jsonl" if card.recipe else ""


_SIZES: Final = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
_SAYS: Final = {
    "snapshots": "one row a snapshot: who was measured, when, the audit's word, its state",
    "figures": "one row a published figure, with its interval and all that `snapshots` says",
    "verdicts": "one row a verdict that others recorded, or that a measurement asked for; scored "
    "lists stand as pairs, and picks of one of several are in their snapshots' own files alone",
    "trials": "one row a round of every measured snapshot",
}
_DEFAULT: Final = "figures"
_ON_LISTS: Final = (
    "Figures on scored lists (`best/K`, `pairs/K`, after K askings): each list weighs alike,",
    "however long it is and however often the judge was asked about it. `best` shares a tie for",
    "the highest score among the tied; `pairs` is the mean over the wrong candidates of a list of",
    "how often the right one is above (a tie is not). Intervals are over questions.",
)


def text(
    tables: Sequence[Table], registry: Registry, as_of: date, absent: Sequence[Withheld]
) -> str:
    """Return the card of some tables."""
    import yaml

    header = yaml.safe_dump(_header(tables, registry), sort_keys=False)
    lines = [
        "# EPC registry",
        "",
        (
            "How far a judging model's preferences move the strategy weights of the agent that "
            "learns from it: figures, verdicts and trials."
        ),
        f"States are those of {as_of.isoformat()}.",
        (
            "gamma has no built-in zero, and a failed run has a gamma near zero: read `audit`, "
            "`failed` and `state` before you use a figure."
        ),
        "",
        *(f"- `{table.path}`, {table.rows:,} rows: {_SAYS[table.name]}" for table in tables),
        "",
        *_ON_LISTS,
        "",
        "`SHA256SUMS` has the digests. Each row names its snapshot (`tag`), each verdict its",
        "`source` and `licence`. Cite the snapshot's id.",
    ]
    if absent:
        count = sum(part.verdicts for part in absent)
        lines += ["", f"{count:,} recorded verdicts are not here. Their licence keeps them with"]
        lines += ["their source:", ""]
        lines += [f"- {part.source}, licence {part.licence}: {part.verdicts:,}" for part in absent]
    for table in tables:
        lines += ["", f"## {table.name}", "", "| column | type | what it holds |", "|---|---|---|"]
        lines += [f"| `{n}` | {kind} | {says} |" for n, (kind, says) in TABLES[table.name].items()]
    return f"---\n{header}---\n" + "\n".join(lines) + "\n"


def licences(registry: Registry) -> list[str]:
    """Return the licences of all that the tables hold, as in SPDX."""
    cards = [snapshot.card for snapshot in registry.snapshots.values()]
    return sorted({card.licence for card in cards if card.audit or card.kept} | {DATA_LICENCE})


def _header(tables: Sequence[Table], registry: Registry) -> Mapping[str, Any]:
    """Return the header; each table is a configuration of its own, with its one file."""
    digits = len(str(sum(table.rows for table in tables)))
    return {
        "pretty_name": "EPC registry",
        "language": ["en"],
        "license": [licence.lower() for licence in licences(registry)],
        "annotations_creators": ["machine-generated"],
        "size_categories": [_SIZES[max(0, digits - 3)]],
        "tags": ["llm-as-a-judge", "evaluation", "preference-coupling", "evaluator-drift"],
        "configs": [
            {
                "config_name": table.name,
                "data_files": [{"split": "train", "path": table.path}],
                **({"default": True} if table.name == _DEFAULT else {}),
            }
            for table in tables
        ],
    }
