"""How people spell a model: its name, and what stands round it (`azure/`, an ARN, `:free`).

One parser for `epc scan`, `epc expiry`, `epc run` and the front page's box, which reads the same
rules from `assets/names.json`; so patterns are of the kind that Python and JavaScript share. Whole
names are matched, in any case; what is left is the pattern's last group.

Pure.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

RECORDED: Final = "recorded:"  # before a file of verdicts that are taken for a model
# What models' names begin with on a platform, in Inspect or in LiteLLM. A platform's name is one
# as well.
ASKED: Final[dict[str, tuple[str, ...]]] = {
    "openai": ("openai", "openai-decisions"),
    "azure-openai": ("azure-openai", "azure", "openai/azure"),
    "azure-foundry": (
        *("azure-foundry", "azure", "azureai"),
        *("openai/azure", "anthropic/azure", "mistral/azure"),
    ),
    "deepseek": ("deepseek",),
    "alibaba-model-studio": ("dashscope",),
    "anthropic": ("anthropic",),
    "google-gemini-api": ("google", "gemini"),
    "google-vertex": ("google", "vertex_ai", "google/vertex", "anthropic/vertex"),
    "aws-bedrock": ("bedrock", "anthropic/bedrock"),
    "mistral": ("mistral",),
    "xai": ("xai", "grok"),
    "typesafe": ("typesafe",),
    "self-hosted": (
        *("ollama", "vllm", "llamacpp", "sglang", "lmstudio", "llama-cpp-python", "hf"),
        "ollaya",
    ),
    "local": ("local",),
    "mock": ("mock",),
}
# By which of these words `epc run` asks a platform's models, and which embedded ones it lets
# compare answers. Tests hold both against the engine, which nothing to its left may import.
PROVIDER_OF: Final[dict[str, str]] = {
    "openai": "openai",
    "azure-openai": "azure",
    "deepseek": "deepseek",
    "alibaba-model-studio": "dashscope",
    "anthropic": "anthropic",
    "google-gemini-api": "google",
    "aws-bedrock": "bedrock",
    "mistral": "mistral",
    "xai": "xai",
    "typesafe": "typesafe",
}
EMBEDDED_EVALUATORS: Final = frozenset(
    {
        *(
            f"{weights}{way}"
            for weights in ("smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
            for way in ("", "-constrained", "-labels", "-likelihood")
        ),
        "word-count",
    }
)
# What stands there in other programs' settings, and on model hubs for the maker.
_FURTHER: Final = {
    "azure-openai": "azure_openai azureopenai azure_ai azure-openai-responses",
    "azure-foundry": "azure_ai azure_openai azureopenai",
    "alibaba-model-studio": "alibaba alibabacloud",
    "google-gemini-api": "google_genai google-genai google-gla googleai google_ai_studio",
    "google-vertex": "vertex vertexai vertex-ai google_vertexai google_anthropic_vertex",
    "aws-bedrock": "bedrock_converse bedrock-converse bedrock_mantle amazon-bedrock amazon_bedrock",
    "mistral": "mistralai",
    "xai": "x-ai",
    "self-hosted": "ollama_chat lm_studio hosted_vllm localai",
    "together": "together_ai togetherai",
    "fireworks": "fireworks_ai fireworks-ai",
    "nvidia": "nvidia_nim",
    "cohere": "cohere_chat",
    "novita": "novita-ai",
    "moonshot": "moonshotai",
    "zai": "z-ai zai-org",
    "minimax": "minimaxai",
    "snowflake-cortex": "snowflake",
}
# Who forwards to models of others, each under the name that its maker's platform gives it.
GATEWAYS: Final = (
    *("openrouter", "openrouter-decisions", "litellm-proxy", "cloudflare"),
    "hf-inference-providers",
)
_FORWARDS: Final = (
    *GATEWAYS,
    *(
        "litellm",
        "litellm_proxy",
        "github",
        "github_copilot",
        "github-copilot",
        "copilot",
        "vercel",
    ),
    *("vercel_ai_gateway", "ai-gateway", "gateway", "portkey", "requesty", "helicone", "aihubmix"),
    *("poe", "replicate", "databricks", "watsonx", "heroku", "llmgateway", "edenai", "opencode"),
    # Hosts of others' models that publish no dates, as LiteLLM's table of models calls them.
    *("aiand", "anyscale", "bigmodel", "bytez", "chatgpt", "clf_ai_gateway", "coralbricks"),
    *("crusoe", "darkbloom", "empiriolabs", "featherless_ai", "friendliai", "gmi", "gradient_ai"),
    *("hostinger_router", "hyperbolic", "inferenceapis", "kyma", "lambda_ai", "lemonade"),
    *("libertai", "llamagate", "morph", "nscale", "oci", "opencode_go", "openinfer", "pinstripes"),
    *("prism", "publicai", "qwen_ai_platform", "qwencloud", "refuseless", "sagemaker", "sail"),
    *("sambanova", "scx-ai", "streamlake", "tensormesh", "wally", "zerogpu"),
)
# Words that say nothing of where: an interface, the program that asks, a maker's folder on a hub.
SILENT: Final = (
    *("chat", "completion", "completions", "responses", "messages", "converse", "converse_like"),
    *("invoke", "inspect", "text-generation", "anthropic_messages", "decisions", "systemone"),
    *("@cf", "@hf", "@oi"),
    *("deepseek-ai", "ibm", "ibm-granite", "inclusionai", "meta-llama", "meta-models", "microsoft"),
    *("nousresearch", "qwen", "stepfun", "stepfun-ai", "thinkingmachines", "xiaomimimo"),
)
_VENDORS: Final = (
    "ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia"
    "|openai|qwen|writer|xai|zai"
)
HEAD: Final = r"(@?[a-z][a-z0-9_.-]*)(?:/|:/?)(.+)"
# What else is taken off, the first that fits, and the platform that it speaks of. The groups that
# are left are one name, with a point between them.
RULES: Final[tuple[tuple[str, str], ...]] = (
    # Where a cloud keeps the model, and how it is paid for.
    (r"(?:[a-z]{2}(?:-gov)?-[a-z]+-[0-9]|us|us-gov|eu|apac|global|global-standard)/(.+)", ""),
    (r"(?:\*|[0-9]+-month-commitment|claude_platform)/(.+)", ""),
    (r"arn:aws[a-z-]*:bedrock[a-z-]*:[^:]*:[^:]*:(.+)", "aws-bedrock"),
    (r"(?:foundation-model|(?:system-)?inference-profile)/(.+)", "aws-bedrock"),
    (r"(?:.*/)?publishers/[^/]+/models/(.+)", "google-vertex"),
    (r"models/((?:gemini|gemma|learnlm|text-bison|chat-bison).*)", "google-gemini-api"),
    (r"accounts/[^/]+/models/(.+)", "fireworks"),
    (r"(.*[0-9])p([0-9].*)", ""),  # as Fireworks writes a version, glm-5p1
    (r"(?:databricks-|system\.ai\.|(?:alibaba|anthropic|openai|perplexity)-)(.+)", ""),
    (r"(.+)-maas", "google-vertex"),
    (r"(gemini-.+)-00[0-9]", "google-vertex"),  # a version that goes by the unversioned name
    (r"fw-(.+)", "azure-foundry"),
    (r"(.+?)(?::(?:free|nitro|floor|online|extended|thinking|beta|exacto)|\[1m\])", ""),
    (r"(.+):(?:generatecontent|streamgeneratecontent|counttokens|predict|rawpredict)", ""),
    (r"(.+)@(?:default|latest)", ""),
    (r"(?:us|us-gov|eu|apac|au|jp|ca|sa|uk|in|global)\.([a-z0-9]+\..+)", "aws-bedrock"),
    (r"(.+:[0-9]+):[0-9]+k", "aws-bedrock"),
    (rf"((?:{_VENDORS})\..+?)(?:-v[0-9]+(?::[0-9]+)?|:[0-9]+)", "aws-bedrock"),
    (r"(.+)-v[0-9]+:[0-9]+", "aws-bedrock"),
    (rf"(?:{_VENDORS})\.(.+)", "aws-bedrock"),
)
_ANY_RULE: Final = "|".join(f"(?:{pattern})" for pattern, _ in RULES)
# What stands for a model and does not name it.
NAMELESS: Final = (
    r"(?:.*[/:])?arn:aws[a-z-]*:bedrock[a-z-]*:[^:]*:[^:]*:(?:application-inference-profile"
    r"|provisioned-model|imported-model|(?:default-)?prompt-router|custom-model(?:-deployment)?)/[^*]+"
    r"|application-inference-profile/[a-z0-9]+|(?:.*/)?projects/[^/]+/locations/[^/]+/endpoints/[0-9]+"
)
_SPACED: Final = re.compile(r"[\s._@-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """A name, or what is left of it: `platforms` are those that it says; None if it says none.

    `through` are the gateways before it, the first one first.
    """

    name: str
    platforms: tuple[str, ...] | None = None
    through: tuple[str, ...] = ()


def routes(platforms: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return the platforms that each word before a name can mean; none for a gateway.

    `platforms` are further ones, each of which has its name as a word.
    """
    prefixes: dict[str, tuple[str, ...]] = dict.fromkeys(_FORWARDS, ())
    for platform in dict.fromkeys([*ASKED, *_FURTHER, *platforms]):
        spellings = (
            platform.lower(),
            *ASKED.get(platform, ()),
            *_FURTHER.get(platform, "").split(),
        )
        for word in dict.fromkeys(spellings):
            prefixes[word] = (*prefixes.get(word, ()), platform)
    return prefixes


