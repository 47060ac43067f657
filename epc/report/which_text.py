"""Judges that may be used, in words: a sentence first, then each with its figure and its price."""

from collections.abc import Iterator, Sequence
from math import inf

from epc.analysis.choosing import Option, ReachResult, ShortList, WhichAnswer
from epc.records.choices import ALL
from epc.report.document import Part, Section, Table, Verbatim


def sentence(answer: WhichAnswer) -> str:
    """Return the answer in a sentence or two: who is not beaten, who of them is the cheapest."""
    short = answer.short
    measured = _measured(answer.benchmark, short.domain, short.questions)
    if not short.options:
        return f"No measured judge fits ({measured})."
    first, *runners_up = short.options
    if not runners_up:
        clause = "; no other measured judge fits"
        if beaten(answer):
            clause = ", which is shown to be more often than every other measured judge that fits"
        right = f"{first.way.words}: right in {first.right:.1%}"
        return f"{right}{clause} ({measured}).{_better(short)}"
    price = " None of them has a price here."
    if first.way.usd is not None:  # the cheapest comes first
        cost = price_text(first.way.usd)
        cheapest = "Of those with a price the cheapest" if answer.budget is None else "The cheapest"
        price = f" {cheapest} is {first.way.words}: {cost}."
    return (
        f"{_nobody(answer)} is shown to be better than any of these {len(short.options)} "
        f"({measured}).{price}{_better(short)}"
    )


def _nobody(answer: WhichAnswer) -> str:
    """Return among whom no judge is better: a budget leaves out who is dear or has no price."""
    if answer.budget is None:
        return "No measured judge"
    return f"No measured judge with a price of at most ${answer.budget:g}"


def _better(short: ShortList) -> str:
    """Say who is better and left out by the budget: its interval is above all that are listed."""
    highest_end = max((option.right.ci95 or (0.0, inf))[1] or inf for option in short.options)
    left_out = _best_of_each([*short.too_dear, *short.unpriced])
    better = [o for o in left_out if o.right.ci95 and o.right.ci95[0] > highest_end]
    if not better:
        return ""
    best, *runners_up = better
    omitted = f" and {len(runners_up)} more below" if runners_up else ""
    name = f"{best.way.words} ({best.right.value:.0%})"
    return f" Right more often, but over the budget or without a price: {name}{omitted}."


def text(answer: WhichAnswer) -> str:
    """Return the printed form of the answer; of a judge that is not listed first, its best way."""
    short = answer.short
    parts = [sentence(answer), "", f"  right: {answer.decides}; chance {answer.chance:.0%}"]
    parts += _lines("not shown to be worse than any other", short.options)
    parts += _lines("shown to be right less often than another", beaten(answer))
    dear = f"over the budget of ${answer.budget or 0:g}"
    parts += _lines(dear, _best_of_each(short.too_dear))
    parts += _lines("without a price to compare with the budget", _best_of_each(short.unpriced))
    parts += ["", note] if (note := by_client(answer)) else []
    parts += _judges(answer)
    if answer.gone:
        platform = answer.platform or "any platform"
        parts += [
            "",
            f"measured, but not known to be served on {platform}: {', '.join(answer.gone)}",
        ]
    return "\n".join(parts)


def document(answer: WhichAnswer) -> Iterator[Part]:
    """Yield what a notebook shows: the sentence, who is listed first, and the text folded."""
    yield sentence(answer)
    rows = [
        (option.way.words, f"{option.right:.1%}", price_text(option.way.usd))
        for option in answer.short.options
    ]
    yield Table("not shown to be worse", [("judge", "right", "price"), *rows])
    yield Section("All judges, and until when they are served", [Verbatim(text(answer))])


def by_client(answer: WhichAnswer) -> str:
    """Say which judges were asked otherwise than by their prompt alone; empty if none was."""
    if not answer.by_client:
        return ""
    return (
        "Asked through a client that adds text before the prompt (a known fault): "
        f"{' and '.join(answer.by_client)}. So they have no price, and without that text the share "
        "right may differ."
    )


def beaten(answer: WhichAnswer) -> list[Option]:
    """Return the judges all of whose ways are shown to be right less often than another's."""
    listed = {option.way.models for option in answer.short.options}
    return [o for o in _best_of_each(answer.short.beaten) if o.way.models not in listed]


def price_text(usd: float | None) -> str:
    """Return what 1,000 questions cost."""
    return "no price" if usd is None else f"${usd:.2f} for 1,000 questions"


def _measured(benchmark: str, domain: str, questions: int) -> str:
    domain_text = "all its domains" if domain == ALL else domain
    return f"{benchmark}, {domain_text}: {questions:,} questions"


def _lines(title: str, options: Sequence[Option]) -> Iterator[str]:
    if options:
        yield from ("", title)
    for option in options:
        yield f"  {option.way.words}: {option.right:.1%}, {price_text(option.way.usd)}"


def _best_of_each(options: Sequence[Option]) -> list[Option]:
    """Return the way in which each judge alone is right most often, the best first."""
    ranked = sorted(options, key=lambda option: -(option.right.value or 0.0))
    best: dict[tuple[str, ...], Option] = {}
    for option in ranked:
        if len(option.way.models) == 1:
            best.setdefault(option.way.models, option)
    return [*best.values()]


def _judges(answer: WhichAnswer) -> Iterator[str]:
    """Yield the judges of the short list: until when they are served, and where they were tried."""
    ways = [option.way for option in answer.short.options]
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
    on = _measured(result.benchmark, result.domain, result.questions)
    if result.reached:
        first = result.reached[0]
        answer = f"{first.way.words}: {first.right:.1%}, {price_text(first.way.usd)}"
    else:
        nearest = max(result.looked_at, key=lambda option: option.right.value or 0.0)
        answer = (
            f"nothing that was measured; the nearest is {nearest.way.words}: {nearest.right:.1%}"
        )
    parts = [f"Shown to be right in {result.share:.0%} or more: {answer} ({on}).", ""]
    for option in result.looked_at:
        mark = "reached" if option in result.reached else "not shown"
        cost = price_text(option.way.usd)
        parts.append(f"  {option.way.words}: {option.right:.1%}, {cost}, {mark}")
    count = len(result.looked_at)
    parts += ["", f"  the intervals are joint, for all {count} ways that were looked at"]
    return "\n".join(parts)
