"""Reports as HTML files: the same words as the text, no script, inert, and readable anywhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_support import DESKTOP, chromium, served, visit
from engine_support import epc
from judge_support import grid, imported, record_for, reply_row
from playwright.sync_api import Browser

HOSTILE = (
    "<script>alert(1)</script>",
    '\\"><img src=http://evil.example/x onerror=alert(2)>',
    "</style><style>body{display:none}",
    "plain\u202egnp.exe",
)
PHONE = 390
_WRITTEN = """() => { const all = [...document.querySelectorAll("*")];
  return [all.map((e) => e.localName), all.flatMap((e) => e.getAttributeNames())]; }"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str]]:
    """Return each report's file, and what the same command prints."""
    home = tmp_path_factory.mktemp("reports")
    rows = [
        f'"{name.replace(chr(34), chr(34) * 2)}",{domain},"{domain} <b>{task}</b>",{verdict}'
        for place, name in enumerate(HOSTILE)
        for domain in ("text", "visual")
        for task in range(8)
        for verdict in ["A" if (place + task) % 4 == 0 else "B"]
    ]
    table = home / "judged.csv"
    table.write_text("\n".join(["strategy,domain,task,verdict", *rows]) + "\n", "utf-8")
    for run, seeds in (("one", "0-9"), ("two", "10-19")):
        arguments = ("run", "--evaluator", f"recorded:{table}", "--seeds", seeds, "--rounds", "10")
        done = epc(*arguments, "--out", home / run)
        assert done.returncode == 0, done.stderr
    result = epc("show", home / "one", "--html", home / "show.html")
    both_results = epc("compare", home / "one", home / "two", "--html", home / "compare.html")
    assert (result.returncode, both_results.returncode) == (0, 0), both_results.stderr
    judged = epc("judge", "report", *_judged(home), "--html", home / "judge.html")
    assert judged.returncode == 1, judged.stderr  # two judges' answers are the same in both
    assert result.stderr.endswith(f"report   {home / 'show.html'}\n")
    return {
        "show": (home / "show.html", result.stdout),
        "compare": (home / "compare.html", both_results.stdout),
        # The page is the last evaluation's.
        "judge": (home / "judge.html", judged.stdout[judged.stdout.rindex("Judge-v1.0, ") :]),
    }


def _judged(home: Path) -> Iterator[Path]:
    """Yield two evaluations of the same outputs by judges one of whom has a hostile name."""
    rows = grid("1234", "A", ("m/x", "j/1", HOSTILE[0]))
    scores = ((2, 2, 2, 2), (2, 2, 1, 1), (1, 1, 1, 1), (0, 0, 0, 1))
    judges = ("j/1", "j/2", HOSTILE[1])
    for name in ("july", "august"):
        replies = []
        for number, row in enumerate(rows):
            for place, judge in enumerate(judges):
                reply = record_for(row, judge, scores[(number + (place == 2) * (number // 2)) % 4])
                reply["evidence"][0]["reason"] = HOSTILE[3]
                if name == "august" and place == 1:
                    reply = record_for(row, judge, (0, 1, 0, 0))
                if number % 5 == 4 and place == 2:
                    reply["evidence"][0]["quote"] = HOSTILE[2]
                replies.append(reply_row(row, judge, reply))
        imported(home / name, rows, replies, judges=judges)
        yield home / name


@pytest.fixture(scope="module")
def browser(said: dict[str, tuple[Path, str]]) -> Iterator[Browser]:
    """Return a browser that starts after the program has run in this process."""
    assert said
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def home(said: dict[str, tuple[Path, str]]) -> Iterator[str]:
    with served(said["show"][0].parent) as address:
        yield address


def test_a_report_says_what_the_text_says(
    said: dict[str, tuple[Path, str]], browser: Browser, home: str
) -> None:
    for name, (_, text) in said.items():
        with visit(browser, home) as page_visit:
            page = page_visit.to(f"{name}.html")
            told = "".join((page.locator("body").text_content() or "").split()).lower()
        figures = re.findall(
            r"[-+]?\d+\.\d+(?: +\[[^]]+\])?|p value .*|Training in .* win rate", text
        )
        assert len(figures) > 20
        for figure in figures:
            wanted = "".join(figure.removesuffix(".").split()).lower().replace("pvalue", "")
            assert wanted in told, (name, figure)


def test_what_others_wrote_stays_text_and_nothing_is_loaded_or_run(
    said: dict[str, tuple[Path, str]], browser: Browser, home: str
) -> None:
    for name, (file, _) in said.items():
        source = file.read_text("utf-8")
        assert "default-src 'none'; style-src 'sha256-" in source
        assert str(file.parent) not in source
        assert "\u202e" not in source
        with visit(browser, home) as page_visit:
            page = page_visit.to(f"{name}.html")
            page_visit.assert_quiet()
            tags, attributes = page.evaluate(_WRITTEN)
            assert not set(tags) & {"script", "img", "link", "iframe", "object", "a"}
            assert not [
                attribute
                for attribute in attributes
                if re.match("on|src|href|xlink|style", attribute)
            ]
            assert tags.count("style") == 1
            if name != "compare":
                assert page.get_by_text("<script>alert(1)</script>").count()
                assert page.get_by_text(r"plain\u{202e}gnp.exe").count()


@pytest.mark.parametrize(("width", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_a_report_is_accessible_and_fits_a_phone(
    browser: Browser, home: str, width: int, scheme: str
) -> None:
    for name in ("show", "compare", "judge"):
        with visit(browser, home, width=width, color_scheme=scheme) as page_visit:
            page = page_visit.to(f"{name}.html")
            page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
            assert page_visit.barriers() == []
            assert page_visit.wider_than_the_window() == []


def test_paper_is_light_and_shows_what_is_folded(browser: Browser, home: str) -> None:
    with visit(browser, home, color_scheme="dark") as page_visit:
        page = page_visit.to("show.html")
        page.emulate_media(media="print")
        text = "d => [...d].every(e => e.checkVisibility() && e.getBoundingClientRect().height > 0)"
        assert page.locator("details > :not(summary)").evaluate_all(text)
        ground = page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")

    assert ground == "rgb(255, 255, 255)"


def test_a_manifest_without_its_trials_has_no_picture_of_the_weights(
    said: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    alone = tmp_path / "manifest.json"
    alone.write_bytes((said["show"][0].parent / "one/manifest.json").read_bytes())

    done = epc("show", alone, "--html", tmp_path / "alone.html")

    assert done.returncode == 0, done.stderr
    page = (tmp_path / "alone.html").read_text("utf-8")
    assert "How the weights went" not in page
    assert "How the weights went" in said["show"][0].read_text("utf-8")
