"""Judge to choose, in words: a sentence, then each with its figure, its month and its price."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Final

from epc.analysis.choosing import Choice, Option, ReachResult, ShortList
from epc.printable import begun, enumeration
from epc.records.choices import ALL, price_text
from epc.records.faults import FaultEffect
from epc.report.document import Part, Section, Table, Verbatim, number_word
from epc.statistics.figures import interval_text, number_text

_NAMED: Final = 4  # judges without a figure that are named


def sentence(answer: Choice, limit: str = "") -> str:
    """Return the answer in a few sentences: whom to try first, and what is known beside it.

    `limit` are the words for a budget that is not the answer's own.
    """
    first, tried = answer.first, _tried(answer)
    if first is None:
        return f"No judge that was tried fits ({_measured(answer)})."
    verb = "Ask" if answer.verb == "ask" else "Score with"
    parts = [
        f"{verb} {_marked(first)}: {_right(first)} ({_measured(answer)}).",
        _as_good(answer, limit),
        *_marks(answer),
        _better(answer.short) if tried.options is answer.short.options else "",
        _reward(answer),
    ]
    return " ".join(filter(None, parts))


def _tried(answer: Choice) -> ShortList:
    """Return the list that the first is of."""
    return answer.short if answer.verb == "ask" else answer.scorers


def _right(option: Option) -> str:
    price = "no price" if option.way.usd is None else price_text(option.way.usd)
    return ", ".join(filter(None, (f"right in {option.right:.1%}", option.month, price)))


def _as_good(answer: Choice, limit: str) -> str:
    """Say how many more are as good, as far as the questions show, or that none is."""
    short = _tried(answer)
    limit_text = limit or (f" under ${answer.budget:g}" if answer.budget is not None else "")
    count = len(short.options) - 1
    if count:
        number = number_word(count)
        plural, verb = ("s", "are") if count > 1 else ("", "is")
        return (
            f"{begun(number)} more way{plural}{limit_text} {verb} as good, as far as "
            f"{short.questions:,} questions can show."
        )
    if _alone(short.beaten, short):
        return f"Every other judge{limit_text} that was tried is shown to be right less often."
    return f"No other judge{limit_text} that was tried fits."


def _marks(answer: Choice) -> Iterator[str]:
    """Yield what is wrong with the first, and who is best without a known fault."""
    first = answer.first
    if first is None:
        return
    short = _tried(answer)
    if first.faults:
        yield " ".join(faults_text(answer.faults, [first]))
        free = [o for o in _alone(short.beaten, short) if not o.faults]
        if free:
            share = ", ".join(filter(None, (f"{free[0].right.value:.1%}", free[0].dated)))
            best = f"{free[0].way.words} ({share})"
            yield f"Without a known fault the best is {best}, shown to be right less often."
    elif passed := [option for option in short.options if option.faults]:
        names = enumeration(list(dict.fromkeys(map(_name, passed))))
        yield f"Judges with a known fault stand behind it: {names}."
    if "stale" in first.marks:
        are_all = all("stale" in option.marks for option in short.options)
        subject = "All these figures are" if are_all else "Its figure is"
        yield f"{subject} too old: measure a judge on verdicts of yours with epc audit."


def _name(option: Option) -> str:
    """Return the judge of an option, or the words for its panel."""
    return option.way.words if len(option.way.models) > 1 else option.way.models[0]


def faults_text(faults: Mapping[str, FaultEffect], options: Sequence[Option]) -> list[str]:
    """Return a sentence for each known fault that marks some options: who was asked so."""
    sentences = []
    for fault in dict.fromkeys(fault for option in options for fault in option.faults):
        faulty = [option for option in options if fault in option.faults]
        alone = [option for option in faulty if len(option.way.models) == 1]
        names = dict.fromkeys(model for option in alone or faulty for model in option.way.models)
        effect = faults[fault]
        of_whom = f"{effect.says} (a known fault): {' and '.join(names)}."
        sentences.append(f"{of_whom} {effect.so}".strip())
    return sentences


def _better(short: ShortList) -> str:
    """Say who is better and left out by the budget: its interval is above all that are listed."""
    highest_end = max((option.right.ci95 or (0.0, inf))[1] or inf for option in short.options)
    left_out = _best_of_each([*short.too_dear, *short.unpriced])
    better = [o for o in left_out if o.right.ci95 and o.right.ci95[0] > highest_end]
    if not better:
        return ""
    best, *runners_up = better
    omitted = f" and {len(runners_up)} more below" if runners_up else ""
    share = ", ".join(filter(None, (f"{best.right.value:.0%}", best.dated)))
    name = f"{_marked(best)} ({share})"
    return f"Right more often, but over the budget or without a price: {name}{omitted}."


def _reward(answer: Choice) -> str:
    """Say which reward model is best, where the first is none."""
    if answer.verb != "ask" or not answer.scorers.options:
        return ""
    best = answer.scorers.options[0]
    return (
        f"Of reward models, which give scores and follow no instructions, "
        f"{_marked(best)} is right in {best.right.value:.1%}{', ' * bool(best.month)}{best.dated}; "
        "between the two kinds nothing is decided."
    )


def untried(answer: Choice) -> str:
    """Say how many judges that are served have no figure here, and name some; empty if none."""
    if not answer.untried:
        return ""
    count = len(answer.untried)
    names = ", ".join(answer.untried[:_NAMED])
    place = f" by {answer.platform}" if answer.platform else ""
    dots = ", ..." if count > _NAMED else ""
    many = "s that are" if count > 1 else " that is"
    verb = "were" if count > 1 else "was"
    return f"{count:,} model{many} served{place} {verb} not tried on these questions: {names}{dots}"


def unserved(answer: Choice) -> str:
    """Say whose figures are here and of whom nobody knows that it is served; empty if none."""
    if not answer.gone:
        return ""
    return f"Measured, but not known to be served: {', '.join(answer.gone)}."


def may_say(answer: Choice) -> str:
    """Return what may be said of the judge to try first; empty without one."""
    first = answer.first
    if first is None or first.right.value is None:
        return ""
    share = number_text(first.right.value, ".1c")
    figure = f"{share} {interval_text(first.right.ci95, '.0c')}".rstrip()
    right = f"{figure}{' †' if first.faults else ''} of 100 questions of {answer.benchmark}"
    return f"It was right on {', '.join(filter(None, (right, first.dated)))}."


def text(answer: Choice) -> str:
    """Return the printed form of the answer; of a judge that is not listed first, its best way."""
    short, scorers = answer.short, answer.scorers
    parts = [sentence(answer), "", f"  right: {answer.decides}; chance {answer.chance:.0%}"]
    parts += _lines("not shown to be worse than any other", short.options)
    parts += _lines("shown to be right less often than another", beaten(short))
    dear = f"over the budget of ${answer.budget or 0:g}"
    parts += _lines(dear, _best_of_each(short.too_dear))
    parts += _lines("without a price to compare with the budget", _best_of_each(short.unpriced))
    parts += _lines("reward models, to score with", [*scorers.options, *beaten(scorers)])
    listed = [*short.options, *beaten(short)]
    notes = [f"† {line}" for line in faults_text(answer.faults, listed)]
    parts += ["", *notes] if notes else []
    parts += _judges(answer)
    if answer.gone:
        platform = answer.platform or "any platform"
        parts += [
            "",
            f"measured, but not known to be served on {platform}: {', '.join(answer.gone)}",
        ]
    parts += ["", line] if (line := untried(answer)) else []
    return "\n".join(parts)


def document(answer: Choice) -> Iterator[Part]:
    """Yield what a notebook shows: the sentence, who is listed first, and the text folded."""
    yield sentence(answer)
    rows = [
        (_marked(option), f"{option.right:.1%}", option.dated, price_text(option.way.usd))
        for option in answer.short.options
    ]
    yield Table("not shown to be worse", [("judge", "right", "as of", "price"), *rows])
    yield Section("All judges, and until when they are served", [Verbatim(text(answer))])


def beaten(short: ShortList) -> list[Option]:
    """Return the judges all of whose ways are shown to be right less often than another's."""
    return _alone(short.beaten, short)


