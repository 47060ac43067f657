"""`epc audit VOTES`: a table that people have to every figure it bears, and what is missing."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from records_support import epc

import epc as package
from epc.api.auditing import Audited
from epc.errors import EpcError


def crossing(folder: Path) -> Path:
    """Write verdicts of three strategies: what wins in code loses in prose, with some noise."""
    draw = random.Random(7)
    lines = ["strategy,domain,task,verdict,group"]
    for domain, favourite in (("code", 0.8), ("prose", 0.25)):
        for task in range(16):
            for name, rate in (("bold", favourite), ("shy", 1 - favourite), ("terse", 0.5)):
                text = "A" if draw.random() < rate else "B"
                lines.append(f"{name},{domain},{domain} {task},{text},{domain} {task // 2}")
    path = folder / "votes.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def audited(path: Path, *arguments: str) -> Any:
    done = epc("audit", path, "--format", "json", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_reading_r71_a_table_and_a_run_over_it_have_one_word_and_one_set_of_figures(
    tmp_path: Path,
) -> None:
    path = crossing(tmp_path)
    run = tmp_path / "run"
    arguments = ("--evaluator", f"recorded:{path}", "--seeds", "0-9", "--out", run)
    assert epc("run", *arguments).returncode == 0

    by_run, (group,) = audited(run), audited(path)["groups"]

    transfer = group["transfer"]
    assert transfer["word"] == by_run["verdict"]
    assert transfer["test"] == by_run["test"]
    assert transfer["test"]["unit"] == "group"
    for direction, into in transfer["directions"].items():
        theirs = by_run["transfer"][direction]
        assert into == {name: theirs[name] for name in into}


VOTES = """question_id,model_a,model_b,winner,human,shown_first,run,judge
1,x,y,x,model_a,a,0,j
1,x,y,y,model_a,b,0,j
1,x,y,x,model_a,a,1,j
2,x,y,tie,model_b,a,0,j
"""


def test_an_audit_says_what_the_columns_are_and_what_is_missing(tmp_path: Path) -> None:
    path, page, saved = tmp_path / "votes.csv", tmp_path / "r.html", tmp_path / "v.jsonl"
    path.write_text(VOTES, "utf-8")

    done = epc("audit", path, "--map", "repeat=run", "--html", page, "--save", saved)

    text = done.stdout.decode()
    opening = "votes.csv: 4 verdicts on pairs of 1 judge beside people's labels\n- j agrees with"
    assert text.startswith(opening)
    assert "- j agrees with people in 33% of 4 verdicts" in text
    assert re.search("  model_a +a_by: who wrote answer a +name +x\n", text)
    assert re.search("agreement with gold +add a column `gold`: the better answer, a or b\n", text)
    assert "  place bias " not in text
    assert "agreement with people, their majority" in page.read_text("utf-8")
    assert epc("observe", "check", saved).stdout.decode() == f"{saved}: ok, findings: 0\n"
    # The saved file says the same, and `epc observe report` is the same command.
    repeated_document = json.loads(epc("observe", "report", saved, "--format", "json").stdout)
    assert repeated_document["groups"] == audited(path, "--map", "repeat=run")["groups"]


def test_reading_r77_place_and_repeats_of_an_audit_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, "utf-8")

    (group,) = audited(path, "--map", "repeat=run")["groups"]

    figures = {name: figure["value"] for name, figure in group["figures"].items()}
    assert figures["place_consistency"] == 0  # x in one order, y in the other
    assert figures["repeat_consistency_all"] == 1  # x twice in the same order
    assert figures["ties"] == 0.5  # by question: 0 of 3 and 1 of 1
    assert figures["humans_majority"] == pytest.approx((2 / 3 + 0) / 2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,a,b\n1,x,y\n", "votes.csv:1: no column is certain to hold what a judge said"),
        (VOTES.replace(",tie,", ",perhaps,"), "winner may ('perhaps' are no labels: --label"),
        (
            VOTES.replace("run", "asked").replace(",x,model_a,a,1,", ",y,model_a,a,1,"),
            "votes.csv:4/winner: differs from an earlier one of the same item",
        ),
    ],
)
def test_an_audit_of_what_cannot_be_used_says_the_line_and_what_to_do(
    text: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text, "utf-8")

    done = epc("audit", path)

    assert done.returncode == 1
    assert says in done.stdout.decode()
    assert "\n  fix: " in done.stdout.decode()


def test_reading_r101_7_a_row_of_another_width_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES + "3,x,y,x,,a,0\n", "utf-8")

    document = audited(path)

    assert document["verdicts"] == 4
    assert document["taken"]["notes"] == [
        "left out: 1 row has 7 cells, and the header 8 columns: line 6"
    ]


def test_a_sheet_with_natural_names_takes_one_command_and_names_chance(tmp_path: Path) -> None:
    """28 rows by hand: 21 of 24 labelled ones agree, and 14 of these 24 labels are A."""
    path = tmp_path / "sheet.csv"
    said = [("A", "A")] * 12 + [("response b", "B")] * 6 + [(" Tie", "tie")] * 3
    said += [("b", "A"), ("n/a", "A"), ("A", "B"), *[("A", "")] * 4]
    lines = [f"q{n},x,y{n},{judge},{human}" for n, (judge, human) in enumerate(said)]
    head = "question,response_a,response_b,judge,human"
    path.write_text("\n".join([head, *lines]) + "\n", "utf-8")

    text = epc("audit", path).stdout.decode()

    assert "the judge agrees with people in 88% of 24 verdicts [" in text
    assert "; always choosing answer A would give 58%.\n" in text
    (group,) = audited(path)["groups"]
    assert group["constants"]["humans_majority"] == {"answer": "a", "share": pytest.approx(14 / 24)}


ORDERS = """ticket,question,answer_1,answer_2,verdict,human
1,q1,x,y,1,1
1,q1,y,x,2,2
2,q2,x,y,1,2
2,q2,y,x,1,1
3,q3,x,y,tie,
3,q3,y,x,tie,
4,q4,x,y,2,2
4,q4,y,x,tie,1
"""


@pytest.mark.parametrize("name", ["ticket", "id", "item", None])
def test_answers_that_a_later_row_has_exchanged_are_the_other_order(
    name: str | None, tmp_path: Path
) -> None:
    """By hand: questions 1 and 3 keep their winner; of 1 and 2 the first place wins 2 of 4."""
    path = tmp_path / "orders.csv"
    text = ORDERS.replace("ticket", name or "ticket").replace(",x,y", ",x{0},y{0}")
    lines = text.replace(",y,x", ",y{0},x{0}").splitlines()
    lines = [line.format(line[0]) for line in lines]
    if name is None:  # the texts alone
        lines = [line.split(",", 2)[2] for line in lines]
    path.write_text("\n".join(lines), "utf-8")

    text = epc("audit", path).stdout.decode()

    (group,) = audited(path)["groups"]
    figures = {name: figure["value"] for name, figure in group["figures"].items()}
    assert figures["place_consistency"] == 0.5
    assert figures["first_place"] == 0.75  # question 1: half; question 2: twice the first
    assert figures["humans_majority"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert not [figure for figure in figures if figure.startswith("repeat")]
    # A's name changes from row to row, so no sentence compares with always choosing it.
    assert "the judge agrees with people in 67% of 6 verdicts" in text.splitlines()[1]
    assert "always" not in text
    assert re.search("  \\(all rows\\) +first: the answer that was shown first +a\n", text)
    asked_again = audited(path, "--set", "first=b")["groups"][0]["figures"]
    assert asked_again["first_place"]["value"] == 0.25


@pytest.mark.parametrize(
    "text",
    [
        "judge,human\nPASS,pass\nFAIL,pass\nPASS,N/A\nPASS,-\nfail,NaN\nPASS,pass\nFAIL,fail\n",
        "id,judge,human\n1,y,y\n2,n,y\n3,y,\n4,y,None\n5,n,null\n6,y,y\n7,n,n\n",
        "id,output,score,human\n1,x,C,C\n2,x,I,C\n3,x,C,\n4,x,C,\n5,x,I,\n6,x,C,C\n7,x,I,I\n",
        "id,judge,human\n1,A,A\n2,B,A\n3,A,n/a\n4,A,\n5,B,\n6,A,A\n7,B,B\n",
        """id,a,b,winner,human
