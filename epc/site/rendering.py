"""The generated pages: Markdown from templates, every value in it escaped."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, Final

from markupsafe import Markup

from epc.core.config import Configuration
from epc.core.noise import coin_bands
from epc.site import badges, citing, describing, linked_data
from epc.site.pages import EvaluatorPage, Row, Site, SnapshotPage
from epc.site.templating import environment

_SOONEST: Final = 5
_LATEST: Final = 200


def pages(site: Site, pictures: Callable[[EvaluatorPage], Markup]) -> Iterator[tuple[str, str]]:
    """Yield every generated page: its path among the documents, and its Markdown.

    `pictures` returns an evaluator's, as finished markup.
    """
    templates = environment()
    known = {page.name for page in site.evaluators}

    def page(name: str, **given: Any) -> str:
        return templates.get_template(f"{name}.md.j2").render(site=site, known=known, **given)

    yield "index.md", page("home", **_home(site))
    rows = [page.row for page in site.snapshots]
    expired = sorted(_evaluators(rows, held=False), key=lambda row: row.tag)
    expired.sort(key=lambda row: row.standing.state.since or date.min, reverse=True)
    yield "expired.md", page("expired", expired=expired)
    yield "snapshots/index.md", page("snapshots", rows=rows)
    by_baselines = sorted(site.evaluators, key=lambda evaluator: not evaluator.snapshots)
    lives = sum(max(1, len(evaluator.platforms)) for evaluator in site.evaluators)
    yield "evaluators/index.md", page("evaluators", pages=by_baselines, lives=lives)
    yield "compare.md", page("compare", pair=_pair(site))
    yield "changes.md", page("changes", latest=site.changes[: -_LATEST - 1 : -1])
    for evaluator in site.evaluators:
        yield (
            f"evaluators/{evaluator.name}/index.md",
            page("evaluator", **_evaluator(evaluator, pictures)),
        )
    for snapshot in site.snapshots:
        yield (
            f"snapshots/{snapshot.row.tag}/index.md",
            page("snapshot", **_snapshot(site, snapshot, known)),
        )


def _evaluators(rows: list[Row], *, held: bool) -> list[Row]:
    return [row for row in rows if row.standing.held == held and not row.snapshot.calibration]


def _pair(site: Site) -> list[str]:
    """Return the two tags to compare first: an evaluator's first two, or else any."""
    given = [page.snapshots for page in site.evaluators if len(page.snapshots) > 1]
    return [page.row.tag for page in (given[0] if given else site.snapshots)[:2]]


def _home(site: Site) -> dict[str, Any]:
    rows = [page.row for page in site.snapshots]
    current = sorted(_evaluators(rows, held=True), key=lambda row: row.snapshot.kind != "measured")
    ending = [row for row in current if row.standing.state.until]
    retiring = [
        (page, platform)
        for page in site.evaluators
        for platform in page.platforms
        if platform.standing.held and platform.standing.state.until
    ]
    return {
        "current": current,
        "expired": _evaluators(rows, held=False),
        "soonest": sorted(ending, key=lambda row: _end(row.standing))[:_SOONEST],
        "retiring": sorted(retiring, key=lambda pair: _end(pair[1].standing))[:_SOONEST],
        "instruments": [row for row in rows if row.snapshot.calibration],
    }


def _end(standing: Any) -> date:
    until: date = standing.state.until
    return until


def _evaluator(page: EvaluatorPage, pictures: Callable[[EvaluatorPage], Markup]) -> dict[str, Any]:
    return {
        "page": page,
        "badge": badges.alternative(page),
        "names": [page.name, *page.aliases],
        "gallery": pictures(page),
    }


def _snapshot(site: Site, page: SnapshotPage, known: set[str]) -> dict[str, Any]:
    name = page.row.snapshot.tag.generation
    evidence = site.evidence.get(page.row.tag)
    return {
        "page": page,
        "evidence": evidence,
        # What a coin flip gives in its setting, or else in the protocol's own.
        "coin": evidence.coin if evidence else coin_bands(Configuration()),
        "evaluator": describing.link(name, f"../../evaluators/{name}/") if name in known else name,
        "model": describing.model,
        "measured": describing.measured,
        "commands": list(describing.commands(site, page)),
        "bibtex": citing.bibtex(site, page),
        "cff": citing.cff(site, page),
        "jsonld": linked_data.embedded(linked_data.of_snapshot(site, page)),
    }
