"""Figures of judges by domain, counted again from the kept verdicts in plain Python (R101).

Nothing here is epc's: the store is opened by its file names, and ranks, correlations and kappas are
worked out below.
"""

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import correlation, fmean, pvariance
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

PHI: Final = "Phi-4-reasoning-vision-15B/polaris"
SNAPSHOTS: Final = Path(__file__).parents[3] / "snapshots"
CLOSE: Final = 1e-9


def kept_rows(tag: str) -> list[dict[str, Any]]:
    """Return the kept verdicts of a snapshot."""
    pointer = re.search(r"md5: ([0-9a-f]{32}\.dir)", (SNAPSHOTS / tag / "raw.dvc").read_text())
    assert pointer
    (file,) = json.loads(_object(pointer[1]).read_text())
    rows: list[dict[str, Any]] = pq.read_table(_object(file["md5"])).to_pylist()
    return rows


def _object(name: str) -> Path:
    return SNAPSHOTS / ".store" / "files" / "md5" / name[:2] / name[2:]


def label_figures(tag: str) -> dict[str, dict[str, Any]]:
    """Return the published figures beside labels, by setting."""
    groups = json.loads((SNAPSHOTS / tag / "metrics.json").read_text())["figures"]["groups"]
    return {group["settings"][0]: group["label_figures"] for group in groups}


