"""Opening a registry: a checkout's folders, or the published document from a file or an address.

Where there is neither, the document as it was when the package was built: `setup.py` puts it there.

Reading is quick and trusts what is there, so that a list of thousands takes no time; whether it may
be trusted is what `epc snapshot verify` and `epc admin evaluators check` say.
"""

import gzip
import json
import marshal
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from epc.errors import Finding, MalformedError, UsageError, WorldError
from epc.json_text import lines_of
from epc.protocol.results import Json
from epc.records.checkout import ROOT
from epc.records.earlier import is_seal
from epc.records.faults import FaultEffect
from epc.records.typed import as_json, parse
from epc.registry import layout
from epc.registry.registry import Registry
from epc.registry.snapshots import Event
from epc.registry.store import WEB, fetch
from epc.registry.tags import Tag

NAMED: Final = "--registry PATH or URL"
SHIPPED: Final = Path(__file__).with_name("registry.json.gz")

# What this process opened last, with its document: most commands and calls ask the same one again.
_LAST: Final[list[tuple[Any, Registry]]] = []

# Ages of the policy that may be missing.
_FURTHER_AGES: Final = ("confirmation_days", "maximum_age_fixed_days")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameters:
    """The part of params.yaml that says what known faults do to figures."""

    faults: tuple[FaultEffect, ...] = ()


def open_registry(location: str | None) -> Registry:
    """Return the registry at a folder, a file or an address.

    Without one it is the checkout around us, or else what the package brought along, or the
    checkout that the program runs from.

    Raises: UsageError if there is none; MalformedError if it cannot be read; WorldError if the
    disk or the network fails.
    """
    if location is None:
        try:
            return of_folder(find_checkout(Path.cwd()))
        except UsageError:
            if SHIPPED.is_file():
                return shipped(SHIPPED)
            return of_folder(nearest_checkout(NAMED))
    if location.startswith(WEB):
        return _registry(_fetched(location), location)
    path = Path(location)
    if path.is_dir() and (path / layout.PUBLISHED).is_file():
        path /= layout.PUBLISHED
    if path.is_file():
        return _registry(_json(path), location)
    return of_folder(find_checkout(path, up=False, option=NAMED))


def shipped(path: Path) -> Registry:
    """Return the registry of a package's own file, which ends on the last day that it knows of."""
    opened = _registry(_parsed(gzip.decompress(path.read_bytes()), path), str(path))
    return replace(opened, listed=opened.last_day)


def known_seals() -> dict[str, str]:
    """Return the digests with which snapshots were published, as far as they are known right here.

    That is from the checkout around us, or else from the package, or the checkout that the program
    runs from; what another place says of these snapshots is held against them.
    """
    try:
        around = find_checkout(Path.cwd()) if SHIPPED.is_file() else nearest_checkout()
        home = around / layout.FOLDER
        rows = [row for row in _lines(home / layout.EVENTS) if not is_seal(row)]
        events = [parse(row, Event) for row in rows]
    except UsageError:
        events = list(shipped(SHIPPED).events) if SHIPPED.is_file() else []
    except ValueError as error:
        raise malformed(layout.EVENTS, f"no event: {error}") from error
    return {event.tag: event.sha256 for event in events if event.event == "published"}


def find_checkout(start: Path, *, up: bool = True, option: str | None = None) -> Path:
    """Return the folder that holds `snapshots/`: this one or, going up, one around it.

    Raises: UsageError if there is none; it names the `option` that the command has for one.
    """
    for folder in (start, *start.absolute().parents) if up else (start, start.parent):
        if (folder / layout.FOLDER / layout.EVALUATORS).is_dir():
            return folder
    hint = f", or name one with {option}" if option else ""
    raise UsageError(f"there is no registry at {start}\n  fix: go to a checkout of it{hint}")


def nearest_checkout(option: str | None = None) -> Path:
    """Return the checkout around us, or else the one that the program runs from, to be read.

    Raises: UsageError if there is none; it names the `option` that the command has for one.
    """
    program_checkout = ROOT
    if (program_checkout / layout.FOLDER / layout.EVALUATORS).is_dir():
        with suppress(UsageError):
            return find_checkout(Path.cwd())
        return program_checkout
    return find_checkout(Path.cwd(), option=option)


def of_folder(checkout: Path) -> Registry:
    """Return the registry of a checkout.

    Raises: MalformedError if a document cannot be used; WorldError if one cannot be read.
    """
    return _registry(document(checkout), str(checkout))


