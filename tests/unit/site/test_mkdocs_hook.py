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
    given = page(finished=True)
    left = mkdocs_hook.on_page_markdown(PAGE, page=given)

    read = mkdocs_hook.on_page_content(left, page=given)

    assert "<p>first</p>" in read
    assert "<table></table>" in read
    assert "epc-gallery" not in read
    whole = mkdocs_hook.on_post_page(read, page=given)
    assert whole.split() == PAGE.split()


def test_a_page_that_the_search_passes_over_is_put_together_once() -> None:
    given = page(finished=True, search={"exclude": True})
    left = mkdocs_hook.on_page_markdown(PAGE, page=given)

    assert mkdocs_hook.on_page_content(left, page=given) == left
    assert mkdocs_hook.on_post_page(left, page=given).split() == PAGE.split()


def test_a_document_is_left_alone_even_if_it_shows_such_a_place() -> None:
    text = '# Title\n\n<p>*words*</p>\n\n<div data-epc-aside="7"></div>\n'
    given = page()

    assert mkdocs_hook.on_page_markdown(text, page=given) == text
    assert mkdocs_hook.on_page_content(text, page=given) == text
    assert mkdocs_hook.on_post_page(text, page=given) == text
