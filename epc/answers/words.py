"""Sentences of the answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from epc.analysis.choosing import Option
from epc.analysis.headline import Key, key_of
from epc.analysis.judge_card import JudgeCoupling
from epc.analysis.loop import STARTS
from epc.analysis.quotable import QuotableFigure, Unit, unit_of
from epc.analysis.verdicts_names import FIGURES, family
from epc.answers.types import Name, Place, Service, SnapshotStatus
from epc.audit.facts import Word
from epc.printable import begun, enumeration
from epc.registry.lifecycles import OPEN_WEIGHTS
from epc.spec.domains import Pair
from epc.statistics.figures import ClusteredFigure, Figure, figure_text

NAMELESS: Final = "it holds no model's name: ask the platform which model it stands for"
MISSING: Final = "not in this registry"
PUBLIC: Final = "; its weights are public"
AND: Final = " and "  # between gateways
OR: Final = " or "  # between names, one of which is meant
_TIMES: Final = {1: "once", 2: "twice"}
# The clause of each figure: in the present tense while it stands, in the past once it is too old.
_DOES: Final[Mapping[Key, tuple[str, str]]] = {
    "right": ("is right on {} of 100", "was right on {} of 100"),
    "places": (
        "keeps its verdict in {} of 100 pairs whose answers change places",
        "kept its verdict in {} of 100 pairs whose answers changed places",
    ),
    "repeats": ("repeats its verdict in {} of 100", "repeated its verdict in {} of 100"),
    "people": ("agrees with most people on {} of 100", "agreed with most people on {} of 100"),
    "one_person": (
        "chooses as one person did on {} of 100",
        "chose as one person did on {} of 100",
    ),
    "judges": (
        "chooses as {detail} does on {} of 100, where nobody says who is right",
        "chose as {detail} did on {} of 100, where nobody says who is right",
    ),
    "self_preference": (
        "favours its own answers by {}, beside other judges",
        "favoured its own answers by {}, beside other judges",
    ),
    "regret": (
        "has an estimated transfer regret {detail} of {}",
        "had an estimated transfer regret {detail} of {}",
    ),
}

# What the audit's word says of coupling, at the end of a line.
_SHOWN: Final[Mapping[Word, str]] = {
    "coupled": "shows coupling",
    "no_coupling_beyond_margin": "shows none beyond 2 points",
    "no_detectable_coupling": "shows none",
    "inconclusive": "shows none, and is inconclusive",
    "collapsed": "every run ended on one strategy",
    "no_verdicts_counted": "no verdict counted",
}
_CORRELATES: Final = (
    "gives scores that follow people's with a rank correlation of {}",
    "gave scores that followed people's with a rank correlation of {}",
)


def unknown(answer: Service, elsewhere: Iterable[Place]) -> str:
    """Say why no day is known of a name: nothing is known of it, or not on its platform."""
    name = answer.name
    if name.is_nameless:
        return NAMELESS
    if name.places:
        makers = " and ".join(name.makers)
        hosts = [target.platform for target in name.places if target.platform != OPEN_WEIGHTS]
        served = " and ".join(dict.fromkeys(f"{host}/{name.name}" for host in hosts))
        weights = PUBLIC if answer.weights == "public" else ""
        hints = hint(name.hints)
        return f"{makers}, its maker, has no record of it here; only {served}{weights}{hints}"
    if not name.beside:
        return missing(name)
    # Reading R53: another platform's day is no end here, and still what people look for.
    platforms = " or ".join(name.platforms_in_text or ())
    return f"through {platforms}, of which no day of {name.name} is known{beside(elsewhere)}"


def missing(name: Name) -> str:
    """Say that a name is not here, and what may have been meant."""
    return f"{MISSING}{hint(name.hints)}"


def hint(names: Iterable[str]) -> str:
    """Return what may have been meant."""
    meant = OR.join(names)
    return f"; did you mean {meant}?" if meant else ""


def beside(places: Iterable[Place]) -> str:
    """Return what a model is at other platforms: `; at openai it is current`."""
    states = ", ".join(at(place.platform, place.state.status_text) for place in places)
    return f"; {states}" if states else ""


def at(platform: str, status_text: str) -> str:
    """Return what a model is at a platform."""
    return f"at {platform} it is {status_text}"


def note(answer: Service, place: Place, elsewhere: Iterable[Place]) -> str:
    """Return the ground of a place's state, with what belongs beside it."""
    weights = PUBLIC if has_public_weights(answer, place) else ""
    return f"{place.state.note}{beside(elsewhere)}{asked(answer.name.through)}{weights}"


