"""Schema, then meaning, then recomputation: what each step finds, and where.

Over 400 lines: a test a clause, on one small run that all of them damage.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from records_support import Run, places

from epc.errors import Finding
from epc.records.recompute import rewrite
from epc.records.schemas import findings
from epc.records.validate import Report, validate


def test_epc_2_8_a_run_as_it_was_written_is_valid(made: dict[str, Run]) -> None:
    for run in made.values():
        assert validate(run.folder) == Report(path=str(run.folder), findings=[])
        assert validate(run.folder / "manifest.json").ok


def test_epc_2_8_recorded_verdicts_are_valid_with_a_word_about_few_tasks(ties: Run) -> None:
    report = ties.validate()

    assert report.ok
    assert {(f.where, f.clause, f.severity) for f in report.findings} == {
        ("/tasks/text", "EPC-2.4(a)", "warning"),
        ("/tasks/visual", "EPC-2.4(a)", "warning"),
    }


@pytest.mark.parametrize(("role", "temperature"), [("evaluator", 0.7), ("executor", None)])
def test_reading_r16_answers_reused_at_another_temperature_are_a_finding(
    single: Run, role: str, temperature: float | None
) -> None:
    assert single.manifest()["config"]["reuse"] == "memo"
    single.edit(lambda m: m[role]["decoding"].update(temperature=temperature))

    assert (f"/{role}/decoding/temperature", "Reading R16") in places(single.validate())


def test_epc_2_5_d_a_journal_that_was_damaged_is_a_warning(single: Run) -> None:
    single.edit(lambda m: m["provenance"].update(journal_damage=3))

    (finding,) = single.validate().findings
    assert (finding.where, finding.severity) == ("/provenance/journal_damage", "warning")


@pytest.mark.parametrize("departed", [True, False])
def test_reading_r76_a_panel_of_an_older_version_is_read_and_its_alarm_is_still_told(
    single: Run, *, departed: bool
) -> None:
    panel = {
        "when": "start",
        "first_at": "2026-07-02T00:00:00Z",
        "last_at": "2026-07-02T00:00:01Z",
        "answers": ["A", "B"],
        "served_models": ["served"],
        "system_fingerprints": [],
    }
    canary = {"false_alarms": 0.025, "panels": [panel], "looks": [], "departed": departed}
    single.edit(lambda m: m.update(canary=canary))

    actual_places = [(f.where, f.severity) for f in single.validate().findings]

    assert actual_places == [("/canary/departed", "warning")] * departed


def test_warnings_alone_leave_a_report_ok() -> None:
    def finding(severity: Any) -> Finding:
        return Finding(clause="c", where="/a", problem="p", remedy="r", severity=severity)

    assert Report(path="x", findings=[finding("warning")]).ok
    assert not Report(path="x", findings=[finding("warning"), finding("error")]).ok


def test_all_findings_are_listed_never_only_the_first(flip: Run) -> None:
    manifest = flip.manifest()
    manifest["protocol_version"] = "EPC-v1.0"
    manifest["evaluator"]["measurement_date"] = "2026-02-30"
    manifest["results"]["per_seed"][0]["gamma"]["text_to_visual"] += 1
    manifest["results"]["per_seed"][2]["tie_rate"] = 0.5
    flip.save(manifest)
    flip.edit_row("weights", 5, weight=0.5)

    assert places(flip.validate()) == {
        ("/protocol_version", "Reading R13"),
        ("/evaluator/measurement_date", "EPC-2.8(2)"),
        ("/results/per_seed/0/gamma/text_to_visual", "EPC-2.5"),
        ("/results/per_seed/2/tie_rate", "EPC-2.8(7)"),
        ("/weights/5/weight", "EPC-2.5(b)"),
    }


# --- Meaning.


@pytest.mark.parametrize(
    ("tag", "clause"),
    [
        ("EPC-v1.0", "Reading R13"),
        ("EPC-v1.0-AltLR", "Reading R13"),
        ("EPC-v1.0-AltLR+AltRounds", "Reading R13"),
        ("EPC-v2.0", "EPC-2.8(1)"),
        ("", "EPC-2.8(1)"),
    ],
)
def test_reading_r13_the_tag_follows_from_the_configuration(
    flip: Run, tag: str, clause: str
) -> None:
    assert flip.manifest()["protocol_version"] == "EPC-v1.0-AltRounds"  # five rounds, not thirty
    flip.edit(lambda m: m.update(protocol_version=tag))

    assert ("/protocol_version", clause) in places(flip.validate())


def test_epc_2_2_a_strategy_that_stands_twice_is_found(flip: Run) -> None:
    flip.edit(lambda m: m["strategies"].append(m["strategies"][3]))

    assert places(flip.validate()) >= {
        ("/strategies", "EPC-2.2"),
        ("/config/strategies", "EPC-2.8(4)"),
    }


GROUPS = {"text": ["a"] * 8, "visual": ["b"] * 8}


def test_reading_r74_groups_that_fit_the_tasks_are_valid(flip: Run) -> None:
    flip.edit(lambda m: m.update(groups=GROUPS))
    rewrite(flip.folder, write=True)

    assert flip.validate().findings == []
    crossing = flip.parsed().results.summary.transfer
    assert crossing is not None
    assert crossing.units == {"text": 1, "visual": 1}


def test_reading_r74_a_task_without_a_group_beside_others_is_found(flip: Run) -> None:
    flip.edit(lambda m: m.update(groups={**GROUPS, "visual": ["b"] * 7}))

    (finding,) = flip.validate().findings

    assert (finding.where, finding.clause) == ("/groups/visual", "Reading R74")
    assert finding.problem == "7 groups for 8 tasks"
    assert finding.remedy == "name the group of each task, in the order of /tasks/visual"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"groups": {"text": ["a"] * 8}}, "/groups"),
        ({"groups": {**GROUPS, "text": ["a"] * 7 + [""]}}, "/groups/text/7"),
        ({"schema_version": 3}, "/schema_version"),
        ({"schema_version": 1}, "/schema_version"),
    ],
)
def test_reading_r74_groups_and_version_have_their_shape(
    flip: Run, change: dict[str, Any], where: str
) -> None:
    flip.edit(lambda m: m.update(change))

    assert where in {text for text, _ in places(flip.validate())}


def test_epc_2_3_a_the_baseline_is_one_of_the_strategies(flip: Run) -> None:
    flip.edit(lambda m: m["config"].update(baseline="nobody"))

    assert ("/config/baseline", "EPC-2.3(a)") in places(flip.validate())


def test_epc_2_8_3_a_prompted_evaluator_needs_an_executor(flip: Run) -> None:
    flip.edit(lambda m: m.update(executor=None))

    assert ("/executor", "EPC-2.8(3)") in places(flip.validate())


def test_epc_2_8_3_recorded_verdicts_name_no_executor(ties: Run, flip: Run) -> None:
    executor = flip.manifest()["executor"]
    ties.edit(lambda m: m.update(executor=executor))

    assert ("/executor", "EPC-2.8(3)") in places(ties.validate())


@pytest.mark.parametrize("day", ["2026-02-30", "2025-02-29", "2026-04-31"])
def test_epc_2_8_2_the_day_is_one_of_the_calendar(flip: Run, day: str) -> None:
    flip.edit(lambda m: m["evaluator"].update(measurement_date=day))

    assert places(flip.validate()) == {("/evaluator/measurement_date", "EPC-2.8(2)")}


@pytest.mark.parametrize("places_left", [[0, 1], [0, 1, 2, 2], [1, 0, 2]])
def test_epc_2_5_d_every_seed_is_reported_once_and_in_order(
    flip: Run, places_left: list[int]
) -> None:
    per_seed = flip.manifest()["results"]["per_seed"]
    flip.edit(lambda m: m["results"].update(per_seed=[per_seed[index] for index in places_left]))

    assert ("/results/per_seed", "EPC-2.5(d)") in places(flip.validate())


@pytest.mark.parametrize("raw", [True, False])
def test_epc_2_3_a_vector_that_sums_to_nine_tenths_is_found(flip: Run, raw: bool) -> None:  # noqa: FBT001  (pytest hands it over by name)
    if not raw:
        flip.without_raw()
    weights = {s["name"]: 0.9 / 11 for s in flip.manifest()["strategies"]}
    flip.edit(lambda m: m["results"]["per_seed"][1]["weights"].update(visual=weights))

    actual_findings = [f for f in flip.validate().findings if f.where.endswith("/1/weights/visual")]

    assert [f.clause for f in actual_findings] == ["EPC-2.3"]
    assert float(actual_findings[0].problem.split()[4].rstrip(",")) == pytest.approx(0.9)


def test_epc_2_8_7_there_is_one_weight_a_strategy(flip: Run) -> None:
    def rename(manifest: Any) -> None:
        weights = manifest["results"]["per_seed"][0]["weights"]["text"]
        weights["guess"] = weights.pop("synthesis")

    flip.edit(rename)

    (finding,) = [
        f for f in flip.validate().findings if f.where == "/results/per_seed/0/weights/text"
    ]
    assert finding.problem.startswith("guess, synthesis: ")


# --- Raw files.


@pytest.mark.parametrize("name", ["trials", "calls", "weights"])
def test_epc_2_5_d_a_raw_file_that_is_gone_is_found(flip: Run, name: str) -> None:
    (flip.folder / f"{name}.jsonl").unlink()

    assert places(flip.validate()) == {(f"/raw/{name}", "EPC-2.5(d)")}


@pytest.mark.parametrize("name", ["trials", "calls", "weights"])
def test_a_raw_file_that_points_elsewhere_is_not_followed(
    flip: Run, name: str, tmp_path: Path
) -> None:
    path = flip.folder / f"{name}.jsonl"
    path.rename(tmp_path / "elsewhere.jsonl")
    path.symlink_to(tmp_path / "elsewhere.jsonl")

    assert places(flip.validate()) == {(f"/raw/{name}", "EPC-2.5(d)")}


@pytest.mark.parametrize("path", ["../trials.jsonl", "/trials.jsonl", ".hidden", "a/b", ""])
def test_a_raw_path_never_leads_out_of_the_folder(flip: Run, path: str) -> None:
    manifest = flip.manifest()
    manifest["raw"]["trials"]["path"] = path
    flip.save(manifest, described=False)

    assert places(flip.validate()) == {("/raw/trials/path", "EPC-2.8")}


@pytest.mark.parametrize(("key", "value"), [("sha256", "0" * 64), ("bytes", 1), ("rows", 1)])
def test_epc_2_5_d_a_raw_file_is_the_one_that_was_described(
    flip: Run, key: str, value: object
) -> None:
    manifest = flip.manifest()
    manifest["raw"]["calls"][key] = value
    flip.save(manifest, described=False)

    assert places(flip.validate()) == {(f"/raw/calls/{key}", "EPC-2.5(d)")}


def test_a_seed_that_cannot_be_replayed_is_one_finding_not_one_a_figure(flip: Run) -> None:
    flip.save_rows("trials", flip.rows("trials")[:-1])

    assert places(flip.validate()) == {("/trials", "EPC-2.5(d)")}


# --- Manifests without their raw files.


def test_epc_2_5_d_a_manifest_alone_is_valid_with_a_warning(flip: Run) -> None:
    flip.without_raw()

    report = flip.validate()

    assert report.ok
    assert [(f.where, f.clause, f.severity) for f in report.findings] == [
        ("/raw", "EPC-2.5(d)", "warning")
    ]


def test_the_order_of_keys_means_nothing_in_a_manifest_alone(flip: Run) -> None:
    flip.without_raw()
    manifest = flip.manifest()
    for record in manifest["results"]["per_seed"]:
        weights = record["weights"]
        weights["visual"] = dict(reversed(weights["visual"].items()))
    # Not through the canonical writer, which would sort the keys again.
    (flip.folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")

    assert flip.validate().ok


@pytest.mark.parametrize("by", [1.0000000000000003e-09, -1.0000000000000003e-09])
def test_a_sum_on_the_edge_of_the_tolerance_is_answered_in_any_order(
    single: Run, by: float
) -> None:
    single.without_raw()
    original = single.manifest()
    for phase, weights in original["results"]["per_seed"][0]["weights"].items():
        for name, weight in weights.items():
            vector = {**weights, name: weight + by}
            manifest = single.manifest()
            manifest["results"]["per_seed"][0]["weights"][phase] = vector
            (single.folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
            assert not single.validate().ok
            single.save(original)


# --- What is no manifest at all.


def test_many_strategies_are_checked_in_bounded_time(flip: Run) -> None:
    many = [{"name": f"s{i // 2}", "domain": None, "prompt": ""} for i in range(40_000)]
    flip.edit(lambda m: m.update(strategies=many))

    assert len(flip.validate().findings) == 1001


def test_reading_r2_another_generator_is_a_warning_not_silence(flip: Run) -> None:
    flip.edit(lambda m: m["config"].update(generator="a die"))

    report = validate(flip.folder)

    assert report.ok
    assert [(f.where, f.severity) for f in report.findings] == [("/config/generator", "warning")]


def test_epc_2_3_d_verdict_counts_without_trials_are_held_to_the_rounds(flip: Run) -> None:
    def forge(manifest: Any) -> None:
        manifest["raw"] = None
        manifest["results"]["per_seed"][0]["verdicts"]["text"]["A"] += 1

    flip.edit(forge)

    assert "/results/per_seed/0/verdicts/text" in [f.where for f in validate(flip.folder).findings]


def test_a_million_wrong_items_are_reported_in_bounded_memory() -> None:
    wrong = {"strategies": 1, "phases": {"text": ["x"] * 1_000_000}}

    actual_findings = findings("conformance_case", wrong)

    assert 1000 <= len(actual_findings) <= 5000


def test_epc_2_8_without_figures_raw_files_are_read_only_for_probes(single: Run) -> None:
    run = single
    run.edit_row("weights", 0, weight=0.5)
    assert "/weights/0/weight" in {finding.where for finding in run.validate().findings}
    assert validate(run.folder, figures=False).findings == []

    run.edit(lambda manifest: manifest["config"].update(strategies=12))
    assert places(validate(run.folder, figures=False)) == {("/config/strategies", "EPC-2.8(4)")}

    (run.folder / "probes.jsonl").touch()
    actual_places = {finding.where for finding in validate(run.folder, figures=False).findings}
    assert actual_places == {"/config/strategies", "/weights/0/weight"}
