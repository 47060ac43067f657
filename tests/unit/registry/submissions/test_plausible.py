"""What a manifest shows of itself, before anything is recomputed."""

from collections.abc import Iterable
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from epc.errors import Finding
from epc.protocol.draws import GENERATOR
from epc.records.manifest import ModelIdentity
from epc.registry.submissions import plausible

TODAY = date(2026, 11, 26)


def manifest(**input_fields: Any) -> Any:
    config = {"seeds": [0, 1, 2], "rounds": 30, "generator": GENERATOR} | input_fields.pop(
        "config", {}
    )
    fields = {
        "config": SimpleNamespace(**config), "strategies": range(64), "raw": {},
        "tasks": {f"d{n}": range(256) for n in range(6)},
        "evaluator": SimpleNamespace(measurement_date="2026-11-20"),
        "provenance": SimpleNamespace(created="2026-11-21T10:00:00+00:00"),
    }  # fmt: skip
    return SimpleNamespace(**fields | input_fields)


def places(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    return [(f.where.removeprefix("manifest.json"), f.problem, f.severity) for f in findings]


def cited(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    return [(f.clause, f.where.removeprefix("manifest.json"), f.remedy) for f in findings]


def test_submission_s3_a_manifest_has_at_most_so_much_of_each_thing() -> None:
    at_most = manifest(config={"seeds": range(5000), "rounds": 10_000})
    assert places(plausible.bounds(at_most)) == []

    further_document = manifest(
        config={"seeds": range(5001), "rounds": 10_001},
        strategies=range(65),
        tasks={f"d{n}": range(256 + (n == 3)) for n in range(7)},
    )
    assert places(plausible.bounds(further_document)) == [
        ("/config/seeds", "5,001, expected at most 5,000", "error"),
        ("/config/rounds", "10,001, expected at most 10,000", "error"),
        ("/strategies", "65, expected at most 64", "error"),
        ("/tasks", "7, expected at most 6", "error"),
        ("/tasks/d3", "257, expected at most 256", "error"),
    ]


UNSEEN = ", not at 0: nobody can see why"


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [
        ([2, 0, 1], []),
        ([0], []),
        ([5], [("/config/seeds", f"the range begins at 5{UNSEEN}", "warning")]),
        (
            [9, 0, 1, 5],
            [("/config/seeds", "6 seeds are missing between 0 and 9, first 2", "error")],
        ),
        ([1, 3], [("/config/seeds", "1 seeds are missing between 1 and 3, first 2", "error")]),
    ],
)  # fmt: skip
def test_submission_s10_seeds_are_a_range_from_0(
    seeds: list[int], expected: list[tuple[str, str, str]]
) -> None:
    assert places(plausible.seeds(manifest(config={"seeds": seeds}))) == expected


NAMED = "openai/gpt-4o is named as a model on openai"
OWN, GATEWAY = "https://api.openai.com/v1", "https://openrouter.ai/api/v1"


def model(name: str = "openai/gpt-4o", endpoint: str = OWN, gateway: str | None = None) -> Any:
    return ModelIdentity(model=name, version=None, endpoint=endpoint, gateway=gateway, details={})


AGAIN = "measure again with `epc run`, whose records hold together"
RECORDED = ("was asked, declared recorded by others", "declare it direct, or a gateway")
DECLARE = "declare it a gateway: the figures are published as such"
SERVER = (
    "a server of your own is asked as ollama/, vllm/, llamacpp/ or openai-compatible/, and offered "
    "on the platform self-hosted"
)
STRANGE = "https://a.example/v1"
WHOSE = "say in the pull request whose it is"
ANTHROPIC = "https://api.anthropic.com"
ANOTHER = (f"{ANTHROPIC} is anthropic, and {NAMED}", SERVER)


@pytest.mark.parametrize(
    ("of", "role", "declared", "expected"),
    [
        (model(), "evaluator", "direct", None),
        (model(), "executor", "gateway", None),
        (model(endpoint=GATEWAY), "evaluator", "gateway", None),
        (model(endpoint=GATEWAY), "executor", "direct", None),
        (model(endpoint=STRANGE), "evaluator", "gateway", None),
        (model(), "evaluator", "recorded", RECORDED),
        (model(), "executor", "recorded", RECORDED),
        (
            *(model(), "evaluator", "gateway"),
            (f"{OWN} is no gateway, declared one", "declare it direct"),
        ),
        (
            *(model(endpoint=GATEWAY), "evaluator", "direct"),
            ("was asked through the gateway openrouter.ai, declared direct", DECLARE),
        ),
        (
            *(model(gateway="lite"), "evaluator", "direct"),
            ("was asked through the gateway lite, declared direct", DECLARE),
        ),
        (
            *(model(endpoint=STRANGE), "evaluator", "direct"),
            (
                f"{STRANGE} is not known to be openai's own, declared direct",
                f"{DECLARE}; {SERVER}",
            ),
        ),
        (
            *(model(endpoint=STRANGE), "executor", "direct"),
            (f"{STRANGE} is not known to be openai's own", WHOSE),
        ),
        (
            *(model(endpoint=STRANGE), "executor", "gateway"),
            (f"{STRANGE} is not known to be openai's own", WHOSE),
        ),
        (
            *(model("made-up", STRANGE), "executor", "direct"),
            (f"{STRANGE} is not known to be any platform's own", WHOSE),
        ),
        (model(endpoint=ANTHROPIC), "evaluator", "gateway", ANOTHER),
        (model(endpoint=ANTHROPIC), "executor", "direct", ANOTHER),
    ],
)
def test_submission_s8_how_a_model_was_asked_is_how_it_is_declared(
    of: ModelIdentity, role: str, declared: Any, expected: tuple[str, str] | None
) -> None:
    found = [*plausible.asked_at(of, role, declared)]

    assert [(f.problem, f.remedy) for f in found] == ([expected] if expected else [])
    for finding in found:
        assert (finding.clause, finding.where) == (
            "Submission S8",
            f"manifest.json/{role}/endpoint",
        )
        assert finding.severity == ("warning" if finding.remedy == WHOSE else "error")


def test_submission_s8_an_executor_is_looked_at_if_there_is_one() -> None:
    bad = model(endpoint="https://api.anthropic.com")

    both_findings = plausible.endpoints(manifest(evaluator=bad, executor=bad), "direct")
    alone = plausible.endpoints(manifest(evaluator=bad, executor=None), "direct")

    assert [f.where.split("/")[1] for f in both_findings] == ["evaluator", "executor"]
    assert [f.where.split("/")[1] for f in alone] == ["evaluator"]


def test_submission_s13_a_server_of_one_s_own_states_its_weights_and_no_other_does() -> None:
    own = model("ollama/llama3", "http://127.0.0.1:11434/v1")

    assert [*plausible.weighed(own, "sha256:0", "/w")] == []
    assert [*plausible.weighed(model(), None, "/w")] == []
    (missing,) = plausible.weighed(own, None, "/w")
    (surplus,) = plausible.weighed(model(), "sha256:0", "/w")

    assert "nothing says which weights" in missing.problem
    assert surplus.problem == "states weights, and openai/gpt-4o was not asked on self-hosted"
    digest = "state their digest as sha256:... (`sha256sum` of the file, or the server's own)"
    assert cited([missing, surplus]) == [
        ("Submission S13", "/w", digest),
        ("Submission S13", "/w", "leave the weights out"),
    ]
    assert {missing.severity, surplus.severity} == {"error"}


def test_reading_r77_recorded_verdicts_have_a_source_and_others_have_none() -> None:
    assert [*plausible.sourced("a paper", "/s", recorded=True)] == []
    assert [*plausible.sourced(None, "/s", recorded=False)] == []
    (missing,) = plausible.sourced(None, "/s", recorded=True)
    (surplus,) = plausible.sourced("a paper", "/s", recorded=False)

    assert "whose they are" in missing.problem
    name = "say who gave them, when, how they were asked, and where they were taken from"
    assert cited([missing, surplus]) == [
        ("Reading R77", "/s", name),
        ("Reading R77", "/s", "leave it out"),
    ]
    assert {missing.severity, surplus.severity} == {"error"}


MEASURED, WRITTEN = "/evaluator/measurement_date", "/provenance/created"
CLOCK = "set the clock, and measure again"
EARLY = "which is before 2000-01-01: no evaluator is as old"


@pytest.mark.parametrize(
    ("measured", "created", "expected"),
    [
        ("2026-11-26", "2026-11-26T23:00:00+00:00", []),
        ("2000-01-01", "2000-01-01T00:00:00+00:00", []),
        (
            *("2026-11-21", "2026-11-20T10:00:00+00:00"),
            [(MEASURED, "measured on 2026-11-21, and written on 2026-11-20 already", AGAIN)],
        ),
        (
            *("2026-11-26", "2026-11-27T10:00:00+00:00"),
            [(WRITTEN, "written on 2026-11-27, which is after today, 2026-11-26", CLOCK)],
        ),
        (
            *("1999-12-31", "2026-11-20T10:00:00+00:00"),
            [(MEASURED, f"measured on 1999-12-31, {EARLY}", CLOCK)],
        ),
        (
            *("2026-02-31", "2026-11-20T10:00:00+00:00"),
            [(MEASURED, "a day that no calendar has", AGAIN)],
        ),
        ("2026-11-20", "yesterday", [(WRITTEN, "a day that no calendar has", AGAIN)]),
        (
            *("2026-11-28", "2026-11-27T10:00:00+00:00"),
            [
                (MEASURED, "measured on 2026-11-28, which is after today, 2026-11-26", CLOCK),
                (WRITTEN, "written on 2026-11-27, which is after today, 2026-11-26", CLOCK),
                (MEASURED, "measured on 2026-11-28, and written on 2026-11-27 already", AGAIN),
            ],
        ),
    ],
)
def test_submission_s9_days_are_in_order_and_in_the_past(
    measured: str, created: str, expected: list[tuple[str, str, str]]
) -> None:
    document = manifest(
        evaluator=SimpleNamespace(measurement_date=measured),
        provenance=SimpleNamespace(created=created),
    )

    found = [*plausible.days(document, TODAY)]

    assert [(f.where.removeprefix("manifest.json"), f.problem, f.remedy) for f in found] == expected
    assert {(f.clause, f.severity) for f in found} <= {("Submission S9", "error")}


def test_submission_s3_a_manifest_of_nothing_names_its_rules_and_remedies() -> None:
    nothing = manifest(config={"rounds": 0}, strategies=range(65), raw=None)

    assert cited(plausible.bounds(nothing)) == [
        ("Submission S3", "/strategies", "ask in an issue how to offer more"),
        ("Submission S3", "/config/rounds", AGAIN),
        ("EPC-2.5(d)", "/raw", "offer the folder that the run wrote"),
    ]
    assert [f.problem for f in plausible.bounds(nothing)][1:] == [
        "0, expected at least 1",
        "names no raw files, so nothing can be recomputed",
    ]
    assert places(plausible.bounds(manifest(config={"rounds": 1}))) == []


def test_submission_s10_seeds_name_their_rule_and_remedies() -> None:
    """Of 0 to 2,999, only the two ends are there: 2,998 are not."""
    (gap,) = plausible.seeds(manifest(config={"seeds": [2999, 0]}))
    (late, dice) = plausible.seeds(manifest(config={"seeds": [1], "generator": "dice"}))

    assert gap.problem == "2,998 seeds are missing between 0 and 2999, first 1"
    assert cited([gap, late, dice]) == [
        (
            *("Submission S10", "/config/seeds"),
            "offer every seed of the range: those that are left out decide the mean",
        ),
        (
            *("Submission S10", "/config/seeds"),
            "measure from seed 0, unless this repeats a measurement with fresh seeds",
        ),
        ("Submission S10", "/config/generator", f"use {GENERATOR}"),
    ]
    assert (late.severity, dice.severity) == ("warning", "error")


def judged_by(evaluator: str, executor: str | None) -> Any:
    executor_model = None if executor is None else SimpleNamespace(model=executor)
    return manifest(evaluator=SimpleNamespace(model=evaluator), executor=executor_model)


def test_submission_s14_a_mock_s_answers_are_no_work_that_a_model_was_asked_about() -> None:
    (finding,) = plausible.answered(judged_by("local/word-count", "mock/deterministic"))

    assert finding.clause == "Submission S14"
    assert finding.where.endswith("/executor/model")
    assert finding.severity == "error"
    for evaluator, executor in (
        ("mock/coin-flip", "mock/deterministic"),
        ("openai/gpt-5.4", "local/smollm2-135m"),
        ("recorded:verdicts.jsonl", None),
    ):
        assert [*plausible.answered(judged_by(evaluator, executor))] == []
