"""What providers do beside answering: another model, withheld answers, another answer later."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from endpoint_support import Endpoint, Received, Reply, answering, completion, refusal
from engine_support import asked_for, read_rows, sitting

from epc.engine.budget import Limits
from epc.errors import UsageError
from epc.protocol.verdict import parse_verdict
from epc.records.layout import digest as file_digest
from epc.records.manifest import Manifest
from epc.records.usage import suspicions
from epc.records.validate import validate
from epc.report.measurement_text import report

PLAN = asked_for("openai/judge", "mock/deterministic", rounds=6)
NO_CACHE = Limits(cache=False)


def named(received: Received, **changed: Any) -> Reply:
    """Answer as always, with other words about who did."""
    document = json.loads(answering(received).body)
    return Reply(body=json.dumps({**document, "model": "judge", **changed}).encode())


class Turns:
    """A behaviour that says another model or fingerprint from the n-th answer on."""

    def __init__(self, index: int, before: dict[str, Any], after: dict[str, Any]) -> None:
        self.at, self.before, self.after, self.count = index, before, after, 0

    def __call__(self, received: Received) -> Reply:
        self.count += 1
        return named(received, **(self.before if self.count <= self.at else self.after))


def test_epc_5_3_the_model_that_was_asked_for_is_no_finding(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.behave = named

    manifest = sitting(tmp_path / "run", PLAN)

    count = manifest["provenance"]["calls"]["evaluator"]
    assert manifest["provenance"]["served_models"]["evaluator"] == {"judge": count}
    assert manifest["provenance"]["system_fingerprints"]["evaluator"] == {"fp_44709d6fcb": count}
    assert list(suspicions(Manifest.parse(manifest))) == []
    assert validate(tmp_path / "run").findings == []
    assert "DOUBTFUL" not in report(Manifest.parse(manifest))


@pytest.mark.parametrize(
    ("behave", "where", "problems"),
    [
        (
            lambda received: named(received, model="judge-mini"),
            "/provenance/served_models/evaluator",
            ["judge was asked for, judge-mini answered"],
        ),
        (
            Turns(5, {}, {"model": "judge-0806"}),
            "/provenance/served_models/evaluator",
            [
                "judge was asked for, judge-0806 answered",
                "2 models answered in one run: judge, judge-0806",
            ],
        ),
        (
            Turns(5, {"system_fingerprint": "fp_1"}, {"system_fingerprint": "fp_2"}),
            "/provenance/system_fingerprints/evaluator",
            ["the system fingerprint changed within the run: fp_1, fp_2"],
        ),
    ],
)
def test_epc_5_3_another_model_or_fingerprint_is_a_warning_and_in_the_report(
    tmp_path: Path, endpoint: Endpoint, behave: Any, where: str, problems: list[str]
) -> None:
    endpoint.behave = behave

    manifest = sitting(tmp_path / "run", PLAN)

    actual_report = validate(tmp_path / "run")
    assert actual_report.ok
    assert [(f.severity, f.where, f.problem) for f in actual_report.findings] == [
        ("warning", where, problem) for problem in problems
    ]
    for problem in problems:
        assert f"  - DOUBTFUL: {problem}.\n" in report(Manifest.parse(manifest))


def test_epc_5_3_who_answered_cannot_be_forged(tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.behave = lambda received: named(received, model="judge-mini")
    manifest = sitting(tmp_path / "run", PLAN)
    count = manifest["provenance"]["calls"]["evaluator"]
    manifest["provenance"]["served_models"]["evaluator"] = {"judge": count}
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest))

    actual_report = validate(tmp_path / "run")

    assert not actual_report.ok
    assert {
        f.where.rpartition("/")[0] for f in actual_report.findings if f.severity == "error"
    } >= {"/provenance/served_models/evaluator"} or any(
        "served_models/evaluator" in f.where for f in actual_report.findings
    )


def test_reading_r4_retries_are_in_the_manifest_and_on_their_calls(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    def shaky(received: Received) -> Reply:
        """Fail the first two times that a prompt is asked for."""
        if endpoint.prompts[received.prompt] <= 2:
            return refusal(503, retry_after_ms="1")
        return named(received)

    endpoint.behave = shaky

    manifest = sitting(tmp_path / "run", PLAN)

    count = manifest["provenance"]["calls"]["evaluator"]
    assert manifest["provenance"]["retries"] == 2 * count
    calls = read_rows(tmp_path / "run" / "calls.jsonl")
    assert Counter((c["role"], c["retries"]) for c in calls if c["role"] == "evaluator") == {
        ("evaluator", 2): count
    }
    assert len(endpoint.received) == 3 * count


def test_reading_r16_a_steady_evaluator_does_not_flip(tmp_path: Path, endpoint: Endpoint) -> None:
    request = asked_for("openai/judge", "mock/deterministic", rounds=6, recheck=20)

    manifest = sitting(tmp_path / "run", request)

    assert manifest["results"]["summary"]["determinism"] == {
        "asked": 20,
        "verdict_flips": 0,
        "text_changes": 0,
        "flip_rate": 0.0,
    }
    assert Counter(endpoint.prompts.values())[2] == 20
    assert validate(tmp_path / "run").ok
    assert "Asked again, none of 20 comparisons got another verdict." in report(
        Manifest.parse(manifest)
    )


@pytest.mark.parametrize("exhaustive", [False, True])
def test_reading_r16_flips_are_counted_one_by_one(
    tmp_path: Path,
    endpoint: Endpoint,
    exhaustive: bool,  # noqa: FBT001  (pytest hands it over by name)
) -> None:
    flipped: set[str] = set()

    def fickle(received: Received) -> Reply:
        """Change the verdict on every other comparison that is asked a second time."""
        content = json.loads(answering(received).body)["choices"][0]["message"]["content"]
        if endpoint.prompts[received.prompt] == 2 and len(flipped) < 7:
            flipped.add(received.prompt)
            return completion("B" if parse_verdict(content) == "A" else "A", model="judge")
        return completion(content, model="judge")

    endpoint.behave = fickle
    request = asked_for(
        "openai/judge", "mock/deterministic", rounds=6, recheck=16, exhaustive=exhaustive
    )
    steady = asked_for("openai/judge", "mock/deterministic", rounds=6, exhaustive=exhaustive)

    manifest = sitting(tmp_path / "run", request, limits=NO_CACHE)
    endpoint.received.clear()
    sitting(tmp_path / "steady", steady, limits=NO_CACHE)

    assert manifest["results"]["summary"]["determinism"] == {
        "asked": 16,
        "verdict_flips": 7,
        "text_changes": 7,
        "flip_rate": 7 / 16,
    }
    assert validate(tmp_path / "run").ok
    weights = [(tmp_path / name / "weights.jsonl").read_bytes() for name in ("run", "steady")]
    assert weights[0] == weights[1]  # what is asked again moves nothing


def test_reading_r16_a_forged_flip_rate_is_found(tmp_path: Path, endpoint: Endpoint) -> None:
    manifest = sitting(tmp_path / "run", asked_for("openai/judge", "mock/deterministic", recheck=5))
    manifest["results"]["summary"]["determinism"]["verdict_flips"] = 1
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest))

    findings = [f for f in validate(tmp_path / "run").findings if f.severity == "error"]

    assert [f.where for f in findings] == ["/results/summary/determinism/verdict_flips"]


def test_reading_r16_an_edited_second_answer_is_found(tmp_path: Path, endpoint: Endpoint) -> None:
    manifest = sitting(tmp_path / "run", asked_for("openai/judge", "mock/deterministic", recheck=5))
    path = tmp_path / "run" / "calls.jsonl"
    rows = read_rows(path)
    repeated_row = next(row for row in rows if (row["occasion"] or "").startswith("recheck/"))
    repeated_row["answer"] = "B" if repeated_row["answer"] == "A" else "A"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    manifest["raw"]["calls"].update(file_digest(path))
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest))

    places = {f.where for f in validate(tmp_path / "run").findings if f.severity == "error"}

    assert places == {
        f"/calls/{rows.index(repeated_row)}/answer",  # which its reply contradicts
        "/results/summary/determinism/verdict_flips",
        "/results/summary/determinism/text_changes",
        "/results/summary/determinism/flip_rate",
    }


def test_reading_r16_a_fresh_run_has_nothing_to_recheck(tmp_path: Path) -> None:
    request = asked_for("mock/coin-flip", "mock/deterministic", recheck=5)

    with pytest.raises(UsageError, match="--recheck asks again what was reused"):
        sitting(tmp_path / "run", request)

    assert not (tmp_path / "run").exists()
