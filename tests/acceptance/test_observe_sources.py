"""`epc observe import` of four sources: what only looks like a verdict counts nothing (R77)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from observed_sources_support import (
    LONG,
    PAIR_PROMPT,
    TEMPLATE,
    instructed,
    mt_bench,
    pandalm,
    prometheus,
    wildbench,
)
from records_support import epc
from studies import observed_sources as study

from epc.records.verdicts.converting import digest
from epc.records.verdicts.shapes import known_faults
from epc.records.verdicts.types import UNKNOWN

BUILDERS: dict[str, Callable[[Path], Path]] = {
    "wildbench": wildbench,
    "pandalm": pandalm,
    "mt-bench": mt_bench,
    "prometheus": prometheus,
}
TURBO = "gpt-4-turbo-2024-04-09"  # which has a template of its own


class Converted:
    """A source of a shape, and what the program made of it."""

    def __init__(self, shape: str, folder: Path) -> None:
        self.source = BUILDERS[shape](folder / shape)
        file = folder / f"{shape}.jsonl"
        self.done = epc("observe", "import", self.source, "--shape", shape, "--out", file)
        assert self.done.returncode == 0, self.done.stdout
        self.header, *self.rows = map(json.loads, file.read_text().splitlines())
        assert epc("observe", "check", file).returncode == 0
        report = epc("observe", "report", file, "--format=json")
        self.report: dict[str, Any] = json.loads(report.stdout)

    def column(self, *names: str) -> list[Any]:
        found = [tuple(row.get(name) for name in names) for row in self.rows]
        return found if names[1:] else [each for (each,) in found]

    def figures(self, setting: str) -> dict[str, float]:
        groups = {group["settings"][0]: group["figures"] for group in self.report["groups"]}
        return {name: each["value"] for name, each in groups[setting].items()}


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Converted]:
    folder = tmp_path_factory.mktemp("sources")
    return {shape: Converted(shape, folder) for shape in BUILDERS}


def test_reading_r77_wildbench_copies_of_a_release_are_no_verdicts(
    converted: dict[str, Converted],
) -> None:
    """8 of 10 scores are somebody's own; a file of comparisons is named, not read."""
    actual_wildbench = converted["wildbench"]

    assert len(actual_wildbench.rows) == 8
    assert actual_wildbench.header["left_out"] == {
        "scores of an earlier release, copied: same request number, same score": 2,
        "files of comparisons, which this shape does not read": 1,
    }
    assert actual_wildbench.column("setting").count("j-4o/v2.0625") == 1
    assert "copies" in actual_wildbench.header["settings"]["j-4o/v2.0625"]["note"]


def test_reading_r77_wildbench_repeats_are_one_response_under_one_prompt(
    converted: dict[str, Converted],
) -> None:
    """Two models said "yes" and were judged twice; a text that was cut before is no repeat."""
    actual_wildbench = converted["wildbench"]
    repeats = [row for row in actual_wildbench.rows if "repeat" in row]

    assert [(row["a_by"], row["a_score"], row["repeat"]) for row in repeats] == [("m/two", 6, 1)]
    cut, whole_row = (
        next(
            row
            for row in actual_wildbench.rows
            if row["item"].startswith("s3/") and row["setting"] == name
        )
        for name in ("j-4o/v2.0522", "j-4o/v2.0625")
    )
    assert cut["item"] != whole_row["item"]
    assert len({group["settings"][0] for group in actual_wildbench.report["groups"]}) == 3


def test_reading_r77_wildbench_judges_share_an_item_whatever_the_blanks(
    converted: dict[str, Converted],
) -> None:
    actual_wildbench = converted["wildbench"]
    by_judge = {
        judge: {row["item"] for row in actual_wildbench.rows if row["setting"].startswith(judge)}
        for judge in ("j-4o", TURBO)
    }

    assert len(by_judge["j-4o"] & by_judge[TURBO]) == 2
    assert (
        actual_wildbench.column("setting", "verdict").count((f"{TURBO}/v2.0522", "unreadable")) == 1
    )
    assert not [row for row in actual_wildbench.rows if "first" in row or "b_sha256" in row]


