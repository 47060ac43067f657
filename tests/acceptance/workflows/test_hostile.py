"""The workflows attacked: by what a pull request brings, by its name, and by what it uploads.

Over 400 lines, because each attack needs its own hostile repository or upload, built by hand.
"""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, quote

import pytest
from attack_support import attack
from engine_support import environment, epc
from registry_support import commit, git
from workflow_support import (
    ROOT,
    TOKEN,
    FakeGitHub,
    Forge,
    Json,
    Runner,
    ended,
    github_says,
    zipped,
)

SLUG = "submissions/stranger-1"
ABOUT = f"\nThis is about commit {'5' * 40}.\n"
STATEMENT = f"{SLUG}/submission.json"
MARK = "<!-- epc-submission-report -->"


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    """Return a small repository that has what `epc` knows a checkout by."""
    seed = tmp_path / "seed"
    for name in ("README.md", "submissions/README.md", "snapshots/evaluators/none"):
        (seed / name).parent.mkdir(parents=True, exist_ok=True)
        (seed / name).write_text("here\n")
    git(tmp_path, "init", "--quiet", str(seed))
    commit(seed, "begin")
    return Forge(seed, tmp_path)


def write(forge: Forge, name: str, content: str | bytes) -> None:
    path = forge.work / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def maintainer(forge: Forge) -> Path:
    """Return main, as the workflow checks it out."""
    clone = forge.work.parent / "main"
    git(clone.parent, "clone", "--quiet", forge.origin.as_uri(), str(clone))
    return clone


