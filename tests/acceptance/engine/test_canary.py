"""The canary: a real server that is swapped for another under the same name (Reading R76)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drift_support import turning
from endpoint_support import Endpoint, Received, Reply, answering, completion
from engine_support import DAY, a_or_b, environment, epc, read_rows, same_files

MODELS = ("--evaluator", "openai/judge-0806", "--executor", "openai/writer-0806")
SMALL = ("--exhaustive", "--seeds", "0-1", "--rounds", "2")
WHOLE = 352 + 72  # 176 answers and 176 comparisons; 24 pairs twice at the start, once at the end
_INVERTED = turning(lambda _: True)


def at(endpoint: Endpoint, second: int = 0) -> dict[str, str]:
    """Return the environment of a moment of one day."""
    return environment(
        OPENAI_BASE_URL=endpoint.url,
        OPENAI_API_KEY="sk-canary-0123456789abcdef",
        SOURCE_DATE_EPOCH=str(int(DAY.timestamp()) + second),
    )


def after(answers: int) -> Callable[[Received], Reply]:
    """Return a server that inverts its verdicts after so many answers."""
    left = [answers]

    def behave(received: Received) -> Reply:
        left[0] -= 1
        return answering(received) if left[0] >= 0 else _INVERTED(received)

    return behave


def manifest(run: Path) -> Any:
    return json.loads((run / "manifest.json").read_text("utf-8"))


def whens(run: Path) -> list[str]:
    return [panel["when"] for panel in manifest(run)["canary"]["panels"]]


def test_reading_r76_a_quiet_canary_is_recorded_shown_checked_and_no_part_of_the_run(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    with_it, without = tmp_path / "with", tmp_path / "without"
    done = epc("run", *MODELS, *SMALL, "--out", with_it, env=at(endpoint))
    assert (done.returncode, len(endpoint.received)) == (0, WHOLE), done.stderr
    asked = [request.prompt for request in endpoint.received]
    # After the first round, which shows that the evaluator answers, and after everything else.
    assert set(asked[3:27]) == set(asked[27:51]) == set(asked[-24:])
    assert len(set(asked[3:27])) == 24
    epc("run", *MODELS, *SMALL, "--no-canary", "--out", without, env=at(endpoint))

    assert len(endpoint.received) == WHOLE + 352
    same_files(with_it, without, ("trials.jsonl", "weights.jsonl"))
    stated = manifest(with_it)
    found = stated.pop("canary")
    assert stated["results"] == manifest(without)["results"]
    assert stated["provenance"]["calls"] == {"executor": 176, "evaluator": 176}
    assert "canary" not in manifest(without)
    assert [panel["when"] for panel in found["panels"]] == ["start", "start", "end"]
    assert all(panel["first_at"] == "2026-07-02T00:00:00Z" for panel in found["panels"])
    assert found["panels"][0]["answers"] == found["panels"][2]["answers"]
    assert found["looks"] == [
        {"panel": 2, "told": 0, "odd": 0, "p_value": 1.0, "level": 0.0125, "departed": False}
    ]
    assert (found["departed"], found["false_alarms"]) == (False, 0.025)
    said = "24 pairs asked 3 times: no sign of another evaluator"
    assert f"  canary     {said}\n" in epc("show", with_it).stdout
    assert "  canary         no sign of another evaluator" in epc("audit", with_it).stdout
    assert epc("validate", with_it).returncode == 0
    stated["canary"] = {**found, "looks": [{**found["looks"][0], "p_value": 0.5}]}
    (with_it / "manifest.json").write_text(json.dumps(stated), "utf-8")
    wrong = epc("validate", with_it)
    assert wrong.returncode == 1
    assert "/canary/looks/0/p_value: does not follow from the answers" in wrong.stdout


def test_reading_r76_a_model_swapped_within_a_run_is_caught_at_its_end(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = tmp_path / "run"
    endpoint.behave = after(300)

    done = epc("run", *MODELS, *SMALL, "--out", run, env=at(endpoint))

    assert done.returncode == 1
    assert "another evaluator answered within the run: measure again" in done.stderr
    said = (
        "another evaluator answered at the end (2026-07-02T00:00:00Z): 24 of 24 pairs got another "
        "verdict than twice at the start (p 3.5e-12)"
    )
    assert f"canary     {said}" in epc("show", run).stdout
    checked = epc("validate", run)
    assert checked.returncode == 0  # the record is true
    assert f"/canary/departed: warning: {said}" in checked.stdout
    audited = epc("audit", run, "--format", "json")
    assert (audited.returncode, json.loads(audited.stdout)["swapped"]) == (1, True)
    merged = epc("merge", run, run, "--out", tmp_path / "merged")
    assert merged.returncode == 2
    assert "leave it out" in merged.stderr


def test_reading_r76_shards_that_two_models_answered_are_named_and_not_merged(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    for seed, behave in enumerate((answering, _INVERTED, answering, _INVERTED)):
        endpoint.behave = behave
        fresh = ("--reuse", "none", "--seeds", str(seed), "--rounds", "1")
        done = epc("run", *MODELS, *fresh, "--out", tmp_path / f"{seed}", env=at(endpoint))
        assert done.returncode == 0, done.stderr
    shards = [tmp_path / f"{seed}" for seed in range(4)]

    refused = epc("merge", *shards, "--out", tmp_path / "all")
    alike = epc("merge", shards[1], shards[3], "--out", tmp_path / "inverted")

    assert (refused.returncode, alike.returncode) == (2, 0), alike.stderr
    for odd in (shards[1], shards[3]):
        said = "24 of 24 pairs of the canary got another verdict than twice at the start of"
        assert f"{odd}: {said} {shards[0]} (p " in refused.stderr
    assert f"{shards[2]}: " not in refused.stderr
    assert not (tmp_path / "all").exists()


def test_reading_r76_a_model_swapped_between_sessions_is_refused_at_resume(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    run = tmp_path / "run"
    stopped = epc("run", *MODELS, *SMALL, "--max-calls", "300", "--out", run, env=at(endpoint))
    assert (stopped.returncode, len(endpoint.received)) == (4, 300)
    endpoint.behave = _INVERTED

    refused = epc("resume", run, env=at(endpoint, 3600))

    assert (refused.returncode, len(endpoint.received)) == (1, 324)
    assert "another evaluator answered at the beginning of a later session" in refused.stderr
    assert "(2026-07-02T01:00:00Z): 24 of 24 pairs got another verdict" in refused.stderr
    assert f"`epc resume {run} --anyway` goes on with this one" in refused.stderr
    endpoint.behave = answering  # the first one is back
    done = epc("resume", run, env=at(endpoint, 7200))
    assert done.returncode == 1  # it was away, and the record says so
    assert whens(run) == ["start", "start", "resume", "resume", "end"]
    looks = manifest(run)["canary"]["looks"]
    assert [look["departed"] for look in looks] == [True, False, False]
    assert [look["level"] for look in looks] == [0.025 / 2, 0.025 / 6, 0.025 / 12]


def test_reading_r76_an_interrupted_run_gives_the_results_of_one_that_was_not(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert epc("run", *MODELS, *SMALL, "--out", whole, env=at(endpoint)).returncode == 0
    endpoint.received.clear()
    codes = [epc("run", *MODELS, *SMALL, "--max-calls", "30", "--out", parts, env=at(endpoint))]
    codes += [epc("resume", parts, "--max-calls", n, env=at(endpoint)) for n in ("200", "10")]
    codes += [epc("resume", parts, env=at(endpoint))]

    assert [done.returncode for done in codes] == [4, 4, 4, 0]
    # The first start was cut short and finished; a session of ten calls asked ten of its panel.
    assert whens(parts) == ["start", "start", "resume", "end"]
    assert len(endpoint.received) == WHOLE + 24
    same_files(whole, parts, ("trials.jsonl", "weights.jsonl", "run.json"))
    assert manifest(whole)["results"] == manifest(parts)["results"]
    assert len(read_rows(parts / "calls.jsonl")) == 352


def test_reading_r76_answers_of_a_model_that_was_swapped_since_are_not_taken_over(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert epc("run", *MODELS, *SMALL, "--out", first, env=at(endpoint)).returncode == 0
    reuse = ("run", *MODELS, *SMALL, "--reuse-answers-of", first, "--out")
    endpoint.received.clear()

    same = epc(*reuse, tmp_path / "same", env=at(endpoint, 60))

    assert (same.returncode, len(endpoint.received)) == (0, 48)  # the run's own pairs, twice
    found = manifest(tmp_path / "same")["canary"]
    assert found["before"] == found["panels"][0]["answers"]
    endpoint.behave = _INVERTED
    refused = epc(*reuse, second, env=at(endpoint, 3600))
    assert (refused.returncode, len(endpoint.received)) == (1, 96)
    said = (
        "the run whose answers are taken over had another evaluator: 24 of 24 pairs got another "
        "verdict than twice at the start"
    )
    assert said in refused.stderr
    again = epc("resume", second, env=at(endpoint, 3600))
    assert (again.returncode, len(endpoint.received)) == (1, 96)  # known without asking
    anyway = epc("resume", second, "--anyway", env=at(endpoint, 3600))
    assert (anyway.returncode, said in anyway.stdout) == (1, True)


def test_reading_r76_a_model_swapped_between_days_is_caught_by_comparing_two_runs(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    for name, second in (("first", 0), ("second", 86_400)):
        done = epc("run", *MODELS, *SMALL, "--out", tmp_path / name, env=at(endpoint, second))
        assert done.returncode == 0  # within each run nothing changed
        endpoint.behave = _INVERTED

    done = epc("compare", tmp_path / "first", tmp_path / "second")

    assert done.returncode == 1
    assert done.stdout.startswith("DRIFTED, like for like\n")


def test_reading_r76_the_canary_counts_in_forecast_and_caps(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    plan = ("run", *MODELS, *SMALL)
    calls = [
        json.loads(epc(*plan, *more, "--dry-run", "--format", "json", env=at(endpoint)).stdout)
        for more in ((), ("--no-canary",))
    ]
    for end in ("lower", "expected", "upper"):
        assert [shares["evaluator"]["calls"][end] for shares in calls] == [
            calls[1]["evaluator"]["calls"][end] + 72,
            calls[1]["evaluator"]["calls"][end],
        ]
    run = tmp_path / "run"

    stopped = epc(*plan, "--max-calls", "40", "--out", run, env=at(endpoint))

    assert (stopped.returncode, len(endpoint.received)) == (4, 40)
    # Two answers and their comparison are the first round's, the rest is the canary's.
    models = [request.body["model"] for request in endpoint.received]
    assert (models.count("judge-0806"), models.count("writer-0806")) == (38, 2)


def test_reading_r76_weights_that_are_pinned_and_mocks_need_no_canary(tmp_path: Path) -> None:
    models = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")

    assert epc("run", *models, *SMALL, "--out", tmp_path / "run").returncode == 0

    assert "canary" not in manifest(tmp_path / "run")


def test_reading_r76_an_evaluator_that_tosses_coins_is_seldom_taken_for_another(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """Its answers repeat in no way, and that is seen at the start and not taken for a swap."""

    def tossing(received: Received) -> Reply:
        # By how often it was asked this, and not by the order in which threads get here.
        return completion(a_or_b(f"{endpoint.prompts[received.prompt]} {received.prompt}"))

    endpoint.behave = tossing

    done = epc("run", *MODELS, *SMALL, "--out", tmp_path / "run", env=at(endpoint))

    assert done.returncode == 0, done.stderr
    (look,) = manifest(tmp_path / "run")["canary"]["looks"]
    assert look["told"] > 12
    assert not look["departed"]


def test_an_evaluator_that_names_no_letter_is_asked_no_more_than_the_canary(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """Three calls of the first round, and the panel twice."""
    endpoint.behave = lambda _: completion("**Verdict:** Answer A is better.")
    run = tmp_path / "run"
    done = epc("run", *MODELS, *SMALL, "--out", run, env=at(endpoint))

    assert (done.returncode, len(endpoint.received)) == (1, 3 + 48), done.stderr
    assert "openai/judge-0806 named neither A nor B in any of 24 pairs" in done.stderr
    assert "it answered: **Verdict:** Answer A is better." in done.stderr
    resumed = epc("resume", run, "--anyway", env=at(endpoint))
    assert resumed.returncode == 1
    assert "no verdict was ever counted" in resumed.stderr
    assert epc("validate", run).returncode == 0
