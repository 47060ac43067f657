"""Judges by domain: benchmarks that are never pooled, and whether one decides between judges.

Pure: it is given values, and looks nothing up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import sqrt
from statistics import NormalDist
from typing import Final

from epc.analysis.headline import dated
from epc.protocol.results import Json
from epc.records.typed import as_json
from epc.records.verdicts.types import Modality
from epc.statistics.figures import Alone, ClusteredFigure
from epc.statistics.inference import ALPHA

FEWEST: Final = 20  # items, below which nothing is decided between judges
_MEASURE: Final = (
    "epc judge pairs pairs.csv --judge MODEL --out verdicts.jsonl",
    "epc audit verdicts.jsonl",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """Items of one source on which judges of a domain were tried, and the figure that ranks them.

    `task` is what is judged. `says` are the words of the figure; without a figure nothing says who
    is right. `settings` are patterns of the ways of asking that are listed. `chance` is what a coin
    reaches. `modality` is what judges saw beside text.
    """

    domain: str
    name: str
    repository: str
    task: str
    figure: str
    says: str
    settings: tuple[str, ...] = ("*",)
    chance: float | None = None
    modality: Modality = "text"


_PERSON: Final = "right by one person's label"
_TEMPLATE: Final = "right by the template's label"


def _choosing(name: str, folder: str, task: str, says: str) -> Benchmark:
    """Return a set of choices among labels; judges are listed by their plain prompt."""
    return Benchmark(
        domain="choices",
        name=name,
        repository="https://github.com/kunko-ai-labs/judge-audit",
        task=task,
        figure="accuracy",
        says=says,
        settings=(f"*/{folder}", f"*/{folder}/logprob"),
    )


_RAG: Final = "https://github.com/asukul/RAG-Eval-LLM-Judge"
_VLM: Final = "https://github.com/divake/VLM-Judge-Uncertainty"
BENCHMARKS: Final = (
    Benchmark(
        domain="rag",
        name="TREC RAG 2024",
        repository=_RAG,
        task="how well a retrieved passage answers a query, from 0 to 3",
        figure="rank_correlation",
        says="rank correlation with NIST's grades",
        settings=("*/once", "UMBRELA"),
        chance=0.0,
    ),
    Benchmark(
        domain="agent",
        name="Trajectory judge",
        repository="https://github.com/mohammadi-hadi/trajectory-judge",
        task="whether an agent's run has a fault",
        figure="balanced_accuracy",
        says="balanced accuracy, the mean of TPR and TNR",
        chance=0.5,
    ),
    Benchmark(
        domain="faithfulness",
        name="Faithfulness judge",
        repository="https://github.com/sanlee-ys/faithfulness-judge",
        task="whether a passage supports a claim",
        figure="balanced_accuracy",
        says="balanced accuracy, the mean of TPR and TNR",
        chance=0.5,
    ),
    Benchmark(
        domain="translation",
        name="WMT25 general translation",
        repository="https://github.com/wmt-conference/wmt25-general-mt",
        task="how good a translation is, from 0 to 100",
        figure="",
        says="nothing says who is right: the source has no scores by people",
    ),
    Benchmark(
        domain="image",
        name="MLLM-Judge",
        repository=_VLM,
        task="how good an answer about an image is, from 1 to 5",
        figure="rank_correlation",
        says="rank correlation with one person's grades",
        settings=("*/mllm-judge",),
        chance=0.0,
        modality="image",
    ),
    Benchmark(
        domain="image",
        name="Polaris",
        repository=_VLM,
        task="how well a caption describes an image, from 1 to 5",
        figure="rank_correlation",
        says="rank correlation with people's grades",
        settings=("*/polaris",),
        chance=0.0,
        modality="image",
    ),
    _choosing("BANKING77", "banking77", "which of 77 intents a bank's customer has", _PERSON),
    _choosing("CLINC150", "clinc150", "which of 30 intents a request has, if any", _PERSON),
    _choosing("Mails", "email-routing-v2", "which of 10 kinds a mail is", _TEMPLATE),
    _choosing(
        "Attacked mails",
        "email-routing-adversarial-v2",
        "which of 10 kinds a mail is that may try to mislead",
        _TEMPLATE,
    ),
    _choosing("Coding tasks", "task-routing-v2", "whether a task needs a strong model", _TEMPLATE),
    Benchmark(
        domain="preference",
        name="Arena pairs with Claude Opus 4",
        repository="https://github.com/yiqunchen/debias-llm-as-a-judge",
        task="which of two answers a visitor of the Arena chose",
        figure="humans_majority",
        says="same choice as one person",
        chance=0.5,
    ),
    Benchmark(
        domain="preference",
        name="Korean pairs",
        repository="https://github.com/kngyeol/ssafy-llm-judge-bias",
        task="which of two answers in Korean one person chose",
        figure="humans_majority",
        says="same choice as one person, ties too",
        settings=("*/gladiator",),
    ),
)
# Words that people type for a domain.
_NEAR: Final[Mapping[str, tuple[str, ...]]] = {
    "rag": ("retrieval", "search", "passages", "retrieval augmented generation"),
    "agent": ("agents", "agentic", "tool use", "tools", "trajectory", "trajectories"),
    "faithfulness": ("faithful", "groundedness", "grounding", "grounded", "entailment"),
    "translation": ("translations", "mt", "machine translation"),
    "preference": ("preferences", "pairwise", "arena", "chat"),
    "image": ("images", "vision", "visual", "vlm", "multimodal"),
    "choices": ("choice", "routing", "intent", "intents", "classification", "labels"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Domain in which no judge was measured here: what is public, and what has judges near it."""

    domain: str
    synonyms: tuple[str, ...]
    public: tuple[str, ...]
    near: tuple[str, ...]


