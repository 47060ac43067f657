"""Exports of tracing and evaluation programs: scores that judges gave single outputs.

Each program has its own fields and lacks others, which its known faults name. An export that says
of a score that a person or a program gave it holds no verdict of a judge. Where nobody says who
gave it, `--set judge=MODEL` does. A score is one of candidate a, the output; without its text the
output is known by the name of what was evaluated: a span, a trace, a run.

Over 400 lines: the formats are rows of one table, behind the few functions that all of them use.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from glob import escape
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from epc.records.csv_tables import table_of
from epc.records.findings import Causes
from epc.records.verdicts.aliases import (
    A_SCORE,
    VERDICT,
)
from epc.records.verdicts.checking import CLAUSE
from epc.records.verdicts.converting import (
    FAILS,
    Conversion,
    Request,
    Shape,
    day_of,
    digest,
    file_of,
)
from epc.records.verdicts.types import UNKNOWN, Setting, faults
from epc.records.verdicts.work import Work, answered, as_text, graded, setting_of

JUDGE, PERSON, PROGRAM = "judge", "person", "program"
_GIVEN_BY: Final = {
    PERSON: "scores by people",
    PROGRAM: "scores by programs",
    UNKNOWN: "scores of which nobody says who gave them (--set judge=MODEL says it)",
}
_FAILED: Final = "scores that failed, of which nobody says which judge was asked"
_LABELS: Final = "labels that are no number (--label LABEL=NUMBER says what one is worth)"
_OVERRIDDEN: Final = "scores that a later one overrode"
_WORTH: Final = {"pass": "1", "passed": "1", "fail": "0", "failed": "0"}
_EVENT: Final = "gen_ai.evaluation.result"

Fields = dict[str, Any]


class _Constants(Struct, frozen=True):
    """Values that a user may state by --set for all scores, where the export does not."""

    judge: str | None = None
    model: str | None = None
    platform: str | None = None
    prompt_sha256: str | None = None
    decoding: str | None = None


STATED: Final = _Constants.__struct_fields__


class _ExportedScore(Struct, frozen=True):
    """A score: of `metric`, of what is called `target`. A value of None is unreadable.

    `by` says who gave it in the program's word. `valid` is false where a later one overrode it.
    `error` says why there is none.
    """

    metric: str = UNKNOWN
    target: str = UNKNOWN
    value: Any = None
    by: str | None = None
    judge: str | None = None
    reason: str | None = None
    time: str | None = msgspec.field(name="at", default=None)
    question: Any = None
    output: Any = None
    writer: str | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    valid: bool = True
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    """How a program lays scores out.

    `fields` has for each field of a score where it stands in what `rows` yields: the first place
    that has a value, of several. `givers` says by the program's word who gave a score, `giver` who
    gave it under another one. A row without a metric is no score. `index` makes of all files' rows
    what the rows of one file need.
    """

    rows: Callable[[Sequence[Any], Fields], Iterator[Fields]]
    expected: str
    fields: Mapping[str, str] = field(default_factory=dict)
    givers: Mapping[str | None, str] = field(default_factory=dict)
    giver: str = UNKNOWN
    index: Callable[[Sequence[Any]], Fields] = lambda _: {}

    def scores(self, documents: Sequence[Any], index: Fields) -> Iterator[_ExportedScore]:
        """Yield the scores that a file's documents hold."""
        places = {name: paths.split() for name, paths in self.fields.items()}
        for row in self.rows(documents, index):
            cells = {
                name: next((row[place] for place in paths if row.get(place) is not None), None)
                for name, paths in places.items()
            }
            fields = {name: value for name, value in cells.items() if value is not None}
            score = msgspec.convert(fields, _ExportedScore, strict=False)
            if score.metric != UNKNOWN:
                yield score

    def convert(self, source: Path, request: Request) -> Conversion:
        """Return the scores that judges gave in an export, or in a folder's, as verdicts."""
        folder, pattern = (source, "**/*.*") if source.is_dir() else (source.parent, source.name)
        work = Work(source=folder, request=request, expected=self.expected)
        for name in request.constants.keys() - {*STATED}:
            work.wrong("--set", f"{name} is none of {', '.join(STATED)}")
        paths = [*work.paths(pattern if source.is_dir() else escape(pattern))]
        documents = {path: _documents(path, work) for path in paths}
        index = self.index([*chain(*documents.values())])
        scores: list[tuple[str, _ExportedScore]] = []
        for path in paths:
            try:
                file_scores = [*self.scores(documents[path], index)]
            except msgspec.ValidationError as error:
                message, _, name = str(error).partition("$.")
                work.wrong(path.as_posix(), message + self.fields.get(name.rstrip("`"), name))
            else:
                scores += [(path.as_posix(), score) for score in file_scores]
        has_texts = all(score.output is not None for _, score in scores)
        attributed = [*self._attributed(scores)]
        people = _People(attributed, work.request.labels)
        for file, score, by in attributed:
            _add(score, by, file, work, people, has_texts=has_texts)
        if unmatched := people.unmatched():
            work.left_out[_GIVEN_BY[PERSON]] += unmatched
        return work.done(name=source.name, identity="text" if has_texts else "name")

    def _attributed(
        self, scores: Sequence[tuple[str, _ExportedScore]]
    ) -> Iterator[tuple[str, _ExportedScore, str]]:
        """Yield each score with who gave it.

        Programs do not say who failed (MLflow names the scorer's code). A score that failed is of
        the judge that gave the other scores of its metric, if they are one judge's.
        """
        judges: dict[str, set[str]] = {}
        for _, score in scores:
            by = self.givers.get(score.by, self.giver)
            if score.judge and score.error is None and by in (JUDGE, UNKNOWN):
                judges.setdefault(score.metric, set()).add(score.judge)
        for file, score in scores:
            by = self.givers.get(score.by, self.giver)
            metric_judges = [*judges.get(score.metric, ())]
            nobody = by == PROGRAM or (by == UNKNOWN and not score.judge)
            if score.error is not None and nobody and len(metric_judges) == 1:
                yield file, replace(score, judge=metric_judges[0]), JUDGE
            else:
                yield file, score, by


