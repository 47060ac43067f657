"""The EPC registry: measure evaluator preference coupling, with the noise beside every number.

`epc.run`, `epc.resume`, `epc.load`, `epc.snapshots`, `epc.figures`, `epc.which` and `epc.Design`
are loaded when they are first used, so that `import epc` costs nothing.
"""

from typing import TYPE_CHECKING, Any

from epc.version import __version__

if TYPE_CHECKING:
    from epc.api import Campaign, Design, Run, figures, load, resume, run, snapshots, which

__all__ = [
    "Campaign",
    "Design",
    "Run",
    "__version__",
    "figures",
    "load",
    "resume",
    "run",
    "snapshots",
    "which",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from epc import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
