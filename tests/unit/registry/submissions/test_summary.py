"""The summary of an untrusted offer: whatever it holds, it shows and does nothing."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from epc.printable import code
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse
from epc.registry.submissions.report import Report, SubmissionReport, Topic, headline, text
from epc.registry.submissions.summary import markdown

TEXT = st.text(max_size=60) | st.sampled_from(
    ["`@all`", "``` x", "<!-- x -->", "| a |", "#1", "www.a.b", "![a](b)", "x\n\n# y", "\\`@a"]
)
FINDING = st.fixed_dictionaries(
    dict.fromkeys(("clause", "where", "problem", "remedy"), TEXT)
    | {"severity": st.sampled_from(["error", "warning"])}
)
NUMBER = st.floats(-1e6, 1e6)
ESTIMATE = {"mean": NUMBER, "ci95": st.none() | st.lists(NUMBER, min_size=2, max_size=2)}
FLOOR = {"mean": NUMBER, "q025": NUMBER, "q975": NUMBER}
FIGURE = st.fixed_dictionaries({"name": TEXT, **ESTIMATE}).flatmap(
    lambda figure: st.one_of(
        st.just({**figure, "noise_floor": None, "excess": None}),
        st.fixed_dictionaries(
            {
                **{key: st.just(value) for key, value in figure.items()},
                "noise_floor": st.fixed_dictionaries(FLOOR),
                "excess": st.fixed_dictionaries(ESTIMATE),
            }
        ),
    )
)
SUBMISSION = st.fixed_dictionaries(
    {
        "slug": TEXT,
        "ok": st.booleans(),
        "tag": st.none() | TEXT,
        "contributor": st.none() | TEXT,
        "evaluator": st.none() | TEXT,
        "endpoint": st.sampled_from([None, "direct", "gateway"]),
        "n": st.none() | st.integers(0, 10**6),
        "audit": st.none(),
        "figures": st.lists(FIGURE, max_size=2),
        "blocks": st.lists(TEXT, max_size=1),
        "findings": st.lists(FINDING, max_size=2),
        "dossier": st.fixed_dictionaries(
            {topic: st.lists(TEXT, max_size=2) for topic in get_args(Topic)}
        ),
    }
)
REPORT = st.fixed_dictionaries(
    {
        "schema": st.just(1),
        "ok": st.booleans(),
        "submissions": st.lists(SUBMISSION, max_size=2),
        "foreign": st.lists(TEXT, max_size=2),
        "findings": st.lists(FINDING, max_size=2),
    }
)


def tokens(rendered: str) -> list[Any]:
    parsed = MarkdownIt("commonmark", {"html": True}).enable(["table"]).parse(rendered)
    return [t for token in parsed for t in (token, *(token.children or ()))]


@pytest.mark.slow
@given(REPORT)
def test_nothing_of_a_report_is_rendered_but_as_code(value: Any) -> None:
    assert schema_findings("submission_report", value) == []

    flat = tokens(markdown(parse(value, Report)))

    assert not [
        t
        for t in flat
        if t.type
        in (
            *("link_open", "image", "html_inline", "html_block"),
            *("fence", "code_block", "table_open", "hr"),
        )
    ]
    expected_text = " ".join(t.content for t in flat if t.type == "text")
    assert not [mark for mark in ("@", "://", "www.", "#", "<", "`") if mark in expected_text]


@given(REPORT)
def test_text_and_summary_say_the_same_verdict(value: Any) -> None:
    said = list(text(parse(value, Report)))

    assert said[-1] == headline(parse(value, Report))
    assert markdown(parse(value, Report)).startswith(f"### {headline(parse(value, Report))}\n")
    assert all(line.isprintable() for line in map(str, [headline(parse(value, Report))]))


@pytest.mark.slow
@given(REPORT)
def test_a_report_that_flatters_itself_is_not_believed(value: Any) -> None:
    flattering = value | {
        "ok": True,
        "submissions": [s | {"ok": True} for s in value["submissions"]],
    }
    listed = [f for s in value["submissions"] for f in s["findings"]] + value["findings"]
    wrong = any(f["severity"] == "error" for f in listed)
    blocked = any(s["blocks"] for s in value["submissions"])

    printed_text = headline(parse(flattering, Report))

    assert ("can be published" in printed_text) == bool(
        value["submissions"] and not wrong and not blocked and not value["foreign"]
    )
    assert [parse(s, SubmissionReport).standing == "ready" for s in flattering["submissions"]] == [
        not s["blocks"] and not any(f["severity"] == "error" for f in s["findings"])
        for s in flattering["submissions"]
    ]


def test_a_report_that_names_foreign_files_and_no_error_is_refused() -> None:
    keys = ("tag", "contributor", "evaluator", "endpoint", "n", "audit")
    one: dict[str, Any] = dict.fromkeys(keys)
    one |= {"slug": "s", "ok": True, "figures": [], "blocks": [], "findings": []}
    value = {"schema": 1, "ok": True, "submissions": [one], "foreign": [], "findings": []}

    assert headline(parse(value, Report)) == "This submission can be published."
    assert headline(parse(value | {"foreign": ["x.py"]}, Report)) == "Refused: 0 errors."


@given(st.text())
def test_a_text_cannot_leave_its_code_span(given_text: str) -> None:
    flat = [t for t in tokens(f"a {code(given_text)} b") if t.type != "inline"]

    assert {t.type for t in flat} <= {"paragraph_open", "paragraph_close", "text", "code_inline"}
    assert len([t for t in flat if t.type == "code_inline"]) <= 1


def test_a_long_report_makes_a_summary_that_somebody_reads() -> None:
    finding = {"clause": "x", "where": "y" * 400, "problem": "z" * 400, "remedy": "r" * 400}
    listed = [finding | {"severity": "error"}] * 100
    one = {
        "slug": "s",
        "ok": False,
        "tag": None,
        "contributor": None,
        "evaluator": None,
        "endpoint": None,
        "n": None,
        "audit": None,
        "figures": [],
        "blocks": [],
        "findings": listed,
    }
    value = {"schema": 1, "ok": False, "submissions": [one] * 5, "foreign": [], "findings": listed}

    printed_text = markdown(parse(value, Report))

    assert len(printed_text) < 61_000
    assert "The rest is left out" in printed_text
    assert printed_text.splitlines()[0] == "### Refused: 600 errors."
