"""How many of the models that people can call have a state here, and why the others have none.

The models are those of LiteLLM's table that take text and answer in text, so that they can judge.

Pure.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from epc.printable import some
from epc.records.model_names import key
from epc.registry.lists import table
from epc.registry.registry import Registry

_MODES: Final = ("chat", "responses", "completion")
# Names in these modes of what hears, speaks, draws, filters or only shows how to write a name.
_NO_JUDGE: Final = re.compile(
    r"\bft:|audio|realtime|tts\b|voxtral|transcri|ocr|embed|rerank|moderation|guard|safety|image"
    r"|\bflux|lyria|pegasus|\bsam-|robotics|/container$|-draft",
    re.IGNORECASE,
)
# Of several answers the one that says most.
_ORDER: Final = ("current", "expiring", "expired", "unconfirmed")
_EXAMPLES: Final = 5

NO_DAY: Final = "known, and no day of it is known on the platform that the id names"
NO_ROUTE: Final = "a known model behind a word that no rule knows"
VARIANT: Final = "the name of a known model with something after it: a host's build or setting"
NAMELESS: Final = "holds no model's name"
NOTHING: Final = "nothing is known by that name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many ids of a table have a state, by the state, and the others by the reason."""

    table: str
    ids: int
    states: dict[str, int]
    unknown: dict[str, tuple[str, ...]]

    @property
    def lines(self) -> Iterator[str]:
        """Yield it as text, with the first examples of each reason."""
        missing = sum(map(len, self.unknown.values()))
        share = (self.ids - missing) / max(self.ids, 1)
        by_state = ", ".join(f"{state} {n}" for state, n in self.states.items())
        yield (
            f"ids of {self.table} that can judge text: {self.ids}; with a state: "
            f"{self.ids - missing} ({share:.1%}): {by_state}; without: {missing}"
        )
        for reason, ids in self.unknown.items():
            yield f"  {len(ids)} {reason}: {some(ids, _EXAMPLES)}"


def judges(document: Any) -> list[str]:
    """Return the ids of LiteLLM's table that can judge text."""
    return [
        name
        for name, entry in table(document).items()
        if entry.mode in _MODES and name != "sample_spec" and not _NO_JUDGE.search(name)
    ]


def coverage(registry: Registry, document: Any, called: str, as_of: date) -> Coverage:
    """Return how many ids of a table have a state on a day."""
    ids = judges(document)
    states: Counter[str] = Counter()
    unknown: dict[str, list[str]] = {}
    for name in ids:
        stated = {state.status for state in registry.expiry([name], as_of)}
        if first := next((status for status in _ORDER if status in stated), None):
            states[first] += 1
        else:
            unknown.setdefault(_reason(registry, name), []).append(name)
    most = sorted(unknown.items(), key=lambda item: -len(item[1]))
    return Coverage(
        table=called,
        ids=len(ids),
        states={status: states[status] for status in _ORDER if states[status]},
        unknown={reason: tuple(names) for reason, names in most},
    )


def _reason(registry: Registry, name: str) -> str:
    """Say why a name has no state."""
    meaning = registry.names.meaning(name)
    if meaning.nameless:
        return NAMELESS
    if meaning.elsewhere or meaning.matches:
        return NO_DAY
    *_, last = registry.names.shortest(name).split("/")
    if registry.names.is_alike(last):
        return NO_ROUTE
    parts = re.split(r"[-:]", key(last))
    begun = ("-".join(parts[:many]) for many in range(len(parts) - 1, 0, -1))
    return VARIANT if any(registry.names.is_alike(each) for each in begun) else NOTHING
