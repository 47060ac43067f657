"""A server of one's own that poses as a maker's model, and one that says what it is.

Real runs against a real server on the loopback interface, offered and published by the commands.
"""

import json
import shutil
from pathlib import Path

import pytest
from attack_support import attack
from endpoint_support import Endpoint, Received, Reply, completion, serving
from engine_support import FIXED_CLOCK, a_or_b, digest, environment, epc
from records_support import Run
from registry_support import Checkout, generation_record, life_record
from shared_support import shared
from submissions_support import EXECUTOR, OPENAI, Offered, errors, matching_errors, rename

from epc.records.manifest import Manifest
from epc.registry.submissions.making import make
from epc.registry.submissions.statement import Statement, identity

MODEL = "gpt-4o-2024-08-06"
NAMED = (
    "--contributor",
    "A. Forger",
    "--login",
    "forger",
    "--licence",
    "CC-BY-4.0",
    "--conflicts",
    "none",
)
WEIGHTS = f"sha256:{'ab' * 32}"
CLAIM = ("--generation", "GPT4o-0806", "--platform", "openai")


def hashes(received: Received) -> Reply:
    """Answer as the clock of the tests has it: a verdict by digest, or a short text."""
    stamp = int(FIXED_CLOCK["SOURCE_DATE_EPOCH"])
    judged = received.prompt.startswith("Evaluate.")
    text = a_or_b(received.prompt) if judged else f"Answer {digest(received.prompt)[:12]}."
    return completion(text, created=stamp)


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return shared(tmp_path_factory, "forged", _forged)


def _forged(folder: Path) -> dict[str, Path]:
    """Runs of one loopback server under four names."""
    runs = {}
    with serving() as server:
        server.behave = hashes
        for provider in ("openai", "ollama", "openai-compatible", "llamacpp"):
            runs[provider] = measured(server, provider, folder / provider)
    return runs


def measured(server: Endpoint, provider: str, out: Path) -> Path:
    variable = f"{provider.upper().replace('-', '_')}_BASE_URL"
    env = environment(**{variable: server.url, "OPENAI_API_KEY": "none-such"})
    models = ("--evaluator", f"{provider}/{MODEL}", "--executor", "mock/deterministic")
    done = epc("run", *models, "--exhaustive", "--seeds", "0-9", "--out", out, env=env)
    assert done.returncode == 0, done.stderr
    rename(Run(folder=out), "executor", **EXECUTOR)
    return out


@pytest.fixture
def registry(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "registry")
    lives = (
        life_record(platform="openai", model=MODEL),
        life_record(platform="azure-openai", model=MODEL),
    )
    checkout.evaluator(generation_record("GPT4o-0806", *lives))
    own_term_record = life_record(platform="self-hosted", model=MODEL)
    checkout.evaluator(generation_record("LlamaOfMine", own_term_record))
    (checkout.folder / "submissions").mkdir()
    return checkout


@attack("publication")
@pytest.mark.parametrize(
    ("provider", "endpoint", "clause", "problem"),
    [
        ("openai", "direct", "S8", "is self-hosted, and openai/gpt-4o-2024-08-06 is named as a"),
        ("openai", "gateway", "S8", "is self-hosted, and openai/gpt-4o-2024-08-06 is named as a"),
        ("ollama", "direct", "S13", "says openai, ollama/gpt-4o-2024-08-06 was asked on self-"),
        ("ollama", "gateway", "S8", "is no gateway, declared one"),
        ("openai-compatible", "direct", "S13", "was asked on self-hosted"),
    ],
)
def test_epc_5_3_2_a_loopback_server_passes_for_no_makers_model(
    provider: str,
    endpoint: str,
    clause: str,
    problem: str,
    *,
    registry: Checkout,
    forged: dict[str, Path],
) -> None:
    clause = f"Submission {clause}"
    run, how = forged[provider], ("--endpoint", endpoint)
    manifest = json.loads((run / "manifest.json").read_text())
    statement = Statement(
        generation="GPT4o-0806",
        platform="openai",
        endpoint="gateway" if endpoint == "gateway" else "direct",
        contributor="A. Forger",
        login="forger",
        licence="CC-BY-4.0",
        conflicts="none",
        replicates=None,
        identity=identity(Manifest.parse(manifest)),
    )

    new = epc("submission", "new", run, *NAMED, *CLAIM, *how, cwd=registry.folder)
    folder = make(registry.folder / "submissions", run, "forged", statement, {})
    checked = epc("submission", "check", "--format", "json", cwd=registry.folder)
    promoted = epc("admin", "snapshot", "publish", folder, "--no-git", cwd=registry.folder)
    arguments = (*CLAIM, "--contributor", "A. Forger", "--no-git")
    proxied = ("--proxy",) if endpoint == "gateway" else ()
    published = epc("admin", "snapshot", "publish", run, *arguments, *proxied, cwd=registry.folder)

    assert (new.returncode, checked.returncode) == (2, 1), new.stdout + checked.stdout
    assert matching_errors(json.loads(checked.stdout), (clause, "", problem)), checked.stdout
    assert (promoted.returncode, published.returncode) == (2, 2)
    for done in (new, promoted, published):
        assert problem in done.stderr
        assert "fix: " in done.stderr
    assert not list(registry.home.glob("v*"))