def fetch(forge: Forge, out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return epc(
        "admin", "github", "fetch", "--out", out, *(words or ("--pull", "7")), cwd=maintainer(forge)
    )


def names(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir())


@attack("execution")
def test_a_pull_request_that_edits_the_checker_is_checked_by_mains(
    origin: Path, tmp_path: Path
) -> None:
    forge = Forge(origin, tmp_path)
    canary = tmp_path / "canary"
    for name in ("epc/__init__.py", "epc/registry/submissions/check.py", "sitecustomize.py"):
        write(forge, name, f"open({str(canary)!r}, 'w')\nraise SystemExit(0)\n")
    write(
        forge,
        "Makefile",
        f"install report:\n\ttouch {canary}; mkdir -p build; echo {{}} > build/report.json\n",
    )
    write(forge, ".github/workflows/submission.yml", "name: Submission\n")
    write(forge, STATEMENT, "{}")
    runner = Runner(home=tmp_path / "run", origin=forge.origin, event=forge.offer(7))

    runner.walk("submission.yml")

    report = json.loads(runner.artifacts["submission-report"].read_text())
    assert not canary.exists()
    assert runner.failed == ['make report OFFERED="$RUNNER_TEMP/offered"']
    assert report["ok"] is False
    assert {"Makefile", ".github/workflows/submission.yml"} <= set(report["foreign"])


@attack("execution")
def test_attributes_hide_nothing_and_change_no_byte(forge: Forge, tmp_path: Path) -> None:
    raw = b"$Id$\r\n\x00\xff\r\n"
    write(forge, f"{SLUG}/.gitattributes", "* export-ignore text eol=lf ident filter=lfs\n")
    write(forge, f"{SLUG}/.lfsconfig", "[lfs]\n\turl = http://127.0.0.1:1/\n")
    write(forge, STATEMENT, "{}")
    git(forge.work, "config", "filter.lfs.clean", "cat")
    (forge.work / f"{SLUG}/trials.jsonl").write_bytes(raw)
    forge.offer(7)

    done = fetch(forge, tmp_path / "offered")

    assert done.returncode == 0, done.stderr
    in_git = subprocess.run(
        [
            "git",
            "-C",
            str(forge.origin),
            "cat-file",
            "blob",
            f"refs/pull/7/head:{SLUG}/trials.jsonl",
        ],
        capture_output=True,
        check=True,
    )
    assert names(tmp_path / "offered") == [
        "changed",
        "merge",
        f"{SLUG}/.gitattributes",
        f"{SLUG}/.lfsconfig",
        STATEMENT,
        f"{SLUG}/trials.jsonl",
    ]
    assert (tmp_path / "offered" / SLUG / "trials.jsonl").read_bytes() == in_git.stdout
    assert (tmp_path / "offered" / "changed").read_bytes().split(b"\0")[:-1] == [
        name.encode() for name in names(tmp_path / "offered")[2:]
    ]


@attack("outside")
def test_links_are_links_and_nothing_is_written_through_them(forge: Forge, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (forge.work / SLUG).mkdir(parents=True)
    (forge.work / SLUG / "manifest.json").symlink_to("/etc/passwd")
    (forge.work / SLUG / "raw").symlink_to(outside)
    (forge.work / "submissions" / "other").symlink_to("../epc")
    forge.offer(7)

    done = fetch(forge, tmp_path / "offered")

    assert done.returncode == 0, done.stderr
    home = tmp_path / "offered"
    assert (home / SLUG / "manifest.json").readlink() == Path("/etc/passwd")
    assert (home / "submissions" / "other").is_symlink()
    assert list(outside.iterdir()) == []


@attack("injection")
@pytest.mark.parametrize(
    "name",
    ["x\n::error::forged", "x\r::add-mask::a", "x\x1b[2J", "x\u009b2J", "##[error]x", "x\u202eab"],
)
def test_a_folders_name_is_no_command_to_a_log_and_steers_no_terminal(
    name: str, forge: Forge, tmp_path: Path
) -> None:
    write(forge, f"submissions/{name}/submission.json", "{}")
    forge.offer(7)

    done = fetch(forge, tmp_path / "offered")
    checked = epc("submission", "check", tmp_path / "offered" / "submissions", "--base", ROOT)
    commented = epc(
        "admin",
        "github",
        "fetch",
        "--out",
        tmp_path / "offered",
        "--pull",
        "7",
        cwd=forge.work.parent / "main",
    )

    assert (done.returncode, checked.returncode, commented.returncode) == (0, 1, 2)
    assert len(done.stdout.splitlines()) == 1
    assert (tmp_path / "offered" / "submissions" / name).is_dir()
    for said in (done.stdout, done.stderr, checked.stdout, checked.stderr, commented.stderr):
        assert all(line.isprintable() for line in said.split("\n")), said
        assert not any(line.lstrip().startswith("::") for line in said.split("\n")), said
        assert "##[" not in said


@attack("outside")
def test_a_folder_of_all_submissions_that_is_a_link_stays_one(forge: Forge, tmp_path: Path) -> None:
    git(forge.work, "rm", "-r", "--quiet", "submissions")
    (forge.work / "submissions").symlink_to("snapshots")
    forge.offer(7)

    done = fetch(forge, tmp_path / "offered")
    checked = epc("submission", "check", tmp_path / "offered" / "submissions", "--base", ROOT)

    assert (done.returncode, (tmp_path / "offered" / "submissions").is_symlink()) == (0, True)
    assert checked.returncode == 1


def tree(forge: Forge, *lines: str) -> str:
    """Return a tree of lines that git's own porcelain would not write."""
    words = ["git", "-C", str(forge.work), "mktree", "--missing"]
    given = "".join(f"{line}\n" for line in lines).encode()
    done = subprocess.run(words, input=given, capture_output=True, check=True)
    return done.stdout.decode().strip()


def offer_tree(forge: Forge, inner: str) -> None:
    """Have the pull request's merge hold a tree below submissions/ that no client makes."""
    blob = git(forge.work, "rev-parse", "HEAD:README.md").strip()
    evil = inner.replace("BLOB", blob)
    slug = tree(forge, *evil.splitlines())
    home = tree(forge, f"040000 tree {slug}\tstranger-1")
    top = [
        line
        for line in git(forge.work, "ls-tree", "HEAD").splitlines()
        if "\tsubmissions" not in line
    ]
    root = tree(forge, *top, f"040000 tree {home}\tsubmissions")
    base = git(forge.work, "rev-parse", "HEAD").strip()
    head = git(forge.work, "commit-tree", root, "-p", base, "-m", "head").strip()
    merge = git(forge.work, "commit-tree", root, "-p", base, "-p", head, "-m", "merge").strip()
    git(forge.work, "push", "--quiet", "origin", f"{merge}:refs/pull/7/merge")


@attack("outside")
@pytest.mark.parametrize(
    "inner",
    [
        "100644 blob BLOB\t..",
        "100644 blob BLOB\t.git",
        "100644 blob BLOB\t.GIT",
        "100644 blob BLOB\ta\n100644 blob BLOB\ta",
    ],
)
def test_a_tree_that_no_client_makes_is_not_taken(forge: Forge, tmp_path: Path, inner: str) -> None:
    offer_tree(forge, inner)

    done = fetch(forge, tmp_path / "offered")

    assert done.returncode == 3, done.stdout
    assert "fsck" in done.stderr
    assert not (tmp_path / "offered").exists()


@attack("outside")
def test_another_repository_stands_as_a_folder(forge: Forge, tmp_path: Path) -> None:
    commit = git(forge.work, "rev-parse", "HEAD").strip()
    offer_tree(forge, f"160000 commit {commit}\tmanifest.json")

    done = fetch(forge, tmp_path / "offered")

    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "offered" / SLUG / "manifest.json").iterdir()) == []


