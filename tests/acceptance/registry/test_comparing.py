"""A measurement beside published figures, as `epc compare RUN TAG` and `--reference` print it.

The paper's figures are typed from its tables.
"""

import json
from pathlib import Path

import pytest
from engine_support import epc
from registry_support import ROOT, day

from epc.answers.snapshot_status import snapshot_states
from epc.registry.comparing import (
    comparison_text,
    conclusion,
    not_compared,
    published_operand,
)
from epc.registry.comparison import Comparison
from epc.registry.reading import of_folder

MEASURED = "v1.0-SmolLM2-135M-Likelihood"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("beside") / "run"
    done = epc("snapshot", "fetch", MEASURED, "--from", ROOT, "--out", folder, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return folder


def test_epc_5_1_5_a_run_beside_a_figure_of_the_paper_says_first_what_differs(run: Path) -> None:
    done = epc("compare", run, "v1.0-GPT4o-0806", cwd=ROOT)

    assert done.returncode == 1  # not like for like
    head, differs, same_text, figures, missing, follows = done.stdout.split("\n\n")
    assert head == f"{run} beside v1.0-GPT4o-0806: not like for like"
    for fact in ("evaluator", "executor", "variant", "N", "measured", "state"):
        assert f"\n  {fact} " in differs
    assert "through api2d, a third party's gateway" in differs
    assert same_text == "The same in both: rounds, tasks"
    assert "1.176 (no interval)" in figures
    assert "1.170 (0.73 to 1.61), a coin flip's" in figures
    assert "substantial, within noise " in figures
    assert "substantial, within coin-flip range" in figures
    assert "gamma/visual_to_text: not printed for v1.0-GPT4o-0806" in missing
    assert follows.startswith("gamma differs by ")
    assert "evaluator, executor, variant: this is no drift of either" in follows
    assert "all of them lie within noise, so none shows coupling." in follows


@pytest.mark.parametrize("named", ["v1.0-QwenPlus-0626", "snapshots/v1.0-QwenPlus-0626"])
def test_epc_5_1_5_tag_or_folder_in_either_place(run: Path, named: str) -> None:
    document = json.loads(epc("compare", run, named, "--format", "json", cwd=ROOT).stdout)
    back = json.loads(epc("compare", named, run, "--format", "json", cwd=ROOT).stdout)

    assert (document["right"], back["left"]) == ("v1.0-QwenPlus-0626",) * 2
    zero = "zero_coupling_rate/text_to_visual"
    assert document["figures"][zero][1]["mean"] == back["figures"][zero][0]["mean"] == 0.83
    assert "no verdict was counted, so nothing can be compared" in document["sentence"]
    assert document["differs"]["evaluator"] == back["differs"]["evaluator"][::-1]


def test_epc_5_1_5_every_published_snapshot_can_stand_on_either_side() -> None:
    registry = of_folder(ROOT)
    states = snapshot_states(registry, day("2026-11-25"))
    operand = published_operand(registry.snapshots[MEASURED], states[MEASURED])
    for tag, snapshot in registry.snapshots.items():
        other_operand = published_operand(snapshot, states[tag])
        for value in (
            Comparison(left=operand, right=other_operand),
            Comparison(left=other_operand, right=operand),
        ):
            assert comparison_text(value).endswith(conclusion(value))
            has_gamma = "text_to_visual" in snapshot.figures.get("gamma", {})
            assert bool(value.figures) == has_gamma
            assert value.figures or not_compared(value)


def test_epc_5_1_5_the_reference_snapshot_is_one_table_with_all_ten_rows(run: Path) -> None:
    done = epc("compare", run, "--reference", cwd=ROOT)

    table = done.stdout.split("\n\n")[1].splitlines()[2:]
    own_summary = json.loads((run / "manifest.json").read_text())["results"]["summary"]
    gap = 1.176 - own_summary["gamma"]["text_to_visual"]["mean"]
    assert done.returncode == 1
    assert [line.split()[0] for line in table] == [
        *("1.1", "1.2", "1.3", "1.4", "1.5", "2.1", "2.2", "2.3", "2.4", "3")
    ]
    assert f" 1.176 ({gap:+.3f}) " in table[0]
    assert "a failed run" in table[3]
    assert " 0.187  " in table[3]  # a failed run's gamma differs from nothing
    assert "0.148 (" in table[5]
    assert "0.741  0.308  0.269" in table[9]
    assert "ece: needs accuracies, `epc validate RUN --accuracy FILE`" in done.stdout
    assert "Of 10 rows, 2 are failed runs, and 6 are what a coin flip gives." in done.stdout


def test_epc_5_1_5_two_measurements_of_one_thing_are_like_for_like(run: Path) -> None:
    done = epc("compare", run, "v1.2-SmolLM2-135M-Likelihood", cwd=ROOT)

    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        f"{run} beside v1.2-SmolLM2-135M-Likelihood: like for like",
    )
    assert "`epc snapshot fetch v1.2-SmolLM2-135M-Likelihood`, then compare" in done.stdout


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("v1.0-gpt-4", "everything: it is of verdicts that others recorded, and has no gamma"),
        ("v1.0-DigestJudge", "everything: it is of scores that a judge gave, and has no gamma"),
    ],
)
def test_epc_5_1_5_what_cannot_be_compared_says_why(run: Path, tag: str, why: str) -> None:
    done = epc("compare", run, tag, cwd=ROOT)

    assert done.returncode == 1
    assert why in done.stdout
    assert done.stdout.endswith("so nothing follows about coupling.\n")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("v1.0-Nobody",), "name two measurements, or one and --reference"),
        (("v1.0-Nobody", "--reference"), "there is no snapshot v1.0-Nobody"),
        (("nowhere", "--reference"), "Path 'nowhere' does not exist"),
        (("v1.0-GPT4o-0806", "v1.1-GPT4o-0806", "--html", "x"), "MORE and --html are of runs"),
    ],
)
def test_what_cannot_be_read_is_refused(words: tuple[str, ...], problem: str) -> None:
    done = epc("compare", *words, cwd=ROOT)

    assert done.returncode == 2
    assert problem in done.stderr


