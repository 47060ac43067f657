"""Pages made from sources: of functions and of clauses, and tables inside documents.

The sources are read and not run, so that nothing loads for the sake of a page.
"""

import ast
import csv
import inspect
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
from markupsafe import Markup

from epc.records.schemas import SPEC
from epc.site.escaping import as_markup, verbatim

_PACKAGES: Final = ("epc.protocol", "epc.statistics", "epc.simulation", "epc.audit", "epc.judge")
_CODE: Final = re.compile(r"`([^`]+)`")
_PARAGRAPH: Final = re.compile(r"\n\n|\n(?=(?:Shapes|Unit|Raises|Sources?):)")
_Defined = ast.FunctionDef | ast.ClassDef

_HEAD: Final = """---
title: Functions
description: The protocol's pure functions in Python, from their own signatures and docstrings.
generated: true
search: {exclude: true}
---
# Functions

The protocol and the judge protocol as pure functions: they open no file, read no clock and own no
random state. Made from their sources; what is not here is internal. The public face is
[the command line](cli.md): these names may move.
"""


def page() -> str:
    """Return every public function and class of the pure layers, as one page of Markdown."""
    return _HEAD + "\n".join(_lines())


def _lines() -> Iterator[str]:
    for package in _PACKAGES:
        folder = files(package)
        for name in sorted(path.name.removesuffix(".py") for path in folder.iterdir()):
            path = folder / f"{name}.py"
            if name.startswith("_") or not path.is_file():
                continue
            yield from _module(f"{package}.{name}", ast.parse(path.read_text("utf-8")))


def _module(name: str, module: ast.Module) -> Iterator[str]:
    defined = [
        node for node in module.body if isinstance(node, _Defined) and not node.name.startswith("_")
    ]
    if defined:
        yield f"\n## {name}\n"
        yield from _described(module)
    for node in defined:
        # As markup, so that only modules stand in the page's list of contents: it halves the page.
        yield f'\n<h3 id="{name}.{node.name}">{as_markup(node.name)}</h3>\n'
        code = "\n".join(_signature(node))
        yield f'<pre class="epc-code" tabindex="0"><code>{verbatim(code)}</code></pre>'
        yield from _described(node)


def _signature(node: _Defined) -> Iterator[str]:
    """Yield how something is called: a function's head, a class's fields and public methods."""
    if isinstance(node, ast.FunctionDef):
        yield _call(node)
        return
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    yield f"class {node.name}({bases})" if bases else f"class {node.name}"
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            yield f"    {ast.unparse(item)}"
        elif isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            yield f"    {_call(item)}"


def _call(node: ast.FunctionDef) -> str:
    answer = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){answer}"


def _described(node: ast.Module | _Defined) -> Iterator[str]:
    """Yield a docstring's paragraphs, with what it marks as code as code."""
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    for paragraph in filter(None, _PARAGRAPH.split(text)):
        parts = _CODE.split(paragraph)
        marked = Markup("").join(
            Markup("<code>{}</code>").format(as_markup(part)) if index % 2 else as_markup(part)
            for index, part in enumerate(parts)
        )
        yield f"<p>{marked}</p>"


CLAUSES: Final = Path("data") / "clauses.csv"  # among the documents
_CLAUSES_HEAD: Final = """---
title: Every clause
description: Each clause of the paper and of the judge protocol, with what shows it.
generated: true
---
# Every clause

Each clause of [the paper](protocol.md) and of [the judge protocol](judge-protocol.md), with a
command and
a page that show it.

| clause | command | page |
|---|---|---|
"""


def clauses_page(documents: Path) -> str:
    """Return the page; `documents` is the folder with the list, as `data/clauses.csv`."""
    return _CLAUSES_HEAD + "".join(_clause_rows(documents / CLAUSES))


def _clause_rows(path: Path) -> Iterator[str]:
    _, *rows = csv.reader(path.read_text("utf-8").splitlines())
    for clause, command, name in rows:
        yield f"| {clause} | `{command}` | [{name.removesuffix('.md')}]({name}) |\n"


class _Field(msgspec.Struct):
    description: str


class _Schema(msgspec.Struct):
    properties: dict[str, _Field]


# In a document: the fields of a record by its schema, or the rows of a file beside it.
_ASKED: Final = re.compile(r"<!-- (fields|table): (\S+) -->")


def with_drawn(text: str, documents: Path) -> str:
    """Return a document with each table that it asks for in the place of its asking."""

    def drawn(match: re.Match[str]) -> str:
        head, *rows = (_fields if match[1] == "fields" else _rows)(match[2], documents)
        lines = (head, ["---"] * len(head), *rows)
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

    return _ASKED.sub(drawn, text)


def _fields(name: str, _: Path) -> list[list[str]]:
    path = SPEC / "schemas" / "v1" / f"{name}.json"
    fields = msgspec.json.decode(path.read_bytes(), type=_Schema).properties
    return [["key", "meaning"], *([f"`{key}`", field.description] for key, field in fields.items())]


def _rows(name: str, documents: Path) -> list[list[str]]:
    rows = csv.reader((documents / name).read_text("utf-8").splitlines())
    return [[cell or "-" for cell in row] for row in rows]