def test_reading_r77_wildbench_states_a_prompt_only_where_a_script_names_it(
    converted: dict[str, Converted],
) -> None:
    settings = converted["wildbench"].header["settings"]

    template = "eval_template.score.v2.md"
    own_text = "eval_template.score.v2.0522.md"
    assert settings["j-4o/v2.0522"]["prompt"] == {"name": template, "sha256": UNKNOWN}
    assert settings["j-4o/v2.0625"]["prompt"] == {"name": template, "sha256": digest(TEMPLATE)}
    assert settings[f"{TURBO}/v2.0522"]["prompt"] == {"name": own_text, "sha256": UNKNOWN}
    for setting in settings.values():
        assert (setting["decoding"], setting["date"]) == (UNKNOWN, UNKNOWN)


def test_reading_r77_pandalm_a_pair_under_three_numbers_is_one_item(
    converted: dict[str, Converted],
) -> None:
    """0 and 1 are the same asking twice, 2 is it with the places exchanged; people turn along."""
    actual_pandalm = converted["pandalm"]
    rows = [row for row in actual_pandalm.rows if row["setting"] == "gpt-3.5-turbo"]

    assert [row["item"] for row in rows] == ["0", "0", "0", "3"]
    assert [(row["first"], row.get("repeat")) for row in rows[:3]] == [
        ("a", None),
        ("a", 1),
        ("b", None),
    ]
    assert {row["a_sha256"] for row in rows[:3]} == {digest("short")}
    assert [row["a_by"] for row in rows[:3]] == ["x0", "x1", "y2"]
    assert [row["humans"] for row in rows[:3]] == [["a", "a", "tie"]] * 3
    assert actual_pandalm.report["items"] == 2


def test_reading_r77_pandalm_labels_of_each_type_are_read_as_candidates(
    converted: dict[str, Converted],
) -> None:
    """A judge that keeps to a place has no place consistency, one that keeps to words has all."""
    actual_pandalm = converted["pandalm"]

    assert actual_pandalm.column("setting", "verdict") == [
        *(("gpt-3.5-turbo", word) for word in ("a", "a", "b", "unreadable")),
        *(("pandalm-7b", word) for word in ("b", "b", "b", "tie")),
    ]
    assert actual_pandalm.figures("gpt-3.5-turbo")["place_consistency"] == 0
    assert actual_pandalm.figures("pandalm-7b")["place_consistency"] == 1


def test_reading_r77_pandalm_equal_answers_are_no_evidence_of_consistency(
    converted: dict[str, Converted],
) -> None:
    """The reason is short, but with the reference answer it is long: copied, or given twice."""
    actual_pandalm = converted["pandalm"]
    group = next(g for g in actual_pandalm.report["groups"] if g["settings"] == ["pandalm-7b"])

    assert group["equal_answers"] == 1
    assert "repeat_consistency" not in actual_pandalm.figures("pandalm-7b")
    answers = {
        row.get("answer_sha256") for row in actual_pandalm.rows if row["setting"] == "pandalm-7b"
    }
    assert answers == {digest(f"Good.\n\n{LONG}")}
    assert not [
        row
        for row in actual_pandalm.rows
        if row["setting"] != "pandalm-7b" and "answer_sha256" in row
    ]


def test_reading_r77_pandalm_a_response_that_is_no_text_counts_nothing(
    converted: dict[str, Converted],
) -> None:
    left_out = converted["pandalm"].header["left_out"]

    assert left_out == {"verdicts on a response that is stored as true, not as a text": 2}


