"""A CSV table becomes verdicts: columns become fields, texts their digests (Reading R77)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epc.errors import UsageError
from epc.records.verdicts import table
from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.types import Judge, Prompt


def converted(folder: Path, text: str, request: Request | None = None) -> Conversion:
    path = folder / "t.csv"
    path.write_text(text, "utf-8")
    return table.convert(path, request or Request())


def verdict_rows(
    folder: Path, text: str, request: Request | None = None
) -> list[Mapping[str, Any]]:
    """Return the verdicts of a table as a file has them."""
    return [msgspec.to_builtins(row) for row in converted(folder, text, request).rows]


def test_reading_r77_a_text_becomes_its_digest_and_its_length(tmp_path: Path) -> None:
    (row,) = verdict_rows(
        tmp_path, "item,judge,question,a,b,answer,verdict\n1,j,Why?,so,thus,[A],a\n"
    )

    assert row == {
        "item": "1",
        "setting": "j",
        "file": "table",
        "question_sha256": digest("Why?"),
        "a_sha256": digest("so"),
        "a_length": 2,
        "b_sha256": digest("thus"),
        "b_length": 4,
        "answer_sha256": digest("[A]"),
        "answer_length": 3,
        "verdict": "a",
    }


def test_reading_r77_columns_and_labels_are_mapped(tmp_path: Path) -> None:
    request = Request(columns={"verdict": "won"}, labels={"1": "a", "both": "tie"})

    rows = verdict_rows(
        tmp_path, "item,judge,a,b,won,humans\n1,j,x,y,1,1 both;b\n2,j,x,y,both,\n", request
    )

    assert [row["verdict"] for row in rows] == ["a", "tie"]
    assert rows[0]["humans"] == ("a", "tie", "b")
    assert "humans" not in rows[1]


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (Request(columns={"judge": "who"}), "--map judge: the file has no column 'who'"),
        (Request(columns={"jury": "judge"}), "--map jury: no such field"),
        (Request(ignored=["who"]), "--ignore: the file has no column 'who'"),
        (Request(columns={"a": "a"}, constants={"a": "x"}), "a is mapped and set"),
        (Request(scales={"": "1-5"}), "--scale: no scores of single answers"),
    ],
)
def test_reading_r101_an_option_that_names_what_is_not_there_is_an_error(
    request_: Request, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=problem):
        converted(tmp_path, "item,judge,a,b,verdict\n1,j,x,y,a\n", request_)


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("item,judge,b,verdict\n1,j,x,a\n", "t.csv:1", "has the answers b, and no a"),
        ("item,judge,a\n1,j,x\n", "t.csv:1", "no column is certain to hold what a judge said"),
        ("item,judge,a,a_score\n", "t.csv", "holds no verdict"),
        (
            "item,judge,a,a_score\n1,,x,1\n2,,x,1\n3,j,x,1\n",
            "t.csv:2",
            "more than half of 3 rows cannot be read: 2 rows name no judge",
        ),
        ('"item,judge\n', "t.csv:1", "no CSV: unexpected end of data"),
        (
            'item,judge,a,a_score\n1,j,x,1\n2,j,"x"y,1\n3,j,x,1\n',
            "t.csv:3",
            "no CSV: ',' expected after '\"'",
        ),
    ],
)
def test_reading_r77_a_table_that_does_not_fit_gets_a_finding(
    text: str, where: str, problem: str, tmp_path: Path
) -> None:
    (finding,) = converted(tmp_path, text).findings

    assert finding.where == where
    assert finding.problem.startswith(problem)


def test_reading_r77_who_was_asked_how_is_a_setting_stated_once(tmp_path: Path) -> None:
    conversion = converted(
        tmp_path,
        request=Request(columns={"model": "model"}),
        text="item,judge,model,prompt,decoding,a,a_score\n"
        "1,j,m-1,p,,x,1\n"
        "2,j,m-1,p,,x,2\n"
        '3,j,m-1,p,"{""temperature"": 0}",x,3\n'
        "4,k,,,,x,4\n",
    )

    assert conversion.header is not None
    settings = conversion.header.settings
    assert [row.setting for row in conversion.rows] == ["j/p", "j/p", "j/p#2", "k"]
    assert settings["j/p"].judge == Judge(name="j", model="m-1", platform="unknown")
    assert settings["j/p"].prompt == Prompt(name="p", sha256="unknown")
    assert (settings["j/p"].decoding, settings["j/p#2"].decoding) == ("unknown", {"temperature": 0})
    assert settings["k"].judge.model == "unknown"
    assert list(conversion.header.files) == ["table"]
