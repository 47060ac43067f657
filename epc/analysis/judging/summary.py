"""What an evaluation came to, as one value: text, CSV and pictures are made from it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from epc.analysis.judging.agreement import between_judges
from epc.analysis.judging.drift import Evaluated, drift
from epc.analysis.judging.shares import (
    AXES,
    accuracy,
    counted,
    evidence,
    groups,
    judgments_of,
)
from epc.errors import Finding
from epc.protocol.results import Json
from epc.records.judging.layout import load_plan, load_run_log
from epc.records.typed import as_json
from epc.spec.judge_v1 import CROSS, PROTOCOL, SELF

_FEW_VALID: Final = 0.5


def summary(folders: Sequence[Path]) -> Json:
    """Return the report of one evaluation or several; drift compares each with the one before.

    Self-judgments stand apart: `primary` is cross-judging alone (JUDGE-1.2). `findings` say why a
    drift is not stated.

    Raises: UsageError if a folder is no complete evaluation.
    """
    evaluated = sorted(map(_load, folders), key=lambda one: one.log.time["to"] or "")
    changes = [each for pair in pairwise(evaluated) for each in drift(*pair)]
    return {
        "protocol": PROTOCOL,
        "evaluations": [_summarised(one) for one in evaluated],
        "drift": [each for each in changes if not isinstance(each, Finding)],
        "findings": [each.as_json() for each in changes if isinstance(each, Finding)],
    }


def _load(folder: Path) -> Evaluated:
    log = load_run_log(folder)
    return Evaluated(
        name=str(folder), plan=load_plan(folder), log=log, judgments=judgments_of(folder)
    )


def _summarised(one: Evaluated) -> Json:
    by_method = {
        method: [judgment for judgment in one.judgments if judgment.method == method]
        for method in (CROSS, SELF)
    }
    sections = {
        name: {
            "all": counted(by_method[method]),
            **{axis: groups(by_method[method], axis) for axis in AXES},
        }
        for name, method in (("primary", CROSS), ("self_judging", SELF))
    }
    found: Json = {
        "name": one.name,
        "time": as_json(one.log.time),
        "origin": one.log.origin,
        "prompts": as_json(one.plan.prompts),
        "constraint": one.plan.constraint,
        "mapping": as_json(one.plan.mapping),
        "judges": as_json(one.log.judges),
        "malformed": as_json(one.log.malformed),
        "totals": as_json(one.log.totals),
        **sections,
        "evidence": evidence(one.judgments),
        "agreement": between_judges(one.judgments),
        "accuracy": accuracy(one.judgments),
    }
    return {**found, "remarks": list(_remarks(one, found))}


def _remarks(one: Evaluated, found: Json) -> Iterator[str]:
    """Yield in words what a reader must know before believing the numbers."""
    judged = found["primary"]["all"]
    if not judged["samples"]:
        yield "there is no cross-judging here, so there are no primary statistics"
    elif not judged["valid"]:
        yield (
            "no cross-judgment is valid: this says something about the judges, "
            "and nothing about the outputs"
        )
    for group in _by_judge(found):
        judge, rows = group["value"], group["samples"]
        if group["valid"] < _FEW_VALID * rows:
            yield (
                f"{judge}: {group['valid']} of {rows} evaluations are valid; "
                "what such a judge scores is no evidence about the outputs"
            )
        elif rows > 1 and group["overall_score"]["ci95"] in _constant(group):
            yield f"{judge} gives every output the same overall score, so it tells nothing apart"
    for judge in one.log.judges:
        if len(judge.served_models) > 1:
            served = ", ".join(sorted(judge.served_models))
            yield f"{judge.model}: the provider served several models ({served})"
    if (malformed := one.log.malformed) and malformed.asked_again:
        yield (
            f"{malformed.asked_again} malformed replies were asked again, "
            f"{malformed.mended} mended; "
            "these are not first replies"
        )


def _by_judge(found: Json) -> Iterator[Json]:
    """Yield each judge's counts, by cross-judging if it did any."""
    cross = {group["value"]: group for group in found["primary"]["judge_model"]}
    own = {group["value"]: group for group in found["self_judging"]["judge_model"]}
    for judge in sorted(cross | own):
        yield cross.get(judge) or own[judge]


def _constant(group: Json) -> list[list[float]]:
    """Return the interval of a mean that never varies."""
    mean = group["overall_score"]["mean"]
    return [[mean, mean]]
