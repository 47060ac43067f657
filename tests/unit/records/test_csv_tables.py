"""A table means the same in whatever dress, and to whichever command it is given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epc.engine.verdicts import read_table
from epc.errors import MalformedError
from epc.judge.samples import Unit
from epc.records.accuracy import read_accuracy
from epc.records.csv_tables import decimal, table_of
from epc.records.findings import Causes
from epc.records.gold import label_of
from epc.records.judging.labels import read_labels
from epc.records.judging.sources import entries_of
from epc.records.verdicts import table
from epc.records.verdicts.converting import Request

DRESSES: dict[str, Callable[[str], bytes]] = {
    "byte order mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, other end": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "semicolons": lambda text: text.replace(",", ";").encode(),
    "tabs": lambda text: text.replace(",", "\t").encode(),
    "blank lines": lambda text: ("\n" + text.replace("\n", "\n\n")).encode(),
    "rows filled up": lambda text: (text + "," * text.splitlines()[0].count(",") + "\n").encode(),
    "quotes": lambda text: "\n".join(
        ",".join(f'"{cell}"' for cell in line.split(",")) for line in text.splitlines()
    ).encode(),
}
UNITS = [
    Unit(question_id="1", prompt_variant="A", target_model="m", output_id=f"o{n}") for n in (1, 2)
]


def observed(path: Path) -> Any:
    done = table.convert(path, Request())
    return list(map(str, done.findings)), done.rows


def accuracy(path: Path) -> Any:
    return read_accuracy(path, ["x", "y"])["values"]


READERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "observe": (observed, "item,judge,a,b,first,verdict\n1,m,ähm,,a,a\n2,m,u,w,b,tie\n"),
    "recorded": (
        lambda path: read_table(path).verdicts,
        "strategy,domain,task,verdict\ns,text,t,A\ns,visual,v,tie\n",
    ),
    "judge plan": (
        entries_of,
        "question_id,prompt_variant,target_model,output_id,output\n1,A,m,o1,ähm\n1,A,m,o2,\n",
    ),
    "labels": (
        lambda path: read_labels(path, UNITS),
        "output_id,verdict,labeller\no1,PASS,ann\no2,FAIL,bo\n",
    ),
    "accuracy": (accuracy, "strategy,accuracy\nx,0.5\ny,1\n"),
}


def written(folder: Path, content: bytes) -> Path:
    path = folder / "t.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("reader", READERS)
def test_a_table_means_the_same_in_any_dress(reader: str, dress: str, tmp_path: Path) -> None:
    read, text = READERS[reader]
    plain = read(written(tmp_path, text.encode()))

    assert read(written(tmp_path, DRESSES[dress](text))) == plain


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace("\n", ",more\n", 2).replace(",more", "", 1), "2: has "),
        (lambda text: text.split("\n")[0].replace(",", ",,", 1).replace(",,", ",k,k,"), "1: the "),
        (lambda text: text + '"no end', "4: no CSV: unexpected end of data"),
        (lambda text: text + "\udcff", "4: no CSV: the line is not UTF-8"),
        (lambda text: text.replace("\n", "\0\n", 1), "1: no CSV: the line holds a NUL"),
    ],
    ids=["row too long", "column twice", "no end", "not UTF-8", "NUL"],
)
@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read_is_said_by_every_reader_with_its_line(
    reader: str, damage: Callable[[str], str], said: str, tmp_path: Path
) -> None:
    read, text = READERS[reader]
    path = written(tmp_path, damage(text).encode("utf-8", "surrogateescape"))

    if reader == "observe" and said == "2: has ":  # AUDIT 7: left out and counted
        findings, rows = read(path)
        assert (findings, len(rows)) == ([], 1)
    elif reader == "observe":
        (finding,), rows = read(path)
        assert finding.startswith(f"t.csv:{said}")
        assert not rows
    else:
        with pytest.raises(MalformedError) as refused:
            read(path)
        assert f"t.csv:{said}" in str(refused.value)


def test_one_cause_is_one_finding_that_counts_its_lines(tmp_path: Path) -> None:
    causes = Causes("t.csv", "Reading R77")

    with table_of(written(tmp_path, b"a,b\n1\n2,3\n4\n5,6,7\n8\n"), "", causes) as rows:
        assert [(line, cells["b"]) for line, cells in rows] == [(3, "3")]

    assert [(finding.where, finding.problem) for finding in causes.findings()] == [
        ("t.csv:2", "has 1 cell, and the header 2 columns; so in 2 more lines: 4, 6"),
        ("t.csv:5", "has 3 cells, and the header 2 columns"),
    ]


def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epc.records.csv_tables.LONGEST", 20)

    with (
        pytest.raises(MalformedError, match=r"t\.csv:2: no CSV: the line is longer than 20"),
        table_of(written(tmp_path, b"a,b\n" + b"x" * 50), "") as rows,
    ):
        list(rows)


@pytest.mark.parametrize(
    "text",
    ['\ufeff{"output_id": "o1", "verdict": "PASS", "note": NaN}\r\n\r\n', "\n\n"],
    ids=["mark", "blank"],
)
def test_lines_of_json_may_have_a_mark_blank_lines_and_nan(text: str, tmp_path: Path) -> None:
    lines = text + '{"output_id": "o2", "verdict": "FAIL"}\n \n'
    path = written(tmp_path, lines.encode())

    assert [label.unit.output_id for label in read_labels(path, UNITS)][-1] == "o2"


def test_a_finding_in_lines_of_json_has_the_line_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, b'{"output_id": "o1", "verdict": "PASS"}\n\n{"output_id": "o9"}\n')

    with pytest.raises(MalformedError) as refused:
        read_labels(path, UNITS)

    assert refused.value.finding.where == "t.csv, line 3"


def test_a_decimal_comma_is_read_where_nothing_else_is_meant(tmp_path: Path) -> None:
    cells = [" 3,5", "-0,25", "1,000", "3,5,1", "a,5", "7"]
    assert [decimal(cell) for cell in cells] == [" 3.5", "-0.25", "1,000", "3,5,1", "a,5", "7"]
    path = tmp_path / "accuracy.csv"
    path.write_text("strategy;accuracy\nx;0,5\n", "utf-8")
    assert read_accuracy(path, ["x"])["values"] == {"x": 0.5}
    assert label_of("0,5", "here") == 0.5
