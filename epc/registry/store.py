"""Places that a registry's files are read from, and the store of raw files for `dvc pull`.

A registry is a folder, or a web server that publishes it. The store is a content-addressed folder
in DVC's own layout. A folder is an object too: a list of its files with their MD5, named by its own
MD5 and `.dir`. MD5 is what DVC names things by; what proves a file is the SHA-256 of SHA256SUMS.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Final

from epc.digests import sha256
from epc.errors import Finding, MalformedError, WorldError, able_to
from epc.records.strict_json import write_bytes
from epc.registry import layout

Read = Callable[[str], bytes]

_POINTER: Final = """outs:
- md5: {md5}.dir
  size: {size}
  nfiles: {files}
  hash: md5
  path: raw
"""
# Nothing else may stand there: DVC would run a `cmd:`, or ask a `remote:` for the files.
_POINTED: Final = re.compile(
    re.escape(_POINTER)
    .replace(r"\{md5\}", "([0-9a-f]{32})")
    .replace(r"\{size\}", "[0-9]{1,15}")
    .replace(r"\{files\}", "([0-9]{1,9})")
)
_MD5: Final = re.compile(r"[0-9a-f]{32}")
# A file's path below a folder: no part of it is empty, hidden, or leads out of the folder.
_PART: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_PATH: Final = re.compile(rf"{_PART}(/{_PART})*")


def md5(content: bytes) -> str:
    """Return the name that DVC gives to a content."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def place_of(name: str) -> str:
    """Return where an object lies in the store, as DVC lays it out."""
    return f"files/md5/{name[:2]}/{name[2:]}"


def put(store: Path, contents: Mapping[str, bytes]) -> str:
    """Keep a folder's files, and return the text of the pointer to them.

    Each object is written whole or not at all, the list of them last, so that what a crash leaves
    is at worst unreferenced. What is there already and sound stays untouched.

    Raises: WorldError if the disk fails.
    """
    names = {path: md5(content) for path, content in contents.items()}
    listing = [{"md5": names[path], "relpath": path} for path in sorted(names)]
    folder = json.dumps(listing, sort_keys=True).encode()
    name = f"{md5(folder)}.dir"
    for path, content in contents.items():
        _write(store / place_of(names[path]), content)
    _write(store / place_of(name), folder)
    size = sum(map(len, contents.values()))
    return _POINTER.format(md5=md5(folder), size=size, files=len(contents))


def _write(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, [content])


def listed(pointer: str, read: Read) -> dict[str, str]:
    """Return the objects of the folder that a pointer names, by the files' paths.

    Raises: MalformedError if the pointer or the list cannot be used; what `read` raises.
    """
    match = _POINTED.fullmatch(pointer)
    if not match:
        problem = (
            "is not one folder of the store, `raw`, and nothing else: DVC would do what it says"
        )
        raise _malformed(layout.POINTER, problem)
    blob_path = place_of(f"{match[1]}.dir")
    content = read(blob_path)
    if md5(content) != match[1]:
        raise _malformed(blob_path, "is not what its name says")
    files = {entry["relpath"]: entry["md5"] for entry in json.loads(content)}
    strange = [p for p in files if not _PATH.fullmatch(p) or not _MD5.fullmatch(files[p])]
    if strange:
        raise _malformed(blob_path, f"names a file {strange[0]!r}")
    if int(match[2]) != len(files):
        raise _malformed(layout.POINTER, f"says {match[2]} files, the store has {len(files)}")
    return files


def fetched(
    pointer: str, sums: Mapping[str, str], read: Read, names: Collection[str] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield each raw file that a pointer names, once its SHA-256 is the published one.

    With `names` only these.

    Raises: MalformedError at the first file that is not as it was published.
    """
    files = listed(pointer, read)
    wanted = {path.removeprefix("raw/"): sums[path] for path in sums if path.startswith("raw/")}
    if set(files) != set(wanted):
        raise _malformed(layout.POINTER, "names other files than SHA256SUMS")
    for path, name in sorted(files.items()):
        if names is not None and path not in names:
            continue
        blob_path = place_of(name)
        content = read(blob_path)
        if (digest := sha256(content)) != wanted[path]:
            raise _malformed(
                blob_path, f"is raw/{path} with SHA-256 {digest}, published {wanted[path]}"
            )
        yield path, content


def _malformed(where: str, problem: str) -> MalformedError:
    remedy = "fetch it from another place, and report this one"
    return MalformedError(Finding(clause="EPC-4", where=where, problem=problem, remedy=remedy))


_TIMEOUT: Final = 60  # seconds that a server may be silent
_LONGEST: Final = 600  # seconds that a whole answer may take
_LARGEST: Final = 512 * 2**20  # bytes; ten thousand snapshots have a document of 100 MB
_CHUNK: Final = 2**20
WEB: Final = ("http://", "https://")


def reader(location: str) -> Callable[[str], bytes]:
    """Return what reads a file below a place by its relative path.

    It raises WorldError where there is none, or the disk or the network fails.
    """

    def read(path: str) -> bytes:
        if location.startswith(WEB):
            return fetch(f"{location.rstrip('/')}/{path}")
        file = Path(location) / path
        with able_to("read", file, fix="name a place that has it with --from or --store"):
            return file.read_bytes()

    return read


def fetch(address: str) -> bytes:
    """Return what an address answers.

    Raises: WorldError if it does not, in a time and a size that no honest answer exceeds.
    """
    from http.client import HTTPException
    from urllib.request import urlopen

    until, content = monotonic() + _LONGEST, b""
    try:
        with urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310  (http and https alone)
            while part := answer.read1(_CHUNK):
                content += part
                if len(content) > _LARGEST:
                    raise ValueError(f"more than {_LARGEST:,} bytes")  # noqa: TRY301
                if monotonic() > until:
                    raise ValueError(f"not all of it in {_LONGEST} s")  # noqa: TRY301
            return content
    except (OSError, HTTPException, ValueError) as error:
        raise WorldError(
            f"cannot read {address}: {error}\n  fix: check the address, or try again later"
        ) from error
