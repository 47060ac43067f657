"""Eighteen tables with figures and sentences that were worked out apart from the program (R101).

`audit_examples` has the tables. Their figures were computed with pandas and SciPy by the formulas
that `site/docs/audit.md` states; ends of jackknives to 0.01, of all others to 1e-6.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import convert

from epc.analysis.verdicts import Report
from epc.analysis.verdicts_audit import audit_of, document
from epc.analysis.verdicts_scores import ScoreLabels
from epc.digests import sha256
from epc.records.verdicts.columns import columns_of
from epc.records.verdicts.converting import FAILS, ColumnChoice
from epc.records.verdicts.types import (
    UNKNOWN,
    Header,
    Judge,
    Prompt,
    Row,
    Scale,
    Setting,
    Source,
    SourceFile,
)
from epc.report.verdicts_pictures import pictures
from epc.report.verdicts_sentences import UNEVEN
from epc.report.verdicts_text import headlines, page_of

FOLDER: Final = Path(__file__).parent / "audit_examples"
EXPECTED: Final = json.loads((FOLDER / "expected.json").read_text("utf-8"))
JACKKNIVES: Final = ("rank_correlation", "weighted_kappa", "spread_ratio")
WORDS: Final = {"pass": "a", "fail": "b"}
Cells = Mapping[str, str]


def setting(name: str) -> Setting:
    return Setting(
        judge=Judge(name=name, model=UNKNOWN, platform=UNKNOWN),
        prompt=Prompt(name=UNKNOWN, sha256=UNKNOWN),
        decoding=UNKNOWN,
        date=UNKNOWN,
    )


def row(**fields: Any) -> Row:
    return convert(fields, Row)


def given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def of_one_answer(cells: Cells) -> Iterator[Row]:
    """Yield a verdict that passes or fails an answer, with a person's label."""
    yield row(
        item=f"{cells['question_id']}/{cells['response']}",
        setting=cells["judge"],
        file="f",
        question_sha256=sha256(cells["question_id"]),
        a_sha256=sha256(cells["response"]),
        b_sha256=FAILS,
        verdict=WORDS[cells["judge_verdict"]],
        **given(humans=(WORDS[cells["human"]],) if cells["human"] else ()),
    )


def of_people(cells: Cells) -> Iterator[Row]:
    people = tuple(cells[name] for name in cells if name.startswith("human_") and cells[name])
    yield row(
        item=cells["item"],
        setting=cells["judge"],
        file="f",
        a_sha256=sha256("A"),
        b_sha256=sha256("B"),
        verdict=cells["winner"],
        humans=people,
    )


def of_score(cells: Cells, low: float, high: float) -> Iterator[Row]:
    score = float(cells["score"])
    inside = low <= score <= high
    yield row(
        item=cells["item"],
        setting="j",
        file="f",
        a_sha256=sha256(cells["response"]),
        human_score=float(cells["human"]),
        **({"a_score": score} if inside else {"verdict": "unreadable"}),
    )


def of_choice(cells: Cells) -> Iterator[Row]:
    confidence = cells.get("confidence")
    yield row(
        item=cells["item"],
        setting=UNKNOWN,
        file="f",
        a_sha256=sha256(cells["item"]),
        label=cells["decision"],
        gold_label=cells["label"],
        **given(confidence=float(confidence) if confidence else None),
    )


def of_judges(cells: Cells) -> Iterator[Row]:
    system = cells.get("system", "")
    for name in cells:
        if name not in ("item", "gold", "system"):
            yield row(
                item=f"{cells['item']}/{system}",
                setting=name,
                file="f",
                question_sha256=sha256(cells["item"]),
                a_sha256=sha256(f"{cells['item']}/{system}"),
                b_sha256=FAILS,
                verdict=WORDS[cells[name]],
                **given(gold=WORDS.get(cells.get("gold", ""), ""), a_by=system),
            )


def audited(name: str) -> Report:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    kind, figures = EXPECTED[name]["kind"], EXPECTED[name]["figures"]
    scale = None
    if kind == "scores":
        low, high, step = figures["scale"]
        rows = [one for cells in table for one in of_score(cells, low, high)]
        outside = sum(one.verdict == "unreadable" for one in rows)
        scale = Scale(low=low, high=high, step=step, outside=outside)
    else:
        made = {
            "passfail": of_one_answer,
            "people": of_people,
            "choices": of_choice,
            "judges": of_judges,
        }[kind]
        rows = [one for cells in table for one in made(cells)]
    names = dict.fromkeys(one.setting for one in rows)
    header = Header(
        schema_version=1,
        source=Source(name=name, repository=UNKNOWN, commit=UNKNOWN, licence=UNKNOWN, texts=False),
        files={"f": SourceFile(path=name, sha256="0" * 64)},
        settings={name: setting(name) for name in names},
        scale=scale,
    )
    return audit_of(header, columns_of(rows))


