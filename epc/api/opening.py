"""Opening what is published: a table of all of it, or one measurement by its path or tag."""

import shutil
import warnings
from dataclasses import asdict
from datetime import date
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Literal, overload
from weakref import finalize

from epc.answers.snapshot_status import snapshot_states
from epc.api.measured import Run
from epc.engine.clock import now
from epc.errors import MalformedError, UsageError
from epc.records.layout import MANIFEST
from epc.records.recompute import manifest_path
from epc.registry import data
from epc.registry.fetching import open_sealed, restore
from epc.registry.reading import nearest_checkout
from epc.registry.tables import TABLES
from epc.registry.tags import Tag

if TYPE_CHECKING:
    import pandas as pd

TableName = Literal["snapshots", "figures", "verdicts", "trials"]


@overload
def load(  # type: ignore[overload-overlap]  # no run is called as a table is
    what: TableName,
    *,
    registry: str | None = None,
    store: str | None = None,
    at: str | None = None,
    as_of: date | None = None,
) -> "pd.DataFrame": ...


@overload
def load(what: str | Path, *, registry: str | None = None, store: str | None = None) -> Run: ...


def load(
    what: str | Path,
    *,
    registry: str | None = None,
    store: str | None = None,
    at: str | None = None,
    as_of: date | None = None,
) -> "Run | pd.DataFrame":
    """Return a table of all that is published, a finished run, or a published snapshot.

    The tables are "snapshots", "figures", "verdicts" and "trials". A run is named by its folder or
    manifest, a snapshot by its tag. `registry` is a checkout or an address that publishes one; by
    default the checkout around us. `store` holds the raw files if they are elsewhere. `at` is a git
    tag or a snapshot's tag: a table is then as it was there. `as_of` is the day of the states; by
    default that tag's, or today in UTC.

    All files are checked by their SHA-256. What is fetched lies in a temporary folder, which is
    removed with the value. Recorded verdicts that are not here are a warning, and in `.attrs`.

    Raises: UsageError if there is no such thing, it has no trials, or a package is missing;
    MalformedError if a file is damaged; WorldError if the disk or the network fails.
    """
    path = Path(what)
    if what in TABLES and not manifest_path(path).is_file():
        return _table(str(what), registry, store, at, as_of)
    if at or as_of:
        raise UsageError("`at` and `as_of` are of tables; a snapshot is named by its own tag")
    if path.exists():
        run = Run(path=path)
        assert run.manifest  # what cannot be read says so now
        return run
    try:
        tag = Tag.parse(str(what))
    except MalformedError:
        raise UsageError(
            f"{what} is no file or folder, no snapshot's tag, and no table: {', '.join(TABLES)}"
        ) from None
    location = registry or str(nearest_checkout())
    folder = Path(mkdtemp(prefix="epc-"))
    run = Run(path=folder)
    finalize(run, shutil.rmtree, folder, ignore_errors=True)
    restore(tag, folder, location=location, store=store)
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{tag} is no measurement: see `epc snapshot show {tag}`")
    return run


def _table(
    name: str, registry: str | None, store: str | None, tag: str | None, as_of: date | None
) -> "pd.DataFrame":
    with open_sealed(registry, store=store, tag=tag) as sealed:
        day = as_of or sealed.day or now().date()
        table: pd.DataFrame = data.rows_of(sealed, name, snapshot_states(sealed.registry, day))
        absent = [*data.withheld(sealed.registry)] if name == "verdicts" else []
        if absent:
            message, *_ = data.absence(absent, data.recorded(sealed.registry))
            warnings.warn(f"{message}\n  see: `epc data --tables verdicts`, .attrs", stacklevel=3)
            table.attrs["withheld"] = [asdict(part) for part in absent]
        return table
