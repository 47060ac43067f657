"""Helpers of several commands: print, say what goes on, open the registry, end a command."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from epc.cli.terminal import fitted
from epc.engine import clock
from epc.errors import ExitCode, Finding, able_to
from epc.printable import json_shown, lines_shown

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from epc.records.findings import CheckResult
    from epc.registry.registry import Registry
    from epc.registry.writing import RegistryLock

now = clock.now


def echo_json(value: Any) -> None:
    """Print a value as indented JSON."""
    click.echo(json_shown(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)))


def say(text: str, *, err: bool = False) -> None:
    """Print lines that hold other people's text, which can then steer no terminal and no log."""
    safe = lines_shown(text)
    click.echo(fitted(safe, sys.stderr if err else sys.stdout), err=err)


def print_note(message: str) -> None:
    """Say something about the work on stderr, where it does not mix with the data."""
    say(message, err=True)


def print_result(
    form: str, document: Callable[[], Any], text: Callable[[], str | Iterable[str]]
) -> None:
    """Print a result: as JSON, or in words, which are one text or lines."""
    if form == "json":
        echo_json(document())
        return
    content = text()
    for line in [content] if isinstance(content, str) else content:
        say(line)


def print_finding_list(findings: Sequence[Finding], form: str) -> None:
    """Print findings: as a list in JSON, or one after the other."""
    print_result(
        form, lambda: [finding.as_json() for finding in findings], lambda: map(str, findings)
    )


def print_findings(checked: "CheckResult", form: str, **fields: object) -> None:
    """Print what a check of one file found: as JSON in a line, or a line and then its findings.

    `fields` stand beside it in JSON.
    """
    if form == "json":
        document = {**checked.as_json(), **fields}
        click.echo(json_shown(json.dumps(document, ensure_ascii=False)))
        return
    state = "ok" if checked.ok else "not valid"
    say(f"{checked.path}: {state}, findings: {len(checked.findings)}")
    for line in checked.lines():
        say(line)


def write_page(path: Path, page: str) -> None:
    """Write a report and say where it is."""
    from epc.records.strict_json import write_text

    write_text(path, [page])
    print_note(f"report   {path}")


def add_text(path: Path, text: str) -> None:
    """Add a text to the end of a file, such as a job's summary.

    Raises: WorldError if the disk refuses.
    """
    with able_to("write", path), path.open("a", encoding="utf-8") as file:
        file.write(text)


def exit_with(*, clean: bool) -> NoReturn:
    """End the command: with 0 if there was nothing to find, else with 1."""
    click.get_current_context().exit(ExitCode.CLEAN if clean else ExitCode.FINDINGS)


def checkout_here() -> Path:
    """Return the registry's checkout around us."""
    from epc.registry.reading import find_checkout

    return find_checkout(Path.cwd())


def locked_here() -> "AbstractContextManager[RegistryLock]":
    """Hold the registry of the checkout around us, as whatever writes to it must."""
    from epc.registry.writing import locked

    return locked(checkout_here(), progress=print_note)


def open_registry(location: str | None) -> "Registry":
    """Open a registry; of the copy that came with the program, say of which day it is."""
    from epc.registry import reading
    from epc.version import __version__

    opened = reading.open_registry(location)
    if opened.listed:
        print_note(
            f"registry of {opened.listed}, as epc {__version__} brought it; newer: --registry URL"
        )
    return opened