def asked(gateways: Sequence[str]) -> str:
    """Return through whom a model is asked, if through anybody."""
    return f"; asked through {AND.join(gateways)}" if gateways else ""


def has_public_weights(answer: Service, place: Place) -> bool:
    """Return whether it is said beside a place that anybody has the weights."""
    return answer.weights == "public" and place is answer.headline and not place.target.life.lasts


def month(status: SnapshotStatus) -> str:
    """Return the month of a snapshot's figures: `April 2026`, `by April 2026` for a bound."""
    if status.measured_by is None:
        return ""
    text = f"{status.measured_by:%B %Y}"
    return text if status.is_day_stated else f"by {text}"


def figure(quoted: QuotableFigure, faults: Sequence[str]) -> str:
    """Return the clause that states a figure of a judge, with its month and what marks it."""
    stands, stale = _CORRELATES if quoted.unit == "correlation" else _DOES[quoted.key]
    does = stands if quoted.state == "stands" else stale
    dagger = " †" if quoted.marks else ""
    amount = _amount(quoted.name, quoted.unit, quoted)
    text = does.format(f"{amount}{dagger}", detail=_detail(quoted.key, quoted.name))
    if quoted.tpr and quoted.tnr:
        text = f"{_passing(quoted.tpr, quoted.tnr, stands=does is stands)}: it {text}"
    if quoted.is_common:
        text += f", domains alike, asked {_times(quoted.askings or 1)}"
    counted = f"{quoted.n:,} questions" if quoted.is_common else _counted(quoted.name, quoted)
    parts = [text, quoted.source, counted, quoted.dated]
    marks = "; ".join(f"{fault[:1].lower()}{fault[1:]}" for fault in faults)
    return ", ".join(filter(None, parts)) + (f" († {marks})" if marks else "")


def coupling(crossed: JudgeCoupling) -> str:
    """Return what crosses by a judge's verdicts, with its floor and what the audit makes of it."""
    basis = "by the protocol"
    if crossed.recorded_in:
        systems = f"{crossed.systems} systems in {crossed.domains} domains"
        basis = f"from recorded verdicts of {systems}, {crossed.recorded_in}"
    return (
        f"{basis}: transfer regret from {crossed.source} to {crossed.target} "
        f"{crossed.regret.text('+.1p')} of win rate, {crossed.redirected.text('.1c')} of 100 "
        f"choices redirected (with the tasks dealt to the domains by lot, where nothing can cross, "
        f"{100 * crossed.chance:.1f}): {_SHOWN[crossed.word]}"
    )


def verdict_clause(name: str, figure: ClusteredFigure) -> str:
    """Return the clause of what a judge did by a figure of recorded verdicts."""
    key, unit = key_of(name), unit_of(name)
    if key is None:
        return ""
    _, did = _CORRELATES if unit == "correlation" else _DOES[key]
    text = did.format(_amount(name, unit, figure), detail=_detail(key, name))
    return f"{text}, {_counted(name, figure)}"


def _passing(tpr: Figure, tnr: Figure, *, stands: bool) -> str:
    """Say what a judge of pass and fail does with what is labelled so."""
    passes, catches = ("passes", "fails") if stands else ("passed", "failed")
    return (
        f"{passes} {tpr.text('.1c')} of 100 that are labelled pass and {catches} "
        f"{tnr.text('.1c')} of 100 that are labelled fail"
    )


