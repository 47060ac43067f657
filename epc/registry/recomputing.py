"""Every published figure again, from the raw trials in the store (`epc snapshot recompute`)."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epc.errors import EpcError, WorldError
from epc.records.rewrite import rewrite
from epc.registry.fetching import restore
from epc.registry.registry import Registry
from epc.registry.snapshots import Json
from epc.registry.tags import Tag

_FEW: Final = 16  # are recomputed sooner than other processes have started


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


def measured(registry: Registry, tags: Sequence[str]) -> list[Tag]:
    """Return the measured snapshots among some tags; all of them where none is named."""
    asked = set(tags) or registry.snapshots.keys()
    found = (s for tag, s in registry.snapshots.items() if tag in asked)
    return [snapshot.tag for snapshot in found if snapshot.kind == "measured"]


def recompute(checkout: Path, registry: Registry, tags: Iterable[Tag]) -> Iterator[Again]:
    """Yield what recomputing each snapshot gives, in order, with all of the machine's cores.

    Raises: WorldError if the disk fails.
    """
    sealed = [(tag, _seal(registry, tag)) for tag in tags]
    if len(sealed) <= _FEW:
        yield from (_again(checkout, tag, seal) for tag, seal in sealed)
        return
    from joblib import Parallel, delayed, parallel_config

    # One thread a process: small products of matrices lose by threads, and most where all are busy.
    with parallel_config(backend="loky", n_jobs=-1, inner_max_num_threads=1):
        work = Parallel(return_as="generator")
        yield from work(delayed(_again)(checkout, tag, seal) for tag, seal in sealed)


def _seal(registry: Registry, tag: Tag) -> str | None:
    """Return the digest that a snapshot's event sealed its SHA256SUMS with."""
    told = registry.by_tag.get(str(tag), [])
    seals = (event.given.get("sha256") for event in told if event.name == "published")
    return next(seals, None)


def _again(checkout: Path, tag: Tag, seal: str | None) -> Again:
    if seal is None:
        return Again(tag=str(tag), changed=[], problems=["no event says that it was published"])
    try:
        with tempfile.TemporaryDirectory() as name:
            run = Path(name)
            restore(tag, run, seal=seal, place=str(checkout), store=None)
            done = rewrite(run, write=False)
    except EpcError as error:
        return Again(tag=str(tag), changed=[], problems=[str(error)])
    except OSError as error:
        raise WorldError(f"cannot write {error.filename}: {error.strerror or error}") from error
    problems = [str(finding) for finding in done.findings]
    return Again(tag=str(tag), changed=done.changed, problems=problems)
