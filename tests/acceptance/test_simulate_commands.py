"""`epc simulate`, `epc plan` and the study of learning rules as a user runs them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from audit_support import fewer_wheels
from click.testing import CliRunner
from engine_support import PATIENCE_S, wait_until
from program_support import PROGRAM
from records_support import Run, epc, make_run
from studies.learning_rules import rules
from studies.learning_rules.command import command as study
from studies.learning_rules.rules import RATES, Point

from epc.audit import power

CARRIES = "carries a favourite"
PAIR = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
JUDGE = ("plan", "--judge", "gpt-5.4-mini", "--accuracy", "0.8")


def json_of(*arguments: str | Path) -> Any:
    done = epc(*arguments, "--format", "json")
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_epc_2_8_a_coin_flip_is_simulated() -> None:
    document = json_of("simulate", "coin-flip")

    # On record: gamma 1.17, 90% of seeds in 0.73 to 1.62, JSD 0.27, PCI 0.975.
    gamma = document["figures"]["gamma_text_to_visual"]
    assert gamma["mean"] == pytest.approx(1.17, abs=0.012)
    assert (gamma["q05"], gamma["q95"]) == pytest.approx((0.73, 1.62), abs=0.02)
    assert document["figures"]["jsd_visual_to_text"]["mean"] == pytest.approx(0.27, abs=0.005)
    assert document["figures"]["pci_visual"]["mean"] == pytest.approx(0.975, abs=0.02)
    assert abs(document["excess"]["text_to_visual"]["mean"]) < 0.02
    assert document["zero_coupling_rate"]["text_to_visual"]["rate"] == 0


def test_reading_r8_the_text_has_the_figures_of_the_json() -> None:
    done = epc("simulate", "coin-flip:tie=1", "--seeds", "50", "--rounds", "4")

    lines = done.stdout.decode().splitlines()
    assert (
        lines[0] == "coin-flip:tie=1, 50 seeds of 4 rounds a phase, 0.08 on a win, 0.04 on a loss"
    )
    assert "zero text -> visual            1.0000" in lines


def test_epc_5_2_a_simulated_gamma_has_its_class_and_its_place_beside_the_noise() -> None:
    alike = json_of("simulate", "coin-flip", "--seeds", "2000")
    apart = epc("simulate", "domain-favourites:high=0.9,low=0.1", "--seeds", "500").stdout.decode()

    # An agent that learns nothing from a blind judge has coupling of 0 on average.
    assert set(alike["epc_5_2"].values()) == {"substantial, within noise"}
    assert "by EPC-5.2 text -> visual      substantial, above noise" in apart.splitlines()


@pytest.mark.own_process
def test_reading_r15_processes_do_not_change_a_digit() -> None:
    arguments = ("simulate", "domain-favourites", "--seeds", "70000", "--rounds", "3")

    cores = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(cores)})
        on_one = json_of(*arguments)
    finally:
        os.sched_setaffinity(0, cores)

    assert json_of(*arguments) == on_one


# A program's peak begins with the memory of the process that starts it: so a small one does.
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


@pytest.mark.own_process
def test_epc_2_8_many_seeds_fit_in_memory() -> None:
    """A million seeds at few rounds hold as many figures as at thirty."""
    sizes = ("--seeds", "1000000", "--rounds", "1", "--strategies", "2")
    words = ["simulate", "coin-flip", *sizes, "--format", "json"]
    command = [sys.executable, "-c", MEASURED, *PROGRAM, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout)["seeds"] == 1_000_000
    assert int(done.stderr.split()[-1]) < 2 * 2**20  # in KiB


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("simulate", "coinflip"), "did you mean 'coin-flip'"),
        (("simulate", "coin-flip", "--seeds", "1"), "1 is not in the range"),
        (("plan", "favourite", "--power", "0.9"), "name an evaluator whose domains differ"),
        (("plan", "coin-flip", "--width", "0.0001"), "ask for a wider one"),
        (("plan", "coin-flip", "--executor", "mock/deterministic"), "name that as well"),
        (("plan", "--domain", "Math"), "--domain is of --judge with --accuracy"),
        (("plan", "--registry", "."), "--registry is of --judge with --accuracy"),
        ((*JUDGE, "--power", "0.9"), "--power is of a measurement of coupling"),
        ((*JUDGE, "--width", "0.2"), "--width is of a measurement of coupling"),
        ((*JUDGE, "coin-flip"), "[EVALUATOR|RUN] is of a measurement of coupling"),
        (("plan", "coin-flip", "--pilot", "v1.0-CoinFlip"), "name an evaluator whose domains"),
        (("simulate", "coin-flip", "--rule", "bayes:step=1"), "step is no rate of the rule bayes"),
        (("simulate", "coin-flip", "--rule", "bayes:high=a"), "high=a is no rate"),
    ],
)
def test_epc_2_8_misuse_says_what_to_do(words: tuple[str, ...], says: str) -> None:
    done = epc(*words)

    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert not done.stdout


def test_epc_2_8_ctrl_c_ends_a_simulation_in_a_word() -> None:
    arguments = [*PROGRAM, "simulate", "coin-flip", "--seeds", "50000000"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # The command, and no earlier line of the program, loads NumPy.
    wait_until(lambda: "numpy" in Path(f"/proc/{process.pid}/maps").read_text())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert b"stopped" in err
    assert b"Traceback" not in err
    assert not out


def test_epc_2_5_g_a_plan_agrees_with_the_record() -> None:
    coin = json_of("plan")

    # On record: about 110 seeds for 0.1, asked afresh 4 phases of 30 rounds, 3 calls each.
    assert 105 <= coin["seeds"] <= 120
    assert coin["needs"]["fresh"]["calls"] == coin["seeds"] * 120 * 3
    assert coin["needs"]["exhaustive"]["calls"] == 2 * 11 * 16
    assert coin["width_at"]["30"] == pytest.approx(0.2, abs=0.01)


def test_reading_r16_seeds_are_free_in_an_exhaustive_run() -> None:
    few, needs = (json_of("plan", "--width", width, *PAIR)["needs"] for width in ("0.2", "0.1"))

    assert few["exhaustive"] == needs["exhaustive"]
    assert few["fresh"]["calls"] < needs["fresh"]["calls"]
    assert needs["memo"]["calls"] <= needs["exhaustive"]["calls"]


def test_reading_r75_a_plan_says_that_tasks_and_not_seeds_tell_more_of_the_domain() -> None:
    printed = epc("plan").stdout.decode()

    assert (
        "further seeds ask nothing, and tell nothing more of the domain; more tasks do" in printed
    )


def test_reading_r16_a_coin_cannot_be_asked_once() -> None:
    arguments = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")

    needs = json_of("plan", *arguments)["needs"]
    assert "cannot be reused" in needs["memo"]["refused"]
    assert needs["fresh"]["refused"] is None
    assert "cannot be reused" in epc("plan", *arguments).stdout.decode()


def test_epc_2_5_g_a_run_plans_by_its_own_spread_and_rounds(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", evaluator="mock/coin-flip", seeds=10, rounds=3)
    document = json_of("plan", run.folder, "--width", "0.3")

    records = run.manifest()["results"]["per_seed"]
    spreads = []
    for direction in ("text_to_visual", "visual_to_text"):
        values = [record["gamma"][direction] for record in records]
        middle = sum(values) / len(values)
        spreads.append((sum((v - middle) ** 2 for v in values) / (len(values) - 1)) ** 0.5)
    assert document["sd"] == pytest.approx(max(spreads))
    # Four phases of three rounds a seed: two answers and a comparison each.
    assert document["needs"]["fresh"]["calls"] == document["seeds"] * 4 * 3 * 3
    no_preference = epc("plan", run.folder, "--power", "0.9")
    assert no_preference.returncode == 2
    assert "name an evaluator, and --pilot" in no_preference.stderr.decode()


def test_epc_2_5_g_few_seeds_have_no_spread_to_plan_by(single: Run) -> None:
    done = epc("plan", single.folder)

    assert done.returncode == 2
    assert "has 1 of the 10 seeds that a spread takes" in done.stderr.decode()


@fewer_wheels()
def test_reading_r75_a_pilot_says_what_a_power_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A coin that is asked afresh repeats nothing, so few tasks do as well as many."""
    few = (power.DESIGNS[0], power.MORE_TASKS, power.MORE_SEEDS)
    monkeypatch.setattr(power, "DESIGNS", few)
    monkeypatch.setattr(power, "SCREENED", 5)
    monkeypatch.setattr(power, "_A_POINT", 5)
    monkeypatch.setattr(power, "_SIZED", 0)
    run = make_run(tmp_path / "run", evaluator="mock/coin-flip", seeds=10, rounds=30)
    arguments = ("plan", "domain-favourites:high=0.95,low=0.1", "--pilot", run.folder)

    monkeypatch.setattr("epc.cli.plan._RUNS", 20)
    monkeypatch.setattr("epc.cli.plan._STRATEGIES", 3)
    actual_power = json_of(*arguments, "--power", "0.8")["power"]

    assert actual_power["answers"]["repeats"] == pytest.approx(0, abs=0.1)
    assert actual_power["answers"]["source"] == f"as measured in {run.folder}"
    best = actual_power["recommended"]
    assert best["power"] >= 0.8
    assert best["runs"] == 20
    assert best in actual_power["designs"]
    cheaper = [d for d in actual_power["designs"] if d["calls"] < best["calls"]]
    assert all(d["power"] < 0.8 or d["runs"] == 20 for d in cheaper)
    # Three strategies on eight tasks in two domains: 48 answers, of which a third the baseline's
    # own, and a comparison of each pair.
    smallest = actual_power["designs"][0]
    assert (smallest["tasks"], smallest["reuse"]) == (8, "exhaustive")
    assert smallest["calls"] == pytest.approx(352 * 3 / 11)
    assert smallest["repeats_of_a_pair"] == 1