@attack("bounds")
def test_a_file_of_many_megabytes_is_not_read_but_refused(forge: Forge, tmp_path: Path) -> None:
    write(forge, f"{SLUG}/trials.jsonl", b"{" + bytes(70 * 2**20))
    forge.offer(7)

    done = fetch(forge, tmp_path / "offered")
    checked = epc(
        *("submission", "check", tmp_path / "offered" / SLUG, "--base", ROOT, "--format", "json")
    )

    status = (tmp_path / "offered" / SLUG / "trials.jsonl").stat()
    assert done.returncode == 0, done.stderr
    assert status.st_size == 70 * 2**20 + 1
    assert status.st_blocks * 512 < 2**20, "it takes no room"
    (found,) = json.loads(checked.stdout)["submissions"]
    assert any(f["clause"] == "Submission S3" for f in found["findings"])


@attack("bounds")
def test_more_files_than_anybody_needs_are_not_written(forge: Forge, tmp_path: Path) -> None:
    lines = sorted(f"100644 blob BLOB\t{number}" for number in range(5_001))
    offer_tree(forge, "\n".join(lines))

    done = fetch(forge, tmp_path / "offered")

    assert done.returncode == 2
    assert "5,001 files" in done.stderr
    assert not (tmp_path / "offered").exists()


@attack("publication")
def test_a_pull_request_that_moved_on_is_not_looked_at(forge: Forge, tmp_path: Path) -> None:
    write(forge, STATEMENT, "{}")
    event = forge.offer(7)
    event["pull_request"]["head"]["sha"] = "0" * 40
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))

    done = fetch(forge, tmp_path / "offered", "--event", str(path))

    assert done.returncode == 3
    assert "no longer at 0000" in done.stderr


@attack("outside")
def test_what_is_there_is_not_written_over(forge: Forge, tmp_path: Path) -> None:
    write(forge, STATEMENT, "{}")
    forge.offer(7)
    (tmp_path / "offered").mkdir()

    done = fetch(forge, tmp_path / "offered")

    assert (done.returncode, list((tmp_path / "offered").iterdir())) == (2, [])


PULL: Json = {
    "number": 7,
    "head": {"sha": "5" * 40},
    "base": {"sha": "4" * 40},
    "user": {"login": "mallory"},
}
EVENT: Json = {"number": 7, "pull_request": PULL}
PULLS = "pulls?state=open&base=main&head=stranger%3Apull-7&per_page=100&page=1"
# A branch's name that git and GitHub admit.
BRANCH = "$(touch${IFS}canary)';touch${IFS}canary;`touch${IFS}canary`\";&state=all#%"


@attack("execution")
def test_the_name_of_a_branch_is_never_run_nor_read_as_a_query(
    origin: Path, tmp_path: Path
) -> None:
    """Walked with a report that is none, so that the comment's command says so."""
    git(tmp_path, "check-ref-format", "--branch", BRANCH)
    archive = zipped(tmp_path / "upload.zip", {"report.json": b'{"number": 1}'})
    answers = github_says(EVENT, [STATEMENT], archive)
    answers[PULLS.replace("pull-7", quote(BRANCH, safe=""))] = answers.pop(PULLS)
    event = ended(EVENT, head_branch=BRANCH)
    runner = Runner(home=tmp_path / "run", origin=origin, event=event, answers=answers)

    runner.walk("report.yml")

    assert runner.failed == [], runner.said
    (comment,) = runner.calls("POST", "PATCH")
    assert comment["path"] == "issues/7/comments"
    assert "clean" not in comment["body"]["body"]
    asked = [call["path"] for call in runner.calls() if call["path"].startswith("pulls?")]
    (query,) = [path.partition("?")[2] for path in asked]
    assert parse_qs(query)["head"] == [f"stranger:{BRANCH}"]
    assert parse_qs(query)["state"] == ["open"]
    assert list(tmp_path.rglob("canary")) == []
    assert TOKEN not in runner.said


def encrypted(path: Path) -> Path:
    zipped(path, {"report.json": b"{}"})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    return path


