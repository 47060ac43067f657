"""Citations that other programs can read, whatever a contributor is called."""

from pathlib import Path

from registry_support import day
from site_support import ADDRESS, with_documents

from epc.site.citing import bibtex, plain
from epc.site.collecting import collect
from epc.site.pages import Site

PAPER = 'arXiv:2607.00297v1, "EPC: A Standardized Protocol"'


def site(folder: Path, work: str) -> Site:
    """Return a site whose one snapshot somebody transcribed from a work."""
    checkout = with_documents(folder)
    printed = {"work": work, "place": "Table 1, row 1", "address": "https://a", "as_printed": "x"}
    checkout.publish(contributor="A. Transcriber", citation=printed)
    return collect(checkout.folder, as_of=day("2026-04-01"), address=ADDRESS)


def test_a_bibtex_entry_keeps_its_braces_and_escapes_what_tex_acts_upon(tmp_path: Path) -> None:
    new_site = site(tmp_path, 'R&D {lab} 50% a_b \\x, "T"')
    citation = bibtex(new_site, new_site.snapshots[0])

    assert citation.startswith("@misc{epc-v1.0-Judge-1,\n")
    assert r"author = {{The authors of R\&D \{lab\} 50\% a\_b \textbackslash{}x}}" in citation
    plain = citation.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")


def test_a_reported_figure_is_its_works_and_names_table_row_and_registry(tmp_path: Path) -> None:
    new_site = site(tmp_path, PAPER)
    page = new_site.snapshots[0]

    assert plain(new_site, page) == (
        "The authors of arXiv:2607.00297v1 (2026). EPC: A Standardized Protocol. "
        "arXiv:2607.00297v1, Table 1, row 1. https://a As transcribed in: EPC registry, snapshot "
        f"v1.0-Judge-1 (reported), 2026-02-01. {ADDRESS}snapshots/v1.0-Judge-1/"
    )
    assert bibtex(new_site, page) == (
        "@misc{epc-v1.0-Judge-1,\n"
        "  title = {{EPC: A Standardized Protocol}},\n"
        "  author = {{The authors of arXiv:2607.00297v1}},\n"
        "  year = {2026},\n"
        "  howpublished = {arXiv:2607.00297v1},\n"
        "  url = {https://a},\n"
        "  note = {Table 1, row 1; as transcribed in the EPC registry, snapshot v1.0-Judge-1, "
        f"{ADDRESS}snapshots/v1.0-Judge-1/}},\n}}"
    )
    assert "A. Transcriber" not in bibtex(new_site, page) + plain(new_site, page)
