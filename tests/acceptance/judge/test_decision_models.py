"""`epc judge`, `epc doctor` and `epc run` with a decision model, over real HTTP.

The server answers each question that a request asks, in the form in which it was asked, or fails
in ways that the forms allow: an unknown option, a probability that is none, a missing answer.
"""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import Endpoint, Received, Reply
from engine_support import environment, epc, read_rows

from epc.engine import asking

Json = dict[str, Any]
KEY = "sk-canary-0123456789abcdef"
JUDGES = {
    "typesafe/jev-1.13.0": "TYPESAFE",
    "openai-decisions/gpt-6-luna": "OPENAI_DECISIONS",
    "cloudflare-decisions/clef-flash": "CLOUDFLARE_DECISIONS",
}
OUTPUT = "Paris is the capital of France. It stands on the Seine, and has stood there for long."


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(asking, "LONGEST_PAUSE_S", 0.002)


def leading_to(endpoint: Endpoint) -> dict[str, str]:
    at = {f"{name}_BASE_URL": endpoint.url for name in JUDGES.values()}
    keys = dict.fromkeys(("TYPESAFE_API_KEY", "OPENAI_API_KEY", "CLOUDFLARE_API_KEY"), KEY)
    return environment(**at, **keys)


def probabilities(options: list[str]) -> dict[str, float]:
    """The second option, and of three levels the last one: 0.1, 0.3, 0.6 and 0.2, 0.8."""
    if len(options) == 3:
        return dict(zip(options, (0.1, 0.3, 0.6), strict=True))
    rest = [0.2 / (len(options) - 1)] * len(options)
    return {o: 0.8 if n == 1 else rest[n] for n, o in enumerate(options)}


def typed(name: str, question: Json) -> Json:
    """A System One answer to a question."""
    criteria = question["criteria"]
    if question["type"] == "score":
        levels = probabilities([str(level) for level in range(len(criteria))])
        expected = sum(int(level) * p for level, p in levels.items())
        return {"type": "score", "score": expected, "confidence": 0.4, "probabilities": levels}
    chances = probabilities(list(criteria))
    likeliest = max(chances, key=lambda option: chances[option])
    return {"type": "choice", "choice": likeliest, "confidence": 0.6, "probabilities": chances}


def listed(question: Json) -> Json:
    """An answer of OpenAI's Decisions to a question."""
    if question["type"] == "score":
        named = [level["label"] for level in question["levels"]]
        chances = list(probabilities(named).values())
        rows = [
            {"value": n, "label": label, "probability": chances[n]} for n, label in enumerate(named)
        ]
        answer: Json = {"score": sum(n * p for n, p in enumerate(chances)), "probabilities": rows}
    else:
        shares = probabilities([choice["value"] for choice in question["choices"]])
        rows = [{"value": value, "probability": p} for value, p in shares.items()]
        answer = {"choice": max(shares, key=lambda o: shares[o]), "probabilities": rows}
    return {"type": question["type"], "name": question["name"], "confidence": 0.5, **answer}


def deciding(received: Received) -> Reply:
    """Answer all questions of a request."""
    body = received.body
    usage = {"input_tokens": len(received.prompt.split()), "output_tokens": 0}
    reply: Json = {"model": body["model"], "usage": usage}
    if isinstance(body["questions"], list):
        reply["answers"] = [listed(question) for question in body["questions"]]
    else:
        reply["answers"] = {name: typed(name, q) for name, q in body["questions"].items()}
    if "/run/@cf/" in received.path:
        reply = {"result": reply, "success": True, "errors": [], "messages": []}
    return Reply(body=json.dumps(reply).encode())


def planned(folder: Path, judge: str, output: str, env: dict[str, str]) -> Path:
    table = folder / "outputs.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["question_id", "prompt_variant", "target_model", "output_id", "output", "task"]
        )
        writer.writerow(["q1", "plain", "some-model", "o1", output, "Name France's capital."])
    out = folder / "judged"
    arguments = ("--judge", judge, "--methods", "cross", "--out", out)
    done = epc("judge", "plan", table, *arguments, env=env)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("judge", JUDGES)
def test_reading_r100_a_decision_model_judges_and_its_probabilities_are_archived(
    tmp_path: Path, endpoint: Endpoint, judge: str
) -> None:
    endpoint.behave, env = deciding, leading_to(endpoint)
    out = planned(tmp_path, judge, OUTPUT, env)

    done = epc("judge", "run", out, env=env)
    checked = epc("judge", "check", out, env=env)

    assert done.returncode == 0, done.stderr
    assert checked.returncode == 0, checked.stdout + checked.stderr
    (call,) = read_rows(out / "calls.jsonl")
    record = json.loads(call["answer"])
    # 2 of 2 points for each dimension, so 8 in all and PASS, by the rule of the judge protocol.
    assert record["scores"]["overall_score"] == 8
    assert record["verdict"] == "PASS"
    assert {each["reason"] for each in record["evidence"]} == {
        "probability of 0: 0.1, 1: 0.3, 2: 0.6"
    }
    assert all(each["quote"] in OUTPUT for each in record["evidence"])
    assert "probabilities" in call["reply"]
    assert KEY not in (out / "calls.jsonl").read_text()
    valid = [row for path in out.rglob("*.jsonl") for row in read_rows(path) if "flags" in row]
    assert [row["flags"] for row in valid] == [[]]


