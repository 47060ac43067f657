"""`epc audit` as a user runs it: measure, audit, read the word and the exit code."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from records_support import epc
from registry_support import ROOT

FAVOURITES = {"default": 0.1, "text": {"synthesis": 0.95}, "visual": {"creative_leap": 0.95}}
ALIKE = {"default": 0.1, "text": {"synthesis": 0.95}, "visual": {"synthesis": 0.95}}


def measure(run: Path, evaluator: str, seeds: str = "0-29") -> Path:
    done = epc(
        *("run", "--evaluator", evaluator, "--executor", "mock/deterministic"),
        *("--seeds", seeds, "--out", run),
    )
    assert done.returncode == 0, done.stderr.decode()
    return run


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what measures a mock when a test first asks; no test changes these runs."""
    home = tmp_path_factory.mktemp("once")

    def run(evaluator: str) -> Path:
        folder = home / evaluator.replace("/", "-")
        return folder if folder.exists() else measure(folder, evaluator)

    return run


def copied_run(run: Path, tmp_path: Path) -> Path:
    """Return a copy that a test may change."""
    return Path(shutil.copytree(run, tmp_path / "run"))


def audited(path: Path) -> tuple[int, Any]:
    done = epc("audit", path, "--format", "json")
    return done.returncode, json.loads(done.stdout)


def scripted(folder: Path, script: object) -> str:
    file = folder / "script.json"
    file.write_text(json.dumps(script), "utf-8")
    return f"mock/scripted:{file}"


def by_r71(said: Any) -> str:
    """Return the word that Reading R71 has for the printed figures of a sound run."""
    into = said["transfer"].values()
    if said["p_value"] <= 0.05 and max(each["regret"] for each in into) >= 0.02:
        return "coupled"
    within = all(each["regret_ci95"][1] < 0.02 for each in into)
    return "no_coupling_beyond_margin" if within else "no_detectable_coupling"


def test_reading_r71_a_fresh_run_with_other_favourites_is_coupled(tmp_path: Path) -> None:
    code, report = audited(measure(tmp_path / "run", scripted(tmp_path, FAVOURITES)))

    assert (code, report["verdict"], by_r71(report)) == (0, "coupled", "coupled")
    assert (report["rule"], report["margin"]) == (4, 0.02)
    # Of 12,870 ways to deal 16 tasks out, 1,999 are drawn; but for a chance copy none is as far.
    assert 1 <= round(report["p_value"] * 2000) <= 4
    assert report["unit"] == "task"
    assert report["preferences_differ"]["differ"]
    for direction in ("text_to_visual", "visual_to_text"):
        into = report["transfer"][direction]
        assert into["redirected_ci95"][0] > into["chance"]
        # A favourite wins 95% and any other strategy 10%: a choice led away costs 0.85.
        assert into["regret"] == pytest.approx(0.85 * into["redirected"], abs=0.1)
        low, high = into["these_tasks"]["regret_ci95"]
        assert 0 < low < into["these_tasks"]["regret"] < high


def test_the_contracts_keys_stand_in_the_json_and_the_word_with_its_rule_in_the_text(
    once: Callable[[str], Path],
) -> None:
    run = once("mock/coin-flip")
    _, report = audited(run)
    printed = epc("audit", run).stdout.decode()

    assert {
        *("verdict", "rule", "margin", "p_value", "preferences_differ", "transfer", "excess"),
        *("noise_floor", "position_bias", "tie_rate", "findings"),
    } <= report.keys()
    assert {"differ", "p_value"} <= report["preferences_differ"].keys()
    for into in report["transfer"].values():
        own = {"redirected", "redirected_ci95", "regret", "regret_ci95", "chance"}
        assert own <= into.keys()
    assert printed.startswith(f"{run}: {report['verdict']} (rule 4)\n")
    for domain, into in zip(("visual", "text"), report["transfer"].values(), strict=True):
        assert (
            f"first redirects no more choices in {domain} than chance alone: an estimated "
            f"{100 * into['redirected']:.0f} of 100, chance {100 * into['chance']:.0f}; " in printed
        )


@pytest.mark.parametrize("evaluator", ["mock/coin-flip", "alike"])
def test_reading_r71_a_coin_and_equal_favourites_are_not(
    once: Callable[[str], Path], tmp_path: Path, evaluator: str
) -> None:
    if evaluator == "alike":
        run = measure(tmp_path / "run", scripted(tmp_path, ALIKE))
    else:
        run = once(evaluator)
    code, report = audited(run)

    assert (code, report["verdict"]) == (0, by_r71(report))
    assert report["verdict"] != "coupled"
    for direction in ("text_to_visual", "visual_to_text"):
        low, high = report["excess"][direction]["ci95"]
        assert low < 0 < high


