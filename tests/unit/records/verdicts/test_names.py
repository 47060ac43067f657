"""Tables as people have them: which column is which field, and which label is which verdict."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epc.errors import MalformedError
from epc.records.verdicts import table
from epc.records.verdicts.column_rules import SINGLE
from epc.records.verdicts.converting import Conversion, Request, digest


def converted(folder: Path, text: str, name: str = "t.csv", **request: Any) -> Conversion:
    path = folder / name
    path.write_text(text, "utf-8")
    return table.convert(path, Request(**request))


def rows(done: Conversion) -> list[Mapping[str, Any]]:
    assert not done.findings, done.findings
    return [msgspec.to_builtins(row) for row in done.rows]


ARENA = """question_id,model_a,model_b,winner,judge,category,notes
1,m-1,m-2,model_a,j,math,x
2,m-1,m-2,m-2,j,math,
3,m-1,m-2,tie (bothbad),j,code,
"""


def test_reading_r77_votes_of_an_arena_are_known_by_the_names_of_their_columns(
    tmp_path: Path,
) -> None:
    done = converted(tmp_path, ARENA)

    assert done.column_choice.columns == {
        "item": "question_id",
        "a_by": "model_a",
        "b_by": "model_b",
        "verdict": "winner",
        "judge": "judge",
        "subset": "category",
    }
    assert done.column_choice.unused == ["notes"]
    assert [row["verdict"] for row in rows(done)] == ["a", "b", "tie"]
    assert done.header is not None
    assert done.header.identity == "name"  # no texts: answers are who wrote them
    assert done.header.made is None


def test_reading_r77_a_pair_with_its_sides_exchanged_is_the_same_item(tmp_path: Path) -> None:
    """The third row is the first one asked in the other order, and its winner the same author."""
    text = "question_id,model_a,model_b,winner,first,human,judge\n"
    text += "1,m-1,m-2,model_a,a,model_a,j\n2,m-1,m-2,model_b,a,model_b,j\n"
    text += "1,m-2,m-1,model_b,a,tie,j\n"

    first, second, turned = rows(converted(tmp_path, text))

    assert turned["item"] == first["item"] != second["item"]
    assert (turned["a_by"], turned["b_by"]) == ("m-1", "m-2")
    assert (turned["verdict"], turned["first"], turned["humans"]) == ("a", "b", ("tie",))


def test_reading_r77_strategies_by_domain_are_compared_with_one_baseline(tmp_path: Path) -> None:
    text = "strategy,domain,task,verdict,group\nbold,x,t1,A,g\nshy,x,t1,tie,g\nbold,y,t2,B,h\n"

    done = converted(tmp_path, text)

    record, two_records, three = rows(done)
    assert (record["a_by"], record["b_by"], record["subset"], record["group"]) == (
        "bold",
        "the baseline",
        "x",
        "g",
    )
    assert [record["verdict"], two_records["verdict"], three["verdict"]] == ["a", "tie", "b"]
    assert record["question_sha256"] == two_records["question_sha256"] != three["question_sha256"]
    assert [*done.column_choice.assumed] == [
        "each verdict compares an answer (a) with one baseline (b)",
        "no column names the judge: all verdicts count as those of one judge",
    ]


def test_reading_r77_pass_and_fail_of_single_answers_are_a_choice(tmp_path: Path) -> None:
    text = "id,response,judge_verdict,human_1,human_2\n"
    text += "1,Paris,pass,yes,fail\n2,Rome,FAIL,,fail\n3,Oslo,error,pass,\n"

    done = converted(tmp_path, text)

    record, two_records, three = rows(done)
    assert [record["verdict"], two_records["verdict"], three["verdict"]] == ["a", "b", "unreadable"]
    assert [record["humans"], two_records["humans"], three["humans"]] == [
        ("a", "b"),
        ("b",),
        ("a",),
    ]
    assert record["a_sha256"] == digest("Paris")
    assert SINGLE in done.column_choice.assumed
    assert done.column_choice.columns["humans"] == "human_1, human_2"


def test_reading_r77_many_prompts_are_questions_and_few_are_the_judges(tmp_path: Path) -> None:
    head = "prompt,response_a,response_b,winner\n"
    conversion = converted(tmp_path, head + "".join(f"Why {n}?,x,y,A\n" for n in range(6)))
    few = converted(tmp_path, head + "".join(f"v{n % 2},x{n},y,A\n" for n in range(6)))

    assert conversion.column_choice.columns["question"] == "prompt"
    assert few.column_choice.columns["prompt"] == "prompt"
    assert few.header is not None
    assert {s.prompt.name for s in few.header.settings.values()} == {"v0", "v1"}


@pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
def test_reading_r77_lines_of_json_are_rows_and_what_is_nested_has_a_dotted_name(
    name: str, tmp_path: Path
) -> None:
    values = [
        {
            "item": n,
            "a": "x",
            "b": "y",
            "out": {"winner": "A"},
            "humans": ["a", "tie"],
            "repeat": 1.0,
        }
        for n in range(2)
    ]
    text = json.dumps(values) if name == "t.json" else "\n".join(map(json.dumps, values))

    record, _ = rows(converted(tmp_path, text, name, columns={"verdict": "out.winner"}))

    assert (record["verdict"], record["humans"], record["repeat"]) == ("a", ("a", "tie"), 1)


def test_reading_r77_excel_and_parquet_say_what_csv_says(tmp_path: Path) -> None:
    """Both files were written by other programs: pyarrow, and a workbook by hand below."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    printed_rows = rows(converted(tmp_path, ARENA))
    head, *lines = [line.split(",") for line in ARENA.splitlines()]
    columns = {name: [line[index] for line in lines] for index, name in enumerate(head)}
    pq.write_table(pa.table(columns | {"question_id": [1, 2, 3]}), tmp_path / "t.parquet")
    workbook(tmp_path / "t.xlsx", [["Read me"], ["What the columns are"]], [head, *lines])

    for name in ("t.parquet", "t.xlsx"):
        assert rows(table.convert(tmp_path / name, Request())) == printed_rows


