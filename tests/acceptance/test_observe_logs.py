"""Logs of evaluation programs: Inspect AI and promptfoo, on invented ones (Reading R77)."""

import json
from pathlib import Path
from typing import Any

import pytest
from records_support import epc

from epc.records.verdicts.converting import digest


def converted(source: Path, shape: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    out = source.parent / "out.jsonl"
    done = epc("observe", "import", source, "--shape", shape, "--out", out)
    assert done.returncode == 0, done.stdout
    header, *rows = map(json.loads, out.read_text().splitlines())
    return header, rows


def field_values(rows: list[dict[str, Any]], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(row.get(field) for field in fields) for row in rows]


def refused(source: Path, shape: str) -> str:
    done = epc("observe", "import", source, "--shape", shape, "--out", source.parent / "o.jsonl")
    assert done.returncode == 1
    return done.stdout.decode()


def test_a_folder_of_logs_is_audited_as_one(tmp_path: Path) -> None:
    folder = logs(
        tmp_path / "logs", *(log([sample(n, {"grade": graded("C")})], str(n)) for n in (1, 2))
    )

    done = epc("audit", folder)

    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().startswith("logs: 2 verdicts of 1 judge, from inspect\n")


# Inspect ------------------------------------------------------------------------------------------


def graded(value: Any, answer: str = "four", **further_fields: Any) -> dict[str, Any]:
    request = {"role": "user", "content": "Is it right?"}
    message = {"role": "assistant", "content": "GRADE: C", "model": "judge-2024-05-13"}
    metadata = {"grading": [request, message]}
    return {
        "value": value,
        "answer": answer,
        "explanation": "Why.",
        "metadata": metadata,
        **further_fields,
    }


def sample(number: int, scores: dict[str, Any], **further_fields: Any) -> dict[str, Any]:
    asked = [{"role": "user", "content": [{"type": "text", "text": f"{number}?"}]}]
    return {
        "id": number,
        "epoch": 1,
        "input": asked,
        "target": "4",
        "scores": scores,
        **further_fields,
    }


def log(samples: list[Any], task_id: str = "t1", **further_fields: Any) -> dict[str, Any]:
    role = {"model": "openai/judge", "config": {"temperature": 0, "extra_headers": {"key": "x"}}}
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "run_id": "r",
            "task_id": task_id,
            "created": "2025-05-12T20:28:26-04:00",
            "task": "sums",
            "model": "org/writer",
            "model_roles": {"grader": role},
        },
        "results": {
            "scores": [
                {"name": "grade", "scorer": "model_graded_qa", "params": {"template": "Grade it."}}
            ]
        },
        "samples": samples,
        **further_fields,
    }


def logs(folder: Path, *values: Any) -> Path:
    folder.mkdir()
    for number, value in enumerate(values):
        # NaN, as Inspect writes a score that there is not.
        (folder / f"{number}.json").write_text(json.dumps(value))
    return folder


def test_reading_r77_inspect_gives_the_scores_that_a_model_gave(tmp_path: Path) -> None:
    samples = [
        sample(1, {"grade": graded("C"), "match": {"value": "C", "answer": "four"}}),
        sample(2, {"grade": graded("P")}, completed_at="2025-05-13T00:01:00Z"),
        sample(3, {"grade": graded(float("nan"))}),
        sample(4, {"grade": graded(0.7)}),
        sample(5, {"grade": graded("I", history=[{"value": "C"}])}),
        sample(6, {"grade": graded("C")}, invalidation={"author": "somebody"}),
    ]
    repeated_record = log([sample(1, {"grade": graded("I")})], task_id="t2")
    source = logs(tmp_path / "logs", log(samples), log(samples[:1]), repeated_record)

    header, rows = converted(source, "inspect")

    four = digest("four")[:12]
    assert field_values(rows, "item", "a_score", "verdict", "repeat", "date", "file") == [
        # The log was made at 20:28 of the 12th four hours west of UTC.
        (f"sums/1/{four}", 1, None, None, "2025-05-13", "0.json"),
        (f"sums/2/{four}", 0.5, None, None, "2025-05-13", "0.json"),
        (f"sums/3/{four}", None, "unreadable", None, "2025-05-13", "0.json"),
        (f"sums/4/{four}", 0.7, None, None, "2025-05-13", "0.json"),
        (f"sums/1/{four}", 0, None, 1, "2025-05-13", "2.json"),
    ]
    assert rows[0]["question_sha256"] == digest("1?")
    assert rows[0]["a_by"] == "org/writer"
    assert rows[0]["answer_sha256"] == digest("Why.")
    assert header["left_out"] == {
        "copies of a sample in another log": 1,
        "samples that were declared invalid": 1,
        "scores that a person edited afterwards": 1,
        "scores without a model's grading": 1,
    }
    assert header["settings"] == {
        "grade/judge-2024-05-13": {
            "date": "unknown",
            "decoding": {"temperature": 0},  # and no header, which may hold a key
            "judge": {"model": "judge-2024-05-13", "name": "openai/judge", "platform": "openai"},
            "prompt": {"name": "model_graded_qa", "sha256": digest("Grade it.")},
        }
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (log([]) | {"version": 1}, "0.json: is of version 1"),
        ({"version": 2}, "0.json: Object missing required field `eval`"),
        (log([sample(1, {})]), "logs: holds no verdict"),
    ],
)
def test_reading_r77_a_log_that_does_not_fit_gets_a_finding(
    value: Any, expected: str, tmp_path: Path
) -> None:
    text = refused(logs(tmp_path / "logs", value), "inspect")

    assert expected in text
    assert "expected a log of Inspect AI" in text


