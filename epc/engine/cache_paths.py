"""Where this program keeps what outlives a run."""

import os
from pathlib import Path
from typing import Final

CACHE_VARIABLE: Final = "EPC_CACHE_DIR"


def cache_folder() -> Path:
    """Return the folder for everything that can be had again: weights and answers."""
    if moved := os.environ.get(CACHE_VARIABLE):
        return Path(moved)
    from platformdirs import user_cache_path

    return user_cache_path("epc")


def weights_folder() -> Path:
    """Return the folder of the embedded weights."""
    return cache_folder() / "weights"


def answer_cache_folder() -> Path:
    """Return the folder of answers that are kept across runs."""
    return cache_folder() / "answers"
