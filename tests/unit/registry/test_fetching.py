"""Bringing a snapshot back: its documents come as they were sealed."""

import hashlib
from pathlib import Path

import pytest
from registry_support import ROOT

from epc.errors import EpcError, UsageError
from epc.records.layout import MANIFEST
from epc.registry.fetching import restore
from epc.registry.layout import FOLDER, SUMS
from epc.registry.tags import Tag

HOME = ROOT / FOLDER / "v1.0-Scripted-Opposed"
TAG = Tag.parse(HOME.name)
SEAL = hashlib.sha256((HOME / SUMS).read_bytes()).hexdigest()


def test_a_measured_snapshot_without_its_raw_files_is_its_manifest(tmp_path: Path) -> None:
    restore(TAG, tmp_path, seal=SEAL, location=str(ROOT), store=None, raw=())

    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]
    assert (tmp_path / MANIFEST).read_bytes() == (HOME / MANIFEST).read_bytes()


def test_another_seal_brings_nothing(tmp_path: Path) -> None:
    with pytest.raises(EpcError):
        restore(TAG, tmp_path, seal="0" * 64, location=str(ROOT), store=None, raw=())

    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_that_is_reported_has_no_raw_files(tmp_path: Path) -> None:
    reported = next(
        path for path in sorted((ROOT / FOLDER).glob("v1.*")) if not (path / "raw.dvc").exists()
    )
    seal = hashlib.sha256((reported / SUMS).read_bytes()).hexdigest()

    with pytest.raises(UsageError, match="there are no raw files"):
        restore(Tag.parse(reported.name), tmp_path, seal=seal, location=str(ROOT), store=None)