def by_setting(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return rows by the setting that they are of."""
    parts = defaultdict(list)
    for row in rows:
        parts[row["setting"]].append(row)
    return parts


def ranks(values: list[float]) -> list[float]:
    """Return mean ranks, counted one by one."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


# What the source's own files say of kappa with squared weights, to four digits:
# results/trec-rag-2024_kappa_vs_human.json, and `kappa_vs_human` of its UMBRELA baseline.
@pytest.mark.parametrize(
    ("tag", "setting", "kappa"),
    [
        ("v1.0-claude-opus-4-7", "claude-opus-4-7/once", 0.4792),
        ("v1.5-claude-sonnet-4-6", "claude-sonnet-4-6/once", 0.5123),
        ("v1.2-gpt-5.5", "gpt-5.5/once", 0.4789),
        ("v1.0-qwen3.6-plus", "qwen3.6-plus/once", 0.4141),
        ("v1.0-gemma-4-26b-a4b-it", "gemma-4-26b-a4b-it/once", 0.3958),
        ("v1.3-GPT4o-0806", "UMBRELA", 0.4265),
    ],
)
def test_reading_r101_relevance_beside_nist_is_as_counted_again_and_as_the_source_has_it(
    tag: str, setting: str, kappa: float
) -> None:
    rows = by_setting(kept_rows(tag))[setting]
    judge = [row["a_score"] for row in rows]
    people = [row["human_score"] for row in rows]
    gap = fmean((a - b) ** 2 for a, b in zip(judge, people, strict=True))
    apart = (fmean(judge) - fmean(people)) ** 2
    weighted = 1 - gap / (pvariance(judge) + pvariance(people) + apart)

    figures = label_figures(tag)[setting]

    assert len(rows) == figures["rank_correlation"]["n"] == 537
    assert figures["rank_correlation"]["items"] == len({r["question_sha256"] for r in rows}) == 86
    spearman = correlation(ranks(judge), ranks(people))
    assert figures["rank_correlation"]["value"] == pytest.approx(spearman, abs=CLOSE)
    assert figures["weighted_kappa"]["value"] == pytest.approx(weighted, abs=CLOSE)
    assert round(figures["weighted_kappa"]["value"], 4) == kappa
    exact = fmean(a == b for a, b in zip(judge, people, strict=True))
    assert figures["exact"]["value"] == pytest.approx(exact, abs=CLOSE)


# Counted by hand from the source's `results/tables/confusion.md`: of 100 clean runs and 300 with a
# fault, how many each judge passed and failed; and how many faults of either kind it failed.
@pytest.mark.parametrize(
    ("tag", "setting", "passed", "failed"),
    [
        ("v1.0-qwen2-5-14b-instruct", "step:qwen2.5:14b", 100, 257),
        ("v1.0-qwen2-5-14b-instruct", "outcome:qwen2.5:14b", 67, 184),
        ("v1.0-qwen2-5-14b-instruct", "selfcons3:qwen2.5:14b", 99, 253),
        ("v1.0-Meta-Llama-3.1-8B-Instruct", "step:llama3.1:8b", 0, 297),
    ],
)
def test_reading_r101_tpr_and_tnr_of_an_agents_runs_are_as_counted_again(
    tag: str, setting: str, passed: int, failed: int
) -> None:
    rows = by_setting(kept_rows(tag))[setting]
    counted = {
        label: sum(row["verdict"] == label for row in rows if row["gold"] == label)
        for label in "ab"
    }
    assert counted == {"a": passed, "b": failed}

    figures = label_figures(tag)[setting]

    assert figures["tpr"]["value"] == pytest.approx(passed / 100, abs=CLOSE)
    assert figures["tnr"]["value"] == pytest.approx(failed / 300, abs=CLOSE)
    both = (passed / 100 + failed / 300) / 2
    assert figures["balanced_accuracy"]["value"] == pytest.approx(both, abs=CLOSE)
    assert (figures["tpr"]["n"], figures["tnr"]["n"]) == (100, 300)
    assert figures["agreement"]["items"] == len({row["question_sha256"] for row in rows}) == 141


# Counted by hand from the confusion tables of the source's `evals/results.md`, partly supported
# taken for not supported; Cohen's kappa is worked out from the four counts below.
@pytest.mark.parametrize(
    ("tag", "passed", "failed"),
    [("v1.0-claude-opus-4-8", 123, 47), ("v1.0-claude-sonnet-5", 124, 43)],
)
def test_reading_r101_a_source_without_a_licence_gives_figures_alone_as_its_tables_count_them(
    tag: str, passed: int, failed: int
) -> None:
    (figures,) = label_figures(tag).values()
    supported, unsupported = 141, 48
    n = supported + unsupported
    agreed = (passed + failed) / n
    judge_passes = passed + unsupported - failed
    chance = (judge_passes * supported + (n - judge_passes) * unsupported) / n**2

    assert not (SNAPSHOTS / tag / "raw.dvc").exists()
    assert figures["tpr"]["value"] == pytest.approx(passed / supported, abs=CLOSE)
    assert figures["tnr"]["value"] == pytest.approx(failed / unsupported, abs=CLOSE)
    assert figures["kappa"]["value"] == pytest.approx((agreed - chance) / (1 - chance), abs=CLOSE)
    assert figures["agreement"]["value"] == pytest.approx(agreed, abs=CLOSE)
    assert (figures["agreement"]["n"], figures["agreement"]["items"]) == (n, 12)


# Counted by hand from `parsed_score` of the source's files: rows less those of -1, and how many
# scores are equal to the grade beside them; its README says 32.2% of LLaVA-Critic.
@pytest.mark.parametrize(
    ("tag", "setting", "read", "equal"),
    [
        ("v1.1-gemini-2.5-flash", "gemini-2.5-flash/mllm-judge", 5717 - 308, 1738),
        ("v1.0-llava-critic-7b", "llava-critic-7b/mllm-judge", 5717 - 1, 1838),
        ("v1.0-llava-critic-7b", "llava-critic-7b/polaris", 8726 - 2, 7053),
        ("v1.0-Phi-4-reasoning-vision-15B", PHI, 8726 - 2484, 1249),
    ],
)
def test_reading_r101_scores_of_judges_that_saw_images_are_as_counted_and_say_so(
    tag: str, setting: str, read: int, equal: int
) -> None:
    rows = by_setting(kept_rows(tag))[setting]
    pairs = [(row["a_score"], row["human_score"]) for row in rows]
    header = json.loads((SNAPSHOTS / tag / "observed.json").read_text())["header"]

    figures = label_figures(tag)[setting]

    assert len(rows) == figures["rank_correlation"]["n"] == read
    assert sum(a == b for a, b in pairs) == equal
    assert figures["exact"]["value"] == pytest.approx(equal / read, abs=CLOSE)
    judge, people = ([*side] for side in zip(*pairs, strict=True))
    spearman = _tied_correlation(judge, people)
    assert figures["rank_correlation"]["value"] == pytest.approx(spearman, abs=CLOSE)
    assert {asked["modality"] for asked in header["settings"].values()} == {"image"}


def _tied_correlation(left: list[float], right: list[float]) -> float:
    """Return Spearman's correlation of grades, whose mean ranks follow from their counts."""
    return correlation(_ranks_of_grades(left), _ranks_of_grades(right))


def _ranks_of_grades(values: list[float]) -> list[float]:
    counts = {grade: values.count(grade) for grade in set(values)}
    below = {grade: sum(counts[low] for low in counts if low < grade) for grade in counts}
    return [below[value] + (counts[value] + 1) / 2 for value in values]


# Counted from the source's run files and label files by a script that has nothing of epc: rows with
# an answer, right ones (the source's results/v0.5 has the same), items; the rows from the lowest
# confidence on that keeps 5%, and those of other rows' confidences with the wrong ones among them.
JEV, GEMINI = "v1.0-jev-1.13.0", "v1.0-gemini-3.6-flash"


@pytest.mark.parametrize(
    ("tag", "setting", "counts", "kept", "held_out"),
    [
        (JEV, "jev-1.13.0/banking77", (9240, 2470 + 2469 + 2465, 3079), 3794, (3794, 110)),
        (JEV, "jev-1.13.0/clinc150", (1900, 1803, 1900), 1714, (1709, 42)),
        (JEV, "jev-1.13.0/email-routing-adversarial-v2", (1000, 911, 100), 800, (730, 13)),
        (JEV, "jev-1.13.0/email-routing-v2", (1000, 1000, 80), 1000, (0, 0)),
        (JEV, "jev-1.13.0/task-routing-v2", (1050, 727, 80), None, None),
        ("v1.0-laya", "laya/banking77", (3080, 1422, 3079), None, None),
        ("v1.0-laya", "laya/clinc150", (1900, 1666, 1900), 651, (393, 17)),
        ("v1.0-laya", "laya/task-routing-v2", (1050, 427, 80), None, None),
        (GEMINI, "gemini-3.6-flash/banking77", (3080, 2568, 3079), 441, (441, 6)),
        (GEMINI, "gemini-3.6-flash/clinc150", (1900, 1581 + 266, 1900), 1900, (1899, 53)),
        (GEMINI, "gemini-3.6-flash/task-routing-v2", (1050, 753, 80), 580, (580, 4)),
        ("v1.0-qwen3-8b-4bit", "Qwen3-8B-4bit/banking77/logprob", (3080, 2022, 3079), None, None),
        ("v1.0-qwen3-8b-4bit", "Qwen3-8B-4bit/task-routing-v2", (1033, 369, 80), None, None),
    ],
)
def test_reading_r101_choices_and_what_a_judge_decides_alone_are_as_counted(
    tag: str,
    setting: str,
    counts: tuple[int, int, int],
    kept: int | None,
    held_out: tuple[int, int] | None,
) -> None:
    rows, right, items = counts
    accuracy = label_figures(tag)[setting]["accuracy"]
    assert (accuracy["n"], accuracy["items"]) == (rows, items)
    assert accuracy["value"] == pytest.approx(right / rows, abs=CLOSE)

    groups = json.loads((SNAPSHOTS / tag / "metrics.json").read_text())["figures"]["groups"]
    (labels,) = (group["labels"] for group in groups if group["settings"] == [setting])
    alone = labels["alone"]["0.05"]
    if kept is None:
        assert alone["threshold"] is None
    else:
        assert alone["kept"]["value"] == pytest.approx(kept / rows, abs=CLOSE)
        assert (alone["held_out"]["n"], alone["held_out"]["wrong"]) == held_out


def test_reading_r101_a_judge_that_was_asked_three_times_is_held_against_itself() -> None:
    """Of 3 x 3,080 pairs of askings on BANKING77 Jev gave one label in 9,081."""
    again = label_figures(JEV)["jev-1.13.0/banking77"]["repeat_consistency_all"]
    assert (again["n"], again["value"]) == (9240, pytest.approx(9081 / 9240, abs=CLOSE))
