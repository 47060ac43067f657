"""Records of earlier forms and rules, read as today's (Readings R71 and R90)."""

import json
from collections.abc import Mapping
from copy import deepcopy
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from observed_support import columns
from records_support import Run
from scipy import stats

from epc.records.checkout import ROOT
from epc.records.earlier import (
    current,
    earlier_word,
    keep_published,
    published_clusters,
    published_counts,
    published_intervals,
    published_summary,
)
from epc.records.manifest import Manifest
from epc.records.recompute import rewrite
from epc.records.verdicts.converting import digest

LATER = ("transfer", "length_correlation")


def published(tag: str, name: str) -> Any:
    return json.loads((ROOT / "snapshots" / tag / name).read_bytes())


def first_version(manifest: Mapping[str, Any]) -> Any:
    document = {key: deepcopy(part) for key, part in manifest.items() if key != "schema_version"}
    for key in LATER:
        del document["results"]["summary"][key]
    return document


@pytest.mark.parametrize(
    ("rule", "text"),
    [(1, "coupled (rule 1, 2026-11-22)"), (2, "coupled (rule 2, 2026-11-23)")],
)
def test_reading_r71_a_word_of_an_earlier_rule_is_text_with_its_number_and_date(
    rule: int, text: str
) -> None:
    assert str(earlier_word("coupled", rule)) == text


def test_reading_r71_a_word_of_todays_rule_is_no_earlier_one() -> None:
    assert earlier_word("coupled", 4) is None


@pytest.mark.parametrize(
    ("stated", "tasks", "today"),
    [
        ("EPC-v1.0", 7, "EPC-v1.0-AltTasks"),
        ("EPC-v1.0-AltEvaluator", 7, "EPC-v1.0-AltEvaluator+AltTasks"),
        ("EPC-v1.0", 8, "EPC-v1.0"),
        ("EPC-v1.0-AltTasks", 7, "EPC-v1.0-AltTasks"),
    ],
)
def test_reading_r90_a_first_manifest_of_few_tasks_is_read_with_todays_tag(
    stated: str, tasks: int, today: str
) -> None:
    document = {"protocol_version": stated, "tasks": {"text": ["t"] * tasks, "visual": ["v"] * 8}}

    assert current(document)["protocol_version"] == today
    assert current({**document, "schema_version": 2})["protocol_version"] == stated
    assert document["protocol_version"] == stated


def test_a_first_manifest_is_valid_and_recomputed_it_is_todays(flip: Run) -> None:
    """Nothing is lost: from the same trials today's form follows whole."""
    today = flip.manifest()
    flip.save(first_version(today))

    parsed = flip.parsed()

    assert flip.validate().findings == []
    assert rewrite(flip.folder, write=False).changed == []
    assert parsed.document == first_version(today)
    assert (parsed.groups, parsed.results.summary.transfer) == (None, None)
    rewrite(flip.folder, write=True)
    assert flip.manifest() == today


@pytest.mark.parametrize("key", LATER)
def test_a_first_manifest_knows_nothing_that_came_later(flip: Run, key: str) -> None:
    today = flip.manifest()
    document = first_version(today)
    document["results"]["summary"][key] = today["results"]["summary"][key]
    flip.save(document)

    assert f"/results/summary/{key}" in {finding.where for finding in flip.validate().findings}


def test_reading_r71_a_measurement_published_under_rule_2_keeps_its_figures() -> None:
    """Everything else that is recomputed counts."""
    document = published("v1.2-MiniLM-L6-Relevance", "manifest.json")
    stated_summary = document["results"]["summary"]
    again = deepcopy(stated_summary) | {"transfer": {"rule": 4, "test": None}}

    assert stated_summary["transfer"]["rule"] == 2
    assert published_summary(again, document) == stated_summary
    assert published_summary(again | {"gamma": None}, document) == stated_summary | {"gamma": None}


def test_reading_r102_figures_of_rule_3_are_todays_and_are_recomputed(flip: Run) -> None:
    document = flip.manifest()
    again = deepcopy(document["results"]["summary"])
    document["results"]["summary"]["transfer"]["rule"] = 3
    stated = document["results"]["summary"]

    assert published_summary(again, document) == stated
    again["transfer"]["units"] = {}
    assert published_summary(again, document) != stated
    assert Manifest.parse(document).results.summary.transfer is not None


def test_reading_r102_a_word_of_rule_3_stays_and_its_figures_are_recomputed() -> None:
    stated: dict[str, Any] = {"rule": 3, "word": "coupled", "carried": {"d": 1}, "detectable": 0.1}
    now: dict[str, Any] = {"rule": 4, "word": "inconclusive", "detectable": 0.2, "unchecked": True}
    again = {"groups": [{"transfer": now}]}

    keep_published(again, {"groups": [{"transfer": stated}]})

    assert again["groups"][0]["transfer"] == stated | {"detectable": 0.2}


def test_reading_r71_figures_behind_a_word_of_an_earlier_rule_are_none_of_todays() -> None:
    document = published("v1.2-MiniLM-L6-Relevance", "manifest.json")

    manifest = Manifest.parse(document)

    assert manifest.results.summary.transfer is None
    assert manifest.document["results"]["summary"]["transfer"]["rule"] == 2


def test_reading_r71_figures_of_todays_rule_are_held_against_what_is_recomputed(
    flip: Run,
) -> None:
    document = flip.manifest()
    repeated_summary = deepcopy(document["results"]["summary"])
    repeated_summary["transfer"]["test"] = None

    assert published_summary(repeated_summary, document) == repeated_summary
    assert flip.parsed().results.summary.transfer is not None