def workbook(path: Path, *sheets: list[list[str]]) -> None:
    """Write the least workbook that there is: texts in line, numbers as numbers."""
    from xml.sax.saxutils import escape
    from zipfile import ZipFile

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"

    def cell(index: int, row: int, text: str) -> str:
        place = f"{chr(65 + index)}{row}"
        if text.isdigit():
            return f'<c r="{place}"><v>{text}</v></c>'
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'

    def rows_of(cells: list[list[str]]) -> str:
        filled = (
            "".join(cell(index, n, text) for index, text in enumerate(row) if text)
            for n, row in enumerate(cells, 1)
        )
        return "".join(f'<row r="{n}">{row}</row>' for n, row in enumerate(filled, 1))

    numbered = [*enumerate(sheets, 1)]
    with ZipFile(path, "w") as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType='
            f'"{kind}.sheet.main+xml"/>'
            + "".join(
                f'<Override PartName="/xl/worksheets/sheet{n}.xml" '
                f'ContentType="{kind}.worksheet+xml"/>'
                for n, _ in numbered
            )
            + "</Types>",
        )
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        file.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
            + "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="r{n}"/>' for n, _ in numbered)
            + "</sheets></workbook>",
        )
        file.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships">'
            + "".join(
                f'<Relationship Id="r{n}" Type="{office}/worksheet" '
                f'Target="worksheets/sheet{n}.xml"/>'
                for n, _ in numbered
            )
            + "</Relationships>",
        )
        for n, cells in numbered:
            file.writestr(
                f"xl/worksheets/sheet{n}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{rows_of(cells)}</sheetData></worksheet>',
            )


def test_reading_r77_a_damaged_workbook_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 and nothing else")

    with pytest.raises(MalformedError, match=r"t\.xlsx: no Excel file"):
        table.convert(tmp_path / "t.xlsx", Request())
    (tmp_path / "t.xlsx").rename(tmp_path / "t.eval")
    with pytest.raises(MalformedError, match=r"t\.eval: a log of Inspect AI(.|\n)+--to json"):
        table.convert(tmp_path / "t.eval", Request())


SHEET = "question,response_a,response_b,judge,human\n"


