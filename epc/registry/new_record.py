"""The record of an evaluator that the registry does not know: made by `epc evaluators new`.

A pull request may bring one such record along with the measurement of its evaluator (rule S1). It
is data that a stranger wrote, so the same function judges it where it is typed and where it is
offered.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.checking import check
from epc.registry.expiry import misdated
from epc.registry.lifecycles import (
    DateClaim,
    GenerationRecord,
    ServiceTermRecord,
    SourceCheck,
)
from epc.registry.platforms import PLATFORMS
from epc.registry.registry import Registry
from epc.registry.writing import RegistryLock

# What a page shows as a link, or as a text: no quote, bracket or space can leave its place.
SAFE_SOURCE: Final = re.compile(r"https?://[^\s<>\"'`\\]+")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.]*(-[A-Za-z0-9.]+)*")
_OF_NOBODY: Final = frozenset({"mock"})


def path_of(generation: str) -> str:
    """Return where a generation's record stands in a checkout."""
    return f"{layout.FOLDER}/{layout.EVALUATORS}/{generation}.json"


def record_of(
    name: str,
    *,
    platform: str,
    model: str,
    maker: str | None,
    released: date,
    source: str,
    today: date,
    registry: Registry,
) -> GenerationRecord:
    """Return the record of a model that a platform serves, as one source states it today.

    Raises: UsageError, with everything that is wrong.
    """
    platforms = _platforms(registry)
    makers = platforms.get(platform, set())
    claim = DateClaim(date=released, kind="exact", source=source, seen=today, others=())
    term = ServiceTermRecord(
        platform=platform,
        model=model,
        aliases=(),
        pinned=False,
        released=claim,
        deprecated=None,
        retires=None,
        replacement=None,
        routes=(),
        confidence="low",  # one source, which a maintainer has yet to open
        checked=SourceCheck(source=source, via="whoever offers the measurement", seen=today),
        notes=(),
    )
    maker = maker or (next(iter(makers)) if len(makers) == 1 else "")
    record = GenerationRecord(generation=name, maker=maker, platforms=(term,))
    wrong = [*_problems(record, today, platforms.keys())]
    if wrong or (clash := known_as(registry, record)):
        raise UsageError("\n".join(wrong or [clash]))
    return record


def write(lock: RegistryLock, record: GenerationRecord) -> Path:
    """Write a record that `epc admin evaluators check` has nothing against, and return its path.

    Raises: UsageError if it has; WorldError if the disk fails.
    """
    document: Json = as_json(record)
    if wrong := problems_of(lock.checkout, {record.generation: document}):
        raise UsageError("\n".join(map(str, wrong)))
    path = lock.checkout / path_of(record.generation)
    strict_json.write(path, document)
    return path


def problems_of(checkout: Path, brought: Mapping[str, Json]) -> list[Finding]:
    """Return what is wrong in a checkout with further records, and not without them."""
    before = set(check(checkout))
    return [finding for finding in check(checkout, brought) if finding not in before]


def known_as(registry: Registry, record: GenerationRecord) -> str:
    """Say under which name the registry knows a model already; empty if it does not."""
    name, (life, *_) = record.generation, record.platforms
    if name in registry.generations:
        return (
            f"{name} has a record already\n"
            f"  fix: `epc admin evaluators show {name}` shows it; change it by a pull request "
            "of its own"
        )
    served = registry.model_at(life.platform, life.model)
    if served and served.name in registry.generations:
        return (
            f"{life.platform}/{life.model} has a record already, {served.name}\n"
            f"  fix: name that one: `epc submission new RUN --generation {served.name}`"
        )
    if alike := registry.look_alike(name):
        return f"{name} looks like {alike}\n  fix: write {alike}, or another name"
    if served and served.name != name:
        return (
            f"lists call {life.platform}/{life.model} {served.name}\n  fix: name it {served.name}"
        )
    return ""


def _platforms(registry: Registry) -> dict[str, set[str]]:
    """Return the makers of the models on each platform that a record can name."""
    makers: dict[str, set[str]] = {name: set() for name in PLATFORMS if name not in _OF_NOBODY}
    for generation in registry.generations.values():
        for life in generation.recorded:
            makers.setdefault(life.platform, set()).add(generation.maker)
    return makers


def _problems(record: GenerationRecord, today: date, platforms: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with what was typed."""
    (life,) = record.platforms
    if not _NAME.fullmatch(record.generation):
        yield (
            f"NAME {record.generation!a}: expected letters, digits and dots, with single hyphens "
            "between\n  fix: name it like gpt-5.9-2026-11-01; --model has the id as it is served"
        )
    if life.platform not in platforms:
        close = get_close_matches(life.platform, platforms, n=3, cutoff=0.4)
        names = ", ".join(close or sorted(platforms))
        yield f"--platform {life.platform!a}: no platform that is known here\n  fix: try {names}"
    if not life.model.isprintable() or not life.model.strip() or " " in life.model:
        yield f"--model {life.model!a}: no model's id\n  fix: write it as the platform does"
    if not record.maker:
        problem = f"--maker is missing: {life.platform} is no single maker's"
        yield f"{problem}\n  fix: say whose model it is"
    if life.released and (problem := misdated(life.released.date, today)):
        yield f"--released: {problem}\n  fix: see what the source says"
    if not SAFE_SOURCE.fullmatch(life.checked.source):
        yield (
            f"--source {life.checked.source!a}: expected an address, http:// or https://, without "
            "quotes and angle brackets\n  fix: name the page on which the platform states it"
        )