# promptfoo ----------------------------------------------------------------------------------------

RUBRIC = {"type": "llm-rubric", "value": "Is it polite?"}
BEST = {"type": "select-best", "value": "Which is shortest?"}


def component(assertion: dict[str, Any], score: float, **further_fields: Any) -> dict[str, Any]:
    return {
        "pass": score > 0,
        "score": score,
        "reason": "Because.",
        "assertion": assertion,
        **further_fields,
    }


def result(test: int, prompt: int, output: Any, *components: Any) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "provider": {"id": f"openai:writer-{prompt}"},
        "prompt": {"raw": "{{q}}", "label": "short"},
        "vars": {"q": f"{test}?"},
        "response": {"output": output},
        "testCase": {"options": {}},
        "gradingResult": {"pass": True, "score": 1, "componentResults": list(components)},
    }


def results(*values: Any, version: int = 3) -> dict[str, Any]:
    secret = {"temperature": 0.5, "apiKey": "hidden"}
    provider = {"id": "openai:chat:judge-0613", "config": secret}
    summary = {"version": version, "timestamp": "2025-02-03T04:05:06Z", "results": values}
    return {
        "evalId": "e",
        "config": {"defaultTest": {"options": {"provider": provider}}},
        "results": summary,
    }


def test_reading_r77_promptfoo_gives_rubric_scores_and_the_best_of_two(tmp_path: Path) -> None:
    failed = component(RUBRIC, 0, metadata={"graderError": True})
    other_record = component(RUBRIC | {"provider": "bedrock:judge-v1:0"}, 1)
    cached = component(RUBRIC, 0.8, tokensUsed={"cached": 12})
    file = tmp_path / "results.json"
    file.write_text(
        json.dumps(
            results(
                result(0, 0, "Hi.", component(RUBRIC, 0.8), component(BEST, 0)),
                result(0, 1, {"text": "Hello"}, failed, component(BEST, 1)),
                result(1, 0, "Hi.", other_record, component({"type": "contains"}, 1)),
                result(0, 0, "Hi.", cached),
                result(2, 0, "x", component(BEST, 0)),
                result(2, 1, "y", component(BEST, 0)),
                *(result(3, place, "z", component(BEST, place)) for place in range(3)),
                {**result(4, 0, "none"), "gradingResult": None},
            )
        )
    )

    header, rows = converted(file, "promptfoo")

    judge = "openai:chat:judge-0613"
    assert field_values(rows, "setting", "a_score", "verdict", "a_by", "b_by", "first") == [
        (f"{judge}/llm-rubric", 0.8, None, "openai:writer-0: short", None, None),
        (f"{judge}/llm-rubric", None, "unreadable", "openai:writer-1: short", None, None),
        ("bedrock:judge-v1:0/llm-rubric", 1, None, "openai:writer-0: short", None, None),
        (
            f"{judge}/select-best",
            *(None, "b", "openai:writer-0: short", "openai:writer-1: short", None),
        ),
        (
            f"{judge}/select-best",
            *(None, "unreadable", "openai:writer-0: short", "openai:writer-1: short", None),
        ),
    ]
    assert rows[1]["a_sha256"] == digest('{"text":"Hello"}')
    assert rows[0]["question_sha256"] == digest('[{"q":"0?"},"Is it polite?"]')
    assert {row["date"] for row in rows} == {"2025-02-03"}
    assert header["left_out"] == {
        "gradings taken from a cache again": 1,
        "results of assertions that no model grades": 1,
        "select-best among other than two outputs": 1,
    }
    settings = header["settings"]
    assert settings[f"{judge}/llm-rubric"]["judge"] == {
        "model": "judge-0613",
        "name": judge,
        "platform": "openai",
    }
    assert settings[f"{judge}/llm-rubric"]["decoding"] == {"temperature": 0.5}  # and no key
    assert settings["bedrock:judge-v1:0/llm-rubric"]["judge"]["model"] == "judge-v1:0"


def test_reading_r77_a_grader_that_no_file_names_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    document = results(result(0, 0, "Hi.", component(RUBRIC | {"rubricPrompt": "Grade."}, 1)))
    file.write_text(json.dumps(document | {"config": {}}))

    header, _ = converted(file, "promptfoo")

    setting = header["settings"]["unknown/llm-rubric"]
    assert setting["judge"] == {"model": "unknown", "name": "unknown", "platform": "unknown"}
    assert setting["prompt"]["sha256"] == digest("Grade.")


def test_reading_r77_results_of_another_version_get_a_finding(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results(result(0, 0, "Hi.", component(RUBRIC, 1)), version=2)))

    assert "results.json: is of version 2" in refused(file, "promptfoo")
