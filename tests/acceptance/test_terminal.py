"""Words on a terminal: no wider than it is, states in their colours, and as they are elsewhere."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator

import click
import pytest
from program_support import PROGRAM, as_text, run_program
from registry_support import ROOT

from epc.cli.program import program
from epc.cli.terminal import coloured, wrapped

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
AT = {"SOURCE_DATE_EPOCH": "1795694400"}  # 2026-11-26
EXPIRY = ("expiry", "openai/gpt-4-0613")


def on_terminal(*words: str, wide: int, **env: str) -> str:
    """Return what a program writes to a terminal of a width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, wide, 0, 0))
    clean = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES", "NO_COLOR"}}
    process = subprocess.Popen(
        [*PROGRAM, *words],
        cwd=ROOT,
        env={**clean, **AT, "TERM": "xterm-256color", **env},
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
    )
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # the last of the other side has closed
            break
        if not piece:
            break
        pieces.append(piece)
    process.wait()
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def test_a_text_is_no_wider_than_the_terminal_and_says_the_same() -> None:
    whole = as_text(run_program(*EXPIRY, cwd=ROOT, env={**os.environ, **AT})).stdout
    assert max(map(len, whole.splitlines())) > 100  # so there is something to wrap

    for wide in (60, 100):
        printed = COLOUR.sub("", on_terminal(*EXPIRY, wide=wide))
        words = [line for line in printed.splitlines() if len(line) > wide]
        assert all(" " not in line.strip() for line in words)  # an address is not broken
        assert printed.split() == whole.split()


def test_a_state_has_its_colour_on_a_terminal_alone_and_not_under_no_color() -> None:
    red = "\x1b[31mexpired\x1b[0m since 2026-10-23"
    assert red in on_terminal(*EXPIRY, wide=100)
    assert "\x1b" not in on_terminal(*EXPIRY, wide=100, NO_COLOR="1")
    assert "\x1b" not in on_terminal(*EXPIRY, wide=100, TERM="dumb")
    assert "\x1b" not in as_text(run_program(*EXPIRY, cwd=ROOT)).stdout


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (
            "one two three four five six seven eight nine",
            "one two three four five six seven eight|  nine",
        ),
        (
            "label   one two three four five six seven eight",
            "label   one two three four five six|        seven eight",
        ),
        (
            "a row  of a table  that has columns, goes on by cells",
            "a row  of a table|    that has columns, goes on by cells",
        ),
        ("  next: epc resume runs/with-a-name-that-is-long-enough", None),
        ("https://example.org/an/address/without/any/blank/in/it", None),
    ],
)
def test_a_line_goes_on_further_in_and_commands_and_addresses_stay_whole(
    line: str, lines: str | None
) -> None:
    assert [*wrapped(line, 40)] == (lines.split("|") if lines else [line])


def test_no_word_of_a_sentence_is_coloured() -> None:
    prose = "the current one is unknown, and it was refused; what expired is said below"
    assert coloured(prose) == prose


def groups(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(command, click.Group):
        yield words
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from groups(inner, (*words, name))


def test_no_line_of_any_group_s_help_is_cut() -> None:
    found = [*groups(program, ())]
    assert ("loop",) in found
    for words in found:
        text = as_text(run_program(*words, "--help", cwd=ROOT)).stdout
        commands = text.partition("Commands:")[2]
        assert "..." not in commands, words