def bomb(path: Path) -> Path:
    """A quarter of a gigabyte of spaces in a quarter of a megabyte."""
    return zipped(path, {"report.json": b" " * 2**28})


def lying(path: Path) -> Path:
    """The bomb, whose directory says that it unpacks to ten bytes."""
    bomb(path)
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    path.write_bytes(content)
    return path


def raw(path: Path) -> Path:
    path.write_bytes(b"#!/bin/sh\ntouch canary\n")
    return path


UPLOADS: dict[str, Callable[[Path], Path]] = {
    "no archive": raw,
    "bomb": bomb,
    "lying bomb": lying,
    "encrypted": encrypted,
    "outside": lambda p: zipped(p, {"../../report.json": b"{}"}),
    "absolute": lambda p: zipped(p, {"/tmp/report.json": b"{}"}),  # noqa: S108  (it must not be)
    "two files": lambda p: zipped(p, {"report.json": b"{}", "epc.py": b""}),
    "another file": lambda p: zipped(p, {"comment.md": b"{}"}),
    "empty": lambda p: zipped(p, {}),
    "large": lambda p: zipped(p, {"report.json": os.urandom(3 * 2**20)}),
}


def gh(tmp_path: Path, answers: Json) -> tuple[FakeGitHub, dict[str, str]]:
    fake = FakeGitHub(tmp_path / "gh", answers)
    own = fake.environment(os.environ["PATH"])
    return fake, environment(**own, GH_TOKEN=TOKEN, GH_REPO="owner/registry")


