"""From a model's name to a model: `provider/model`, `recorded:FILE`, `mock/...`, `local/...`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.engine import mocks
from epc.engine.budget import maker_of
from epc.engine.composite import open_wrapper
from epc.engine.model import Model
from epc.engine.providers import PROVIDERS, Provider
from epc.engine.verdicts import RecordedVerdicts
from epc.errors import UsageError, unknown
from epc.protocol.mitigation import WRAPPERS, is_wrapper
from epc.records.model_names import ASKED, RECORDED, SILENT, routes, shorter

_OPENED: Final = frozenset({"mock", "local", *PROVIDERS})
_SCRIPTED: Final = "scripted:"
_MOCKS: Final[dict[str, Callable[[], Model]]] = {
    "deterministic": mocks.Deterministic,
    "coin-flip": mocks.CoinFlip,
    "judge": mocks.Judge,
    "careless-judge": mocks.CarelessJudge,
}


def open_model(name: str) -> Model:
    """Return the model of a name, ready to be asked; one that only compares answers, too.

    Raises: UsageError if there is no such model, its key is missing or its file cannot be used;
    WorldError if its weights cannot be loaded.
    """
    if is_wrapper(name):
        return open_wrapper(name, _open_alone)
    if name.startswith(RECORDED):
        return RecordedVerdicts(_file(name.removeprefix(RECORDED)))
    return _open_alone(name)


def open_judge(name: str) -> Model:
    """Return the model of a judge, which writes what it says of an output or a pair.

    Raises: UsageError if it writes no text, and as `open_model`.
    """
    model = None if name.startswith((RECORDED, *WRAPPERS)) else _open_alone(name)
    if model is None or model.method != "prompt":
        raise UsageError(f"{name} writes no text, so it cannot judge: name another --judge")
    return model


def _open_alone(name: str) -> Model:
    """Return a provider's model, an embedded one or a mock."""
    provider, _, model = name.partition("/")
    service = _service(name)
    if not model or service or provider not in _OPENED:
        instead = catalog_name(name)
        meant = f"did you mean {instead}? See" if instead else "see"
        if instead or not model:
            raise UsageError(
                f"{name!r}: models are named provider/model; {meant} `epc models list`"
            )
        if service:
            raise UsageError(
                f"{name!r}: {service} is no provider here: run a LiteLLM proxy, set "
                "OPENAI_COMPATIBLE_BASE_URL to it, and name openai-compatible/MODEL, MODEL as the "
                "proxy calls it"
            )
    if provider == "mock":
        return _mock(model)
    if provider == "local":
        from epc.engine.local.models import open_local

        return open_local(model)
    from epc.engine.hosted import open_hosted

    return open_hosted(provider, model)


def _service(name: str) -> str | None:
    """Return the service that a name begins with, if it is one that other programs ask by it.

    It may be two words: Gemini on Vertex AI is `google/vertex/...` to some.
    """
    first, *segments = name.split("/")
    if segments and first not in _OPENED and first in {*routes(), *SILENT}:
        return first
    route = "/".join([first, *segments[:1]])
    return route if len(segments) > 1 and route in routes() else None


def catalog_name(name: str) -> str | None:
    """Return how we name a model that is written as elsewhere: `openai/gpt-4o` for `gpt-4o`."""
    route_table = routes()
    spellings = list(shorter(name, route_table))
    platforms, through = spellings[-1].platforms or (), spellings[-1].through
    if through:
        behind = next(s.name for s in spellings if s.through)
        return f"{through[0]}/{behind}" if through[0] in PROVIDERS else None
    # What we ask keeps its region and its version, and loses what says where.
    before = {*route_table, *SILENT, "arn"}
    bare = (s.name for s in spellings if "/" not in s.name)
    model = next((m for m in bare if m.lower().partition(":")[0] not in before), None)
    if model is None:
        return None
    for platform in platforms:
        for word in ASKED.get(platform, ()):
            if word in PROVIDERS and route_table[word][0] == platform:
                return f"{word}/{model}"
    maker = maker_of(model) if not platforms else None
    return f"{maker}/{model}" if maker in PROVIDERS else None


def _mock(model: str) -> Model:
    if model.startswith(_SCRIPTED):
        return mocks.Scripted(_file(model.removeprefix(_SCRIPTED)))
    if model not in _MOCKS:
        names = [f"mock/{name}" for name in (*_MOCKS, f"{_SCRIPTED}FILE")]
        raise unknown(f"mock/{model}", names, list_intro="the mocks are")
    return _MOCKS[model]()


def _file(name: str) -> Path:
    if not name or not Path(name).exists():
        raise UsageError(f"there is no file {name!r} to take the verdicts from")
    return Path(name)


class ModelEntry(Struct, frozen=True, kw_only=True):
    """Model, or a family of them, that can be named; `needs` says what is missing.

    `size` is that of its embedded weights in bytes.
    """

    name: str
    description: str
    needs: str | None
    size: int | None = None


_WRAPPERS: Final = (
    ModelEntry(
        name="balanced:MODEL", description="asks in both places, disagreement ties", needs=None
    ),
    ModelEntry(
        name="panel:M1,M2,M3", description="the majority of three judges or more", needs=None
    ),
    ModelEntry(
        name="band=0.1:MODEL", description="a smaller margin between scores ties", needs=None
    ),
)


def known_models(environment: Mapping[str, str]) -> list[ModelEntry]:
    """Return everything that `open_model` can open."""
    from epc.engine.local.models import LOCAL_MODELS
    from epc.engine.local.weights import weights_of

    local = [
        ModelEntry(
            name=f"local/{name}",
            description=model.description,
            needs=needs and f"`{needs}`",
            size=weights_of(name).size if model.has_weights else None,
        )
        for name, model in LOCAL_MODELS.items()
        for needs in [model.needs(name)]
    ]
    mock = [
        ModelEntry(
            name="mock/deterministic",
            description="fixed answers by digest; either role",
            needs=None,
        ),
        ModelEntry(
            name="mock/coin-flip", description="no preference at all; evaluator", needs=None
        ),
        ModelEntry(
            name="mock/scripted:FILE", description="preferences from a JSON file", needs=None
        ),
        ModelEntry(
            name="mock/judge", description="scores by digest, in strict JSON; judge", needs=None
        ),
        ModelEntry(
            name="mock/careless-judge", description="half its replies invalid; judge", needs=None
        ),
    ]
    recorded = ModelEntry(
        name="recorded:FILE", description="verdicts from a CSV file; evaluator", needs=None
    )
    hosted = [_known_provider(provider, environment) for provider in PROVIDERS.values()]
    return [*local, *mock, recorded, *hosted, *_WRAPPERS]


def _known_provider(provider: Provider, environment: Mapping[str, str]) -> ModelEntry:
    from epc.engine.protocols import PROTOCOLS

    needs = None
    if provider.address(environment) is None:
        needs = provider.address_variable
    elif provider.needs_key and not environment.get(provider.key_variable):
        needs = provider.key_variable
    address = provider.base_url or f"the address in {provider.base_variable}"
    if provider.decides:
        wire = "typed questions; evaluator, judge"
    else:
        wire = PROTOCOLS[provider.wire].title
    description = f"{wire} at {address}" + (" (a gateway)" if provider.gateway else "")
    return ModelEntry(name=f"{provider.name}/MODEL", description=description, needs=needs)