_BLIND_SPOT: Final = (
    "Booyaka101/llm-judge-blind-spot: 16 judges on code and mathematics; it can be read only page "
    "by page, and a clone of it is wanted"
)
_UNMEASURED: Final = (
    Unmeasured(
        domain="code",
        synonyms=("coding", "programming", "software"),
        public=(_BLIND_SPOT,),
        near=("Math", "Precise IF", "agent"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A judge in one way of asking, with its figure and what must stand beside it.

    `sides` are further figures that the one is made of; `subsets` names parts that are stated by
    themselves, such as languages. `marks` are faults that mark the figure. `always` is the share
    that one answer for all reaches, `alone` where the judge may decide choices alone. `served` has
    the platforms with the ends that they state. `self_preference` is a remark, of whichever source
    has it. Where a benchmark has no figure of the whole, `by_subset` has those of its parts.
    """

    judge: str
    setting: str
    tag: str
    figure: ClusteredFigure | None
    verdicts: int
    sides: Mapping[str, ClusteredFigure]
    subsets: tuple[str, ...]
    month: str
    state: str
    faults: tuple[str, ...]
    marks: tuple[str, ...] = ()
    always: float | None = None
    alone: Alone | None = None
    served: Mapping[str, str] = field(default_factory=dict)
    self_preference: str = ""
    by_subset: Mapping[str, Mapping[str, ClusteredFigure]] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The figure, or minus one where there is none."""
        return self.figure.value if self.figure else -1.0

    @property
    def rank(self) -> tuple[float, str, str]:
        """The place among judges: the highest figure first, then by name."""
        return (-self.value, self.judge, self.setting)

    @property
    def dated(self) -> str:
        """The month, and whether the figure is too old."""
        return dated(self.month, is_stale=self.state == "stale")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkAnswer:
    """Judges of one benchmark, the best first, and whether the first is shown to be better.

    `faults` are the sentences of its known faults by id, `unserved` judges that nobody serves.
    """

    benchmark: Benchmark
    candidates: tuple[Candidate, ...]
    faults: Mapping[str, str]
    unserved: tuple[str, ...]
    decided: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainAnswer:
    """Answer of a domain on a day, benchmark by benchmark.

    Where no judge was measured `public` says what is known to be public, and `near` names domains
    with judges. `subset` is the part of the domain that was asked for, such as a language pair.
    """

    domain: str
    as_of: str
    platform: str | None
    benchmarks: tuple[BenchmarkAnswer, ...]
    subset: str | None = None
    public: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    measure: tuple[str, ...] = _MEASURE

    @property
    def has_judge(self) -> bool:
        """Return whether any judge is listed."""
        return any(answer.candidates for answer in self.benchmarks)

    def as_json(self) -> Json:
        """Return the answer as plain JSON."""
        document: Json = as_json(self)
        return document


def domain_named(text: str) -> str | None:
    """Return the domain of benchmarks, or the one without judges, that a word means."""
    word = text.casefold().replace("_", " ").replace("-", " ").strip()
    synonyms = {domain: _NEAR[domain] for domain in domains()}
    synonyms |= {unmeasured.domain: unmeasured.synonyms for unmeasured in _UNMEASURED}
    return next((name for name, near in synonyms.items() if word in (name, *near)), None)


def domains() -> tuple[str, ...]:
    """Return the domains that have a benchmark."""
    return tuple(dict.fromkeys(benchmark.domain for benchmark in BENCHMARKS))


def subset_named(subsets: Iterable[str], text: str) -> list[str]:
    """Return the parts that a word means: a whole name, or the beginning of some, as en-de."""
    word = _subset_word(text)
    return [name for name in subsets if f"{_subset_word(name)}-".startswith(f"{word}-")]


def _subset_word(name: str) -> str:
    return name.casefold().replace("_", "-").strip()


def unmeasured(domain: str) -> Unmeasured | None:
    """Return what is known of a domain in which no judge was measured here."""
    return next((entry for entry in _UNMEASURED if entry.domain == domain), None)


def near_to(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of domains that a word looks like."""
    by_word = {name.casefold(): name for name in names}
    return tuple(by_word[word] for word in get_close_matches(text.casefold(), by_word))


def is_decided(candidates: Sequence[Candidate]) -> bool:
    """Return whether the first judge is shown to be better than every other one.

    Shown is a difference whose interval, made of both judges' own and widened for all pairs, lies
    above 0. On the same items it is wider than a paired one, so it decides too seldom.

    Source: G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008), 1693-1702.
    """
    if not candidates:
        return False
    first = candidates[0]
    rivals = [rival for rival in candidates if rival.judge != first.judge]
    judges = len({candidate.judge for candidate in candidates})
    if not rivals or any((c.figure is None or c.figure.items < FEWEST) for c in candidates):
        return False
    pairs = judges * (judges - 1) / 2
    widened = NormalDist().inv_cdf(1 - ALPHA / (2 * pairs)) / NormalDist().inv_cdf(1 - ALPHA / 2)
    return all(_least_gap(first, rival, widened) > 0 for rival in rivals)


def _least_gap(first: Candidate, rival: Candidate, widened: float) -> float:
    """Return the lower end of how much better one is than another."""
    down, up = _reach(first.figure, 0), _reach(rival.figure, 1)
    return first.value - rival.value - widened * sqrt(down**2 + up**2)


def _reach(figure: ClusteredFigure | None, end: int) -> float:
    """Return how far a figure's lower or upper end is; without an end it reaches everywhere."""
    ends = figure.ci95 if figure else None
    if figure is None or ends is None or ends[end] is None:
        return float("inf")
    return abs(figure.value - ends[end])
