"""Opening a measurement by its path, or a published one by its tag."""

import shutil
from pathlib import Path
from tempfile import mkdtemp
from weakref import finalize

from epc.api.measured import Run
from epc.errors import MalformedError, UsageError
from epc.records.layout import MANIFEST
from epc.registry.fetching import restore_sealed
from epc.registry.reading import find_checkout
from epc.registry.tags import Tag


def load(path_or_tag: str | Path, *, registry: str | None = None, store: str | None = None) -> Run:
    """Return a finished run by its folder or manifest, or a published snapshot by its tag.

    `registry` is a checkout or an address that publishes one; by default the checkout around us.
    `store` holds the raw files if they are elsewhere. A snapshot's files are copied to a temporary
    folder, each SHA-256 checked; it is removed with the value.

    Raises: UsageError if there is no such thing, or it has no trials; MalformedError if a file is
    damaged; WorldError if the disk or the network fails.
    """
    path = Path(path_or_tag)
    if path.exists():
        run = Run(path=path)
        assert run.manifest  # what cannot be read says so now
        return run
    try:
        tag = Tag.parse(str(path_or_tag))
    except MalformedError:
        raise UsageError(f"{path_or_tag} is no file or folder, and no snapshot's tag") from None
    place = registry or str(find_checkout(Path.cwd()))
    folder = Path(mkdtemp(prefix="epc-"))
    run = Run(path=folder)
    finalize(run, shutil.rmtree, folder, ignore_errors=True)
    restore_sealed(tag, folder, place=place, store=store)
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{tag} is no measurement: see `epc snapshot show {tag}`")
    return run
