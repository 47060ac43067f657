"""`epc design` and `epc run --design` as their user types them."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from audit_support import fewer_wheels
from engine_support import RAW_FILES, epc, read_rows, same_files
from run_support import COIN, MOCKS

from epc.records.designs import packaged
from epc.spec.epc_v1 import DOMAINS

RECORD = (*RAW_FILES, "manifest.json")
FEW = ("--seeds", "0-2")
OWN = """\
schema_version: 2
name: own
rounds: 8
rule: {alpha_win: 0.06, alpha_lose: 0.06}
baseline: plain
strategies:
  - {name: plain, prompt: Answer.}
  - {name: warm, prompt: Answer warmly., domain: text}
  - {name: short, prompt: Answer in one line.}
evaluator_prompt: "{task} A: {response_A[:200]} B: {response_B[:200]} A or B?"
executor_prompt: "Task: {task} Manner: {strategy_prompt}"
domains:
  text:
    - {group: pay, tasks: [Charged twice., Card refused.]}
    - {group: send, tasks: [Parcel lost., Address changed.]}
    - {group: account, tasks: [Code lost., Delete me.]}
    - {group: goods, tasks: [Kettle broken., Lamp fits.]}
  visual:
    - {group: names, tasks: [Review a name., Review a flag.]}
    - {group: errors, tasks: [Review a catch., Review a retry.]}
    - {group: tests, tasks: [Review a sleep., Review a skip.]}
    - {group: shape, tasks: [Review a class., Review a loop.]}
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(OWN)
    return path


