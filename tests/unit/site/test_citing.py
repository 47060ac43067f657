"""Citations that other programs can read, whatever a contributor is called."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from registry_support import day, measured, snapshot
from site_support import ADDRESS, with_documents

from epc.registry.snapshots import Snapshot
from epc.site.citing import bibtex, cff, of_snapshot, plain
from epc.site.collecting import collect
from epc.site.pages import Site

PAPER = 'arXiv:2607.00297v1, "EPC: A Standardized Protocol"'


def site(folder: Path, work: str) -> Site:
    """Return a site whose one snapshot somebody transcribed from a work."""
    made = with_documents(folder)
    printed = {"work": work, "place": "Table 1, row 1", "address": "https://a", "as_printed": "x"}
    made.publish(contributor="A. Transcriber", citation=printed)
    return collect(made.folder, as_of=day("2026-04-01"), address=ADDRESS)


@pytest.mark.parametrize("name", ["A. Name", 'Ann "Q": #1\n- x', "{% 50% } & Söhne_\\"])
def test_a_cff_is_yaml_and_names_snapshot_work_and_place(tmp_path: Path, name: str) -> None:
    made = site(tmp_path, f'{name}, "T"')
    given = yaml.safe_load(cff(made, made.snapshots[0]))

    assert given["version"] == "v1.0-Judge-1"
    assert given["authors"] == [{"name": f"The authors of {name}"}]
    assert given["references"][1] == {
        "type": "article",
        "title": "T",
        "url": "https://a",
        "section": "Table 1, row 1",
        "authors": [{"name": f"The authors of {name}"}],
    }
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
    made = site(tmp_path, 'R&D {lab} 50% a_b \\x, "T"')
    given = bibtex(made, made.snapshots[0])

    assert given.startswith("@misc{epc-v1.0-Judge-1,\n")
    assert r"author = {{The authors of R\&D \{lab\} 50\% a\_b \textbackslash{}x}}" in given
    plain = given.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")


def test_a_reported_figure_is_its_works_and_names_table_row_and_registry(tmp_path: Path) -> None:
    made = site(tmp_path, PAPER)
    page = made.snapshots[0]

    assert plain(made, page) == (
        "The authors of arXiv:2607.00297v1 (2026). EPC: A Standardized Protocol. "
        "arXiv:2607.00297v1, Table 1, row 1. https://a As transcribed in: EPC registry, snapshot "
        f"v1.0-Judge-1 (reported), 2026-02-01. {ADDRESS}snapshots/v1.0-Judge-1/"
    )
    assert bibtex(made, page) == (
        "@misc{epc-v1.0-Judge-1,\n"
        "  title = {{EPC: A Standardized Protocol}},\n"
        "  author = {{The authors of arXiv:2607.00297v1}},\n"
        "  year = {2026},\n"
        "  howpublished = {arXiv:2607.00297v1},\n"
        "  url = {https://a},\n"
        "  note = {Table 1, row 1; as transcribed in the EPC registry, snapshot v1.0-Judge-1, "
        f"{ADDRESS}snapshots/v1.0-Judge-1/}},\n}}"
    )
    assert "A. Transcriber" not in bibtex(made, page) + plain(made, page)
