"""Reference Snapshot v1.0: Tables 1 to 3 of the paper, row by row, with the state of a day."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from epc.printable import aligned
from epc.protocol.results import Json
from epc.registry.expiry import Expiry
from epc.registry.figures import figures, reading_of
from epc.registry.record import Fault
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot

PAPER: Final = "arXiv:2607.00297"
_LABEL: Final = re.compile(r"^(N =|gamma|zero-coupling|JSD|PCI|accuracy|ECE|Brier) ")
_VISUAL: Final = "gamma, text to visual"
# What a table is, and what its columns are called.
TABLES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "Table 1": (
        "evaluators of other makers, May to June 2026, R = 30",
        ("evaluator", "version", "N", _VISUAL, "zero-coupling rate"),
    ),
    "Table 2": (
        "repeated through other gateways, all on 2026-06-27",
        ("condition", "N", _VISUAL, "JSD there, and back"),
    ),
    "Table 3": (
        "calibration, each with its standard deviation",
        ("condition", "PCI", "accuracy", "ECE", "Brier"),
    ),
}
VALIDITY: Final = (
    "Measured from 2026-05-27 to 2026-06-27, each value of one version of one model. GPT-4o was "
    "asked through the gateways api2d and DMXAPI, never at OpenAI; the two Qwen rows are of two "
    "models. Check that a version is still served before you use its row (EPC-3.1)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRow:
    """A row of the paper's tables: its cells as printed, its snapshot, and its state on a day."""

    place: str
    cells: tuple[str, ...]
    snapshot: Snapshot
    state: Expiry

    @property
    def table(self) -> str:
        """Which table it stands in."""
        return self.place.partition(",")[0]

    @property
    def short(self) -> str:
        """The same place as numbers: `1.4`."""
        return ".".join(re.findall(r"\d+", self.place))

    @property
    def reading(self) -> str:
        """What the paper's section 5.2 makes of its gamma; nothing where it has none."""
        gammas = (f for f in figures(self.snapshot.figures) if f.name.startswith("gamma/"))
        return next((reading_of(self.snapshot, gamma) for gamma in gammas), "")

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is known to be wrong with it."""
        return self.snapshot.card.known_faults

    def as_json(self) -> Json:
        """Return the row as plain JSON."""
        return {
            "place": self.place,
            "tag": str(self.snapshot.tag),
            "printed": list(self.cells),
            "figures": self.snapshot.figures,
            "epc_5_2": self.reading or None,
            "status": self.state.status,
            "reason": self.state.reason,
            "known_faults": [{"id": fault.id, "says": fault.says} for fault in self.faults],
        }


def reference_rows(registry: Registry, as_of: date) -> list[ReferenceRow]:
    """Return the rows of the reference snapshot in the paper's order."""
    rows = [
        ReferenceRow(
            place=citation.place,
            cells=tuple(_LABEL.sub("", cell) for cell in citation.as_printed.split(" | ")),
            snapshot=snapshot,
            state=registry.of_tag(tag, as_of),
        )
        for tag, snapshot in registry.snapshots.items()
        if (citation := snapshot.card.citation) and citation.work.startswith(PAPER)
    ]
    return sorted(rows, key=lambda row: row.place)


def reference_text(rows: list[ReferenceRow]) -> str:
    """Return the reference snapshot as the paper prints it, each row with its state."""
    parts = [f"Reference Snapshot v1.0 ({PAPER}, section 3)", VALIDITY]
    for name, (title, head) in TABLES.items():
        own = [row for row in rows if row.table == name]
        read = ("by EPC-5.2",) if any(row.reading for row in own) else ()
        cells = [
            (*row.cells, *([row.reading] if read else []), str(row.snapshot.tag), row.state.words)
            for row in own
        ]
        table = aligned([(*head, *read, "snapshot", "state"), *cells])
        parts.append("\n".join([f"{name}: {title}", *table]))
    places: dict[str, list[str]] = {}
    for row in rows:
        for fault in row.faults:
            places.setdefault(fault.says, []).append(row.short)
    faults = (f"  {', '.join(where)}: {says}" for says, where in places.items())
    return "\n\n".join([*parts, "\n".join(["Known faults, by table and row", *faults])])