def test_reading_r100_a_record_that_its_decisions_do_not_make_is_found(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave, env = deciding, leading_to(endpoint)
    out = planned(tmp_path, "typesafe/jev-1.13.0", OUTPUT, env)
    assert epc("judge", "run", out, env=env).returncode == 0
    calls = out / "calls.jsonl"

    calls.write_text(calls.read_text().replace('\\"2\\": 0.6', '\\"2\\": 0.2'))
    checked = epc("judge", "check", out, env=env)

    assert checked.returncode == 1


def spoiled(change: Callable[[Json], None]) -> Callable[[Received], Reply]:
    def behave(received: Received) -> Reply:
        reply = json.loads(deciding(received).body)
        change(reply["answers"])
        return Reply(body=json.dumps(reply).encode())

    return behave


@pytest.mark.parametrize(
    "change",
    [
        lambda answers: answers["verdict"].update(choice="C"),
        lambda answers: answers["verdict"]["probabilities"].update(A=1.4),
        lambda answers: answers["verdict"]["probabilities"].pop("A"),
        lambda answers: answers.pop("verdict"),
    ],
    ids=["another option", "no probability", "an option without one", "no answer"],
)
def test_what_is_no_answer_to_the_question_is_no_verdict(
    tmp_path: Path, endpoint: Endpoint, change: Callable[[Json], None]
) -> None:
    endpoint.behave = spoiled(change)
    arguments = ("--evaluator", "typesafe/jev-1.13.0", "--executor", "mock/deterministic")

    done = epc(
        *("run", *arguments, "--seeds", "0", "--rounds", "2"),
        *("--out", tmp_path / "run"),
        env=leading_to(endpoint),
    )

    assert done.returncode == 4
    assert "the reply holds no answer" in done.stderr


@pytest.mark.parametrize("judge", JUDGES)
def test_reading_r100_a_verdict_s_probability_is_kept_with_it(
    tmp_path: Path, endpoint: Endpoint, judge: str
) -> None:
    endpoint.behave, run = deciding, tmp_path / "run"
    arguments = ("--evaluator", f"band=0.7:{judge}", "--executor", "mock/deterministic")

    done = epc(
        *("run", *arguments, "--seeds", "0", "--rounds", "2"),
        *("--out", run),
        env=leading_to(endpoint),
    )

    assert done.returncode == 1, done.stderr  # all are ties: no verdict was counted
    calls = [row for row in read_rows(run / "calls.jsonl") if row["model"] == judge]
    assert {row["answer"] for row in calls} == {"B\nprobability: A 0.2, B 0.8"}
    assert {row["verdict"] for row in read_rows(run / "trials.jsonl")} == {"tie"}  # 0.6 < 0.7
    assert epc("validate", run).returncode == 0


def test_doctor_asks_a_decision_model(endpoint: Endpoint) -> None:
    def knows(received: Received) -> Reply:
        """The answer to something else loses, wherever it stands."""
        first = received.prompt.partition(" B (")[0].split(" A (")[1]
        wins = "B" if any(word in first for word in ("ticket", "parliament", "Sand")) else "A"
        chances = {"A": 0.2, "B": 0.2} | {wins: 0.8}
        answer = {"type": "choice", "choice": wins, "confidence": 0.6, "probabilities": chances}
        usage = {"input_tokens": 100, "output_tokens": 0}
        reply = {"model": "jev-1.13.0", "answers": {"verdict": answer}, "usage": usage}
        return Reply(body=json.dumps(reply).encode())

    endpoint.behave = knows
    done = epc("doctor", "typesafe/jev-1.13.0", env=leading_to(endpoint))

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--executor", "typesafe/jev-1.13.0"), "writes nothing: name another executor"),
        (("--executor", "mock/deterministic", "--temperature", "1"), "decodes nothing"),
        (("--executor", "mock/deterministic", "--body", "seed=7"), "decodes nothing"),
    ],
)
def test_what_a_decision_model_cannot_do_is_refused(
    tmp_path: Path, endpoint: Endpoint, more: tuple[str, ...], problem: str
) -> None:
    endpoint.behave = deciding

    done = epc(
        *("run", "--evaluator", "typesafe/jev-1.13.0", *more, "--seeds", "0", "--rounds", "2"),
        *("--out", tmp_path / "run"),
        env=leading_to(endpoint),
    )

    assert done.returncode == 2, done.stdout + done.stderr
    assert problem in done.stderr
