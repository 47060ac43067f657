"""A judge's card in words: one sentence first, then the figures under their headings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from epc.analysis.judge_card import (
    COUPLING,
    DAYS_LEFT,
    KINDS_OF_TASK,
    OTHER,
    SECTIONS,
    Card,
    CardFigure,
    CardSource,
    PlatformService,
    RequirementAnswer,
)
from epc.printable import begun, enumeration
from epc.records.choices import Picked
from epc.report.document import Table, printed
from epc.report.figure_names import parted
from epc.report.loop_text import starts_sentences
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.statistics.figures import NO_INTERVAL, TOO_FEW, figure_text, range_text

OPTIMISED: Final = "what happens to an optimiser under this judge"
# What picking by a judge gains, with each column's form.
_PICKED: Final[Mapping[str, tuple[str, str]]] = {
    "luck_share": ("luck", ".0%"),
    "fresh": ("gain, asked again", ".2f"),
    "taste_least": ("taste, at least", ".2f"),
    "taste_most": ("taste, at most", ".2f"),
    "gold_gain": ("right, of 100", "+.1c"),
}
_WHOLE: Final = 100  # from which on a figure is shown without decimals
_FEW: Final = 2  # other prompts, from which on they are one line
NOWHERE: Final = "no platform's dates are known"
_PUBLIC: Final = "open-weights"  # the platform of weights that anybody has


def sentence(card: Card) -> str:
    """Return what a reader should know first: is it served, and how did it judge?"""
    return f"{card.name}: {_served(card.served)}. {begun(performance_text(card))}."


def _joined(facts: Sequence[str]) -> str:
    """Return facts as sentences, of which the first goes on and the last is not ended."""
    first, *further = dict.fromkeys(facts)
    return ". ".join([first, *map(begun, further)])


def _served(lives: Sequence[PlatformService]) -> str:
    platforms: dict[str, list[str]] = {}
    for life in lives:
        platforms.setdefault(clause_of(life), []).append(life.platform)
    if not platforms:
        return NOWHERE
    return _joined(
        [
            template.format(enumeration(list(dict.fromkeys(names))))
            for template, names in platforms.items()
        ]
    )


def clause_of(life: PlatformService) -> str:
    """Return one life in words, with a place for the platforms."""
    if life.platform == _PUBLIC:
        return "its weights are public"
    if life.pinned:
        return "served at {} with weights that nobody can change or retire"
    end = ", which states no end"
    if life.until or life.not_before:  # Reading R98
        end = f" until {life.until or f'{life.not_before} at the least'}"
    phrases = {
        "expired": f"{life.reason} at {{}} on {life.until}",
        "unconfirmed": "not confirmed lately at {}",
        "unknown": "not known whether it is served at {}",
    }
    return phrases.get(life.status, f"served at {{}}{end}")


def performance_text(card: Card) -> str:
    """Return how it judged, or that nothing tells.

    The headline of what may be quoted comes first, then places; behind these stands the newest
    audit. Whatever else was published is said where nothing of these is known.
    """
    facts = [*_quoted(card), *card.of_files, *_audit(card.rests_on)]
    facts = facts or [*_invalid(card.counted("invalid"))] or [*_gamma(card.counted("gamma"))]
    facts = facts or [*_pci(card.counted("pci"))] or [*_unjudged(card)]
    if facts:
        facts = [f"the name means {card.means}", *facts] if card.means else facts
        return _joined(facts)
    if any(source.failed for source in card.rests_on):
        return "what was published is of a failed run"
    if card.rests_on:
        return "no current measurement of it is published"
    return "no measurement of it is in this registry"


def _quoted(card: Card) -> Iterator[str]:
    """Yield the headline, and how often the verdict is kept with the place; or else history."""
    first = card.quotable.headline
    if first is None and card.quotable.history:
        yield f"no figure of it stands. Before its end it {card.quotable.history[0].says}"
    if first:
        yield f"it {first.says}"
        places = card.quotable.figure("places")
        if places and places is not first:
            yield f"it {places.says}"


def _audit(rests: Sequence[CardSource]) -> Iterator[str]:
    standing = [source for source in rests if source.word and source.counts]
    if standing:
        newest = standing[-1]
        assert newest.word
        word = newest.word.replace("_", " ")
        yield f"its newest audit says: {word} ({newest.of}); {UNKNOWN_QUALITY}"


def _invalid(figures: Sequence[CardFigure]) -> Iterator[str]:
    for figure in figures[-1:]:
        if figure.value is not None:
            share = f"{100 * figure.value:.1f}% of {figure.n:,} evaluations"
            yield f"{share} that it wrote were invalid ({_dated(figure)})"


def _gamma(figures: Sequence[CardFigure]) -> Iterator[str]:
    for figure in figures[-1:]:
        interval = "" if figure.ci95 else " and no interval"
        gamma = f"{figure.value:.3f} ({figure.epc_5_2})"
        seeds = f"{figure.n} seeds{interval} ({_dated(figure)})"
        yield f"a publication states gamma {gamma}, with {seeds}"


def _pci(figures: Sequence[CardFigure]) -> Iterator[str]:
    for figure in figures[-1:]:
        seeds = f"{figure.n} seeds, and no gamma ({_dated(figure)})"
        yield f"a publication states PCI {interval(figure)}, with {seeds}"


def _dated(figure: CardFigure) -> str:
    """Return the snapshot of a figure, and its month."""
    return ", ".join(filter(None, (figure.of, figure.month)))


def _unjudged(card: Card) -> Iterator[str]:
    """Yield what is published of it where no figure says how well it judged."""
    rests = [source for source in card.rests_on if source.counts and not source.failed]
    if rests:
        counts = enumeration([f"{source.n:,} {source.unit} ({source.of})" for source in rests])
        yield f"{counts} are published"
        yield "nothing says whether they are right, change with the place or are repeated"


def text(card: Card, answers: Sequence[RequirementAnswer] = ()) -> str:
    """Return the printed form of a card."""
    parts = [sentence(card)]
    if card.limits:
        parts += ["", "you may not say", *(f"  {limit.says}" for limit in card.limits)]
    if card.instead:
        parts += ["", card.instead.in_place_of(card.name)]
    if card.agreeing:
        parts += ["", "shown to agree with it"]
        parts += [f"  {model}: {alike}" for model, alike in card.agreeing.items()]
    parts += _platforms(card)
    for title, figures in sections(card):
        parts += ["", title, *_coupling(card, title), *_rows(figures)]
    if card.picked:
        table = printed([Table("picks", picks(card.picked))])
        parts += ["", picking(card), *(f"  {line}" for line in table.split("\n"))]
    if card.optimised:
        parts += ["", OPTIMISED, *(f"  {line}" for line in starts_sentences(card.optimised))]
    parts += _conditions(card)
    parts += ["", "drift", *(f"  {line}" for line in card.drift or ("nothing was recorded",))]
    parts += ["", "rests on", *(_source_line(source) for source in card.rests_on)]
    if not card.rests_on:
        parts.append("  nothing: no measurement of it is in this registry")
    if card.faults:
        lines = (
            f"  {name}: {says} ({', '.join(subjects)})" for name, says, subjects in faults(card)
        )
        parts += ["", "known faults", *lines]
    for answer in answers:
        parts += ["", f"{answer.requirement}: {answer.answer} ({answer.why})"]
        parts += _rows(answer.figures)
    return "\n".join(parts)


def picking(card: Card) -> str:
    """Return the title of `picks`, with the month of the verdicts."""
    largest = max(gains.n for gains in card.picked.values())
    text = f"what its score gains by best of {largest}, asked once, in its points"
    return f"{text}, {card.picked_month}" if card.picked_month else text


def picks(picked: Mapping[str, Picked]) -> list[tuple[str, ...]]:
    """Return what picking by a judge gains as a table: luck, both bounds of taste, right answers.

    Source: Reading R94. A dash is what cannot be said.
    """
    rows = [("domain", *(title for title, _ in _PICKED.values()), "questions")]
    for domain, gains in picked.items():
        figures = ((gains.figures.get(name), form) for name, (_, form) in _PICKED.items())
        cells = (figure.text(form, TOO_FEW) if figure else "-" for figure, form in figures)
        rows.append((domain, *cells, f"{gains.questions:,}"))
    return rows


def _platforms(card: Card) -> Iterator[str]:
    yield ""
    yield "platforms"
    if not card.served:
        yield "  none is known"
    for life in card.served:
        yield f"  {life.platform}/{life.model}  {life.words}"
        yield f"    {life.note}" + (f" [{life.source}]" if life.source else "")
    for alias in card.aliases:
        yield f"  {alias} pointed to it: verdicts under that name may be of it, and count as none"
    if card.means:
        yield f"  all figures below are of {card.means}, which the name means on this day"


def _coupling(card: Card, title: str) -> Iterator[str]:
    """Yield what the figures of coupling come to, above them."""
    if card.coupling and title == COUPLING:
        crossed = card.coupling
        yield f"  {COUPLING}, {crossed.says}, {crossed.dated}, {crossed.tag}"


def _rows(figures: Sequence[CardFigure]) -> Iterator[str]:
    """Yield figures below their names in words, a line for each with what it was measured in.

    Where one prompt is that of comparisons, the others are the end of its line.
    """
    kinds: dict[tuple[str, str], list[CardFigure]] = {}
    for figure in figures:
        kinds.setdefault(parted(figure.name)[:2], []).append(figure)
    for (kind, phrase), of_kind in kinds.items():
        yield f"  {kind}" + ("" if phrase == kind.replace("_", " ") else f": {phrase}")
        rows = [*_figure_rows(of_kind)]
        width = max(len(label) for label, _, _ in rows)
        for label, figure, other_prompts in rows:
            items = "" if figure.items in {None, figure.n} else f", items {figure.items:,}"
            out = f"  (left out: {figure.left_out})" if figure.left_out else ""
            counts = f"n {figure.n:,} {figure.unit}{items}"
            counts += f", {figure.month}" if figure.month else ""
            read = figure.epc_5_2 and f"  {figure.epc_5_2}"
            suffix = other_prompts and f"  ({other_prompts})"
            value = f"{interval(figure)}{' †' * bool(figure.marks)}"
            yield f"    {label:<{width}}  {value:<24}  {counts}{read}{out}{suffix}"
            if figure.note:
                yield f"      {figure.note}"


def _figure_rows(figures: Sequence[CardFigure]) -> Iterator[tuple[str, CardFigure, str]]:
    """Yield the figures that are shown: what each is of, and what is said of its other prompts."""
    for name, subset in dict.fromkeys((figure.name, figure.subset) for figure in figures):
        of_name = [f for f in figures if (f.name, f.subset) == (name, subset)]
        rows, other_prompts = folded(of_name)
        for figure in rows:
            part = name.removeprefix(parted(name)[0]).removeprefix("/")
            labels = filter(None, (subset, part, figure.basis))
            yield "  ".join(labels), figure, other_prompts if figure is rows[-1] else ""


def with_shown_figures(card: Card) -> Card:
    """Return a card with the figures alone that its text shows."""
    return replace(card, figures=tuple(figure for _, figure, _ in _figure_rows(card.figures)))


def folded(rows: Sequence[CardFigure]) -> tuple[list[CardFigure], str]:
    """Return the rows of one figure that are shown, and what is said of its other prompts.

    All are shown where none has the prompt of comparisons, or only one has not.
    """
    plain = [row for row in rows if row.plain]
    values = [row.value for row in rows if not row.plain and row.value is not None]
    if not plain or len(values) < _FEW:
        return [*rows], ""
    return plain, f"{len(values)} other settings: {range_text(_ends(values), _form(*values))}"


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _conditions(card: Card) -> Iterator[str]:
    rows = list(conditions(card))
    if rows:
        yield ""
        yield "measured in"
    for basis, how, state, left_out in rows:
        yield f"  {basis}: {how}; {state}"
        if left_out:
            yield f"    counts for no requirement and no headline: {left_out}"


def conditions(card: Card) -> Iterator[tuple[str, str, str, str]]:
    """Yield once, of each snapshot or setting, how it was asked, its state, and why it is left out.

    The last is empty for what counts.
    """
    measures = (figure for _, figures in sections(card) for figure in figures)
    yield from dict.fromkeys((f.basis, f.conditions, f.state, f.left_out) for f in measures)


def interval(figure: CardFigure) -> str:
    """Return a figure with its interval, in as many places as it needs."""
    form = "," if figure.name == DAYS_LEFT else _form(figure.value or 0.0)
    return figure_text(figure.value, figure.ci95, form, NO_INTERVAL)


def _form(*values: float) -> str:
    return ",.0f" if max(map(abs, values)) >= _WHOLE else ".3f"


def sections(card: Card) -> Iterator[tuple[str, list[CardFigure]]]:
    """Yield the headings of a card with their figures, those of one name together."""
    for title in (*SECTIONS, KINDS_OF_TASK, OTHER):
        figures = [figure for figure in card.figures if figure.section == title]
        names = list(dict.fromkeys(figure.name for figure in figures))
        if figures:
            yield title, sorted(figures, key=lambda figure: names.index(figure.name))


def faults(card: Card) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each known fault once, its id and what it says, with all that it is of."""
    for key in dict.fromkeys((fault.id, fault.says) for fault in card.faults):
        subjects = dict.fromkeys(f.of for f in card.faults if (f.id, f.says) == key)
        yield *key, list(subjects)


def _source_line(source: CardSource) -> str:
    word = f", {source.word.replace('_', ' ')} ({UNKNOWN_QUALITY})" if source.word else ""
    failed = ", FAILED" if source.failed else ""
    kinds = ", ".join(dict.fromkeys((source.kind, source.trust)))
    count = f"{source.n:,} {source.unit}"
    return f"  {source.of}  {kinds}{word}{failed}; {count}; {source.state}; {source.source}"
