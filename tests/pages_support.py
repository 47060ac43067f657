"""Every fenced shell block of a page: read, run as typed, and held to the output below it.

A block runs in a clone of the registry, after the blocks above it. What a page takes as there (a
finished run, a source of verdicts) is made before the block that names it. A comment on the line
above a block changes that, and says why:

    <!-- not run: key -->        nobody runs it here; each `epc` command in it is parsed
    <!-- run on mocks: key -->   run with a mock in place of each model; what it prints is not held

The block without a language right below is what the commands print; a line `...` in it stands for
lines left out. `# exits 1` behind a command is the code that it ends with; without it, 0.
"""

import difflib
import os
import re
import shlex
import subprocess
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import click
from engine_support import PATIENCE_S
from program_support import as_text, run_program

from epc.cli.program import program

REASONS: Final = {
    "key": "asks a model that takes a key, or money",
    "network": "fetches from another machine",
    "time": "takes minutes, or gigabytes",
    "machine": "installs something, needs more machines, or never ends",
    "account": "writes to somebody's account or signs with somebody's key",
    "yours": "names a file, a program or a project of the reader",
}
DAY: Final = "1795435200"  # 2026-11-23, 12:00 UTC: the day on which pages say what commands print
_FENCE = re.compile(
    r"^(?P<in> *)(?:<!-- (?P<how>not run|run on mocks): (?P<why>[\w ]+) -->\n\n? *)?"
    r"```sh\n(?P<typed>.*?)^ *```\n"
    r"(?:\n(?P=in)```(?:text)?\n(?P<shown>.*?)^ *```\n)?",
    re.DOTALL | re.MULTILINE,
)
_MODEL = re.compile(
    r"(?<![\w./-])(?:(?:openai|anthropic|google|vllm|openai-compatible)/[\w./-]+"
    r"|local/smollm2-[\w-]+|MODEL\b|M\b)"
)
_SHELL = re.compile(r"[|<>$;*~]")
_OF_A_MODEL = {"--evaluator": "deterministic", "--executor": "deterministic", "--judge": "judge"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A shell block: its commands, the output that stands below it, and where both stand."""

    typed: str
    shown: str | None
    how: str | None
    why: str | None
    place: tuple[int, int]  # of what is shown, or else of the block

    @property
    def holds(self) -> str | None:
        """Return what its commands have to print, if anything is known of it."""
        return self.shown if self.how is None else None

    @property
    def commands(self) -> list[str]:
        """Return its lines, each with those that go on with it."""
        joined = re.sub(r"(\\|(?<=\|))\n\s*", " ", self.typed)
        return [line for line in joined.splitlines() if shlex.split(line, comments=True)]


def blocks(text: str) -> list[Block]:
    """Return the shell blocks of a page, in its order."""
    return [
        Block(
            typed=textwrap.dedent(found["typed"]),
            shown=found["shown"] and textwrap.dedent(found["shown"]),
            how=found["how"],
            why=found["why"],
            place=found.span("shown" if found["shown"] else 0),
        )
        for found in _FENCE.finditer(text)
    ]


# ---------------------------------------------------------------------------- commands not run


def misuses(line: str) -> Iterator[str]:
    """Yield what click says against the `epc` commands in a line: names, options, and values."""
    for part in re.split(r"&&|\|", re.sub(r" > \S+", "", re.sub(r"\$\(\(.*?\)\)", "0", line))):
        arguments = shlex.split(part, comments=True)
        while arguments and (
            re.fullmatch(r"\w+=.*", arguments[0]) or arguments[0] in {"-", "run:"}
        ):
            arguments.pop(0)
        if arguments and Path(arguments[0]).name == "epc":
            try:
                _parse(program, arguments[1:], "epc")
            except click.ClickException as error:
                yield f"{line}: {error.format_message()}"


def _parse(command: click.Command, arguments: list[str], name: str) -> None:
    context = click.Context(command, info_name=name, **program.context_settings)
    if arguments[:1] == ["--help"]:
        return None
    if isinstance(command, click.Group):
        subcommand = command.get_command(context, arguments[0]) if arguments else None
        if subcommand is None:
            raise click.UsageError(f"no command {' '.join(arguments[:1])}")
        return _parse(subcommand, arguments[1:], arguments[0])
    given, extra, _ = command.make_parser(context).parse_args(list(arguments))
    if extra:
        raise click.UsageError(f"no argument {extra}")
    for param in command.params:
        value = given.get(param.name or "")
        if param.required and value is None:
            raise click.UsageError(f"{param.name} is missing")
        if isinstance(param.type, click.Choice | click.types.IntParamType) and value is not None:
            param.type_cast_value(context, value)
    return None


# ---------------------------------------------------------------------------- commands run


@dataclass
class Shell:
    """A folder in which the blocks of a page are run in their order."""

    folder: Path
    prepared: Mapping[str, Callable[[Path], object]]
    meant: Mapping[str, str]
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        path = f"{self.folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.env |= os.environ | {
            "HOME": str(self.folder.parent),
            "PATH": path,
            "SOURCE_DATE_EPOCH": DAY,
            "COLUMNS": "200",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # what leaves this machine fails at once
            "NO_PROXY": "127.0.0.1",
            "GIT_AUTHOR_NAME": "A. Name",
            "GIT_AUTHOR_EMAIL": "a.name@example.org",
            "GIT_COMMITTER_NAME": "A. Name",
            "GIT_COMMITTER_EMAIL": "a.name@example.org",
        }
        self.home = self.folder

    def run(self, block: Block) -> str:
        """Run a block; return what it prints, with the folder called as a reader's is.

        Raises: AssertionError if a command ends with another code than the page says.
        """
        out, self.folder = "", self.home
        if "REPOSITORY" in block.typed:  # whoever names it stands elsewhere
            self.folder = self.home.parent / f"elsewhere-{block.place[0]}"
            self.folder.mkdir()
        for line in block.commands:
            ends = re.search(r"\s#.*?\bexits (\d)", line)
            for place, meaning in self.meant.items():
                line = re.sub(rf"\b{place}\b", meaning, line)  # noqa: PLW2901  (the line as meant)
            typed = " ".join(_without_comment(line))
            typed = _on_mocks(typed) if block.how == "run on mocks" else typed
            self._prepare(typed)
            code, printed, said = self._do(typed)
            assert code == (int(ends[1]) if ends else 0), (line, code, printed, said)
            out += printed
        return out.replace(f"{self.home}{os.sep}", "")

    def _prepare(self, line: str) -> None:
        rest = re.sub(r"(--out|>|design new|git clone.*?) [\w./-]+$", "", line)
        for name, make in self.prepared.items():
            for match in re.finditer(rf"(?<![\w/.-]){name}(?![\w-])", rest):
                if not (self.folder / match[0]).exists():
                    make(self.folder / match[0])

    def _do(self, line: str) -> tuple[int, str, str]:
        code, out, err = 0, "", ""
        for part in line.split(" && ") if not _SHELL.search(line) else [line]:
            arguments = shlex.split(part)
            match arguments[0]:
                case ".":
                    continue
                case "cd":
                    self.folder /= arguments[1]
                    continue
                case "export":
                    self.env |= dict([arguments[1].split("=", 1)])
                    continue
            if Path(arguments[0]).name == "epc" and not _SHELL.search(part):
                done = as_text(run_program(*arguments[1:], cwd=self.folder, env=self.env))
            else:
                done = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", part],
                    cwd=self.folder,
                    env=self.env,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=PATIENCE_S,
                )
            code, out, err = done.returncode, out + done.stdout, err + done.stderr
            if code:
                break
        return code, out, err


def _without_comment(line: str) -> list[str]:
    """Return a line's words as typed, quotes and all, up to its comment."""
    return re.split(r"(?:^|\s+)#\s.*$", line, maxsplit=1)[0].split(" ")


def _on_mocks(line: str) -> str:
    """Return a line with a mock for each model that a reader would pay or wait for."""
    arguments = line.split(" ")
    for index, word in enumerate(arguments[1:], 1):
        if mock := _OF_A_MODEL.get(arguments[index - 1]):
            arguments[index] = _MODEL.sub(f"mock/{mock}", word)
    return re.sub(r"smollm2-[\w-]+_on_", "deterministic_on_", " ".join(arguments)).replace(
        "_on_smollm2-135m", "_on_deterministic"
    )


# ---------------------------------------------------------------------------- output


def is_shown(shown: str, printed: str) -> bool:
    """Return whether a page shows what was printed: all lines of it, but for those at `...`."""
    parts = [re.escape(part) for part in re.split(r"^ *\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


def mended(shown: str, printed: str) -> str:
    """Return what a page has to show now: with `...`, the nearest line to each that stood there."""
    if "..." not in (line.strip() for line in shown.splitlines()):
        return printed
    lines, out, at = printed.splitlines(), [], 0
    for line in shown.splitlines():
        if line.strip() == "...":
            out.append(line)
        elif near := difflib.get_close_matches(line, lines[at:], 1, 0.4):
            at = lines.index(near[0], at) + 1
            out.append(near[0])
    return "\n".join([*out, ""])


def regenerated(page: str, shell: Shell) -> str:
    """Return a page with what its commands print now."""
    pieces, end = [], 0
    for block in blocks(page):
        if block.how == "not run":
            continue
        printed = shell.run(block)
        if block.holds is not None and not is_shown(block.holds, printed):
            pieces += [page[end : block.place[0]], mended(block.holds, printed)]
            end = block.place[1]
    return "".join([*pieces, page[end:]])