def _alone(options: Sequence[Option], short: ShortList) -> list[Option]:
    listed = {option.way.models for option in short.options}
    return [o for o in _best_of_each(options) if o.way.models not in listed]


def _measured(answer: Choice) -> str:
    short = _tried(answer)
    return measured_text(answer.benchmark, short.domain, short.questions)


def measured_text(benchmark: str, domain: str, questions: int) -> str:
    """Return what judges were tried on."""
    domain_text = "mean of its domains" if domain == ALL else domain
    return f"{benchmark}, {domain_text}: {questions:,} questions"


def _marked(option: Option) -> str:
    return f"{option.way.words}{' †' if option.faults else ''}"


def _lines(title: str, options: Sequence[Option]) -> Iterator[str]:
    if options:
        yield from ("", title)
    for option in options:
        yield f"  {_reaching(option)}"


def _best_of_each(options: Sequence[Option]) -> list[Option]:
    """Return the way in which each judge alone is right most often, the best first."""
    ranked = sorted(options, key=lambda option: -(option.right.value or 0.0))
    best: dict[tuple[str, ...], Option] = {}
    for option in ranked:
        if len(option.way.models) == 1:
            best.setdefault(option.way.models, option)
    return [*best.values()]


def _judges(answer: Choice) -> Iterator[str]:
    """Yield the judges of the lists: until when they are served, and where they were tried."""
    ways = [option.way for option in (*answer.short.options, *answer.scorers.options)]
    pairs = (pair for way in ways for pair in zip(way.models, way.tags, strict=True))
    if ways:
        yield from ("", "these judges")
    for model, tag in dict(pairs).items():
        served = "; ".join(f"{place} {until}" for place, until in answer.served[model].items())
        yield f"  {model}: {served}; measured in {tag}"
    for price in dict.fromkeys(word for way in ways for word in way.priced.split("; ")):
        yield f"  price: {price}"


