"""`epc audit F --label-page`: labels in ten minutes, from disk, blind, by keyboard (R101)."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from attack_support import attack
from browser_support import DESKTOP, Visit, chromium, visit
from playwright.sync_api import Browser, Page
from records_support import epc

HOSTILE: Final = (
    "</script><img src=x onerror=\"window.canary=1\"><svg onload='window.canary=1'>"
    "{{ 7*7 }} \u202egnp \u2028 <!-- `code` &amp;"
)
PASSED, FAILED = 60, 140
PHONE = 390
Z: Final = 1.959963984540054


def verdict_of(number: int) -> str:
    return "pass" if number % 10 < 3 else "fail"


def written(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with 200 verdicts, 60 of them pass, and the page of labels."""
    home = tmp_path_factory.mktemp("labels")
    head = ["item", "question", "response", "judge_verdict"]
    rows = [
        [f'"{n}", of <b>', f"Question {n}: {HOSTILE}", f"Answer {n} {HOSTILE}" + " long" * 60]
        for n in range(PASSED + FAILED)
    ]
    table = [head] + [[*row, verdict_of(n)] for n, row in enumerate(rows)]
    done = epc("audit", written(home / "votes.csv", table), "--label-page", home / "labels.html")
    assert done.returncode == 0, done.stderr
    assert done.stderr.decode().endswith(f"report   {home / 'labels.html'}\n")
    return home


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Browser]:
    """Return a browser that starts after the program has run in this process."""
    assert folder
    with chromium() as started:
        yield started


@pytest.fixture
def window(browser: Browser, folder: Path) -> Iterator[Visit]:
    """Return a fresh window on the folder itself. Nothing may leave it or complain in it."""
    with visit(browser, folder.as_uri() + "/", accept_downloads=True) as opened:
        yield opened
        opened.assert_quiet()


def numbers(page: Page) -> list[int]:
    """Return the number of each answer in the page's order."""
    names = page.locator("article").evaluate_all("rows => rows.map((row) => row.dataset.item)")
    return [int(name.split('"')[1]) for name in names]


def shown(page: Page) -> str:
    return page.locator("#place").inner_text()


def points(page: Page) -> int:
    match = re.match(r"Interval at most about (\d+) points", page.locator("#width").inner_text())
    assert match
    return int(match[1])


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return Wilson's ends: the roots of (p - x)^2 n = z^2 x (1 - x)."""
    p = hits / n
    a, b, c = n + Z * Z, -(2 * n * p + Z * Z), n * p * p
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def width(passed: tuple[int, int], failed: tuple[int, int]) -> float:
    """Return the width of the corrected pass share by AUDIT.md 6, of 60 passed among 200."""
    q, (q_low, q_high) = PASSED / 200, wilson(PASSED, 200)
    a, b = passed[0] / passed[1], failed[0] / failed[1]
    (a_low, a_high), (b_low, b_high) = wilson(*passed), wilson(*failed)
    below, above = (q - q_low, q_high - q) if a >= b else (q_high - q, q - q_low)
    value = q * a + (1 - q) * b
    low = math.hypot(q * (a - a_low), (1 - q) * (b - b_low), (a - b) * below)
    high = math.hypot(q * (a_high - a), (1 - q) * (b_high - b), (a - b) * above)
    return min(1, value + high) - max(0, value - low)


def test_half_of_the_rows_are_drawn_of_what_the_judge_passed_and_no_verdict_is_in_the_page(
    window: Visit, folder: Path
) -> None:
    page = window.to("labels.html")
    drawn = numbers(page)
    source = (folder / "labels.html").read_text("utf-8")

    assert len({*drawn}) == 50
    assert Counter(map(verdict_of, drawn)) == {"pass": 25, "fail": 25}
    assert "25 of the 60 answers that the judge passed, and 25 of the 140" in source
    assert "judge_verdict" not in source
    # Articles are alike but for item and texts, and no run of one verdict gives the order away.
    article = r'<article data-item="[^"]*"><section>.*?</section><section>.*?</section></article>'
    assert len(re.findall(article, source, re.DOTALL)) == source.count("<article") == 50
    firsts = Counter(map(verdict_of, drawn[:25]))
    assert 5 < firsts["pass"] < 20