def test_reading_r77_mt_bench_winners_are_models_in_both_orders(
    converted: dict[str, Converted],
) -> None:
    actual_mt_bench = converted["mt-bench"]

    assert actual_mt_bench.column("item", "first", "verdict")[:2] == [
        (actual_mt_bench.rows[0]["item"], "a", "b"),
        (actual_mt_bench.rows[0]["item"], "b", "b"),
    ]
    assert actual_mt_bench.column("verdict") == ["b", "b", "a", "b", "unreadable", "tie"]
    assert actual_mt_bench.figures("gpt-x/pair")["place_consistency"] == pytest.approx(1 / 3)
    assert set(actual_mt_bench.column("a_by", "b_by", "subset")) == {("small", "tuned", "why")}
    assert actual_mt_bench.rows[0]["a_sha256"] == digest("one")
    assert actual_mt_bench.rows[0]["question_sha256"] == digest("Why?")


def test_reading_r77_mt_bench_a_failed_request_is_no_verdict(
    converted: dict[str, Converted],
) -> None:
    left_out = converted["mt-bench"].header["left_out"]

    assert left_out == {"requests that failed: no answer, $ERROR$ in its place": 2}


def test_reading_r77_mt_bench_states_the_day_and_the_prompt_and_nobody_else_repository(
    converted: dict[str, Converted],
) -> None:
    header = converted["mt-bench"].header
    text = f"{PAIR_PROMPT['system_prompt']}\n\n{PAIR_PROMPT['prompt_template']}"

    assert header["settings"]["gpt-x/pair"] == {
        "judge": {"name": "gpt-x", "model": "gpt-x", "platform": UNKNOWN},
        "prompt": {"name": "pair", "sha256": digest(text)},
        "decoding": UNKNOWN,
        "date": "2024-06-01",
    }
    assert header["source"]["repository"] == UNKNOWN
    assert header["source"]["licence"] == "Apache-2.0"


def test_reading_r77_prometheus_three_scores_are_three_askings(
    converted: dict[str, Converted],
) -> None:
    """Equal words after another first turn are another item; 9 is no score of 1 to 5."""
    actual_prometheus = converted["prometheus"]

    assert actual_prometheus.column("item", "a_score", "repeat")[:6] == [
        ("mt_bench/83/one", 3, None),
        ("mt_bench/83/one", 2, 1),
        ("mt_bench/83/one", 3, 2),
        ("mt_bench/83/two", 4, None),
        ("mt_bench/83/two", 4, 1),
        ("mt_bench/83/two", None, 2),
    ]
    assert actual_prometheus.rows[5]["verdict"] == "unreadable"
    assert (
        actual_prometheus.rows[0]["a_sha256"]
        == actual_prometheus.rows[3]["a_sha256"]
        == digest("Same.")
    )
    assert (
        actual_prometheus.rows[0]["question_sha256"] != actual_prometheus.rows[3]["question_sha256"]
    )
    frame = instructed("Hi? Hm.", "Same.").replace("Same.", "")
    assert actual_prometheus.rows[0]["question_sha256"] == digest(frame)
    assert actual_prometheus.column("subset") == ["writing"] * 6 + ["math"] * 3
    assert actual_prometheus.header["settings"]["gpt4"]["judge"]["model"] == "gpt-4"


@pytest.mark.parametrize("shape", BUILDERS)
def test_reading_r77_a_second_count_agrees(shape: str, converted: dict[str, Converted]) -> None:
    conversion = converted[shape]
    ours = study.COUNTS[shape](conversion.source)

    assert study.differences(ours, conversion.header, conversion.rows) == []
    ours["verdicts"] += 1
    assert len(study.differences(ours, conversion.header, conversion.rows)) == 1


@pytest.mark.parametrize("shape", BUILDERS)
def test_reading_r77_known_faults_are_told_of_the_judges_that_have_them(
    shape: str, converted: dict[str, Converted]
) -> None:
    """WildBench's copied release is a fault of its real judge, not of the invented ones."""
    conversion = converted[shape]
    judges = {setting["judge"]["model"] for setting in conversion.header["settings"].values()}
    output = conversion.done.stderr.decode()

    assert known_faults(shape)
    for fault in known_faults(shape):
        concerns = not fault.models or bool(judges & {*fault.models})
        assert (f"known fault {fault.id}: {fault.says}" in output) == concerns
    assert ("known fault copied-release" in output) is False
    assert ("known fault garbage" in output) == (shape == "pandalm")
