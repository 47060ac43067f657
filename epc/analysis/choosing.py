"""Choice of a judge for a kind of task: those that are not shown to be worse than any other.

A way to decide is one judge, or two, asked so many times: the answer with the highest mean score is
taken. All ways were tried on the same questions, so two of them are compared question by question.
Nothing here needs NumPy: the look-up package answers it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, Literal

from epc.analysis.headline import dated
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.choices import ALL, Choices, Way
from epc.records.faults import FaultEffect
from epc.records.typed import as_json
from epc.statistics.figures import Figure

STALE: Final = "stale"  # the mark of a figure that is too old


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A way that may be used, with its figure, the month of this, and what marks it.

    `marks` are `stale`, for a figure that is too old, and ids of known faults.
    """

    way: Way
    right: Figure
    month: str = ""
    marks: tuple[str, ...] = ()

    @property
    def dated(self) -> str:
        """The month of its figure, and whether that is too old."""
        return dated(self.month, is_stale=STALE in self.marks)

    @property
    def faults(self) -> tuple[str, ...]:
        """The known faults that mark it."""
        return tuple(mark for mark in self.marks if mark != STALE)


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
class Choice:
    """Choice of a judge: the one to try first, the list that it is of, and who serves each.

    `short` are judges that take instructions. `scorers` are reward models, which give scores alone
    (`verb` score_with): between the two lists nothing is decided. `decided` is whether all others
    of `short` are shown to be right less often than the first. `served` has the platforms of each
    model. `gone` are judges with figures that nobody serves on that day, or not on the wanted
    platform. `untried` are judges that are served and have no figure in the domain, those with the
    most platforms first. `faults` say what the marks of options are, by their ids.
    """

    as_of: str
    platform: str | None
    budget: float | None
    benchmark: str
    decides: str
    chance: float
    short: ShortList
    scorers: ShortList
    served: Mapping[str, Mapping[str, str]]
    gone: tuple[str, ...]
    untried: tuple[str, ...] = ()
    faults: Mapping[str, FaultEffect] = field(default_factory=dict)

    @property
    def first(self) -> Option | None:
        """Return the way to try first: without a mark, else without a known fault, else any.

        Of several it is the first of the list, which has the cheapest first.
        """
        options = self.short.options or self.scorers.options
        marks = [(len(option.faults), len(option.marks), n) for n, option in enumerate(options)]
        return options[min(marks)[-1]] if marks else None

    @property
    def verb(self) -> Literal["ask", "score_with"]:
        """How the first is used."""
        return "ask" if self.short.options or not self.scorers.options else "score_with"

    @property
    def decided(self) -> bool:
        """Return whether every other judge of its list is shown to be right less often."""
        return len(self.short.options or self.scorers.options) == 1

    @property
    def ranked(self) -> tuple[Option, ...]:
        """Every option that can be used, in a table's order: the first, then as they are listed."""
        first = [self.first] if self.first else []
        lists = (self.short.options, self.short.beaten, self.scorers.options, self.scorers.beaten)
        return (*first, *(option for options in lists for option in options))

    def as_json(self) -> Json:
        """Return the answer as plain JSON."""
        document: Json = as_json(self)
        first = as_json(self.first) if self.first else None
        return {**document, "first": first, "verb": self.verb, "decided": self.decided}


def short_list(
    choices: Choices, name: str, *, usable: Sequence[int], budget: float | None = None
) -> ShortList:
    """Return which of the usable ways are not shown to be worse than another, in a domain.

    A way is beaten if a usable one is shown to be right more often. Of all ways of the domain, that
    is false of none in 95 of 100 tables, so the best way of all remains, and so do all that equal
    it. Of a judge's ways that remain, only the one with the fewest askings is listed.

    Source: Reading R102.
    """
    name, domain = choices.domain(name)
    ways, limit = choices.ways, inf if budget is None else budget
    affordable = [way for way in usable if ways[way].cost <= limit]
    dear = [way for way in usable if limit < ways[way].cost < inf]
    unpriced = [way for way in usable if limit < ways[way].cost == inf]

    def option(way: int) -> Option:
        return Option(way=ways[way], right=choices.figure(domain, way))

    beaten = {way for way in affordable if any(domain.beats(o, way) for o in affordable)}
    left: dict[tuple[str, ...], int] = {}
    for way in sorted(set(affordable) - beaten, key=lambda way: ways[way].askings):
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

    `gain` is the mean of the domains, `gains` by domain; `usd` is what 1,000 questions cost. The
    prompts need not be equal: `prompt` is the other's.
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
    own_way = alone.pop(model, None)
    if own_way is None:
        return []
    judges = [
        Alternative(
            model=judge_model,
            prompt=choices.ways[n].prompt,
            questions=choices.domains[ALL].questions,
            gain=choices.domains[ALL].gain(n, own_way),
            gains={
                name: domain.gain(n, own_way)
                for name, domain in choices.domains.items()
                if name != ALL
            },
            usd=choices.ways[n].usd,
        )
        for judge_model, n in alone.items()
    ]
    return sorted(judges, key=lambda alternative: -(alternative.gain.value or 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachResult:
    """The ways in which a judge takes part, and those that are shown to reach a wanted share.

    Intervals are corrected for all ways that are looked at. `reached` has the cheapest first, and
    where prices are not known those with the fewest askings. `rivals` are other judges' ways that
    reach it, in the same order, where none of the judge's does. `faults` say what the marks of
    options are, by their ids.
    """

    benchmark: str
    domain: str
    questions: int
    model: str
    share: float
    looked_at: tuple[Option, ...]
    reached: tuple[Option, ...]
    rivals: tuple[Option, ...] = ()
    faults: Mapping[str, FaultEffect] = field(default_factory=dict)


def ways_reaching(
    choices: Choices, name: str, model: str, share: float, usable: Sequence[int] = ()
) -> ReachResult:
    """Return how often a judge must be asked, or with whom, to be right so often.

    `usable` are the ways of others that can be used where none of the judge's is enough.

    Raises: UsageError if the domain or the judge was not measured.
    """
    name, domain = choices.domain(name)
    judge_ways = [n for n, way in enumerate(choices.ways) if model in way.models]
    if not judge_ways:
        models = sorted({model for way in choices.ways for model in way.models})
        raise UsageError(
            f"{model} was not measured on {choices.benchmark}\n  fix: one of {', '.join(models)}"
        )

    def with_figures(ways: Sequence[int]) -> list[Option]:
        count = len(ways)
        return [Option(way=choices.ways[n], right=choices.figure(domain, n, count)) for n in ways]

    def enough(options: Sequence[Option]) -> list[Option]:
        reached = [o for o in options if o.right.ci95 and o.right.ci95[0] >= share]
        return sorted(reached, key=lambda o: (o.way.cost, o.way.askings * len(o.way.models)))

    looked_at = with_figures(judge_ways)
    reached = enough(looked_at)
    other_ways = [n for n in usable if n not in judge_ways]
    return ReachResult(
        benchmark=choices.benchmark,
        domain=name,
        questions=domain.questions,
        model=model,
        share=share,
        looked_at=tuple(looked_at),
        reached=tuple(reached),
        rivals=() if reached else tuple(enough(with_figures(other_ways))),
    )
