"""Ways to decide and what was measured of them: the document behind `epc which` and its pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Final

from epc.errors import UsageError
from epc.statistics.all_pairs import EQUAL
from epc.statistics.clusters import score_interval
from epc.statistics.figures import Figure
from epc.statistics.gains import Exchange
from epc.statistics.inference import ALPHA, t_point

_SCORE: Final = "score"  # the prompt of a reward model, which reads none
ALL: Final = "all"  # the mean of all domains, each of equal weight
PICKED: Final = ("luck_share", "fresh", "taste_least", "taste_most", "gold_gain")


# Words that people type for a domain of the benchmark; one of several domains is near them all.
_NEAR: Final[Mapping[str, tuple[str, ...]]] = {
    "Factuality": (
        *("fact", "facts", "factual", "truth", "truthfulness", "knowledge", "hallucination"),
        *("hallucinations", "qa", "summarization"),
    ),
    "Focus": ("relevance", "relevancy", "on topic", "quality", "helpfulness", "summarization"),
    "Math": (*("maths", "mathematics", "arithmetic", "gsm8k", "reasoning", "logic"),),
    "Precise IF": (
        *("if", "instruction following", "instructions", "ifeval", "format", "formatting"),
        "constraints",
    ),
    "Safety": ("safe", "harm", "harmlessness", "toxicity", "refusal", "refusals", "bias", "abuse"),
}


def price_text(usd: float | None) -> str:
    """Return what 1,000 questions cost."""
    return "no price" if usd is None else f"${usd:.2f} for 1,000 questions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to decide: `models` are asked `askings` times each with one prompt.

    The source asked each of them `times` times, so that a share is a mean over all that could have
    been taken of these.

    `settings` are its names in the snapshots `tags`. `usd` is the price of 1,000 questions in
    dollars, None where the source counts no tokens or nobody states a price; `priced` says by what
    it was computed, or why it was not.
    """

    models: tuple[str, ...]
    askings: int
    prompt: str
    source: str
    tags: tuple[str, ...]
    settings: tuple[str, ...]
    usd: float | None
    priced: str
    times: int = 1

    @property
    def scores_alone(self) -> bool:
        """Return whether its judge gives scores and takes no instructions: a reward model."""
        return self.prompt == _SCORE

    @property
    def words(self) -> str:
        """Who is asked how often."""
        times = {1: "once", 2: "twice"}.get(self.askings, f"{self.askings} times")
        is_panel = len(self.models) > 1
        return f"{' and '.join(self.models)}, {times}{' each' if is_panel else ''}"

    @property
    def cost(self) -> float:
        """The price to sort by: what has none stands behind all that has one."""
        return inf if self.usd is None else self.usd


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The share of questions on which each way is right, and how these shares vary together.

    `covariance` is that of the shares, row by row up to the diagonal. `point` is the t that a
    difference of any two ways must pass to be shown; without it none is (Reading R102).

    Shapes: `right` (ways,), `covariance` (ways, 1 to ways).
    """

    questions: int
    right: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    point: float = inf

    def variance(self, way: int, second: int) -> float:
        """Return the covariance of two ways' shares, or one's variance."""
        return self.covariance[max(way, second)][min(way, second)]

    def gain(self, way: int, second: int) -> Figure:
        """Return by how much more often one way is right than another, on the same questions."""
        gap = self.right[way] - self.right[second]
        reach = t_point(self.questions - 1) * sqrt(self._spread(way, second))
        return Figure(value=gap, ci95=(gap - reach, gap + reach))

    def beats(self, way: int, second: int) -> bool:
        """Return whether one way is shown to be right more often than another, of all pairs."""
        error = sqrt(self._spread(way, second))
        return error > EQUAL and self.right[way] - self.right[second] > self.point * error

    def _spread(self, way: int, second: int) -> float:
        together = self.variance(way, way) + self.variance(second, second)
        return max(0.0, together - 2 * self.variance(way, second))


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """What taking the best of `n` answers by one asking of a judge gains (Reading R94).

    `figures` are in points of the judge's score: `fresh` by other askings, of which `taste_least`
    to `taste_most` are paid for something else than gold. `luck_share` is a part of what the
    asking that picked believes, and `gold_gain` of right answers.
    """

    n: int
    questions: int
    figures: Mapping[str, Figure]


def models_of(ways: Iterable[Way]) -> list[str]:
    """Return the models that are asked, each once."""
    return [*dict.fromkeys(model for way in ways for model in way.models)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What was measured of ways to decide: on which benchmark, what is decided, and the figures.

    `picked` is what picking by each judge gains, by its snapshot and then by domain. `paid` is what
    the judge of an optimiser's runs pays for, by their snapshot and then by their start.
    """

    benchmark: str
    decides: str
    chance: float
    ways: tuple[Way, ...]
    domains: Mapping[str, Domain]
    picked: Mapping[str, Mapping[str, Picked]] = field(default_factory=dict)
    paid: Mapping[str, Mapping[str, Exchange]] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, frozenset[str]]:
        """The settings in which each judge was asked, by the snapshot that has them."""
        alone = (way for way in self.ways if len(way.tags) == 1)
        return {way.tags[0]: frozenset(way.settings) for way in alone}

    # Reading R102: a share near 1 varies upwards less than downwards.
    def figure(self, domain: Domain, way: int, comparisons: int = 1) -> Figure:
        """Return a way's share with its interval, corrected for so many that are looked at."""
        askings = domain.questions * self.ways[way].times * len(self.ways[way].models)
        share, spread = domain.right[way], domain.variance(way, way)
        error = ALPHA / comparisons
        ends = score_interval(share, spread, domain.questions, limit=askings, error=error)
        return Figure(value=share, ci95=ends)

    def domain(self, name: str) -> tuple[str, Domain]:
        """Return the domain that a name, its beginning or a near word means.

        Raises: UsageError if it means none, or several.
        """
        wanted = name.casefold().replace("_", " ").replace("-", " ").strip()
        fits = [name for name in self.domains if name.casefold() == wanted]
        fits = fits or [name for name in self.domains if name.casefold().startswith(wanted)]
        near = [name for name in self.domains if wanted in _NEAR.get(name, ())]
        if len(fits or near) == 1:
            (domain_name,) = fits or near
            return domain_name, self.domains[domain_name]
        hint = f"; near it: {' and '.join(near)}" if near else ""
        raise UsageError(
            f"{name!r} is no domain that judges were measured in{hint}\n"
            f"  fix: one of {', '.join(self.domains)}"
        )