def _documents(path: Path, work: Work) -> list[Any]:
    """Return what a file holds: a document, a list of them, one a line, or a table's rows."""
    if path.suffix == ".csv":
        causes = Causes(path.name, CLAUSE)
        with table_of(work.source / path, CLAUSE, causes) as table:
            rows = [cells for _, cells in table]
        for finding in causes.findings():
            work.wrong(path.as_posix(), finding.problem)
        work.files[path.as_posix()] = file_of(path.as_posix(), work.read(path))
        return rows
    content = work.decoded(path, Any, key=path.as_posix())
    return content if isinstance(content, list) else [] if content is None else [content]


class _People:
    """What people said of the targets that judges scored, by metric and target.

    Where a metric's scores are 0 and 1 alone, people's and the judges', they are pass and fail.
    """

    def __init__(
        self, attributed: Sequence[tuple[str, _ExportedScore, str]], labels: Mapping[str, str]
    ) -> None:
        self._labels = {**_WORTH, **labels}
        self._scores: dict[tuple[str, str], list[float]] = {}
        self._joined: set[tuple[str, str]] = set()
        values: dict[str, set[float]] = {}
        judged: set[tuple[str, str]] = set()
        for _, score, by in attributed:
            worth = self.worth(score)
            if worth is None or not score.valid or by == PROGRAM:
                continue
            values.setdefault(score.metric, set()).add(worth)
            if by == PERSON:
                self._scores.setdefault((score.metric, score.target), []).append(worth)
            else:
                judged.add((score.metric, score.target))
        shared_metrics = {metric for metric, _ in judged & {*self._scores}}
        self._binary = {metric for metric in shared_metrics if values[metric] <= {0.0, 1.0}}

    def worth(self, score: _ExportedScore) -> float | None:
        """Return a score as a number, None where it is none."""
        grade = graded(None if score.error else score.value, self._labels)
        return grade.get(A_SCORE) if grade else None

    def beside(self, score: _ExportedScore, grade: Fields) -> Fields:
        """Return a judge's grade with what people said of its target."""
        key = score.metric, score.target
        human_scores = self._scores.get(key, ())
        self._joined.add(key)
        if score.metric not in self._binary:
            scores = (
                {"human_score": fmean(human_scores), "human_scores": tuple(human_scores)}
                if human_scores
                else {}
            )
            return grade | scores
        answers = ("b", "a")
        verdict = grade.get(VERDICT) or answers[int(grade[A_SCORE])]
        people = tuple(answers[int(value)] for value in human_scores)
        return {"verdict": verdict, "b_sha256": FAILS} | ({"humans": people} if people else {})

    def unmatched(self) -> int:
        """Return how many scores of people are of nothing that a judge scored."""
        return sum(
            len(human_scores)
            for key, human_scores in self._scores.items()
            if key not in self._joined
        )


