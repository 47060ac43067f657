"""Which judge for a kind of task: those that are not shown to be worse than any other.

A way to decide is one judge, or two, asked so many times: the answer with the highest mean score is
taken. All ways were tried on the same questions, so two of them are compared question by question.
Nothing here needs NumPy: the look-up package answers it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Final

from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.typed import as_json
from epc.statistics.figures import Figure
from epc.statistics.gains import Exchange
from epc.statistics.inference import ALPHA, t_point

ALL: Final = "all"  # the domain of all questions
PICKED: Final = ("luck_share", "fresh", "taste_least", "taste_most", "gold_gain")
_LEAST: Final = 1e-9  # a spread so small is that of equal choices


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to decide: `models` are asked `askings` times each with one prompt.

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

    @property
    def words(self) -> str:
        """Who is asked how often."""
        times = {1: "once", 2: "twice"}.get(self.askings, f"{self.askings} times")
        many = len(self.models) > 1
        return f"{' and '.join(self.models)}, {times}{' each' if many else ''}"

    @property
    def cost(self) -> float:
        """The price to sort by: what has none stands behind all that has one."""
        return inf if self.usd is None else self.usd


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The share of questions on which each way is right, and how these shares vary together.

    `covariance` is that of the shares, row by row up to the diagonal.

    Shapes: `right` (ways,), `covariance` (ways, 1 to ways).
    """

    questions: int
    right: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]

    def variance(self, way: int, other: int) -> float:
        """Return the covariance of two ways' shares, or one's variance."""
        return self.covariance[max(way, other)][min(way, other)]

    def figure(self, way: int, comparisons: int = 1) -> Figure:
        """Return a way's share with its interval, corrected for so many that are looked at."""
        value, error = self.right[way], sqrt(self.variance(way, way))
        reach = t_point(self.questions - 1, ALPHA / comparisons) * error
        return Figure(value=value, ci95=(max(0.0, value - reach), min(1.0, value + reach)))

    def gain(self, way: int, other: int) -> Figure:
        """Return by how much more often one way is right than another, on the same questions."""
        gap = self.right[way] - self.right[other]
        reach = t_point(self.questions - 1) * sqrt(self._spread(way, other))
        return Figure(value=gap, ci95=(gap - reach, gap + reach))

    def beats(self, way: int, other: int, comparisons: int) -> bool:
        """Return whether one way is shown to be right more often, as one of so many comparisons."""
        point = t_point(self.questions - 1, 2 * ALPHA / max(1, comparisons))
        spread = self._spread(way, other)
        return spread > _LEAST**2 and self.right[way] - self.right[other] > point * sqrt(spread)

    def _spread(self, way: int, other: int) -> float:
        together = self.variance(way, way) + self.variance(other, other)
        return max(0.0, together - 2 * self.variance(way, other))


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

    def domain(self, name: str) -> tuple[str, Domain]:
        """Return the domain that a name or its beginning means.

        Raises: UsageError if it means none, or several.
        """
        wanted = name.casefold()
        fits = {known: d for known, d in self.domains.items() if known.casefold() == wanted}
        fits = fits or {
            known: d for known, d in self.domains.items() if known.casefold().startswith(wanted)
        }
        if len(fits) != 1:
            raise UsageError(
                f"{name!r} is no domain that judges were measured in\n"
                f"  fix: one of {', '.join(self.domains)}"
            )
        return next(iter(fits.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way that may be used, with its figure."""

    way: Way
    right: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortList:
    """The ways that nothing is shown to beat, the cheapest first, and those that are beaten.

    `too_dear` cost more than the budget, `unpriced` have no price to hold against it.
    """

    domain: str
    questions: int
    options: tuple[Option, ...]
    beaten: tuple[Option, ...]
    too_dear: tuple[Option, ...]
    unpriced: tuple[Option, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """The answer: a short list, and for each judge in it how long somebody serves it.

    `served` has the platforms of each. `gone` are judges with figures that nobody serves on that
    day, or not on the wanted platform. `by_client` were asked by a client that adds its own text.
    """

    as_of: str
    platform: str | None
    budget: float | None
    benchmark: str
    decides: str
    chance: float
    short: ShortList
    served: Mapping[str, Mapping[str, str]]
    gone: tuple[str, ...]
    by_client: tuple[str, ...] = ()

    def as_json(self) -> Json:
        """Return the answer as plain JSON."""
        document: Json = as_json(self)
        return document


def short_list(
    choices: Choices, name: str, *, usable: Sequence[int], budget: float | None = None
) -> ShortList:
    """Return which of the usable ways are not shown to be worse than another, in a domain.

    A way is beaten if one of the others is shown to be right more often, each tested at 5% divided
    by the number of others. So the best way of all is among those that remain in 95 of 100 cases.
    Of a judge's ways that remain, only the one with the fewest askings is listed.

    Source: multiple comparisons with the best, J. C. Hsu, Annals of Statistics 12 (1984),
        1136-1144; here with Bonferroni's correction, which needs no equal variances.
    """
    name, domain = choices.domain(name)
    ways, limit = choices.ways, inf if budget is None else budget
    within = [way for way in usable if ways[way].cost <= limit]
    dear = [way for way in usable if limit < ways[way].cost < inf]
    unpriced = [way for way in usable if limit < ways[way].cost == inf]

    def option(way: int) -> Option:
        return Option(way=ways[way], right=domain.figure(way))

    others = len(within) - 1
    beaten = {w for w in within if any(domain.beats(o, w, others) for o in within if o != w)}
    left: dict[tuple[str, ...], int] = {}
    for way in sorted(set(within) - beaten, key=lambda way: ways[way].askings):
        left.setdefault(ways[way].models, way)
    cheapest_first = sorted(left.values(), key=lambda way: (ways[way].cost, -domain.right[way]))
    return ShortList(
        domain=name,
        questions=domain.questions,
        options=tuple(map(option, cheapest_first)),
        beaten=tuple(map(option, sorted(beaten, key=lambda way: -domain.right[way]))),
        too_dear=tuple(map(option, dear)),
        unpriced=tuple(map(option, unpriced)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another judge on the same questions, both asked once: how much more often it is right.

    `gain` is over all domains, `gains` by domain; `usd` is what 1,000 questions cost. The prompts
    need not be equal: `prompt` is the other's.
    """

    model: str
    prompt: str
    questions: int
    gain: Figure
    gains: Mapping[str, Figure]
    usd: float | None


def alternatives(choices: Choices, model: str) -> list[Alternative]:
    """Return each other judge that was measured by itself, the best first."""
    alone = {
        way.models[0]: n
        for n, way in enumerate(choices.ways)
        if len(way.models) == 1 and way.askings == 1
    }
    own = alone.pop(model, None)
    if own is None:
        return []
    found = [
        Alternative(
            model=other,
            prompt=choices.ways[n].prompt,
            questions=choices.domains[ALL].questions,
            gain=choices.domains[ALL].gain(n, own),
            gains={
                name: domain.gain(n, own) for name, domain in choices.domains.items() if name != ALL
            },
            usd=choices.ways[n].usd,
        )
        for other, n in alone.items()
    ]
    return sorted(found, key=lambda other: -(other.gain.value or 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The ways in which a judge takes part, and those that are shown to reach a wanted share.

    Intervals are corrected for all ways that are looked at. `reached` has the cheapest first, and
    where prices are not known those with the fewest askings.
    """

    benchmark: str
    domain: str
    questions: int
    model: str
    share: float
    looked_at: tuple[Option, ...]
    reached: tuple[Option, ...]


def reaching(choices: Choices, name: str, model: str, share: float) -> Reached:
    """Return how often a judge must be asked, or with whom, to be right so often.

    Raises: UsageError if the domain or the judge was not measured.
    """
    name, domain = choices.domain(name)
    own = [n for n, way in enumerate(choices.ways) if model in way.models]
    if not own:
        models = sorted({model for way in choices.ways for model in way.models})
        raise UsageError(
            f"{model} was not measured on {choices.benchmark}\n  fix: one of {', '.join(models)}"
        )
    options = [Option(way=choices.ways[n], right=domain.figure(n, len(own))) for n in own]
    reached = [o for o in options if o.right.ci95 and o.right.ci95[0] >= share]
    reached.sort(key=lambda o: (o.way.cost, o.way.askings * len(o.way.models)))
    return Reached(
        benchmark=choices.benchmark,
        domain=name,
        questions=domain.questions,
        model=model,
        share=share,
        looked_at=tuple(options),
        reached=tuple(reached),
    )
