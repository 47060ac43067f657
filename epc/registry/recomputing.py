"""Every published figure again, from the raw trials in the store (`epc snapshot recompute`)."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from epc.errors import EpcError
from epc.records.rewrite import rewrite
from epc.registry.fetching import fetch
from epc.registry.reading import of_folder
from epc.registry.snapshots import Json
from epc.registry.tags import Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """What recomputing one snapshot gave: the places that differ, and what stood in the way."""

    tag: str
    changed: list[str]
    problems: list[str]

    @property
    def ok(self) -> bool:
        """Whether every figure came out as it was published."""
        return not self.changed and not self.problems

    def as_json(self) -> Json:
        """Return the result as plain JSON."""
        given = {"tag": self.tag, "changed": self.changed, "problems": self.problems}
        return {**given, "ok": self.ok}


def recompute(checkout: Path, tags: tuple[str, ...]) -> Iterator[Again]:
    """Yield what recomputing each measured snapshot gives; all of them where none is named.

    Raises: WorldError if the disk fails.
    """
    for tag, snapshot in of_folder(checkout).snapshots.items():
        if snapshot.kind == "measured" and (not tags or tag in tags):
            yield _again(checkout, snapshot.tag)


def _again(checkout: Path, tag: Tag) -> Again:
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / "run"
        try:
            fetch(tag, run, place=str(checkout), store=None)
            done = rewrite(run, write=False)
        except EpcError as error:
            return Again(tag=str(tag), changed=[], problems=[str(error)])
    problems = [str(finding) for finding in done.findings]
    return Again(tag=str(tag), changed=done.changed, problems=problems)
