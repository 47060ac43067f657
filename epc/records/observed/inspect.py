"""Logs of Inspect AI in their JSON form: scores that a model gave.

A score is a model's where its metadata hold the `grading`, the request and the answer. The answer
names the model that gave it. One sample's score is a single score of candidate a, its submission.
"""

import json
from glob import escape
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from epc.json_text import storable
from epc.records.observed.converting import Conversion, Request, digest, file_of
from epc.records.observed.types import UNKNOWN, faults
from epc.records.observed.work import Work, answered, decoding_of, setting_of

EXPECTED: Final = (
    "a log of Inspect AI, or a folder with such, as JSON (`inspect log convert --to json`): "
    "{version: 2, eval: {task, model, created}, samples: [{id, epoch, input, scores: {NAME: {value,"
    " answer, explanation, metadata: {grading: [request, answer]}}}}]}"
)
FAULTS: Final = faults(
    {
        "template": "The log does not hold the template that the judge was asked with.",
        "reference": "What the criterion was is part of the prompt; it is no label of the judge.",
    },
)
_LOGS: Final = "**/*.json"
_VERSION: Final = 2
_GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0}
_NOT_GRADED: Final = "scores without a model's grading"
_EDITED: Final = "scores that a person edited afterwards"
_INVALID: Final = "samples that were declared invalid"
_COPIED: Final = "copies of a sample in another log"


class _Score(Struct, frozen=True):
    value: Any
    answer: str | None = None
    explanation: str | None = None
    metadata: dict[str, Any] | None = None
    history: list[Any] = []


class _Sample(Struct, frozen=True):
    id: int | str
    epoch: int
    input: str | list[dict[str, Any]]
    scores: dict[str, _Score] | None = None
    invalidation: Any = None
    completed_at: str | None = None


class _Eval(Struct, frozen=True):
    task: str
    model: str
    created: str
    run_id: str = ""
    task_id: str = ""
    model_roles: dict[str, dict[str, Any]] | None = None


class _ScorerResult(Struct, frozen=True):
    name: str
    scorer: str
    params: dict[str, Any] = {}


class _Results(Struct, frozen=True):
    scores: list[_ScorerResult] = []


class _Log(Struct, frozen=True):
    version: int
    eval: _Eval
    results: _Results | None = None
    samples: list[_Sample] | None = None
    invalidated: bool = False


def convert(source: Path, request: Request) -> Conversion:
    """Return every score that a model gave in a log, or in a folder's logs, as a verdict."""
    folder, pattern = (source, _LOGS) if source.is_dir() else (source.parent, escape(source.name))
    work, seen = Work(source=folder, request=request, expected=EXPECTED), set[tuple[Any, ...]]()
    for path in work.paths(pattern):
        log = _log(path, work)
        for sample in (log.samples or ()) if log else ():
            key = (log.eval.run_id, log.eval.task_id, sample.id, sample.epoch)
            if log.invalidated or sample.invalidation is not None:
                work.left_out[_INVALID] += 1
            elif key in seen:
                work.left_out[_COPIED] += 1
            else:
                seen.add(key)
                for name in sample.scores or ():
                    _add(name, sample, log, path.as_posix(), work)
    return work.done(name=source.name)


def _log(path: Path, work: Work) -> Any:
    """Return a log, or None and a finding; Inspect writes NaN for a score that there is not."""
    content = work.read(path)
    work.files[path.as_posix()] = file_of(path.as_posix(), content)
    try:
        value = json.loads(content, parse_constant=lambda _: None)
        log = msgspec.convert(value, _Log)
    except (ValueError, RecursionError) as error:
        work.wrong(path.as_posix(), str(error))
        return None
    if log.version != _VERSION:
        work.wrong(path.as_posix(), f"is of version {log.version}")
        return None
    return log


def _add(name: str, sample: _Sample, log: _Log, file: str, work: Work) -> None:
    score = (sample.scores or {})[name]
    grading = (score.metadata or {}).get("grading")
    if not isinstance(grading, list) or not grading or score.answer is None:
        work.left_out[_NOT_GRADED] += 1
        return
    if score.history:
        work.left_out[_EDITED] += 1
        return
    setting = _setting(log, name, grading[-1], work)
    submission = work.candidate("a", score.answer)
    item = f"{log.eval.task}/{sample.id}/{submission['a_sha256'][:12]}"
    work.add(
        f"{file}/{sample.id}/{name}",
        item=item,
        subset=log.eval.task,
        setting=setting,
        file=file,
        question_sha256=digest(_text(sample.input)),
        a_by=log.eval.model,
        date=(sample.completed_at or log.eval.created)[:10],
        **work.asked(setting, item),
        **submission,
        **_said(score.value),
        **(answered(score.explanation) if score.explanation else {}),
    )


def _said(value: Any) -> dict[str, Any]:
    """Return a grade or number as a score; a score that is not there is unreadable."""
    score = _GRADES.get(value) if isinstance(value, str) else value
    if isinstance(score, int | float):
        return {"a_score": float(score)}
    return {"verdict": "unreadable"}


def _text(content: Any) -> str:
    """Return the text of an input or a message: itself, or that of its parts."""
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, dict):
        return _text(content.get("content", content.get("text", "")))
    return "\n".join(map(_text, content)) if isinstance(content, list) else ""


def _setting(log: _Log, name: str, answer: Any, work: Work) -> str:
    """State who graded: the model that the answer names, and what the log says it was asked with.

    Inspect asks the scorer's own model, else that of the role `grader`, else the evaluated one.
    """
    scorers = log.results.scores if log.results else ()
    scorer = next((each for each in scorers if each.name == name), None)
    params = scorer.params if scorer else {}
    role = (log.eval.model_roles or {}).get("grader", {})
    grader = str(params.get("model") or role.get("model") or log.eval.model)
    stated = answer.get("model") if isinstance(answer, dict) else None
    platform, slash, _ = grader.partition("/")
    template = params.get("template")
    setting = setting_of(
        grader,
        str(stated or UNKNOWN),
        platform=platform if slash else UNKNOWN,
        prompt=scorer.scorer if scorer else name,
        sha256=digest(template) if isinstance(template, str) else UNKNOWN,
        decoding=decoding_of(role.get("config") or {}),
    )
    return work.setting(f"{name}/{stated or grader}", setting)
