"""Folders, names, sizes and texts that must not get further than the door."""

import gzip
import json
import os
import pickle
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from attack_support import attack, attacks
from program_support import as_text, run_program
from submissions_support import Offered, errors, tree

from epc.records.typed import parse
from epc.registry.submissions.report import Report, SubmissionReport
from epc.registry.submissions.summary import markdown

Build = Callable[[Offered], object]
Wanted = tuple[str, str, str]  # clause, a part of the place, a part of the problem


class Bomb:
    """Program that runs when it is unpickled."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch {self.canary}",)


def linked(name: str, target: str) -> Build:
    def build(submission: Offered) -> None:
        (submission.folder / name).unlink()
        (submission.folder / name).symlink_to(target)

    return build


def piped(submission: Offered) -> None:
    (submission.folder / "calls.jsonl").unlink()
    os.mkfifo(submission.folder / "calls.jsonl")


def hard_linked(submission: Offered) -> None:
    secret = submission.checkout / "secret.jsonl"
    (submission.folder / "trials.jsonl").rename(secret)
    (submission.folder / "trials.jsonl").hardlink_to(secret)


def with_file(name: str, content: bytes | Callable[[Offered], bytes] = b"x") -> Build:
    def build(submission: Offered) -> None:
        path = submission.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content(submission))

    return build


def pickled(submission: Offered) -> bytes:
    return pickle.dumps(Bomb(submission.canary))


def yaml_tag(submission: Offered) -> bytes:
    return f'!!python/object/apply:os.system ["touch {submission.canary}"]'.encode()


def touching(submission: Offered) -> bytes:
    return f"open({str(submission.canary)!r}, 'w')\n".encode()


def gzip_bomb(submission: Offered) -> None:
    (submission.folder / "calls.jsonl").write_bytes(gzip.compress(bytes(2**26)))


def sized(name: str, size: int) -> Build:
    def build(submission: Offered) -> None:
        with (submission.folder / name).open("r+b") as file:
            file.truncate(size)

    return build


def odd_bytes(submission: Offered) -> None:
    Path(os.fsdecode(os.fsencode(submission.folder) + b"/\xff\xfe.json")).touch()


def called(slug: str) -> Build:
    def build(submission: Offered) -> None:
        submission.renamed(slug)

    return build


def second_folder(slug: str) -> Build:
    """Offer a second folder beside the honest one."""

    def build(submission: Offered) -> None:
        (submission.checkout / "submissions" / slug).mkdir()

    return build


FOLDERS: dict[str, tuple[Build, Wanted]] = {
    "a manifest that is a link to a system file": (
        linked("manifest.json", "/etc/passwd"),
        ("Submission S2", "manifest.json", "a symbolic link"),
    ),
    "trials that link to a device without end": (
        linked("trials.jsonl", "/dev/zero"),
        ("Submission S2", "trials.jsonl", "a symbolic link"),
    ),
    "a named pipe that never answers": (piped, ("Submission S2", "calls.jsonl", "a named pipe")),
    "a hard link to somebody's file": (hard_linked, ("Submission S2", "trials.jsonl", "hard link")),
    "a folder within": (
        with_file("raw/trials.jsonl"),
        ("Submission S2", "raw", "no such file belongs here"),
    ),
    "a script": (with_file("setup.py", touching), ("Submission S2", "setup.py", "no such file")),
    "a module that Python loads by itself": (
        with_file("sitecustomize.py", touching),
        ("Submission S2", "sitecustomize.py", "no such file"),
    ),
    "a pointer of DVC that leads elsewhere": (
        with_file("raw.dvc", b"outs:\n- path: ../../../.git/config\n"),
        ("Submission S2", "raw.dvc", "no such file"),
    ),
    "attributes that run a filter": (
        with_file(".gitattributes", b"* filter=evil\n"),
        ("Submission S2", ".gitattributes", "no such file"),
    ),
    "a pickle that is called a manifest": (
        with_file("manifest.json", pickled),
        ("Submission S2", "manifest.json", "expected JSON"),
    ),
    "YAML that is called a manifest": (
        with_file("manifest.json", yaml_tag),
        ("Submission S2", "manifest.json", "expected JSON"),
    ),
    "a gzip bomb": (gzip_bomb, ("Submission S2", "calls.jsonl", "expected JSON")),
    "a name that is no text": (odd_bytes, ("Submission S2", "udcff", "no such file")),
    "a file of 100 MB": (
        sized("calls.jsonl", 100_000_000),
        ("Submission S3", "calls.jsonl", "100,000,000 bytes"),
    ),
    "Cyrillic letters in the name": (
        called("\u0430n-honest-one"),
        ("Submission S4", "", "\\u0430n"),
    ),
    "a name that is an option": (called("-rf"), ("Submission S4", "", "'-rf'")),
    "a hidden name": (called(".git"), ("Submission S4", "", "'.git'")),
    "a name with a line in it": (called("a\n::error::b"), ("Submission S4", "", "a\\n")),
    "a name that closes a shell's quotes": (
        called("a'$(touch x)'"),
        ("Submission S4", "", "lower-case"),
    ),
    "a look-alike beside it": (
        second_folder("an-honest-0ne"),
        ("Submission S4", "an-honest-0ne", "looks like"),
    ),
    "a look-alike in another script beside it": (
        second_folder("an-h\u043enest-one"),
        ("Submission S4", "", "\\u043e"),
    ),
}


KINDS = attacks(
    FOLDERS,
    "outside",
    execution=(
        "a script",
        "a module that Python loads by itself",
        "a pointer of DVC that leads elsewhere",
        "attributes that run a filter",
        "a pickle that is called a manifest",
        "YAML that is called a manifest",
        "a name that is an option",
        "a name that closes a shell's quotes",
    ),
    bounds=(
        "trials that link to a device without end",
        "a named pipe that never answers",
        "a gzip bomb",
        "a file of 100 MB",
    ),
    injection=("a name that is no text", "a name with a line in it"),
    publication=(
        "Cyrillic letters in the name",
        "a look-alike beside it",
        "a look-alike in another script beside it",
    ),
)


@pytest.mark.parametrize("case", KINDS)
def test_a_hostile_folder_is_refused_before_anything_in_it_is_parsed(
    case: str, honest: Offered
) -> None:
    build, (clause, place, problem) = FOLDERS[case]
    build(honest)
    before = tree(honest.checkout)

    value = honest.check()

    assert value["ok"] is False
    assert [
        f
        for f in errors(value)
        if f["clause"] == clause and place in f["where"] and problem in f["problem"]
    ], errors(value)
    bad = [s for s in value["submissions"] if parse(s, SubmissionReport).standing == "refused"]
    assert all(s["evaluator"] is None and s["figures"] == [] for s in bad)
    assert tree(honest.checkout) == before
    assert not honest.canary.exists()
    assert str(honest.canary.parent) not in json.dumps(value)


PAYLOADS = {
    "Markdown": "![x](https://evil.example/x.png)",
    "HTML": "<img src=x onerror=alert(1)>",
    "Jinja": "{{ cycler.__init__.__globals__.os.popen('id') }}",
    "a formula": '=HYPERLINK("https://evil.example","x")',
    "a link that runs": "[x](javascript:alert(1))",
    "letters that turn around": "a\u202eb",
}


def in_statement(key: str) -> Callable[[Offered, str], None]:
    return lambda submission, text: submission.statement(**{key: text})


def in_manifest(*path: str | int) -> Callable[[Offered, str], None]:
    def put(submission: Offered, text: str) -> None:
        def change(manifest: Any) -> None:
            value = manifest
            for part in path[:-1]:
                value = value[part]
            value[path[-1]] = text

        submission.manifest(change)

    return put


FIELDS = {
    "submission.json/contributor": in_statement("contributor"),
    "submission.json/conflicts": in_statement("conflicts"),
    "submission.json/generation": in_statement("generation"),
    "submission.json/licence": in_statement("licence"),
    "manifest.json/evaluator/model": in_manifest("evaluator", "model"),
    "manifest.json/evaluator/version": in_manifest("evaluator", "version"),
    "manifest.json/evaluator/endpoint": in_manifest("evaluator", "endpoint"),
    "manifest.json/evaluator/gateway": in_manifest("evaluator", "gateway"),
    "manifest.json/evaluator/details/note": in_manifest("evaluator", "details", "note"),
    "manifest.json/executor/prompt_template": in_manifest("executor", "prompt_template"),
    "manifest.json/tasks/text/0": in_manifest("tasks", "text", 0),
    "manifest.json/strategies/1/name": in_manifest("strategies", 1, "name"),
    "manifest.json/strategies/1/prompt": in_manifest("strategies", 1, "prompt"),
    "manifest.json/evaluator_prompt": in_manifest("evaluator_prompt"),
    "manifest.json/provenance/software/epc": in_manifest("provenance", "software", "epc"),
}


@attack("rendering")
@pytest.mark.parametrize(("field", "payload"), [*zip(FIELDS, cycle(PAYLOADS), strict=False)])
def test_text_that_is_more_than_text_is_refused_and_shown_as_it_stands(
    field: str, payload: str, honest: Offered
) -> None:
    FIELDS[field](honest, PAYLOADS[payload])

    value = honest.check()
    at_field = [f for f in errors(value) if f["where"] == field]

    assert {f["clause"] for f in at_field} & {"Submission S5", "Submission S7"}, errors(value)
    require_plain(markdown(parse(value, Report)))


def require_plain(summary: str) -> None:
    """A summary renders as headings, lists, bold and code; words outside of code are our own."""
    from markdown_it import MarkdownIt

    assert summary.startswith("### ")
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    flat = [t for token in tokens.parse(summary) for t in (token, *(token.children or ()))]
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in flat}
    allowed = {"heading", "inline", "text", "paragraph", "strong", "code_inline"}
    allowed |= {"bullet_list", "ordered_list", "list_item", "softbreak"}
    assert kinds <= allowed, kinds - allowed
    text = " ".join(token.content for token in flat if token.type == "text")
    assert not [mark for mark in ("@", "://", "www.", "<", "#", "{{", "`") if mark in text]


@pytest.mark.parametrize(
    "case", ["a gzip bomb", "a file of 100 MB", "a named pipe that never answers"]
)
def test_the_command_says_the_same_and_ends_at_once(case: str, honest: Offered) -> None:
    build, (clause, _, problem) = FOLDERS[case]
    build(honest)

    env = os.environ | {"SOURCE_DATE_EPOCH": "1783684800"}
    arguments = ("submission", "check", "--base", honest.checkout)
    done = as_text(run_program(*arguments, cwd=honest.checkout, env=env))

    assert done.returncode == 1, done.stderr
    assert f"[{clause}]" in done.stdout
    assert problem in done.stdout
    assert "Refused" in done.stdout
