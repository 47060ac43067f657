"""What several commands do: print, say what goes on, open the registry, end with an exit code."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from epc.engine import clock
from epc.errors import ExitCode, Finding, able_to
from epc.printable import json_shown, lines_shown

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from epc.records.findings import Checked
    from epc.registry.registry import Registry
    from epc.registry.writing import RegistryLock

now = clock.now


def echo_json(value: Any) -> None:
    """Print a value as indented JSON."""
    click.echo(json_shown(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)))


def say(text: str, *, err: bool = False) -> None:
    """Print lines that hold other people's text, which can then steer no terminal and no log."""
    click.echo(lines_shown(text), err=err)


def note(message: str) -> None:
    """Say something about the work on stderr, where it does not mix with the data."""
    say(message, err=True)


def tell(form: str, document: Callable[[], Any], text: Callable[[], str | Iterable[str]]) -> None:
    """Print a result: as JSON, or in words, which are one text or lines."""
    if form == "json":
        echo_json(document())
        return
    words = text()
    for line in [words] if isinstance(words, str) else words:
        say(line)


def say_findings(findings: Sequence[Finding], form: str) -> None:
    """Print findings: as a list in JSON, or one after the other."""
    tell(form, lambda: [finding.as_json() for finding in findings], lambda: map(str, findings))


def say_checked(checked: "Checked", form: str, **more: object) -> None:
    """Print what a check of one file found: as JSON in a line, or a line and then its findings.

    `more` stands beside it as JSON.
    """
    if form == "json":
        document = {**checked.as_json(), **more}
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
    note(f"report   {path}")


def add_text(path: Path, text: str) -> None:
    """Add a text to the end of a file, such as a job's summary.

    Raises: WorldError if the disk refuses.
    """
    with able_to("write", path), path.open("a", encoding="utf-8") as file:
        file.write(text)


def leave(*, clean: bool) -> NoReturn:
    """End the command: with 0 if there was nothing to find, else with 1."""
    click.get_current_context().exit(ExitCode.CLEAN if clean else ExitCode.FINDINGS)


def checkout_here() -> Path:
    """Return the registry's checkout around us."""
    from epc.registry.reading import find_checkout

    return find_checkout(Path.cwd())


def locked_here() -> "AbstractContextManager[RegistryLock]":
    """Hold the registry of the checkout around us, as whatever writes to it must."""
    from epc.registry.writing import locked

    return locked(checkout_here(), tell=note)


def open_registry(location: str | None) -> "Registry":
    """Open a registry; of the copy that came with the program, say of which day it is."""
    from epc.registry import reading
    from epc.version import __version__

    opened = reading.open_registry(location)
    if opened.listed:
        note(f"registry of {opened.listed}, as epc {__version__} brought it; newer: --registry URL")
    return opened
