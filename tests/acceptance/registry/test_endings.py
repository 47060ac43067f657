"""How a snapshot ends: by a newer one, by a watch, by a maintainer's word. Real runs, real git."""

import json
from pathlib import Path
from typing import Any

import pytest
from drift_support import share_of_prompts, turning
from endpoint_support import serving
from engine_support import environment, epc
from records_support import ONLY_TIES, make_run
from registry_support import Checkout, generation_record, life_record

DAY = 1_782_950_400  # 2026-07-02
WHO = ("--contributor", "A. Name", "--no-git")
COIN = ("--generation", "CoinFlip", *WHO)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "registry")
    checkout.evaluator(
        generation_record("Judge-2", life_record(platform="self-hosted", model="judge-0806"))
    )
    return checkout


def state_of(checkout: Checkout, tag: str, **env: Any) -> Any:
    done = epc("expiry", tag, "--format", "json", cwd=checkout.folder, **env)
    (row,) = json.loads(done.stdout)
    return row


def test_reading_r57_publishing_again_supersedes_what_was_measured_alike(
    checkout: Checkout, tmp_path: Path
) -> None:
    coin = "mock/coin-flip"
    first = make_run(tmp_path / "first", evaluator=coin, seeds=3)
    longer = make_run(tmp_path / "longer", evaluator=coin, seeds=3, rounds=9)
    repeated_run = make_run(tmp_path / "again", evaluator=coin, seeds=4)

    for folder in (first.folder, longer.folder, repeated_run.folder):
        done = epc("admin", "snapshot", "publish", folder, *COIN, cwd=checkout.folder)
        assert done.returncode == 0, done.stderr

    entries = [(event["event"], event["tag"]) for event in checkout.events()]
    assert entries == [
        ("published", "v1.0-CoinFlip"),
        ("published", "v1.1-CoinFlip"),
        ("published", "v1.2-CoinFlip"),
        ("superseded", "v1.0-CoinFlip"),
    ]
    assert checkout.events()[-1]["by"] == "v1.2-CoinFlip"
    assert state_of(checkout, "v1.0-CoinFlip")["reason"] == "superseded"
    assert state_of(checkout, "v1.1-CoinFlip")["status"] == "current"
    assert epc("snapshot", "verify", cwd=checkout.folder).returncode == 0


def test_reading_r46_a_watch_that_alarmed_ends_the_snapshot_and_one_that_did_not_cannot(
    checkout: Checkout, tmp_path: Path
) -> None:
    models = ("--evaluator", "llamacpp/judge-0806", "--executor", "llamacpp/writer-0806")
    small = ("--exhaustive", "--seeds", "0-1", "--rounds", "2")
    tag = "v1.0-Judge-2"

    def drift(run: Path) -> Any:
        return epc("admin", "snapshot", "drift", tag, "--watched", run, cwd=checkout.folder)

    with serving() as endpoint:

        def on(day: int) -> dict[str, str]:
            known_environment = {"LLAMACPP_BASE_URL": endpoint.url}
            return environment(SOURCE_DATE_EPOCH=str(DAY + 86_400 * day), **known_environment)

        run = tmp_path / "run"
        assert epc("run", *models, *small, "--out", run, env=on(0)).returncode == 0
        arguments = ("--generation", "Judge-2", *WHO, "--weights", f"sha256:{'ab' * 32}")
        done = epc("admin", "snapshot", "publish", run, *arguments, cwd=checkout.folder)
        assert (done.returncode, done.stdout) == (0, f"{tag}\n"), done.stderr

        assert epc("watch", run, env=on(1)).returncode == 0
        early = drift(run)
        endpoint.behave = turning(share_of_prompts(1.0))
        days = [epc("watch", run, env=on(day)).returncode for day in range(2, 6)]

    other_folder = make_run(tmp_path / "other", evaluator="mock/coin-flip", seeds=1).folder
    wrong = drift(other_folder)
    right = drift(run)

    assert (early.returncode, wrong.returncode) == (2, 2)
    assert "not drifted" in early.stderr
    assert "snapshot fetch" in wrong.stderr
    assert days[-1] == 1
    assert right.returncode == 0, right.stderr
    event = checkout.events()[-1]
    assert (event["event"], event["source"]) == ("drifted", "epc watch")
    assert "24 of 24 watched pairs changed" in event["reason"]
    assert state_of(checkout, tag)["reason"] == "drifted"
    assert drift(run).returncode == 2


