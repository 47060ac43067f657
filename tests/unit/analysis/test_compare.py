"""`epc compare` on real runs: what is like, what differs, what changed."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drift_support import turned, verdict_rows, write_verdicts
from records_support import Run, make_run
from scipy import stats

from epc.analysis.compare import compare
from epc.audit.drift import Noise, nothing
from epc.errors import MalformedError
from epc.records.schemas import findings as schema_findings
from epc.report.comparison import document
from epc.report.document import printed


def recorded(home: Path, name: str, turn: range | tuple[int, ...] = (), **asked: Any) -> Path:
    """Measure a file of verdicts, some of them turned over."""
    table = write_verdicts(home / f"{name}.csv", turned(verdict_rows(), turn))
    options = {"seeds": 3, "rounds": 5, "exhaustive": True, **asked}
    return make_run(home / name, evaluator=f"recorded:{table}", executor=None, **options).folder


def errors(found: Any) -> set[str]:
    return {finding.where for finding in found.findings if finding.severity == "error"}


def warnings(found: Any) -> set[str]:
    return {finding.where for finding in found.findings if finding.severity == "warning"}


# --- like for like


def test_epc_2_8_a_run_is_like_itself(exhaustive: Run) -> None:
    comparison = compare(exhaustive.folder, exhaustive.folder)

    assert (comparison.verdict, comparison.like_for_like, comparison.findings) == ("same", True, [])
    assert comparison.clean


CHANGES: list[tuple[str, Any]] = [
    ("/config/rounds", lambda m: m["config"].update(rounds=6)),
    ("/config/alpha_win", lambda m: m["config"].update(alpha_win=0.1)),
    ("/config/alpha_lose", lambda m: m["config"].update(alpha_lose=0.1)),
    ("/config/weight_floor", lambda m: m["config"].update(weight_floor=0.01)),
    ("/config/baseline", lambda m: m["config"].update(baseline="synthesis")),
    ("/protocol_version", lambda m: m.update(protocol_version="EPC-v1.0-AltLR+AltRounds")),
    ("/tasks", lambda m: m["tasks"]["text"].__setitem__(0, "Another task.")),
    ("/strategies", lambda m: m["strategies"][1].update(prompt="Another prefix.")),
    ("/evaluator_prompt", lambda m: m.update(evaluator_prompt="Which? {response_A}")),
    ("/evaluator/model", lambda m: m["evaluator"].update(model="mock/other")),
    ("/evaluator/decoding", lambda m: m["evaluator"]["decoding"].update(temperature=0.7)),
    ("/executor/model", lambda m: m["executor"].update(model="mock/other")),
    ("/executor/decoding", lambda m: m["executor"]["decoding"].update(max_tokens=9)),
    ("/executor/prompt_template", lambda m: m["executor"].update(prompt_template="{task}")),
]


@pytest.mark.parametrize(("where", "change"), CHANGES, ids=[where for where, _ in CHANGES])
def test_epc_2_8_whatever_a_manifest_states_can_be_unlike(
    exhaustive: Run, made: dict[str, Run], where: str, change: Any
) -> None:
    exhaustive.without_raw()
    exhaustive.edit(change)

    comparison = compare(made["exhaustive"].folder, exhaustive.folder)

    assert errors(comparison) == {where}
    assert not comparison.like_for_like
    assert not comparison.clean
    back = compare(exhaustive.folder, made["exhaustive"].folder)
    assert errors(back) == {where}


DOUBTS: list[tuple[str, Any]] = [
    ("/config/generator", lambda m: m["config"].update(generator="another")),
    ("/config/reuse", lambda m: m["config"].update(reuse="none")),
    ("/config/exhaustive", lambda m: m["config"].update(exhaustive=False)),
    ("/evaluator/version", lambda m: m["evaluator"].update(version="2")),
    ("/evaluator/endpoint", lambda m: m["evaluator"].update(endpoint="elsewhere")),
    ("/evaluator/details", lambda m: m["evaluator"].update(details={"weights": "other"})),
    ("/executor/gateway", lambda m: m["executor"].update(gateway="someone")),
    (
        "/provenance/served_models/evaluator",
        lambda m: m["provenance"]["served_models"]["evaluator"].update({"mock/new": 1}),
    ),
    (
        "/provenance/system_fingerprints/evaluator",
        lambda m: m["provenance"]["system_fingerprints"]["evaluator"].update({"fp_1": 1}),
    ),
]


@pytest.mark.parametrize(("where", "change"), DOUBTS, ids=[where for where, _ in DOUBTS])
def test_epc_2_8_what_is_to_be_known_is_no_error(
    exhaustive: Run, made: dict[str, Run], where: str, change: Any
) -> None:
    exhaustive.without_raw()
    exhaustive.edit(change)

    comparison = compare(made["exhaustive"].folder, exhaustive.folder)

    assert (errors(comparison), warnings(comparison)) == (set(), {where})
    assert comparison.like_for_like


@pytest.mark.parametrize("key", ["tasks", "strategies"])
def test_reading_r73_the_same_in_another_order_is_like_for_like(
    exhaustive: Run, made: dict[str, Run], key: str
) -> None:
    def reorder(manifest: Any) -> None:
        manifest["tasks"]["visual"].reverse()

    def rotate(manifest: Any) -> None:
        manifest["strategies"].append(manifest["strategies"].pop(0))

    exhaustive.without_raw()
    exhaustive.edit(reorder if key == "tasks" else rotate)

    comparison = compare(made["exhaustive"].folder, exhaustive.folder)

    assert (errors(comparison), warnings(comparison)) == (set(), {f"/{key}"})
    (problem,) = [finding.problem for finding in comparison.findings]
    assert "the same ones in another order" in problem


def test_reading_r74_tasks_grouped_otherwise_are_to_be_known_and_no_error(
    exhaustive: Run, made: dict[str, Run], tmp_path: Path
) -> None:
    groups = {"text": list("aabbccdd"), "visual": list("abcdefgh")}
    alone = made["exhaustive"].folder
    exhaustive.edit(lambda m: m.update(groups=groups))
    renamed = Run(folder=Path(shutil.copytree(exhaustive.folder, tmp_path / "renamed")))
    renamed.edit(lambda m: m["groups"].update(text=list("wwxxyyzz")))

    comparison = compare(alone, exhaustive.folder)

    assert (errors(comparison), warnings(comparison)) == (
        set(),
        {"/groups/text"},
    )  # a group a task is none
    assert compare(exhaustive.folder, renamed.folder).findings == []


def test_reading_r73_one_other_task_among_reordered_ones_is_another_set(
    exhaustive: Run, made: dict[str, Run]
) -> None:
    def change(manifest: Any) -> None:
        manifest["tasks"]["visual"].reverse()
        manifest["tasks"]["visual"][0] = "Another."

    exhaustive.without_raw()
    exhaustive.edit(change)

    assert "/tasks" in errors(compare(made["exhaustive"].folder, exhaustive.folder))


# --- drift


def test_reading_r44_changed_verdicts_of_a_file_are_counted(tmp_path: Path) -> None:
    old, new = recorded(tmp_path, "old"), recorded(tmp_path, "new", range(7))

    comparison = compare(old, new)

    assert comparison.tables is not None
    drift = comparison.tables.drift
    flipped = [row[3] for row in verdict_rows()[:7]]
    assert (drift.kind, drift.pairs, drift.changed) == ("reused", 176, 7)
    assert (drift.towards_a, drift.towards_b) == (flipped.count("B"), flipped.count("A"))
    assert drift.estimate == pytest.approx(7 / 176)
    wilson = stats.binomtest(7, 176).proportion_ci(method="wilson")
    assert drift.ci95 == pytest.approx((wilson.low, wilson.high))
    assert drift.upper == pytest.approx(float(stats.beta.ppf(0.95, 8, 169)))
    assert (comparison.verdict, comparison.clean) == ("drifted", False)
    # Two files are two evaluators by name alone: what counts is what is in them.
    assert errors(comparison) == set()
    assert warnings(comparison) == {"/evaluator/model", "/evaluator/details"}


def test_reading_r44_runs_that_met_few_pairs_compare_the_common_ones(tmp_path: Path) -> None:
    """Without the exhaustive waves each run has the pairs that its wheel stopped at."""
    left = make_run(tmp_path / "left", seeds=1, rounds=5).folder
    right = make_run(tmp_path / "right", seeds=2, rounds=5).folder

    comparison = compare(left, right)

    def met(folder: Path) -> set[tuple[str, str, int]]:
        rows = Run(folder=folder).rows("trials")
        domain = {"text": "text", "visual": "visual"}
        ends = {**domain, "text_to_visual": "visual", "visual_to_text": "text"}
        return {(ends[row["phase"]], row["strategy"], row["task"]) for row in rows}

    assert comparison.tables is not None
    assert comparison.tables.drift.pairs == len(met(left) & met(right))
    assert comparison.tables.drift.changed == 0


def test_reading_r45_without_raw_files_nothing_is_the_same(exhaustive: Run) -> None:
    exhaustive.without_raw()

    comparison = compare(exhaustive.folder, exhaustive.folder)

    assert (comparison.verdict, comparison.tables) == ("cannot_tell", None)
    assert "not compared" in printed(document(comparison))


@pytest.mark.parametrize(
    ("why", "verdict"),
    [("drift", "drifted"), ("reuse", "cannot_tell"), ("unlike", "cannot_tell")],
)
def test_reading_r47_figures_alone_can_show_drift_if_they_have_no_other_cause(
    tmp_path: Path, why: str, verdict: str
) -> None:
    run = make_run(tmp_path / "run", evaluator="mock/coin-flip", seeds=12, rounds=5)
    runs = [run, Run(folder=Path(shutil.copytree(run.folder, tmp_path / "other")))]

    def raise_gamma(manifest: Any) -> None:
        for entry in manifest["results"]["per_seed"]:
            entry["gamma"]["text_to_visual"] += 1 + entry["seed"] / 100

    def reuse(manifest: Any) -> None:
        manifest["config"]["reuse"] = "memo"
        manifest["evaluator"]["endpoint"] = "https://example.org"

    for each in runs:
        each.without_raw()
        if why == "reuse":
            each.edit(reuse)
    runs[1].edit(raise_gamma)
    if why == "unlike":
        runs[1].edit(lambda manifest: manifest["config"].update(rounds=6))

    comparison = compare(runs[0].folder, runs[1].folder)

    first = comparison.metrics[0]
    assert (first.metric, first.part) == ("gamma", "text_to_visual")
    assert first.difference == pytest.approx(1.055)
    assert first.p_holm is not None
    assert first.p_holm < 0.05
    assert comparison.verdict == verdict


def test_reading_r44_fresh_runs_of_equal_seeds_are_paired(tmp_path: Path) -> None:
    coin = make_run(tmp_path / "coin", evaluator="mock/coin-flip", seeds=12, rounds=10).folder
    script = tmp_path / "always.json"
    script.write_text('{"default": 0.95}')
    name = f"mock/scripted:{script}"
    other_folder = make_run(tmp_path / "other", evaluator=name, seeds=12, rounds=10).folder

    itself, comparison = compare(coin, coin), compare(coin, other_folder)

    assert itself.tables is not None
    assert (itself.tables.drift.kind, itself.tables.paired) == ("fresh", True)
    assert (itself.tables.drift.p_value, itself.verdict) == (1, "same")
    assert comparison.tables is not None
    assert comparison.tables.drift.p_values["direction"] <= 0.005  # 2 of 2^12 swaps go as far
    assert comparison.tables.drift.verdict == "drifted"
    assert comparison.verdict == "different"  # they are two evaluators


def test_reading_r44_one_of_each_can_show_drift_and_no_sameness(
    tmp_path: Path, exhaustive: Run
) -> None:
    script = tmp_path / "nearly.json"
    script.write_text('{"default": 0.99}')
    fresh = make_run(tmp_path / "f", evaluator=f"mock/scripted:{script}", seeds=12, rounds=20)

    comparison, back = (
        compare(exhaustive.folder, fresh.folder),
        compare(fresh.folder, exhaustive.folder),
    )

    assert comparison.tables is not None
    assert comparison.tables.drift.kind == "mixed"
    assert comparison.verdict == "different"
    assert back.tables is not None
    assert back.tables.drift == comparison.tables.drift


def test_reading_r44_a_raw_file_that_is_not_the_manifest_s_is_refused(exhaustive: Run) -> None:
    path = exhaustive.folder / "calls.jsonl"
    path.write_text(path.read_text("utf-8").replace('"answer":"A"', '"answer":"B"', 1), "utf-8")

    with pytest.raises(MalformedError, match="not the file that the manifest describes"):
        compare(exhaustive.folder, exhaustive.folder)


def test_reading_r44_the_rounds_of_a_measured_control_are_not_compared(
    tmp_path: Path, made: dict[str, Run]
) -> None:
    coin = "mock/coin-flip"
    control = make_run(tmp_path / "c", evaluator=coin, seeds=3, rounds=5, control="measured")

    comparison = compare(made["flip"].folder, control.folder)

    # The four phases are the same rounds with the same tosses in both.
    assert comparison.tables is not None
    assert (comparison.tables.paired, comparison.tables.drift.p_value) == (True, 1)
    assert len(control.rows("trials")) > len(made["flip"].rows("trials"))


@pytest.mark.parametrize(
    ("change", "where"),
    [({"seed": 77}, "/trials/3"), ({"task": 99}, "/trials/3"), ({"verdict": "C"}, "/trials/3/")],
)
def test_reading_r44_a_trial_that_is_no_round_of_its_run_is_refused(
    flip: Run, change: dict[str, Any], where: str
) -> None:
    flip.edit_row("trials", 3, **change)

    with pytest.raises(MalformedError) as raised:
        compare(flip.folder, flip.folder)

    assert raised.value.finding.where.startswith(where)


def test_reading_r44_a_baseline_that_is_no_strategy_is_refused(exhaustive: Run) -> None:
    exhaustive.edit(lambda manifest: manifest["config"].update(baseline="nobody"))

    with pytest.raises(MalformedError, match="/config/baseline"):
        compare(exhaustive.folder, exhaustive.folder)


def test_reading_r47_records_of_other_seeds_than_the_configuration_s_are_not_paired(
    flip: Run, made: dict[str, Run]
) -> None:
    flip.without_raw()
    flip.edit(lambda manifest: manifest["results"]["per_seed"].pop())

    comparison = compare(made["flip"].folder, flip.folder)

    assert comparison.metrics[0].ci95 is not None  # Welch's: the runs' seeds are not each other's


@pytest.mark.parametrize(
    ("change", "paired"),
    [
        (lambda m: None, True),
        (lambda m: m["tasks"]["text"].pop(), False),
        (lambda m: m["tasks"]["visual"].pop(), False),
        (lambda m: m["config"].update(generator="another"), False),
        (lambda m: m["strategies"].pop(), True),
        (lambda m: m["config"].update(rounds=6), False),
        (lambda m: m["config"].update(strategies=10), False),
    ],
    ids=["nothing", "text", "visual", "generator", "prompts", "rounds", "strategies"],
)
def test_reading_r47_seeds_are_paired_only_if_they_drew_the_same_tasks_and_strategies(
    flip: Run, made: dict[str, Run], change: Any, *, paired: bool
) -> None:
    """A draw is floor(u x tasks), so another number of tasks makes other draws of equal seeds."""
    flip.without_raw()
    flip.edit(change)

    gamma = compare(made["flip"].folder, flip.folder).metrics[0]

    assert gamma.difference == 0
    assert (gamma.ci95 is None) is paired  # equal values, pair by pair, have no spread to tell of


# --- what it prints


@pytest.mark.parametrize("pair", [("exhaustive", "exhaustive"), ("flip", "tiny"), ("flip", "flip")])
def test_the_json_keeps_to_its_schema_and_the_text_says_the_same(
    made: dict[str, Run], pair: tuple[str, str]
) -> None:
    comparison = compare(*(made[name].folder for name in pair))

    value = json.loads(json.dumps(comparison.as_json(), allow_nan=False))

    assert schema_findings("compare", value) == []
    text = printed(document(comparison))
    assert text.startswith(value["verdict"].replace("_", " ").upper())
    assert ("not like for like" in text) is not value["like_for_like"]
    assert ("two evaluators" in text) is (pair == ("flip", "tiny"))
    for finding in value["findings"]:
        assert finding["problem"] in text
    for metric in value["metrics"]:
        assert f"{metric['left']:.3f}  {metric['right']:.3f}" in text
    for need in value["enough"]["pairs"]:
        assert f"{100 * need['changed']:g}% of the verdicts changed" in text
        assert f"  {need['pairs']:,} pairs, " in text


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"noise": Noise(asked=40, flips=3)}, "asked again within a run, 3 of 40 flipped"),
        ({"noise": Noise()}, "assumed to flip anyway: 5%; `epc run --recheck 60` measures it"),
        ({"noise": Noise(assumed=0.0)}, "none flips by itself: a file, a mock or pinned weights"),
        ({"other_answers": 11}, "11 common pairs left out: the executor wrote something else"),
        ({"other_prompts": 7}, "7 common pairs left out: the evaluator's prompt differs"),
        ({"drift": nothing("reused", 0.1)}, "no question was asked in both runs; `epc watch` asks"),
        ({"drift": nothing("fresh", 0.1)}, "0 pairs met in both runs, asked afresh every round"),
    ],
)
def test_the_text_says_what_the_verdicts_rest_on(
    made: dict[str, Run], changed: dict[str, Any], line: str
) -> None:
    comparison = compare(made["exhaustive"].folder, made["exhaustive"].folder)
    assert comparison.tables is not None

    text = printed(document(replace(comparison, tables=replace(comparison.tables, **changed))))

    assert line in text


def test_epc_5_3_a_provider_s_own_words_are_doubts(exhaustive: Run) -> None:
    def redirect(manifest: Any) -> None:
        manifest["evaluator"].update(endpoint="https://example.org/v1", version="m-1")
        manifest["provenance"]["served_models"]["evaluator"] = {"m-2": 3}

    exhaustive.without_raw()
    exhaustive.edit(redirect)

    comparison = compare(exhaustive.folder, exhaustive.folder)

    assert [f.problem for f in comparison.findings] == [
        "in the first run, m-1 was asked for, m-2 answered",
        "in the second run, m-1 was asked for, m-2 answered",
    ]
    assert comparison.like_for_like
