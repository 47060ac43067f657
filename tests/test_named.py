"""Every extra, option, file and address that a page names is there."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import click

from epc.cli.program import program

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "site/docs").rglob("*.md"))]
_EXTRA = re.compile(r"(?:\.|epc-registry)\[([a-z,]+)\]")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# A name that the reader fills in: NAME, <name>, {name}.
_BLANK = re.compile(r"[A-Z]{3,}|\{\w+\}|<\w+>")
_OTHERS = ("git", "dvc", "mkdocs", "pip", "make", "uv", "uvx", "docker", "gh", "curl", "promptfoo")


@cache
def tracked() -> frozenset[str]:
    """Return every file and folder of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True)
    files = listed.stdout.decode().splitlines()
    folders = {"/".join(f.split("/")[:n]) for f in files for n in range(1, f.count("/") + 1)}
    return frozenset(files) | folders


@cache
def options() -> frozenset[str]:
    """Return every option of every command."""

    def below(command: click.Command) -> Iterator[str]:
        yield from (o for p in command.params for o in (*p.opts, *p.secondary_opts))
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from below(inner)

    return frozenset((*below(program), "--help"))


@cache
def places() -> re.Pattern[str]:
    """Return what a file of the repository looks like: a path from one of its folders."""
    tops = "|".join(sorted({re.escape(name.partition("/")[0]) for name in tracked()}))
    return re.compile(rf"(?<![\w/.-])(?:{tops})/[\w./*{{}}<>-]*")


@cache
def written() -> str:
    """Return the program's text, which holds the name of every file that it writes later."""
    return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "epc").rglob("*.py")))


@cache
def addresses() -> tuple[re.Pattern[str], ...]:
    """Return the addresses of the site, with room for what their blanks stand for."""
    listed = (ROOT / "tests/acceptance/site/urls.txt").read_text("utf-8").split()
    schemas = [f"schemas/v1/{p.name}" for p in (ROOT / "epc/spec/schemas/v1").iterdir()]
    whole = (re.sub(r"\\\{\w+\\\}", r"[^/]+(?:/[^/]+)?", re.escape(a)) for a in (*listed, *schemas))
    return tuple(re.compile(rf"(?:{each})") for each in whole)


def codes(text: str) -> Iterator[str]:
    """Yield what stands between backquotes, outside blocks, which are run by other tests."""
    for match in re.finditer(r"`([^`\n]+)`", re.sub(r"(?ms)^ *```.*?^ *```", " ", text)):
        yield match[1]


def missing(text: str) -> Iterator[str]:
    """Yield what a page names and nobody finds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for match in _EXTRA.finditer(text):
        for extra in match[1].split(","):
            if extra not in project["optional-dependencies"]:
                yield f"extra {extra}"
    for code in codes(text):
        yield from missing_options(code)
        yield from missing_places(code)


def missing_options(code: str) -> Iterator[str]:
    """Yield the options of `epc`, or of a script of the repository, that there are not."""
    word, *_ = code.split() or [""]
    if word in _OTHERS:
        return
    own_text = (
        (ROOT / word).read_text("utf-8") if word.endswith(".py") and word in tracked() else ""
    )
    for option in _OPTION.findall(code):
        fits = option in options() or f'"{option}"' in own_text
        if not fits and not (option.endswith("-") and is_begun(option)):
            yield f"option {option} in `{code}`"


def missing_places(code: str) -> Iterator[str]:
    """Yield the files of the repository and the addresses of the site that there are not."""
    for name in places().findall(code):
        if not _BLANK.search(name) and not is_there(name.rstrip("./")):
            yield f"file {name}"
    for address in re.findall(r"(?:^|(?<=\s))/?(?:api|schemas)/v1/[\w./-]+", code):
        if not any(known_address.fullmatch(address.lstrip("/")) for known_address in addresses()):
            yield f"address {address}"


def is_begun(start: str) -> bool:
    return any(option.startswith(start) for option in options())


def is_there(name: str) -> bool:
    """Return whether a file is in the repository, or is one that the program writes."""
    if name in tracked() or any(fnmatch(text, name) for text in tracked()):
        return True
    folder, _, file = name.rpartition("/")
    return folder in tracked() and file in written()


def test_every_extra_option_file_and_address_that_a_page_names_is_there() -> None:
    found = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in PAGES
        for name in missing(page.read_text("utf-8"))
    ]

    assert found == []
    assert len(PAGES) > 40


_COMMAND = re.compile(r"`epc ([^`\n{}|]+)`")


def _unknown_words(words: list[str]) -> list[str]:
    """Return the commands and options among some words behind `epc` that the program lacks."""
    command: click.Command = program
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(click.Context(command), words[0])
        if inner is None:
            return words[:1]
        command, words = inner, words[1:]
    known = {"--", "--help", *(o for p in command.params for o in (*p.opts, *p.secondary_opts))}
    return [word for word in words if word.startswith("--") and word not in known]


def test_every_command_that_the_program_s_own_text_names_is_there() -> None:
    """Messages, help and the files that the program writes; the table of what left names those."""
    paths = [p for p in (ROOT / "epc").rglob("*") if p.suffix in {".py", ".yaml", ".html", ".md"}]
    texts = {p: p.read_text("utf-8") for p in paths if p.name != "departures.py"}
    named = {(p.name, words) for p, text in texts.items() for words in _COMMAND.findall(text)}

    unknown = {place: _unknown_words(place[1].split()) for place in named}

    assert len(named) > 100
    assert {place: words for place, words in unknown.items() if words} == {}
