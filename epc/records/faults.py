"""Effects of known faults on the figures that they touch: the table of params.yaml."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

# A mark stands beside each print of the figure; `rename` says that its people were one person;
# what is forbidden is not stated of the model.
Effect = Literal["mark", "rename", "forbid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultEffect:
    """Effect of a known fault on the figures of the settings whose names fit `touches`.

    `says` is the fault in a few words, and `so` a sentence on what follows for figures. `may_not`
    is the sentence that it forbids.
    """

    id: str
    touches: tuple[str, ...]
    effect: Effect
    says: str
    may_not: str
    so: str = ""

    def is_in(self, settings: Iterable[str]) -> bool:
        """Return whether it touches figures of some settings."""
        return any(fnmatchcase(name, pattern) for name in settings for pattern in self.touches)