def document(checkout: Path) -> Json:
    """Return a checkout's registry as the one document that the site publishes."""
    home = checkout / layout.FOLDER
    anew, intervals = audits(checkout), today_intervals(checkout)
    published = _by_tag(home / layout.SOURCES, "sources")
    listed = home / layout.EVALUATORS / layout.CATALOGUE
    compared, agreed = home / layout.CHOICES, home / layout.AGREEMENTS
    return {
        "evaluators": [_json(p) for p in sorted((home / layout.EVALUATORS).glob("*.json"))],
        "snapshots": [
            {
                "card": _part(f"{p}/{layout.CARD}", "tag"),
                "figures": _part(f"{p}/{layout.FIGURES}", "figures")["figures"],
                **({"audited_anew": anew[p.name]} if p.name in anew else {}),
                **({"intervals_anew": intervals[p.name]} if p.name in intervals else {}),
                **({"published": published[p.name]} if p.name in published else {}),
            }
            for p in folders(checkout)
        ],
        "events": [row for row in _lines(home / layout.EVENTS) if not is_seal(row)],
        "policy": policy(checkout),
        **({"faults": faults} if (faults := fault_effects(checkout)) else {}),
        **({"catalogue": _text(listed)} if listed.is_file() else {}),
        **({"choices": _json(compared)} if compared.exists() else {}),
        **({"agreements": _json(agreed)} if agreed.exists() else {}),
    }


def audits(checkout: Path) -> Json:
    """Return what today's rule says of the snapshots that were published under an older one."""
    return _by_tag(checkout / layout.FOLDER / layout.AUDITS, "audits")


def today_intervals(checkout: Path) -> Json:
    """Return today's intervals of the snapshots that were published under an older rule."""
    return _by_tag(checkout / layout.FOLDER / layout.INTERVALS, "intervals")


def _by_tag(path: Path, what: str) -> Json:
    value = _json(path) if path.exists() else {}
    if not isinstance(value, dict):
        raise malformed(path, f"holds no {what} by their tags")
    return value


def folders(checkout: Path) -> list[Path]:
    """Return the snapshots' folders."""
    home = checkout / layout.FOLDER
    with os.scandir(home) as entries:
        names = [entry.name for entry in entries if entry.name.startswith("v") and entry.is_dir()]
    return [home / name for name in sorted(names)]


def used_tags(checkout: Path, registry: Registry) -> list[Tag]:
    """Return every id that a checkout has a folder for, or ever told of."""
    return [Tag.parse(name) for name in (*(f.name for f in folders(checkout)), *registry.by_tag)]


def policy(checkout: Path) -> Json:
    """Return the expiry policy of `params.yaml`.

    Raises: MalformedError if it says nothing usable.
    """
    import yaml

    path = checkout / layout.POLICY
    try:
        settings: Any = yaml.safe_load(_text(path))["expiry"]
        ages = {key: settings[key] for key in ("maximum_age_days", "notice_days")}
        ages |= {key: settings[key] for key in _FURTHER_AGES if key in settings}
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise malformed(path, f"no expiry policy: {error!r}") from error
    if not all(type(days) is int and days >= 0 for days in ages.values()):
        raise malformed(path, "a number of days must be a whole number, 0 or more")
    return ages


def fault_effects(checkout: Path) -> list[Json]:
    """Return what `params.yaml` says of the effects of known faults.

    Raises: MalformedError if it is no list of them.
    """
    import yaml

    path = checkout / layout.POLICY
    try:
        parameters = parse(yaml.safe_load(_text(path)), _Parameters)
    except (yaml.YAMLError, LookupError, AttributeError, TypeError, ValueError) as error:
        raise malformed(path, f"no effects of faults: {error!r}") from error
    return [as_json(effect) for effect in parameters.faults]


def _registry(value: Any, where: str) -> Registry:
    """Return a document's registry; what is missing or misspelt in it is the document's fault."""
    for document, opened in _LAST:
        # As bytes, which tell 1, 1.0 and true apart: in Python these are equal.
        if marshal.dumps(document, 2) == marshal.dumps(value, 2):
            return opened
    try:
        registry = Registry.from_document(value)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        lacks = f"it lacks {error}" if isinstance(error, KeyError) else repr(error)
        raise malformed(where, f"not a registry: {lacks}") from error
    _LAST[:] = [(value, registry)]
    return registry


def _fetched(address: str) -> Any:
    """Return the document at an address; a folder's address means its `registry.json`."""
    if not address.endswith(".json"):
        address = f"{address.rstrip('/')}/{layout.PUBLISHED}"
    return _parsed(fetch(address), address)


def _json(path: Path | str) -> Any:
    return _parsed(_text(path), path)


def _part(path: Path | str, key: str) -> Any:
    """Return a document of a snapshot, which has at least a key."""
    value = _json(path)
    if not isinstance(value, dict) or key not in value:
        raise malformed(path, f"holds no {key}")
    return value


def _lines(path: Path) -> Iterator[Any]:
    if path.exists():
        for number, line in enumerate(lines_of(_text(path)), start=1):
            yield _parsed(line, f"{path}:{number}")


def _parsed(text: str | bytes, where: Path | str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise malformed(where, f"not JSON: {error}") from error


def _text(path: Path | str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (thousands of paths cost more than the files)
            return file.read().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise WorldError(
            f"cannot read {path}: {error}\n  fix: `epc snapshot verify` lists what is missing"
        ) from error


def malformed(where: Path | str, problem: str) -> MalformedError:
    """Return the error that a document of a registry cannot be used."""
    remedy = "see `epc snapshot verify` and `epc admin evaluators check`"
    return MalformedError(Finding(clause="EPC-4", where=str(where), problem=problem, remedy=remedy))
