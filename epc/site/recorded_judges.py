"""Observed snapshots of one source, side by side: what a snapshot of one judge cannot say alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from epc.analysis.observed import beside
from epc.analysis.observed_rows import Choices
from epc.records.observed.columns import joined
from epc.records.observed.reading import read
from epc.records.observed.types import Setting
from epc.records.typed import parse
from epc.registry.card_types import ObservedCard, Origin
from epc.site.pages import Recorded, SnapshotPage


def with_recorded(pages: Sequence[SnapshotPage]) -> Iterator[SnapshotPage]:
    """Yield the pages; an observed snapshot's has the other judges of the same source and commit.

    They are those whose verdicts are kept here, and that were not withdrawn.
    """
    by_source: dict[Origin, list[SnapshotPage]] = {}
    for page in pages:
        if isinstance(page.card, ObservedCard) and _verdicts_of(page) and not page.withdrawn:
            by_source.setdefault(page.card.origin, []).append(page)
    by_tag: dict[str, Recorded] = {}
    for several in by_source.values():
        if len(several) > 1:
            by_tag |= dict(_beside(several))
    for page in pages:
        yield replace(page, recorded=by_tag.get(page.row.tag))


def _verdicts_of(page: SnapshotPage) -> Path | None:
    return next((path for name, path in page.raw.items() if name.startswith("verdicts.")), None)


def _beside(pages: Sequence[SnapshotPage]) -> Iterator[tuple[str, Recorded]]:
    """Yield what the verdicts of all say of each; of a setting published twice the latest count."""
    settings, parts = dict[str, Setting](), []
    same, owner = dict[str, str](), dict[str, str]()
    for page in reversed(pages):
        path = _verdicts_of(page)
        header, verdicts, _ = read(path) if path else (None, None, None)
        if header is None or verdicts is None or header.settings.keys() & settings.keys():
            continue
        parts.append(verdicts)
        settings |= header.settings
        owner |= dict.fromkeys(header.settings, page.row.tag)
        same |= parse(page.row.snapshot.figures["choices"], Choices).same
    pairs, own = beside(settings, joined(parts), Choices(same=same)) if parts else ([], {})
    for page in pages:
        mine = {name for name, tag in owner.items() if tag == page.row.tag}
        recorded = Recorded(
            pairs=[pair for pair in pairs if len(mine & {*pair.settings}) == 1],
            own={name: figures for name, figures in own.items() if name in mine},
            tags=owner,
        )
        if recorded.pairs or recorded.own:
            tags = {name: owner[name] for pair in recorded.pairs for name in pair.settings}
            yield page.row.tag, replace(recorded, tags=tags)
