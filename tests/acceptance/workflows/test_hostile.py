"""The workflows attacked: by what a pull request brings, and by its name."""

import json
import subprocess
from pathlib import Path

import pytest
from attack_support import attack
from engine_support import epc
from markdown_it import MarkdownIt
from registry_support import commit, git
from workflow_support import ROOT, TOKEN, Forge, Runner

SLUG = "submissions/stranger-1"
STATEMENT = f"{SLUG}/submission.json"


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


def fetch(forge: Forge, out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return epc(
        "admin",
        "github",
        "fetch",
        "--out",
        out,
        *(arguments or ("--pull", "7")),
        cwd=maintainer(forge),
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
        f"install report:\n\ttouch {canary}; echo clean > $$GITHUB_STEP_SUMMARY\n",
    )
    write(forge, ".github/workflows/submission.yml", "name: Submission\n")
    write(forge, STATEMENT, "{}")
    runner = Runner(home=tmp_path / "run", origin=forge.origin, event=forge.offer(7))

    runner.walk("submission.yml")

    assert not canary.exists()
    assert runner.failed == ['make report OFFERED="$RUNNER_TEMP/offered"']
    assert runner.summary.startswith("### Refused: ")
    for name in ("Makefile", ".github/workflows/submission.yml"):
        assert f"`changes {name}, which is no file of a submission`" in runner.summary


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
    for output in (done.stdout, done.stderr, checked.stdout, checked.stderr, commented.stderr):
        assert all(line.isprintable() for line in output.split("\n")), output
        assert not any(line.lstrip().startswith("::") for line in output.split("\n")), output
        assert "##[" not in output


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
    arguments = ["git", "-C", str(forge.work), "mktree", "--missing"]
    given = "".join(f"{line}\n" for line in lines).encode()
    done = subprocess.run(arguments, input=given, capture_output=True, check=True)
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
    (submission,) = json.loads(checked.stdout)["submissions"]
    assert any(f["clause"] == "Submission S3" for f in submission["findings"])


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


# A branch's name that git and GitHub admit.
BRANCH = "$(touch${IFS}canary)';touch${IFS}canary;`touch${IFS}canary`\";&state=all#%"


@attack("execution")
def test_the_name_of_a_branch_is_never_run_nor_shown(origin: Path, tmp_path: Path) -> None:
    git(tmp_path, "check-ref-format", "--branch", BRANCH)
    forge = Forge(origin, tmp_path)
    write(forge, STATEMENT, "{}")
    event = forge.offer(7)
    event["pull_request"]["head"]["ref"] = BRANCH
    runner = Runner(home=tmp_path / "run", origin=forge.origin, event=event)

    runner.walk("submission.yml")

    assert runner.failed == ['make report OFFERED="$RUNNER_TEMP/offered"']
    assert "canary" not in runner.summary + runner.said
    assert list(tmp_path.rglob("canary")) == []
    assert TOKEN not in runner.said


@attack("injection")
def test_what_a_pull_request_offers_never_becomes_markup_in_the_summary(
    origin: Path, tmp_path: Path
) -> None:
    forge = Forge(origin, tmp_path)
    name = "![x](http:%2F%2Fa.example) `@all` <img src=x> # y | z.md"
    write(forge, f"{SLUG}/{name}", "words")
    statement = {"contributor": "<script>@all</script> [x](http://a.example)", "login": "`|`"}
    write(forge, STATEMENT, json.dumps(statement))
    runner = Runner(home=tmp_path / "run", origin=forge.origin, event=forge.offer(7))

    runner.walk("submission.yml")

    parsed = MarkdownIt("commonmark", {"html": True}).enable(["table"]).parse(runner.summary)
    inner = [child for token in parsed for child in token.children or ()]
    kinds = {token.type for token in (*parsed, *inner)}
    assert runner.summary.startswith("### Refused: ")
    assert "a.example" in runner.summary
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "table_open", "fence"}
    text = " ".join(token.content for token in inner if token.type == "text")
    assert not [mark for mark in ("@", "://", "<", "a.example") if mark in text]


def test_an_event_of_another_kind_is_misuse(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text('{"action": "opened"}')

    done = fetch(forge, tmp_path / "offered", "--event", str(tmp_path / "event.json"))

    assert done.returncode == 2
    assert "not the event of a pull_request" in done.stderr
