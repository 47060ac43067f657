"""Replies that are no plain text: refusals, nothing, parts, more than a record can hold."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from endpoint_support import Endpoint, Received, Reply, answering, completion
from engine_support import digest, epc, read_rows
from run_support import HOSTED, hosted

SMALL = ("--seeds", "0-1", "--rounds", "4")
MIB = 2**20


def message(finish: str | None, **said: Any) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": finish}
    return completion(None, choices=[choice])


REFUSED = message("stop", content=None, refusal="I will not.")
NOTHING = message("length", content=None)


def in_parts(received: Received) -> Reply:
    content = json.loads(answering(received).body)["choices"][0]["message"]["content"]
    return message("stop", content=[{"type": "text", "text": content}])


def odd(received: Received) -> Reply:
    """Refuse one prompt in four, say nothing to another, answer the rest in parts."""
    return (lambda _: REFUSED, lambda _: NOTHING, in_parts, in_parts)[
        int(digest(received.prompt), 16) % 4
    ](received)


def test_reading_r4_refusals_and_silence_are_answers_and_stop_no_run(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = odd
    run = tmp_path / "run"

    arguments = ("--exhaustive", "--no-probe")
    done = epc("run", *HOSTED, *arguments, "--out", run, env=hosted(endpoint.url))

    assert done.returncode == 0, done.stderr
    assert set(endpoint.prompts.values()) == {1}  # nothing was asked again
    sent = [(row.prompt.startswith("Evaluate."), odd(row)) for row in endpoint.received]
    none = json.loads((run / "manifest.json").read_bytes())["provenance"]["no_answer"]
    for role, evaluates in (("executor", False), ("evaluator", True)):
        assert none[role] == {
            "refusal": sum(sent_to == (evaluates, REFUSED) for sent_to in sent),
            "length": sum(sent_to == (evaluates, NOTHING) for sent_to in sent),
        }
    causes = f"{none['evaluator']['length']} length, {none['evaluator']['refusal']} refusal"
    of_all = f"{sum(none['evaluator'].values())} of 176 answers of the evaluator are none: {causes}"
    assert of_all in done.stdout
    for trial in read_rows(run / "trials.jsonl"):
        assert (trial["verdict"] == "tie") == (trial["raw"] in ("", "I will not."))
    judged = next(row for row in endpoint.received if "I will not." in row.prompt)
    assert judged.prompt.startswith("Evaluate.")  # an executor's refusal is shown and judged
    validated = epc("validate", run)
    assert validated.returncode == 0
    assert f"/provenance/no_answer/evaluator: warning: {of_all} [EPC-2.6(c)]" in validated.stdout


def large(received: Received, size: int) -> Reply:
    """Answer as always, and then go on."""
    content = json.loads(answering(received).body)["choices"][0]["message"]["content"]
    return completion(f"{content}\n" + "x" * size)


def test_an_answer_too_large_to_record_is_cut_marked_and_stops_no_run(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    env, run, whole_folder = hosted(endpoint.url), tmp_path / "run", tmp_path / "whole"
    assert epc("run", *HOSTED, *SMALL, "--out", whole_folder, env=env).returncode == 0
    prompts = sorted(row.prompt for row in endpoint.received)
    executor = [prompt for prompt in prompts if not prompt.startswith("Evaluate.")]
    # Those that are asked in the same words once the first answer is another.
    elsewhere = [prompt for prompt in prompts if digest(executor[0])[:12] not in prompt]
    evaluator = [prompt for prompt in elsewhere if prompt.startswith("Evaluate.")]
    sizes = {executor[0]: 5 * MIB, evaluator[0]: 5 * MIB}
    garbage = [evaluator[1]]  # more than is taken of any body, once
    endpoint.received.clear()

    def behave(row: Received) -> Reply:
        if row.prompt in garbage:
            garbage.remove(row.prompt)
            return large(row, 33 * MIB)
        return large(row, sizes[row.prompt]) if row.prompt in sizes else answering(row)

    endpoint.behave = behave

    done = epc("run", *HOSTED, *SMALL, "--out", run, env=env)

    assert done.returncode == 0, done.stderr
    assert {prompt: n for prompt, n in endpoint.prompts.items() if n > 1} == {evaluator[1]: 2}
    assert ", 1 retries, 1 lost answers that may be billed, " in done.stderr
    assert ", 2 answers too large to record" in done.stderr
    none = json.loads((run / "manifest.json").read_bytes())["provenance"]["no_answer"]
    assert none == {"executor": {"too_large": 1}, "evaluator": {"too_large": 1}}
    calls = {call["prompt"]: call for call in read_rows(run / "calls.jsonl")}
    assert calls[evaluator[0]]["answer"] == ""
    assert calls[evaluator[1]]["answer"] in ("A", "B")
    assert calls[executor[0]]["answer"].startswith(f"Answer {digest(executor[0])[:12]}.\nxxx")
    assert len(calls[executor[0]]["answer"]) == 10_000
    assert "of the evaluator are none: 1 too_large" in done.stdout
    assert max(map(len, (run / "calls.jsonl").read_bytes().splitlines())) < 4 * MIB
    assert epc("validate", run).returncode == 0
    assert epc("show", run).stdout == done.stdout


def test_a_body_that_is_never_a_completion_is_an_error_and_nothing_of_it_is_recorded(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    asked = Counter[str]()

    def behave(row: Received) -> Reply:
        asked[row.prompt] += 1
        return large(row, 33 * MIB) if row.prompt.startswith("Evaluate.") else answering(row)

    endpoint.behave = behave
    run = tmp_path / "run"

    few = ("--seeds", "0", "--rounds", "1", "--concurrency", "1", "--no-probe")
    done = epc("run", *HOSTED, *few, "--max-time", "4", "--out", run, env=hosted(endpoint.url))

    assert done.returncode == 4
    assert "the reply has more than 33,554,432 bytes" in done.stderr
    judged = sum(n for prompt, n in asked.items() if prompt.startswith("Evaluate."))
    assert judged > 1
    assert f", {judged} lost answers that may be billed" in done.stderr
    kept_rows = read_rows(run / "journal.jsonl")
    assert kept_rows
    assert not [row for row in kept_rows if row["role"] == "evaluator"]
