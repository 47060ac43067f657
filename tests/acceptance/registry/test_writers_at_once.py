"""Several people, or several jobs, write to one checkout at the same time: nothing is lost."""

import fcntl
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from engine_support import PATIENCE_S, environment, epc, epc_under_way, wait_until
from records_support import Run, make_run
from registry_support import AS_TEST, Checkout, git

from epc.cli.admin import snapshot as maintaining
from epc.cli.common import now
from epc.registry.layout import POLICY
from epc.registry.reading import of_folder
from epc.registry.verify import verify

ROUNDS = 2
AT_ONCE = 4
COIN = ("--generation", "CoinFlip", "--contributor", "A. Name")
HOOK = """#!/bin/sh
touch "$HELD"
while [ ! -e "$GO" ]; do sleep 0.05; done
"""


def all_at_once(checkout: Checkout, commands: Sequence[Sequence[str | Path]]) -> list[str]:
    """Run commands side by side, and return what each printed; every one must succeed."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "epc", *map(str, arguments)],
            cwd=checkout.folder,
            env=environment(**AS_TEST),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for arguments in commands
    ]
    ended = [process.communicate(timeout=PATIENCE_S) for process in running]
    assert [process.returncode for process in running] == [0] * len(running), ended
    return [out for out, _ in ended]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    home = tmp_path_factory.mktemp("runs")
    return [
        make_run(home / str(n), evaluator="mock/coin-flip", seeds=2 + n) for n in range(AT_ONCE)
    ]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "registry")


def test_epc_4_every_withdrawal_of_many_at_once_is_there_and_in_order(checkout: Checkout) -> None:
    tags = [f"v1.{n}-Judge-1" for n in range(ROUNDS * AT_ONCE)]
    for tag in tags:
        checkout.publish(tag)
    checkout.init()
    before = checkout.events()

    for first in range(0, len(tags), AT_ONCE):
        four = tags[first : first + AT_ONCE]
        all_at_once(
            checkout, [("admin", "snapshot", "withdraw", tag, "--reason", "r") for tag in four]
        )
        rows = checkout.events()
        assert {event["tag"] for event in rows[-AT_ONCE:]} == set(four)

    assert rows[: len(before)] == before
    assert sorted(event["tag"] for event in rows[len(before) :]) == sorted(tags)
    assert verify(checkout.folder) == []
    left = git(checkout.folder, "status", "--porcelain").splitlines()
    assert left == [
        " M snapshots/events.jsonl",
        "?? snapshots/dvc/",
        "?? snapshots/gammas.json",
    ]


def test_epc_4_of_one_snapshot_withdrawn_twice_at_once_one_withdrawal_stands(
    checkout: Checkout,
) -> None:
    checkout.publish()
    arguments = ("admin", "snapshot", "withdraw", "v1.0-Judge-1", "--reason", "r")

    running = [
        subprocess.Popen(
            [sys.executable, "-m", "epc", *arguments],
            cwd=checkout.folder,
            env=environment(),
            stderr=subprocess.DEVNULL,
        )
        for _ in range(AT_ONCE)
    ]

    assert sorted(process.wait(timeout=PATIENCE_S) for process in running) == [0, 2, 2, 2]
    assert [event["event"] for event in checkout.events()] == ["published", "withdrawn"]


def test_epc_4_runs_published_at_once_get_a_number_and_a_commit_each(
    checkout: Checkout, runs: list[Run]
) -> None:
    checkout.publish("v1.0-Judge-1")
    checkout.init()

    printed = all_at_once(
        checkout,
        [
            *(("admin", "snapshot", "publish", run.folder, *COIN) for run in runs),
            ("admin", "snapshot", "withdraw", "v1.0-Judge-1", "--reason", "r"),
        ],
    )

    tags = sorted(printed)[1:]  # a withdrawal prints nothing
    assert tags == [f"v1.{n}-CoinFlip\n" for n in range(AT_ONCE)]
    printed_tags = [e["tag"] for e in checkout.events()[1:] if e["event"] == "published"]
    assert printed_tags == [
        tag.strip() for tag in tags
    ]  # each number is given in the order of the events
    assert [e["event"] for e in checkout.events()].count("withdrawn") == 1
    for tag in printed_tags:
        assert f"snapshots/{tag}/SHA256SUMS" in git(checkout.folder, "show", "--name-only", tag)
    epc("snapshot", "recompute", cwd=checkout.folder).check_returncode()
    git(checkout.folder, "add", "snapshots/events.jsonl")
    assert verify(checkout.folder) == []
    assert hidden(checkout) == {".store"}


def test_epc_4_one_run_published_by_many_at_once_is_published_once(
    checkout: Checkout, runs: list[Run]
) -> None:
    checkout.init()

    arguments = ("admin", "snapshot", "publish", runs[0].folder, *COIN)
    printed = all_at_once(checkout, [arguments] * AT_ONCE)

    assert printed == ["v1.0-CoinFlip\n"] * AT_ONCE
    assert [(e["event"], e["tag"]) for e in checkout.events()] == [("published", "v1.0-CoinFlip")]
    assert git(checkout.folder, "rev-list", "--count", "HEAD") == "2\n"
    assert verify(checkout.folder) == []


def hidden(checkout: Checkout) -> set[str]:
    return {path.name for path in checkout.home.iterdir() if path.name.startswith(".")}


@pytest.fixture
def holder(checkout: Checkout, runs: list[Run], tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A publication that stands still, holding the registry, until the file `go` is there."""
    checkout.publish("v1.0-Judge-1")
    checkout.init()
    hook = checkout.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)
    marks = {"HELD": str(tmp_path / "held"), "GO": str(tmp_path / "go")}
    env = environment(**AS_TEST, **marks)
    arguments = ("admin", "snapshot", "publish", runs[0].folder, *COIN)
    with epc_under_way(*arguments, env=env, cwd=checkout.folder) as running:
        wait_until(lambda: (tmp_path / "held").exists() or running.poll() is not None)
        assert running.poll() is None, running.communicate()
        yield running
        (tmp_path / "go").touch()  # or the hook would wait for ever


