"""Checks of this machine: what it has for a measurement, and how to get what it lacks."""

import shutil
import socket
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import machine, python_version
from typing import Final
from urllib.parse import urlsplit

from epc.engine.local.weights import BASE
from epc.engine.providers import PROVIDERS
from epc.engine.remote import (
    NOT_ASCII,
    how_to_address,
    is_address,
    is_sendable,
    public_address,
)
from epc.errors import WorldError
from epc.extras import EXTRAS, install, lacking
from epc.version import __version__

_OLDEST: Final = (3, 11)
_EMBEDDED: Final = ("measure", "local")  # what a measurement with the embedded models takes
_CONNECT_S: Final = 0.5
_ROOM: Final = 500 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Result of one check. `needed`: the embedded measurement cannot do without."""

    subject: str
    ok: bool
    state: str
    fix: str
    needed: bool = True


def examine(environment: Mapping[str, str]) -> list[Check]:
    """Return every check, those that failed with what to do about it.

    Only names of environment variables appear, never their values.
    """
    return [
        Check(
            subject="epc",
            ok=sys.version_info >= _OLDEST,
            state=f"{__version__} on Python {python_version()}, {machine()}",
            fix=f"use Python {'.'.join(map(str, _OLDEST))} or newer",
        ),
        *(_extra(name) for name in EXTRAS),
        *([] if lacking("measure") else [_weights()]),
        _room(),
        *(_provider(name, environment) for name in PROVIDERS),
    ]


def _extra(name: str) -> Check:
    """Look at what an extra installs; nothing is imported."""
    if missing := lacking(name):
        state = f"not installed: {', '.join(missing)}"
    else:
        state = ", ".join(f"{package} {version(package)}" for package in EXTRAS[name])
    needed = name in _EMBEDDED
    return Check(
        subject=f"extra {name}", ok=not missing, state=state, fix=install(name), needed=needed
    )


def _weights() -> Check:
    fix, path = f"epc models fetch local/{BASE.name}", BASE.path()
    try:
        ok = BASE.present()
    except WorldError as error:
        return Check(subject=BASE.file, ok=False, state=str(error), fix=fix)
    state = str(path) if ok else f"not at {path}"
    return Check(subject=BASE.file, ok=ok, state=state, fix=fix)


def _room() -> Check:
    """Look at the disk that runs and private sockets are written to."""
    places = {str(Path.cwd()), tempfile.gettempdir()}
    free = min(shutil.disk_usage(path).free for path in places)
    return Check(
        subject="disk",
        ok=free >= _ROOM,
        state=f"{free // 2**20:,} MB free",
        fix=f"make room: a run wants up to {_ROOM // 2**20} MB",
    )


def _provider(name: str, environment: Mapping[str, str]) -> Check:
    provider = PROVIDERS[name]
    key, base = provider.key_variable, provider.base_variable
    address = provider.address(environment)
    if address is None:
        ok, state, fix = False, f"{provider.address_variable} is not set", how_to_address(provider)
    elif not is_address(address):
        ok, state, fix = False, f"the value of {base} is no address", f"set {base} to its address"
    elif provider.needs_key:
        ok, state = _key(key, environment)
        fix = f"set {key} to your key"
    else:
        ok, public = _listens(address), public_address(address)
        state = f"{'something answers' if ok else 'nothing listens'} at {public}"
        fix = f"start the server there, or set {base} to where it is"
    return Check(subject=f"provider {name}", ok=ok, state=state, fix=fix, needed=False)


def _key(variable: str, environment: Mapping[str, str]) -> tuple[bool, str]:
    """Return whether a variable holds what can be sent as a key, in words too."""
    key = environment.get(variable, "")
    if key and not is_sendable(key):
        return False, f"{variable} is no key: {NOT_ASCII}"
    return bool(key), f"{variable} is {'set' if key else 'not set'}"


def _listens(address: str) -> bool:
    """Try to connect to a self-hosted endpoint, without sending anything."""
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), _CONNECT_S).close()
    except OSError:
        return False
    return True
