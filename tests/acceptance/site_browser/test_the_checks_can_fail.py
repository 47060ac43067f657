"""Each check of this folder, upon a page that is wrong in just that way."""

import shutil
from pathlib import Path

import pytest
from browser_support import PHONE, broken_links, served, visit
from playwright.sync_api import Browser

WRONG = {
    "outside": '<img src="https://elsewhere.example/pixel.png" alt="">',
    "complaints": "<script>console.error('broken')</script>",
    "thrown": "<script>throw new Error('broken')</script>",
    "dialogs": "<script>alert('canary')</script>",
    "barriers": "<input type=text><p style='color:#ccc;background:#fff'>too pale</p>",
    "wide": "<div style='width:900px'>too wide</div>",
    "link": '<a href="nowhere/">gone</a>',
    "anchor": '<a href="#nowhere">gone</a>',
    "right": "<p>all is well</p>",
}
PAGE = (
    "<!doctype html><html lang=en><title>t</title>"
    "<meta name=viewport content='width=device-width'><main><h1>t</h1>{}</main></html>"
)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    for name, content in WRONG.items():
        (folder / name).mkdir()
        (folder / name / "index.html").write_text(PAGE.format(content))
    return folder


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_page_is_found_out_by_its_own_check_alone(
    browser: Browser, wrong: Path, tmp_path: Path, name: str
) -> None:
    with served(wrong) as home, visit(browser, home, width=PHONE) as seen:
        seen.to(f"{name}/")
        told = {
            "outside": seen.outside,
            "complaints": [text for text in seen.complaints if "ERR_FAILED" not in text],
            "dialogs": seen.dialogs,
            "barriers": seen.barriers(),
            "wide": seen.wider_than_the_window(),
        }
    alone = tmp_path / "site"
    shutil.copytree(wrong / name, alone)
    told["link"] = broken_links(alone, "https://site.example/")

    expected = {"thrown": "complaints", "anchor": "link", "right": None}.get(name, name)
    assert {key for key, found in told.items() if found} == ({expected} if expected else set())
