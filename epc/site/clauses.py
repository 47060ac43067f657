"""The page that names every clause of both documents, and what shows it."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CLAUSES: Final = Path("data") / "clauses.csv"  # among the documents
_HEAD: Final = """---
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


def page(documents: Path) -> str:
    """Return the page; `documents` is the folder with the list, as `data/clauses.csv`."""
    return _HEAD + "".join(_rows(documents / CLAUSES))


def _rows(path: Path) -> Iterator[str]:
    _, *rows = csv.reader(path.read_text("utf-8").splitlines())
    for clause, command, name in rows:
        yield f"| {clause} | `{command}` | [{name.removesuffix('.md')}]({name}) |\n"