def manifest_of(run: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((run / "manifest.json").read_text("utf-8"))
    return manifest


@pytest.mark.parametrize(
    "asked",
    [(*MOCKS, "--exhaustive"), MOCKS, (*COIN, "--control", "measured")],
    ids=["exhaustive", "memo", "fresh"],
)
def test_epc_2_the_reference_as_a_design_is_todays_run_to_the_bit(
    tmp_path: Path, asked: tuple[str, ...]
) -> None:
    written = epc("design", "new", "--from", "reference", tmp_path / "mine.yaml")
    plain = epc("run", *asked, *FEW, "--out", tmp_path / "plain")
    designed = epc(
        "run", "--design", tmp_path / "mine.yaml", *asked, *FEW, "--out", tmp_path / "designed"
    )

    assert (written.returncode, plain.returncode, designed.returncode) == (0, 0, 0)
    same_files(tmp_path / "plain", tmp_path / "designed", RECORD)
    assert plain.stdout == designed.stdout.replace("designed", "plain")


def test_epc_2_4_c_reference_64_is_a_design_by_name_with_its_groups(tmp_path: Path) -> None:
    run = tmp_path / "run"

    done = epc("run", "--design", "reference-64", *MOCKS, *FEW, "--exhaustive", "--out", run)
    validated = epc("validate", run)
    audited = epc("audit", run, "--format", "json")

    assert done.returncode == 0, done.stderr
    manifest = manifest_of(run)
    assert manifest["protocol_version"] == "EPC-v1.0"  # substituted tasks are no variant
    for domain in DOMAINS:
        assert len(manifest["tasks"][domain]) == 64
        assert len(set(manifest["groups"][domain])) == 16
    assert validated.stdout == f"{run}: ok, findings: 0\n"
    assert "16 and 16 groups" in epc("audit", run).stdout
    assert json.loads(audited.stdout)["rule"] == 4


def test_epc_2_8_all_that_a_design_decides_stands_in_the_manifest(
    tmp_path: Path, own: Path
) -> None:
    run = tmp_path / "run"

    done = epc("run", "--design", own, *MOCKS, *FEW, "--exhaustive", "--out", run)

    assert done.returncode == 0, done.stderr
    manifest = manifest_of(run)
    assert manifest["protocol_version"] == (
        "EPC-v1.0-AltBaseline+AltLR+AltPrompt+AltRounds+AltStrategies"
    )
    assert manifest["executor"]["prompt_template"] == "Task: {task} Manner: {strategy_prompt}"
    assert manifest["evaluator_prompt"].startswith("{task} A: {response_A[:200]}")
    stated = {key: manifest["config"][key] for key in ("rounds", "alpha_win", "alpha_lose")}
    assert stated == {"rounds": 8, "alpha_win": 0.06, "alpha_lose": 0.06}
    assert (
        manifest["groups"]["text"] == ["pay"] * 2 + ["send"] * 2 + ["account"] * 2 + ["goods"] * 2
    )
    prompts = {call["prompt"] for call in read_rows(run / "calls.jsonl")}
    assert "Task: Charged twice. Manner: Answer warmly." in prompts


RULES: dict[str, dict[str, float]] = {
    "thompson": {"prior_wins": 2, "prior_losses": 1},
    "bradley-terry": {"step": 0.8},
    "bayes": {"high": 0.7, "low": 0.4},
}


@pytest.mark.parametrize("name", RULES)
@fewer_wheels()
def test_epc_2_7_a_learning_rule_is_run_resumed_replayed_and_audited(
    tmp_path: Path, own: Path, name: str
) -> None:
    """Through every reader, the second implementation among them; a resumed run to the bit."""
    stated = {"name": name, **RULES[name]}
    own.write_text(OWN.replace("{alpha_win: 0.06, alpha_lose: 0.06}", json.dumps(stated)))
    whole_folder, cut = tmp_path / "whole", tmp_path / "cut"
    arguments = ("run", "--design", own, *MOCKS, "--seeds", "0-1")

    assert epc("design", "check", own).returncode == 0
    assert epc(*arguments, "--out", whole_folder).returncode == 0
    stopped = epc(*arguments, "--max-calls", "9", "--out", cut)
    resumed = epc("resume", cut)

    assert (stopped.returncode, resumed.returncode) == (4, 0), resumed.stderr
    same_files(whole_folder, cut, (*RECORD, "run.json"))
    manifest = manifest_of(whole_folder)
    assert "AltRule" in manifest["protocol_version"]
    assert manifest["config"]["rule"] == stated
    assert "alpha_win" not in manifest["config"]
    assert epc("validate", whole_folder).stdout == f"{whole_folder}: ok, findings: 0\n"
    assert epc("validate", whole_folder).returncode == 0
    audited = json.loads(epc("audit", whole_folder, "--format", "json").stdout)
    assert audited["transfer"]["text_to_visual"]["regret"] is not None
    assert epc("show", whole_folder).returncode == 0
    output = epc("design", "show", own).stdout
    assert f"rule              {name}, " in output
    assert f"rule              0.08 on a win, 0.04 on a loss against {name}, " in output


def test_epc_2_7_a_changed_weight_of_another_rule_is_found_by_both_implementations(
    tmp_path: Path, own: Path
) -> None:
    own.write_text(OWN.replace("{alpha_win: 0.06, alpha_lose: 0.06}", "{name: bayes}"))
    run = tmp_path / "run"
    assert epc("run", "--design", own, *MOCKS, "--seeds", "0", "--out", run).returncode == 0
    text = (run / "manifest.json").read_text("utf-8")
    (run / "manifest.json").write_text(
        text.replace('"high":0.65', '"high":0.6').replace('"high": 0.65', '"high": 0.6')
    )

    done = epc("validate", run)

    assert done.returncode == 1
    assert "/weights/" in done.stdout


def test_a_designs_run_is_read_by_every_command(tmp_path: Path, own: Path) -> None:
    run = tmp_path / "run"
    arguments = ("run", "--design", own, *MOCKS, "--recheck", "3", "--controls", "4")

    assert epc(*arguments, "--seeds", "0-1", "--exhaustive", "--out", run).returncode in (0, 1)
    epc("resume", run, "--anyway")

    assert epc("validate", run).stdout == f"{run}: ok, findings: 0\n"
    assert epc("validate", run).returncode == 0
    assert epc("show", run).returncode == 0
    assert epc("audit", run, "--swap", "3", "--controls", "2").returncode in (0, 1)


def test_a_run_needs_its_design_file_no_more_once_it_began(tmp_path: Path, own: Path) -> None:
    arguments = ("run", "--design", own, *MOCKS, *FEW)
    whole_folder, cut = tmp_path / "whole", tmp_path / "cut"
    assert epc(*arguments, "--out", whole_folder).returncode == 0

    stopped = epc(*arguments, "--max-calls", "9", "--out", cut)
    own.unlink()
    resumed = epc("resume", cut)

    assert (stopped.returncode, resumed.returncode) == (4, 0), resumed.stderr
    same_files(whole_folder, cut, (*RECORD, "run.json"))


def test_a_design_in_run_json_that_was_damaged_is_a_finding_of_its_place(
    tmp_path: Path, own: Path
) -> None:
    cut = tmp_path / "cut"
    epc("run", "--design", own, *MOCKS, *FEW, "--max-calls", "9", "--out", cut)
    plan = json.loads((cut / "run.json").read_text("utf-8"))
    plan["design"]["baseline"] = "nobody"
    (cut / "run.json").write_text(json.dumps(plan))

    done = epc("resume", cut)

    assert done.returncode == 2
    assert "/design/baseline: the baseline 'nobody' is not among the strategies" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--design", "own.yaml", *MOCKS, "--rounds", "30"), "the design has 8 rounds"),
        (("--design", "none.yaml", *MOCKS), "there is no design 'none.yaml': name a file, or one"),
        (("--design", "own.yaml", "--evaluator", "recorded:v.csv"), "leave --design out"),
        (
            ("--design", "own.yaml", "--evaluator", "mock/scripted:s.json", *MOCKS[2:]),
            'there is no strategy "synthesis"; expected plain, warm, short',
        ),
    ],
)
def test_what_contradicts_a_design_is_refused(
    tmp_path: Path, own: Path, words: tuple[str, ...], message: str
) -> None:
    (tmp_path / "v.csv").write_text("strategy,domain,task,verdict\ns,text,t,A\ns,visual,v,B\n")
    (tmp_path / "s.json").write_text('{"default": 0, "text": {"synthesis": 1}}')

    done = epc("run", *words, "--out", "run", cwd=own.parent)

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "run").exists()


