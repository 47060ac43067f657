"""What programs read beside the pages, and what of the folder of snapshots is published."""

from datetime import date
from pathlib import Path

import pytest
from registry_support import Checkout

from epc.site.collecting import collect
from epc.site.machines import files, remote, sitemap
from epc.site.with_mkdocs import Content

ADDRESS = "https://registry.example/epc/"


def test_what_is_being_written_or_was_left_by_a_killed_process_is_not_published(
    tmp_path: Path,
) -> None:
    checkout = Checkout(tmp_path / "registry")
    checkout.publish()
    stored = checkout.home / ".store" / "files" / "md5" / "0a"
    stored.mkdir(parents=True)
    (stored / "1b").write_text("x")
    before = dict(remote(checkout.folder))
    assert "snapshots/.store/files/md5/0a/1b" in before

    (stored / ".1b.partial").write_text("x")
    (checkout.home / ".lock").write_text("1\n")
    (checkout.home / ".events.jsonl.abc").write_text("{")
    fetched = checkout.home / "v1.0-Judge-1" / "raw" / "competence"
    fetched.mkdir(parents=True)
    for folder in (fetched, fetched.parent):
        (folder / "trials.jsonl").write_text("{}")
    building = checkout.home / ".publishing-abc" / "v1.1-Judge-1"
    building.mkdir(parents=True)
    (building / "manifest.json").write_text("{")

    assert dict(remote(checkout.folder)) == before


def published(home: Path, address: str) -> dict[str, Content]:
    """Return what is published of a registry of a snapshot that holds and one that does not."""
    checkout = Checkout(home / "registry")
    checkout.publish("v1.0-Judge-1")
    checkout.publish("v1.1-Judge-1")
    gone = {"date": "2026-03-01", "event": "withdrawn", "reason": "a cache", "tag": "v1.0-Judge-1"}
    checkout.tell(gone)
    site = collect(checkout.folder, as_of=date(2026, 4, 1), address=address)
    return dict(files(site, home / "work"))


@pytest.mark.parametrize(("address", "at"), [(ADDRESS, ADDRESS), ("", "/")])
def test_a_language_model_is_told_addresses_of_this_site_or_else_from_its_root(
    tmp_path: Path, address: str, at: str
) -> None:
    lines = str(published(tmp_path, address)["llms.txt"]).splitlines()

    assert f"- [Expiry]({at}api/v1/expiry.json): what holds, until when, and why not" in lines
    assert f"- [The protocol]({at}protocol/): clause by clause" in lines
    begin = lines.index("## Snapshots that hold on 2026-04-01")
    assert lines[begin + 1 :] == [
        "",
        f"- [v1.1-Judge-1]({at}snapshots/v1.1-Judge-1/): reported, N = 8",
    ]


def test_a_crawler_is_told_of_the_sitemap_where_the_site_has_an_address(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    everybody = "User-agent: *\nAllow: /\n"

    assert published(tmp_path / "a", "")["robots.txt"] == everybody
    content = published(tmp_path / "b", ADDRESS)["robots.txt"]
    assert content == f"{everybody}\nSitemap: {ADDRESS}sitemap.xml\n"


def test_the_tables_are_published_as_they_were_written(tmp_path: Path) -> None:
    contents = published(tmp_path, ADDRESS)

    assert contents["data/figures.parquet"] == contents["figures.parquet"]
    assert Path(str(contents["figures.parquet"])).read_bytes()[:4] == b"PAR1"


def test_each_evaluator_has_a_badge_and_each_maker_a_feed_of_ends(tmp_path: Path) -> None:
    contents = published(tmp_path, ADDRESS)

    assert "badges/Judge-1.svg" in contents
    assert "api/v1/model-eol/maker.json" in contents


def test_a_sitemap_has_each_page_under_the_site_s_address(tmp_path: Path) -> None:
    site = collect(Checkout(tmp_path).folder, as_of=date(2026, 4, 1), address=ADDRESS)

    lines = sitemap(site, ["", "snapshots/"]).splitlines()

    assert lines[2:] == [
        f"<url><loc>{ADDRESS}</loc></url>",
        f"<url><loc>{ADDRESS}snapshots/</loc></url>",
        "</urlset>",
    ]