def _add(
    score: _ExportedScore, by: str, file: str, work: Work, people: _People, *, has_texts: bool
) -> None:
    constants = msgspec.convert(work.request.constants, _Constants)
    judge = score.judge or constants.judge
    grade = graded(None if score.error else score.value, {**_WORTH, **work.request.labels})
    if by == PROGRAM and score.error is not None:
        work.left_out[_FAILED] += 1
    elif by == PERSON and people.worth(score) is not None and score.valid:
        return  # stands beside the judge's
    elif by in _GIVEN_BY and not (by == UNKNOWN and judge):
        work.left_out[_GIVEN_BY[by]] += 1
    elif not score.valid:
        work.left_out[_OVERRIDDEN] += 1
    elif grade is None:
        work.left_out[_LABELS] += 1
    else:
        candidate: Fields = {"a_sha256": digest(score.target)}
        if has_texts:
            candidate = work.candidate("a", as_text(score.output))
        name = f"{judge or UNKNOWN}/{score.metric}"
        setting = work.setting(name, _setting(score.metric, judge or UNKNOWN, constants))
        question = None if score.question is None else digest(as_text(score.question))
        output, *_ = candidate.values()
        parts = (score.metric, question and question[:12], output[:12])
        item = "/".join(filter(None, parts))
        further = {
            "question_sha256": question,
            "date": day_of(score.time) if score.time else None,
            "a_by": score.writer,
            "input_tokens": score.input_tokens,
            "output_tokens": score.output_tokens,
        }
        work.add(
            f"{file}/{score.target}/{score.metric}",
            item=item,
            subset=score.metric,
            setting=setting,
            file=file,
            **{name: value for name, value in further.items() if value is not None},
            **work.repeat(setting, item),
            **candidate,
            **people.beside(score, grade),
            **(answered(score.reason) if score.reason else {}),
        )


def _setting(metric: str, judge: str, constants: _Constants) -> Setting:
    """Return who was asked; a judge may be spelt `openai/gpt-4o` or `openai:/gpt-4o`."""
    separator = next((mark for mark in (":/", "/") if mark in judge), "")
    platform, _, model = judge.partition(separator) if separator else (UNKNOWN, "", judge)
    return setting_of(
        judge,
        constants.model or model.partition(" (audio: ")[0],  # DeepEval's judge of a conversation
        platform=constants.platform or platform,
        prompt=metric,
        sha256=constants.prompt_sha256 or UNKNOWN,
        decoding=msgspec.json.decode(constants.decoding) if constants.decoding else UNKNOWN,
    )


# Rows of documents --------------------------------------------------------------------------------


def _below(*paths: str) -> Callable[..., Iterator[Fields]]:
    """Return what yields the elements of lists, each with the fields of all that it stands in.

    A field is named by its path below the list's last part, those outside by their whole path.
    """

    def rows(documents: Sequence[Any], _: Fields | None = None) -> Iterator[Fields]:
        for path in paths:
            yield from _elements(documents, path.split(".") if path else [], "")

    return rows


def _elements(value: Any, parts: Sequence[str], prefix: str) -> Iterator[Fields]:
    if isinstance(value, list):
        for element in value:
            yield from _elements(element, parts, prefix)
    elif isinstance(value, dict):
        if not parts:
            yield dict(_named(value, ""))
            return
        outside = dict(_named({k: v for k, v in value.items() if k != parts[0]}, prefix))
        for inside in _elements(value.get(parts[0]), parts[1:], f"{prefix}{parts[0]}."):
            yield {**outside, **inside}


