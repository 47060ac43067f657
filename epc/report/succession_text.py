"""Judges that may replace one, in words: a sentence first, then every judge with its figures."""

from collections.abc import Iterator, Sequence
from typing import Final

from epc.analysis.agreement import BETTER, Agreement
from epc.analysis.succession import Succession, Successor
from epc.records.choices import price_text
from epc.statistics.figures import TOO_FEW, number_text

NONE: Final = "no common items"
ELSEWHERE: Final = "verdicts of it stay with their source, as its licence has it; with a copy of it"
SHIFTS: Final = {
    "first_place": "share of the first place",
    "better": "share right (a tie is not right)",
    "score": "mean score",
}


def agreement_line(agreement: Agreement) -> str:
    """Return how one judge agrees, and what moves, in one line."""
    moves = [
        f"{title} {shift.text('+.3f', TOO_FEW)}"
        for name, title in SHIFTS.items()
        if (shift := agreement.shifts.get(name))
    ]
    agreed = agreement.alike
    decoding = "same decoding" if agreement.same_decoding else "decoding differs or is not stated"
    copied = f"; {agreement.shared_answers:,} with one shared answer left out" * bool(
        agreement.shared_answers
    )
    return (
        f"{agreed.text(absent=TOO_FEW)} of {agreed.n:,} verdicts alike, chance "
        f"{agreement.chance:.3f}, items {agreement.items:,}{_questions(agreement)}; "
        f"{', '.join(moves) or 'no shift is known'}; {decoding}{copied}"
    )


def _questions(agreement: Agreement) -> str:
    """Say of how many questions items are, where several are pairs of one."""
    questions = agreement.alike.items
    return f" of {questions:,} questions" if questions < agreement.items else ""


def prompt_of(agreement: Agreement) -> str:
    """Return a prompt's own name, without its folder and ending."""
    return agreement.prompt.removesuffix(".txt").rpartition("/")[2]


def text(result: Succession) -> str:
    """Return the printed form of who may replace a judge, over all kinds of task."""
    parts = [sentence(result), ""]
    parts += [f"  {state}" for state in result.state or ("no platform's dates are known",)]
    parts += [f"  {line}" for line in result.instead]
    parts += [
        f"  {alias} pointed to it: verdicts under that name may be its own, and count as nobody's; "
        f"see `epc evaluators succeed {alias}`"
        for alias in result.aliases
    ]
    candidates = [s for s in result.successors if s.agreement.subset is None]
    parts += _rows("judges that somebody serves, by agreement", [s for s in candidates if s.living])
    parts += _rows(
        "judges that are gone, or of unknown state", [s for s in candidates if not s.living]
    )
    if result.unlike:
        parts += ["", "judges with common items, and no prompt that is known to be common"]
        parts += [f"  {pair.model}: {pair.items:,} items" for pair in result.unlike]
    parts += alternative_lines(result)
    measurement = result.measurement
    parts += ["", "the cheapest next measurement", f"  {measurement.command}"]
    parts += [f"  {measurement.calls:,} evaluator calls at most; {measurement.why}"]
    if result.recorded:
        parts += [
            f"  or ask a new judge the same about its {result.recorded:,} recorded items, and give",
            "  both files of verdicts to this command, each with --verdicts",
        ]
    for commands in result.elsewhere:
        parts += ["", ELSEWHERE, *(f"  {line}" for line in commands.splitlines())]
    return "\n".join(parts)


def alternative_lines(result: Succession) -> Iterator[str]:
    """Yield how much more often other judges are right on the same questions, with their price."""
    if not result.alternatives:
        return
    questions = result.alternatives[0].questions
    yield from ("", f"right more often, or less, on the same {questions:,} questions, asked once")
    for alternative in result.alternatives:
        cost = price_text(alternative.usd)
        yield f"  {alternative.model}, prompt {alternative.prompt}: {alternative.gain:+.1p}; {cost}"
        by_domain = (f"{name} {gain:+.1p}" for name, gain in alternative.gains.items())
        yield f"    {'; '.join(by_domain)}"


def sentence(result: Succession) -> str:
    """Return the answer in a sentence or two: whom to turn to, and who is shown to agree."""
    if result.first and result.first.how == "agreeing":
        return f"{result.name}: {_agreeing(result)}."
    head = "no end is stated, so nothing is named instead"
    if result.first:
        head = result.first.text
    elif result.has_end:
        head = next(iter(result.instead), "nothing can be named instead")
    lead = "Shown to agree with it" if result.agreeing else "Nobody is shown to agree with it"
    return f"{result.name}: {head}. {lead}: {_agreeing(result) or _missing(result)}."


def _agreeing(result: Succession) -> str:
    """Return who agrees most, with what that says of right answers; empty if nobody is shown to."""
    for model, summary in result.agreeing.items():
        judged = next((s.agreement for s in result.living if s.agreement.model == model), None)
        if judged is None:  # without the verdicts there is what the registry records
            return f"{model}, {summary}"
        quality = "which of the two is right more often is not known"
        if better := judged.shifts.get(BETTER):
            moved = number_text(better.value, "+.1p")
            quality = f"its share of right answers differs by {moved} points"
        return f"{model}, {_alike(judged)}; {quality}"
    return ""


def _alike(judged: Agreement) -> str:
    return (
        f"{judged.summary}, on {judged.items:,} common items{_questions(judged)} "
        f"({', '.join(judged.sources)}, prompt {prompt_of(judged)})"
    )


def _missing(result: Succession) -> str:
    """Return why nobody can be named, by the state that came nearest to a name."""
    living = result.living
    if living:
        best = living[0].agreement
        return (
            f"of those that somebody serves {best.model} has the {_alike(best)}, but "
            f"{best.unfit(len(living))}"
        )
    if result.unlike:
        closest = result.unlike[0]
        return (
            f"{closest.model} was asked about {closest.items:,} of the same items, but no source "
            "says whether with the same prompt"
        )
    if models := len({successor.agreement.model for successor in result.successors}):
        judges = "1 judge with" if models == 1 else f"{models} judges with"
        return f"nobody is known to serve the {judges} common items and a common prompt"
    if not result.recorded:
        stay = ": they stay with their source" if result.elsewhere else ""
        return f"no verdict of it is kept here{stay}"
    return "no other judge was asked about the same items"


def _rows(title: str, successors: Sequence[Successor]) -> Iterator[str]:
    """Yield judges under a title, each with its state."""
    yield ""
    yield title
    if not successors:
        yield f"  {NONE}"
    for successor in successors:
        judged = successor.agreement
        kind = "" if judged.subset is None else f", {judged.subset}"
        sources = ", ".join(judged.sources)
        yield f"  {judged.model}, prompt {prompt_of(judged)}{kind} ({sources}): {successor.state}"
        yield f"    {agreement_line(judged)}"
