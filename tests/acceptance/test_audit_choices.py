"""`epc audit` of labels and choices as people write them (AUDIT 1, 3 and 4).

Each expected value is counted in the rows by plain Python.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from records_support import epc

LABELS: Final = ("billing", "refund", "sales", "support", "other")


def table(path: Path, header: str, rows: Iterable[Iterable[object]]) -> Path:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def document(path: Path, *options: str) -> Any:
    done = epc("audit", path, *options, "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def tickets() -> list[tuple[str, ...]]:
    """Return 70 tickets with the right label and those of three judges, wrong by a rule each."""
    rows = []
    for n in range(70):
        right = LABELS[n % 5]
        wrong = LABELS[(n + 1 + n // 5) % 5]
        judges = [right if n % every else wrong for every in (3, 4, 5)]
        rows.append((f"t{n}", right, *judges))
    return rows


def test_reading_r101_3_letters_in_upper_case_are_the_same_label(tmp_path: Path) -> None:
    """Of 12 rows 8 agree, however both sides spell it; `unsure` is a third answer, and wrong."""
    spelt = [("pass", "Pass"), ("PASS", "pass"), ("Pass", "FAIL"), ("fail", "Fail")] * 3
    spelt[1] = ("unsure", "pass")
    path = table(tmp_path / "t.csv", "id,verdict,gold", ((n, *row) for n, row in enumerate(spelt)))

    (group,) = document(path)["groups"]

    right = sum(verdict.lower() == gold.lower() for verdict, gold in spelt)
    assert group["figures"]["accuracy"]["value"] == pytest.approx(right / 12)
    golds = Counter(gold.lower() for _, gold in spelt)
    assert {name.lower(): label["n"] for name, label in group["by_label"].items()} == {
        "pass": golds["pass"],
        "fail": golds["fail"],
        "unsure": 0,
    }


def test_reading_r101_3_a_label_of_gold_means_what_the_user_says(tmp_path: Path) -> None:
    rows = [(n, label, label) for n, label in enumerate(LABELS * 4)]
    rows[0] = (0, "billing", "bill")
    path = table(tmp_path / "t.csv", "id,verdict,gold", rows)

    plain, explained = document(path), document(path, "--label", "gold:bill=billing")

    values = [done["groups"][0]["figures"]["accuracy"]["value"] for done in (plain, explained)]
    assert values == [pytest.approx(19 / 20), 1]


@pytest.mark.parametrize(
    ("people", "does"),
    [("humans", "agrees with people"), ("gold", "agrees with the labels")],
)
def test_reading_r101_verdicts_that_cannot_be_read_are_said_among_the_first_sentences(
    people: str, does: str, tmp_path: Path
) -> None:
    """Of 40 labelled answers 4 have no verdict, and 27 of 36 agree: 27 to 31 of 40."""
    rows = [(n, "error" if n < 4 else "pass" if n % 4 else "fail", "pass") for n in range(40)]
    rows += [(40 + n, "fail", "fail") for n in range(20)]
    path = table(tmp_path / "t.csv", f"id,verdict,{people}", rows)
    read = [(verdict, label) for _, verdict, label in rows if verdict != "error"]
    right = sum(verdict == label for verdict, label in read)

    text = epc("audit", path).stdout.decode()

    low, high = (f"{100 * count / len(rows):.0f}%" for count in (right, right + 4))
    said = f"counted as wrong it {does} in {low}, counted as right in {high}."
    assert f"- 4 verdicts cannot be read and are left out: {said}\n" in text
    assert text.index("cannot be read") < text.index("What the columns were taken for")


def test_reading_r101_unreadable_choices_are_a_share_of_all_rows(tmp_path: Path) -> None:
    rows = [(n, "error" if n % 10 == 0 else label, label) for n, label in enumerate(LABELS * 6)]
    path = table(tmp_path / "t.csv", "id,verdict,gold", rows)

    done = document(path)

    figures = done["groups"][0]["figures"]
    assert figures["unreadable"]["value"] == pytest.approx(3 / 30)
    assert "ties" not in figures
    assert done["sentences"][1] == (
        "3 verdicts cannot be read and are left out: counted as wrong it picks the right one in "
        "90%, counted as right in 100%."
    )


def test_reading_r101_4_choices_of_several_judges_stand_beside_each_other(tmp_path: Path) -> None:
    rows = tickets()
    path = table(tmp_path / "t.csv", "id,gold,judge_x,judge_y,judge_z", rows)

    done = document(path)

    pairs = done["pairs"]
    assert [*pairs] == ["judge_x -> judge_y", "judge_x -> judge_z", "judge_y -> judge_z"]
    names = ("id", "gold", "judge_x", "judge_y", "judge_z")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    for key, figures in pairs.items():
        left, right = (columns[name] for name in key.split(" -> "))
        alike = sum(map(str.__eq__, left, right)) / len(rows)
        assert figures["agreement"]["value"] == pytest.approx(alike)
        counts = Counter(left), Counter(right)
        chance = sum(counts[0][label] * counts[1][label] for label in LABELS) / len(rows) ** 2
        assert figures["kappa"]["value"] == pytest.approx((alike - chance) / (1 - chance))
        hits = [sum(map(str.__eq__, side, columns["gold"])) for side in (left, right)]
        assert figures["accuracy_difference"]["value"] == pytest.approx(
            (hits[1] - hits[0]) / len(rows)
        )
    majority = [Counter(row[2:]).most_common(2) for row in rows]
    decided = [top[0][0] if len(top) == 1 or top[0][1] > top[1][1] else "" for top in majority]
    assert done["panel"]["undecided"] == decided.count("")
    assert done["panel"]["accuracy"]["value"] == pytest.approx(
        sum(map(str.__eq__, decided, columns["gold"])) / len(rows)
    )
    assert done["sentences"][0].startswith("The majority of 3 judges is right in ")
    assert done["sentences"][1].startswith("judge_x and judge_y say the same in ")


def test_reading_r101_gold_is_not_called_people(tmp_path: Path) -> None:
    rows = [(n, *"pf fp pp ff"[3 * (n % 4) :][:2]) for n in range(40)]
    path = table(tmp_path / "t.csv", "id,verdict,gold", rows)

    text = epc("audit", path, "--label", "p=pass", "--label", "f=fail").stdout.decode()

    assert "  passes what is labelled pass  0.500 [" in text
    assert "people" not in text.lower()


def test_reading_r101_7_words_that_nobody_knows_are_named_with_the_words_to_choose_from(
    tmp_path: Path,
) -> None:
    rows = [(n, "grr" if n % 3 else "brr", "pass" if n % 2 else "fail") for n in range(30)]
    path = table(tmp_path / "t.csv", "id,verdict,humans", rows)

    done = epc("audit", path)

    text = done.stdout.decode()
    assert done.returncode == 1
    assert "nobody knows 'brr', 'grr' in 'verdict'\n" in text
    fix = "say what each means by --label VALUE=WORD: pass, fail, tie or unreadable of one answer"
    assert f"  fix: {fix}, a, b, tie, first, second or unreadable of two\n" in text
    explained = document(path, "--label", "grr=pass", "--label", "brr=fail")
    assert explained["groups"][0]["counts"]["both_pass"] == sum(
        verdict == "grr" and label == "pass" for _, verdict, label in rows
    )


def test_reading_r101_2_judges_on_scales_of_their_own_are_asked_about(tmp_path: Path) -> None:
    """One judge scores 1 to 5, another 0 to 100: no figure compares them as if both were one."""
    scored = [(n, n % 5 + 1, 100 - 17 * n % 101) for n in range(40)]
    wide = table(tmp_path / "wide.csv", "id,gpt_score,claude_score", scored)
    rows = [
        (n, judge, score)
        for n, *both in scored
        for judge, score in zip(("gpt", "claude"), both, strict=True)
    ]
    long = table(tmp_path / "long.csv", "id,judge,score", rows)

    texts = [epc("audit", path).stdout.decode() for path in (wide, long)]

    assert "do the judges score on one scale (gpt 1 to 5, claude 0 to 100)?\n" in texts[0]
    for column in ("gpt_score", "claude_score"):
        assert f"epc audit {wide} --map a_score={column}\n" in texts[0]
        document(wide, "--map", f"a_score={column}")
    assert "(gpt 1 to 5, claude 0 to 100)? If not, give each judge a file of its own\n" in texts[1]
    for path in (wide, long):
        assert len(document(path, "--scale", "0-100")["groups"]) == 2


def test_reading_r101_2_a_judge_from_0_to_1_beside_people_from_1_to_5_has_its_order_alone(
    tmp_path: Path,
) -> None:
    rows = [(n, n % 11 / 10, (n * 7) % 5 + 1) for n in range(44)]
    path = table(tmp_path / "t.csv", "id,score,human_score", rows)

    (alone,) = document(path)["groups"]
    (mapped,) = document(path, "--scale", "judge=0-1", "--scale", "humans=1-5")["groups"]

    assert "rank_correlation" in alone["figures"]
    assert "within_step" not in alone["figures"]
    gaps = [score - (people - 1) / 4 for _, score, people in rows]
    assert mapped["figures"]["shift"]["value"] == pytest.approx(sum(gaps) / len(gaps))


def test_reading_r101_1_labels_that_say_how_they_were_drawn_are_weighted(tmp_path: Path) -> None:
    """The judge passes 44 of 100; of 25 passed and 25 failed ones people pass 20 and 5.

    By the shares alone the draw could be plain (25 of 50 beside 19 of 50), so an unknown file has
    kappa and base rate. The page's file says that it drew by the verdicts: each passed row stands
    for 44/25 rows, each failed one for 56/25.
    """
    verdicts = ["pass"] * 44 + ["fail"] * 56
    path = table(tmp_path / "t.csv", "item,response,verdict",
                 ((n, f"answer {n}", verdict) for n, verdict in enumerate(verdicts)))  # fmt: skip
    drawn = [*range(25), *range(44, 69)]
    labels = ["pass"] * 20 + ["fail"] * 5 + ["pass"] * 5 + ["fail"] * 20
    plain = table(tmp_path / "plain.csv", "item,gold", zip(drawn, labels, strict=True))
    rows = ((n, label, "unknown") for n, label in zip(drawn, labels, strict=True))
    page = table(tmp_path / "page.csv", "item,gold,drawn_by", rows)

    (unknown,) = document(path, "--gold", str(plain))["groups"]
    (known,) = document(path, "--gold", str(page))["groups"]

    assert not unknown["weighted_to_all_rows"]
    assert "kappa" in unknown["figures"]
    assert known["weighted_to_all_rows"]
    assert {"kappa", "pass_shift", "people_pass_share"}.isdisjoint(known["figures"])
    passed, failed = 44 / 25, 56 / 25
    figures = {name: figure["value"] for name, figure in known["figures"].items()}
    assert figures["tpr"] == pytest.approx(20 * passed / (20 * passed + 5 * failed))
    assert figures["tnr"] == pytest.approx(20 * failed / (20 * failed + 5 * passed))
    assert figures["agreement"] == pytest.approx((20 * passed + 20 * failed) / 100)
    assert figures["corrected_pass_share"] == pytest.approx(0.44 * 20 / 25 + 0.56 * 5 / 25)
