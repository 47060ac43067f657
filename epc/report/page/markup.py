"""Markup that is safe by its making, and the page around it: text is escaped in any element.

Whoever wrote a record chose its names and answers. Here they can be text, and nothing else.
"""

import html
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Final
from xml.etree import ElementTree as ET

from epc.errors import Finding
from epc.printable import spelt
from epc.report.charts.chart import Chart
from epc.report.document import (
    Beside,
    Conclusion,
    Facts,
    Findings,
    Listed,
    Part,
    Section,
    Table,
    Toned,
    Verbatim,
)
from epc.report.picture import inner, svg
from epc.version import __version__


@dataclass(frozen=True, slots=True)
class Markup:
    """A piece of HTML that was made here."""

    text: str


Content = Markup | str
_PROSE: Final = ("dd", "li", "p")
_CODE: Final = re.compile(r"`([^`\n]+)`")


def element(name: str, *content: Content, **attributes: str) -> Markup:
    """Return an element; a trailing `_` of an attribute's name is dropped, `_` within is `-`."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"'
        for key, value in attributes.items()
    )
    inner = joined(map(_prose, content) if name in _PROSE else content)
    return Markup(f"<{name}{pairs}>{inner.text}</{name}>")


def _prose(content: Content) -> Content:
    """Return a sentence with what stands between its backticks as code."""
    if isinstance(content, Markup | Toned):
        return content
    return Markup(_CODE.sub(r"<code>\1</code>", _escaped(content)))


def joined(content: Iterable[Content]) -> Markup:
    """Return pieces one after another."""
    return Markup("".join(map(_inner, content)))


def _inner(content: Content) -> str:
    if isinstance(content, Toned):
        return element("span", str(content), class_=content.tone).text
    return content.text if isinstance(content, Markup) else _escaped(content)


def facts(pairs: Iterable[tuple[str, Content]]) -> Markup:
    """Return a list of facts, each with its label; one without goes on with the one before."""
    rows: list[tuple[str, list[Content]]] = []
    for label, content in pairs:
        if label:
            rows.append((label, [content]))
        else:
            rows[-1][1].extend(("; ", content))
    both = ((element("dt", label), element("dd", *contents)) for label, contents in rows)
    return element("dl", *(piece for pair in both for piece in pair))


def listed(items: Iterable[Content]) -> Markup:
    """Return a list."""
    return element("ul", *(element("li", item) for item in items))


def table(rows: Iterable[tuple[Content, ...]], *, name: str) -> Markup:
    """Return a table, its first row being its head; it scrolls by itself where it is too wide."""
    head, *body = rows
    columns = element("tr", *(element("th", c, scope="col") if c else element("td") for c in head))
    lines = (
        element("tr", element("th", cells[0], scope="row"), *(element("td", c) for c in cells[1:]))
        for cells in body
    )
    inner = element("table", element("thead", columns), element("tbody", *lines))
    return element("div", inner, class_="scroll", role="region", aria_label=name, tabindex="0")


def folded(summary: str, *content: Content, open_: bool = False) -> Markup:
    """Return details under a summary; the browser folds them, without a script."""
    more = {"open": ""} if open_ else {}
    return element("details", element("summary", element("h2", summary)), *content, **more)


def rendered(part: Part) -> Markup:  # noqa: C901, PLR0911  (a form for each kind)
    """Return a part of a document as markup."""
    match part:
        case Conclusion(word, sentence):
            below = [element("p", sentence)] if sentence else []
            name = element("strong", word.replace("_", " "))
            return element("section", name, *below, class_=f"word {word.tone}")
        case Facts(pairs):
            return facts(pairs)
        case Listed(items):
            return listed(items)
        case Table(name, rows):
            return table(rows, name=name)
        case Findings(entries, none):
            return listed(map(_finding, entries)) if entries else element("p", none)
        case Verbatim(text):
            return element("pre", text)
        case Section(title, parts, "card"):
            return element("section", element("h2", title), *map(rendered, parts), class_="card")
        case Section(title, parts, form):
            return folded(title, *map(rendered, parts), open_=form == "open")
        case Beside(parts):
            pictures = any(isinstance(inner, Chart) for inner in parts)
            return element("div", *map(rendered, parts), class_="pictures" if pictures else "cards")
        case Chart():
            return drawn(part)
        case str():
            return element("p", part)


def _finding(finding: Finding) -> Markup:
    severity = element("span", finding.severity, class_=finding.severity)
    remedy = element("span", f"Remedy: {finding.remedy}", class_="remedy")
    return joined((severity, f": {finding.problem} [{finding.clause}] ", remedy))


def drawn(chart: Chart) -> Markup:
    """Return a picture with its title and how to read it, as part of the page's own markup."""
    root = ET.fromstring(svg(chart.specification))  # noqa: S314  (our own drawing)
    content = Markup(inner(root, f"{chart.name}-", _escaped))
    view = {"viewBox": root.get("viewBox", "0 0 1 1"), "aria-label": chart.alternative}
    width = root.get("width", "1")
    picture = element("svg", content, role="img", width=width, **view)
    return element("figure", element("figcaption", chart.title), picture, element("p", chart.note))


def _escaped(text: str) -> str:
    return html.escape("\n".join(spelt(line) for line in text.splitlines()))


_STYLE: Final = "\n" + (files("epc.report.page") / "style.css").read_text("utf-8")
_DIGEST: Final = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'"
)


def page(above: str, heading: str, parts: Iterable[Part], *, again: str) -> str:
    """Return a document as a whole HTML file; `again` are the commands that make it."""
    document = (*parts, Section("Compute it again", [Verbatim(again)]))
    words = (part.word.replace("_", " ") for part in document if isinstance(part, Conclusion))
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        element("title", ": ".join((heading, *words))),
        Markup(f"<style>{_STYLE}</style>"),
    )
    top = element("header", element("p", above), element("h1", heading))
    foot = element(
        "footer", f"Made by epc {__version__}. This file needs no script and no network."
    )
    body = element("body", element("main", top, *map(rendered, document)), foot)
    return f"<!doctype html>\n{element('html', joined((head, body)), lang='en').text}\n"
