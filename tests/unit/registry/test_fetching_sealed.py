"""A registry that is read from elsewhere is held against its seals."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from epc.digests import sums_text
from epc.errors import EpcError, MalformedError
from epc.registry import layout
from epc.registry.fetching import _require_sealed

TAG = "v1.0-X"


def published(home: Path, *, figures: Any = 1) -> tuple[Any, str]:
    """Write a snapshot; return what a registry says of it, and its seal."""
    folder = home / layout.FOLDER / TAG
    folder.mkdir(parents=True)
    documents = {layout.CARD: {"tag": TAG}, layout.FIGURES: {"figures": {"gamma": figures}}}
    digests = {}
    for name, value in documents.items():
        content = json.dumps(value).encode()
        (folder / name).write_bytes(content)
        digests[name] = hashlib.sha256(content).hexdigest()
    listed = sums_text(digests).encode()
    (folder / layout.SUMS).write_bytes(listed)
    entry = {"card": {"tag": TAG}, "figures": {"gamma": 1}}
    return entry, hashlib.sha256(listed).hexdigest()


def require_sealed(home: Path, entry: Any, seal: str | None) -> None:
    registry: Any = SimpleNamespace(document={"snapshots": [entry]}, seal=lambda _: seal)
    _require_sealed(registry, str(home))


def test_a_snapshot_as_it_was_published_is_sound(tmp_path: Path) -> None:
    require_sealed(tmp_path, *published(tmp_path))


def test_a_snapshot_that_no_event_published_is_not(tmp_path: Path) -> None:
    entry, _ = published(tmp_path)

    with pytest.raises(MalformedError, match="no event says that it was published"):
        require_sealed(tmp_path, entry, None)


def test_another_seal_and_other_figures_are_found(tmp_path: Path) -> None:
    entry, seal = published(tmp_path)

    with pytest.raises(EpcError):
        require_sealed(tmp_path, entry, "0" * 64)
    with pytest.raises(EpcError):
        require_sealed(tmp_path, {**entry, "figures": {"gamma": 2}}, seal)
