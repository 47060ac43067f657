"""`epc audit FILE` guesses nothing: public files' kinds, as a new user gives them (AUDIT 7).

The files are of `audit_cases/`; each expected value was counted in its file by hand or with pandas.
"""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from records_support import epc

CASES = Path(__file__).parent / "audit_cases"
_FIX = re.compile(r"^(?:  fix|   or): (epc audit .*)$", re.MULTILINE)


def case(folder: Path, number: str) -> Path:
    """Return a copy of a case's first file."""
    (source,) = CASES.glob(f"{number}-*")
    for file in source.iterdir():
        shutil.copy(file, folder)
    return folder / min(file.name for file in source.iterdir())


def document(path: Path, *options: str) -> Any:
    done = epc("audit", path, *options, "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def printed(path: Path, *options: str) -> list[list[str]]:
    """Return the options of the commands that an audit prints in the place of figures.

    Each of them is run: it gives figures.
    """
    done = epc("audit", path, *options)
    text = done.stdout.decode()
    assert done.returncode == 1, text + done.stderr.decode()
    assert "Figures of" not in text
    commands = [shlex.split(command) for command in _FIX.findall(text)]
    assert commands, text
    for command in commands:
        assert command[:3] == ["epc", "audit", str(path)]
        again = epc(*command[1:])
        assert again.returncode == 0, again.stdout + again.stderr
    return [command[3:] for command in commands]


def values(document: Any) -> dict[str, Any]:
    (group,) = document["groups"]
    return {name: figure["value"] for name, figure in group["figures"].items()}


def why(document: Any) -> dict[str, tuple[str | None, str]]:
    return {use["column"]: (use["taken_for"], use["why"]) for use in document["columns"]}


def test_reading_r101_7_2_model_beside_a_judge_is_who_answered(tmp_path: Path) -> None:
    done = document(case(tmp_path, "01"))

    (group,) = done["groups"]
    assert group["setting"]["judge"]["name"] == "gpt-4o"
    assert why(done)["model"] == ("a_by", "beside the judge: who answered")
    assert (group["verdicts"], group["items"]) == (20, 10)
    assert values(done)["agreement"] == pytest.approx(13 / 20)


def test_reading_r101_7_3_a_yes_no_column_is_no_verdict_and_scores_are_asked_for(
    tmp_path: Path,
) -> None:
    path = case(tmp_path, "02")

    assert printed(path) == [["--map", "a_score=accuracy"], ["--map", "a_score=clarity"]]
    refused = json.loads(epc("audit", path, "--format", "json").stdout)
    assert why(refused)["cache_hit"] == (None, "its name says it is no verdict")
    done = document(path, "--map", "a_score=accuracy")
    assert why(done)["run_index"] == ("repeat", "name")
    (group,) = done["groups"]
    assert (group["verdicts"], group["items"]) == (12, 6)


def test_reading_r101_7_4_labels_alone_are_nobodys_verdicts(tmp_path: Path) -> None:
    path = case(tmp_path, "03")

    assert printed(path) == [["--map", "verdict=expected_winner"]]
    assert (
        "no column holds what a judge said: expected_winner holds labels. If a judge gave them:"
        in epc("audit", path).stdout.decode()
    )


def test_reading_r101_7_6_places_turn_the_verdict_alone(tmp_path: Path) -> None:
    """Accuracy 14 of 20, 4 of 10 pairs keep their winner, the first place wins 16 of 20."""
    maps = ("--map", "verdict=raw_verdict", "--map", "first=order", "--map", "gold=gt")
    labels = ("1=a", "2=b", "A=first", "B=second")

    done = document(
        case(tmp_path, "04"), *maps, *(word for label in labels for word in ("--label", label))
    )

    figures = values(done)
    assert figures["accuracy"] == pytest.approx(14 / 20)
    assert figures["place_consistency"] == pytest.approx(4 / 10)
    assert figures["first_place"] == pytest.approx(16 / 20)


def test_reading_r101_7_8_rows_are_the_list_that_has_a_verdict(tmp_path: Path) -> None:
    done = document(case(tmp_path, "05"))

    assert done["taken"]["notes"] == ["read: the list `results` (8 rows)"]
    assert (done["verdicts"], values(done)["accuracy"]) == (8, 0.5)


def test_reading_r101_7_4_a_score_of_no_known_name_is_asked_for_and_the_command_works(
    tmp_path: Path,
) -> None:
    path = case(tmp_path, "06")

    assert printed(path) == [["--map", "a_score=value"]]
    assert document(path, "--map", "a_score=value")["verdicts"] == 6


def test_reading_r101_2_a_score_of_minus_one_is_none(tmp_path: Path) -> None:
    done = document(case(tmp_path, "07"))

    figures = values(done)
    assert figures["unreadable"] == pytest.approx(2 / 10)
    assert figures["shift"] == 0
    assert done["taken"]["notes"] == [
        "2 scores lie outside the scale from 1 to 10: left out as unreadable"
    ]


def test_reading_r101_7_1_a_reference_text_is_no_gold(tmp_path: Path) -> None:
    done = document(case(tmp_path, "08"))

    assert why(done)["ground_truth"] == (None, "shares no value with the verdicts: a reference")
    assert values(done)["agreement"] == pytest.approx(3 / 6)


def test_reading_r101_7_5_one_hot_winners_are_one_verdict(tmp_path: Path) -> None:
    path = case(tmp_path, "09")
    saved = tmp_path / "v.jsonl"

    assert epc("audit", path, "--save", saved).returncode == 0

    rows = [json.loads(line)["verdict"] for line in saved.read_text("utf-8").splitlines()[1:]]
    assert rows == ["a", "b", "tie"] * 3


def test_reading_r101_7_6_letters_beside_swapped_are_asked_about(tmp_path: Path) -> None:
    """As places 11 of 12 verdicts are right, as answers 7."""
    path = case(tmp_path, "10")

    places, answers = printed(path)

    assert places == ["--label", "A=first", "--label", "B=second"]
    assert answers == ["--label", "A=a", "--label", "B=b"]
    assert values(document(path, *places))["accuracy"] == pytest.approx(11 / 12)
    assert values(document(path, *answers))["accuracy"] == pytest.approx(7 / 12)


def test_reading_r101_7_8_people_in_traces_stand_beside_the_judge(tmp_path: Path) -> None:
    """They agree in 6 of 8; the judge passes all 8, and people 6."""
    path, saved = case(tmp_path, "11"), tmp_path / "v.jsonl"

    assert values(document(path, "--save", str(saved)))["agreement"] == pytest.approx(6 / 8)

    rows = [json.loads(line) for line in saved.read_text("utf-8").splitlines()[1:]]
    assert [row["verdict"] for row in rows] == ["a"] * 8
    assert sorted(row["humans"][0] for row in rows) == ["a"] * 6 + ["b"] * 2


def test_reading_r101_2_a_version_of_vertex_goes_by_the_unversioned_name(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("judge: vertex_ai/gemini-2.0-flash-001\n", "utf-8")

    done = epc("scan", path)

    assert done.returncode == 1
    assert b"vertex_ai/gemini-2.0-flash-001 (google-vertex) expired since 2026-06-01" in done.stdout


def test_loop_a_check_without_a_score_is_unreadable(tmp_path: Path) -> None:
    """On the 58 items with both scores the final's mean is 1.103 above the seed's."""
    checks = case(tmp_path, "13")
    for cell in ("", "NaN", "null", "-1"):
        text = re.sub(r"(seed,t(3|9),gpt-4o,).*", rf"\g<1>{cell}", checks.read_text("utf-8"))
        checks.write_text(text, "utf-8")

        done = epc("loop", "report", tmp_path / "log.csv", checks)

        text = done.stdout.decode()
        assert done.returncode == 0, text
        assert "unread       2 scores could not be read; their items are left out" in text
        assert re.search(r"fresh gain +\+1\.10 \[.*\] +58 fresh items", text)


# Ten shapes of files, as a new user has them ------------------------------------------------------


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


ROWS = [
    {"id": n, "response": f"r{n}", "judge": "j", "judge_verdict": said, "human": human}
    for n, (said, human) in enumerate([("pass", "pass"), ("pass", "fail"), ("fail", "fail")] * 4)
]


@pytest.mark.parametrize(
    "content",
    [
        {"rows": {"cells": ROWS}, "config": {"temperature": 0}},
        {name: [row[name] for row in ROWS] for name in ROWS[0]},  # an object of columns
        {name: {str(n): row[name] for n, row in enumerate(ROWS)} for name in ROWS[0]},
        {f"row-{row['id']}": row for row in ROWS},  # an object by id
        {
            "columns": [*ROWS[0]],
            "index": [*range(12)],
            "data": [[*row.values()] for row in ROWS],
        },
        {"data": ROWS, "meta": {"page": 1, "totalPages": 3}},
    ],
)
def test_reading_r101_7_8_json_of_any_layout_has_the_same_rows(
    content: Any, tmp_path: Path
) -> None:
    """Of 12 verdicts 8 agree with people."""
    done = document(written(tmp_path, "file.json", content))

    assert values(done)["agreement"] == pytest.approx(8 / 12)
    assert ("page 1 of 3" in json.dumps(done)) == ("meta" in content)


def test_reading_r101_7_8_of_several_lists_one_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "file.json", {"first": ROWS, "second": ROWS[:3]})

    assert printed(path) == [["--rows", "first"], ["--rows", "second"]]
    assert document(path, "--rows", "second")["verdicts"] == 3
    assert epc("audit", path, "--rows", "third").returncode == 2


def test_reading_r101_7_5_columns_of_judges_are_a_judge_each(tmp_path: Path) -> None:
    lines = "".join(f"{n},pass,{'pass' if n % 2 else 'fail'},pass\n" for n in range(8))
    by_name = written(tmp_path, "a.csv", f"id,judge_one,judge_two,gold\n{lines}")
    by_family = written(tmp_path, "b.csv", f"id,gpt_4o_verdict,claude_verdict,gold\n{lines}")
    by_none = written(tmp_path, "c.csv", f"id,anna,bruno,gold\n{lines}")

    def shares(done: Any) -> dict[str, float]:
        return {g["settings"][0]: g["figures"]["agreement"]["value"] for g in done["groups"]}

    assert shares(document(by_name)) == {"judge_one": 1, "judge_two": 0.5}
    assert shares(document(by_family)) == {"gpt_4o": 1, "claude": 0.5}
    assert printed(by_none)[0] == ["--map", "verdict=anna", "--map", "verdict=bruno"]


def test_reading_r101_7_5_games_of_both_orders_are_two_rows(tmp_path: Path) -> None:
    """Arena-Hard's rows: the judge names places, so that A>B and B>A is one winner."""
    lines = [
        {"question_id": f"q{n}", "judge": "j", "games": [{"score": one}, {"score": two}]}
        for n, (one, two) in enumerate([("[[A>B]]", "[[B>A]]"), ("[[A>B]]", "[[A>B]]")] * 3)
    ]
    text = "\n".join(map(json.dumps, lines))
    places = [word for v in "AB" for w in [f"[[{v}>{'AB'[v == 'A']}]]"] for word in (
        "--label", f"{w}={'first' if v == 'A' else 'second'}")]  # fmt: skip

    done = document(written(tmp_path, "games.jsonl", text), "--map", "verdict=score", *places)

    assert values(done)["place_consistency"] == pytest.approx(3 / 6)


def test_reading_r101_7_5_fastchats_winners_of_both_games_name_answers(tmp_path: Path) -> None:
    lines = [
        {"question_id": n, "model_1": "m", "model_2": "n", "g1_winner": one, "g2_winner": two}
        for n, (one, two) in enumerate([("model_1", "model_1"), ("model_1", "model_2")] * 3)
    ]

    done = document(written(tmp_path, "pairs.jsonl", "\n".join(map(json.dumps, lines))))

    assert values(done)["place_consistency"] == pytest.approx(3 / 6)


def test_reading_r101_7_2_model_alone_is_the_judge_or_asked_about(tmp_path: Path) -> None:
    head = "id,response,model,verdict\n"
    one = written(tmp_path, "one.csv", head + "1,x,gpt,pass\n2,y,gpt,fail\n")
    two = written(tmp_path, "two.csv", head + "1,x,gpt,pass\n2,y,opus,fail\n")

    assert document(one)["groups"][0]["setting"]["judge"]["name"] == "gpt"
    assert printed(two) == [["--map", "judge=model"], ["--map", "a_by=model"]]


def test_reading_r101_7_columns_a_and_b_that_name_models_are_no_texts(tmp_path: Path) -> None:
    lines = "".join(
        f"{n},gpt-4o,claude-sonnet-4,{'gpt-4o' if n % 3 else 'tie'}\n" for n in range(9)
    )

    done = document(written(tmp_path, "t.csv", f"id,a,b,winner\n{lines}"))

    assert [why(done)[name][0] for name in "ab"] == ["a_by", "b_by"]
    assert "length" not in " ".join(values(done))


def test_reading_r101_7_7_ten_rows_of_300_without_a_score_are_left_out(tmp_path: Path) -> None:
    lines = "".join(f"{n},r{n},{'' if n < 10 else n % 5 + 1},{n % 5 + 1}\n" for n in range(300))

    done = document(written(tmp_path, "t.csv", f"id,response,score,human\n{lines}"))

    assert done["verdicts"] == 290
    assert done["taken"]["notes"] == ["left out: 10 rows have no score: lines 2, 3, 4, ..."]


def test_reading_r101_2_scores_on_two_scales_are_mapped_where_both_are_stated(
    tmp_path: Path,
) -> None:
    """1, 5.5 and 10 of 1 to 10 are 0, 0.5 and 1, as are 1, 3 and 5 of 1 to 5."""
    lines = "".join(
        f"{n},r{n},{j},{h}\n" for n, (j, h) in enumerate([(1, 1), (5.5, 3), (10, 5)] * 4)
    )
    path = written(tmp_path, "t.csv", f"id,response,score,human\n{lines}")

    figures = values(document(path, "--scale", "judge=1-10", "--scale", "humans=1-5"))

    assert figures["shift"] == pytest.approx(0)
    assert epc("audit", path, "--scale", "judge=1-10").returncode == 2


def test_reading_r101_2_a_zero_of_the_judge_and_a_sentinel_of_people_are_asked_about(
    tmp_path: Path,
) -> None:
    lines = "".join(f"{n},r{n},{n % 5 + 1},{n % 5 + 1}\n" for n in range(20))
    zero = written(tmp_path, "z.csv", f"id,response,score,human\n{lines}20,x,0,3\n")
    odd = written(tmp_path, "o.csv", f"id,response,score,human\n{lines}20,x,3,-1\n")

    assert printed(zero) == [["--label", "score:0=unreadable"], ["--scale", "0-5"]]
    assert printed(odd) == [["--label", "human:-1=unreadable"]]


@pytest.mark.parametrize(
    "options",
    [
        ("--map", "item=id", "--map", "item=response"),
        ("--label", "pass=a", "--label", "pass=b"),
        ("--label", "perhaps=tie"),
        ("--map", "humans=nobody"),
        ("--ignore", "nothing"),
        ("--set", "judge=x", "--set", "judge=y"),
        ("--scale", "1-5"),
    ],
)
def test_reading_r101_7_6_an_option_without_effect_is_misuse(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    assert epc("audit", written(tmp_path, "t.json", ROWS), *options).returncode == 2


FIELDS: dict[str, str | None] = {
    # By field: the figure that moves where its column is ignored; None where nothing can be read.
    "group": "humans_majority",
    "repeat": None,
    "first": None,
    "gold": "accuracy",
    "humans": "humans_majority",
    "confidence": "brier",
    "a_length": "longer",
    "output_tokens": "output_tokens",
    "subset": "by_subset",
    "verdict": None,
}


def moved(done: Any, name: str) -> list[Any]:
    """Return a figure of each group, or what else of it has that name."""
    return [group["figures"].get(name, group.get(name)) for group in done["groups"]]


@pytest.mark.parametrize("field", FIELDS)
def test_reading_r101_7_each_field_that_is_taken_acts_on_a_figure(
    field: str, tmp_path: Path
) -> None:
    """Two orders, two repeats each, of 60 questions in 20 groups; what is ignored is missed."""
    head = (
        "id,judge,model_a,model_b,verdict,first,repeat,gold,humans,confidence,a_length,b_length,"
        "group,subset,output_tokens"
    )
    lines = [
        f"{n},j,m,n,{'ab'[(n * 7 + repeat + ord(first)) % 3 > 1]},{first},{repeat},{'ab'[n % 2]},"
        f"{'a' if n // 3 % 2 else 'b'},0.{n % 9 + 1},{n + 5},{70 - n},g{n // 3},s{n % 2},{n + 3}"
        for n in range(60)
        for first in "ab"
        for repeat in (0, 1)
    ]
    path = written(tmp_path, "t.csv", "\n".join([head, *lines]) + "\n")
    whole = document(path)
    figure = FIELDS[field]
    if figure is None:
        done = epc("audit", path, "--ignore", field)
        assert done.returncode == 1
        contradicts = b"differs from an earlier one of the same item" in done.stdout
        assert contradicts == (field in ("repeat", "first"))
        return

    without = document(path, "--ignore", field)

    assert moved(whole, figure) != moved(without, figure)


def test_reading_r101_7_1_groups_of_one_fate_are_the_clusters(tmp_path: Path) -> None:
    """400 rows in 20 groups, 12 of which agree: Wilson's interval of 20 by t of 19 is 37 to 79.

    By hand: the variance of 20 means of 0 or 1 is that of 19 independent rows (n - 1), so
    (0.6 + t2/38 -/+ t sqrt(0.24/19 + t2/1444)) / (1 + t2/19) with t = 2.09302.
    """
    lines = "".join(
        f"i{n},j,{'pass' if n // 20 < 12 else 'fail'},pass,g{n // 20}\n" for n in range(400)
    )
    path = written(tmp_path, "t.csv", f"item,judge,verdict,human,group\n{lines}")

    (group,) = document(path)["groups"]

    low, high = group["figures"]["agreement"]["ci95"]
    assert (low, high) == pytest.approx((0.36838, 0.79415), abs=5e-5)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_table_of_20_000_columns_is_refused_before_they_are_looked_at(
    form: str, tmp_path: Path
) -> None:
    names = [f"c{n}" for n in range(20_000)]
    row = dict.fromkeys(names, "1")
    text = ",".join(names) + "\n" + ",".join(row.values()) + "\n"
    path = written(tmp_path, f"wide.{form}", text if form == "csv" else json.dumps([row]))

    done = epc("audit", path)

    assert done.returncode == 2
    assert b"has 20,000 columns, expected at most 1,000" in done.stdout + done.stderr
