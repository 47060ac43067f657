"""Platform on which a model was asked, by the provider in its name and the address (EPC-5.3).

Three things must agree: the provider that a model's name begins with, the address in the record,
and the platform that somebody claims. A gateway forwards to models of others and may change
questions, answers, or the model itself (pitfall 2). A server of one's own answers to any name, so
it is a platform of its own, and stands for no maker's.

The table need not be complete to be safe: an address that is no platform's here is nobody's.

Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from epc.errors import UsageError
from epc.printable import one_line
from epc.protocol.mitigation import is_wrapper, members_named
from epc.records.manifest import ModelIdentity
from epc.records.model_names import ASKED, GATEWAYS, RECORDED

Kind = Literal["direct", "gateway", "unknown"]

SELF_HOSTED: Final = "self-hosted"
SEVERAL: Final = "several"  # of a wrapper whose members were asked on more than one platform
_GRAVEST: Final[tuple[Kind, ...]] = ("gateway", "unknown", "direct")


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A platform, and the signs that a model was asked on it.

    `providers` are what its models' names begin with here, in Inspect or in LiteLLM; `hosts` is a
    pattern of its own addresses.
    """

    providers: tuple[str, ...]
    hosts: str


_ANY: Final = r"[a-z0-9-]+"
_HOSTS: Final = {
    "openai": rf"({_ANY}\.)?api\.openai\.com",
    "azure-openai": rf"{_ANY}\.(openai\.azure|cognitiveservices\.azure)\.com",
    "azure-foundry": rf"{_ANY}(\.{_ANY})?\.(services|models|inference)\.ai\.azure\.com",
    "deepseek": r"api\.deepseek\.com",
    "alibaba-model-studio": r"dashscope(-intl|-us)?\.aliyuncs\.com",
    "anthropic": r"api\.anthropic\.com",
    "google-gemini-api": r"generativelanguage\.googleapis\.com",
    "google-vertex": rf"({_ANY}[.-])?aiplatform\.googleapis\.com",
    "aws-bedrock": rf"bedrock-(runtime|mantle)\.{_ANY}\.(amazonaws\.com|api\.aws)",
    "mistral": r"api\.mistral\.ai",
    "xai": rf"({_ANY}\.)?api\.x\.ai",
    "typesafe": r"api\.typesafe\.ai",
    # Whoever measures runs the server too, wherever it is.
    SELF_HOSTED: r"(.+\.)?(localhost|local|internal|lan|home\.arpa)",
    "local": r"(?!)",
    "mock": r"(?!)",
}
PLATFORMS: Final = {
    name: Platform(providers=ASKED[name], hosts=hosts) for name, hosts in _HOSTS.items()
}
# What stands in a record where nothing was asked over a network, and whose it is.
_HERE: Final = {"embedded": "local", "mock": "mock"}
_FILE: Final = "file"  # verdicts that were recorded before: nothing shows where
_SDK: Final = "inspect:"  # the address that a provider's own software has

_GATEWAY_HOSTS: Final = (
    "openrouter.ai",
    "gateway.ai.cloudflare.com",
    "router.huggingface.co",
    "ai-gateway.vercel.sh",
    "api.portkey.ai",
    "helicone.ai",
    "hconeai.com",
    "api.aimlapi.com",
    "router.requesty.ai",
    "api.unify.ai",
    "api.edenai.run",
    "api.poe.com",
    "api.nano-gpt.com",
    "aihubmix.com",
    "llm.kluster.ai",
)


def members_of(name: str) -> tuple[str, ...]:
    """Return the names of those whom an evaluator asks; none of one that asks nobody.

    Nor of a name that spells no evaluator: a record may be older than what can be asked today.
    """
    try:
        return members_named(name) if is_wrapper(name) else ()
    except UsageError:
        return ()


def parts_of(name: str) -> list[str]:
    """Return the parts of a model's name; one that asks others goes by its whole name alone."""
    return [name] if is_wrapper(name) else name.split("/")


def provider_of(name: str) -> str:
    """Return the provider of a model's name, which Inspect's names carry second.

    A wrapper's is that of its members, or `several`.
    """
    if members := members_of(name):
        providers = {provider_of(member) for member in members}
        return providers.pop() if len(providers) == 1 else SEVERAL
    return name.removeprefix("inspect/").partition("/")[0]


