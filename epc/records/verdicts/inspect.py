"""Logs of Inspect AI in their JSON form: scores that a model gave.

A score is a model's where its metadata hold the `grading`, the request and the answer. The answer
names the model that gave it. Of a panel, whose graders vote, the log holds only the vote and one of
the answers: that is the panel's score, and nobody's answer. One sample's score is a single score of
candidate a, its submission.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from epc.json_text import storable
from epc.records.verdicts.converting import Conversion, Request, day_of, digest, file_of
from epc.records.verdicts.types import UNKNOWN, Name, faults
from epc.records.verdicts.work import Work, answered, decoding_of, graded, setting_of

EXPECTED: Final = (
    "a log of Inspect AI, or a folder with such, as JSON (`inspect log convert --to json`): "
    "{version: 2, eval: {task, model, created}, samples: [{id, epoch, input, scores: {NAME: {value,"
    " answer, explanation, metadata: {grading: [request, answer]}}}}]}"
)
FAULTS: Final = faults(
    {
        "template": "The log does not hold the template that the judge was asked with.",
        "reference": "What the criterion was is part of the prompt; it is no label of the judge.",
        "panel": "A panel's vote hides what its graders said. In old logs a grader that failed "
        "voted for a failed sample.",
    },
)
_LOGS: Final = "**/*.json"
_VERSION: Final = 2
T = TypeVar("T")
_FAILED: Final = "Grade not found in model output"  # stood beside the grade I before it was NaN
_SEVERAL: Final = "scores of several values"
_UNNAMED: Final = "grades that are no number (--label GRADE=NUMBER says what one is worth)"
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


class _Model(Struct, frozen=True):
    """A model as an object. What else it holds is private: addresses, headers, arguments."""

    model: Name
    config: dict[str, Any] | None = None


class _Params(Struct, frozen=True):
    """Parameters of a scorer: models, or scorers that have some."""

    model: Any = None
    template: Any = None
    reducer: Any = None
    scorers: Any = None


class _Part(Struct, frozen=True):
    params: _Params


class _Scorer(Struct, frozen=True):
    """A scorer by the evaluation's plan; a log without results has nothing else of it."""

    name: str
    options: _Params | None = None


class _Eval(Struct, frozen=True):
    task: str
    model: str
    created: str
    run_id: str = ""
    task_id: str = ""
    model_roles: dict[str, Any] | None = None
    scorers: list[_Scorer] | None = None


class _ScorerResult(Struct, frozen=True):
    name: str
    scorer: str
    params: _Params = _Params()


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
    work, keys = Work(source=folder, request=request, expected=EXPECTED), set[tuple[Any, ...]]()
    for path in work.paths(pattern):
        log = _log(path, work)
        for sample in (log.samples or ()) if log else ():
            key = (log.eval.run_id, log.eval.task_id, sample.id, sample.epoch)
            if log.invalidated or sample.invalidation is not None:
                work.left_out[_INVALID] += 1
            elif key in keys:
                work.left_out[_COPIED] += 1
            else:
                keys.add(key)
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
    if isinstance(score.value, dict | list):
        work.left_out[_SEVERAL] += 1
        return
    setting, is_panel = _setting(log, name, grading[-1], work)
    explanation = "" if is_panel else score.explanation or ""
    value = None if explanation.startswith(_FAILED) else score.value
    grade = graded(value, work.request.labels)
    if grade is None:
        work.left_out[_UNNAMED] += 1
        return
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
        date=day_of(sample.completed_at or log.eval.created),
        **work.repeat(setting, item),
        **submission,
        **grade,
        **(answered(explanation.removeprefix(f"{_FAILED}: ")) if explanation else {}),
    )


def _text(content: Any) -> str:
    """Return the text of an input or a message: itself, or that of its parts."""
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, dict):
        return _text(content.get("content", content.get("text", "")))
    return "\n".join(map(_text, content)) if isinstance(content, list) else ""


def _setting(log: _Log, name: str, answer: Any, work: Work) -> tuple[str, bool]:
    """State who graded: the model that the answer names, and what the log says it was asked with.

    Inspect asks the scorer's own models, else those of the role `grader`, else the evaluated one.
    Say also whether they are a panel.
    """
    results = log.results.scores if log.results else ()
    result = next((score for score in results if score.name == name), None)
    options = next(
        (scorer.options for scorer in log.eval.scorers or () if scorer.name == name), None
    )
    params = result.params if result else options or _Params()
    role = (log.eval.model_roles or {}).get("grader")
    graders = [*_graders(params)] or [*_models(role)] or [(log.eval.model, {})]
    template = params.template
    configs = [config for _, config in graders]
    answer_model = answer.get("model") if isinstance(answer, dict) else None
    judge, note = graders[0][0], None
    platforms = {judge.partition("/")[0] if "/" in judge else UNKNOWN for judge, _ in graders}
    if len(graders) > 1:
        judge, answer_model = f"panel of {', '.join(model for model, _ in graders)}", None
        named = isinstance(params.reducer, str)
        by = params.reducer if named else "a rule that the log leaves out"
        note = f"each score is a vote by {by}"
    setting = setting_of(
        judge,
        str(answer_model or UNKNOWN),
        platform=platforms.pop() if len(platforms) == 1 else UNKNOWN,
        prompt=result.scorer if result else name,
        sha256=digest(template) if isinstance(template, str) else UNKNOWN,
        decoding=configs[0] if all(config == configs[0] for config in configs) else UNKNOWN,
        note=note,
    )
    return work.setting(f"{name}/{answer_model or judge}", setting), len(graders) > 1


def _graders(params: _Params) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the models that a scorer asks, each with its decoding; a scorer may be of several."""
    yield from _models(params.model)
    for part in _of_kind(params.scorers, _Part):
        yield from _graders(part.params)


def _models(models: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the models of a name, of an object or of a list, with what is known of decoding."""
    listed = models if isinstance(models, list) else [models]
    objects = [{"model": model} if isinstance(model, str) else model for model in listed]
    for model in _of_kind(objects, _Model):
        yield model.model, decoding_of(model.config or {})


def _of_kind(values: Any, kind: type[T]) -> Iterator[T]:
    """Yield the values of a list that are of a kind: scorers that others wrote have any."""
    for value in values if isinstance(values, list) else ():
        with suppress(msgspec.ValidationError):
            yield msgspec.convert(value, kind)