def test_a_script_may_name_the_designs_own_strategies(tmp_path: Path, own: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('{"default": 0, "text": {"warm": 1}, "visual": {"short": 1}}')
    models = ("--evaluator", f"mock/scripted:{script}", *MOCKS[2:])

    done = epc("run", "--design", own, *models, *FEW, "--out", tmp_path / "run")

    assert done.returncode == 0, done.stderr
    trials = read_rows(tmp_path / "run" / "trials.jsonl")
    won = {(trial["phase"], trial["strategy"]) for trial in trials if trial["verdict"] == "A"}
    assert {pair for pair in won if pair[0] in DOMAINS} == {("text", "warm"), ("visual", "short")}


def test_reading_r13_runs_of_two_designs_are_not_like_for_like(tmp_path: Path, own: Path) -> None:
    epc("run", "--design", own, *MOCKS, *FEW, "--out", tmp_path / "one")
    epc("run", *MOCKS, *FEW, "--out", tmp_path / "two")

    done = epc("compare", tmp_path / "one", tmp_path / "two")

    assert done.returncode == 1
    for place in ("/tasks", "/strategies", "/evaluator_prompt", "/executor/prompt_template"):
        assert place in done.stdout
    assert "/config/baseline" in done.stdout
    assert "{strategy_prompt} {task}: the executor was asked something else" in done.stdout


def test_a_new_design_is_sound_and_stays_where_a_file_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"

    written = epc("design", "new", path)
    checked = epc("design", "check", path)
    repeated_result = epc("design", "new", path)
    printed = epc("design", "new")

    assert (written.returncode, checked.returncode) == (0, 0)
    assert checked.stdout == f"{path}: ok, findings: 0\n"
    assert repeated_result.returncode == 2
    assert "is there already" in repeated_result.stderr
    assert printed.stdout == path.read_text("utf-8")


def test_show_says_the_tag_the_numbers_and_the_calls(own: Path) -> None:
    """8 + 8 tasks and 3 strategies: 48 answers and 48 comparisons; 30 x 4 x 8 rounds of 3 calls."""
    document = json.loads(epc("design", "show", own, "--format", "json").stdout)
    text = epc("design", "show", own).stdout

    assert document["labels"] == ["AltBaseline", "AltLR", "AltPrompt", "AltRounds", "AltStrategies"]
    assert document["calls"]["exhaustive"] == 96
    assert document["calls"]["fresh"] == 2880
    assert document["domains"]["text"] == {"tasks": 8, "groups": 4}
    assert "alpha_win         0.08 against 0.06" in text
    assert "8 tasks in 4 groups" in text.replace(", in", " in")


@fewer_wheels()
def test_reading_r75_show_says_the_power_of_a_designs_own_tasks(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epc.cli.design._RUNS", 20)
    power = ("--format", "json")
    clear = "domain-favourites:high=0.99,low=0.01"
    shown_power = json.loads(epc("design", "show", own, "--power", clear, *power).stdout)["power"]
    assert shown_power["evaluator"] == clear
    assert shown_power["domains"] == ["text", "visual"]
    ways = shown_power["ways"]
    assert {way: each["runs"] for way, each in ways.items()} == {"exhaustive": 20, "fresh": 20}
    low, high = ways["exhaustive"]["power_ci95"]
    assert low <= ways["exhaustive"]["power"] <= high
    output = epc("design", "show", own, "--power").stdout
    assert "coupled` of domain-favourites:high=0.7,low=0.4 (text and visual, 30 seeds" in output
    refused = epc("design", "show", own, "--power", "coin-flip")
    assert refused.returncode == 2
    assert "name an evaluator whose domains differ" in refused.stderr


def test_diff_names_what_differs_and_ends_with_1(own: Path) -> None:
    other = own.with_name("other.yaml")
    shutil.copy(own, other)
    same_result = epc("design", "diff", own, other)
    other.write_text(OWN.replace("rounds: 8", "rounds: 9").replace("Answer warmly.", "Be warm."))
    done = epc("design", "diff", own, other)

    assert (same_result.returncode, same_result.stdout) == (0, "the two ask the same\n")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "rounds            8 against 9",
        "strategies        1 with another text: 'warm'",
    ]


def test_a_large_design_is_checked_within_half_a_second(tmp_path: Path) -> None:
    """Two domains of 256 tasks in 64 groups and 64 strategies: the most that can be submitted."""
    lines = ["schema_version: 2", "name: large", "strategies:"]
    lines += ["  - {name: step_by_step, prompt: Step by step.}"]
    lines += [f"  - {{name: s{n}, prompt: Manner {n}.}}" for n in range(63)]
    lines.append("domains:")
    for domain in DOMAINS:
        lines.append(f"  {domain}:")
        for group in range(64):
            lines += [f"    - group: g{group}", "      tasks:"]
            lines += [f"        - Task {n} of {group} in {domain}." for n in range(4)]
    path = tmp_path / "large.yaml"
    path.write_text("\n".join(lines) + "\n")

    began = time.process_time()
    done = epc("design", "check", path)

    assert time.process_time() - began < 0.5
    assert (done.returncode, done.stdout) == (0, f"{path}: ok, findings: 0\n")


@pytest.mark.nightly("test_epc_5_1_3_one_command_measures_with_an_embedded_model")
@pytest.mark.own_process
def test_the_embedded_models_take_a_design(tmp_path: Path, own: Path) -> None:
    """One round in each phase: at most 8 answers, judged by their likelihoods."""
    run = tmp_path / "run"
    own.write_text(OWN.replace("rounds: 8", "rounds: 1"))
    models = ("--evaluator", "local/smollm2-135m-likelihood", "--executor", "local/smollm2-135m")

    arguments = (*models, "--seeds", "0", "--executor-max-tokens", "8")

    done = epc("run", "--design", own, *arguments, "--out", run)

    assert done.returncode == 0, done.stderr
    assert f"evaluator  {models[1]} (" in done.stdout
    manifest = manifest_of(run)
    # A likelihood scorer is asked no prompt, so another prompt is no AltPrompt of it (R13).
    assert manifest["protocol_version"] == (
        "EPC-v1.0-AltBaseline+AltEvaluator+AltLR+AltRounds+AltStrategies"
    )
    assert epc("validate", run).stdout == f"{run}: ok, findings: 0\n"


def test_the_packaged_reference_is_the_default_of_a_run() -> None:
    from epc.protocol.config import Configuration

    assert packaged("reference").config == Configuration()