def named(name: str) -> frozenset[str] | None:
    """Return the platforms that a model's name can mean; None where it means no certain one.

    A gateway's name goes on with the maker's, which its own table knows by many names.
    """
    parts = name.removeprefix("inspect/").split("/")
    if parts[0] in GATEWAYS:
        parts = parts[1:]
    for provider in ("/".join(parts[:2]), parts[0] if len(parts) > 1 else ""):
        platforms = frozenset(
            p for p, platform in PLATFORMS.items() if provider in platform.providers
        )
        if platforms:
            return platforms
    return None


def addressed(endpoint: str) -> frozenset[str] | None:
    """Return the platforms whose address one is; None where it is no platform's own."""
    if endpoint in _HERE:
        return frozenset({_HERE[endpoint]})
    host = host_of(endpoint)
    if _is_own_machine(host):
        return frozenset({SELF_HOSTED})
    platforms = frozenset(
        p for p, platform in PLATFORMS.items() if re.fullmatch(platform.hosts, host)
    )
    return (
        platforms
        if (platforms and endpoint.startswith("https://")) or SELF_HOSTED in platforms
        else None
    )


def asked_on(model: ModelIdentity) -> frozenset[str] | None:
    """Return the platforms on which a record shows that its model can have been asked.

    None: name and address mean no certain one, as a gateway's do, or an address that nobody knows.
    Empty: they contradict each other.
    """
    if members := model.members:
        by_member = [asked_on(member) for member in members]
        shown_on = [platforms for platforms in by_member if platforms is not None]
        common = frozenset.intersection(*shown_on) if len(shown_on) == len(by_member) else None
        return common or (frozenset() if frozenset() in by_member else None)
    by_name, by_address = named(model.model), addressed(model.endpoint)
    if model.endpoint == _FILE and not model.model.startswith(RECORDED):
        return frozenset()
    if by_name is None or by_address is None:
        return by_address if by_name is None else by_name
    return by_name & by_address


def kind_of(model: ModelIdentity) -> Kind:
    """Return how a role's model was asked, as far as its own record tells.

    `unknown`: the address is neither a known gateway nor the platform's own.
    """
    if members := model.members:
        kinds = {kind_of(member) for member in members}
        return next(kind for kind in _GRAVEST if kind in kinds)
    name, endpoint = model.model, model.endpoint
    if model.gateway is not None or provider_of(name) in GATEWAYS or is_gateway(endpoint):
        return "gateway"
    by_name = named(name)
    if addressed(endpoint) is None and by_name != frozenset({SELF_HOSTED}):
        has_no_host = endpoint == _FILE or (by_name is not None and endpoint.startswith(_SDK))
        return "direct" if has_no_host and not contradiction(model) else "unknown"
    return "direct" if asked_on(model) else "unknown"


def platform_of(model: ModelIdentity) -> str | None:
    """Return the one platform on which a model was asked; None where its record leaves it open."""
    platforms = asked_on(model) or frozenset()
    return next(iter(platforms)) if len(platforms) == 1 else None


def contradiction(model: ModelIdentity) -> str:
    """Say how the name and the address of a record contradict each other; empty if they do not."""
    if asked_on(model) != frozenset():
        return ""
    wrong = [problem for member in model.members if (problem := contradiction(member))]
    if wrong:
        return "; ".join(wrong)
    places = " or ".join(sorted(addressed(model.endpoint) or ())) or "no address"
    named_platforms = " or ".join(sorted(named(model.model) or ()))
    address, name = one_line(model.endpoint), one_line(model.model)
    return f"{address} is {places}, and {name} is named as a model on {named_platforms}"


def misplaced(model: ModelIdentity, platform: str | None) -> str:
    """Say why a model was not asked on a platform; empty if it can have been."""
    platforms = asked_on(model)
    if not platforms or platform in platforms:
        return ""
    places = " or ".join(sorted(platforms))
    return f"says {platform}, {one_line(model.model)} was asked on {places}"


def is_gateway(endpoint: str) -> bool:
    """Return whether an address is a known gateway's."""
    host = host_of(endpoint)
    return any(host == gateway or host.endswith(f".{gateway}") for gateway in _GATEWAY_HOSTS)


def host_of(endpoint: str) -> str:
    """Return the host of an address in lower case, empty where it is none."""
    try:
        return (urlsplit(endpoint).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_own_machine(host: str) -> bool:
    """Return whether a host is this machine, or one that only its own network reaches."""
    return any(not address.is_global for address in _addresses(host)) or (
        bool(host) and "." not in host and ":" not in host
    )


def _addresses(host: str) -> Iterator[Any]:
    """Yield the address that a host is written as, whatever stands in it: IPv4 in IPv6, too."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return
    yield getattr(address, "ipv4_mapped", None) or address
