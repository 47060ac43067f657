"""Claims of others' lists on the ends of models, whichever shape a list has.

    llm-sunset            [{"provider", "model_id", "shutdown_date", "deprecation_date", "url",
                          "last_observed"}]; an entry may add "date_kind": fixed, not_before,
                          inferred or none_published
    bydtech-model-retire  {"models": [{"provider", "id", "retires_on", "deprecated_on",
    depdesk               "earliest_retirement", "source", "checked"}]}, read off providers' pages;
                          `sources` of the whole may have address and day of a provider's page
    model-prices          {"models_dev": {"committed_at"}, "prices": {provider: {id}}, "status"}:
                          who lists what on a day, and no date of an end; models.dev itself and
                          copies of it are read into this shape (`epc.registry.holders`)
    litellm               {id: {"litellm_provider", "deprecation_date"}}: days without a page
    models                {"data": [{"id", "deprecation" or "shutdown_date"}]}, what a provider's
                          models endpoint answers where it states when a model ends
    deprecation-tracker   [{"provider", "model_name", "model_id", "shutdown_date"}]: no page
    model-eol             {"spec", "publisher", "models": [{"id", "shutdown", "date_precision",
                          "distributions": [{"via", "shutdown"}]}]}, compiled from pages
    modeldeprecations     {"provider", "model", "shutdown_on", "last_verified"}: a file a
                          model, which names the page for the whole
    endoflife.date        {"permalink", "releases": [{"releaseCycle", "eol"}]}: the table before a
                          page on a maker's models; earliest days and ends are not told apart

Each claim has the key of its day in the document.

Pure.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

from msgspec import to_builtins

from epc.protocol.results import Json
from epc.records.typed import parse
from epc.registry.keys import key_of
from epc.registry.lifecycles import Kind

# What lists call a platform, in small letters, where it is called otherwise here.
_PLATFORMS: Final = {
    "google": "google-gemini-api",
    "gemini": "google-gemini-api",
    "google vertex": "google-vertex",
    "vertex": "google-vertex",
    "vertex ai": "google-vertex",
    "vertex-ai": "google-vertex",
    "google-vertex-ai": "google-vertex",
    "vertex_ai": "google-vertex",
    "azure": "azure-foundry",
    "azure_ai": "azure-foundry",
    "azure-ai-foundry": "azure-foundry",
    "aws bedrock": "aws-bedrock",
    "amazon-bedrock": "aws-bedrock",
    "bedrock": "aws-bedrock",
    "bedrock_converse": "aws-bedrock",
    "alibaba": "alibaba-model-studio",
    "dashscope": "alibaba-model-studio",
    "moonshotai": "moonshot",
    "z-ai": "zai",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "fireworks-ai": "fireworks",
    "togetherai": "together",
    "novita-ai": "novita",
    "google-vertex-anthropic": "google-vertex",
}
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


# Pages on which a day is the earliest possible one, unless the end was announced before it:
# Google's says so of its table, Microsoft's and Anthropic's write "not before". Lists drop that.
_FLOORS: Final = (
    "https://ai.google.dev/gemini-api/docs/deprecations",
    "https://learn.microsoft.com/en-us/azure/ai-foundry/concepts/model-lifecycle-retirement",
    "https://platform.claude.com/docs/en/about-claude/model-deprecations",
)
# What a list may call the kind of a day, and what it is called here.
_KINDS: Final[dict[str, Kind]] = {
    "fixed": "exact",
    "exact": "exact",
    "not_before": "not_before",
    "inferred": "announced",
    "announced": "announced",
}
_NONE: Final = "none_published"
# Products of endoflife.date that are a maker's models.
_MAKERS: Final = {"/claude": "anthropic"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A source's word on when a platform retires a model: the day and its kind.

    Without a day, the source says that none is published. `listed` is the word of a list that names
    no page: it has the model on a day, or a day of its end. A day of some regions counts as that.
    `key` is where the document has the day (`epc.registry.keys`), and `dated` whether the list or
    its commit says on which day it was read.
    """

    platform: str
    model: str
    retires: date | None
    kind: Kind
    source: str
    seen: date
    via: str = ""
    listed: bool = False
    key: str = ""
    dated: bool = False

    def as_json(self) -> Json:
        """Return the claim as plain JSON."""
        return {**to_builtins(self), "kind": self.kind if self.retires else _NONE}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """Entry of llm-sunset on a model, and the other lists in its words."""

    provider: str
    model_id: str
    shutdown_date: str | None = None
    deprecation_date: str | None = None
    date_kind: str = ""
    url: str | None = None
    last_observed: str | None = None
    listed: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PageEntry:
    """Entry of a list that somebody read off a provider's page."""

    provider: str
    id: str
    aliases: tuple[str, ...] = ()
    retires_on: str | None = None
    earliest_retirement: str | None = None
    deprecated_on: str | None = None
    source: str | None = None
    checked: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    provider: str
    url: str | None = None
    verified_on: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pages:
    models: tuple[_PageEntry, ...]
    sources: tuple[_Page, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Origin:
    commit: str
    committed_at: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prices:
    models_dev: _Origin
    prices: Mapping[str, Mapping[str, Any]]
    status: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ServedModel:
    id: str
    deprecation: str | None = None
    shutdown_date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endpoint:
    data: tuple[_ServedModel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _TrackerEntry:
    """Entry of deprecation-tracker; some entries have an id, others a name alone."""

    provider: str
    model_name: str
    model_id: str
    shutdown_date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Distribution:
    via: str
    shutdown: str | None = None
    date_precision: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _FeedModel:
    id: str
    shutdown: str | None = None
    date_precision: str | None = None
    distributions: tuple[_Distribution, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Feed:
    publisher: str
    generated: str
    models: tuple[_FeedModel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ModelFile:
    provider: str
    model: str
    shutdown_on: date | None = None
    last_verified: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cycle:
    releaseCycle: str  # noqa: N815  (the name in the file)
    eol: date | bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Product:
    permalink: str
    releases: tuple[_Cycle, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LitellmEntry:
    """Entry of litellm's table on an id."""

    litellm_provider: str = ""
    deprecation_date: str | None = None
    mode: str | None = None


def claims(
    document: Any,
    *,
    platform: str | None,
    default_day: date,
    title: str = "llm-sunset",
    dated: bool = False,
) -> Iterator[Claim]:
    """Yield what a source claims.

    `platform` is whose models endpoint answered, or the one to read; `seen` the day of asking where
    an entry has none, `title` what a list without pages is called, and `dated` that the day is its
    commit's. An entry without a day says
    nothing, unless its `date_kind` is `none_published` or it is `listed`.

    Raises: ValueError if the document has none of the shapes.
    """
    for entry in _entries(document, platform):
        day, entry_platform = _day(entry.shutdown_date), platform_called(entry.provider)
        says = day or entry.listed or entry.date_kind == _NONE
        if says and (platform is None or platform == entry_platform):
            yield Claim(
                platform=entry_platform,
                model=entry.model_id,
                retires=day,
                kind=_kind(entry),
                source=entry.url or title,
                seen=_day(entry.last_observed) or default_day,
                via=title,
                listed=entry.listed,
                key=entry.key,
                dated=dated or bool(_day(entry.last_observed)),
            )


def _entries(document: Any, platform: str | None) -> Iterator[_Entry]:
    """Yield what a list of any shape says, as llm-sunset's has it."""
    keys = document.keys() if isinstance(document, dict) else ()
    if isinstance(document, list):
        yield from _of_list(document)
    elif shape := next((shape for field, shape in _SHAPES.items() if field in keys), None):
        yield from shape(document)
    elif platform and "data" in keys:
        for served in parse(document, _Endpoint).data:
            yield _Entry(
                provider=platform,
                model_id=served.id,
                shutdown_date=served.deprecation or served.shutdown_date,
                date_kind="exact",
                url=f"{platform}: models endpoint",
            )
    elif keys:
        for name, called in table(document).items():
            yield _Entry(
                provider=called.litellm_provider.partition("-")[0],
                model_id=name.rpartition("/")[2],
                shutdown_date=called.deprecation_date,
                listed=bool(_day(called.deprecation_date)),
                key=key_of(name, "deprecation_date"),
            )


def _of_list(rows: list[Any]) -> Iterator[_Entry]:
    """Yield the entries of a plain list: deprecation-tracker's have names, llm-sunset's ids."""
    if any("model_name" in row for row in rows):
        for row in parse(rows, list[_TrackerEntry]):
            chosen = {"provider": row.provider, "model_name": row.model_name}
            yield _Entry(
                provider=row.provider,
                model_id=row.model_id or row.model_name,
                shutdown_date=row.shutdown_date,
                listed=bool(row.shutdown_date),
                key=key_of(chosen, "shutdown_date"),
            )
        return
    for entry in parse(rows, list[_Entry]):
        chosen = {"provider": entry.provider, "model_id": entry.model_id}
        yield replace(entry, key=key_of(chosen, "shutdown_date"))


def _of_feed(document: Any) -> Iterator[_Entry]:
    feed = parse(document, _Feed)
    for model in feed.models:
        chosen = {"id": model.id}
        if model.shutdown:
            key = key_of("models", chosen, "shutdown")
            yield _of_clock(feed, feed.publisher, model, key)
        for place in (place for place in model.distributions if place.shutdown):
            key = key_of("models", chosen, "distributions", {"via": place.via}, "shutdown")
            clock = replace(model, shutdown=place.shutdown, date_precision=place.date_precision)
            yield _of_clock(feed, place.via, clock, key)


def _of_clock(feed: _Feed, provider: str, clock: _FeedModel, key: str) -> _Entry:
    earliest = clock.date_precision == "earliest"
    return _Entry(
        provider=provider,
        model_id=clock.id,
        shutdown_date=clock.shutdown,
        date_kind="not_before" if earliest else "",
        last_observed=feed.generated,
        listed=True,
        key=key,
    )


def _of_model(document: Any) -> Iterator[_Entry]:
    model = parse(document, _ModelFile)
    yield _Entry(
        provider=model.provider,
        model_id=model.model,
        shutdown_date=str(model.shutdown_on or ""),
        last_observed=str(model.last_verified or ""),
        listed=bool(model.shutdown_on),
        key="shutdown_on",
    )


def _of_product(document: Any) -> Iterator[_Entry]:
    """Yield the cycles of a product that a maker serves itself, which its address names."""
    product = parse(document, _Product)
    for cycle in product.releases:
        if isinstance(cycle.eol, date):
            yield _Entry(
                provider=_MAKERS.get(product.permalink, product.permalink),
                model_id=cycle.releaseCycle,
                shutdown_date=str(cycle.eol),
                listed=True,
                key=key_of("releases", {"releaseCycle": cycle.releaseCycle}, "eol"),
            )


def platform_called(name: str) -> str:
    """Return the platform that lists call by a name."""
    return _PLATFORMS.get(name.lower(), name.lower())


def table(document: Any) -> dict[str, LitellmEntry]:
    """Return litellm's table.

    Raises: ValueError if it is another document.
    """
    return parse(document, dict[str, LitellmEntry])


def _of_pages(document: Any) -> Iterator[_Entry]:
    pages = parse(document, _Pages)
    by_provider = {page.provider: page for page in pages.sources}
    for read in pages.models:
        page = by_provider.get(read.provider, _Page(provider=read.provider))
        dated = "retires_on" if read.retires_on else "earliest_retirement"
        for name in (read.id, *read.aliases):
            yield _Entry(
                provider=read.provider,
                model_id=name,
                shutdown_date=read.retires_on or read.earliest_retirement,
                deprecation_date=read.deprecated_on,
                date_kind="not_before" if read.earliest_retirement else "",
                url=read.source or page.url,
                last_observed=read.checked or page.verified_on,
                # An end in some of a cloud's regions is no end of the model there.
                listed="applies in " in read.note,
                key=key_of("models", {"provider": read.provider, "id": read.id}, dated),
            )


def _of_prices(document: Any) -> Iterator[_Entry]:
    """Yield what a list of prices has on its day, but for what it says was removed."""
    prices = parse(document, _Prices)
    origin = prices.models_dev
    for provider, models in prices.prices.items():
        states = prices.status.get(provider, {})
        for name in (name for name in models if states.get(name) != "removed"):
            yield _Entry(
                provider=provider,
                model_id=name,
                url=f"{origin.source}/commit/{origin.commit[:12]}"
                if origin.commit
                else origin.source,
                last_observed=origin.committed_at,
                listed=True,
            )


# Documents by a field that no other shape has.
_SHAPES: Final = {
    "spec": _of_feed,
    "releases": _of_product,
    "last_verified": _of_model,
    "models": _of_pages,
    "models_dev": _of_prices,
}


def _kind(entry: _Entry) -> Kind:
    """Return what kind of day an entry states: by its own word, else by the page it is from."""
    if kind := _KINDS.get(entry.date_kind):
        return kind
    if entry.listed:
        return "announced"
    announced, ends = _day(entry.deprecation_date), _day(entry.shutdown_date)
    if announced and ends and announced < ends:
        return "exact"
    return "not_before" if (entry.url or "").startswith(_FLOORS) else "exact"


def _day(text: str | None) -> date | None:
    match = _DAY.match(text) if text else None
    return date.fromisoformat(match[0]) if match else None
