"""The generated pages: Markdown from templates, every value in it escaped."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from epc.core.config import Configuration
from epc.core.noise import Band, coin_bands
from epc.records.audit_text import MEANING
from epc.records.manifest import configuration_of
from epc.records.strict_json import dumps_line
from epc.site import badges, citing, describing, linked_data, numbers
from epc.site.charts.spark import spark
from epc.site.escaping import address, finalized, verbatim
from epc.site.pages import EvaluatorPage, Row, Site, SnapshotPage

_SOONEST: Final = 5
_LATEST: Final = 200
_KINDS: Final = {
    "exact": "the platform's own day",
    "not_before": "not before this day",
    "announced": "somebody else's word, or reserved",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """What draws pictures into pages; each returns finished markup."""

    of_snapshot: Callable[[SnapshotPage], list[Markup]]
    of_evaluator: Callable[[EvaluatorPage], list[Markup]]


def pages(site: Site, pictures: Pictures) -> Iterator[tuple[str, str]]:
    """Yield every generated page: its path among the documents, and its Markdown."""
    templates = _environment()

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
            page("snapshot", **_snapshot(site, snapshot, pictures, known)),
        )


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("epc.site"),
        autoescape=True,
        finalize=finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "address": address,
        "away": _away,
        "interval": numbers.interval,
        "json": lambda value: Markup(dumps_line(value).strip()),  # noqa: S704  (of a front matter)
        "judged": lambda audit: list(describing.judged(audit)),
        "tie_rates": describing.tie_rates,
        "verbatim": verbatim,
        "words": lambda value: str(value).replace("_", " "),
    }
    made.globals |= {
        "digits": numbers.digits,
        "kinds": _KINDS,
        "meaning": MEANING,
        "number": numbers.number,
        "share": numbers.share,
        "signed": numbers.signed,
        "spark": spark,
        "whole": numbers.whole,
    }
    return made


def _away(day: date, today: date) -> str:
    """Return in words how far a day is away."""
    days = (day - today).days
    if not days:
        return "today"
    unit = "day" if abs(days) == 1 else "days"
    return f"in {days} {unit}" if days > 0 else f"{-days} {unit} ago"


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


def _evaluator(page: EvaluatorPage, pictures: Pictures) -> dict[str, Any]:
    return {
        "page": page,
        "badge": badges.alternative(page),
        "names": [page.name, *page.aliases],
        "charts": pictures.of_evaluator(page),
    }


def _snapshot(
    site: Site, page: SnapshotPage, pictures: Pictures, known: set[str]
) -> dict[str, Any]:
    name = page.row.snapshot.tag.generation
    return {
        "page": page,
        "charts": pictures.of_snapshot(page),
        "coin": _coin(page),
        "evaluator": describing.link(name, f"../../evaluators/{name}/") if name in known else name,
        "model": describing.model,
        "measured": describing.measured,
        "provenance": list(describing.provenance(page.manifest)) if page.manifest else [],
        "commands": list(describing.commands(site, page)),
        "bibtex": citing.bibtex(site, page),
        "cff": citing.cff(site, page),
        "jsonld": linked_data.embedded(linked_data.of_snapshot(site, page)),
    }


def _coin(page: SnapshotPage) -> dict[str, Band]:
    """Return what a coin flip gives in a snapshot's setting, or else in the protocol's own."""
    return coin_bands(configuration_of(page.manifest) if page.manifest else Configuration())
