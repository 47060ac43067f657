"""The comment from an untrusted report: whatever it holds, it shows and does nothing."""

import json
import os
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from epc.printable import code
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse
from epc.registry.submissions.comment import MARKER, comment, markdown
from epc.registry.submissions.report import Report, Submitted, Topic, headline, text

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


def tokens(comment_text: str) -> list[Any]:
    parsed = MarkdownIt("commonmark", {"html": True}).enable(["table"]).parse(comment_text)
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
        in ("link_open", "image", "html_inline", "fence", "code_block", "table_open", "hr")
    ]
    assert [t.content.strip() for t in flat if t.type == "html_block"] == [MARKER]
    words = " ".join(t.content for t in flat if t.type == "text")
    assert not [mark for mark in ("@", "://", "www.", "#", "<", "`") if mark in words]


@given(REPORT)
def test_text_and_comment_say_the_same_verdict(value: Any) -> None:
    said = list(text(parse(value, Report)))

    assert said[-1] == headline(parse(value, Report))
    assert f"### {headline(parse(value, Report))}\n" in markdown(parse(value, Report))
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

    said = headline(parse(flattering, Report))

    assert ("can be published" in said) == bool(
        value["submissions"] and not wrong and not blocked and not value["foreign"]
    )
    assert [parse(s, Submitted).standing == "ready" for s in flattering["submissions"]] == [
        not s["blocks"] and not any(f["severity"] == "error" for f in s["findings"])
        for s in flattering["submissions"]
    ]


@given(st.text())
def test_a_text_cannot_leave_its_code_span(given_text: str) -> None:
    flat = [t for t in tokens(f"a {code(given_text)} b") if t.type != "inline"]

    assert {t.type for t in flat} <= {"paragraph_open", "paragraph_close", "text", "code_inline"}
    assert len([t for t in flat if t.type == "code_inline"]) <= 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON <script>",
        b"[]",
        b'{"schema": 1}',
        b'{"schema": 2, "ok": true, "submissions": [], "foreign": [], "findings": []}',
        b'{"schema":1,"ok":true,"ok":true,"submissions":[],"foreign":[],"findings":[]}',
        b'{"schema":1,"ok":NaN,"submissions":[],"foreign":[],"findings":[]}',
        b"[" * 100_000,
        b"\x80\x04.",
        b" " * (2**21 + 1),
        b'{"@all <img>": "![x](y)"}',
    ],
)
def test_a_report_that_cannot_be_used_is_said_to_be_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)

    said = comment(path)

    assert said.startswith(f"{MARKER}\n### Refused: ")
    assert len(said) < 2_000
    assert not [t for t in tokens(said) if t.type in ("image", "link_open", "html_inline")]


def test_a_long_report_makes_a_comment_that_a_forge_takes(tmp_path: Path) -> None:
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
    path = tmp_path / "report.json"
    path.write_text(json.dumps(value))

    said = comment(path)

    assert len(said) < 65_536
    assert "The rest is left out" in said
    assert said.splitlines()[1] == "### Refused: 600 errors."


def test_a_report_may_have_two_mebibytes_and_not_a_byte_more(tmp_path: Path) -> None:
    value = {"schema": 1, "ok": True, "submissions": [], "foreign": [], "findings": []}
    path = tmp_path / "report.json"
    path.write_bytes(json.dumps(value).encode().ljust(2_097_152))
    assert "cannot be used" not in comment(path)

    path.write_bytes(path.read_bytes() + b" ")

    assert "it has more than 2,097,152 bytes" in comment(path)


def test_a_report_is_read_as_data_wherever_it_lies(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert "cannot be used" in comment(tmp_path / "pipe")
