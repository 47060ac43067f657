"""`epc observe selection`, as a user types it (Reading R94)."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from records_support import epc

import epc as epc_package
from epc.records.typed import as_json

LISTS = Path(__file__).parent / "lists"
pytestmark = pytest.mark.extra


@pytest.fixture(scope="module")
def composo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("selection") / "composo.jsonl"
    done = epc("observe", "import", LISTS / "composo", "--shape", "composo", "--out", out)
    assert done.returncode == 0, done.stdout
    return out


def selected(file: Path, *options: str) -> dict[str, Any]:
    done = epc("observe", "selection", file, *options, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {each["judge"]: each for each in json.loads(done.stdout)}


def table(verdicts: Path, out: Path) -> Path:
    """Write the scores of a verdict file as a line each, without a line of the program."""
    header, *lines = map(json.loads, verdicts.read_text("utf-8").splitlines())
    asked = Counter[tuple[str, str]]()
    with out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["judge", "item", "group", "domain", "response", "asking", "score", "gold"])
        for line in lines:
            setting = line["setting"]
            if header["settings"][setting].get("note"):
                continue
            asked[setting, line["item"]] += 1
            for n, score in enumerate(line.get("scores") or [None] * 4):
                row = [setting, line["item"], line["question_sha256"], line["subset"], n]
                writer.writerow(
                    [*row, asked[setting, line["item"]], score, int(n == line["right"])]
                )
    return out


def test_reading_r94_a_table_of_scores_gives_what_the_verdict_file_gives(
    composo: Path, tmp_path: Path
) -> None:
    by_lists = selected(composo, "--askings", "4")
    by_lines = selected(table(composo, tmp_path / "bank.csv"), "--askings", "4")

    assert by_lists.keys() == by_lines.keys()
    assert len(by_lists) > 5
    for judge, done in by_lists.items():
        repeated_line = by_lines[judge]
        for name, domain in done["domains"].items():
            for gain, other_gain in zip(
                domain["gains"], repeated_line["domains"][name]["gains"], strict=True
            ):
                for figure, value in gain["figures"].items():
                    assert other_gain["figures"][figure]["value"] == pytest.approx(value["value"])


def test_reading_r94_no_honest_share_is_stated_and_both_bounds_of_taste_are(composo: Path) -> None:
    done = selected(composo, "--setting", "gpt-5.4-nano/base")["gpt-5.4-nano/base"]

    last = done["domains"]["all"]["gains"][-1]["figures"]
    assert {"luck", "luck_share", "taste_least", "taste_most", "gold"} <= last.keys()
    assert not any("honest" in name for name in last)
    text = epc("observe", "selection", composo, "--setting", "gpt-5.4-nano/base").stdout.decode()
    assert "Of what its score gains by best of 4" in text
    assert "is luck" in text
    assert "points are taste" in text
    assert "hacking threshold" in text


def test_reading_r94_picking_by_the_lower_bound_shows_what_it_gains_by_gold(composo: Path) -> None:
    options = ("--setting", "gpt-5.4/base", "--askings", "4")
    mean = selected(composo, *options)["gpt-5.4/base"]["domains"]["all"]["gains"][-1]["figures"]
    lower = selected(composo, *options, "--pick", "lower")["gpt-5.4/base"]["domains"]["all"]
    figures = lower["gains"][-1]["figures"]

    gained = figures["gold"]["value"] - mean["gold"]["value"]
    assert figures["gold_gain_lower"]["value"] == pytest.approx(gained)


def test_reading_r94_another_asking_of_a_judge_that_repeats_itself_is_another_arrangement(
    tmp_path: Path,
) -> None:
    """THEMIS asked each of its critics the same list in several arrangements, some twice."""
    out = tmp_path / "themis.jsonl"
    epc("observe", "import", LISTS / "themis", "--shape", "themis", "--out", out)

    done = selected(out)

    critic = done["Skywork/Skywork-Critic-Llama-3.1-8B/polarity_original"]
    assert critic["arranged"]
    assert critic["askings"] == 6  # of 12 askings, the first in each arrangement
    # A score that was asked for once has no luck that anybody can see.
    alone = done["Skywork/Skywork-Reward-V2-Qwen3-8B/score"]["domains"]["all"]["gains"][-1]
    assert not {"fresh", "luck", "taste_most"} & alone["figures"].keys()
    assert "gold" in alone["figures"]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["item,response,judge", "1,a,j"], "has no column 'score'"),
        (["item,response,judge,score", "1,a,j,high"], "/score"),
        (["item,response,judge,score"], "holds no score"),
        (
            ["item,response,judge,score,asking", "1,a,j,2,1", "1,a,j,3,1"],
            "the same judge's same asking about the same response a second time",
        ),
    ],
)
def test_reading_r94_a_bank_that_cannot_be_read_is_named_by_its_line(
    tmp_path: Path, lines: list[str], problem: str
) -> None:
    bank = tmp_path / "bank.csv"
    bank.write_text("\n".join(lines) + "\n")

    done = epc("observe", "selection", bank)

    assert done.returncode != 0
    assert problem in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_reading_r94_graded_labels_bear_luck_and_gold_but_no_taste(tmp_path: Path) -> None:
    bank = tmp_path / "bank.csv"
    rows = [
        f"{item},{answer},j,{asking},{(item * answer + asking) % 5},{answer / 4}"
        for item in range(30)
        for answer in range(3)
        for asking in range(2)
    ]
    bank.write_text("item,response,judge,asking,score,gold\n" + "\n".join(rows) + "\n")

    figures = selected(bank)["j"]["domains"]["all"]["gains"][-1]["figures"]

    assert {"luck", "gold"} <= figures.keys()
    assert not {"taste_least", "taste_most"} & figures.keys()


def test_reading_r94_a_judge_that_was_not_asked_so_often_is_misuse(composo: Path) -> None:
    done = epc("observe", "selection", composo, "--askings", "9")

    assert done.returncode == 2
    assert b"was asked 8 times, not 9" in done.stderr


def picks_bank(path: Path) -> Path:
    """Write 40 items a domain: `good` picks the right answer in 30, `bad` in 10; `vain` judges.

    `vain` scores what `bad` picks highest, and what `good` picks lowest.
    """
    lines = ["item,domain,response,judge,score,gold"]
    for domain in ("math", "law"):
        for item in range(40):
            good, bad = (0 if item < 30 else 1), (0 if item >= 30 else 2)
            for answer in range(3):
                scores = {
                    "good": int(answer == good),
                    "bad": int(answer == bad),
                    "vain": 2 * (answer == bad) - (answer == good),
                }
                lines += [
                    f"{domain}{item},{domain},{answer},{judge},{score},{int(answer == 0)}"
                    for judge, score in scores.items()
                ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_reading_r91_judges_picks_are_strategies_that_another_judge_trains(tmp_path: Path) -> None:
    bank = picks_bank(tmp_path / "bank.csv")

    done = epc("observe", "transfer", bank, "--judge", "vain", "--format", "json")

    (vain,) = json.loads(done.stdout)
    assert (vain["pickers"], vain["items"]) == (["good", "bad"], 80)
    for domain in ("law", "math"):
        work = vain["quality"]["domains"][domain]
        assert work["start"]["value"] == pytest.approx((30 + 10) / 80)
        assert work["word"] == "harms"
        assert work["proxy_gain"]["value"] > 0
    text = epc("observe", "transfer", bank, "--judge", "vain").stdout.decode()
    assert "harms in law" in text


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--judge", "none"), "there is no judge 'none': there are good, bad, vain"),
        (("--domains", "math,art"), "no common item is of the domain 'art'"),
        (("--domains", "math"), "transfer takes two domains"),
        (("--setting", "*a*"), "an agent takes at least two judges' picks"),
    ],
)
def test_reading_r91_a_bank_that_bears_no_transfer_is_misuse(
    tmp_path: Path, options: tuple[str, ...], problem: str
) -> None:
    done = epc("observe", "transfer", picks_bank(tmp_path / "bank.csv"), *options)

    assert done.returncode == 2
    assert problem in done.stderr.decode()


def test_reading_r94_python_says_what_the_command_says(tmp_path: Path) -> None:
    bank = picks_bank(tmp_path / "bank.csv")

    assert {selection.judge for selection in epc_package.selection(bank)} == {"good", "bad", "vain"}
    (vain,) = epc_package.transfer(bank, judge="vain")
    done = epc("observe", "transfer", bank, "--judge", "vain", "--format", "json")
    assert as_json(vain) == json.loads(done.stdout)[0]
