"""Address of the registry's repository on the web, if anybody has said so."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from epc.errors import Finding, MalformedError, WorldError, able_to
from epc.registry import layout
from epc.registry.history import git

SETTING: Final = "repository"
_BRANCH: Final = "main"
_GITHUB: Final = "github.com"
_GITLAB: Final = "gitlab.com"
_SCP: Final = re.compile(r"(?:[^@/:]+@)?([^@/:]+\.[^@/:]+):([^:]+)")  # git@host:owner/name
_WEB: Final = ("https", "http")
_CARRIED: Final = ("ssh", "git", "git+ssh")  # read by git, and shown by the same host on the web
# Nothing that a page or a shell would take for anything but an address.
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\]")
_PATH: Final = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository on the web.

    `address` has no final slash and no credentials. `issues` and `edit`, an address below which
    files of the main branch are edited, are empty where nobody knows how its host calls them.
    """

    address: str
    issues: str
    edit: str

    @property
    def name(self) -> str:
        """The owner and the name."""
        return urlsplit(self.address).path.removeprefix("/")


def repository(checkout: Path, environment: Mapping[str, str]) -> Repository | None:
    """Return a checkout's repository on the web, or None where nobody says which one it is.

    A workflow says it in GITHUB_SERVER_URL and GITHUB_REPOSITORY; else git's remote `origin` does;
    else `repository` in params.yaml.

    Raises: MalformedError if params.yaml is none, or names no address; WorldError if it cannot be
    read.
    """
    server, name = (environment.get(f"GITHUB_{key}", "") for key in ("SERVER_URL", "REPOSITORY"))
    if server and name and (address := web_address(f"{server}/{name}")):
        return _repository_at(address, is_github=True)
    address = web_address(_origin(checkout)) or _address_in_settings(checkout)
    return _repository_at(address) if address else None


def web_address(remote: str) -> str | None:
    """Return a git remote's address on the web, without credentials and `.git`.

    None for a path of this machine, for a name that means this machine, and for what is no
    address at all: an alias of somebody's ssh configuration, for instance.
    """
    if scp := _SCP.fullmatch(remote):
        remote = f"ssh://{scp[1]}/{scp[2].removeprefix('/')}"
    try:
        parts = urlsplit(remote)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return None
    host = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix(".git").rstrip("/")
    is_plain = _HOST.fullmatch(host) and _PATH.fullmatch(path)
    if not is_plain or parts.query or parts.fragment or _is_here(host):
        return None
    if parts.scheme in _WEB:
        return f"{parts.scheme}://{host}{f':{port}' if port else ''}{path}"
    if parts.scheme in _CARRIED and "." in host:
        return f"https://{host}{path}"  # the port is that of ssh
    return None


def _is_here(host: str) -> bool:
    """Return whether a host is no other machine than whoever reads this sits at."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _origin(checkout: Path) -> str:
    """Return the remote that a checkout was cloned from, empty where there is none.

    Of a folder inside another repository, which has a remote too, it is not said.
    """
    try:
        if git(checkout, "rev-parse", "--show-prefix").strip():
            return ""
        return git(checkout, "config", "--local", "--get", "remote.origin.url").strip()
    except WorldError:
        return ""


def _address_in_settings(checkout: Path) -> str | None:
    import yaml

    path = checkout / layout.POLICY
    try:
        with able_to("read", path):
            settings: Any = yaml.safe_load(path.read_text("utf-8"))
        remote = settings.get(SETTING)
    except (yaml.YAMLError, AttributeError, UnicodeDecodeError) as error:
        raise _malformed(path, "no settings") from error
    if remote is None:
        return None
    address = web_address(remote) if isinstance(remote, str) else None
    if address is None:
        raise _malformed(path, f"{SETTING}: {remote!r} is no address on the web")
    return address


def _malformed(path: Path, problem: str) -> MalformedError:
    remedy = f"write `{SETTING}: https://HOST/OWNER/NAME`, or leave it null"
    return MalformedError(Finding(clause="EPC-4", where=str(path), problem=problem, remedy=remedy))


def _repository_at(address: str, *, is_github: bool = False) -> Repository:
    host = urlsplit(address).hostname
    if is_github or host == _GITHUB:
        below = address
    elif host == _GITLAB:
        below = f"{address}/-"
    else:
        return Repository(address=address, issues="", edit="")
    return Repository(address=address, issues=f"{below}/issues", edit=f"{below}/edit/{_BRANCH}")
