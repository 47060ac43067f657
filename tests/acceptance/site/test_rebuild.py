"""The same registry gives the same bytes wherever it is built; another builder agrees."""

import json
import os
import re
import shutil
import subprocess
import sys
from copy import copy
from html.parser import HTMLParser
from pathlib import Path

from site_support import AS_OF, IN_A_WORKFLOW, BuiltSite, build, epc


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_build_elsewhere_over_a_spoilt_site_gives_the_same_bytes(
    site: BuiltSite, tmp_path: Path
) -> None:
    elsewhere = copy(site.checkout)
    elsewhere.folder = tmp_path / "clone"
    shutil.copytree(site.checkout.folder, elsewhere.folder)
    out = shutil.copytree(site.out, tmp_path / "elsewhere")
    altered = out / "evaluators/Judge-2/index.html"
    was = altered.stat()
    altered.write_bytes(altered.read_bytes()[::-1])
    os.utime(altered, ns=(was.st_atime_ns, was.st_mtime_ns))
    (out / "badges/Judge-1.svg").unlink()
    (out / "data" / "more.txt").write_text("a stranger")

    repeated_built_site = build(elsewhere, out, env=IN_A_WORKFLOW)

    first, second = contents(site.out), contents(repeated_built_site.out)
    assert set(first) == set(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_a_folder_of_somebody_elses_is_refused(site: BuiltSite, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    arguments = ("admin", "site", "build", "--out", str(tmp_path), "--as-of", AS_OF)

    assert "holds something else" in epc(site.checkout.folder, *arguments, code=2).stderr
    assert (tmp_path / "thesis.txt").exists()


def test_what_is_no_address_is_refused_as_one(site: BuiltSite) -> None:
    done = epc(site.checkout.folder, "admin", "site", "build", "--base-url", "javascript:x", code=2)

    assert "fix:" in done.stderr


class Words(HTMLParser):
    """The text of a page's main part.

    Names for the search are left out: mkdocs keeps them out of sight, Zensical shows them.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        article = page.split("<article", 1)[1].split("</article", 1)[0]
        self.feed(re.sub(r'<nav class="md-tags".*?</nav>', "", article, flags=re.DOTALL))

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def test_another_program_builds_the_same_sources(site: BuiltSite) -> None:
    """Zensical, which reads mkdocs.yml: every page is there, with the same words and figures."""
    work = site.checkout.folder / "build" / "site"
    sources = work / "sources"
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--config-file", str(sources / "mkdocs.yml")],
        cwd=sources,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

    folder = sources / "html"
    ours = {p.relative_to(work / "html") for p in (work / "html").rglob("index.html")}
    theirs = {p.relative_to(folder) for p in folder.rglob("index.html")}
    assert ours - theirs == set()
    for page in (
        "index.html",
        "snapshots/v1.0-CoinFlip/index.html",
        "evaluators/Judge-1/index.html",
    ):
        words = Words((folder / page).read_text()).words
        assert words == Words((work / "html" / page).read_text()).words, page
        assert len(words) > 50


def test_mkdocs_makes_the_same_pages_without_our_hook(site: BuiltSite, tmp_path: Path) -> None:
    """What is set aside comes back as mkdocs would have left it, white space between tags apart."""
    work = site.checkout.folder / "build" / "site"
    config = work / "sources" / "mkdocs.yml"
    arguments = ("build", "--strict", "--quiet", "--config-file", str(config), "--site-dir")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", *arguments, str(tmp_path / "html")],
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "1774958400"},
        check=True,
    )

    plain, ours = contents(tmp_path / "html"), contents(work / "html")
    assert set(plain) == set(ours)
    index = json.loads(plain["search/search_index.json"])
    assert json.loads(ours["search/search_index.json"]) == index
    tight = {name: re.sub(rb">\s+<", b"><", content) for name, content in ours.items()}
    pages = [name for name in plain if name.endswith(".html")]
    assert len(pages) > 40
    for name in pages:
        assert re.sub(rb">\s+<", b"><", plain[name]) == tight[name], name
    assert not any(b"data-epc-aside" in content for content in ours.values())
