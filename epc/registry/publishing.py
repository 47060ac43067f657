"""Publishing a measured run, an evaluation, or recorded verdicts (`epc admin snapshot publish`).

The order is what makes it safe to interrupt: raw files into the store, the folder whole under its
name, the event, what DVC shows, the commit, the git tag. Each step looks whether it was done, so a
second try ends what the first one began, under the same id.

DVC (`dvc metrics show`, `dvc metrics diff`, `dvc plots show`) lays every number of a metrics file
out as a column, so the headline figures stand a second time in small files of their own.
`make reproduce` fails where they are not what the registry says.

    snapshots/dvc/TAG.json            at most five figures; DVC prints the path, so it is short
    snapshots/gammas.json             one row a gamma, with interval and noise floor, for the plot
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Final

from epc.digests import file_sha256, sums_text
from epc.errors import UsageError, able_to
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.strict_json import dumps, write_text
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.cards import Declaration
from epc.registry.comparison import disagreement
from epc.registry.endings import endings
from epc.registry.figures import added, figure_at, figures, figures_of, headline_of
from epc.registry.history import added_by, commit, tag_commits
from epc.registry.kinds.adapter import adapter, kind_of
from epc.registry.kinds.table import KINDS
from epc.registry.lifecycles import ServiceTerm
from epc.registry.offers import Offer, platform_claimed, require_true
from epc.registry.reading import folders, of_folder, used_tags
from epc.registry.recomputing import audits, intervals
from epc.registry.record import Record
from epc.registry.registry import Registry
from epc.registry.snapshots import Event, Metrics, Snapshot
from epc.registry.store import put
from epc.registry.tags import Tag, next_tag
from epc.registry.writing import RegistryLock, append

HEADLINES: Final = (
    layout.AUDITS,
    layout.INTERVALS,
    layout.HEADLINES,
    layout.GAMMAS,
)  # below `snapshots/`

_DIGITS: Final = 3
_SHARE: Final = "verdict/PASS"  # of a judged snapshot
_FIRST: Final = "published"


def headline(registry: Registry, tag: str) -> Json:
    """Return the few numbers of a snapshot that DVC shows: its table is to fit a terminal.

    `gamma` and `regret` are of the direction in which they are larger; a failed run has none.
    `share` is that of PASS, or the headline of recorded verdicts, whose own `n` stands beside it.
    `stands` is false once an event has ended it.
    """
    snapshot = registry.snapshots[tag]
    means = {figure.name: figure.mean for figure in figures_of(snapshot)}
    recorded = headline_of(snapshot)
    counted_means = {} if snapshot.failed else means
    numbers = {
        "gamma": max(
            (m for name, m in counted_means.items() if name.startswith("gamma/")), default=None
        ),
        "regret": max(
            (
                m
                for name, m in counted_means.items()
                if name.startswith("transfer/regret/") and not recorded
            ),
            default=None,
        ),
        "share": means.get(_SHARE),
    }
    if recorded:
        numbers["regret" if recorded.name.startswith("transfer/") else "share"] = recorded.mean
    return {
        "n": recorded.n if recorded else snapshot.n,
        "stands": all(event.event == _FIRST for event in registry.by_tag.get(tag, ())),
        **{name: _rounded(mean) for name, mean in numbers.items() if mean is not None},
    }


def _rounded(mean: float) -> float:
    """Return a mean in few digits; what rounds to nothing has no sign."""
    return round(mean, _DIGITS) + 0.0


def gammas(registry: Registry) -> Iterator[Json]:
    """Yield one row a gamma: its interval, and where seeds lie without a change of domain."""
    for tag, snapshot in registry.snapshots.items():
        for figure in figures({"gamma": snapshot.figures.get("gamma", {})}):
            direction = figure.name.removeprefix("gamma/")
            floor = figure_at(snapshot.figures, f"control/noise_floor/{direction}")
            low, high = figure.interval or (None, None)
            floor_low, floor_high = (floor and floor.spread) or (None, None)
            yield {
                "snapshot": tag,
                "direction": direction.replace("_", " "),
                **_standing(registry, tag),
                "gamma": figure.mean,
                "low": low,
                "high": high,
                "floor_low": floor_low,
                "floor_high": floor_high,
            }


def _standing(registry: Registry, tag: str) -> Json:
    """Return what must be known beside a figure: what it rests on, and what became of it."""
    snapshot = registry.snapshots[tag]
    kinds = [event.event for event in registry.by_tag.get(tag, [])]
    return {
        "kind": "calibration" if snapshot.calibration else snapshot.kind,
        "audit": snapshot.verdict or "none",
        "rule": snapshot.audit.rule if snapshot.audit else None,
        "faults": len(snapshot.card.known_faults),
        "event": "withdrawn" if "withdrawn" in kinds else next(reversed(kinds), "none"),
    }


def write_headlines(lock: RegistryLock, *, audit: bool = True) -> None:
    """Bring the files up to date with a checkout's snapshots and events.

    Without `audit` the audits stay: a new snapshot's is on its card, and neither it nor an event
    changes another.

    Raises: MalformedError if a document cannot be used; WorldError if the disk fails.
    """
    home = lock.home
    if audit:
        published = of_folder(lock.checkout)
        _write(home / layout.AUDITS, dumps(audits(lock.checkout, published)))
        _write(home / layout.INTERVALS, dumps(intervals(lock.checkout, published)))
    registry = of_folder(lock.checkout)
    (home / layout.HEADLINES).mkdir(exist_ok=True)
    for tag in registry.snapshots:
        _write(home / layout.HEADLINES / f"{tag}.json", dumps(headline(registry, tag)))
    _write(home / layout.GAMMAS, dumps(list(gammas(registry))))


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text("utf-8") != text:
        write_text(path, [text])


def offered(run: Path, declaration: Declaration) -> Offer:
    """Check a run, an evaluation or a folder of verdicts, and return what is offered of it.

    Raises: UsageError if it is not valid, or nothing could be recomputed; MalformedError if an
    evaluation's document was damaged.
    """
    return adapter(kind_of(run)).offered(run, declaration)


def publish(
    lock: RegistryLock,
    offer: Offer,
    *,
    day: date,
    progress: Callable[[str], None],
    git: bool = True,
    leaving: str | None = None,
) -> Tag:
    """Publish an offer, or end a publication that was interrupted, and return its id.

    `leaving` is the submission that it was, which the same commit takes out of the checkout.

    Raises: UsageError if the run cannot be published; WorldError if the disk or git fails.
    """
    checkout = lock.checkout
    _clear(lock)
    registry = of_folder(checkout)
    require_true(registry, offer, day)
    declaration, life = offer.declaration, _life(registry, offer)
    if life and offer.no_baseline:
        raise UsageError(f"{offer.run} is no baseline: {offer.no_baseline}")
    published_tag = published_as(checkout, offer.run, declaration.generation, kind=offer.kind)
    if published_tag and added(registry.snapshot(str(published_tag)).figures, offer.figures):
        published_tag = None  # the same verdicts, and more is said of them
    tag = published_tag or next_tag(declaration.generation, used_tags(checkout, registry))
    card = offer.card(tag, life)
    if declaration.replicates:
        _require_replication(
            registry, declaration.replicates, Snapshot.from_card(card, offer.figures)
        )
    new = Snapshot.from_card(card, offer.figures)
    folder = lock.home / str(tag)
    if not folder.is_dir():
        _build(checkout, offer, card)
        progress(f"wrote {folder}")
    if not any(event.event == "published" for event in registry.by_tag.get(str(tag), [])):
        events = _publication_events(folder, registry, new, day)
        append(lock, *events)
        for event in events:
            progress(f"event: {event.tag} {event.event}")
    write_headlines(lock, audit=False)
    if git:
        parts = (str(tag), layout.EVENTS, layout.STORE, *HEADLINES)
        paths = [f"{layout.FOLDER}/{part}" for part in parts if (lock.home / part).exists()]
        new_commit = commit(checkout, f"Publish {tag}", paths, leaving=leaving)
        sums = f"{layout.FOLDER}/{tag}/{layout.SUMS}"
        tag_commits(checkout, {str(tag): added_by(checkout, sums)})
        progress(f"committed, and tagged {tag}" if new_commit else f"{tag} is published already")
    return tag


def _publication_events(folder: Path, registry: Registry, new: Snapshot, day: date) -> list[Event]:
    """Return the events of a publication: its own, and what it means for older snapshots."""
    digest = file_sha256(folder / layout.SUMS)
    publication = Event(date=day, tag=str(new.tag), event="published", sha256=digest)
    return [publication, *endings(registry, new, day)]


def _life(registry: Registry, offer: Offer) -> ServiceTerm | None:
    """Return the life of the evaluator on the platform that it was asked on."""
    if offer.is_mock:
        return None
    platform = platform_claimed(offer)
    life = registry.life(offer.declaration.generation, platform)
    if life is None:
        path = f"{layout.FOLDER}/{layout.EVALUATORS}/{offer.declaration.generation}.json"
        raise UsageError(
            f"nothing is known of {offer.declaration.generation} on {platform}\n"
            f"  fix: add it to {path}, with the dates that {platform} states and their source, "
            "or name another --platform"
        )
    return life


def _require_replication(registry: Registry, tag: str, replication: Snapshot) -> None:
    """Refuse a replication that is none."""
    if replication.card.audit and replication.card.login is None:
        raise UsageError(
            f"this does not replicate {tag}: nobody's login on GitHub is stated\n"
            "  fix: name whoever measured it with --login"
        )
    repeated = registry.snapshots.get(tag)
    why = disagreement(repeated, replication) if repeated else "there is no such snapshot"
    if why:
        raise UsageError(
            f"this does not replicate {tag}: {why}\n"
            "  fix: publish it without --replicates; both stand, and `epc compare` compares"
        )


def published_as(
    checkout: Path, run: Path, generation: str, *, kind: str = "measured"
) -> Tag | None:
    """Return the id under which this very run stands in the registry, if it does."""
    name = KINDS[kind].documents[-1]
    content = (run / name).read_bytes()
    for folder in folders(checkout):
        path, tag = folder / name, Tag.parse(folder.name)
        if tag.generation == generation and path.is_file() and path.read_bytes() == content:
            return tag
    return None


def _clear(lock: RegistryLock) -> None:
    """Remove what killed publications left beside the snapshots: under the lock it is nobody's."""
    for left in lock.home.glob(f"{layout.ASIDE}*"):
        shutil.rmtree(left, ignore_errors=True)


def _build(checkout: Path, offer: Offer, card: Record) -> None:
    """Write the folder in a new one beside its place, and move it there when it is whole."""
    home, run = checkout / layout.FOLDER, offer.run
    raw = {name: (run / name).read_bytes() for name in offer.raw}
    pointer = {layout.POINTER: put(home / layout.STORE, raw)} if raw else {}
    with (
        able_to("write", home / card.tag),
        tempfile.TemporaryDirectory(prefix=f"{layout.ASIDE}ing-", dir=home) as around,
    ):
        building = Path(around) / card.tag
        building.mkdir()
        for name in KINDS[offer.kind].documents:
            shutil.copyfile(run / name, building / name)
        strict_json.write(building / layout.CARD, card.as_json())
        metrics = Metrics(kind=offer.kind, figures=offer.figures)
        strict_json.write(building / layout.FIGURES, as_json(metrics))
        for name, text in pointer.items():
            strict_json.write_text(building / name, [text])
        names = {*KINDS[offer.kind].files, *pointer}
        digests = {name: file_sha256(building / name) for name in names}
        digests |= {f"raw/{name}": value for name, value in offer.raw.items()}
        strict_json.write_text(building / layout.SUMS, [sums_text(digests)])
        building.rename(home / card.tag)
