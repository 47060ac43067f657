"""A checkout's registry as the one value that the site shows."""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from stat import S_ISREG
from typing import Final

from epc.answers.judge_cards import card_of
from epc.answers.service import life_state, service_on
from epc.answers.snapshot_status import snapshot_states, status_on, turns_of
from epc.answers.turns import days_of_life, turns
from epc.digests import parse_sums
from epc.errors import EpcError
from epc.records import strict_json
from epc.records.judging.documents import PLAN, PROMPTS, RUN_LOG, Plan, RunLog
from epc.records.typed import parse
from epc.registry import layout
from epc.registry.expiry import Expiry
from epc.registry.figures import figures_of
from epc.registry.lifecycles import ServiceTerm
from epc.registry.listing import changes
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.repository import Repository
from epc.registry.showing import snapshot_view
from epc.registry.snapshots import Snapshot
from epc.registry.store import listed, place_of
from epc.registry.subjects import subject_of_page
from epc.site.judges import with_judges, with_recorded
from epc.site.pages import (
    Direction,
    EvaluatorPage,
    File,
    Judging,
    Noise,
    Platform,
    Row,
    Site,
    SnapshotPage,
    Standing,
)
from epc.spec.domains import Pair, pair_title

_STORED: Final = f"{layout.FOLDER}/{layout.STORE}"


def collect(
    checkout: Path,
    *,
    as_of: date,
    address: str,
    repository: Repository | None = None,
) -> Site:
    """Return everything that a checkout's registry publishes, as of a day, but the evidence.

    Raises: MalformedError if a document cannot be used; WorldError if one cannot be read.
    """
    registry = of_folder(checkout)
    alone = [_snapshot(checkout, registry, tag, as_of) for tag in registry.snapshots]
    snapshots = tuple(with_recorded([*with_judges(alone)]))
    by_generation: dict[str, list[SnapshotPage]] = {}
    for page in snapshots:
        by_generation.setdefault(page.row.snapshot.tag.generation, []).append(page)
    names = dict.fromkeys([*registry.generations, *by_generation])
    pointers = [*_pointers(registry, as_of)]
    return Site(
        as_of=as_of,
        address=address,
        repository=repository,
        checkout=checkout,
        registry=registry,
        snapshots=snapshots,
        evaluators=tuple(
            _evaluator(registry, name, by_generation.get(name, []), as_of, pointers)
            for name in sorted(names, key=str.casefold)
            if name in registry.generations or not _is_instrument(by_generation[name])
        ),
        changes=tuple(changes(registry, snapshot_states(registry, as_of), date.min, as_of)),
    )


def _is_instrument(snapshots: list[SnapshotPage]) -> bool:
    """Return whether a generation, which no record of an evaluator knows, is a mock."""
    return all(page.row.snapshot.calibration for page in snapshots)


def _snapshot(checkout: Path, registry: Registry, tag: str, as_of: date) -> SnapshotPage:
    snapshot = registry.snapshots[tag]
    folder = checkout / layout.FOLDER / tag
    files, raw = _files(checkout, folder)
    return SnapshotPage(
        row=Row(
            snapshot=snapshot,
            tag=tag,
            trust=snapshot.trust,
            n=snapshot.n,
            directions=tuple(_directions(snapshot)),
            verdict=snapshot.verdict,
            standing=_standing(registry, tag, as_of),
        ),
        view=snapshot_view(registry, tag, status_on(registry, tag, as_of).state),
        events=tuple(registry.by_tag.get(tag, [])),
        folder=folder,
        audit=snapshot.audit,
        files=tuple(files),
        raw=raw,
        judging=_judging(folder, raw) if (folder / PLAN).is_file() else None,
    )


def _judging(folder: Path, raw: dict[str, Path]) -> Judging | None:
    """Return how a judged snapshot came about, as far as its files can be read."""
    (plan, wrong), (log, log_problems) = (
        strict_json.read(folder / name) for name in (PLAN, RUN_LOG)
    )
    if wrong or log_problems:
        return None
    judge_plan = parse(plan, Plan)
    names = {prompt.id: f"{PROMPTS}/{prompt.id}.txt" for prompt in judge_plan.prompts.values()}
    texts = {prompt: _text(raw[name]) for prompt, name in names.items() if name in raw}
    return Judging(plan=judge_plan, log=parse(log, RunLog), prompts=texts)


def _directions(snapshot: Snapshot) -> Iterator[Direction]:
    """Yield what is stated of each direction; a failed run has no excess, however narrow."""
    crossing = snapshot.audit.crossing if snapshot.audit else {}
    by_name = {figure.name: figure for figure in figures_of(snapshot)}
    for name, gamma in by_name.items():
        direction = name.removeprefix("gamma/")
        if name != direction and Pair.is_key(direction):
            floor = by_name.get(f"control/noise_floor/{direction}")
            yield Direction(
                name=direction,
                title=pair_title(direction),
                gamma=gamma,
                noise=Noise(mean=floor.mean, low=floor.spread[0], high=floor.spread[1])
                if floor and floor.spread
                else None,
                excess=None if snapshot.failed else by_name.get(f"control/excess/{direction}"),
                into=crossing.get(direction),
            )


