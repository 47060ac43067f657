"""Judges by domain, in words: a sentence for each benchmark, then each judge with its figure."""

from collections.abc import Iterator, Sequence
from typing import Final

from epc.analysis.domains import FEWEST, BenchmarkAnswer, Candidate, DomainAnswer
from epc.analysis.verdicts_names import alone_in_words
from epc.report.figure_names import in_words

_BETTER: Final = "shown to be better than the others"
_NOBODY: Final = "nobody serves a judge that was measured"
_NOT_POOLED: Final = "Figures of different benchmarks and domains are never pooled."


def sentence(answer: DomainAnswer) -> str:
    """Return the answer in a few sentences, a line for each benchmark."""
    if answer.benchmarks:
        asked_for = f"{answer.domain}, {answer.subset}" if answer.subset else answer.domain
        parts = (_benchmark_sentence(part) for part in answer.benchmarks)
        return "\n".join(f"{asked_for}: {part}" for part in parts)
    commands = ", then ".join(answer.measure)
    near = " or ".join(answer.near)
    return (
        f"{answer.domain}: no judge was measured here. Measure one on items of yours: {commands}. "
        f"Near it, with judges: {near}."
    )


def verdict(part: BenchmarkAnswer | None) -> str:
    """Return in a few words what a benchmark decides, for a cell of a table."""
    if not (part and part.candidates):
        return _NOBODY
    if part.decided:
        return f"{_BETTER}, but see †" if part.candidates[0].marks else _BETTER
    first = part.candidates[0].figure
    return f"not decided: {_undecided(part, first.items)}" if first else "not decided"


def _benchmark_sentence(part: BenchmarkAnswer) -> str:
    task = f"{part.benchmark.name}, {part.benchmark.task}"
    if not part.candidates:
        return f"{_NOBODY} ({task})."
    first = part.candidates[0]
    if first.figure is None:
        return f"not decided ({task}): {part.benchmark.says}."
    figure = f"{part.benchmark.says} {first.figure:.2f}{_dagger(first)}, {_counts(first)}"
    if part.decided:
        doubt = "; read † before you rely on that" if first.marks else ""
        answer = f"ask {_called(first)}: {figure} ({task}). It is {_BETTER}{doubt}."
    else:
        why = f"not decided, {_undecided(part, first.figure.items)} ({task})"
        answer = f"{why}. The highest is {_called(first)}: {figure}."
    return f"{answer}{_aged(part)}"


def _undecided(part: BenchmarkAnswer, items: int) -> str:
    """Say why no judge is named first."""
    if len({candidate.judge for candidate in part.candidates}) == 1:
        return "only one judge was measured"
    if items < FEWEST:
        return f"{items} items are too few to tell judges apart"
    return "no judge is shown to be better than all others"


def _aged(part: BenchmarkAnswer) -> str:
    """Say that the first figure, or each of them, is too old, and what measures again."""
    stale = [candidate.state == "stale" for candidate in part.candidates]
    if not stale[0]:
        return ""
    subject = "All these figures are" if all(stale) else "This figure is"
    return f" {subject} too old: measure a judge on verdicts of yours with epc audit."


def _dagger(candidate: Candidate) -> str:
    return " †" if candidate.marks else ""


def _called(candidate: Candidate) -> str:
    way = "" if candidate.setting == candidate.judge else f" ({candidate.setting})"
    return f"{candidate.judge}{way}"


def _counts(candidate: Candidate) -> str:
    if candidate.figure is None:
        of_all = " of all parts" if candidate.by_subset else ""
        return f"{candidate.verdicts:,} verdicts{of_all}, {candidate.dated}"
    figure = candidate.figure
    return f"n {figure.n:,} of {figure.items:,} items, {candidate.dated}"


def text(answer: DomainAnswer) -> str:
    """Return the printed form of the answer."""
    lines = [sentence(answer)]
    for source in answer.public:
        lines += ["", "public", f"  {source}"]
    by_source: dict[str, list[BenchmarkAnswer]] = {}
    for part in answer.benchmarks:
        by_source.setdefault(part.benchmark.repository, []).append(part)
    for parts in by_source.values():
        for part in parts:
            lines += ["", *_lines(part)]
        lines += _faults(parts)
    if answer.benchmarks:
        lines += ["", _NOT_POOLED]
    return "\n".join(lines)


def _lines(part: BenchmarkAnswer) -> Iterator[str]:
    chance = part.benchmark.chance
    by_chance = "" if chance is None else f"; by chance {chance:g}"
    modality = part.benchmark.modality
    saw = "" if modality == "text" else f"; judges saw {modality}s"
    yield f"{part.benchmark.name}: {part.benchmark.says}{by_chance}{saw}"
    for candidate in part.candidates:
        value = f"{candidate.figure:.2f}{_dagger(candidate)}, " if candidate.figure else ""
        yield f"  {_called(candidate)}: {value}{_counts(candidate)}; {candidate.tag}"
        yield from (f"    {line}" for line in _details(candidate))
    yield from _by_subset(part.candidates)
    if part.unserved:
        yield f"  measured, but not known to be served there: {', '.join(part.unserved)}"


def _by_subset(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield what is stated of each part, such as a language pair, judge by judge."""
    subsets = dict.fromkeys(name for candidate in candidates for name in candidate.by_subset)
    if subsets:
        yield f"  by part, and not pooled; figures of fewer than {FEWEST} items are left out:"
    for subset in subsets:
        figures = [
            f"{_called(candidate)} {in_words(name)} {figure.value:.4f} (n {figure.n:,})"
            for candidate in candidates
            for name, figure in candidate.by_subset.get(subset, {}).items()
            if figure.items >= FEWEST
        ]
        yield f"    {subset}: {'; '.join(figures) or 'none'}"


def _faults(parts: Sequence[BenchmarkAnswer]) -> Iterator[str]:
    """Yield the known faults of a source, behind its benchmarks."""
    yield "  known faults"
    candidates = [candidate for part in parts for candidate in part.candidates]
    marks = {fault for candidate in candidates for fault in candidate.marks}
    for fault, says in parts[0].faults.items():
        dagger = "† " if fault in marks else ""
        yield f"    {dagger}{fault}{_of_whom(candidates, fault)}: {says}"


def _of_whom(candidates: Sequence[Candidate], fault: str) -> str:
    """Name the judges that a fault is of, unless it is of all."""
    faulty = [candidate.judge for candidate in candidates if fault in candidate.faults]
    if len(faulty) == len(candidates):
        return ""
    return f" (of {', '.join(dict.fromkeys(faulty)) or 'judges that are left out'})"


def _details(candidate: Candidate) -> Iterator[str]:
    """Yield what stands beside a judge's figure: its sides, a remark, and who serves it."""
    if candidate.sides:
        sides = (f"{in_words(name)} {figure:.2f}" for name, figure in candidate.sides.items())
        yield "; ".join(sides)
    if candidate.always is not None:
        yield f"always the same label would be right in {candidate.always:.2f}"
    if candidate.alone:
        yield f"alone: {alone_in_words(candidate.alone)}"
    if candidate.self_preference:
        together = ", all parts together" if candidate.by_subset else ""
        yield f"remark: {candidate.self_preference}{together}"
    yield "; ".join(f"{place} {state}" for place, state in candidate.served.items())
