"""`epc admin evaluators sync` against a published record: kinds stay, nothing is written."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from program_support import as_text, run_program
from registry_support import ROOT, Checkout

GOOGLE = "https://ai.google.dev/gemini-api/docs/deprecations#gemini-2.5-flash-models"
IMAGE = {
    "provider": "Google",
    "model_id": "gemini-2.5-flash-image",
    "shutdown_date": "2026-10-02",
    "deprecation_date": "2026-10-02",
    "replacement_models": None,
    "url": GOOGLE,
    "last_observed": "2026-11-20",
}
NEW = {
    **IMAGE,
    "model_id": "gemini-99-flash",
    "shutdown_date": "2028-01-01",
    "deprecation_date": "2028-01-01",
}


def epc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return as_text(run_program(*arguments, cwd=folder))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Return a registry with the published record of a model that Google lists."""
    checkout = Checkout(tmp_path / "clone")
    path = ROOT / "snapshots" / "evaluators" / "gemini-2.5-flash-image.json"
    (checkout.home / "evaluators" / path.name).write_bytes(path.read_bytes())
    return checkout


def synced(checkout: Checkout, *entries: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    path = checkout.folder / "list.json"
    path.write_text(json.dumps(entries))
    return epc(checkout.folder, "admin", "evaluators", "sync", "--from", str(path))


def applied(checkout: Checkout, text: str) -> None:
    arguments = ["git", "-C", str(checkout.folder), "apply"]
    subprocess.run(arguments, input=text.encode(), check=True)


def state(checkout: Checkout, name: str) -> dict[str, Any]:
    arguments = ("expiry", name, "--as-of", "2026-11-23", "--format", "json")
    (row,) = json.loads(epc(checkout.folder, *arguments).stdout)
    record: dict[str, Any] = row
    return record


def test_a_day_before_which_nothing_ends_survives_a_sync_and_is_no_end(checkout: Checkout) -> None:
    """The list drops the page's "earliest possible"; models.dev had the model on 2026-10-23."""
    done = synced(checkout, IMAGE)
    applied(checkout, done.stdout)

    assert done.returncode == 1
    service_state = state(checkout, "google-gemini-api/gemini-2.5-flash-image")
    assert (service_state["status"], service_state["reason"]) == ("current", None)
    record = json.loads((checkout.home / "evaluators/gemini-2.5-flash-image.json").read_text())
    retires = record["platforms"][0]["retires"]
    assert (retires["kind"], retires["seen"]) == ("not_before", "2026-11-20")


def test_a_later_earliest_day_is_current_until_it_and_never_an_end(checkout: Checkout) -> None:
    moved = {"shutdown_date": "2027-03-15", "deprecation_date": "2027-03-15"}
    applied(checkout, synced(checkout, IMAGE | moved).stdout)

    service_state = state(checkout, "google-gemini-api/gemini-2.5-flash-image")
    assert (service_state["status"], service_state["until"]) == ("current", None)


def test_an_announced_end_becomes_an_exact_one(checkout: Checkout) -> None:
    announced = {"shutdown_date": "2026-11-22", "deprecation_date": "2026-09-01"}
    applied(checkout, synced(checkout, IMAGE | announced).stdout)

    service_state = state(checkout, "google-gemini-api/gemini-2.5-flash-image")
    assert (service_state["status"], service_state["until"]) == ("expired", "2026-11-22")


def test_the_same_word_again_is_nothing_to_propose(checkout: Checkout) -> None:
    applied(checkout, synced(checkout, IMAGE).stdout)

    repeated_result = synced(checkout, IMAGE)

    assert (repeated_result.returncode, repeated_result.stdout) == (0, "")
    assert synced(checkout).returncode == 2, "a list of nothing is none"


def test_models_that_only_the_source_knows_are_candidates_and_no_findings(
    checkout: Checkout,
) -> None:
    done = synced(checkout, NEW)
    arguments = ("admin", "evaluators", "sync", "--from", "list.json", "--format", "json")
    document = json.loads(epc(checkout.folder, *arguments).stdout)

    assert (done.returncode, done.stdout) == (0, "")
    assert "candidates, not in this registry: 1" in done.stderr
    assert "google-gemini-api/gemini-99-flash" in done.stderr
    assert document == {
        "diff": "",
        "candidates": [
            {
                "platform": "google-gemini-api",
                "model": "gemini-99-flash",
                "retires": "2028-01-01",
                "kind": "not_before",
                "source": GOOGLE,
                "seen": "2026-11-20",
                "via": "list.json",
                "listed": False,
                "key": "provider=Google & model_id=gemini-99-flash > shutdown_date",
                "dated": True,
            }
        ],
    }