def _standing(registry: Registry, tag: str, as_of: date) -> Standing:
    """Return a snapshot's state, with those to come."""
    return _standing_of(
        lambda day: status_on(registry, tag, day).state, [as_of, *turns_of(registry, tag, as_of)]
    )


def _standing_of(state_on: Callable[[date], Expiry], days: Sequence[date]) -> Standing:
    """Return the state on the first day, with those on later ones that differ from it."""
    states: list[tuple[date, Expiry]] = []
    before = None
    for day in days:
        state = state_on(day)
        if (state.status, state.reason) != before:
            states.append((day, state))
        before = (state.status, state.reason)
    today = states[0][1]
    ending = state_on(today.until) if today.until and today.until > days[0] else today
    return Standing(state=today, end_reason=ending.reason, turns=tuple(states))


def _files(checkout: Path, folder: Path) -> tuple[list[File], dict[str, Path]]:
    """Return a snapshot's files, and where the raw ones lie.

    What is not as it was published is left out; `epc snapshot verify` says what and why.
    """
    home = f"{layout.FOLDER}/{folder.name}"
    sums = parse_sums(_text(folder / layout.SUMS)) or {}
    # The pointer is for DVC in a clone; a site has what it points at.
    places = {
        name: f"{home}/{name}" for name in sums if not ("/" in name or name == layout.POINTER)
    }
    raw: dict[str, Path] = {}
    if layout.POINTER in sums:
        store = checkout / layout.FOLDER / layout.STORE
        for name, digest in _listed(_text(folder / layout.POINTER), store).items():
            raw[name] = store / place_of(digest)
            places[f"raw/{name}"] = f"{_STORED}/{place_of(digest)}"
    files = []
    for name, href in places.items():
        status = _stat(f"{checkout}/{href}") if name in sums else None
        if status and S_ISREG(status.st_mode):
            files.append(File(name=name, bytes=status.st_size, sha256=sums[name], href=href))
    return files, raw


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116  (of every file that is published)
    except OSError:
        return None


def _listed(pointer: str, store: Path) -> dict[str, str]:
    try:
        return listed(pointer, lambda path: (store / path).read_bytes())
    except (EpcError, OSError):
        return {}


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def _evaluator(
    registry: Registry,
    name: str,
    snapshots: list[SnapshotPage],
    as_of: date,
    pointers: Sequence[tuple[str, ServiceTerm]],
) -> EvaluatorPage:
    generation = registry.generations.get(name)
    lives = generation.lives if generation else ()
    records = generation.record.platforms if generation else ()
    plain = registry.plain_name(name)
    platforms = []
    for record, life in zip(records, lives, strict=True):

        def on(day: date, life: ServiceTerm = life) -> Expiry:
            return life_state(registry, plain, life, day)

        days = [as_of, *turns(registry, days_of_life(registry, life), as_of)]
        standing = _standing_of(on, days)
        means = registry.meant(life, as_of)
        target = means if means.means else None
        platforms.append(
            Platform(record=record, standing=standing, meant=target, is_listed=life.is_listed)
        )
    spellings = [spelling for life in lives for spelling in (life.model, *life.aliases)]
    subject = subject_of_page(registry, name, (page.row.snapshot for page in snapshots))
    return EvaluatorPage(
        name=name,
        maker=generation.maker if generation else None,
        aliases=tuple(dict.fromkeys(n for n in spellings if n != name)),
        pointed_at_by=tuple(_pointing(pointers, lives)),
        targets=_targets(registry, lives),
        platforms=tuple(platforms),
        snapshots=tuple(snapshots),
        card=card_of(registry, subject, as_of),
        service=service_on(registry, name, as_of),
    )


def _pointers(registry: Registry, as_of: date) -> Iterator[tuple[str, ServiceTerm]]:
    """Yield the name of each generation that points to another, with what it means on a day."""
    for generation in registry.generations.values():
        for life in generation.lives:
            if life.points_to:
                yield generation.name, registry.meant(life, as_of)


def _pointing(
    pointers: Sequence[tuple[str, ServiceTerm]], lives: tuple[ServiceTerm, ...]
) -> dict[str, None]:
    """Return the generations whose name points to one of these lives, each once."""
    models = {(life.platform, life.model) for life in lives}
    return {
        name: None
        for name, life in pointers
        if life.means and (life.platform, life.means.to) in models
    }


def _targets(registry: Registry, lives: tuple[ServiceTerm, ...]) -> dict[str, str]:
    """Return the generation of each model that these lives ever pointed to."""
    pointers = {(life.platform, pointer.to) for life in lives for pointer in life.points_to}
    if not pointers:
        return {}
    return {
        life.model: generation.name
        for generation in registry.generations.values()
        for life in generation.lives
        if (life.platform, life.model) in pointers
    }
