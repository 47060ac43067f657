"""Figures of recorded verdicts as documents of Every Eval Ever, a public schema for evaluations.

The judge is the evaluated model. A document holds one judge, a result each figure of each way in
which it was asked. A figure whose best value is in the middle (0.5: no preference) has no place in
that schema and stays out. Source: Every Eval Ever 0.3.0, `eval.schema.json`.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from epc.analysis.verdicts import Group, Report
from epc.records.verdicts.types import UNKNOWN, Judge, Setting, Source
from epc.statistics.figures import ClusteredFigure
from epc.version import __version__

if TYPE_CHECKING:
    from epc.protocol.results import Json

SCHEMA_VERSION: Final = "0.3.0"
_LOWER_IS_BETTER: Final[Mapping[str, bool]] = {
    "place_consistency": False,
    "place_consistency_readable": False,
    "accuracy": False,
    "accuracy_gold_first": False,
    "accuracy_gold_second": False,
    "repeat_consistency": False,
    "repeat_consistency_all": False,
    "humans_mean": False,
    "humans_majority": False,
    "humans_others": False,
    "unreadable": True,
}
_ARGUMENTS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "temperature": (int, float),
    "top_p": (int, float),
    "top_k": (int, float),
    "max_tokens": int,
}
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._+-]+")


def documents(report: Report, retrieved: datetime) -> "Iterator[tuple[str, Json]]":
    """Yield the path of each judge's document, and the document.

    The path is the one of that project's store; its number follows from what is evaluated.
    """
    collection = f"observed-{_NO_NAME.sub('-', report.source.name).lower()}"
    judges: dict[tuple[str, str], list[Group]] = {}
    for group in report.groups:
        judge = group.setting.judge
        judges.setdefault((judge.called, judge.platform), []).append(group)
    for (model, platform), groups in judges.items():
        results = [result for group in groups for result in _results(group, report.source)]
        if results:
            identity = f"{collection}/{model}/{retrieved.timestamp()}"
            number = UUID(bytes=sha256(f"{identity}/{platform}".encode()).digest()[:16], version=4)
            developer, _, name = model.rpartition("/")
            path = "/".join(_NO_NAME.sub("-", segment) for segment in (developer or UNKNOWN, name))
            yield (
                f"data/{collection}/{path}/{number}.json",
                {
                    "schema_version": SCHEMA_VERSION,
                    "evaluation_id": identity,
                    "retrieved_timestamp": str(retrieved.timestamp()),
                    "source_metadata": _source(report.source),
                    "eval_library": {"name": "epc", "version": __version__},
                    "model_info": _model_info(groups[0].setting.judge),
                    "evaluation_results": results,
                },
            )


def _source(source: Source) -> "Json":
    return {
        "source_name": source.name,
        "source_type": "documentation",
        "source_organization_name": source.name,
        "evaluator_relationship": "third_party",
        "additional_details": {
            "commit": source.commit,
            "licence": source.licence,
            "state": "verdicts recorded by others; says nothing of today",
        },
    }


def _model_info(judge: Judge) -> "Json":
    platform = {} if judge.platform == UNKNOWN else {"inference_platform": judge.platform}
    return {
        "name": judge.name,
        "id": judge.called,
        **platform,
        # Nobody stated either, and a name does not say it.
        "additional_details": {"deployment_type": UNKNOWN, "model_availability": UNKNOWN},
    }


def _results(group: Group, source: Source) -> "Iterator[Json]":
    for name, lower in _LOWER_IS_BETTER.items():
        if name in group.figures:
            yield {
                "evaluation_result_id": f"{group.settings[0]}/{name}",
                "evaluation_name": f"{source.name}/{group.settings[0]}",
                "source_data": _data(source),
                "metric_config": {
                    "metric_id": f"epc.observed.{name}",
                    "metric_unit": "proportion",
                    "lower_is_better": lower,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": 1,
                },
                "score_details": _score(group.figures[name]),
                "generation_config": _generation(group.setting),
            }


def _data(source: Source) -> "Json":
    if source.repository == UNKNOWN:
        return {"dataset_name": source.name, "source_type": "other"}
    return {"dataset_name": source.name, "source_type": "url", "url": [source.repository]}


def _score(figure: ClusteredFigure) -> "Json":
    interval: dict[str, Any] = {}
    if figure.ci95:
        method = "Wilson at the effective number of observations, clustered by item"
        lower, upper = figure.ci95
        bounds = {"lower": lower, "upper": upper, "confidence_level": 0.95, "method": method}
        interval = {"confidence_interval": bounds}
    details = {"items": str(figure.items)}
    uncertainty = {**interval, "num_samples": figure.n}
    return {"score": figure.value, "details": details, "uncertainty": uncertainty}


def _generation(setting: Setting) -> "Json":
    decoding = setting.decoding if isinstance(setting.decoding, dict) else {}
    settings = {
        name: decoding[name]
        for name, kind in _ARGUMENTS.items()
        if isinstance(decoding.get(name), kind)
    }
    details = {
        "prompt": setting.prompt.name,
        "prompt_sha256": setting.prompt.sha256,
        "date": setting.date,
    }
    note = {"note": setting.note} if setting.note else {}
    return {"generation_args": settings, "additional_details": {**details, **note}}
