"""The site's answers for programs: `/api/v1/`.

A snapshot's document holds what `epc snapshot show --format json` prints, an expiry's what
`epc expiry --format json` does: the same values, written the same way.
"""

from collections.abc import Iterator
from typing import Any, Final

from epc.analysis.judge_card import card_json
from epc.answers.snapshot_status import snapshot_states
from epc.protocol.results import Json
from epc.records.schemas import SPEC, VERSION, WITHIN, schema
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.listing import entries
from epc.report.judge_card_text import sentence
from epc.site.pages import EvaluatorPage, Site, SnapshotPage

HOME: Final = "api/v1"
SUCCESSION: Final = f"{HOME}/succession.json"
SCHEMAS: Final = "schemas/v1"
# Path below HOME, schema, and what it answers.
ANSWERS: Final = {
    "index.json": ("api_index", "Every snapshot with its headline figure and state, every name."),
    "snapshots/{tag}.json": ("api_snapshot", "Everything known of one snapshot."),
    "evaluators/{name}.json": (
        "api_evaluator",
        "One evaluator: lives, states, snapshots, its card.",
    ),
    "expiry.json": ("api_expiry", "The state of every snapshot and evaluator."),
    "succession.json": ("api_succession", "Who may replace each judge that ends."),
    "changes.json": ("api_changes", "What happened, by date, from the beginning."),
}


def documents(site: Site) -> Iterator[tuple[str, Json]]:
    """Yield each document that is of more than one page, with its path from the site's root."""
    yield f"{HOME}/index.json", _index(site)
    yield f"{HOME}/expiry.json", _expiry(site)
    successions = [as_json(succession) for succession in site.successions]
    yield SUCCESSION, {"as_of": site.as_of.isoformat(), "judges": successions}
    changes = [change.as_json() for change in site.changes]
    yield f"{HOME}/changes.json", {"as_of": site.as_of.isoformat(), "changes": changes}
    yield f"{HOME}/openapi.json", openapi(site)
    for name in _schema_names():
        yield f"{SCHEMAS}/{name}.json", schema(name)


def of_page(site: Site, page: EvaluatorPage | SnapshotPage) -> Iterator[tuple[str, Json]]:
    """Yield each document that is of one snapshot, or of one evaluator."""
    if isinstance(page, EvaluatorPage):
        yield f"{HOME}/evaluators/{page.name}.json", evaluator(site, page)
    else:
        yield f"{HOME}/snapshots/{page.row.tag}.json", _snapshot(site, page)
        if page.row.snapshot.kind == "observed":
            yield f"compare/{page.row.tag}.json", _compared(page)


def _schema_names() -> list[str]:
    folder = SPEC / "schemas" / VERSION
    return sorted({path.name.removesuffix(".json") for path in folder.iterdir()} | {*WITHIN})


def _index(site: Site) -> Json:
    return {
        "as_of": site.as_of.isoformat(),
        "policy": site.registry.document["policy"],
        "snapshots": [
            entry.as_json()
            for entry in entries(
                site.registry, snapshot_states(site.registry, site.as_of), site.is_served
            )
        ],
        "evaluators": [
            {
                "name": page.name,
                "maker": page.maker,
                "aliases": list(page.aliases),
                "snapshots": [snapshot.row.tag for snapshot in page.snapshots],
            }
            for page in site.evaluators
        ],
    }


def _snapshot(site: Site, page: SnapshotPage) -> Json:
    tag, not_before = page.row.tag, page.row.standing.state.not_before
    return {
        **page.view.as_json(),
        **({} if page.judges is None else {"judges": as_json(page.judges)}),
        **({} if page.recorded is None else {"beside": as_json(page.recorded)}),
        "ends": {
            "reason": page.row.standing.end_reason,
            "doubt": not_before.isoformat() if not_before else None,
        },
        "win_rates": [
            {
                "strategy": rate.strategy,
                "domain": rate.domain,
                "wins": rate.wins,
                "losses": rate.losses,
                "ties": rate.ties,
                "rate": rate.rate,
            }
            for rate in (site.evidence[tag].win_rates if tag in site.evidence else ())
        ],
        "files": [
            {
                "name": file.name,
                "bytes": file.bytes,
                "sha256": file.sha256,
                "address": f"{site.address or '/'}{file.href}",
            }
            for file in page.files
        ],
    }


def _compared(page: SnapshotPage) -> Json:
    """Return what two snapshots of verdicts are compared by, a quarter of what is known of one.

    No figures of parts of the tasks, and no events, files or recipe.
    """
    figures: Json = {}
    for name, content in page.row.snapshot.figures.items():
        if name == "groups":
            wanted = ("settings", "figures")
            figures[name] = [
                {key: group[key] for key in group if key in wanted} for group in content
            ]
        elif not isinstance(content, list):
            figures[name] = content
    left_out = ("events", "files", "recipe", "figures")
    kept = {key: value for key, value in page.view.as_json().items() if key not in left_out}
    return kept | {"figures": figures}


def evaluator(site: Site, page: EvaluatorPage) -> Json:
    """Return all that is known of an evaluator, on the platforms of its page."""
    return {
        "as_of": site.as_of.isoformat(),
        "record": {
            "generation": page.name,
            "maker": page.maker,
            "platforms": [as_json(platform.record) for platform in page.platforms],
        },
        "aliases": list(page.aliases),
        "expiry": [platform.standing.state.as_json() for platform in page.platforms],
        "snapshots": [snapshot.view.expiry.as_json() for snapshot in page.snapshots],
        "card": card_json(page.card, sentence(page.card)),
    }


def _expiry(site: Site) -> Json:
    return {
        "as_of": site.as_of.isoformat(),
        "snapshots": [page.view.expiry.as_json() for page in site.snapshots],
        "evaluators": [
            platform.standing.state.as_json()
            for page in site.evaluators
            for platform in page.platforms
        ],
    }


def openapi(site: Site) -> Json:
    """Return the OpenAPI document of these answers."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "EPC registry",
            "version": "1.0.0",
            "description": "Published baselines as static files. Within v1 keys are only added.",
            "license": {"name": "CC BY 4.0", "identifier": layout.DATA_LICENCE},
        },
        "servers": [{"url": f"{site.address}{HOME}" if site.address else "."}],
        "paths": {f"/{path}": _path(path, *answer) for path, answer in ANSWERS.items()},
        "components": {"schemas": {name: _component(name) for name, _ in ANSWERS.values()}},
    }


def _path(path: str, name: str, says: str) -> Json:
    parameters: list[Json] = [
        {"name": key, "in": "path", "required": True, "schema": {"type": "string"}}
        for key in ("tag", "name")
        if f"{{{key}}}" in path
    ]
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    answers: Json = {"200": {"description": says, "content": content}}
    if parameters:
        answers["404"] = {"description": "Not in this registry."}
    return {
        "get": {
            "operationId": name.removeprefix("api_"),
            "summary": says,
            "parameters": parameters,
            "responses": answers,
        }
    }


def _component(name: str) -> Any:
    """Return a schema as it stands in a document that says itself which dialect it is in."""
    return {key: value for key, value in schema(name).items() if key != "$schema"}
