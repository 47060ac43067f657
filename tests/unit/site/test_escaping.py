"""Text from anywhere shows as text, whatever reads the page on its way to a reader."""

import re
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import Environment
from markdown import markdown

from epc.site.escaping import address, as_markup, finalized, verbatim

EXTENSIONS = ["admonition", "attr_list", "tables", "toc", "pymdownx.superfences"]  # of mkdocs.yml
MARKUP: tuple[str, ...] = (
    "<b>",
    "</td>",
    "[a](javascript:b)",
    "`",
    "**",
    "{{ 1 }}",
    "{% raw %}",
    "&lt;",
    "# ",
    "| ",
)
MARKUP += (
    "```",
    "~~~",
    "<!--",
    "-->",
    "]]>",
    "{: .x }",
    "1. ",
    "- ",
    "\\",
    '" onload="',
    "\x02",
    "$",
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TEXTS |= st.lists(st.sampled_from(MARKUP) | st.text(max_size=5), max_size=6).map("".join)


class Read(HTMLParser):
    """What a browser makes of a page: its elements, their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def folded(text: str) -> str:
    return " ".join(text.split())


def visible(text: str) -> str:
    """Return what of a text can be seen: invisible characters become U+FFFD."""
    return "".join(c if c in "\t\n" or is_seen(c) else "\ufffd" for c in text)


def is_seen(character: str) -> bool:
    """Whether a character has a shape: the plane of tags and variation selectors has none."""
    return unicodedata.category(character)[0] != "C" and ord(character) >> 16 != 0xE


def same_text(page: str, text: str) -> bool:
    """Return whether a page's text is a given one, but for spaces and invisible characters."""
    return re.sub("\ufffd+", "\ufffd", folded(visible(page))) == re.sub(
        "\ufffd+", "\ufffd", folded(visible(" ".join(text.splitlines())))
    )


@pytest.mark.extra
@given(TEXTS)
def test_in_a_paragraph_of_markdown(text: str) -> None:
    read = Read(markdown(f"before {as_markup(text)} after", extensions=EXTENSIONS))

    assert read.tags == ["p"]
    assert same_text(read.words, f"before {text} after")


@pytest.mark.extra
@given(TEXTS)
def test_in_a_table_of_html(text: str) -> None:
    page = f"<table>\n<tr><td>\n{as_markup(text)}\n</td><td>{verbatim(text)}</td></tr>\n</table>\n"
    read = Read(markdown(f"# Head\n\n{page}\nend\n", extensions=EXTENSIONS))

    assert read.tags == ["h1", "table", "tr", "td", "td", "p"]
    assert same_text(read.words, f"Head {text}\n{text} end")


@pytest.mark.extra
@given(TEXTS)
def test_in_an_attribute(text: str) -> None:
    read = Read(markdown(f'<p title="{as_markup(text)}">x</p>\n', extensions=EXTENSIONS))

    (attribute,) = read.attributes
    assert attribute[0] == "title"
    assert same_text(attribute[1] or "", text)


@given(TEXTS)
@example("\U000e0100")  # a variation selector: a mark by its category, and not seen
def test_through_a_template(text: str) -> None:
    made = Environment(autoescape=True, finalize=finalized).from_string("<p>{{ text }}</p>")

    assert same_text(Read(made.render(text=text)).words, text)


def test_lines_are_kept_where_they_matter_and_begin_no_line_of_markdown() -> None:
    markup = verbatim("one\n\n# two\n```")

    assert "\n" not in markup
    assert Read(f"<pre>{markup}</pre>").words == "one\n\n# two\n```"


def test_what_turns_a_text_around_is_seen() -> None:
    assert as_markup("a\u202eb\u200bc\U000e0041") == "a\ufffdb\ufffdc\ufffd"


@pytest.mark.parametrize("given_address", ["https://maker.example/a?b=c&d", "http://x.example"])
def test_an_address_on_the_web_is_a_link(given_address: str) -> None:
    read = Read(address(given_address))

    assert dict(read.attributes)["href"] == given_address
    assert read.words == given_address


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        " https://x.example",
        "data:text/html,x",
        "https://x.example onclick=y",
        "ftp://x.example",
        "litellm 1.80.0",
    ],
)
def test_everything_else_is_text(text: str) -> None:
    read = Read(address(text))

    assert read.tags == []
    assert read.words == text