1,x,y,[[A>>B]],A>B
2,x,y,[[B>A]],A
3,x,y,[[A=B]],-
4,x,y,A is better,
5,x,y,Response B is slightly better.,B wins
6,x,y,A wins,a
""",
    ],
)
def test_verdicts_as_people_write_them_agree_in_three_of_four(text: str, tmp_path: Path) -> None:
    """Of the four rows with a person's label three agree."""
    path = tmp_path / "votes.csv"
    path.write_text(text, "utf-8")

    (group,) = audited(path)["groups"]

    figures = group["figures"]
    agreed = figures.get("agreement") or figures["humans_majority"]
    assert (agreed["n"], agreed["value"]) == (4, 0.75)


def test_an_odd_word_among_pass_and_fail_is_left_out_or_means_what_the_user_says(
    tmp_path: Path,
) -> None:
    """Of three verdicts PARTIAL is none: two agree; as fail it disagrees with people's pass."""
    path, saved = tmp_path / "votes.csv", tmp_path / "v.jsonl"
    lines = "id,output,judge,human\n1,x,PASS,pass\n2,x,PARTIAL,pass\n3,x,FAIL,fail\n"
    path.write_text(lines, "utf-8")

    text = epc("audit", path).stdout.decode()
    hint = "--label VALUE=WORD says what they mean; WORD is pass, fail, tie or unreadable)"
    assert f"judge may ('PARTIAL' are no labels: {hint}" in text
    assert f"fix: epc audit {path} --map verdict=judge\n" in text

    (group,) = audited(path, "--map", "verdict=judge")["groups"]
    assert (group["verdicts"], group["figures"]["agreement"]["value"]) == (2, 1)
    (group,) = audited(path, "--label", "PARTIAL=fail", "--save", str(saved))["groups"]
    assert group["figures"]["agreement"]["value"] == pytest.approx(2 / 3)
    assert "; always saying pass would in 67%. Kappa" in epc("audit", saved).stdout.decode()
    path.write_text(lines + "3,x,PASS,fail\n", "utf-8")
    twice = epc("audit", path, "--label", "PARTIAL=fail").stdout.decode()
    assert "fix: keep one, or number the askings in a column `repeat`: 0, 1, 2, ...\n" in twice


