"""Worth of picking the best of n by a judge, as a document: a sentence, then the curve."""

from collections.abc import Iterable, Iterator

from epc.analysis.selection import ALL, Domain, Gains, Selection, Threshold
from epc.report.document import Facts, Part, Section, Table, sentence

_COLUMNS = {
    "believed": ("believed", "+.2f"),
    "fresh": ("asked again", "+.2f"),
    "luck": ("luck", "+.2f"),
    "taste_least": ("taste, at least", "+.2f"),
    "taste_most": ("taste, at most", "+.2f"),
    "gold": ("right, by gold", ".1%"),
    "gold_gain_lower": ("gold gained by the bound", "+.1p"),
}


def document(selections: Iterable[Selection]) -> Iterator[Part]:
    """Yield the parts of a report; points are those of the judge's own scores."""
    for done in selections:
        unit = "arrangements of the answers" if done.arranged else "askings"
        rank = "mean" if done.pick == "mean" else "lower 95% bound"
        parts: list[Part] = [
            Facts(
                [
                    ("ranked by", f"the {rank} of {done.k} of {done.askings} {unit}"),
                    ("left out", f"{done.left_out:,} items that have a gap, or fewer askings"),
                ]
            )
        ]
        if ALL in done.domains:
            parts.append(sentence(summary(done.domains[ALL])))
        parts.append(Table("best of n", [*_rows(done)]))
        yield Section(done.judge, parts, "open")


def summary(domain: Domain) -> str:
    """Return what the gain of the largest choice is, by the judge and by gold."""
    last = domain.gains[-1]
    parts = [luck(last)] if "luck_share" in last.figures else []
    if least_and_most := taste(last):
        parts.append(least_and_most)
    if "gold" in last.figures:
        first = domain.gains[0].figures["gold"]
        parts.append(f"right: {first.value:.1%} at random, {last.figures['gold']:.1%} picked")
    if domain.threshold:
        parts.append(turning(domain.threshold))
    return "; ".join(parts) or "nothing can be said of a judge that was asked once"


def luck(gains: Gains) -> str:
    """Return how much of what a score gains is luck."""
    return (
        f"of what its score gains by best of {gains.n}, {gains.figures['luck_share']:.0%} is luck"
    )


def taste(gains: Gains) -> str:
    """Return both bounds of what is paid for something else than gold, of the fresh gain."""
    figures = gains.figures
    if "taste_most" not in figures:
        return ""
    low, high = (figures[name].value for name in ("taste_least", "taste_most"))
    return f"between {low:.2f} and {high:.2f} of {figures['fresh'].value:.2f} points are taste"


def turning(threshold: Threshold) -> str:
    """Return from which n on more choice makes the picks worse."""
    if threshold.n is None:
        return f"hacking threshold not reached at n = {threshold.most}"
    return f"hacking threshold n = {threshold.n} [{threshold.low}, {threshold.n}]"


def _rows(done: Selection) -> Iterator[tuple[str, ...]]:
    """Yield the curve over all domains, and of each the largest choice."""
    curve = [
        (name, gains)
        for name, domain in done.domains.items()
        for gains in (domain.gains[1:] if name == ALL else domain.gains[-1:])
    ]
    has = [name for name in _COLUMNS if any(name in gains.figures for _, gains in curve)]
    yield ("domain", "best of", *(_COLUMNS[name][0] for name in has))
    for name, gains in curve:
        cells = [
            format(gains.figures[column], _COLUMNS[column][1]) if column in gains.figures else "-"
            for column in has
        ]
        yield (name, str(gains.n), *cells)