def test_reading_r76_answers_that_were_none_count_where_origins_were_counted() -> None:
    counted = {"calls": 4, "no_answer": {"evaluator": {"length": 1}}}

    assert published_counts(counted, {"calls": 4, "origins": {}}) == counted
    assert published_counts(counted, {"calls": 4}) == {"calls": 4}


def test_reading_r71_verdicts_published_under_rule_2_keep_their_figures() -> None:
    stated_figures = published("v1.0-PandaLM-7B", "metrics.json")["figures"]
    (earlier,) = (deepcopy(group["transfer"]) for group in stated_figures["groups"])
    again = deepcopy(stated_figures)
    again["groups"][0]["transfer"] |= {"rule": 4, "detectable": 0.5}
    today = deepcopy(again)

    keep_published(again, stated_figures)

    assert "rule" not in earlier  # reports stated none then
    assert again == stated_figures
    keep_published(again, today)
    assert again["groups"][0]["transfer"] == earlier, "what is recomputed is held against today's"


def test_a_figure_that_no_group_knew_when_it_was_published_is_not_held_against_it() -> None:
    """A figure counts as known where a group has it, or says why it is left out."""
    stated_record: dict[str, Any] = {
        "groups": [{"figures": {"ties": 1}, "left_out": {"accuracy": "no gold label"}}]
    }
    repeated_record = deepcopy(stated_record)
    repeated_record["groups"][0]["figures"]["tie_consistency"] = 2
    repeated_record["groups"][0]["left_out"]["longer"] = "no lengths"
    otherwise: dict[str, Any] = {
        "groups": [{"figures": {"ties": 1, "accuracy": 2}, "left_out": {}}]
    }

    keep_published(repeated_record, stated_record)
    keep_published(otherwise, stated_record)

    assert repeated_record == stated_record
    assert otherwise["groups"][0]["figures"] == {"ties": 1, "accuracy": 2}


def test_figures_that_state_no_rule_cluster_items_of_a_question_that_share_a_candidate() -> None:
    items = [
        ("q", "a", "base"),
        ("q", "b", "base"),  # joined with the first by the baseline
        ("q", "b", ""),  # scores of single candidates
        ("q", "c", ""),
        ("r", "a", "base"),
        ("", "a", "base"),
        ("", "a", "base"),
        ("q", "d", "a"),  # joined with the first by its other candidate
        ("r", "b", ""),
    ]
    lines = []
    for number, (question, a, b) in enumerate(items):
        line = {"item": f"{number}", "setting": "one", "file": "f", "a_length": 1}
        line |= {"a_sha256": digest(a), "a_score": 1} | ({"b_length": 1, "b_score": 0} if b else {})
        stated = {"question_sha256": question, "b_sha256": b}
        lines.append(line | {key: digest(text) for key, text in stated.items() if text})
    clusters = published_clusters({"n": 9})
    assert clusters is not None

    cluster, unit = clusters(columns(*lines)[1])

    ids = cluster.tolist()
    assert [ids.index(name) for name in ids] == [0, 0, 2, 3, 4, 5, 6, 0, 8]
    assert unit.tolist() == [-1] * 9  # each verdict weighs alike


def test_figures_that_state_a_rule_cluster_as_todays_do() -> None:
    assert published_clusters({"n": 9, "rule": 2}) is None


@pytest.mark.parametrize(
    ("figures", "earlier"), [({"n": 9}, True), ({"rule": 2}, True), ({"rule": 3}, False)]
)
def test_reading_r102_published_figures_keep_the_intervals_of_their_rule(
    figures: dict[str, int], *, earlier: bool
) -> None:
    share = published_intervals(figures).share
    hits = np.array([0.6, 0.8] * 20)  # of ten askings on each of 40 items

    _, interval = share(hits, np.ones(40), np.arange(40), verdicts=400)

    # The variance is 0.1 ** 2 / 39: as of 819 coins. The earlier rule took one coin an item.
    n = (40 if earlier else 400) * (1.959963984540054 / stats.t.isf(0.025, 39)) ** 2
    middle = (0.7 + 1.9207294 / n) / (1 + 3.8414588 / n)
    half = sqrt(0.21 * 3.8414588 / n + 1.9207294**2 / n**2) / (1 + 3.8414588 / n)
    assert interval == pytest.approx((middle - half, middle + half))


def test_reading_r102_an_earlier_rule_states_its_number_again() -> None:
    again = {"rule": 3, "groups": []}

    keep_published(again, {"rule": 2, "groups": []})

    assert again == {"rule": 2, "groups": []}


def test_reading_r101_a_threshold_that_a_record_says_it_has_none_of_stays_left_out() -> None:
    again = {"groups": [{"figures": {}, "left_out": {"ece": "none"}}]}
    published = {"groups": [{"figures": {}, "left_out": {"ece": "none", "kept": "no confidence"}}]}

    keep_published(again, published)

    assert again == published


def test_no_other_module_knows_a_schema_version_or_an_earlier_rule() -> None:
    """Each asks `earlier`, or takes what it has read."""
    branches = ("schema_version ==", "schema_version >", "rule < RULE", "rule == RULE")
    modules = [path for path in Path(ROOT / "epc").rglob("*.py") if path.name != "earlier.py"]

    names = [path.name for path in modules if any(b in path.read_text() for b in branches)]

    assert names == []