def test_whoever_waits_for_the_registry_is_told(
    checkout: Checkout, holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    arguments = ("admin", "snapshot", "withdraw", "v1.0-Judge-1", "--reason", "r")
    with epc_under_way(*arguments, env=environment(), cwd=checkout.folder) as waiting:
        assert waiting.stderr is not None
        told = waiting.stderr.readline()
        (tmp_path / "go").touch()
        assert waiting.wait(timeout=PATIENCE_S) == 0
    assert holder.wait(timeout=PATIENCE_S) == 0

    assert f"another process is writing to {checkout.home}" in told
    assert "waiting" in told
    told_of = [(event["event"], event["tag"]) for event in checkout.events()[1:]]
    assert told_of == [("published", "v1.0-CoinFlip"), ("withdrawn", "v1.0-Judge-1")]


def test_a_killed_holder_keeps_nobody_out_and_the_same_command_ends_its_work(
    checkout: Checkout, holder: subprocess.Popen[str], runs: list[Run], tmp_path: Path
) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait(timeout=PATIENCE_S)

    done = epc(
        "admin", "snapshot", "withdraw", "v1.0-Judge-1", "--reason", "r", cwd=checkout.folder
    )

    assert done.returncode == 0, done.stderr
    assert "waiting" not in done.stderr
    (tmp_path / "go").touch()
    (checkout.folder / ".git" / "hooks" / "pre-commit").unlink()
    # git outlives the command that started it
    wait_until(lambda: not (checkout.folder / ".git" / "index.lock").exists())
    arguments = ("admin", "snapshot", "publish", runs[0].folder, *COIN)
    repeated_result = epc(*arguments, cwd=checkout.folder, env=environment(**AS_TEST))
    assert (repeated_result.returncode, repeated_result.stdout) == (0, "v1.0-CoinFlip\n"), (
        repeated_result.stderr
    )
    assert verify(checkout.folder) == []
    assert hidden(checkout) == {".store"}


def test_what_a_killed_publication_was_building_is_cleared_away_by_the_next(
    checkout: Checkout, runs: list[Run]
) -> None:
    left = checkout.home / ".publishing-v1.0-CoinFlip-abc"
    left.mkdir()
    (left / "manifest.json").write_text("{")

    done = epc(
        "admin", "snapshot", "publish", runs[0].folder, *COIN, "--no-git", cwd=checkout.folder
    )

    assert done.returncode == 0, done.stderr
    assert hidden(checkout) == {".store"}
    assert list(of_folder(checkout.folder).snapshots) == ["v1.0-CoinFlip"]


def test_epc_4_an_event_has_the_day_on_which_its_turn_came(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or one who waited past midnight would add an earlier day after a later one."""
    checkout.publish()
    monkeypatch.chdir(checkout.folder)
    held = []

    def asked() -> object:
        with (checkout.folder / POLICY).open("rb+") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.append(True)
        return now()

    monkeypatch.setattr(maintaining, "now", asked)

    done = CliRunner().invoke(maintaining.withdraw, ["v1.0-Judge-1", "--reason", "r"])

    assert done.exit_code == 0, done.output
    assert held == [True]
