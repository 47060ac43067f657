"""Parts of a report as markup: whatever somebody wrote is text and nothing else."""

import re
from xml.etree import ElementTree as ET

import pytest

from epc.errors import Finding
from epc.report.charts.chart import Chart, dots, rows_of
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
from epc.report.page.markup import page, rendered

HOSTILE = "<b>&\"'"
SHOWN = "&lt;b&gt;&amp;&quot;&#x27;"


@pytest.mark.parametrize(
    ("text", "said"),
    [(HOSTILE, SHOWN), ("a\u202eb", "a\\u{202e}b"), ("one\ntwo", "one\ntwo")],
)
def test_a_text_becomes_text_and_nothing_else(text: str, said: str) -> None:
    assert rendered([text]) == f"<p>{said}</p>"
    assert f'aria-label="{said}"' in rendered([Table(text, [("a",)])])


FOUND = Finding(clause=HOSTILE, where="/a", problem=HOSTILE, remedy=HOSTILE, severity="warning")


@pytest.mark.parametrize(
    ("part", "times"),
    [
        (Conclusion(Toned(HOSTILE, "calm"), HOSTILE), 2),
        (Facts([(HOSTILE, HOSTILE)]), 2),
        (Listed([HOSTILE, Toned(HOSTILE, "calm")]), 2),
        (Table(HOSTILE, [(HOSTILE, HOSTILE), (HOSTILE, HOSTILE)]), 5),
        (Findings([FOUND]), 3),
        (Findings([], HOSTILE), 1),
        (Verbatim(HOSTILE), 1),
        (Section(HOSTILE, [HOSTILE]), 2),
        (Section(HOSTILE, [HOSTILE], "card"), 2),
        (Beside([Section(HOSTILE, [HOSTILE], "card")]), 2),
    ],
)
def test_whatever_somebody_wrote_is_text_in_every_part(part: Part, times: int) -> None:
    text = rendered([part])

    assert text.count(SHOWN) == times
    assert HOSTILE not in text


def test_a_fact_without_a_label_goes_on_with_the_one_before() -> None:
    facts = Facts(
        [("judge", "J"), ("asked", "twice"), ("", "in June"), ("", "in July"), ("n", "8")]
    )

    assert rendered([facts]) == (
        "<dl><dt>judge</dt><dd>J</dd><dt>asked</dt><dd>twice; in June; in July</dd>"
        "<dt>n</dt><dd>8</dd></dl>"
    )


def test_a_list_has_its_items_in_order_and_a_word_its_tone() -> None:
    text = rendered([Listed(["a", Toned("c", "calm")])])

    assert text == '<ul><li>a</li><li><span class="calm">c</span></li></ul>'


def test_a_table_s_first_row_is_its_head_and_each_first_cell_heads_its_row() -> None:
    text = rendered([Table("counts", [("", "n"), ("x", "1"), ("y", "2")])])

    assert text == (
        '<div class="scroll" role="region" aria-label="counts" tabindex="0"><table>'
        '<thead><tr><td></td><th scope="col">n</th></tr></thead>'
        '<tbody><tr><th scope="row">x</th><td>1</td></tr>'
        '<tr><th scope="row">y</th><td>2</td></tr></tbody></table></div>'
    )


def test_a_section_is_folded_unless_it_is_to_be_open_or_a_card() -> None:
    inner = "<summary><h2>More</h2></summary><p>text</p></details>"

    assert rendered([Section("More", ["text"])]) == f"<details>{inner}"
    assert rendered([Section("More", ["text"], "open")]) == f'<details open="">{inner}'
    card = rendered([Beside([Section("More", ["text"], "card")])])
    assert card == (
        '<div class="cards"><section class="card"><h2>More</h2><p>text</p></section></div>'
    )


def test_a_finding_has_its_severity_clause_and_remedy() -> None:
    finding = Finding(clause="R1", where="/a", problem="p", remedy="r", severity="warning")

    assert rendered([Findings([finding], "none")]) == (
        '<ul><li><span class="warning">warning</span>: p [R1] '
        '<span class="remedy">Remedy: r</span></li></ul>'
    )
    assert rendered([Findings([], "none")]) == "<p>none</p>"


def test_a_picture_has_one_name_short_numbers_and_ids_of_its_own() -> None:
    rows = rows_of([("gamma", 1 / 3, (0.1, 0.7))])
    content = dots(rows, "value")
    chart = Chart(name="own", title="T", note="N", alternative="A <b>", content=content, rows=rows)

    text = rendered([chart])

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
    assert rendered([Beside([chart])]) == f'<div class="pictures">{text}</div>'


def test_what_a_sentence_has_between_backticks_is_code_and_never_markup() -> None:
    assert rendered(["say `epc <x>`"]) == "<p>say <code>epc &lt;x&gt;</code></p>"
    assert rendered([Facts([("a", "`b`")])]) == "<dl><dt>a</dt><dd><code>b</code></dd></dl>"
    assert rendered([Verbatim("`b`")]) == "<pre>`b`</pre>"


def test_a_page_is_titled_by_its_words_and_ends_with_the_commands_that_make_it() -> None:
    page_text = page(
        "above", HOSTILE, [Conclusion(Toned("gain_not_shown", "calm"))], commands="epc x"
    )

    assert page_text.startswith('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">')
    assert f"<title>{SHOWN}: gain not shown</title>" in page_text
    assert f"<p>above</p><h1>{SHOWN}</h1></header>" in page_text
    assert (
        "<summary><h2>Compute it again</h2></summary><pre>epc x</pre></details></main>" in page_text
    )
    assert page_text.endswith("</footer></body></html>\n")