@fewer_wheels()
def test_reading_r75_a_snapshot_is_a_pilot_and_its_tag_is_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(power, "DESIGNS", (power.MORE_TASKS, power.MORE_SEEDS))
    monkeypatch.setattr(power, "_SIZED", 1)
    monkeypatch.setattr("epc.cli.plan._RUNS", 20)
    monkeypatch.setattr("epc.cli.plan._STRATEGIES", 3)
    done = epc("plan", "--pilot", "v1.0-SmolLM2-135M-Likelihood")
    text = done.stdout.decode()

    assert done.returncode == 0, done.stderr.decode()
    assert "coupled` of domain-favourites:high=0.7,low=0.4, 3 strategies" in text
    # 20 comparisons were asked again, and none had another verdict.
    assert "100% comes again when the pair is asked again" in text
    assert "(as measured in v1.0-SmolLM2-135M-Likelihood)" in text
    assert "no power was wanted" in text
    assert "tasks help more than seeds" in text


def test_reading_r75_a_snapshot_of_weights_alone_is_no_pilot() -> None:
    done = epc("plan", "--pilot", "v1.0-GPT4o-0806")

    assert done.returncode == 2
    assert "publishes weights without verdicts" in done.stderr.decode()


def test_reading_r75_a_small_run_is_no_pilot(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", seeds=1, rounds=2)
    done = epc("plan", "--pilot", run.folder)

    assert done.returncode == 2
    assert "a pilot takes at least 50" in done.stderr.decode()


def test_epc_2_7_a_learning_rule_is_simulated() -> None:
    """Bayes at high and low 1/2 learns nothing from any verdict: every weight stays 1/K."""
    arguments = ("simulate", "domain-favourites", "--seeds", "50", "--strategies", "4")
    still = json_of(*arguments, "--rule", "bayes:high=0.5000001,low=0.5")
    moved = json_of(*arguments, "--rule", "thompson")
    text = epc(*arguments, "--rule", "bradley-terry:step=0.5").stdout.decode()

    assert still["rule"] == {"name": "bayes", "high": 0.5000001, "low": 0.5}
    assert still["figures"]["gamma_text_to_visual"]["mean"] < 1e-4
    assert moved["figures"]["gamma_text_to_visual"]["mean"] > 0.1
    assert "bradley-terry, step 0.5" in text


def test_the_rules_are_compared_by_recorded_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the simulated judges left out, whose points have tests of their own."""
    rows = ["strategy,domain,task,verdict"]
    for domain, liked in (("text", "a"), ("visual", "b")):
        for task in range(8):
            rows += [f"{s},{domain},{domain} {task},{'A' if s == liked else 'B'}" for s in "ab"]
    file = tmp_path / "opposed.csv"
    file.write_text("\n".join(rows) + "\n")
    row = [Point(kind="grid", judge=CARRIES, number=2)]
    monkeypatch.setattr(rules, "points", lambda _: row)

    arguments = ("--evaluator", f"recorded:{file}", "--out", str(tmp_path / "found"))
    done = CliRunner().invoke(study, [*arguments, "--format", "json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)

    assert [loop["rule"] for loop in document["recorded"]] == [
        "weights",
        "thompson",
        "bradley-terry",
        "bayes",
    ]
    assert all(loop["regret"] > 0 for loop in document["recorded"])
    assert {(cell["alpha_win"], cell["alpha_lose"]) for cell in document["rates"]} == {
        (0.06, lose) for lose in RATES
    }
    written = json.loads((tmp_path / "found" / "learning-rules.json").read_text())
    assert written == document
    assert "<title>Transfer regret of" in (tmp_path / "found" / "learning-rates.svg").read_text()
