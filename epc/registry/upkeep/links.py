"""Do the addresses that the registry and its documents name still answer?

An address is *gone* only where its server says so (404, 410), or where its host is no longer known.
Anything else, such as a refusal of machines or a slow answer, is *unclear* and nobody's task.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from epc.errors import WorldError
from epc.registry.registry import Registry

State = Literal["answers", "gone", "unclear"]
_LETTER: Final = r"[^\s<>()\[\]{}\"'`|\\]"
_ADDRESS: Final = re.compile(rf"https?://(?:{_LETTER}|\({_LETTER}*\))+")  # as in .../a_(b)
_DOCUMENTS: Final = ("*.md", "site/docs/**/*.md")
# Names that stand for no host (RFC 2606 and 6761).
_NOBODY: Final = re.compile(r"(^|\.)(example|example\.(com|net|org)|invalid|test|localhost)$")
_TIMEOUT: Final = 20
_AT_ONCE: Final = 8
_GONE: Final = (404, 410)
_WHO: Final = "epc-upkeep (looks once a day whether cited pages are there)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An address, where it stands, and what came of asking it."""

    address: str
    places: tuple[str, ...]
    state: State
    said: str


def addresses(checkout: Path, registry: Registry) -> dict[str, tuple[str, ...]]:
    """Return every address of the documents, the evaluators' records and the cards, with places."""
    by_address: dict[str, set[str]] = {}
    texts = [
        (path.relative_to(checkout).as_posix(), path.read_text("utf-8"))
        for pattern in _DOCUMENTS
        for path in checkout.glob(pattern)
    ]
    texts += [
        (f"evaluator {r['generation']}", _strings(r)) for r in registry.document["evaluators"]
    ]
    texts += [(e["card"]["tag"], _strings(e["card"])) for e in registry.document["snapshots"]]
    for place, text in texts:
        for match in _ADDRESS.findall(text):
            address = match.rstrip(".,;:!?*_")
            if _is_somebody(address):
                by_address.setdefault(address, set()).add(place)
    return {address: tuple(sorted(places)) for address, places in sorted(by_address.items())}


def ask_all(places_of: dict[str, tuple[str, ...]]) -> list[Link]:
    """Ask every address once, and those that gave no clear answer once more.

    Raises: WorldError if none answers at all: then it is the network that is gone.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        first = dict(zip(places_of, pool.map(_ask, places_of), strict=True))
        unclear = [address for address, (state, _) in first.items() if state != "answers"]
        first |= dict(zip(unclear, pool.map(_ask, unclear), strict=True))
    if places_of and not any(answer.isdigit() for _, answer in first.values()):
        raise WorldError(f"none of {len(places_of)} addresses answers\n  fix: look at the network")
    return [
        Link(address=address, places=places_of[address], state=state, said=answer)
        for address, (state, answer) in first.items()
    ]


def _ask(address: str) -> tuple[State, str]:
    """Return what an address answers: a status, or why there is none."""
    from http.client import HTTPException
    from socket import gaierror
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, build_opener

    request = Request(address, headers={"User-Agent": _WHO})  # noqa: S310  (http and https alone)
    try:
        with build_opener().open(request, timeout=_TIMEOUT) as answer:
            return "answers", str(answer.status)
    except HTTPError as error:
        error.close()
        return ("gone" if error.code in _GONE else "unclear"), str(error.code)
    except URLError as error:
        unknown = isinstance(error.reason, gaierror)
        return ("gone" if unknown else "unclear"), str(error.reason)
    except (OSError, HTTPException, ValueError) as error:
        return "unclear", str(error) or type(error).__name__


def _is_somebody(address: str) -> bool:
    """Return whether an address names a public host, and not one that only examples name."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host and not _NOBODY.search(host)


def _strings(document: Any) -> str:
    return "\n".join(_texts_in(document))


def _texts_in(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict | list):
        for value in node.values() if isinstance(node, dict) else node:
            yield from _texts_in(value)
