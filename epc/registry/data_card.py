"""The card that stands beside the tables: a README whose header Hugging Face's `datasets` reads."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from epc.registry.card_types import MeasuredCard, ObservedCard
from epc.registry.layout import DATA_LICENCE
from epc.registry.registry import Registry
from epc.registry.tables import TABLES

if TYPE_CHECKING:
    from epc.registry.data import Table, Withheld

_SIZES: Final = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
_SAYS: Final = {
    "snapshots": "one row a snapshot: who was measured, when, the audit's word, its state",
    "figures": "one row a published figure, with its interval and all that `snapshots` says",
    "verdicts": "one row a verdict that others recorded, or that a measurement asked for",
    "trials": "one row a round of every measured snapshot",
}
_DEFAULT: Final = "figures"


def text(
    tables: Sequence["Table"], registry: Registry, as_of: date, absent: Sequence["Withheld"]
) -> str:
    """Return the card of some tables."""
    import yaml

    header = yaml.safe_dump(_header(tables, registry), sort_keys=False)
    lines = [
        "# EPC registry",
        "",
        (
            "How far a judging model's preferences move the strategy weights of the agent that "
            "learns from it: figures, verdicts and trials."
        ),
        f"States are those of {as_of.isoformat()}.",
        (
            "gamma has no built-in zero, and a failed run has a gamma near zero: read `audit`, "
            "`failed` and `state` before you use a figure."
        ),
        "",
        *(f"- `{table.path}`, {table.rows:,} rows: {_SAYS[table.name]}" for table in tables),
        "",
        "`SHA256SUMS` has the digests. Each row names its snapshot (`tag`), each verdict its",
        "`source` and `licence`. Cite the snapshot's id.",
    ]
    if absent:
        count = sum(part.verdicts for part in absent)
        lines += ["", f"{count:,} recorded verdicts are not here. Their licence keeps them with"]
        lines += ["their source:", ""]
        lines += [f"- {part.source}, licence {part.licence}: {part.verdicts:,}" for part in absent]
    for table in tables:
        lines += ["", f"## {table.name}", "", "| column | type | what it holds |", "|---|---|---|"]
        lines += [f"| `{n}` | {kind} | {says} |" for n, (kind, says) in TABLES[table.name].items()]
    return f"---\n{header}---\n" + "\n".join(lines) + "\n"


def licences(registry: Registry) -> list[str]:
    """Return the licences of all that the tables hold, as in SPDX."""
    cards = [snapshot.card for snapshot in registry.snapshots.values()]
    own = {card.licence for card in cards if isinstance(card, MeasuredCard)}
    recorded = {card.licence for card in cards if isinstance(card, ObservedCard) and card.kept}
    return sorted(own | recorded | {DATA_LICENCE})


def _header(tables: Sequence["Table"], registry: Registry) -> Mapping[str, Any]:
    """Return the header; each table is a configuration of its own, with its one file."""
    digits = len(str(sum(table.rows for table in tables)))
    return {
        "pretty_name": "EPC registry",
        "language": ["en"],
        "license": [licence.lower() for licence in licences(registry)],
        "annotations_creators": ["machine-generated"],
        "size_categories": [_SIZES[max(0, digits - 3)]],
        "tags": ["llm-as-a-judge", "evaluation", "preference-coupling", "evaluator-drift"],
        "configs": [
            {
                "config_name": table.name,
                "data_files": [{"split": "train", "path": table.path}],
                **({"default": True} if table.name == _DEFAULT else {}),
            }
            for table in tables
        ],
    }
