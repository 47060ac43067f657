"""From a merged submission to a snapshot, with real git, stopped at every step."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from budget_support import is_night
from registry_support import AS_TEST, ROOT, commit, git, unheard
from submissions_support import SLUG, TODAY, Offered

from epc.errors import UsageError
from epc.records.validate import validate
from epc.registry.fetching import fetch
from epc.registry.reading import of_folder
from epc.registry.submissions.merged import promote
from epc.registry.tags import Tag
from epc.registry.verify import verify
from epc.registry.writing import locked

TAG = "v1.0-deterministic"


@pytest.fixture
def merged(honest: Offered, monkeypatch: pytest.MonkeyPatch) -> Offered:
    """A registry whose history holds a submission, as after a merge."""
    for name, value in AS_TEST.items():
        monkeypatch.setenv(name, value)
    shutil.copy(ROOT / ".gitignore", honest.checkout / ".gitignore")
    (honest.checkout / ".gitattributes").write_text("snapshots/** -text\nsubmissions/** -text\n")
    git(honest.checkout, "init", "--quiet")
    commit(honest.checkout, "begin")
    return honest


def promoted(checkout: Path, folder: Path, *, git: bool = True) -> Tag:
    with locked(checkout, progress=unheard) as lock:
        return promote(lock, folder, day=TODAY, progress=unheard, git=git)


def is_published(checkout: Path) -> None:
    """Everything that a publication comes to, once."""
    assert verify(checkout) == []
    assert git(checkout, "status", "--porcelain") == ""
    assert git(checkout, "tag", "--list").split() == [TAG]
    changed = git(checkout, "show", "--name-status", "--no-renames", "--format=", TAG).splitlines()
    removed = [line.split("\t")[1] for line in changed if line.startswith("D")]
    assert {Path(path).parent.as_posix() for path in removed} == {f"submissions/{SLUG}"}
    assert len(removed) == 5
    assert git(checkout, "rev-list", "--count", "HEAD") == "2\n"
    assert list((checkout / "submissions").iterdir()) == []
    events = [event for event in of_folder(checkout).events if event.tag == TAG]
    assert [(event.event, event.date) for event in events] == [("published", TODAY)]


def test_a_submission_becomes_a_snapshot_in_one_commit(merged: Offered, tmp_path: Path) -> None:
    run = tmp_path / "before"
    shutil.copytree(merged.folder, run)

    tag = promoted(merged.checkout, merged.folder)

    assert str(tag) == TAG
    is_published(merged.checkout)
    card = of_folder(merged.checkout).snapshots[TAG].card
    assert (card.contributor, card.licence) == ("A. Name", "CC-BY-4.0")
    assert card.conflicts_of_interest is None
    fetch(Tag.parse(TAG), tmp_path / "again", location=str(merged.checkout), store=None)
    for name in ("manifest.json", "trials.jsonl", "calls.jsonl", "weights.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (run / name).read_bytes()
    assert validate(tmp_path / "again").ok


class CrashError(Exception):
    """Error that a test throws where a machine would stop."""


STEPS = [
    "epc.registry.publishing.put",
    "epc.registry.publishing.strict_json.write_text",
    "epc.registry.publishing.append",
    "epc.registry.publishing.commit",
    "epc.registry.history._commit_without",
    "epc.registry.publishing.tag_commits",
    "epc.registry.submissions.merged._remove",
]


@pytest.mark.parametrize("step", STEPS)
def test_stopped_at_any_step_the_same_command_ends_it(
    merged: Offered, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise CrashError

    with monkeypatch.context() as patch:
        patch.setattr(step, stop)
        with pytest.raises(CrashError):
            promoted(merged.checkout, merged.folder)

    tag = promoted(merged.checkout, merged.folder)

    assert str(tag) == TAG
    is_published(merged.checkout)


def dying(steps: int) -> Callable[[Any], Any]:
    """Return what makes a function kill its process when it is called after so many calls."""
    left = [steps]

    def wrap(real: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return real(*args, **kwargs)

        return call

    return wrap


def killed_after(steps: int, checkout: Path) -> bool:
    """Publish in a process that is killed at a step, and return whether it came that far."""
    child = os.fork()
    if child == 0:
        wrap = dying(steps)
        for owner, name in (
            (os, "fsync"),
            (Path, "rename"),
            (Path, "replace"),
            (os, "rmdir"),
            (os, "unlink"),
            (subprocess, "run"),
        ):
            setattr(owner, name, wrap(getattr(owner, name)))
        with contextlib.suppress(BaseException):
            promoted(checkout, checkout / "submissions" / SLUG)
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.slow
def test_killed_at_every_write_rename_and_git_command_it_is_ended_by_itself(
    merged: Offered, tmp_path: Path
) -> None:
    """One checkout after the other, each killed later, until one is not killed at all.

    At every step in a night, at every sixteenth by day.
    """
    for steps in range(0, 200, 1 if is_night() else 16):
        checkout = tmp_path / "at" / str(steps)
        shutil.copytree(merged.checkout, checkout)
        killed = killed_after(steps, checkout)
        folder = checkout / "submissions" / SLUG
        if folder.exists():
            promoted(checkout, folder)
        is_published(checkout)
        stored = git(checkout, "ls-files", "snapshots/.store").splitlines()
        assert not [path for path in stored if Path(path).name.startswith(".")]
        shutil.rmtree(checkout)
        if not killed:
            break
    assert steps > 20


def publish(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=os.environ | AS_TEST | {"SOURCE_DATE_EPOCH": "1783684800"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_refused_submission_is_not_published(merged: Offered) -> None:
    merged.statement(conflicts="{{ config }}")

    with pytest.raises(UsageError, match=r"submission\.json/conflicts"):
        promoted(merged.checkout, merged.folder)

    assert not (merged.checkout / "snapshots" / TAG).exists()


def test_what_somebody_else_staged_is_not_swept_along(merged: Offered) -> None:
    (merged.checkout / "other.txt").touch()
    git(merged.checkout, "add", "other.txt")

    with pytest.raises(UsageError, match=r"other\.txt is staged too"):
        promoted(merged.checkout, merged.folder)

    git(merged.checkout, "restore", "--staged", "other.txt")
    (merged.checkout / "other.txt").unlink()
    promoted(merged.checkout, merged.folder)
    is_published(merged.checkout)


def test_a_submission_elsewhere_is_not_published(merged: Offered, tmp_path: Path) -> None:
    shutil.copytree(merged.folder, tmp_path / SLUG)

    with pytest.raises(UsageError, match="is not in"):
        promoted(merged.checkout, tmp_path / SLUG)


def test_a_gateway_goes_onto_the_card(merged: Offered) -> None:
    merged.evaluator(
        "GPT4o-0806",
        "openai",
        model="openrouter/openai/gpt-4o-2024-08-06",
        version="openai/gpt-4o-2024-08-06",
        endpoint="https://openrouter.ai/api/v1",
        gateway="openrouter",
        details={},
    )
    merged.statement(endpoint="gateway", conflicts="I work for the gateway.")

    tag = promoted(merged.checkout, merged.folder, git=False)

    card = of_folder(merged.checkout).snapshots[str(tag)].card
    assert (card.evaluator.proxy, card.evaluator.gateway) == (True, "openrouter")
    assert card.conflicts_of_interest == "I work for the gateway."


@pytest.mark.parametrize("words", [["--generation", "X"], ["--proxy"], ["--licence", "CC0-1.0"]])
def test_what_a_submission_says_itself_cannot_be_said_otherwise(
    merged: Offered, words: list[str]
) -> None:
    done = publish(
        merged.checkout, "-m", "epc", "admin", "snapshot", "publish", f"submissions/{SLUG}", *words
    )

    assert done.returncode == 2
    assert "leave the options out" in done.stderr