def agree(found: Any, wanted: Any, where: str) -> None:
    """Require what was found to be what is wanted; where a figure is, its value will do."""
    if isinstance(wanted, dict):
        assert found is not None, where
        for key, value in wanted.items():
            if key == "ci95":
                ends = 0.01 if where.rpartition("/")[2] in JACKKNIVES else 1e-6
                assert found[key] == pytest.approx(value, rel=0, abs=ends), where
            else:
                agree(found[key], value, f"{where}/{key}")
    elif isinstance(wanted, float):
        value = found["value"] if isinstance(found, dict) else found
        assert value == pytest.approx(wanted, rel=0, abs=1e-9), where
    else:
        assert found == wanted, where


def values(report: Report) -> dict[str, Any]:
    """Return the fields of a report's JSON as the examples name them."""
    whole = document(report)
    groups = {group["settings"][0]: group["figures"] for group in whole["groups"]}
    (first, *_) = whole["groups"]
    figures: dict[str, Any] = {**first, **first["figures"], **whole["groups"][0].get("alone", {})}
    if report.alone and len(groups) > 1:
        figures = whole | {
            "pass_share": {name: group["pass_share"] for name, group in groups.items()},
            "accuracy": {name: group.get("agreement") for name, group in groups.items()},
        }
    return figures


# What an example counts that stands beside each figure in a report.
COUNTS: Final = ("n", "items", "rows", "people_passed", "people_failed")


@pytest.mark.parametrize("name", EXPECTED)
def test_reading_r101_every_figure_of_a_worked_example(name: str) -> None:
    found = values(audited(name))
    for field, wanted in EXPECTED[name]["figures"].items():
        if field == "alone":
            kept = {key: value for key, value in wanted.items() if key != "wrong_same_rows"}
            agree(found["0.05"], kept, field)
        elif field not in COUNTS:
            agree(found[field], wanted, field)


@pytest.mark.parametrize("name", EXPECTED)
def test_reading_r101_every_sentence_of_a_worked_example(name: str) -> None:
    lines = headlines(audited(name), ColumnChoice())
    wanted = EXPECTED[name]["sentences"]
    if name.startswith("4b"):  # of five judges those against the first, and the panel
        wanted = [*wanted[:4], wanted[-1]]
    assert [line for line in wanted if line not in lines] == []


def test_reading_r101_shares_of_uneven_labels_are_weighted_and_say_so() -> None:
    report = audited("6c-labels-by-verdict")
    assert "kappa" not in report.groups[0].figures
    assert headlines(report, ColumnChoice())[-1] == UNEVEN


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("1b-fails-everything", ["Areas", "FigureRows"]),
        ("2b-minus-one", ["ScoreGrid", "FigureRows"]),
        ("4b-five-judges", ["FigureRows", "AgreementMatrix", "Swaps"]),
        ("4c-board-turns", ["FigureRows", "AgreementMatrix", "Swaps"]),
        ("5b-pandalm-300", []),
    ],
)
def test_reading_r101_a_page_begins_with_a_sentence_and_a_picture(
    name: str, drawn: list[str]
) -> None:
    report = audited(name)

    page = page_of(report, ColumnChoice(), "epc audit t.csv")

    assert [type(picture).__name__ for picture in pictures(report)] == drawn
    assert page.count('<figure class="audit">') == len(drawn)
    first = headlines(report, ColumnChoice())[0]
    assert first.split(" [")[0] in page.split("</h1>")[0].replace("&#x27;", "'")


def test_reading_r101_scores_stand_in_a_grid_of_people_against_the_judge() -> None:
    """Counted with pandas.crosstab: people's score down, the judge's across."""
    (group,) = audited("2b-minus-one").groups

    assert isinstance(group.labels, ScoreLabels)
    assert group.labels.grid[4] == [2, 4, 3, 8, 46]
    assert group.labels.grid[3] == [6, 13, 6, 13, 87]
    assert sum(map(sum, group.labels.grid)) == 292
