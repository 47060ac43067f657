"""What a folder holds, of whichever kind, and what is wrong with a document of it."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from epc.errors import Finding
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import disagreements
from epc.registry.kinds.table import KINDS
from epc.registry.layout import CARD, FIGURES
from epc.registry.record import Record
from epc.registry.snapshots import Snapshot

CLAUSE: Final = "EPC-4"
RESTORE: Final = "restore it with `git checkout`; publish the next snapshot to correct one"


def kind_of(folder: Path) -> str:
    """Return what a folder holds: the kind whose first document it has, a run if there is none."""
    for name in reversed(list(KINDS)):  # of two documents the stranger one decides
        for document in KINDS[name].documents[:1]:
            try:
                if stat.S_ISREG((folder / document).lstat().st_mode):
                    return name
            except OSError:
                continue
    return "measured"


def read_document(path: Path, schema: str) -> tuple[Any, list[Finding]]:
    """Return a document of a folder, and what is wrong with it, each at its place in the folder."""
    where = f"/{path.name}"
    if not path.is_file():
        return None, [departure(where, "is missing")]
    value, problems = strict_json.read(path)
    wrong = problems or schema_findings(schema, value, clause=CLAUSE)
    return value, [departure(f"{where}{f.where}", f.problem) for f in wrong]


def departure(where: str, problem: str) -> Finding:
    """Return a finding of a published folder."""
    return Finding(clause=CLAUSE, where=where, problem=problem, remedy=RESTORE)


def changed_figures(snapshot: Snapshot, now: Json) -> list[str]:
    """Return which published figures are not what was computed again."""
    return [f"/{FIGURES}/figures{where}" for where in disagreements(snapshot.figures, now)]


def unlike(card: Record, right: Record, document: str) -> Iterator[Finding]:
    """Yield where a published card is not the one that its own document gives."""
    stated = card.as_json()
    for key, value in right.as_json().items():
        if stated[key] != value:
            yield departure(f"/{CARD}/{key}", f"is not what {document} says")