def test_a_sheet_with_decimal_commas_and_an_answer_is_read(tmp_path: Path) -> None:
    path, saved = tmp_path / "votes.csv", tmp_path / "v.jsonl"
    path.write_text("id;question;answer;score\n1;q;x;3,5\n2;q;xx;1,25\n3;q;xxx;4\n", "utf-8")

    assert epc("audit", path, "--save", saved).returncode == 0

    rows = [json.loads(line) for line in saved.read_text("utf-8").splitlines()[1:]]
    assert [row.get("a_score") for row in rows] == [3.5, 1.25, 4]
    assert [row["a_length"] for row in rows] == [1, 2, 3]
    path.write_text("id;response;score\n1;x;1,000\n", "utf-8")
    assert re.search("score +not used +holds no numbers +1,000", epc("audit", path).stdout.decode())


SCORED = """id,answer,score,human_1,human_2
1,x,5,5,5
2,xx,4,3,4
3,xxx,2,2,
4,xy,3,1,1
5,xyx,3,,n/a
"""


@pytest.mark.parametrize("people", ["human", "human_1", "judge"])
def test_scores_are_held_against_the_scores_that_people_gave(people: str, tmp_path: Path) -> None:
    """Four answers have scores of people: 5, 3.5, 2 and 1. Three are at most 1 point away.

    The ranks of the judge are 4, 3, 1, 2, those of people 4, 3, 2, 1: 1 - 6 * 2 / (4 * 15).
    """
    path, saved = tmp_path / "votes.csv", tmp_path / "v.parquet"
    text = SCORED
    if people == "human":  # one column, several persons in a cell
        text = text.replace("human_1,human_2", people).replace("3,4\n", "3;4\n")
        text = text.replace("5,5\n", "5\n").replace("2,2,", "2,2").replace("1,1", "1")
        text = text.replace(",,n/a", ",n/a")
    if people == "judge":  # numbers alone
        text = re.sub(r"^\w+,\w+,", "", text, flags=re.MULTILINE).replace("score", "judge")
    path.write_text(text, "utf-8")

    (group,) = audited(path, "--save", str(saved))["groups"]

    figures = {name: figure["value"] for name, figure in group["figures"].items()}
    assert figures["human_score_within_1"] == 0.75
    assert figures["rank_correlation"] == pytest.approx(0.8)
    assert audited(saved)["groups"] == [group]
    line = epc("audit", path).stdout.decode().splitlines()[1]
    assert line.endswith("rank correlation 0.80 [-1.00, 1.00] over 4 answers.")
    # A judge that gives one score is as near, and nothing says that it sees what people see.
    path.write_text(re.sub(r"^(\d,x[xy]*,|)\d", r"\g<1>3", text, flags=re.MULTILINE), "utf-8")
    (same_group,) = audited(path)["groups"]
    assert "rank_correlation" not in same_group["figures"]


