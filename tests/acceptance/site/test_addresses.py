"""Addresses stay: urls.txt lists every kind that is published; the changelog says what was dropped.

{tag} stands for every published snapshot, {measured} and {observed} for every one of that kind,
{name} for every evaluator, {maker} for every maker of a model, {by} for its page,
{platform} for every platform, {guess} for every other plain name that means one evaluator,
{lasting} for every evaluator that has not ended more than 60 days ago, {dated} for those of them of
which a day is known, {baseline} for every one with a baseline, {ends} for every maker of whose
models an end is known, {published} for every one that was measured or reported, {spread} for every
one of which a JSD was stated and {followed} for every one that was measured here, so a publication
needs no line of its own. A new file or a new kind of page does; a new document or schema is known
by its source until it is listed.
"""

import re
from datetime import date, timedelta
from pathlib import Path

from registry_support import ROOT
from site_support import AS_OF

from epc.answers.service import life_state
from epc.answers.snapshot_status import status_on
from epc.registry.exports import model_eol
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot

LISTED = (Path(__file__).parent / "urls.txt").read_text().split()
_DAY = date.fromisoformat(AS_OF)
# What the pages load, by names that change with the content, and the builder's own files.
_LOADED = ("assets/", "search/", "snapshots/", ".nojekyll", ".epc-site", "404.html")


def expanded() -> set[str]:
    registry = of_folder(ROOT)
    snapshots = registry.snapshots
    measured = [tag for tag, snapshot in snapshots.items() if snapshot.kind == "measured"]
    known_generations = set(registry.generations)  # the instrument's own have no page
    lives = registry.generations.values()
    recorded = [life for g in lives for life in g.lives if not life.is_listed]
    bare = {n for life in recorded for n in (life.model, *life.aliases)}
    taken_platforms = known_generations | {life.platform for life in recorded}
    words = {name for name in bare if re.fullmatch(r"[\w.:@+-]+", name, re.ASCII)}
    plain = {name for name in words if not re.match(r"[\w-]+\.[A-Za-z]", name)}
    about = ("measured", "reported")
    coupled = [s for s in snapshots.values() if s.kind in about and _stands(registry, s)]
    kinds = {
        "tag": list(snapshots),
        "measured": measured,
        "observed": [tag for tag, snapshot in snapshots.items() if snapshot.kind == "observed"],
        "name": sorted(known_generations),
        "platform": sorted({life.platform for life in recorded}),
        "guess": sorted(name for name in plain if name not in taken_platforms),
        "lasting": sorted(name for name in known_generations if _lasts(registry, name)),
        "dated": sorted(
            n for n in known_generations if _lasts(registry, n) and _is_dated(registry, n)
        ),
        "baseline": sorted({s.tag.generation for s in coupled} & known_generations),
        "ends": sorted(
            model_eol(registry, _DAY, lambda life: life_state(registry, life.model, life, _DAY))
        ),
        "by": sorted({generation.maker.replace(" ", "-") for generation in lives}),
    }
    return {
        place.replace(f"{{{kind}}}", own)
        for place in LISTED
        for kind in re.findall(r"{(\w+)}", place) or [""]
        for own in kinds.get(kind, [""])
    }


def _stands(registry: Registry, snapshot: Snapshot) -> bool:
    return status_on(registry, str(snapshot.tag), _DAY).state.reason != "withdrawn"


def _lasts(registry: Registry, name: str) -> bool:
    """Return whether an evaluator is served somewhere, or has ended less than 60 days ago."""
    lives = registry.generations[name].lives
    told = [(life, registry.of_life(name, life, _DAY)) for life in lives]
    # A list without a day says nothing of whether anybody serves it.
    states = [s for life, s in told if not (life.is_listed and s.status == "unknown")]
    ends = [state.until for state in states if state.status == "expired" and state.until]
    return len(ends) < len(states) or not ends or max(ends) >= _DAY - timedelta(days=60)


def _is_dated(registry: Registry, name: str) -> bool:
    """Return whether a day is known on which an evaluator, or a snapshot of it, ends."""
    states = [registry.of_life(name, life, _DAY) for life in registry.generations[name].lives]
    tags = [tag for tag, s in registry.snapshots.items() if s.tag.generation == name]
    states += [status_on(registry, tag, _DAY).state for tag in tags]
    return any(state.until or state.not_before for state in states)


def test_every_address_that_was_ever_published_answers(deployed: Path) -> None:
    gone = [
        place
        for place in sorted(expanded())
        if not (
            deployed / place / "index.html" if place.endswith("/") else deployed / place
        ).is_file()
    ]

    assert gone == [], "an address that was published must go on answering"
    assert len(LISTED) == len(set(LISTED)) > 60


def test_every_address_that_is_new_is_listed(deployed: Path) -> None:
    files = [p.relative_to(deployed).as_posix() for p in deployed.rglob("*") if p.is_file()]
    ours = {f"/{name}".removesuffix("index.html")[1:] for name in files}
    pages = {name for name in ours if name.startswith("snapshots/") and name.endswith("/")}
    ours = pages | {name for name in ours if not name.startswith(_LOADED)}
    ours |= {name for name in files if name.endswith("/pictures.json")}
    documents = (ROOT / "site" / "docs").rglob("*.md")
    known = {f"{path.relative_to(ROOT / 'site' / 'docs').with_suffix('')}/" for path in documents}
    known |= {f"schemas/v1/{p.name}" for p in (ROOT / "epc" / "spec" / "schemas").glob("v1/*")}

    new = sorted(ours - expanded() - known - {""})
    assert new == [], f"add these to {Path(__file__).with_name('urls.txt')}"
