"""Changes of a pull request below `snapshots/` that `epc admin submission publish` does not make.

Pull requests are where the registry is written, so this is where a word of trust is kept from
whoever writes a card by hand: what a merge would bring is made again, in a clone, from the
submissions that main holds, and must be the same to the byte.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from epc import json_text
from epc.analysis.choice_table import PriceOf
from epc.errors import EpcError
from epc.json_text import lines_of
from epc.printable import one_line
from epc.records.earlier import is_seal
from epc.records.findings import Findings
from epc.records.typed import parse
from epc.registry import layout as registry_layout
from epc.registry.history import git, git_bytes
from epc.registry.layout import LOG
from epc.registry.snapshots import Event
from epc.registry.submissions import generated, layout
from epc.registry.submissions.merged import promote_all
from epc.registry.writing import locked

_HOME: Final = registry_layout.FOLDER
_MOST_LISTED: Final = 10
_LINKS: Final = ("120000", "160000")
_REMEDY: Final = (
    "offer a submission; what it becomes is proposed by the workflow that publishes, and taken "
    "as it is"
)


def check(checkout: Path, merge: str, today: date, findings: Findings, price_of: PriceOf) -> None:
    """Note what merging a pull request would publish, or change of what is published, by hand.

    `merge` is the digest of the commit that merging makes, main's its first parent.

    Raises: WorldError if the disk or git fails.
    """
    main = resolved(checkout, f"{merge}^1")
    changed = [p for p in _differing(checkout, main, merge) if p.startswith(f"{_HOME}/")]
    if not changed:
        return
    for mode, path in _entries(checkout, merge):
        if mode in _LINKS:
            findings.add(layout.ONE, one_line(path), "is a link, expected a file", _REMEDY)
    before, after = (_events(checkout, commit) for commit in (main, merge))
    if after[: len(before)] != before:
        remedy = "put the new events behind those of main, which stay as they are"
        findings.add(layout.ONE, LOG, "an event was removed, changed or moved", remedy)
    days = set(_published(after[len(before) :]))
    if len(days) > 1 or max(days, default=today) > today:
        problem = "publishes on several days, or on none that has come"
        findings.add(layout.ONE, LOG, problem, _REMEDY)
    elif days:
        _as_made(checkout, main, merge, days.pop(), findings)
    else:
        sealed = [path for path in changed if _is_sealed(path)]
        _note(sealed, "published files stay as they are, and no event publishes this", findings)
        _name_events(after[len(before) :], findings)
        if not sealed and any(map(generated.is_generated, changed)):
            with _clone(checkout, merge) as clone:
                generated.check(checkout, clone, changed, price_of, findings)


def _name_events(lines: list[str], findings: Findings) -> None:
    """Note for the maintainer each event that no program makes; each has the shape of one."""
    values = [json_text.parse(line)[0] for line in lines]
    events = [parse(value, Event) for value in values if not is_seal(value)]
    for event in events[:_MOST_LISTED]:
        reason = f": {event.reason}" if event.reason else ""
        source = f", by {event.source}" if event.source else ""
        problem = one_line(f"{event.tag} {event.event} on {event.date}{reason}{source}")
        findings.add(layout.ONE, LOG, problem, "maintainer: is it so?", "warning")
    if len(events) > _MOST_LISTED:
        findings.add(
            layout.ONE, LOG, f"{len(events)} events in all", "read each of them", "warning"
        )


def resolved(checkout: Path, name: str) -> str:
    """Return the digest of the commit that a name means in a checkout.

    In a clone of it a word such as HEAD would mean another commit.

    Raises: WorldError if it means none.
    """
    return git(checkout, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").strip()


def _as_made(checkout: Path, main: str, merge: str, day: date, findings: Findings) -> None:
    """Note where a publication is not what main's submissions become."""
    with _clone(checkout, main) as clone:
        try:
            with locked(clone, progress=lambda _: None) as lock:
                promote_all(lock, day=day, progress=lambda _: None, git=False)
        except EpcError as error:
            findings.add(layout.ONE, _HOME, f"cannot be made again: {error}", _REMEDY)
            return
        git(clone, "add", "--all", "--", _HOME)
        tree = git(clone, "write-tree").strip()
        apart = [path for path in _differing(clone, tree, merge) if path.startswith(f"{_HOME}/")]
    _note(apart, "is not what `epc admin submission publish` makes of main's submissions", findings)


@contextmanager
def _clone(checkout: Path, commit: str) -> Iterator[Path]:
    """Lend a clone that shares the objects of a checkout, at a commit."""
    with TemporaryDirectory(prefix="epc-") as folder:
        clone = Path(folder) / "clone"
        arguments = ("clone", "--quiet", "--shared", "--no-checkout", ".", str(clone))
        git(checkout, *arguments)
        git(clone, "checkout", "--quiet", "--detach", commit)
        yield clone


def _entries(checkout: Path, commit: str) -> Iterator[tuple[str, str]]:
    listed = git(checkout, "ls-tree", "-r", "-z", commit, "--", _HOME)
    for line in filter(None, listed.split("\0")):
        about, _, path = line.partition("\t")
        yield about.split()[0], path


def _events(checkout: Path, commit: str) -> list[str]:
    if not git(checkout, "ls-tree", commit, "--", LOG).strip():
        return []
    return lines_of(git_bytes(checkout, "show", f"{commit}:{LOG}").decode("utf-8", "replace"))


def _published(lines: list[str]) -> Iterator[date]:
    """Yield the days of events that publish; of what is no event, the last day there is."""
    for line in lines:
        value: Any = json_text.parse(line)[0]
        if is_seal(value):
            continue
        try:
            event = parse(value, Event)
        except ValueError:
            yield date.max
            continue
        if event.event == "published":
            yield event.date


def _differing(checkout: Path, before: str, after: str) -> list[str]:
    arguments = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after)
    return list(filter(None, git(checkout, *arguments).split("\0")))


def _is_sealed(path: str) -> bool:
    """Return whether a path is of a published snapshot, or of the store."""
    home, _, below = path.partition("/")
    name = below.partition("/")[0]
    return home == _HOME and (name.startswith("v") or name == registry_layout.STORE)


def _note(paths: list[str], problem: str, findings: Findings) -> None:
    for path in paths[:_MOST_LISTED]:
        findings.add(layout.ONE, one_line(path), problem, _REMEDY)
    if len(paths) > _MOST_LISTED:
        findings.add(layout.ONE, _HOME, f"{len(paths):,} files: {problem}", _REMEDY)
