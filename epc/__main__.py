"""`python -m epc` is the same program as `epc`."""

import gc
from typing import Final

from epc.cli import main as command

_ALLOCATIONS: Final = 100_000  # more new objects than importing makes


def main() -> None:
    """Carry one command out and end with it.

    Python looks for cyclic garbage every 700 new objects, and once more through everything when
    it ends. What importing makes is none, and what is left goes with the process: both looks
    together took a tenth of a second.
    """
    gc.set_threshold(_ALLOCATIONS)
    try:
        command()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
