"""Judges that no list carries: what is known of them, and where from.

Weights that anybody has are on the platform `open-weights` under their id at Hugging Face. The
repository that holds a judge's verdicts, or asks it, names it; none of these states a day of
release, so the records state none.
"""

from collections.abc import Iterator
from datetime import date
from typing import Final

from studies.lifecycles.feeds import Word

LLMBAR: Final = ("princeton-nlp/LLMBar@900616b", date(2024, 7, 8))
JUDGEBENCH: Final = ("ScalerLab/JudgeBench@e2c52c2", date(2024, 11, 6))
PANDALM: Final = ("WeOpenML/PandaLM@3871806", date(2024, 5, 21))
PROMETHEUS: Final = ("prometheus-eval/prometheus-eval@dcfb442", date(2025, 4, 24))
AUTO_J: Final = ("GAIR-NLP/auto-j@2ae17a3", date(2024, 1, 18))
INSPECT: Final = ("UKGovernmentBEIS/inspect_ai 0.3.285", date(2026, 10, 25))

# The id, how else people write it, its maker, and who names it.
WEIGHTS: Final = (
    ("meta-llama/Llama-2-70b-chat-hf", ("llama-2-70b-chat",), "meta", LLMBAR),
    ("tiiuae/falcon-180B-chat", ("falcon-180b-chat",), "tii", LLMBAR),
    ("meta-llama/Meta-Llama-3.1-405B-Instruct", ("llama-3.1-405b-instruct",), "meta", JUDGEBENCH),
    (
        "meta-llama/Meta-Llama-3.1-70B-Instruct",
        ("llama-3.1-70b-instruct", "meta-llama/Llama-3.1-70B-Instruct"),
        "meta",
        JUDGEBENCH,
    ),
    (
        "meta-llama/Meta-Llama-3.1-8B-Instruct",
        ("llama-3.1-8b-instruct", "meta-llama/Llama-3.1-8B-Instruct"),
        "meta",
        JUDGEBENCH,
    ),
    ("WeOpenML/PandaLM-7B-v1", ("pandalm-7b",), "weopenml", PANDALM),
    ("GAIR/autoj-13b", ("auto-j-13b",), "gair", AUTO_J),
    ("GAIR/autoj-bilingual-6b", (), "gair", AUTO_J),
    ("prometheus-eval/prometheus-7b-v2.0", ("prometheus-2-7b",), "prometheus-eval", PROMETHEUS),
    ("prometheus-eval/prometheus-8x7b-v2.0", ("prometheus-2-8x7b",), "prometheus-eval", PROMETHEUS),
    ("prometheus-eval/prometheus-bgb-8x7b-v2.0", (), "prometheus-eval", PROMETHEUS),
    ("opencompass/CompassJudger-1-1.5B-Instruct", (), "opencompass", JUDGEBENCH),
    ("opencompass/CompassJudger-1-7B-Instruct", (), "opencompass", JUDGEBENCH),
    ("opencompass/CompassJudger-1-14B-Instruct", (), "opencompass", JUDGEBENCH),
    ("opencompass/CompassJudger-1-32B-Instruct", (), "opencompass", JUDGEBENCH),
    ("BAAI/JudgeLM-7B-v1.0", (), "baai", JUDGEBENCH),
    ("BAAI/JudgeLM-13B-v1.0", (), "baai", JUDGEBENCH),
    ("BAAI/JudgeLM-33B-v1.0", (), "baai", JUDGEBENCH),
    ("Ray2333/GRM-Gemma-2B-rewardmodel-ft", (), "ray2333", JUDGEBENCH),
    ("Skywork/Skywork-Reward-Gemma-2-27B", (), "skywork", JUDGEBENCH),
    ("Skywork/Skywork-Reward-Llama-3.1-8B", (), "skywork", JUDGEBENCH),
    ("Skywork/Skywork-Critic-Llama-3.1-8B", (), "skywork", JUDGEBENCH),
    ("Skywork/Skywork-Critic-Llama-3.1-70B", (), "skywork", JUDGEBENCH),
    ("internlm/internlm2-7b-reward", (), "internlm", JUDGEBENCH),
    ("internlm/internlm2-20b-reward", (), "internlm", JUDGEBENCH),
    ("openai/gpt-oss-120b", (), "openai", INSPECT),
    ("openai/gpt-oss-20b", (), "openai", INSPECT),
    ("meta-llama/Llama-3.3-70B-Instruct", ("llama-3.3-70b",), "meta", INSPECT),
    (
        "meta-llama/Llama-4-Maverick-17B-128E-Instruct",
        ("llama-4-maverick", "llama-4-maverick-17b-128e-instruct"),
        "meta",
        INSPECT,
    ),
    (
        "meta-llama/Llama-4-Scout-17B-16E-Instruct",
        ("llama-4-scout", "llama-4-scout-17b-16e-instruct"),
        "meta",
        INSPECT,
    ),
)
MAKERS: Final = {name: maker for name, _, maker, _ in WEIGHTS}