@pytest.mark.parametrize(
    ("column", "mapped"), [("judge", False), ("judge", True), ("gpt-4o", True)]
)
def test_a_column_of_labels_is_the_verdict_and_names_no_judge(
    column: str, tmp_path: Path, *, mapped: bool
) -> None:
    text = SHEET.replace("judge", column) + "q1,x,y, Response A,A\nq2,x,y,b,A\nq3,x,y,n/a,tie\n"
    columns = {"verdict": column} if mapped else {}

    done = converted(tmp_path, text, columns=columns)

    assert [row["verdict"] for row in rows(done)] == ["a", "b", "unreadable"]
    assert (done.column_choice.columns["verdict"], done.column_choice.columns["humans"]) == (
        column,
        "human",
    )
    assert "judge" not in done.column_choice.columns
    assert done.header is not None
    assert [*done.header.settings] == ["unknown"]


def commands(done: Conversion) -> list[str]:
    """Return the options of the commands that the questions of a table print."""
    lines = "\n".join(finding.remedy for finding in done.findings).splitlines()
    return [line.partition(".csv ")[2] for line in lines]


def test_reading_r101_7_columns_of_labels_that_are_called_nothing_are_asked_for(
    tmp_path: Path,
) -> None:
    text = "id,a,b,gpt-4o,sonnet\n1,x,y,A,B\n2,x,y,B,B\n"

    done = converted(tmp_path, text)

    assert commands(done) == [
        "--map verdict=gpt-4o --map verdict=sonnet",
        "--map verdict=gpt-4o",
        "--map verdict=sonnet",
    ]
    both = converted(tmp_path, text, columns={"verdict": "gpt-4o, sonnet"})
    assert [(row["setting"], row["verdict"]) for row in rows(both)] == [
        *(("gpt-4o", "a"), ("gpt-4o", "b"), ("sonnet", "b"), ("sonnet", "b")),
    ]


@pytest.mark.parametrize(
    ("judges", "asked"),
    [
        ("AABBAB", ["verdict=winner --map verdict=judge", "verdict=winner", "verdict=judge"]),
        ("uvwxyz", ["judge=judge", "judge=one"]),
    ],
)
def test_reading_r101_a_judge_s_column_that_names_no_judges_is_asked_about(
    judges: str, asked: list[str], tmp_path: Path
) -> None:
    text = "id,a,b,judge,winner\n" + "".join(f"{n},x,y,{j},A\n" for n, j in enumerate(judges))

    done = converted(tmp_path, text)

    assert [command.partition(" ")[2] for command in commands(done)] == asked


def test_rows_of_equal_texts_are_askings_of_one_question_unless_something_names_it(
    tmp_path: Path,
) -> None:
    text = SHEET + "q,x,y,A,A\nq,x,y,B,A\np,x,y,A,A\nq,x,y,A,A\n"

    done = converted(tmp_path, text)

    assert [row.get("repeat", 0) for row in rows(done)] == [0, 1, 0, 2]
    assert len({row["item"] for row in rows(done)}) == 2
    assert done.column_choice.assumed[-1].startswith("2 rows repeat the texts of an earlier one")
    named = "id," + text.replace("\nq", "\n1,q").replace("\np", "\n2,p")
    assert not any("repeat" in row for row in rows(converted(tmp_path, named)))


ORDERS = """id,verdict,order
1,ours,ours_first
1,base,base_first
2,tie,ours_first
2,ours,base_first
"""


def test_two_names_among_the_verdicts_are_who_wrote_the_answers(tmp_path: Path) -> None:
    done = converted(tmp_path, ORDERS)

    by_hand = converted(
        tmp_path,
        ORDERS,
        columns={"first": "order"},
        constants={"a_by": "ours", "b_by": "base"},
        labels={"ours_first": "a", "base_first": "b"},
    )
    assert rows(done) == rows(by_hand)
    assert [(row["verdict"], row["first"]) for row in rows(done)] == [
        *(("a", "a"), ("b", "b"), ("tie", "a"), ("a", "b")),
    ]
    assert done.column_choice.constants == {"a_by": "ours", "b_by": "base"}
    # Whoever is named first by the user is answer a, and the order is still known.
    turned = converted(tmp_path, ORDERS, constants={"a_by": "base", "b_by": "ours"})
    assert [(row["verdict"], row["first"]) for row in rows(turned)] == [
        *(("b", "b"), ("a", "a"), ("tie", "b"), ("b", "a")),
    ]
    # A third name is none of a pair: it is a label to explain.
    strange = converted(tmp_path, ORDERS.replace("tie", "cannot say"))
    assert [finding.problem for finding in strange.findings] == [
        "no column is certain to hold what a judge said"
    ]
