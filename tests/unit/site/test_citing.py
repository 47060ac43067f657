"""Citations that other programs can read, whatever a contributor is called."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from registry_support import day, measured, snapshot
from site_support import ADDRESS, with_documents

from epc.registry.snapshots import Snapshot
from epc.site.citing import bibtex, cff
from epc.site.collecting import collect
from epc.site.linked_data import of_snapshot
from epc.site.pages import Site


def site(folder: Path, contributor: str) -> Site:
    made = with_documents(folder)
    made.publish(contributor=contributor)
    return collect(made.folder, as_of=day("2026-04-01"), address=ADDRESS)


@pytest.mark.parametrize("name", ["A. Name", 'Ann "Q": #1\n- x', "{% 50% } & Söhne_\\"])
def test_a_cff_is_yaml_and_names_snapshot_and_contributor(tmp_path: Path, name: str) -> None:
    made = site(tmp_path, name)
    given = yaml.safe_load(cff(made, made.snapshots[0]))

    assert given["version"] == "v1.0-Judge-1"
    assert given["authors"] == [{"name": name}]
    assert str(given["date-released"]) == "2026-02-01"
    assert given["url"] == f"{ADDRESS}snapshots/v1.0-Judge-1/"


@pytest.mark.parametrize(
    ("own", "stated"), [(snapshot(), "CC-BY-4.0"), (measured(licence="CC0-1.0"), "CC0-1.0")]
)
def test_a_snapshot_is_cited_under_its_own_licence(
    tmp_path: Path, own: Snapshot, stated: str
) -> None:
    made = with_documents(tmp_path)
    made.publish()
    found = collect(made.folder, as_of=day("2026-04-01"), address=ADDRESS)
    page = found.snapshots[0]
    page = replace(page, row=replace(page.row, snapshot=own))

    assert yaml.safe_load(cff(found, page))["license"] == stated
    assert of_snapshot(found, page)["license"] == f"https://spdx.org/licenses/{stated}"


def test_a_bibtex_entry_keeps_its_braces_and_escapes_what_tex_acts_upon(tmp_path: Path) -> None:
    made = site(tmp_path, "R&D {lab} 50% a_b \\x")
    given = bibtex(made, made.snapshots[0])

    assert given.startswith("@misc{epc-v1.0-Judge-1,\n")
    assert r"author = {{R\&D \{lab\} 50\% a\_b \textbackslash{}x}}" in given
    assert "year = {2026}" in given
    plain = given.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