def test_labels_of_people_by_their_names_are_pointed_at_and_the_fix_works(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,output,judge,anna,bob\n1,x,PASS,pass,pass\n2,x,FAIL,pass,fail\n", "utf-8")

    hint = "Labels of people? --map humans=anna --map humans=bob."
    assert hint in epc("audit", path).stdout.decode()

    (group,) = audited(path, "--map", "humans=anna", "--map", "humans=bob")["groups"]
    assert group["figures"]["agreement"]["value"] == 1  # row 2 has no majority
    done = epc("audit", path, "--map", "humans=anna", "--map", "humans=eve")
    assert (done.returncode, b"has no column 'eve'" in done.stderr) == (2, True)


def test_rows_without_a_score_are_named_in_text_page_and_json(tmp_path: Path) -> None:
    path, page = tmp_path / "scores.csv", tmp_path / "r.html"
    path.write_text(
        "id,model_1,model_2,score_1,score_2,gold\n1,m,n,8/10,4,a\n2,m,n,7,,a\n3,m,n,,3,b\n", "utf-8"
    )
    notes = [
        "1 row with a score that is no plain number (8/10 is read as 8): line 2",
        "2 rows without a score, so without a verdict: lines 3, 4",
    ]

    text = epc("audit", path, "--html", page).stdout.decode()

    assert all(f"- {note}." in text for note in notes)
    assert all(f"{note}." in page.read_text("utf-8") for note in notes)
    assert audited(path)["taken"]["notes"] == notes
    (group,) = audited(path, "--label", "=unreadable")["groups"]
    assert group["figures"]["unreadable"]["value"] == pytest.approx(2 / 3)


def test_reading_r101_7_a_score_that_is_no_number_is_left_out_and_a_column_of_such_is_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "scores.csv"
    head = "id,response,score\n"
    path.write_text(head + "".join(f"{n},x{n},{n % 5 + 1}\n" for n in range(30)) + "30,y,high\n")

    assert audited(path)["taken"]["notes"] == [
        "left out: 1 row has 'high' in score, which is no number: line 32"
    ]
    path.write_text(head + "1,x,high\n")
    assert re.search("score +not used +holds no numbers +high", epc("audit", path).stdout.decode())


def test_options_of_verdicts_are_none_of_a_run(tmp_path: Path) -> None:
    run, votes = tmp_path / "run", crossing(tmp_path)
    epc("run", "--evaluator", f"recorded:{votes}", "--seeds", "0", "--out", run)

    for arguments in (("--map", "a=b"), ("--save", "x.jsonl")):
        assert b"are of a file of verdicts" in epc("audit", run, *arguments).stderr
    assert b"epc show" in epc("audit", run, "--html", tmp_path / "r.html").stderr
    assert b"are of a run" in epc("audit", votes, "--swap", "2").stderr


def test_an_audit_from_python_is_that_of_the_command(tmp_path: Path) -> None:
    path = crossing(tmp_path)

    of_file = package.audit(path)
    of_frame = package.audit(pd.read_csv(path))

    assert isinstance(of_file, Audited)
    assert isinstance(of_frame, Audited)
    assert of_file.as_json() == audited(path)
    assert of_frame.as_json()["groups"] == of_file.as_json()["groups"]
    assert str(of_file) + "\n" == epc("audit", path).stdout.decode()
    row = of_file.figures.set_index("figure").loc["ties"]
    assert (row["value"], row["questions"]) == (0, 16)  # 32 tasks in 16 groups
    text = of_file._repr_html_()
    assert "<svg" in text, "a notebook shows the picture below the cell"
    assert "Figures of" in text
    assert "<html" not in text


def test_an_error_from_python_names_arguments_and_not_options(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,a,b,winner\n1,x,y,A\n2,x,y,perhaps\n3,x,y,n/a\n,,,\n", "utf-8")
    frame = pd.read_csv(path)

    with pytest.raises(EpcError, match=r"'perhaps'.*\n.*columns=\{'verdict': 'winner'\}") as error:
        package.audit(path)
    assert "epc audit" not in str(error.value)
    assert "--" not in str(error.value)
    with pytest.raises(EpcError, match=r"has the answers b, and no a.*\n.*ignored=\['b'\]"):
        package.audit(frame[["id", "b", "winner"]].assign(winner="A"))
    # The blank row is none in both, and `n/a` is unreadable once pandas leaves it as it is.
    whole = pd.read_csv(path, keep_default_na=False)
    reports = [package.audit(each, labels={"perhaps": "tie"}) for each in (path, whole)]
    assert [len(repr(report)) < 200 for report in reports] == [True, True]
    assert reports[0].as_json()["groups"] == reports[1].as_json()["groups"]


@pytest.mark.parametrize(
    ("content", "says", "fix"),
    [
        ("# A page\n\nWords, and more.\n", ":1: is no table of verdicts", "give a table whose"),
        ("id,a,b,winner\n1,é,y,A\n", ":2: no CSV: the line is not UTF-8", "`CSV UTF-8`"),
    ],
)
def test_a_file_that_does_not_fit_gets_one_finding_with_what_to_write(
    content: str, says: str, fix: str, tmp_path: Path
) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes(content.encode("latin-1"))

    text = epc("audit", path).stdout.decode()

    assert "findings: 1\n" in text
    assert says in text
    assert fix in text.partition("\n  fix: ")[2]