def test_the_same_file_gives_the_same_page(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "labels.html"

    assert epc("audit", folder / "votes.csv", "--label-page", again).returncode == 0

    assert again.read_bytes() == (folder / "labels.html").read_bytes()


def test_keys_label_and_move_and_a_reload_keeps_the_labels(window: Visit) -> None:
    page = window.to("labels.html")
    assert (shown(page), points(page)) == ("Row 1 of 50", 100)

    for key in ("p", "f", "U", "ArrowLeft"):
        page.keyboard.press(key)

    assert shown(page) == "Row 3 of 50"
    assert page.locator("[aria-pressed=true]").inner_text().split() == ["Unsure", "U"]
    assert page.locator("#done").inner_text() == "3"
    for key in ("ArrowRight", "ArrowRight", "Control+p"):
        page.keyboard.press(key)
    assert shown(page) == "Row 5 of 50"
    assert page.locator("#done").inner_text() == "3"

    page.reload()

    assert (shown(page), page.locator("#done").inner_text()) == ("Row 4 of 50", "3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("F")  # the label of row 3 is another one now
    page.get_by_role("button", name="Pass").click()
    assert page.locator("#done").inner_text() == "4"


def test_saved_labels_give_the_corrected_pass_share_and_the_width_was_promised(
    window: Visit, folder: Path, tmp_path: Path
) -> None:
    """The person passes 20 of the 25 that the judge passed, and 5 of the 25 that it failed."""
    page = window.to("labels.html")
    met: Counter[str] = Counter()
    for number in numbers(page):
        verdict = verdict_of(number)
        page.keyboard.press("p" if met[verdict] < {"pass": 20, "fail": 5}[verdict] else "f")
        met[verdict] += 1
    with page.expect_download() as download:
        page.get_by_role("button", name="Save labels.csv").click()
    assert download.value.suggested_filename == "labels.csv"
    labels = tmp_path / "labels.csv"
    download.value.save_as(labels)

    command = page.locator("code").first.inner_text()
    done = epc("audit", folder / "votes.csv", "--gold", labels, "--format", "json")

    assert command == "epc audit votes.csv --gold labels.csv"
    assert done.returncode == 0, done.stderr
    figure = json.loads(done.stdout)["groups"][0]["figures"]["corrected_pass_share"]
    assert figure["value"] == pytest.approx(0.3 * 20 / 25 + 0.7 * 5 / 25)
    low, high = figure["ci95"]
    assert high - low == pytest.approx(width((20, 25), (5, 25)), abs=1e-6)
    most = max(width((k, 25), (25 - k, 25)) for k in range(26))
    assert points(page) == math.ceil(100 * most) >= 100 * (high - low)
    text = epc("audit", folder / "votes.csv", "--gold", labels).stdout.decode()
    assert "by the 50 labels 38% would be labelled pass [" in text
    ever = (width((k, 25), (n - k, 25)) for n in range(51) for k in range(26) if 0 <= n - k <= 25)
    assert page.locator("#width").inner_text().endswith(f"50 labels {math.ceil(100 * max(ever))}")


def test_unsure_rows_are_left_out_of_the_file(window: Visit, tmp_path: Path) -> None:
    page = window.to("labels.html")
    for key in "puf":
        page.keyboard.press(key)
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(tmp_path / "labels.csv")

    first, _, third, *_ = numbers(page)
    with (tmp_path / "labels.csv").open(newline="") as file:
        names = [(row["item"], row["gold"], row["drawn_by"]) for row in csv.DictReader(file)]
    expected = [(f'"{first}", of <b>', "pass"), (f'"{third}", of <b>', "fail")]
    assert names == [(*label, "unknown") for label in expected]
    assert page.locator("#kept").inner_text() == "Saved 2 labels; 1 unsure left out."


@attack("rendering")
def test_texts_of_a_file_stay_texts(window: Visit, folder: Path) -> None:
    page = window.to("labels.html")
    number = numbers(page)[0]

    assert page.evaluate("window.canary") is None
    assert page.locator("img, svg, b:not(#done)").count() == 0
    assert page.locator("script").count() == 1
    question = page.locator("article:visible .text").first.inner_text()
    assert question.startswith(f"Question {number}: </script><img src=x onerror=")
    assert r"{{ 7*7 }} \u{202e}gnp" in question
    assert "\u202e" not in (folder / "labels.html").read_text("utf-8")
    assert page.locator("article:visible .text").last.inner_text().endswith(" long")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_page_is_accessible_and_fits_a_phone(
    browser: Browser, folder: Path, size: int, scheme: str
) -> None:
    with visit(browser, folder.as_uri() + "/", width=size, color_scheme=scheme) as opened:
        page = opened.to("labels.html")
        page.keyboard.press("p")
        page.keyboard.press("ArrowLeft")
        opened.unfold()

        assert opened.barriers() == []
        assert opened.wider_than_the_window() == []


def test_without_a_script_the_answers_can_be_read(browser: Browser, folder: Path) -> None:
    with visit(browser, folder.as_uri() + "/", java_script_enabled=False) as opened:
        page = opened.to("labels.html")

        assert page.locator("article:visible").count() == 50
        assert page.get_by_text("This page needs a script to keep labels.").is_visible()
        assert not page.locator("#tools").is_visible()


@pytest.mark.parametrize(
    ("head", "row", "options", "says"),
    [
        ("item,judge_verdict", "{0},{1}", [], "votes.csv holds no texts of the answers\n  fix: "),
        (
            "item,response,gpt_verdict,claude_verdict",
            "{0},answer {0},{1},{1}",
            [],
            "votes.csv holds verdicts of 2 judges: gpt, claude\n  fix: name one of them: --setting",
        ),
        ("item,response,score", "{0},answer {0},{0}", [], "no verdicts pass and fail on single"),
        (
            "item,response,gpt_verdict,claude_verdict",
            "{0},answer {0},{1},error",
            ["--setting", "claude", "--map", "verdict=gpt_verdict, claude_verdict"],
            "no verdict is pass or fail\n  fix: name another --setting",
        ),
    ],
)
def test_a_file_that_nobody_can_label_is_refused_with_what_it_takes(
    tmp_path: Path, head: str, row: str, options: list[str], says: str
) -> None:
    table, page = tmp_path / "votes.csv", tmp_path / "labels.html"
    rows = [row.format(n, ("pass", "fail")[n % 2]) for n in range(1, 5)]
    table.write_text("\n".join([head, *rows]) + "\n", "utf-8")

    done = epc("audit", table, *options, "--label-page", page)

    assert (done.returncode, done.stdout) == (2, b"")
    assert "--label-page: " in done.stderr.decode()
    assert says in done.stderr.decode()
    assert not page.exists()


def test_labels_of_one_of_several_judges_name_its_setting_and_come_back(
    browser: Browser, tmp_path: Path
) -> None:
    """The named judge passes 2 of 8 answers, so the other 6 fill the draw; texts stand by line."""
    rows = [f"{n},a {n},fail,{('fail', 'pass')[n < 2]}" for n in range(8)]
    table = tmp_path / "votes.jsonl"
    keys = ("id", "response", "gpt_verdict", "claude_verdict")
    objects = [dict(zip(keys, row.split(","), strict=True)) for row in rows]
    table.write_text("".join(json.dumps(row) + "\n" for row in objects), "utf-8")
    options = ("--setting", "claude")
    done = epc("audit", table, *options, "--label-page", tmp_path / "labels.html")
    assert done.returncode == 0, done.stderr

    with visit(browser, tmp_path.as_uri() + "/", accept_downloads=True) as opened:
        page = opened.to("labels.html")
        named = page.locator("article").evaluate_all(
            "rows => rows.map((r) => [r.dataset.item, r.querySelector('.text').textContent])"
        )
        for item, text in named:
            assert item.split("/")[0] == text.removeprefix("a ")
            page.keyboard.press("p" if item[0] == "0" else "f")
        with page.expect_download() as download:
            page.locator("#save").click()
        download.value.save_as(tmp_path / "labels.csv")
        command = page.locator("code").first.inner_text()

    assert sorted(item[0] for item, _ in named) == [*"01234567"]
    assert command == "epc audit votes.jsonl --setting claude --gold labels.csv"
    audited = epc("audit", table, *options, "--gold", tmp_path / "labels.csv", "--format", "json")
    (group,) = json.loads(audited.stdout)["groups"]
    counts = {"both_pass": 1, "judge_only": 1, "people_only": 0, "both_fail": 6}
    assert group["counts"] == counts


def test_where_rows_stand_in_groups_the_page_says_that_the_interval_can_be_wider(
    folder: Path, tmp_path: Path
) -> None:
    table = tmp_path / "votes.csv"
    rows = [f"{n},answer {n},{verdict_of(n)},{n // 4}" for n in range(40)]
    table.write_text("\n".join(["item,response,judge_verdict,group", *rows]) + "\n", "utf-8")

    assert epc("audit", table, "--label-page", tmp_path / "labels.html").returncode == 0

    sentence = "The rows of this file stand in groups. The interval by groups can be wider."
    assert sentence in (tmp_path / "labels.html").read_text("utf-8")
    assert sentence not in (folder / "labels.html").read_text("utf-8")


def test_a_file_without_labels_is_told_of_the_page_if_it_has_the_texts(tmp_path: Path) -> None:
    table = tmp_path / "votes.csv"
    advice = "or label 50 answers: `epc audit FILE --label-page labels.html`"
    for column, is_told in (("response", True), ("other", False)):
        rows = [f"{n},answer {n},{verdict_of(n)}" for n in range(40)]
        table.write_text("\n".join([f"item,{column},judge_verdict", *rows]) + "\n", "utf-8")

        assert (advice in epc("audit", table).stdout.decode()) is is_told
