"""What is set aside while mkdocs makes a page comes back, whole and in its place."""

from types import SimpleNamespace
from typing import Any

from epc.site import mkdocs_hook

PICTURES = '<div class="epc-gallery"><svg><path d="M0,0"></path></svg></div>'
PAGE = f"# Title\n\n<p>first</p>\n\n{PICTURES}\n\n## Second\n\n<table></table>\n"


def page(**meta: Any) -> Any:
    return SimpleNamespace(meta=meta, file=SimpleNamespace(src_uri="snapshots/a/index.md"))


def test_headings_stay_and_everything_else_waits() -> None:
    left = mkdocs_hook.on_page_markdown(PAGE, page=page(finished=True))

    assert [line for line in left.splitlines() if line][::2] == ["# Title", "## Second"]
    assert "<p>" not in left
    assert "<table>" not in left


def test_the_search_reads_all_but_the_pictures() -> None:
    page_text = page(finished=True)
    left = mkdocs_hook.on_page_markdown(PAGE, page=page_text)

    read = mkdocs_hook.on_page_content(left, page=page_text)

    assert "<p>first</p>" in read
    assert "<table></table>" in read
    assert "epc-gallery" not in read
    whole_text = mkdocs_hook.on_post_page(read, page=page_text)
    assert whole_text.split() == PAGE.split()


def test_a_page_that_the_search_passes_over_is_put_together_once() -> None:
    page_text = page(finished=True, search={"exclude": True})
    left = mkdocs_hook.on_page_markdown(PAGE, page=page_text)

    assert mkdocs_hook.on_page_content(left, page=page_text) == left
    assert mkdocs_hook.on_post_page(left, page=page_text).split() == PAGE.split()


def test_a_document_is_left_alone_even_if_it_shows_such_a_place() -> None:
    text = '# Title\n\n<p>*words*</p>\n\n<div data-epc-aside="7"></div>\n'
    page_text = page()

    assert mkdocs_hook.on_page_markdown(text, page=page_text) == text
    assert mkdocs_hook.on_page_content(text, page=page_text) == text
    assert mkdocs_hook.on_post_page(text, page=page_text) == text
