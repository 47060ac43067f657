"""`make release` in a fresh clone, as a maintainer types it: everything up to the upload.

The site stands there already: other tests build it, and it takes a minute. By day no wheel is
built: the tests of test_small_install.py have one that was built in the same way.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import mlcroissant
import pytest
import yaml
from budget_support import is_night
from engine_support import environment
from pages_folder_support import cloned
from pyarrow import parquet
from registry_support import ROOT
from site_support import BuiltSite, epc

from epc.version import __version__

pytestmark = pytest.mark.slow


def run(clone: Path, *arguments: str) -> str:
    done = subprocess.run(
        arguments,
        cwd=clone,
        env={
            **environment(),
            "UV_OFFLINE": "1",
            "PYTHONPATH": str(clone),
            "MAKELEVEL": "0",
            "MAKEFLAGS": "",  # as typed, also where `make` runs the tests
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def released(
    site: BuiltSite, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, str]]:
    """Return the folder that is uploaded, and what was printed."""
    clone = cloned(tmp_path_factory.mktemp("release"))
    shutil.copytree(site.out, clone / "public", copy_function=os.link)
    venv = Path(sys.executable).parents[1]
    arguments = (f"VENV={venv}", "--old-file=docs", f"--old-file={venv}/.dev")
    printed = run(clone, "make", "release", *arguments, *([] if is_night() else ["UV=true"]))
    yield clone / "build" / "release", printed
    shutil.rmtree(clone)


@pytest.mark.nightly("test_a_plain_installation_is_under_17_mb_with_all_that_it_needs")
def test_the_wheel_and_the_source_archive_are_of_this_version_and_bring_the_registry(
    released: tuple[Path, str],
) -> None:
    (wheel,) = released[0].glob("*.whl")
    source = released[0] / f"epc_registry-{__version__}.tar.gz"

    assert wheel.name == f"epc_registry-{__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < 15_000_000
    assert "epc/registry/registry.json.gz" in ZipFile(wheel).namelist()
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "setup.py", "LICENSE", "snapshots/events.jsonl"} <= names


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
def test_the_data_set_is_a_folder_with_its_card_its_digests_and_a_valid_croissant(
    released: tuple[Path, str],
) -> None:
    folder = released[0] / "dataset"
    _, front, _ = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    card = yaml.safe_load(front)

    run(folder, "sha256sum", "--check", "--strict", "SHA256SUMS")
    tables = {config["data_files"][0]["path"] for config in card["configs"]}
    assert tables == {path.name for path in folder.glob("*.parquet")}
    assert all(parquet.read_table(folder / name).num_rows for name in tables)
    described = mlcroissant.Dataset(jsonld=folder / "croissant.json").metadata
    assert not described.issues.report()
    assert {f"{record_set.id}.parquet" for record_set in described.record_sets} == tables


def test_the_archive_for_a_doi_holds_its_own_description_the_licences_and_the_raw_data(
    released: tuple[Path, str],
) -> None:
    with tarfile.open(released[0] / "epc-registry.tar.gz") as archive:
        names = set(archive.getnames())

    for name in ("codemeta.json", ".zenodo.json", "CITATION.cff", "LICENSE", "LICENSE-DATA"):
        assert f"epc-registry/{name}" in names
    assert any(name.startswith("epc-registry/snapshots/.store/") for name in names)
    deposit = (released[0] / ".zenodo.json").read_bytes()
    assert deposit == (ROOT / ".zenodo.json").read_bytes()


def test_the_page_of_the_month_and_a_badge_are_there_and_five_lines_say_what_is_left(
    released: tuple[Path, str], tmp_path: Path
) -> None:
    public = released[0].parents[1] / "public"
    badge = epc(tmp_path, "expiry", "--format", "svg", "openai/gpt-5.4-mini").stdout
    page = (ROOT / "site" / "docs" / "maintaining.md").read_text("utf-8")

    assert "state of the judges" in (public / "changes" / "index.html").read_text("utf-8")
    assert badge.startswith("<svg")
    assert "judge: openai/gpt-5.4-mini" in badge
    lines = released[1].splitlines()[-5:]
    assert [line[:3] for line in lines] == [f"{n}. " for n in range(1, 6)]
    assert "\n".join(lines) in page