def test_epc_2_5_g_a_screening_too_small_exits_with_findings(tmp_path: Path) -> None:
    run = measure(tmp_path / "run", scripted(tmp_path, FAVOURITES), seeds="0-4")
    done = epc("audit", run)
    printed = done.stdout.decode()

    assert done.returncode == 1
    assert printed.startswith(f"{run}: inconclusive (rule 4)\n")
    assert "5 seeds are too few for any claim" in printed
    assert "fix: measure 30 seeds" in printed


def test_text_and_json_come_from_one_value(once: Callable[[str], Path]) -> None:
    run = once("mock/coin-flip")
    _, report = audited(run)
    printed = epc("audit", run).stdout.decode()

    for direction in ("text_to_visual", "visual_to_text"):
        excess = report["excess"][direction]
        low, high = excess["ci95"]
        assert f"{excess['mean']:+.3f} [{low:+.3f}, {high:+.3f}]" in printed
        assert f"{report['noise_floor'][direction]['mean']:.3f}" in printed


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    path.write_text("")

    done = epc("audit", path)

    assert done.returncode == 1
    assert "verdicts.csv: is empty\n  fix: give a table" in done.stdout.decode()


@pytest.mark.parametrize(
    ("content", "code"), [("{}", 2), ("[1]", 2), ('[{"seed":0,"weights":NaN}]', 2)]
)
def test_what_is_no_record_is_misuse_and_says_what_is_expected(
    tmp_path: Path, content: str, code: int
) -> None:
    file = tmp_path / "weights.json"
    file.write_text(content, "utf-8")
    done = epc("audit", file)

    assert done.returncode == code
    assert b"fix: " in done.stderr
    assert b"Traceback" not in done.stderr


def test_epc_5_3_4_an_evaluator_that_cannot_tell_bad_answers_bears_no_claim(
    once: Callable[[str], Path], tmp_path: Path
) -> None:
    """The deterministic mock judges by a digest: it knows nothing of quality or of places.

    Its verdicts are one draw of those by which the test errs in 5%: p is 0.049. That it is
    incapable says so, and the exit code that no claim can rest on it.
    """
    run = copied_run(once("mock/deterministic"), tmp_path)
    manifest = (run / "manifest.json").read_bytes()
    first = epc("audit", run, "--swap", "16", "--controls", "24")

    assert first.returncode == 1
    assert b"72 calls" not in first.stdout
    assert b"incapable, whatever its gamma" in first.stdout
    assert b"both orders    the same answer in" in first.stdout
    assert (run / "manifest.json").read_bytes() == manifest
    code, report = audited(run)  # what was asked is kept: nothing is asked again
    assert (code, report["verdict"]) == (1, by_r71(report))
    assert report["competence"]["word"] == "incapable"
    assert report["competence"]["overall"]["pairs"] == 24
    assert report["position_bias"]["swap"]["pairs"] == 16


def test_show_and_audit_say_one_word(once: Callable[[str], Path], tmp_path: Path) -> None:
    run = copied_run(once("mock/deterministic"), tmp_path)
    audited = epc("audit", run, "--controls", "24")
    assert audited.returncode == 1
    word = audited.stdout.splitlines()[0].rpartition(b": ")[2]

    assert b"show: " + word in epc("show", run).stdout


def test_a_falsified_record_is_not_compared_as_if_it_were_true(tmp_path: Path) -> None:
    run = measure(tmp_path / "run", "mock/coin-flip", seeds="0-1")
    other_folder = tmp_path / "other"
    shutil.copytree(run, other_folder)
    manifest = json.loads((other_folder / "manifest.json").read_text("utf-8"))
    manifest["results"]["per_seed"][0]["gamma"]["text_to_visual"] += 0.5
    (other_folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")

    done = epc("compare", run, other_folder)

    assert done.returncode == 1
    assert b"is not true to itself" in done.stdout


@pytest.mark.parametrize(
    "names",
    [("mock/deterministic", "mock/coin-flip"), ("mock/judge", "mock/deterministic")],
)
def test_a_mock_that_cannot_do_what_it_is_named_for_leaves_no_folder(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    evaluator, executor = names
    run = tmp_path / "run"
    done = epc("run", "--evaluator", evaluator, "--executor", executor, "--out", run)

    assert done.returncode == 2
    assert not run.exists()


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "words", [("plan", "--width"), ("plan", "--power"), ("run", "--evaluator", "x", "--max-time")]
)
def test_a_number_that_is_none_is_misuse(words: tuple[str, ...], number: str) -> None:
    done = epc(*words, number)

    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--html", "--label-page"])
def test_a_page_whose_extra_is_missing_is_refused_before_anything_is_printed(
    option: str, tmp_path: Path
) -> None:
    """An environment in which nothing draws pages: no import of jinja2 finds it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'jinja2':\n"
        "            raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    table = tmp_path / "votes.csv"
    table.write_text("item,answer,verdict,gold\n" + "q,x,pass,pass\n" * 4)
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = (sys.executable, "-m", "epc", "audit", table, option, tmp_path / "page.html")
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert "this needs the extra `charts`; not installed: jinja2" in done.stderr
    assert not (tmp_path / "page.html").exists()
