"""Results of promptfoo as JSON: what its model-graded assertions said.

A rubric gives an output a score; where that is null, the answer was unreadable. `select-best` names
the best of a test's outputs: of two that is a verdict, of more it is not a pair. The judge is the
grading provider, where the file names it.
"""

from collections import defaultdict
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, day_of, digest
from epc.records.verdicts.types import UNKNOWN, Setting, faults
from epc.records.verdicts.work import Work, answered, as_text, decoding_of, setting_of

EXPECTED: Final = (
    "a file of `promptfoo eval -o results.json`, or a folder with such: {config, results: {version:"
    " 3, timestamp, results: [{testIdx, promptIdx, provider: {id}, vars, response: {output}, "
    "testCase, gradingResult: {componentResults: [{pass, score, reason, assertion: {type, value, "
    "provider}}]}}]}}"
)
FAULTS: Final = faults(
    {
        "default-judge": "A file that names no grading provider was graded by a default of that "
        "day.",
        "grader-errors": "A grader that failed is written as a score of 0. Where the file says so "
        "it is unreadable; before promptfoo wrote `graderError`, nobody can tell it from a failed "
        "output.",
        "place": "The order in which `select-best` showed the outputs is not stated.",
    },
)
_FILES: Final = "**/*.json"
_SCORED: Final = frozenset(
    f"{sign}{name}"
    for sign in ("", "not-")
    for name in (
        *("agent-rubric", "llm-rubric", "search-rubric", "g-eval", "pi"),
        *("factuality", "model-graded-factuality", "closedqa", "model-graded-closedqa"),
        *("answer-relevance", "conversation-relevance", "trajectory:goal-success"),
        *("context-faithfulness", "context-recall", "context-relevance"),
    )
)
_RED_TEAM: Final = "promptfoo:redteam:"  # begins the kinds of many graders
_BEST: Final = "select-best"
_OTHER: Final = "results of assertions that no model grades"
_MANY: Final = "select-best among other than two outputs"
_CACHED: Final = "gradings taken from a cache again"
_VERSION: Final = 3
_KINDS: Final = ("chat", "completion", "messages", "responses")


class _Component(Struct, frozen=True, rename={"passed": "pass", "tokens_used": "tokensUsed"}):
    score: float | None = None
    passed: bool | None = None
    reason: str | None = None
    assertion: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    tokens_used: dict[str, Any] | None = None


class _Grading(Struct, frozen=True, rename="camel"):
    component_results: list[_Component] | None = None


class _Result(Struct, frozen=True, rename="camel"):
    test_idx: int
    prompt_idx: int
    vars: dict[str, Any]
    provider: dict[str, Any] = {}
    prompt: dict[str, Any] = {}
    response: dict[str, Any] | None = None
    test_case: dict[str, Any] = {}
    grading_result: _Grading | None = None


class _Summary(Struct, frozen=True):
    version: int
    results: list[_Result]
    timestamp: str | None = None


class _File(Struct, frozen=True):
    results: _Summary
    config: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class _AssertionResult:
    """Result of one assertion about one output."""

    result: _Result
    component: _Component
    config: dict[str, Any]

    @property
    def assertion(self) -> dict[str, Any]:
        """The assertion."""
        return self.component.assertion or {}

    @property
    def output(self) -> str:
        """The output that was graded, as text."""
        return as_text((self.result.response or {}).get("output", ""))

    @property
    def writer(self) -> str:
        """The output's writer: the provider, with the prompt where that has a label."""
        provider = str(self.result.provider.get("id") or UNKNOWN)
        label = self.result.prompt.get("label")
        return f"{provider}: {label}" if label else provider


def convert(source: Path, request: Request) -> Conversion:
    """Return what graders said in a file of results, or in a folder's, as verdicts."""
    folder, pattern = (source, _FILES) if source.is_dir() else (source.parent, escape(source.name))
    work = Work(source=folder, request=request, expected=EXPECTED)
    for path in work.paths(pattern):
        file = work.decoded(path, _File, key=path.as_posix())
        if file and file.results.version != _VERSION:
            work.wrong(path.as_posix(), f"is of version {file.results.version}")
        elif file:
            _convert_file(file, path.as_posix(), work)
    return work.done(name=source.name)