def reached_text(result: ReachResult) -> str:
    """Return the printed form of how often a judge must be asked."""
    on = measured_text(result.benchmark, result.domain, result.questions)
    if result.reached:
        answer = _reaching(result.reached[0])
    else:
        nearest = max(result.looked_at, key=lambda option: option.right.value or 0.0)
        answer = (
            f"nothing with {result.model}; the nearest is {_marked(nearest)}: {_dated(nearest)}"
        )
    parts = [f"Shown to be right in {result.share:.0%} or more: {answer} ({on})."]
    if not result.reached:
        if result.rivals:
            parts += ["Others that reach it:", *(f"  {_reaching(o)}" for o in result.rivals)]
        else:
            parts.append("Nothing else that was tried and is served reaches it.")
    parts.append("")
    for option in result.looked_at:
        mark = "reached" if option in result.reached else "not shown"
        parts.append(f"  {_reaching(option)}, {mark}")
    count = len(result.looked_at)
    parts += ["", f"  the intervals are joint, for all {count} ways that were looked at"]
    printed = [*result.looked_at, *result.rivals]
    parts += [f"  † {line}" for line in faults_text(result.faults, printed)]
    return "\n".join(parts)


def _reaching(option: Option) -> str:
    return f"{_marked(option)}: {_dated(option)}, {price_text(option.way.usd)}"


def _dated(option: Option) -> str:
    """Return the share right with its month."""
    return ", ".join(filter(None, (f"{option.right:.1%}", option.dated)))