@attack("bounds")
@pytest.mark.parametrize("upload", UPLOADS)
def test_an_upload_that_is_not_one_small_file_is_refused(tmp_path: Path, upload: str) -> None:
    archive = UPLOADS[upload](tmp_path / "upload.zip")
    fake, env = gh(tmp_path, github_says(EVENT, [STATEMENT], archive))
    event = tmp_path / "event.json"
    event.write_text(json.dumps(ended(EVENT)))
    before = names(tmp_path)
    words = ("--event", str(event), "--name", "submission-report", "--file", "report.json")

    done = subprocess.run(
        [sys.executable, "-m", "epc", "admin", "github", "artifact", *words],
        cwd=tmp_path,
        env=env | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (3, b""), done.stderr
    assert b"Traceback" not in done.stderr
    assert set(names(tmp_path)) - set(before) == {"gh/calls.jsonl"}
    assert all(call["method"] == "GET" for call in fake.calls())


def comment(tmp_path: Path, event: Json, answers: Json) -> tuple[int, list[Json], str]:
    """Have a comment written, and return the exit code, what was written, and what was said."""
    fake, env = gh(tmp_path, answers)
    (tmp_path / "event.json").write_text(json.dumps(event))
    (tmp_path / "comment.md").write_text(f"{MARK}\nclean\n")
    words = (
        "admin",
        "github",
        "comment",
        tmp_path / "comment.md",
        "--event",
        tmp_path / "event.json",
    )
    done = epc(*words, env=env)
    return done.returncode, fake.calls("POST", "PATCH"), done.stderr


def says(tmp_path: Path, files: list[str], **more: object) -> Json:
    return github_says(EVENT, files, zipped(tmp_path / "any.zip", {"report.json": b"{}"}), **more)


def test_the_comment_goes_where_github_says_and_nowhere_else(tmp_path: Path) -> None:
    code, wrote, _ = comment(tmp_path, ended(EVENT), says(tmp_path, [STATEMENT]))

    assert code == 0
    assert [(call["path"], call["body"]) for call in wrote] == [
        ("issues/7/comments", {"body": f"{MARK}\nclean\n{ABOUT}"})
    ]


@attack("publication")
@pytest.mark.parametrize(
    "pulls",
    [
        [],
        [PULL | {"head": {"sha": "6" * 40}}],
        [PULL, PULL | {"number": 8}],
    ],
    ids=["closed", "moved on", "two of one head"],
)
def test_nothing_is_said_unless_it_is_clear_of_which_pull_request(
    tmp_path: Path, pulls: list[Json]
) -> None:
    answers = says(tmp_path, [STATEMENT], **{PULLS: pulls})

    code, wrote, said = comment(tmp_path, ended(EVENT), answers)

    assert (code, wrote) == (0, [])
    assert "nothing is said" in said


@attack("publication")
@pytest.mark.parametrize(
    "more",
    [
        {"path": ".github/workflows/evil.yml"},
        {"path": ".github/workflows/submission.yml.evil"},
        {"event": "push"},
        {"event": "workflow_dispatch"},
    ],
)
def test_another_workflow_or_cause_is_not_believed(tmp_path: Path, more: dict[str, str]) -> None:
    code, wrote, said = comment(tmp_path, ended(EVENT, **more), says(tmp_path, [STATEMENT]))

    assert (code, wrote) == (2, [])
    assert "only .github/workflows/submission.yml for pull_request is believed" in said


FILES = f"compare/{'4' * 40}...{'5' * 40}"


@attack("publication")
@pytest.mark.parametrize(
    "listed",
    [
        [{"filename": STATEMENT}, {"filename": ".github/workflows/submission.yml"}],
        [{"filename": STATEMENT, "previous_filename": "epc/registry/verify.py"}],
        [{"filename": f"{SLUG}/{number}"} for number in range(300)],
        [{"filename": STATEMENT}, {"filename": "submissions.py"}],
    ],
    ids=["edited workflow", "moved from elsewhere", "list cut short", "alike"],
)
def test_a_report_that_the_pull_request_may_have_forged_is_not_shown(
    tmp_path: Path, listed: list[Json]
) -> None:
    answers = says(tmp_path, [], **{FILES: {"files": listed}})

    code, wrote, _ = comment(tmp_path, ended(EVENT), answers)

    (body,) = [call["body"]["body"] for call in wrote]
    assert code == 0
    assert body.startswith(f"{MARK}\n")
    assert "may have changed the check itself" in body
    assert "clean" not in body


@attack("publication")
def test_what_is_pushed_while_the_comment_is_written_changes_nothing_of_it(tmp_path: Path) -> None:
    """GitHub is asked once for the pull request; then two commits are compared, which stay."""
    answers = says(tmp_path, [STATEMENT])
    answers["pulls/7"] = {"head": {"sha": "6" * 40}, "changed_files": 1}
    answers["pulls/7/files?per_page=100&page=1"] = [{"filename": "epc/registry/verify.py"}]

    _, wrote, _ = comment(tmp_path, ended(EVENT), answers)

    assert [call["body"]["body"] for call in wrote] == [f"{MARK}\nclean\n{ABOUT}"]
    asked = [call["path"] for call in FakeGitHub(tmp_path / "gh", {}).calls("GET")]
    assert [path for path in asked if path.startswith(("pulls", "compare"))] == [PULLS, FILES]


def test_where_no_submission_is_offered_nothing_is_said(tmp_path: Path) -> None:
    code, wrote, said = comment(tmp_path, ended(EVENT), says(tmp_path, ["README.md"]))

    assert (code, wrote) == (0, [])
    assert "offers no submission" in said


COMMENTS = "issues/7/comments?per_page=100&page=1"


@attack("publication")
def test_only_our_own_comment_is_changed(tmp_path: Path) -> None:
    stranger = {"id": 1, "body": f"{MARK}\nmine", "user": {"login": "stranger"}}
    ours = {"id": 2, "body": f"{MARK}\r\nbefore", "user": {"login": "github-actions[bot]"}}
    other = {"id": 3, "body": "about <!-- epc-submission-report -->", "user": ours["user"]}
    answers = says(tmp_path, [STATEMENT], **{COMMENTS: [stranger, other, ours]})

    _, wrote, _ = comment(tmp_path, ended(EVENT), answers)

    assert [(call["method"], call["path"]) for call in wrote] == [("PATCH", "issues/comments/2")]


def test_the_second_page_of_comments_is_read_before_another_is_written(tmp_path: Path) -> None:
    many = [{"id": n, "body": "x", "user": {"login": "stranger"}} for n in range(100)]
    ours = {"id": 500, "body": f"{MARK}\nclean\n{ABOUT}", "user": {"login": "github-actions[bot]"}}
    second = COMMENTS.replace("&page=1", "&page=2")
    answers = says(tmp_path, [STATEMENT], **{COMMENTS: many, second: [ours]})

    _, wrote, said = comment(tmp_path, ended(EVENT), answers)

    assert wrote == []
    assert "says so already" in said


def test_a_refusal_of_github_is_said_in_one_line(tmp_path: Path) -> None:
    code, wrote, said = comment(tmp_path, ended(EVENT), {})

    assert (code, wrote) == (3, [])
    assert "HTTP 404" in said
    assert "fix:" in said


def test_an_event_of_another_kind_is_misuse(tmp_path: Path) -> None:
    code, _, said = comment(tmp_path, {"action": "opened"}, {})

    assert code == 2
    assert "not the event of a workflow_run" in said