def _convert_file(file: _File, inside: str, work: Work) -> None:
    compared: dict[tuple[Any, ...], list[_AssertionResult]] = defaultdict(list)
    for result in file.results.results:
        graded_by = result.grading_result.component_results if result.grading_result else None
        for index, component in enumerate(graded_by or ()):
            kind = (component.assertion or {}).get("type")
            graded = _AssertionResult(result=result, component=component, config=file.config)
            if kind == _BEST:
                compared[result.test_idx, index].append(graded)
            elif kind in _SCORED or str(kind).removeprefix("not-").startswith(_RED_TEAM):
                fields = work.candidate("a", graded.output) | {"a_by": graded.writer}
                fields |= _score(component)
                _add(graded, fields, file, inside, work)
            else:
                work.left_out[_OTHER] += 1
    for group in compared.values():
        if len(group) == len("ab"):
            _add(group[0], _best(*group, work=work), file, inside, work)
        else:
            work.left_out[_MANY] += 1


def _best(a: _AssertionResult, b: _AssertionResult, *, work: Work) -> dict[str, Any]:
    """Return the winner of two outputs: none was named where not exactly one passed."""
    passed = (a.component.passed, b.component.passed)
    verdicts: dict[tuple[bool | None, ...], str] = {(True, False): "a", (False, True): "b"}
    verdict = verdicts.get(passed, "unreadable")
    texts = work.candidate("a", a.output) | work.candidate("b", b.output)
    return {"verdict": verdict, "a_by": a.writer, "b_by": b.writer, **texts}


def _add(
    graded: _AssertionResult, fields: dict[str, Any], file: _File, inside: str, work: Work
) -> None:
    setting = work.setting(*_setting(graded))
    question = as_text([graded.result.vars, graded.assertion.get("value")])
    texts = [fields[name] for name in ("a_sha256", "b_sha256") if name in fields]
    item = "/".join(part[:12] for part in (digest(question), *texts))
    repeat = work.repeat(setting, item)
    marks = (graded.component.metadata or {}, graded.component.tokens_used or {})
    if repeat and (marks[0].get("cachedResponse") or marks[1].get("cached")):  # an earlier one
        work.left_out[_CACHED] += 1
        return
    reason = graded.component.reason
    work.add(
        f"{inside}/{graded.result.test_idx}/{graded.result.prompt_idx}",
        item=item,
        setting=setting,
        file=inside,
        question_sha256=digest(question),
        **({"date": day_of(file.results.timestamp)} if file.results.timestamp else {}),
        **repeat,
        **(answered(reason) if reason else {}),
        **fields,
    )


def _score(component: _Component) -> dict[str, Any]:
    is_failed = component.score is None or (component.metadata or {}).get("graderError")
    return {"verdict": "unreadable"} if is_failed else {"a_score": component.score}


def _setting(graded: _AssertionResult) -> tuple[str, Setting]:
    """Return a setting and its name: the assertion's grader, else the test's, else the file's."""
    default = graded.config.get("defaultTest")
    places = (graded.assertion, _options(graded.result.test_case), _options(default))
    provider = next((place["provider"] for place in places if place.get("provider")), None)
    rubric = next((place["rubricPrompt"] for place in places if place.get("rubricPrompt")), None)
    if isinstance(provider, dict) and "id" not in provider:  # one for texts, another for vectors
        provider = provider.get("text")
    options = provider if isinstance(provider, dict) else {"id": provider}
    judge = str(options.get("id") or UNKNOWN)
    platform, colon, model = judge.partition(":")
    kind, _, model_name = model.partition(":")
    setting = setting_of(
        judge,
        (model_name if kind in _KINDS else model) or UNKNOWN,
        platform=platform if colon else UNKNOWN,
        prompt=str(graded.assertion["type"]),
        sha256=digest(as_text(rubric)) if rubric else UNKNOWN,
        decoding=decoding_of(options.get("config") or {}),
    )
    return f"{judge}/{graded.assertion['type']}", setting


def _options(test: Any) -> dict[str, Any]:
    options = test.get("options") if isinstance(test, dict) else None
    return options if isinstance(options, dict) else {}
