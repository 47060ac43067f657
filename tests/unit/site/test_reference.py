"""What is made from the sources: the page about functions, and tables inside documents."""

import re
from pathlib import Path

import pytest

from epc.site.reference import page, with_drawn

DOCS = Path(__file__).parents[3] / "site" / "docs"
ASKING = re.compile(r"<!-- (?:fields|table): ")
HEAD = re.compile(r"^\| ?---", re.MULTILINE)


def test_every_function_stands_with_signature_and_docstring() -> None:
    text = page()

    assert '<h3 id="epc.protocol.metrics.gamma">gamma</h3>' in text
    assert "gamma(coupled&#58; Sequence&#91;float&#93;, pure" in text
    assert "<p>Return how far coupling moved the weights, relative to the pure phase.</p>" in text
    assert "<p>Raises&#58; ShapeError, SimplexError.</p>" in text


def test_what_is_internal_is_left_out() -> None:
    assert "### _" not in page()


@pytest.mark.parametrize(
    "path", [p for p in sorted(DOCS.glob("*.md")) if ASKING.search(p.read_text("utf-8"))]
)
def test_a_document_has_each_table_that_it_asks_for(path: Path) -> None:
    text = path.read_text("utf-8")

    drawn = with_drawn(text, DOCS)

    assert not ASKING.search(drawn)
    assert len(HEAD.findall(drawn)) == len(HEAD.findall(text)) + len(ASKING.findall(text))
    assert with_drawn(drawn, DOCS) == drawn


def test_a_table_has_the_cells_of_its_file_and_a_field_its_description(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('world,n\n"one, two",3\n')

    drawn = with_drawn("A\n<!-- table: a.csv -->\n<!-- fields: probe -->\nB\n", tmp_path)

    assert drawn.startswith(
        "A\n| world | n |\n| --- | --- |\n| one, two | 3 |\n| key | meaning |\n"
    )
    assert "| `first` | Which of the two was shown as A. |\n" in drawn
    assert drawn.endswith("\nB\n")