def test_a_server_of_ones_own_that_says_so_is_offered_and_published_as_what_was_asked(
    registry: Checkout, forged: dict[str, Path]
) -> None:
    run = forged["llamacpp"]
    address = json.loads((run / "manifest.json").read_text())["evaluator"]["endpoint"]

    unweighed = epc("submission", "new", run, *NAMED, cwd=registry.folder)
    new = epc("submission", "new", run, *NAMED, "--weights", WEIGHTS, cwd=registry.folder)
    assert new.returncode == 0, new.stderr
    folder = Path(new.stdout.strip())
    checked = epc("submission", "check", cwd=registry.folder)
    published = epc("admin", "snapshot", "publish", folder, "--no-git", cwd=registry.folder)
    result = epc("snapshot", "show", "v1.0-LlamaOfMine", cwd=registry.folder)

    listed = epc("snapshot", "list", "--format", "json", cwd=registry.folder)

    statement = json.loads((registry.home / "v1.0-LlamaOfMine" / "snapshot.json").read_text())
    assert unweighed.returncode == 2
    assert "was served by the contributor, and nothing says which weights" in unweighed.stderr
    assert "[Submission S13]" in unweighed.stderr
    assert "fix: state their digest as sha256:" in unweighed.stderr
    assert (checked.returncode, published.returncode) == (0, 0), checked.stdout + published.stderr
    assert f"  asked at       {address}\n" in checked.stdout
    assert "  claimed to be  LlamaOfMine on self-hosted\n" in checked.stdout
    assert statement["evaluator"]["platform"] == "self-hosted"
    assert statement["evaluator"]["asked"] == {"model": f"llamacpp/{MODEL}", "endpoint": address}
    assert f"  asked as   llamacpp/{MODEL} at {address}\n" in result.stdout
    assert f"  weights    {WEIGHTS}, as the contributor states\n" in result.stdout
    assert "by A. Forger (forger on GitHub)\n" in result.stdout
    assert (statement["login"], statement["evaluator"]["weights"]) == ("forger", WEIGHTS)
    assert json.loads(listed.stdout)[0]["asked"] == f"llamacpp/{MODEL} at {address}"


@attack("publication")
@pytest.mark.parametrize("name", ["GPT4o-O806", "gpt4o-0806", "GPT40-0806"])
def test_a_mock_takes_no_name_that_looks_like_a_generations(name: str, honest: Offered) -> None:
    honest.statement(generation=name)

    value = honest.check()

    wanted = ("Submission S13", "submission.json/generation", f"{name} looks like GPT4o-0806")
    assert matching_errors(value, wanted), errors(value)


@attack("publication")
@pytest.mark.parametrize("name", ["GPT-5.5", "Llama-4", "CoinFlip", "Coin-Flip", "o1"])
def test_a_mock_takes_no_free_name(name: str, honest: Offered) -> None:
    honest.statement(generation=name)

    value = honest.check()

    wrong = [e for e in errors(value) if e["where"] == "submission.json/generation"]
    assert {e["clause"] for e in wrong} == {"Submission S13"}
    assert "name the mock, platform null" in [e["remedy"] for e in wrong]


@attack("publication")
@pytest.mark.parametrize("name", ["GPT-5.5", "gpt4o-0806", "coinflip"])
def test_a_mock_is_published_under_no_free_name(
    name: str, honest: Offered, registry: Checkout
) -> None:
    arguments = ("--generation", name, "--contributor", "A. Forger", "--no-git")

    done = epc("admin", "snapshot", "publish", str(honest.folder), cwd=registry.folder)
    shutil.copytree(honest.folder, registry.folder / "run")
    (registry.folder / "run" / "submission.json").unlink()
    bare = epc("admin", "snapshot", "publish", "run", *arguments, cwd=registry.folder)

    assert (done.returncode, bare.returncode) == (2, 2)
    assert "[Submission S13]" in bare.stderr
    assert not list(registry.home.glob("v*"))


@attack("publication")
def test_weights_are_stated_of_no_platforms_model(honest: Offered) -> None:
    honest.statement(weights=WEIGHTS)

    value = honest.check()

    assert matching_errors(
        value, ("Submission S13", "submission.json/weights", "was not asked on self-")
    )


def test_an_executor_on_a_server_of_ones_own_is_named_as_what_it_is(honest: Offered) -> None:

    rename(honest.run, "executor", **(OPENAI | {"endpoint": "http://127.0.0.1:8000/v1"}))
    honest.identify()

    value = honest.check()

    assert matching_errors(
        value, ("Submission S8", "manifest.json/executor/endpoint", "is self-hosted, and")
    )


def test_a_run_that_was_asked_cannot_be_declared_recorded_by_others(honest: Offered) -> None:
    honest.statement(endpoint="recorded")

    value = honest.check()

    assert matching_errors(
        value, ("Submission S8", "manifest.json/evaluator/endpoint", "was asked, declared")
    )
