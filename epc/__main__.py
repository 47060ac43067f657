"""`python -m epc` is the same program as `epc`."""

import gc
import signal
from types import FrameType
from typing import Final

from epc.cli import main as command

_ALLOCATIONS: Final = 100_000  # more new objects than importing makes


def _stop(_: int, frame: FrameType | None) -> None:
    """End as after Ctrl-C, which asyncio may have a handler for, and a shell may have hidden."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def main() -> None:
    """Carry one command out and end with it.

    Python looks for cyclic garbage every 700 new objects, and once more through everything when
    it ends. What importing makes is none, and what is left goes with the process: both looks
    together took a tenth of a second.
    """
    gc.set_threshold(_ALLOCATIONS)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` has hidden the second one
            signal.signal(number, _stop)
    try:
        command()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
