"""Documents of Every Eval Ever, a public schema, from figures made by hand (Reading R77)."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs
from observed_support import SETTINGS

from epc.analysis.verdicts import Group, Report
from epc.analysis.verdicts_names import FIGURES
from epc.records.verdicts.types import Choices, Judge, Source
from epc.report.every_eval_ever import documents
from epc.statistics.figures import ClusteredFigure

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)  # 1767225600 seconds after 1970
SHARE = ClusteredFigure(value=0.75, ci95=(0.5, 1.0), n=9, items=8)
# Those whose best value lies at an end, and the only one of them whose best value is 0.
ENDS = {
    *("place_consistency", "place_consistency_readable"),
    *("accuracy", "accuracy_gold_first", "accuracy_gold_second"),
    *("repeat_consistency", "repeat_consistency_all"),
    *("humans_mean", "humans_majority", "humans_others"),
    "unreadable",
}


def group(judge: Judge, *settings: str, **figures: ClusteredFigure) -> Group:
    return Group(
        settings=settings,
        setting=replace(SETTINGS["one"], judge=judge),
        verdicts=9,
        items=8,
        equal_answers=0,
        equal_answers_other_verdict=0,
        figures=figures,
        left_out={},
        transfer=None,
        own_authors=(),
    )


def exported_documents(
    *groups: Group, repository: str = "https://s.example"
) -> list[tuple[str, Any]]:
    source = Source(
        name="A Source!", repository=repository, commit="abc", licence="MIT", texts=True
    )
    report = Report(
        rule=2,
        source=source,
        verdicts=9,
        items=8,
        duplicates=0,
        items_under_two_names=0,
        left_out={},
        groups=groups,
        pairs=(),
        choices=Choices(),
    )
    return list(documents(report, MOMENT))


KNOWN = Judge(name="J", model="maker/judge 1", platform="openai")
UNSTATED = Judge(name="J", model="unknown", platform="unknown")


def test_reading_r77_of_unreadable_answers_fewer_are_better_and_of_all_other_shares_more() -> None:
    ((_, document),) = exported_documents(group(KNOWN, "J/1", **dict.fromkeys(FIGURES, SHARE)))

    lower = {
        result["evaluation_result_id"]: result["metric_config"]["lower_is_better"]
        for result in document["evaluation_results"]
    }
    assert lower == {f"J/1/{name}": name == "unreadable" for name in ENDS}


def test_reading_r77_a_judge_has_one_document_with_all_ways_in_which_it_was_asked() -> None:
    ((path, document),) = exported_documents(
        group(KNOWN, "J/1", ties=SHARE, accuracy=SHARE), group(KNOWN, "J/2", "J/3", accuracy=SHARE)
    )

    *place, name = path.split("/")
    assert place == ["data", "observed-a-source-", "maker", "judge-1"]
    assert UUID(name.removesuffix(".json")).version == 4
    assert document["evaluation_id"] == "observed-a-source-/maker/judge 1/1767225600.0"
    assert document["model_info"]["id"] == "maker/judge 1"
    assert document["model_info"]["inference_platform"] == "openai"
    assert [result["evaluation_name"] for result in document["evaluation_results"]] == [
        "A Source!/J/1",
        "A Source!/J/2",
    ]
    assert exported_documents(group(KNOWN, "J/1", accuracy=SHARE))[0][0] == path, (
        "the figures name no file"
    )


def test_reading_r77_another_platform_is_another_document_and_an_unknown_one_is_not_stated() -> (
    None
):
    (left, right) = exported_documents(
        group(UNSTATED, "J/1", accuracy=SHARE),
        group(replace(UNSTATED, platform="openai"), "J/2", accuracy=SHARE),
    )

    assert left[0].rpartition("/")[0] == right[0].rpartition("/")[0]
    assert left[0] != right[0]
    assert left[0].startswith("data/observed-a-source-/unknown/J/")
    assert "inference_platform" not in left[1]["model_info"]
    assert right[1]["model_info"]["inference_platform"] == "openai"


def test_reading_r77_a_judge_without_such_a_figure_has_no_document() -> None:
    assert exported_documents(group(KNOWN, "J/1", first_place=SHARE, ties=SHARE)) == []


@pytest.mark.parametrize(
    ("figure", "interval"),
    [(SHARE, (0.5, 1.0)), (structs.replace(SHARE, ci95=None), None)],
)
def test_reading_r77_a_score_has_its_interval_if_it_has_one(
    figure: ClusteredFigure, interval: tuple[float, float] | None
) -> None:
    ((_, document),) = exported_documents(group(KNOWN, "J/1", accuracy=figure))

    (result,) = document["evaluation_results"]
    score = result["score_details"]
    assert (score["score"], score["details"]) == (0.75, {"items": "8"})
    assert score["uncertainty"]["num_samples"] == 9
    bounds = score["uncertainty"].get("confidence_interval")
    assert (bounds and (bounds["lower"], bounds["upper"], bounds["confidence_level"])) == (
        interval and (*interval, 0.95)
    )


def test_reading_r77_only_known_arguments_of_their_kinds_are_stated() -> None:
    sent_group = group(KNOWN, "J/1", accuracy=SHARE)
    decoding = {"temperature": 0.5, "top_p": "high", "max_tokens": 1.5, "top_k": 40, "stop": 1}
    own_group = replace(
        sent_group, setting=replace(sent_group.setting, decoding=decoding, note="a part")
    )

    ((_, document),) = exported_documents(own_group, repository="unknown")

    (result,) = document["evaluation_results"]
    assert result["generation_config"]["generation_args"] == {"temperature": 0.5, "top_k": 40}
    assert result["generation_config"]["additional_details"]["note"] == "a part"
    assert result["source_data"] == {"dataset_name": "A Source!", "source_type": "other"}
