"""Results of promptfoo: the score that a rubric gave, and the best of two outputs (Reading R77)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epc.records.verdicts import promptfoo
from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.types import Judge

RUBRIC = {"type": "llm-rubric", "value": "Is it polite?"}
BEST = {"type": "select-best", "value": "Which is shortest?"}
JUDGE = "openai:chat:judge-0613"


def graded(
    assertion: dict[str, Any], *, passed: bool = True, **further_fields: Any
) -> dict[str, Any]:
    fixed = {"pass": passed, "score": float(passed), "reason": "Because."}
    return {**fixed, "assertion": assertion, **further_fields}


def result(test: int, place: int, output: Any, *components: dict[str, Any]) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": place,
        "provider": {"id": f"writer-{place}"},
        "vars": {"q": f"{test}?"},
        "response": {"output": output},
        "gradingResult": {"componentResults": list(components)},
    }


def converted(folder: Path, *values: Any, config: Any = None, version: int = 3) -> Conversion:
    default = {"defaultTest": {"options": {"provider": JUDGE}}}
    summary = {"version": version, "timestamp": "2025-02-03T04:05:06Z", "results": values}
    path = folder / "results.json"
    path.write_text(json.dumps({"config": config or default, "results": summary}), "utf-8")
    return promptfoo.convert(path, Request())


def field_values(found: Conversion, *fields: str) -> list[tuple[Any, ...]]:
    rows = [msgspec.to_builtins(row) for row in found.rows]
    return [tuple(row.get(field) for field in fields) for row in rows]


def left_out(found: Conversion) -> Mapping[str, int]:
    assert found.header is not None
    return found.header.left_out


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (True, False, "a"),
        (False, True, "b"),
        (True, True, "unreadable"),
        (False, False, "unreadable"),
    ],
)
def test_reading_r77_promptfoo_names_a_best_where_exactly_one_of_two_passed(
    *, first: bool, second: bool, verdict: str, tmp_path: Path
) -> None:
    conversion = converted(
        tmp_path,
        result(0, 0, "Hi.", graded(BEST, passed=first)),
        result(0, 1, "Hello.", graded(BEST, passed=second)),
    )

    assert field_values(conversion, "verdict", "a_by", "b_by", "a_sha256", "b_sha256") == [
        (verdict, "writer-0", "writer-1", digest("Hi."), digest("Hello."))
    ]


def test_reading_r77_promptfoo_two_assertions_about_a_best_are_two_verdicts(
    tmp_path: Path,
) -> None:
    other = {**BEST, "value": "Which is kindest?"}

    conversion = converted(
        tmp_path,
        result(0, 0, "Hi.", graded(BEST), graded(other, passed=False)),
        result(0, 1, "Hello.", graded(BEST, passed=False), graded(other)),
    )

    assert field_values(conversion, "verdict") == [("a",), ("b",)]


@pytest.mark.parametrize(
    "mark", [{"metadata": {"cachedResponse": True}}, {"tokensUsed": {"cached": 12}}]
)
def test_reading_r77_promptfoo_the_same_answer_from_a_cache_is_left_out(
    mark: dict[str, Any], tmp_path: Path
) -> None:
    cached = graded(RUBRIC, **mark)

    conversion = converted(tmp_path, *[result(0, 0, "Hi.", cached)] * 3)

    assert field_values(conversion, "a_score") == [
        (1.0,)
    ]  # the first time it is an answer like others
    assert left_out(conversion) == {"gradings taken from a cache again": 2}


@pytest.mark.parametrize(
    ("named", "judge"),
    [
        ("openai:chat:m-1", Judge(name="openai:chat:m-1", model="m-1", platform="openai")),
        ("bedrock:m-1:0", Judge(name="bedrock:m-1:0", model="m-1:0", platform="bedrock")),
        ("m-1", Judge(name="m-1", model="unknown", platform="unknown")),
        ({"id": "a:m-1"}, Judge(name="a:m-1", model="m-1", platform="a")),
    ],
)
def test_reading_r77_promptfoo_the_assertions_own_grader_is_asked_first(
    named: Any, judge: Judge, tmp_path: Path
) -> None:
    conversion = converted(tmp_path, result(0, 0, "Hi.", graded({**RUBRIC, "provider": named})))

    assert conversion.header is not None
    (setting,) = conversion.header.settings.values()
    assert setting.judge == judge
