"""A registry in which the verdicts of the invented repository's judge are published."""

from pathlib import Path

from observed_support import llmbar
from registry_support import Checkout, commit, generation_record, git, life_record, stated
from site_support import epc

WHO = ("--judge", "J", "--generation", "Judge-0613", "--contributor", "A. Name")
TAG = "v1.0-Judge-0613"


def cloned(folder: Path) -> Path:
    """Write the repository as a clone with one commit."""
    llmbar(folder)
    git(folder, "init", "--quiet")
    commit(folder, "verdicts")
    return folder


def knows_the_judge(made: Checkout) -> None:
    """Let a registry know the judge, which its maker has retired and a cloud has not."""
    lives = (
        life_record(model="judge-0613", retires=stated("2025-01-01")),
        life_record(platform="cloud", model="judge-0613"),
    )
    made.evaluator(generation_record("Judge-0613", *lives))


def imported(source: Path, out: Path) -> Path:
    epc(source.parent, "observe", "import", str(source), "--shape", "llmbar", "--out", str(out))
    return out


def publish_verdicts(clone: Path, source: Path) -> Path:
    file = imported(source, clone.parent / "verdicts.parquet")
    assert epc(clone, "snapshot", "publish", str(file), *WHO, "--no-git").stdout == f"{TAG}\n"
    commit(clone, "publish")
    return clone