def _named(value: Fields, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield every field of an object under its path, and the objects in it themselves."""
    for key, part in value.items():
        yield f"{prefix}{key}", part
        if isinstance(part, dict):
            yield from _named(part, f"{prefix}{key}.")


class _Attribute(Struct, frozen=True):
    key: str
    value: Fields = {}  # one, by the name of its type


class _Event(Struct, frozen=True, rename="camel"):
    """A log record of OTLP, or an event of a span."""

    attributes: list[_Attribute] = []
    event_name: str = ""
    name: str = ""
    time_unix_nano: int | str = 0
    observed_time_unix_nano: int | str = 0
    trace_id: str | None = None
    span_id: str | None = None

    @property
    def named(self) -> Fields:
        """The attributes by their names."""
        return {
            attribute.key: next(iter(attribute.value.values()), None)
            for attribute in self.attributes
        }


class _Named(Struct, frozen=True, rename="camel"):
    """A span of which the rest may be anything."""

    span_id: Any = None


class _Span(_Event, frozen=True, rename="camel"):
    events: list[_Event] = []


_SPANS: Final = _below("resourceSpans.scopeSpans.spans")
_LOGS: Final = _below("resourceLogs.scopeLogs.logRecords")


def _by_id(documents: Sequence[Any]) -> Fields:
    """Return all spans by their ids: exporters write spans and logs to files of their own."""
    return {str(msgspec.convert(row, _Named).span_id): row for row in _SPANS(documents)}


def _otlp(documents: Sequence[Any], by_id: Fields) -> Iterator[Fields]:
    """Yield the events of evaluations, with the attributes of the spans that they are of."""
    spans = [msgspec.convert(row, _Span) for row in _SPANS(documents)]
    events = [(event, span.span_id) for span in spans for event in span.events]
    logs = [msgspec.convert(row, _Event) for row in _LOGS(documents)]
    for event, span_id in (*events, *((log, log.span_id) for log in logs)):
        if _EVENT not in (event.event_name, event.name):
            continue
        parent = msgspec.convert(by_id.get(str(span_id), {}), _Span).named
        moment = int(event.time_unix_nano) or int(event.observed_time_unix_nano)
        time = datetime.fromtimestamp(moment / 1e9, UTC).isoformat() if moment else None
        common = {"spanId": span_id, "traceId": event.trace_id, "at": time}
        yield {**common, **{f"of.{key}": value for key, value in parent.items()}, **event.named}


def _arize(documents: Sequence[Any], _: Fields) -> Iterator[Fields]:
    """Yield the evaluations of each span; an export has columns of each, whatever the span."""
    for row in _below("")(documents):
        parts = [key.removeprefix("eval.") for key in row if key.startswith("eval.")]
        for metric in dict.fromkeys(part.rpartition(".")[0] for part in parts):
            fields = {name: row.get(f"eval.{metric}.{name}") for name in _ARIZE}
            if any(value is not None for value in fields.values()):
                yield {**row, **fields, "metric": metric}


_ARIZE: Final = ("label", "score", "explanation")
# Fields of a Ragas sample, in newer and older versions, and names of a table's index.
_SAMPLE: Final = {
    *("user_input", "response", "question", "answer", "retrieved_contexts", "reference_contexts"),
    *("retrieved_context_ids", "reference_context_ids", "reference", "multi_responses", "rubrics"),
    *("persona_name", "query_style", "query_length", "reference_tool_calls", "reference_topics"),
    *("contexts", "ground_truth", "ground_truths", "id", "index", "Unnamed: 0", ""),
}
# Metrics of Ragas that ask no model; some have a mode in brackets.
_COUNTED: Final = {
    *("answer_similarity", "bleu_score", "chrf_score", "data_compare_score", "exact_match"),
    *("id_based_context_precision", "id_based_context_recall", "non_llm_context_recall"),
    *("non_llm_context_precision_with_reference", "non_llm_string_similarity", "rouge_score"),
    *("semantic_similarity", "string_present", "tool_call_accuracy", "tool_call_f1"),
}


def _ragas(documents: Sequence[Any], _: Fields) -> Iterator[Fields]:
    """Yield the metrics of each sample: the columns beside its own fields that hold numbers."""
    rows = [*_below("")(documents)]
    names = dict.fromkeys(key for row in rows for key in row if key not in _SAMPLE)
    metrics = [name for name in names if all(_is_number(row.get(name)) for row in rows)]
    for number, row in enumerate(rows):
        for metric in metrics:
            by = PROGRAM if metric.partition("(")[0] in _COUNTED else None
            yield {
                **row,
                "metric": metric,
                "number": str(number),
                "value": row.get(metric),
                "by": by,
            }


def _is_number(value: Any) -> bool:
    try:
        float("nan" if value in (None, "") else value)
    except (TypeError, ValueError):
        return False
    return True


_CASES: Final = ("testCases", "conversationalTestCases")


def _of_case(field: str) -> str:
    """Return where DeepEval has a field of a test case."""
    return " ".join(f"{run}{cases}.{field}" for run in ("", "testRunData.") for cases in _CASES)


# The formats --------------------------------------------------------------------------------------

_NO_TEXT: Final = "It holds no output, so outputs are known by the names of what was evaluated."
_NO_PROMPT: Final = "It does not say what the judge was asked with, beyond the metric's name."


def _shape(export: _Format, **lacks: str) -> Shape:
    says = {**lacks, "no_prompt": _NO_PROMPT}
    export_faults = faults({name.replace("_", "-"): text for name, text in says.items()})
    return Shape(export.expected, export_faults, export.convert, states=STATED)


SHAPES: Final = {
    "otlp": _shape(
        _Format(
            rows=_otlp,
            index=_by_id,
            expected="OTLP as JSON, or one request a line (.jsonl): {resourceLogs: [{scopeLogs: "
            f"[{{logRecords: [{{eventName: {_EVENT}, attributes: [{{key, value}}]}}]}}]}}], "
            "resourceSpans}",
            fields={
                "metric": "gen_ai.evaluation.name",
                "target": "gen_ai.response.id spanId traceId",
                "value": "gen_ai.evaluation.score.value gen_ai.evaluation.score.label",
                "by": "gen_ai.evaluation.evaluator.type",
                "judge": "gen_ai.evaluation.evaluator.model "
                "gen_ai.evaluation.attributes.deepeval.evaluation_model",
                "reason": "gen_ai.evaluation.explanation",
                "at": "at",
                "question": "of.gen_ai.input.messages",
                "output": "of.gen_ai.output.messages",
                "writer": "of.gen_ai.response.model of.gen_ai.request.model",
                "error": "error.type",
            },
            givers={"llm_judge": JUDGE, "human": PERSON, "deterministic": PROGRAM},
        ),
        no_judge="The convention has no attribute for the judge. We read "
        "gen_ai.evaluation.evaluator.type, which others proposed, and .model, which we propose.",
        no_text=f"{_NO_TEXT} With the spans, if these keep the messages, they are texts.",
    ),
    "langfuse": _shape(
        _Format(
            rows=_below("data", ""),
            expected="scores of Langfuse as JSON: {data: [{name, value, source, subject: {id}, "
            "comment, timestamp}]}, as GET /api/public/v3/scores gives them, or of version 2",
            fields={
                "metric": "name",
                "target": "subject.id observationId traceId sessionId",
                "value": "value stringValue",
                "by": "source",
                "reason": "comment",
                "at": "timestamp",
            },
            givers={"EVAL": JUDGE, "ANNOTATION": PERSON},
        ),
        no_judge="A score names no model; its evaluator in Langfuse does.",
        no_text=_NO_TEXT,
        any_source="A score that came by API may be a judge's, a program's or a user's.",
    ),
    "phoenix": _shape(
        _Format(
            rows=_below("data", ""),
            expected="annotations of Phoenix as JSON: {data: [{name, annotator_kind, span_id, "
            "result: {label, score, explanation}, metadata: {model}, created_at}]}",
            fields={
                "metric": "name annotation_name",
                "target": "span_id trace_id session_id",
                "value": "result.score result.label",
                "by": "annotator_kind",
                "judge": "metadata.model",
                "reason": "result.explanation",
                "at": "created_at",
            },
            givers={
                **dict.fromkeys(("LLM", "DECISION", "AGENT"), JUDGE),
                "HUMAN": PERSON,
                "CODE": PROGRAM,
            },
        ),
        no_judge="An annotation names no model, unless its metadata have one called `model`.",
        no_text=_NO_TEXT,
    ),
    "arize": _shape(
        _Format(
            rows=_arize,
            expected="spans of Arize as JSON records or lines: {context.span_id, eval.NAME.label, "
            "eval.NAME.score, eval.NAME.explanation, attributes.output.value}",
            fields={
                "metric": "metric",
                "target": "context.span_id",
                "value": "score label",
                "reason": "explanation",
                "at": "start_time",
                "question": "attributes.input.value",
                "output": "attributes.output.value",
                "writer": "attributes.llm.model_name",
            },
        ),
        no_judge="The columns of an evaluation name no model, nor whether a model gave it.",
    ),
    "langsmith": _shape(
        _Format(
            rows=_below(""),
            expected="feedback of LangSmith as JSON, or one a line (.jsonl): {key, score, value, "
            "comment, run_id, created_at, feedback_source: {type}}",
            fields={
                "metric": "key",
                "target": "run_id",
                "value": "score value",
                "by": "feedback_source.type",
                "reason": "comment",
                "at": "created_at",
            },
            givers={"model": JUDGE, "auto_eval": JUDGE, "app": PERSON},
        ),
        no_judge="Feedback names no model; the run of its evaluator does.",
        no_text=_NO_TEXT,
    ),
    "mlflow": _shape(
        _Format(
            rows=_below("info.assessments", "assessments"),
            expected="traces of MLflow as JSON: {info: {trace_id, request_preview, "
            "response_preview, assessments: [{assessment_name, source: {source_type, source_id}, "
            "feedback: {value}}]}}, or rows of search_traces",
            fields={
                "metric": "assessment_name",
                "target": "span_id trace_id",
                "value": "feedback.value",
                "by": "source.source_type",
                "judge": "source.source_id",
                "reason": "rationale",
                "at": "create_time",
                "question": "info.request_preview request",
                "output": "info.response_preview response",
                "input_tokens": "metadata.mlflow.assessment.judgeInputTokens",
                "output_tokens": "metadata.mlflow.assessment.judgeOutputTokens",
                "valid": "valid",
                "error": "feedback.error.error_code",
            },
            givers={"LLM_JUDGE": JUDGE, "AI_JUDGE": JUDGE, "HUMAN": PERSON, "CODE": PROGRAM},
        ),
        judge_by_name="The judge is the `source_id`, which may be a scorer's name and no model's.",
        whole_trace="Outputs are those of the whole trace, also where a span was assessed; "
        "previews are cut at 1,000 characters.",
    ),
    "deepeval": _shape(
        _Format(
            rows=_below(
                *(f"{run}{cases}.metricsData" for run in ("", "testRunData.") for cases in _CASES)
            ),
            expected="a test run of DeepEval as JSON: {testCases: [{name, input, actualOutput, "
            "metricsData: [{name, score, reason, evaluationModel}]}]}",
            fields={
                "metric": "name",
                "target": _of_case("name"),
                "value": "score",
                "by": "evaluationModel",
                "judge": "evaluationModel",
                "reason": "reason",
                "question": _of_case("input"),
                "output": f"{_of_case('actualOutput')} {_of_case('turns')}",
                "input_tokens": "inputTokenCount",
                "output_tokens": "outputTokenCount",
            },
            givers={None: PROGRAM},
            giver=JUDGE,
        ),
        no_date="A test run has no day.",
        no_platform="The model is named without its platform.",
    ),
    "ragas": _shape(
        _Format(
            rows=_ragas,
            expected="results of Ragas as CSV or JSON records: user_input, response and a column "
            "of numbers for each metric, as result.to_pandas() has them",
            fields={
                "metric": "metric",
                "target": "number",
                "value": "value",
                "question": "user_input question",
                "output": "response answer",
                "by": "by",
            },
            givers={PROGRAM: PROGRAM},
        ),
        no_judge="No column names the judge. Of metrics that ask none, those of Ragas are known.",
        no_date="Results have no day.",
        no_reason="Results have no reason, so repeats cannot be told from copies.",
    ),
}
