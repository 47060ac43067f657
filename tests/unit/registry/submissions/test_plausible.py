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


def manifest(**given: Any) -> Any:
    config = {"seeds": [0, 1, 2], "rounds": 30, "generator": GENERATOR} | given.pop("config", {})
    fields = {
        "config": SimpleNamespace(**config), "strategies": range(64), "raw": {},
        "tasks": {f"d{n}": range(256) for n in range(6)},
        "evaluator": SimpleNamespace(measurement_date="2026-11-20"),
        "provenance": SimpleNamespace(created="2026-11-21T10:00:00+00:00"),
    }  # fmt: skip
    return SimpleNamespace(**fields | given)


def places(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    return [(f.where.removeprefix("manifest.json"), f.problem, f.severity) for f in findings]


def test_submission_s3_a_manifest_has_at_most_so_much_of_each_thing() -> None:
    at_most = manifest(config={"seeds": range(5000), "rounds": 10_000})
    assert places(plausible.bounds(at_most)) == []

    more = manifest(
        config={"seeds": range(5001), "rounds": 10_001},
        strategies=range(65),
        tasks={f"d{n}": range(256 + (n == 3)) for n in range(7)},
    )
    assert places(plausible.bounds(more)) == [
        ("/config/seeds", "5,001, expected at most 5,000", "error"),
        ("/config/rounds", "10,001, expected at most 10,000", "error"),
        ("/strategies", "65, expected at most 64", "error"),
        ("/tasks", "7, expected at most 6", "error"),
        ("/tasks/d3", "257, expected at most 256", "error"),
    ]
    nothing = manifest(config={"rounds": 0}, raw=None)
    assert [where for where, _, _ in places(plausible.bounds(nothing))] == [
        "/config/rounds",
        "/raw",
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


def test_submission_s10_draws_of_another_generator_cannot_be_checked() -> None:
    (finding,) = plausible.seeds(manifest(config={"generator": "dice"}))

    assert finding.where == "manifest.json/config/generator"
    assert GENERATOR in finding.remedy


NAMED = "openai/gpt-4o is named as a model on openai"
OWN, GATEWAY = "https://api.openai.com/v1", "https://openrouter.ai/api/v1"


def model(name: str = "openai/gpt-4o", endpoint: str = OWN, gateway: str | None = None) -> Any:
    return ModelIdentity(model=name, version=None, endpoint=endpoint, gateway=gateway, details={})


@pytest.mark.parametrize(
    ("of", "role", "declared", "problem", "severity"),
    [
        (model(), "evaluator", "direct", "", ""),
        (model(), "executor", "gateway", "", ""),
        (model(endpoint=GATEWAY), "evaluator", "gateway", "", ""),
        (model(endpoint=GATEWAY), "executor", "direct", "", ""),
        (model(), "evaluator", "recorded", "was asked, declared recorded by others", "error"),
        (model(), "evaluator", "gateway", f"{OWN} is no gateway, declared one", "error"),
        (
            *(model(endpoint=GATEWAY), "evaluator", "direct"),
            *("was asked through the gateway openrouter.ai, declared direct", "error"),
        ),
        (
            *(model(gateway="lite"), "evaluator", "direct"),
            *("was asked through the gateway lite, declared direct", "error"),
        ),
        (
            *(model(endpoint="https://a.example/v1"), "evaluator", "direct"),
            "https://a.example/v1 is not known to be openai's own, declared direct",
            "error",
        ),
        (model(endpoint="https://a.example/v1"), "evaluator", "gateway", "", ""),
        (
            *(model(endpoint="https://a.example/v1"), "executor", "direct"),
            *("https://a.example/v1 is not known to be openai's own", "warning"),
        ),
        (
            *(model("made-up", "https://a.example/v1"), "executor", "direct"),
            *("https://a.example/v1 is not known to be any platform's own", "warning"),
        ),
        (
            *(model(endpoint="https://api.anthropic.com"), "evaluator", "gateway"),
            f"https://api.anthropic.com is anthropic, and {NAMED}",
            "error",
        ),
    ],
)
def test_submission_s8_how_a_model_was_asked_is_how_it_is_declared(
    of: ModelIdentity, role: str, declared: Any, problem: str, severity: str
) -> None:
    found = [*plausible.asked_at(of, role, declared)]

    assert [f.problem for f in found] == ([problem] if problem else [])
    assert [f.severity for f in found] == ([severity] if severity else [])
    assert all(f.where == f"manifest.json/{role}/endpoint" for f in found)


def test_submission_s8_an_executor_is_looked_at_if_there_is_one() -> None:
    bad = model(endpoint="https://api.anthropic.com")

    both = plausible.endpoints(manifest(evaluator=bad, executor=bad), "direct")
    alone = plausible.endpoints(manifest(evaluator=bad, executor=None), "direct")

    assert [f.where.split("/")[1] for f in both] == ["evaluator", "executor"]
    assert [f.where.split("/")[1] for f in alone] == ["evaluator"]


def test_submission_s13_a_server_of_one_s_own_states_its_weights_and_no_other_does() -> None:
    own = model("ollama/llama3", "http://127.0.0.1:11434/v1")

    assert [*plausible.weighed(own, "sha256:0", "/w")] == []
    assert [*plausible.weighed(model(), None, "/w")] == []
    (missing,) = plausible.weighed(own, None, "/w")
    assert "nothing says which weights" in missing.problem
    (surplus,) = plausible.weighed(model(), "sha256:0", "/w")
    assert surplus.problem == "states weights, and openai/gpt-4o was not asked on self-hosted"


def test_reading_r77_recorded_verdicts_have_a_source_and_others_have_none() -> None:
    assert [*plausible.sourced("a paper", "/s", recorded=True)] == []
    assert [*plausible.sourced(None, "/s", recorded=False)] == []
    assert [f.remedy for f in plausible.sourced("a paper", "/s", recorded=False)] == [
        "leave it out"
    ]
    assert "whose they are" in next(plausible.sourced(None, "/s", recorded=True)).problem


@pytest.mark.parametrize(
    ("measured", "created", "expected"),
    [
        ("2026-11-26", "2026-11-26T23:00:00+00:00", []),
        ("2000-01-01", "2000-01-01T00:00:00+00:00", []),
        ("2026-11-21", "2026-11-20T10:00:00+00:00", ["/evaluator/measurement_date"]),
        ("2026-11-26", "2026-11-27T10:00:00+00:00", ["/provenance/created"]),
        ("1999-12-31", "2026-11-20T10:00:00+00:00", ["/evaluator/measurement_date"]),
        ("2026-02-31", "2026-11-20T10:00:00+00:00", ["/evaluator/measurement_date"]),
        ("2026-11-20", "yesterday", ["/provenance/created"]),
    ],
)
def test_submission_s9_days_are_in_order_and_in_the_past(
    measured: str, created: str, expected: list[str]
) -> None:
    given = manifest(
        evaluator=SimpleNamespace(measurement_date=measured),
        provenance=SimpleNamespace(created=created),
    )

    assert [where for where, _, _ in places(plausible.days(given, TODAY))] == expected


def cited(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    return [(f.clause, f.where.removeprefix("manifest.json"), f.remedy) for f in findings]


AGAIN = "measure again with `epc run`, whose records hold together"
DECLARE = "declare it a gateway: the figures are published as such"
SERVER = (
    "a server of your own is asked as ollama/, vllm/, llamacpp/ or openai-compatible/, and offered "
    "on the platform self-hosted"
)


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


@pytest.mark.parametrize(
    ("endpoint", "role", "declared", "remedy"),
    [
        (OWN, "evaluator", "recorded", "declare it direct, or a gateway"),
        (OWN, "executor", "recorded", "declare it direct, or a gateway"),
        (OWN, "evaluator", "gateway", "declare it direct"),
        (GATEWAY, "evaluator", "direct", DECLARE),
        ("https://a.example/v1", "evaluator", "direct", f"{DECLARE}; {SERVER}"),
        ("https://a.example/v1", "executor", "gateway", "say in the pull request whose it is"),
        ("https://api.anthropic.com", "executor", "direct", SERVER),
    ],
)
def test_submission_s8_what_is_declared_wrongly_has_a_remedy(
    endpoint: str, role: str, declared: Any, remedy: str
) -> None:
    found = cited(plausible.asked_at(model(endpoint=endpoint), role, declared))

    assert found == [("Submission S8", f"/{role}/endpoint", remedy)]


def test_submission_s13_weights_and_sources_name_their_place_and_remedies() -> None:
    own = model("ollama/llama3", "http://127.0.0.1:11434/v1")
    found = [
        *plausible.weighed(own, None, "/w"),
        *plausible.weighed(model(), "sha256:0", "/w"),
        *plausible.sourced(None, "/s", recorded=True),
        *plausible.sourced("a paper", "/s", recorded=False),
    ]

    assert cited(found) == [
        (
            *("Submission S13", "/w"),
            "state their digest as sha256:... (`sha256sum` of the file, or the server's own)",
        ),
        ("Submission S13", "/w", "leave the weights out"),
        (
            *("Reading R77", "/s"),
            "say who gave them, when, how they were asked, and where they were taken from",
        ),
        ("Reading R77", "/s", "leave it out"),
    ]
    assert {f.severity for f in found} == {"error"}


@pytest.mark.parametrize(
    ("measured", "created", "problem", "remedy"),
    [
        ("2026-11-20", "yesterday", "a day that no calendar has", AGAIN),
        (
            *("2026-11-21", "2026-11-20T10:00:00+00:00"),
            "measured on 2026-11-21, and written on 2026-11-20 already",
            AGAIN,
        ),
        (
            *("2026-11-20", "2026-11-27T10:00:00+00:00"),
            "written on 2026-11-27, which is after today, 2026-11-26",
            "set the clock, and measure again",
        ),
    ],
)
def test_submission_s9_a_day_that_cannot_be_says_why(
    measured: str, created: str, problem: str, remedy: str
) -> None:
    given = manifest(
        evaluator=SimpleNamespace(measurement_date=measured),
        provenance=SimpleNamespace(created=created),
    )

    (finding,) = plausible.days(given, TODAY)

    assert (finding.clause, finding.problem, finding.remedy, finding.severity) == (
        *("Submission S9", problem),
        *(remedy, "error"),
    )


def test_submission_s9_each_day_in_the_future_is_named() -> None:
    given = manifest(
        evaluator=SimpleNamespace(measurement_date="2026-11-28"),
        provenance=SimpleNamespace(created="2026-11-27T10:00:00+00:00"),
    )

    assert [(where, problem[:8]) for where, problem, _ in places(plausible.days(given, TODAY))] == [
        ("/evaluator/measurement_date", "measured"),
        ("/provenance/created", "written "),
        ("/evaluator/measurement_date", "measured"),
    ]
