"""`epc admin site build` over a registry that has everything."""

import json
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

from registry_support import ROOT
from site_support import AS_OF, BuiltSite, epc

WITHOUT = """
import sys
sys.modules |= dict.fromkeys(("jinja2", "markupsafe", "mkdocs", "material", "pyarrow"))
from epc.cli.program import main
main(["admin", "site", "build"])
"""


class Ids(HTMLParser):
    """Counts the ids of a page's elements."""

    def __init__(self) -> None:
        super().__init__()
        self.met: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.update(value for name, value in attrs if name == "id" and value)


def test_every_snapshot_and_evaluator_has_its_page(site: BuiltSite) -> None:
    for tag in ("v1.0-Judge-1", "v1.1-Judge-1", "v1.0-CoinFlip"):
        assert (site.out / "snapshots" / tag / "index.html").is_file()
        assert f'data-tag="{tag}"' in site.text(f"snapshots/{tag}/index.html")
    for name in ("Judge-1", "Judge-2"):
        assert (site.out / "evaluators" / name / "index.html").is_file()
    assert not (site.out / "evaluators" / "CoinFlip").exists(), "a mock is no evaluator"


def test_the_page_of_expired_ones_shows_what_no_longer_holds(site: BuiltSite) -> None:
    expired = site.text("expired/index.html")

    assert 'data-tag="v1.0-Judge-1"' in expired
    assert "a cache" in expired
    assert 'data-tag="v1.1-Judge-1"' not in expired
    assert 'data-tag="v1.0-CoinFlip"' not in expired


def test_a_snapshots_document_holds_what_the_command_line_prints(site: BuiltSite) -> None:
    for tag in ("v1.1-Judge-1", "v1.0-CoinFlip"):
        arguments = ("snapshot", "show", tag, "--as-of", AS_OF, "--format", "json")
        document = json.loads(epc(site.checkout.folder, *arguments).stdout)
        published = json.loads(site.text(f"api/v1/snapshots/{tag}.json"))

        assert {key: published[key] for key in document} == document


def test_no_two_elements_of_a_page_share_an_id(site: BuiltSite) -> None:
    pages = {path: path.read_text("utf-8") for path in site.out.rglob("*.html")}
    assert len(pages) > 10
    for path, text in pages.items():
        ids = Ids()
        ids.feed(text)
        assert ids.met, path
        assert [name for name, count in ids.met.items() if count > 1] == [], path


def test_a_snapshot_adds_six_files_at_most_and_the_whole_site_has_less_than_4_000(
    deployed: Path,
) -> None:
    """Its page, its JSON, its pictures, and three or four of its documents; raw files are apart."""
    files = [path.relative_to(deployed) for path in deployed.rglob("*") if path.is_file()]
    tags = {path.parent.name for path in (ROOT / "snapshots").glob("*/snapshot.json")}
    counts = Counter(tag for path in files for tag in {path.parent.name, path.stem} & tags)

    assert counts.keys() == tags
    assert {tag: count for tag, count in counts.items() if count > 6} == {}
    assert len(files) < 4000


def test_a_build_without_the_sites_packages_says_what_is_missing_and_how_to_get_it(
    site: BuiltSite,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=site.checkout.folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "not installed: jinja2, mkdocs-material, pyarrow" in done.stderr
    assert "pip install 'epc-registry[site]'" in done.stderr


def test_serving_what_was_never_built_says_to_build_it(tmp_path: Path) -> None:
    done = epc(tmp_path, "admin", "site", "serve", code=2)

    assert "there is no built site in public" in done.stderr
    assert "epc admin site build" in done.stderr


def test_every_judge_is_on_its_makers_page_and_counts_say_of_what_they_are(
    site: BuiltSite,
) -> None:
    assert 'href="../makers/maker/">maker <small>' in site.text("evaluators/index.html")
    makers = site.text("makers/maker/index.html")
    assert all(f'href="../../evaluators/{name}/"' in makers for name in ("Judge-1", "Judge-2"))
    lead = site.text("snapshots/index.html").split('<p class="epc-lead">')[1].split("</p>")[0]
    assert re.findall(r">(\d+)</data>", lead) == ["5", "1"], "one of six has expired"


def test_a_page_has_one_search_landmark_and_a_name_above_every_column(site: BuiltSite) -> None:
    pages = {
        path.relative_to(site.out): path.read_text("utf-8") for path in site.out.rglob("*.html")
    }
    assert {str(path) for path, text in pages.items() if text.count('role="search"') > 1} == set()
    empty = re.compile(r"<th\b[^>]*>\s*</th>")
    assert {str(path) for path, text in pages.items() if empty.search(text)} == set()


def test_no_sentence_ends_twice_or_begins_twice(site: BuiltSite) -> None:
    """A page said "did you mean X?." and another "The what its score gains"."""
    pages = [re.sub(r"<[^>]+>", "", path.read_text("utf-8")) for path in site.out.rglob("*.html")]
    assert [text for text in pages if re.search(r"\?\.(\s|$)|\bThe what\b", text)] == []


def test_the_title_of_a_snapshots_page_has_the_name_that_people_type(site: BuiltSite) -> None:
    """The maker's id of the fixture's Judge-1 is judge-1."""
    assert "<title>judge-1 (v1.1-Judge-1) - " in site.text("snapshots/v1.1-Judge-1/index.html")
    assert "<title>v1.0-CoinFlip - " in site.text("snapshots/v1.0-CoinFlip/index.html")
