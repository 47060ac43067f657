"""Weights in a safetensors file: a table of contents, then numbers. Nothing in it is ever run."""

import json
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

_KINDS: Final = {"F32": np.float32, "F16": np.float16}


def read(file: Path) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a file by their names, those of other kinds than F32 and F16 left out.

    Source: the safetensors format, version 0.4.
    """
    content = file.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        kind = _KINDS.get(entry.get("dtype", ""))
        if kind is None:
            continue
        begin, to = entry["data_offsets"]
        count = (to - begin) // np.dtype(kind).itemsize
        numbers = np.frombuffer(content, kind, count=count, offset=start + begin)
        tensors[name] = numbers.reshape(entry["shape"]).astype(np.float32, copy=False)
    return tensors