def test_epc_3_1_the_reference_snapshot_is_shown_as_the_paper_prints_it() -> None:
    done = epc("snapshot", "show", "--reference", "--as-of", "2026-11-25", cwd=ROOT)

    assert done.returncode == 0
    one, two, three = (
        [line.split("  ") for line in part.splitlines()[2:]]
        for part in done.stdout.split("\n\n")
        if part.startswith("Table ")
    )
    cells = [[cell.strip() for cell in row if cell] for row in [*one, *two, *three]]
    assert [row[:5] for row in cells[:5]] == [
        ["GPT-4o", "2024-08-06 (api2d)", "8", "1.176", "0.00"],
        ["GPT-4o-mini", "2024-07-18 (DMXAPI)", "10", "1.145", "0.00"],
        ["Qwen3.7-plus", "May-2026 (Alibaba)", "8", "1.059", "0.00"],
        ["qwen-plus", "Jun-2026 (DashScope)", "30", "0.187", "0.83"],
        ["DeepSeek-chat", "self-eval (May-2026)", "30", "0.033", "0.97"],
    ]
    assert [row[:4] for row in cells[5:9]] == [
        ["GPT-4o (DMXAPI) + DeepSeek exec, 500-token cap", "5", "0.795", "0.148, 0.211"],
        ["GPT-4o (DMXAPI) + Qwen exec", "5", "0.724", "0.154, 0.189"],
        ["Qwen (MaaS) + DeepSeek exec", "5", "0.987", "0.208, 0.225"],
        ["DeepSeek (official) + Qwen exec", "5", "0.893", "0.189, 0.186"],
    ]
    calibrated = ["0.741 (0.195)", "0.931 (0.056)", "0.308 (0.174)", "0.269 (0.194)"]
    assert cells[9][:5] == ["Self-evaluation, N = 10, R = 16", *calibrated]
    assert [row[-1] for row in cells[:5]] == [
        # Measured until 27 June 2026 (Qwen3.7-plus until 31 May), and good for 180 days.
        *["expiring: will be too old on 2026-12-24"] * 2,
        "expiring: will be too old on 2026-11-27",
        "expiring: will be too old on 2026-12-24",
        "expired since 2026-07-24 (retired)",
    ]
    assert [row[5] for row in cells[3:5]] == ["a failed run"] * 2
    assert "GPT-4o was asked through the gateways api2d and DMXAPI, never at OpenAI" in done.stdout
    assert "  1.1: 1.176 is what a coin flip gives.\n" in done.stdout


def test_the_reference_snapshot_as_json_has_each_row_with_its_faults() -> None:
    rows = json.loads(epc("snapshot", "show", "--reference", "--format", "json", cwd=ROOT).stdout)

    assert len(rows) == 10
    assert rows[0]["figures"]["gamma"]["text_to_visual"]["mean"] == 1.176
    assert rows[0]["known_faults"][1]["id"] == "coin-flip-value"
    assert epc("snapshot", "show", cwd=ROOT).returncode == 2
