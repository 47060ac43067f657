"""A page of one snapshot or evaluator by itself: what it may look at, and so follows from.

The page and what programs read beside it are made of these values and of nothing else. So they may
be left as they are while the digest of these is the same.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from epc.registry.changes import Change, in_order
from epc.registry.recall import Later
from epc.site.pages import About, EvaluatorPage, Site, SnapshotPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """A page, and the site without all others; of names of evaluators its own at most.

    `place` is its folder from the site's root, `beside` the tag of the snapshot that a snapshot is
    compared with first, and `given` the digest of all of it; of the registry it sees the expiry
    policy alone.
    """

    site: Site
    page: SnapshotPage | EvaluatorPage
    place: str
    known: frozenset[str]
    beside: str | None
    given: str


def alone(site: Site) -> Iterator[Alone]:
    """Yield each page of one evaluator, then of one snapshot, without all others."""
    known, others = frozenset(page.name for page in site.evaluators), _others(site)
    changes: dict[str, list[Change]] = {}
    for change in site.changes:
        changes.setdefault(change.tag, []).append(change)
    snapshots = {
        page.row.tag: of_snapshot(site, page, known, others.get(page.row.tag))
        for page in site.snapshots
    }
    for page in site.evaluators:
        tags = [each.row.tag for each in page.snapshots]
        own = [change for tag in tags for change in changes.get(tag, ())]
        yield _of_evaluator(site, page, [snapshots[tag] for tag in tags], own)
    yield from snapshots.values()


def of_snapshot(site: Site, page: SnapshotPage, known: frozenset[str], beside: str | None) -> Alone:
    """Leave out of a site what is of others."""
    tag = page.row.tag
    own = {tag: site.evidence[tag]} if tag in site.evidence else {}
    bare = replace(site, snapshots=(), evaluators=(), changes=(), successions=(), evidence=own)
    own_name = known & {page.row.snapshot.tag.generation}
    return Alone(
        site=bare,
        page=page,
        place=f"snapshots/{tag}/",
        known=own_name,
        beside=beside,
        given=digest_of([about(site), own, page, sorted(own_name), beside]),
    )


def _of_evaluator(
    site: Site, page: EvaluatorPage, snapshots: Iterable[Alone], own: list[Change]
) -> Alone:
    tags = {each.row.tag for each in page.snapshots}
    bare = replace(
        site,
        snapshots=(),
        evaluators=(),
        changes=tuple(sorted(own, key=in_order)),
        successions=tuple(each for each in site.successions if each.name == page.name),
        evidence={tag: site.evidence[tag] for tag in sorted(tags & site.evidence.keys())},
    )
    # What a snapshot follows from stands for it, and holds its evidence.
    parts = [replace(page, snapshots=()), [each.given for each in snapshots]]
    return Alone(
        site=bare,
        page=page,
        place=f"evaluators/{page.name}/",
        known=frozenset({page.name}),
        beside=None,
        given=digest_of([about(site), *parts, bare.changes, bare.successions]),
    )


def about(site: Site) -> list[Any]:
    """Return what every page may look at."""
    return [site.as_of, site.address, site.repository, site.policy]


def digest_of(value: Any) -> str:
    """Return the digest of a value: of what it says, whatever objects say it."""
    return sha256(msgspec.json.encode(value, enc_hook=_plain)).hexdigest()


def _plain(value: object) -> str:
    if isinstance(value, Later):
        return value.given
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no digest")


def _others(site: Site) -> dict[str, str]:
    """Return what each snapshot is compared with first: the newest other one of its evaluator."""
    alike: dict[tuple[str, About], list[str]] = {}
    for page in site.snapshots:
        alike.setdefault((page.row.snapshot.tag.generation, page.row.about), []).append(
            page.row.tag
        )
    several = [tags for tags in alike.values() if len(tags) > 1]
    return {tag: tags[-2] if tag == tags[-1] else tags[-1] for tags in several for tag in tags}