# Azure's page of what is retired; the stored copy carries no day.
_LEGACY: Final = "https://learn.microsoft.com/en-us/azure/ai-foundry/openai/concepts/legacy-models"
AZURE: Final[tuple[tuple[str, tuple[str, ...], date], ...]] = (
    ("gpt-3.5-turbo-0301", ("gpt-35-turbo-0301",), date(2025, 2, 13)),
    ("gpt-3.5-turbo-0613", ("gpt-35-turbo-0613",), date(2025, 2, 13)),
    ("gpt-3.5-turbo-16k-0613", ("gpt-35-turbo-16k-0613",), date(2025, 4, 30)),
    ("gpt-4-0314", (), date(2025, 6, 6)),
    ("gpt-4-0613", (), date(2025, 6, 6)),
    ("gpt-4-32k-0314", (), date(2025, 6, 6)),
    ("gpt-4-32k-0613", (), date(2025, 6, 6)),
    ("gpt-4.5-preview", (), date(2025, 7, 14)),
    ("o1-preview", (), date(2025, 7, 28)),
    ("text-davinci-002", (), date(2024, 6, 14)),
    ("text-davinci-003", (), date(2024, 6, 14)),
)
_VERTEX: Final = "https://cloud.google.com/vertex-ai/generative-ai/docs/deprecations/palm"
_PALM: Final = "https://ai.google.dev/palm_docs/deprecation"


def words() -> Iterator[Word]:
    """Yield open weights, what Azure has retired, and PaLM 2 on both of Google's platforms."""
    for name in ("o1-mini", "o1-preview"):  # of which there was one version each
        yield Word(
            platform="openai",
            model=name,
            aliases=(f"{name}-2024-09-12",),
            by=INSPECT[0],
            source="https://github.com/UKGovernmentBEIS/inspect_ai",
            seen=INSPECT[1],
            serves=False,
        )
    for name, aliases, ends in AZURE:
        yield Word(
            platform="azure-foundry",
            model=name,
            aliases=aliases,
            by="a stored copy of the page without a day",
            source=_LEGACY,
            seen=date.min,
            retires=ends,
        )
    for name, aliases, _, (by, seen) in WEIGHTS:
        yield Word(
            platform="open-weights",
            model=name,
            aliases=aliases,
            by=by,
            source=f"https://github.com/{by.partition('@')[0].partition(' ')[0]}",
            seen=seen,
        )
    for model in ("text-bison-001", "chat-bison-001"):
        yield Word(
            platform="google-gemini-api",
            model=model,
            by="the page, as of 2024-08-20",
            source=_PALM,
            seen=date(2024, 8, 20),
            retires=date(2024, 8, 15),
        )
    for model in ("text-bison@001", "text-bison@002", "chat-bison@001", "chat-bison@002"):
        yield Word(
            platform="google-vertex",
            model=model,
            by="a stored copy of the page without a day",
            source=_VERTEX,
            seen=date.min,
            deprecated=date(2024, 4, 9),
            retires=date(2025, 4, 9),
            replacement="gemini-1.5-flash",
        )
