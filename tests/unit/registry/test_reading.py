"""The expiry policy of a registry, and its folders."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from registry_support import ROOT, Checkout
from web_support import listening

from epc.errors import MalformedError, WorldError
from epc.registry.layout import FOLDER, POLICY
from epc.registry.reading import document, folders, open_registry, policy, used_tags


def written(home: Path, text: str) -> Path:
    (home / POLICY).write_text(text)
    return home


@pytest.mark.parametrize("days", [0, 365])
def test_a_policy_is_two_numbers_of_days_or_three(tmp_path: Path, days: int) -> None:
    two_texts = f"expiry:\n  maximum_age_days: {days}\n  notice_days: 30\n  other: x\n"

    assert policy(written(tmp_path, two_texts)) == {"maximum_age_days": days, "notice_days": 30}
    three = policy(written(tmp_path, two_texts + "  confirmation_days: 7\n"))
    assert three["confirmation_days"] == 7


@pytest.mark.parametrize(
    "text",
    [
        "expiry:\n  maximum_age_days: -1\n  notice_days: 30\n",
        "expiry:\n  maximum_age_days: 1.5\n  notice_days: 30\n",
        "expiry:\n  maximum_age_days: true\n  notice_days: 30\n",
        "expiry:\n  notice_days: 30\n",
        "expiry: [\n",
        "expiry: 3",
        "other: 1\n",
        "[",
        "",
    ],
)
def test_a_policy_that_says_nothing_usable_is_malformed(tmp_path: Path, text: str) -> None:
    with pytest.raises(MalformedError, match=r"params\.yaml"):
        policy(written(tmp_path, text))


def test_snapshots_are_folders_whose_names_begin_with_a_v(tmp_path: Path) -> None:
    for name in ("v1.0-B", "v1.0-A", "evaluators"):
        (tmp_path / FOLDER / name).mkdir(parents=True)
    (tmp_path / FOLDER / "v1.0-file").write_text("")

    assert [path.name for path in folders(tmp_path)] == ["v1.0-A", "v1.0-B"]


class Odd(BaseHTTPRequestHandler):
    """A server whose answer is its class's, in parts, without an end that it announces."""

    parts: Iterable[bytes] = ()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            for part in self.parts:
                self.wfile.write(part)


@contextmanager
def answering(*parts: bytes) -> Iterator[str]:
    with listening(Odd, parts=parts) as address:
        yield f"{address}/registry.json"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"[" * 200_000, "not JSON"),
        (b"[1, 2]", "not a registry"),
        (b'{"snapshots": [[]], "evaluators": [], "events": [], "policy": {}}', "not a registry"),
        (b'{"snapshots": 3, "evaluators": [], "events": [], "policy": {}}', "not a registry"),
        (b'{"snapshots": [], "evaluators": [[1]], "events": [], "policy": {}}', "not a registry"),
    ],
    ids=["deep", "a list", "a list of lists", "a number", "a record that is a list"],
)
def test_what_an_address_answers_instead_of_a_registry_is_named(
    content: bytes, problem: str
) -> None:
    with answering(content) as address, pytest.raises(MalformedError, match=problem):
        open_registry(address)


def test_a_snapshot_without_figures_makes_no_registry(tmp_path: Path) -> None:
    published = document(ROOT)
    published["snapshots"][0]["figures"] = {}
    path = tmp_path / "registry.json"
    path.write_text(json.dumps(published))

    with pytest.raises(MalformedError, match="not a registry: it lacks 'n'"):
        open_registry(str(path))


def test_a_registry_that_says_the_same_is_read_once_and_another_one_anew(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    published = document(ROOT)
    path.write_text(json.dumps(published))
    first = open_registry(str(path))
    published["policy"]["notice_days"] = 1
    path.write_text(json.dumps(published))
    other = open_registry(str(path))

    assert open_registry(str(path)) is other
    assert (first.policy.notice, other.policy.notice) == (60, 1)
    published["policy"]["notice_days"] = True  # equal to 1 in Python, and no number of days
    path.write_text(json.dumps(published))
    with pytest.raises(MalformedError, match="not a registry"):
        open_registry(str(path))


def test_an_address_that_never_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epc.registry.store._LARGEST", 2**20)
    with answering(*[b" " * 2**16] * 64) as address, pytest.raises(WorldError, match="more than"):
        open_registry(address)


def test_an_address_that_drips_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epc.registry.store._LONGEST", 0)
    with answering(b" ", b" ") as address, pytest.raises(WorldError, match="not all of it in"):
        open_registry(address)


def test_an_id_is_taken_by_a_folder_and_by_an_event_alone(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.publish("v1.0-Judge-1")
    registry = open_registry(str(tmp_path))
    (checkout.home / "v1.4-Judge-1").mkdir()
    (checkout.home / "v1.0-Judge-1").rename(tmp_path / "elsewhere")

    assert {str(tag) for tag in used_tags(tmp_path, registry)} == {"v1.0-Judge-1", "v1.4-Judge-1"}
