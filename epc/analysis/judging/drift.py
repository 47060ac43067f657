"""How a judge's word on the very same outputs changed from one evaluation to the next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from epc.analysis.judging.agreement import compared, ratings_by
from epc.analysis.judging.results import Drifted
from epc.analysis.judging.shares import Judgment, judgments_of
from epc.analysis.sharing import is_one
from epc.errors import Finding
from epc.judge.samples import Unit
from epc.protocol.results import Json
from epc.records.judging.documents import Plan, RunLog
from epc.records.judging.layout import load_plan, load_run_log
from epc.spec.judge_v1 import METHODS, Method


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A complete evaluation: its name, its plan, its log, its judgments."""

    name: str
    plan: Plan
    log: RunLog
    judgments: Sequence[Judgment]


def evaluated(folder: Path) -> Evaluated:
    """Return a complete evaluation.

    Raises: UsageError if it is not.
    """
    return Evaluated(
        name=str(folder),
        log=load_run_log(folder),
        plan=load_plan(folder),
        judgments=judgments_of(folder),
    )


def drift(before: Evaluated, after: Evaluated) -> Iterator[Drifted | Finding]:
    """Yield how each judge's scores of the same outputs changed, by method.

    Where the two were not judged under the same conditions, a finding that names what differs
    stands in the row's place. Cross- and self-judging have a row each. What both evaluations have
    the one answer to is left out, and counted as `shared`: an answer agrees with itself (Reading
    R76).
    """
    same = _outputs(before) & _outputs(after)
    for method in METHODS:
        old, new = (
            ratings_by(method, (j for j in one.judgments if (j.unit, j.output_sha256) in same))
            for one in (before, after)
        )
        for judge in sorted(old.keys() & new.keys()):
            sides = [conditions(one.plan, judge, method) for one in (before, after)]
            differing = [name for name in sides[0] if sides[0][name] != sides[1][name]]
            # What names change is no drift: it is stated as what it is.
            if differing not in ([], ["names"]):
                yield _unlike(before, after, f"{judge} ({method})", differing)
                continue
            shared = _shared(old[judge], new[judge])
            left, right = (
                {unit: judgment for unit, judgment in side.items() if unit not in shared}
                for side in (old[judge], new[judge])
            )
            yield Drifted(
                before=before.name,
                after=after.name,
                times=tuple(one.log.time["to"] for one in (before, after)),
                judge=judge,
                method=method,
                blind=(before.plan.blind, after.plan.blind),
                shared=len(shared),
                compared=compared(left, right),
            )


def _shared(old: Mapping[Unit, Judgment], new: Mapping[Unit, Judgment]) -> set[Unit]:
    """Return the units to which both evaluations have one and the same answer."""
    pairs = ((unit, old[unit].answer, new[unit].answer) for unit in old.keys() & new.keys())
    return {unit for unit, first, second in pairs if first and second and is_one(first, second)}


def _outputs(one: Evaluated) -> set[tuple[object, str]]:
    return {(judgment.unit, judgment.output_sha256) for judgment in one.judgments}


# Reading R27: drift is between evaluations under the same prompt, mapping, constraint, method and
# decoding. Imported replies state neither prompt nor decoding: known and unknown are not the same.
def conditions(plan: Plan, judge: str, method: Method) -> Json:
    """Return what a judge's scores by a method depend on besides the judge and the outputs."""
    (decoding,) = [planned.decoding for planned in plan.judges if planned.model == judge]
    return {
        "names": plan.blind,
        "prompt": plan.prompts.get(method),
        "mapping": plan.mapping,
        "constraint": plan.constraint,
        "decoding": decoding,
    }


def _unlike(before: Evaluated, after: Evaluated, who: str, differing: list[str]) -> Finding:
    return Finding(
        clause="Reading R27",
        where="/drift",
        problem=f"{who}: no drift is stated from {before.name} to {after.name}: "
        f"another {', another '.join(differing)}",
        remedy=f"judge the same outputs again with the same {' and '.join(differing)}",
    )
