"""Addresses stay: urls.txt lists every kind that is published; the changelog says what was dropped.

{tag} stands for every published snapshot, {measured} and {judged} for every one of that kind,
{crossed} for every one whose verdicts say what crosses, {matrix} for those of more than two
domains, {name} for every evaluator, {maker} for every maker of a model, {by} for its page,
{platform} for every platform, {guess} for every other plain name of an evaluator,
{published} for every one that was measured
or reported, {spread} for every one of which a JSD was stated and {followed} for every one that was
measured here, so a publication needs no line of its own. A new file or a new kind of page does; a
new document or schema is known by its source until it is listed.
"""

import re
from pathlib import Path

from registry_support import ROOT

from epc.registry.figures import figures
from epc.registry.reading import of_folder
from epc.registry.snapshots import Snapshot
from epc.spec.epc_v1 import DIRECTIONS

LISTED = (Path(__file__).parent / "urls.txt").read_text().split()
# What the pages load, by names that change with the content, and the builder's own files.
_LOADED = ("assets/", "search/", "snapshots/", ".nojekyll", ".epc-site", "404.html")


def expanded() -> set[str]:
    registry = of_folder(ROOT)
    snapshots = registry.snapshots
    of_kind = {
        kind: [tag for tag, given in snapshots.items() if given.kind == kind]
        for kind in ("measured", "judged")
    }
    generations = {tag: given.tag.generation for tag, given in snapshots.items()}
    known = set(registry.generations)  # the instrument's own have no page
    spread = {
        generations[tag]
        for tag, given in snapshots.items()
        if any(figure.name.startswith("jsd/") for figure in figures(given.figures))
    }
    crossed = [t for t, given in snapshots.items() if given.audit and given.audit.crossing]
    lives = registry.generations.values()
    bare = {n for g in lives for life in g.lives for n in (life.model, *life.aliases)}
    taken = known | {life.platform for g in lives for life in g.lives}
    plain = {name for name in bare if re.fullmatch(r"[\w.:@+-]+", name, re.ASCII)}
    kinds = {
        "crossed": crossed,
        "matrix": [t for t in of_kind["measured"] if _pairs(snapshots[t]) > len(DIRECTIONS)],
        "tag": list(snapshots),
        **of_kind,
        "name": sorted(known),
        "platform": sorted({life.platform for g in lives for life in g.lives}),
        "guess": sorted(name for name in plain if name not in taken),
        "maker": sorted({generation.maker for generation in lives}),
        "by": sorted({generation.maker.replace(" ", "-") for generation in lives}),
        "published": sorted(
            {generations[tag] for tag, s in snapshots.items() if s.kind in ("measured", "reported")}
            & known
        ),
        "spread": sorted(known & spread),
        "followed": sorted(known & {generations[tag] for tag in of_kind["measured"]}),
    }
    return {
        place.replace(f"{{{kind}}}", own)
        for place in LISTED
        for kind in re.findall(r"{(\w+)}", place) or [""]
        for own in kinds.get(kind, [""])
    }


def _pairs(snapshot: Snapshot) -> int:
    """Return of how many ordered pairs of domains a snapshot states gamma."""
    return sum(figure.name.startswith("gamma/") for figure in figures(snapshot.figures))


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
    ours |= {name for name in files if "/pictures/" in name}
    documents = (ROOT / "site" / "docs").rglob("*.md")
    known = {f"{path.relative_to(ROOT / 'site' / 'docs').with_suffix('')}/" for path in documents}
    known |= {f"schemas/v1/{p.name}" for p in (ROOT / "epc" / "spec" / "schemas").glob("v1/*")}

    new = sorted(ours - expanded() - known - {""})
    assert new == [], f"add these to {Path(__file__).with_name('urls.txt')}"
