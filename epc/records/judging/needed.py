"""The files of a complete evaluation without which it could not be checked again."""

from pathlib import Path

from epc.records.judging.competence import parts
from epc.records.judging.documents import Plan
from epc.records.judging.evaluation_set import EvaluationSet, output_path
from epc.records.judging.layout import (
    CALLS,
    INVALID,
    LABELS,
    MAPPING,
    PLAN,
    PROMPT_MANIFEST,
    README,
    RUN_LOG,
    SAMPLES,
    is_complete,
    load_plan,
    records_path,
)
from epc.records.judging.prompts import prompt_path
from epc.spec.judge_v1 import METHODS


def published(folder: Path, plan: Plan) -> list[str]:
    """Return all that is given away of an evaluation, beside plan and run log.

    Beside what it needs, that is what tested its judge and what people said of its outputs.

    Raises: MalformedError if the samples cannot be used.
    """
    labels = [LABELS] if (folder / LABELS).is_file() else []
    return sorted([*needed(folder, plan), *_of_competence(folder), *labels])


def _of_competence(folder: Path) -> list[str]:
    """Return the paths of every complete evaluation that tests a judge of the set."""
    return sorted(
        (part / name).relative_to(folder).as_posix()
        for part in parts(folder)
        if is_complete(part)
        for name in (PLAN, RUN_LOG, *needed(part, load_plan(part)))
    )


def needed(folder: Path, plan: Plan) -> list[str]:
    """Return their paths in the folder, beside those of plan and run log.

    They follow from the plan, so whatever else lies in the folder is none of them.

    Raises: MalformedError if the samples cannot be used.
    """
    outputs = {row.output_sha256 for row in EvaluationSet(folder, plan).rows}
    paths = [
        folder / SAMPLES,
        folder / CALLS,
        folder / PROMPT_MANIFEST,
        folder / INVALID / README,
        *(output_path(folder, digest) for digest in outputs),
        *(prompt_path(folder, prompt.id) for prompt in plan.prompts.values()),
        *(records_path(folder, valid=v, method=m) for v in (True, False) for m in METHODS),
    ]
    if plan.mapping:
        paths.append(folder / MAPPING)
    return sorted({path.relative_to(folder).as_posix() for path in paths})
