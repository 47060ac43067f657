"""The EPC registry: measure evaluator preference coupling, with the noise beside every number.

What `__all__` names is loaded when it is first used, so that `import epc` costs nothing.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from epc.version import __version__

if TYPE_CHECKING:
    from epc.api import loop
    from epc.api.auditing import Audited, audit
    from epc.api.loop import selection, transfer
    from epc.api.measured import Campaign, Run
    from epc.api.measuring import resume, run
    from epc.api.opening import load
    from epc.api.published import expiry, figures, judges, scan, snapshots, which
    from epc.api.pytest_plugin import assert_judge_agreement
    from epc.records.designs import Design

__all__ = [
    "Audited",
    "Campaign",
    "Design",
    "Run",
    "__version__",
    "assert_judge_agreement",
    "audit",
    "expiry",
    "figures",
    "judges",
    "load",
    "loop",
    "resume",
    "run",
    "scan",
    "selection",
    "snapshots",
    "transfer",
    "which",
]
_HOMES: Final = {
    "Audited": "epc.api.auditing",
    "Campaign": "epc.api.measured",
    "Design": "epc.records.designs",
    "Run": "epc.api.measured",
    "assert_judge_agreement": "epc.api.pytest_plugin",
    "audit": "epc.api.auditing",
    "expiry": "epc.api.published",
    "figures": "epc.api.published",
    "judges": "epc.api.published",
    "load": "epc.api.opening",
    "loop": "epc.api.loop",
    "resume": "epc.api.measuring",
    "run": "epc.api.measuring",
    "scan": "epc.api.published",
    "selection": "epc.api.loop",
    "snapshots": "epc.api.published",
    "transfer": "epc.api.loop",
    "which": "epc.api.published",
}


class _Package(ModuleType):
    """This package: a name of `_HOMES` stays what it says, and is no room of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return home if home.__name__.endswith(f".{name}") else getattr(home, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
