"""A registry in which the verdicts of the invented repository's judge are published."""

from pathlib import Path

from observed_support import llmbar
from registry_support import Checkout, commit, date_claim, generation_record, git, life_record
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
        life_record(model="judge-0613", retires=date_claim("2025-01-01")),
        life_record(platform="cloud", model="judge-0613"),
    )
    made.evaluator(generation_record("Judge-0613", *lives))


def imported(source: Path, out: Path) -> Path:
    epc(source.parent, "observe", "import", str(source), "--shape", "llmbar", "--out", str(out))
    return out


def publish_scores(made: Checkout) -> None:
    """Publish two judges of one table, each from its own part of it.

    j-1 gives 3 points more than k-1 to its own answers and 1 more to p's; k-1 5 more to its own.
    """
    said = {"j-1": (9, 6), "p": (6, 5), "k-1": (4, 9)}
    lines = [
        f"{n}/{author},q{n},{judge},{judge},s,text,{author},{points + n % 2}"
        for n in range(4)
        for author, both in said.items()
        for judge, points in zip(("j-1", "k-1"), both, strict=True)
    ]
    table, file = made.folder.parent / "scores.csv", made.folder.parent / "scores.jsonl"
    table.write_text("\n".join(["item,question,judge,model,prompt,a,a_by,a_score", *lines]) + "\n")
    arguments = ("--shape", "csv", "--licence", "MIT", "--out", str(file))
    epc(made.folder, "observe", "import", str(table), *arguments)
    for judge in ("j-1", "k-1"):
        made.evaluator(generation_record(judge, life_record(model=judge)))
        options = ("--judge", judge, "--generation", judge, "--contributor", "A. Name", "--no-git")
        epc(made.folder, "admin", "snapshot", "publish", str(file), *options)


def publish_verdicts(clone: Path, source: Path) -> Path:
    file = imported(source, clone.parent / "verdicts.parquet")
    assert (
        epc(clone, "admin", "snapshot", "publish", str(file), *WHO, "--no-git").stdout == f"{TAG}\n"
    )
    commit(clone, "publish")
    return clone