def narrowings(prefixes: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return every choice of platforms that words before a name can say, one within another."""
    said = {platforms for platforms in prefixes.values() if platforms}
    said |= {(platform,) for _, platform in RULES if platform}
    pairs = ((outer, inner) for outer in said for inner in said)
    narrowed = {tuple(p for p in outer if p in inner) for outer, inner in pairs}
    return sorted((said | narrowed) - {()})


def rules(prefixes: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """Return the rules as JSON, for the front page's box."""
    return {
        "routes": prefixes,
        "silent": SILENT,
        "head": HEAD,
        "rules": RULES,
        "nameless": NAMELESS,
    }


def shorter(text: str, prefixes: Mapping[str, tuple[str, ...]]) -> Iterator[Spelling]:
    """Yield a name as it is written, then without what stands round it, a part at a time.

    `prefixes` are those of `routes`.
    """
    spelt: Spelling | None = Spelling(name=" ".join(text.split()))
    while spelt:
        yield spelt
        spelt = _without_affix(spelt, prefixes)


def is_nameless(text: str) -> bool:
    """Return whether a text stands for a model without naming it, as an account's profile does."""
    return "/" in text and _pattern_of(NAMELESS).fullmatch(text) is not None


def key(name: str) -> str:
    """Return what is one in all spellings of a name: `Claude Sonnet 4.5`, `claude-sonnet-4-5`."""
    return _SPACED.sub("-", name.strip().lower())


def _without_affix(spelt: Spelling, prefixes: Mapping[str, tuple[str, ...]]) -> Spelling | None:
    """Return a name without its outermost prefix or suffix; None if it has none."""
    if match := _pattern_of(HEAD).fullmatch(spelt.name):
        word, remainder = match[1].lower(), match[2]
        further = _pattern_of(HEAD).fullmatch(remainder)
        if further and (longer := f"{word}/{further[1].lower()}") in prefixes:
            word, remainder = (
                longer,
                further[2],
            )  # Gemini on Vertex AI is `google/vertex/...` to some
        if word in SILENT:
            return replace(spelt, name=remainder)
        if (platforms := prefixes.get(word)) is not None:
            through = spelt.through if platforms else (*spelt.through, match[1])
            narrowed = _narrowed(spelt.platforms, platforms)
            return Spelling(name=remainder, platforms=narrowed, through=through)
    for pattern, platform in RULES if _pattern_of(_ANY_RULE).fullmatch(spelt.name) else ():
        if match := _pattern_of(pattern).fullmatch(spelt.name):
            platforms = _narrowed(spelt.platforms, (platform,) if platform else ())
            return replace(spelt, name=".".join(match.groups()), platforms=platforms)
    return None


def _narrowed(outer: tuple[str, ...] | None, inner: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the platforms that a name says: a word within may narrow what stands before it."""
    if not outer or not inner:
        return outer or inner or None
    return tuple(platform for platform in outer if platform in inner) or outer


@cache
def _pattern_of(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)
