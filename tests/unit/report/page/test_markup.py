"""Markup that is safe by its making, element by element."""

import re
from xml.etree import ElementTree as ET

import pytest

from epc.report.charts.chart import Chart, dots, rows_of
from epc.report.page.markup import drawn, element, facts, folded, joined, listed, table


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#x27;"),
        ("a\u202eb", "a\\u{202e}b"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_a_text_becomes_text_and_nothing_else(text: str, said: str) -> None:
    assert element("p", text).text == f"<p>{said}</p>"
    assert element("p", title=text).text == f'<p title="{said}"></p>'


def test_a_piece_that_was_made_here_stays_markup() -> None:
    assert element("p", element("b", "x"), "<").text == "<p><b>x</b>&lt;</p>"
    assert joined([element("b"), "&"]).text == "<b></b>&amp;"


def test_an_attribute_s_name_may_be_a_word_of_python() -> None:
    assert element("p", class_="a", aria_label="b").text == '<p class="a" aria-label="b"></p>'


def test_a_fact_without_a_label_goes_on_with_the_one_before() -> None:
    told = facts([("judge", "J"), ("asked", "twice"), ("", "in June"), ("", "in July"), ("n", "8")])

    assert told.text == (
        "<dl><dt>judge</dt><dd>J</dd><dt>asked</dt><dd>twice; in June; in July</dd>"
        "<dt>n</dt><dd>8</dd></dl>"
    )


def test_a_list_has_its_items_in_order() -> None:
    assert listed(["a", element("b", "c")]).text == "<ul><li>a</li><li><b>c</b></li></ul>"


def test_a_table_s_first_row_is_its_head_and_each_first_cell_heads_its_row() -> None:
    made = table([("", "n"), ("x", "1"), ("y", "2")], name="counts")

    assert made.text == (
        '<div class="scroll" role="region" aria-label="counts" tabindex="0"><table>'
        '<thead><tr><td></td><th scope="col">n</th></tr></thead>'
        '<tbody><tr><th scope="row">x</th><td>1</td></tr>'
        '<tr><th scope="row">y</th><td>2</td></tr></tbody></table></div>'
    )


def test_details_are_folded_unless_they_are_to_be_open() -> None:
    inner = "<summary><h2>More</h2></summary>text</details>"

    assert folded("More", "text").text == f"<details>{inner}"
    assert folded("More", "text", open_=True).text == f'<details open="">{inner}'


def test_a_picture_has_one_name_short_numbers_and_ids_of_its_own() -> None:
    rows = rows_of([("gamma", 1 / 3, (0.1, 0.7))])
    content = dots(rows, "value")
    chart = Chart(name="own", title="T", note="N", alternative="A <b>", content=content, rows=rows)

    text = drawn(chart).text

    root = ET.fromstring(text)
    caption, picture, note = root
    assert (caption.text, note.text) == ("T", "N")
    assert (picture.get("role"), picture.get("aria-label")) == ("img", "A <b>")
    inner = [part for part in picture.iter() if part is not picture]
    assert inner
    for part in inner:
        assert not {"role", "class", "style", "aria-label"}.intersection(part.keys())
        assert part.get("id", "own-").startswith("own-")
    assert not re.search(r"\d\.\d{3,}", text)
    assert "url(#own-" in text or "url(#" not in text


def test_what_a_sentence_has_between_backticks_is_code_and_never_markup() -> None:
    assert element("p", "say `epc <x>`").text == "<p>say <code>epc &lt;x&gt;</code></p>"
    assert facts([("a", "`b`")]).text == "<dl><dt>a</dt><dd><code>b</code></dd></dl>"
    assert element("pre", "`b`").text == "<pre>`b`</pre>"
