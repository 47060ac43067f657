"""A spot check in words."""

from epc.analysis.spot_checking import SpotCheck
from epc.printable import shown
from epc.statistics.odd_one import Word

_WORDS: dict[Word, str] = {
    "agrees": "The evaluator answers as the record says.",
    "differs": "The record's answers are not this evaluator's, or it has changed since.",
    "cannot_tell": "Nothing can be said: answers that have nothing to do with each other would "
    "agree as often.",
}


def report(check: SpotCheck) -> str:
    """Return what a reader is told."""
    result = check.agreement
    agreed, flips = (
        f"95% interval {low:.2f} to {high:.2f}"
        for low, high in (result.agreement_ci95, result.flips_ci95)
    )
    model, endpoint = shown(check.asked.model), shown(check.asked.endpoint)
    odd, p_value = f"{result.odd} of {result.uneven} uneven pairs", f"p = {result.p_value:.3g}"
    lines = [
        f"{result.verdict}  {check.tag}",
        _WORDS[result.verdict],
        f"agreement  {result.agreed} of {result.pairs}, {agreed}; {result.chance:.2f} by chance",
        f"flips      {result.flipped} of {result.pairs} between two fresh answers, {flips}",
        f"odd one    the recorded answer on {odd}; {p_value}",
        f"asked      {model} at {endpoint}",
        f"drawn by   commit {check.seed}",
    ]
    if not check.direct:
        lines.append("not at the address of the platform that the card names: it proves nothing")
    return "\n".join(lines)
