"""`replicated` is another's measurement with answers of its own; a copy is something else."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from attack_support import attack
from submissions_support import OPENAI, TODAY, Offered, found, offered

from epc.registry.locking import locked
from epc.registry.submissions.promoting import promote

TAG = "v1.0-GPT4o-0806"
Forge = Callable[[Offered], None]


def unheard(_: str) -> None:
    """Take no notice of progress."""


def answers(given: Offered, **own: Callable[[int], object]) -> None:
    """Give every call of the evaluator values of its own, by its number."""
    rows = given.run.rows("calls")
    for number, row in enumerate(rows):
        if row["role"] == "evaluator":
            row.update({key: make(number) for key, make in own.items()})
            if row.get("request_id") == "":
                del row["request_id"]
    given.rows("calls", rows)


def stamped(day: str) -> Callable[[int], str]:
    return lambda number: f"{day}T00:{number // 60:02}:{number % 60:02}Z"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, submissions_home: Path) -> Offered:
    """A registry with a measurement of a hosted model, and its very files offered again."""
    given = offered(submissions_home, tmp_path_factory.mktemp("published"))
    given.evaluator("GPT4o-0806", "openai", **OPENAI)
    given.statement(contributor="H. Onest", login="h-onest")
    answers(given, answered_at=stamped("2026-07-02"), request_id=lambda n: f"req-{n}")
    kept = given.checkout.parent / "kept"
    shutil.copytree(given.folder, kept)
    with locked(given.checkout, tell=unheard) as lock:
        assert str(promote(lock, given.folder, day=TODAY, tell=unheard, git=False)) == TAG
    shutil.copytree(kept, given.folder)
    return given


@pytest.fixture
def copy(published: Offered, tmp_path: Path) -> Offered:
    """What a forger begins with: the published files, under a name of one's own."""
    checkout = tmp_path / "checkout"
    shutil.copytree(published.checkout, checkout)
    given = replace(
        published, checkout=checkout, folder=checkout / "submissions" / published.folder.name
    )
    given.statement(contributor="M. Allory", login="mallory", replicates=TAG)
    return given


def slower(given: Offered) -> None:
    answers(given, latency_s=lambda n: 1.5 + n)


def renumbered(given: Offered) -> None:
    answers(given, latency_s=lambda n: 1.5 + n, request_id=lambda n: f"req-x{n}")


def redated(given: Offered) -> None:
    renumbered(given)
    answers(given, answered_at=lambda n: stamped("2026-07-02")(n + 900))


def unnamed(given: Offered) -> None:
    redated(given)
    answers(given, request_id=lambda n: "" if n % 2 else f"req-x{n}")


@attack("publication")
@pytest.mark.parametrize("forge", [slower, lambda _: None], ids=["scaled latencies", "as it was"])
def test_equal_request_ids_refuse(forge: Forge, copy: Offered) -> None:
    forge(copy)

    value = copy.check()

    wanted = ("Submission S12", "calls.jsonl", f"request ids are those of {TAG}")
    assert found(value, wanted), value["submissions"][0]["findings"]
    assert value["ok"] is False


@attack("publication")
@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (renumbered, "answers have the other's times"),
        (redated, "verdicts on what both asked are the other's"),
        (unnamed, "answers have no request id of their own"),
    ],
)
def test_reading_r76_a_copy_with_new_numbers_is_re_executed(
    forge: Forge, why: str, copy: Offered
) -> None:
    forge(copy)

    (submission,) = copy.check()["submissions"]

    (said,) = [f for f in submission["findings"] if "published as re-executed" in f["problem"]]
    assert why in said["problem"]
    assert (said["severity"], said["clause"]) == ("warning", "Submission S12")
    assert submission["overlap"][0]["with"] == TAG
    with locked(copy.checkout, tell=unheard) as lock:
        tag = promote(lock, copy.folder, day=TODAY, tell=unheard, git=False)
    card = json.loads((copy.checkout / "snapshots" / str(tag) / "snapshot.json").read_text())
    assert (card["trust"], card["login"]) == ("re-executed", "mallory")


@attack("publication")
@pytest.mark.parametrize(
    "who",
    [
        {"contributor": "Another Name", "login": "h-onest"},
        {"contributor": "Another Name", "login": "H-Onest"},
        {"contributor": "H.  Onest", "login": "mallory"},
        {"contributor": "\u041d. Onest", "login": "mallory"},
    ],
)
def test_a_replication_needs_another_login(who: dict[str, Any], copy: Offered) -> None:
    copy.statement(**who)

    wanted = ("Submission S7", "submission.json/replicates", f"{TAG} is your own")
    assert found(copy.check(), wanted)