def test_a_maintainers_word_ends_a_snapshot_with_its_source(checkout: Checkout) -> None:
    checkout.publish()
    tag = "v1.0-Judge-1"
    arguments = ("--reason", "answers 404 since May", "--source", "https://maker.example/status")

    today: Any = {"env": environment(SOURCE_DATE_EPOCH=str(DAY - 60 * 86_400))}
    cause = ("--cause", "retired")

    bare = epc("admin", "snapshot", "drift", tag, "--reason", "r", cwd=checkout.folder)
    done = epc("admin", "snapshot", "expire", tag, *cause, *arguments, cwd=checkout.folder, **today)

    assert bare.returncode == 2
    assert "--source" in bare.stderr
    assert done.returncode == 0, done.stderr
    state = state_of(checkout, tag, **today)
    assert (state["status"], state["reason"]) == ("expired", "retired")
    assert state["source"] == "https://maker.example/status"


@pytest.mark.parametrize("end", [("drift",), ("expire", "--cause", "retired")])
@pytest.mark.parametrize(
    "source", ["javascript:alert(1)", "file:///etc/passwd", " data:text/html,x"]
)
def test_reading_r57_an_end_whose_source_is_no_address_is_refused(
    checkout: Checkout, end: tuple[str, ...], source: str
) -> None:
    checkout.publish()
    before = checkout.events()
    command, *further_text = end

    arguments = ("v1.0-Judge-1", *further_text, "--reason", "r", "--source", source)
    done = epc("admin", "snapshot", command, *arguments, cwd=checkout.folder)

    assert done.returncode == 2, done.stderr
    assert "as a source name an address on the web" in done.stderr
    assert checkout.events() == before


@pytest.mark.parametrize("verdict", ["no_verdicts_counted", "collapsed"])
def test_reading_r8_what_measured_nothing_is_no_baseline(
    checkout: Checkout, tmp_path: Path, verdict: str
) -> None:
    """Verdicts that are all ties, and a rule that ends every run on one strategy."""
    file = tmp_path / "verdicts.csv"
    decided = {"x": "A", "y": "B"} if verdict == "collapsed" else {}
    lines = ONLY_TIES.splitlines()
    file.write_text("\n".join(x.replace("tie", decided.get(x[0], "tie")) for x in lines) + "\n")
    long = ("--rounds", "500") if verdict == "collapsed" else ()
    arguments = ("run", "--evaluator", f"recorded:{file}", "--seeds", "0-2", *long)
    assert epc(*arguments, "--out", tmp_path / "run").returncode == 0
    result = epc("audit", tmp_path / "run", "--format", "json")
    assert json.loads(result.stdout)["verdict"] == verdict
    life = life_record(platform="recorded", model="verdicts.csv")
    checkout.evaluator(generation_record("Recorded-1", life))

    expected_arguments = ("--generation", "Recorded-1", "--platform", "recorded", *WHO)
    done = epc(
        "admin", "snapshot", "publish", tmp_path / "run", *expected_arguments, cwd=checkout.folder
    )

    assert done.returncode == 2
    assert f"is no baseline: its audit says {verdict}" in done.stderr
    assert not (checkout.home / "events.jsonl").exists()


def test_recomputation_says_when_a_card_claims_another_audit(
    checkout: Checkout, tmp_path: Path
) -> None:
    """Sealed or not: what a card says of the audit follows from the raw files, or is found."""
    run = make_run(tmp_path / "run", evaluator="mock/coin-flip", seeds=3).folder
    assert epc("admin", "snapshot", "publish", run, *COIN, cwd=checkout.folder).returncode == 0
    place = checkout.home / "v1.0-CoinFlip" / "snapshot.json"
    card = json.loads(place.read_text())
    card["audit"]["verdict"] = "coupled"
    place.write_text(json.dumps(card))

    done = epc("snapshot", "recompute", "--format", "json", cwd=checkout.folder)

    (found,) = json.loads(done.stdout)
    assert (done.returncode, found["ok"]) == (1, False)
    assert found["changed"] == ["/snapshot.json/audit/verdict"]
