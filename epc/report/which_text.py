"""Which judge may be used, in words: a sentence first, then each with its figure and its price."""

from collections.abc import Iterator, Sequence

from epc.analysis.choosing import ALL, Option, Reached, Which


def sentence(answer: Which) -> str:
    """Return the answer in a sentence or two: who is not beaten, who of them is the cheapest."""
    short = answer.short
    where = "all its domains" if short.domain == ALL else short.domain
    measured = f"{answer.benchmark}, {where}: {short.questions:,} questions"
    if not short.options:
        return f"No measured judge fits ({measured})."
    first, *others = short.options
    if not others:
        if not beaten(answer):
            only = "no other measured judge fits"
            return f"{first.way.words}: right in {first.right:.1%}; {only} ({measured})."
        return (
            f"{first.way.words}: right in {first.right:.1%}, which is shown to be more often than "
            f"every other measured judge that fits ({measured})."
        )
    cheapest = min((o for o in short.options if o.way.usd is not None), key=_usd, default=None)
    price = (
        f" Of those with a price the cheapest is {cheapest.way.words}: ${cheapest.way.usd:.2f} for "
        "1,000 questions."
        if cheapest
        else " None of them has a price here."
    )
    return (
        f"No measured judge is shown to be better than any of these {len(short.options)} "
        f"({measured}).{price}"
    )


def text(answer: Which) -> str:
    """Return the printed form of the answer; of a judge that is not listed first, its best way."""
    short = answer.short
    parts = [sentence(answer), "", f"  right: {answer.decides}; chance {answer.chance:.0%}"]
    parts += _lines("not shown to be worse than any other", short.options)
    parts += _lines("shown to be right less often than another", beaten(answer))
    dear = f"over the budget of ${answer.budget or 0:g}"
    parts += _lines(dear, _best_of_each(short.too_dear))
    parts += _lines("without a price to hold against the budget", _best_of_each(short.unpriced))
    parts += _judges(answer)
    if answer.gone:
        where = answer.platform or "any platform"
        parts += ["", f"measured, but not known to be served on {where}: {', '.join(answer.gone)}"]
    return "\n".join(parts)


def beaten(answer: Which) -> list[Option]:
    """Return the judges all of whose ways are shown to be right less often than another's."""
    listed = {option.way.models for option in answer.short.options}
    return [o for o in _best_of_each(answer.short.beaten) if o.way.models not in listed]


def _usd(option: Option) -> float:
    assert option.way.usd is not None  # chosen from those that have one
    return option.way.usd


def _lines(title: str, options: Sequence[Option]) -> Iterator[str]:
    if options:
        yield from ("", title)
    for option in options:
        price = "no price" if option.way.usd is None else f"${option.way.usd:.2f} for 1,000"
        yield f"  {option.way.words}: {option.right:.1%}, {price}"


def _best_of_each(options: Sequence[Option]) -> list[Option]:
    """Return the way in which each judge alone is right most often, the best first."""
    ranked = sorted(options, key=lambda option: -(option.right.value or 0.0))
    best: dict[tuple[str, ...], Option] = {}
    for option in ranked:
        if len(option.way.models) == 1:
            best.setdefault(option.way.models, option)
    return [*best.values()]


def _judges(answer: Which) -> Iterator[str]:
    """Yield the judges of the short list: until when they are served, and where they were tried."""
    ways = [option.way for option in answer.short.options]
    judges = {
        model: (tag, way)
        for way in reversed(ways)
        for model, tag in zip(way.models, way.tags, strict=True)
    }
    if judges:
        yield from ("", "these judges")
    for model, (tag, _) in judges.items():
        served = "; ".join(f"{place} {until}" for place, until in answer.served[model].items())
        yield f"  {model}: {served}; measured in {tag}"
    for words in dict.fromkeys(word for way in ways for word in way.priced.split("; ")):
        yield f"  price: {words}"


def reached_text(result: Reached) -> str:
    """Return the printed form of how often a judge must be asked."""
    where = "all domains" if result.domain == ALL else result.domain
    on = f"{result.benchmark}, {where}: {result.questions:,} questions"
    if result.reached:
        first = result.reached[0]
        price = "" if first.way.usd is None else f", ${first.way.usd:.2f} for 1,000 questions"
        answer = f"{first.way.words}: {first.right:.1%}{price}"
    else:
        most = max(result.looked_at, key=lambda option: option.right.value or 0.0)
        answer = f"nothing that was measured; the nearest is {most.way.words}: {most.right:.1%}"
    parts = [f"Shown to be right in {result.share:.0%} or more: {answer} ({on}).", ""]
    for option in result.looked_at:
        price = "no price" if option.way.usd is None else f"${option.way.usd:.2f}"
        mark = "reached" if option in result.reached else "not shown"
        parts.append(f"  {option.way.words}: {option.right:.1%}, {price}, {mark}")
    count = len(result.looked_at)
    parts += ["", f"  the intervals hold together, for all {count} ways that were looked at"]
    return "\n".join(parts)