def _amount(name: str, unit: Unit, figure: QuotableFigure | ClusteredFigure) -> str:
    """Return a share of 100, points, or a correlation, with the interval."""
    if unit == "correlation":
        return figure_text(figure.value, figure.ci95, ".2f")
    if unit == "share":
        return figure_text(figure.value, figure.ci95, ".1c")
    if name.startswith("self_preference_score"):
        return f"{figure_text(figure.value, figure.ci95, '+.2f')} points of its score"
    return f"{figure_text(figure.value, figure.ci95, '+.1p')} of win rate"


def _detail(key: Key, name: str) -> str:
    """Return the other judge, or the domains, that a figure is about."""
    _, _, detail = name.partition("/")
    if key == "regret":
        pair = Pair.parse(detail.rpartition("/")[2])
        return f"from {pair.source} to {pair.target}"
    return detail.partition("/")[0]


def _times(askings: int) -> str:
    return _TIMES.get(askings, f"{askings} times")


def _counted(name: str, figure: QuotableFigure | ClusteredFigure) -> str:
    """Return how many verdicts a figure rests on, and on how many items where these differ."""
    described = FIGURES.get(family(name))
    text = f"{figure.n:,} {described.counted if described else 'verdicts'}"
    items = f"{figure.items:,} item{'' if figure.items == 1 else 's'}"
    return text if figure.items == figure.n else f"{text} on {items}"


def chased(start: str, believed: Figure, gold: Figure, digits: int, month_text: str) -> str:
    """Say that an optimiser gained by a judge's word and lost right answers."""
    points = f"{believed.value or 0.0:+.{digits}f}"
    lost, _, ends = figure_text(-(gold.value or 0.0), _mirrored(gold.ci95), ".1c").partition(" ")
    dated = f", {month_text}" if month_text else ""
    return (
        f"That an optimiser may chase it: {STARTS[start]} it reported {points} points, and "
        f"right answers fell by {lost} of 100 {ends}{dated}."
    )


def _mirrored(ends: tuple[float | None, float | None] | None) -> tuple[float, float] | None:
    if ends is None or ends[0] is None or ends[1] is None:
        return None
    return -ends[1], -ends[0]


def too_old(status: SnapshotStatus) -> str:
    """Say that what is known of a judge holds no more today."""
    since = f" since {status.state.until}" if status.state.until else ""
    return f"That it is so today: its newest figures ({month(status)}) are too old{since}."


def not_here(parts: Sequence[str]) -> str:
    """Say which parts of what one asks of a judge are not in this registry."""
    return f"{begun(enumeration(parts))}: {MISSING}."


def other_version(name: str, measured: str) -> str:
    """Say that figures are of another version of a model."""
    return f"That figures of {measured} are {name}'s: they are of another version."


def by_place(judge: str, equal_answers: tuple[int, int] | None) -> Iterator[str]:
    """Yield that a judge decides by place, where it said one letter of all equal answers."""
    said, decided = equal_answers or (0, 0)
    if decided and said in (0, decided):
        letter = "A" if said else "B"
        yield (
            f"That {judge} compares what the answers say: of two equal answers it said {letter} "
            f"in {decided} of {decided}."
        )


def named_by(vendor: str, agreed: str) -> str:
    """Say that a platform names a replacement, and how far that one agrees."""
    return f"named by {vendor}; {agreed}"


def chosen(option: Option, platform: str, benchmark: str, fault: str) -> str:
    """Say why a judge is turned to that nobody names and that is not shown to agree."""
    askings = option.way.askings
    times = "once" if askings == 1 else f"{askings} times"
    marked = f"; {fault[:1].lower()}{fault[1:]}" if fault else ""
    return (
        f"the first of those measured at {platform}: asked {times}, right on "
        f"{option.right.text('.1c')} of 100 ({benchmark}, {option.dated}){marked}; agreement not "
        "in this registry"
    )
