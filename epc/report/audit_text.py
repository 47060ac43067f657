"""An audit in words."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.audit import Audit
from epc.audit.coupling import Transfer
from epc.audit.facts import Facts
from epc.protocol.results import Json
from epc.records.probes import in_words
from epc.report.coupling_text import MEANING, conditions, lines, tested
from epc.spec.coupling import LEVEL, RULE
from epc.spec.domains import pair_title
from epc.statistics.figures import ONE_SEED, figure_text

METHODS: Final = {
    "simulated": "simulated from the run's own verdicts",
    "measured": "measured",
    "coin_flip": "that of a coin flip, as the record does not say what was answered",
}
_SWAPPED: Final = {
    False: "no sign of another evaluator within the run",
    True: "another evaluator answered within the run: no claim can rest on it",
}


def text(audit: Audit) -> str:
    """Return the printed form of an audit."""
    return "\n".join(_lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    facts = audit.facts
    yield f"{audit.path}: {audit.verdict} (rule {RULE})"
    yield f"  {MEANING[audit.verdict]}"
    yield ""
    if facts.transfer is not None:
        yield from map(_labelled, crossing(facts.transfer))
        yield from (f"  {line}" for line in lines(facts.transfer))
    yield from map(_labelled, on_the_domains(facts))
    yield from _on_gamma(audit)
    yield f"  noise floor: {METHODS[audit.control['method']]}"
    yield from map(_labelled, on_the_evaluator(facts))
    if audit.findings:
        yield ""
    for finding in audit.findings:
        yield str(finding)


def _labelled(fact: tuple[str, str]) -> str:
    return f"  {fact[0]:<15}{fact[1]}"


def crossing(transfer: Transfer) -> Iterator[tuple[str, str]]:
    """Yield what the word rests on, each fact with its label."""
    yield "p value", tested(transfer)
    if transfer.test is not None:
        yield "conditional", conditions(transfer)


def on_the_domains(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield what is to be said of the domains, each fact with its label."""
    if facts.preferences is not None:
        differ = "differ" if facts.preferences.p_value <= LEVEL else "do not detectably differ"
        yield "preferences", f"{differ} between the domains (p {facts.preferences.p_value:.2g})"
    if facts.pci is not None:
        means = ", ".join(
            f"{facts.pci[domain]['mean']:.2f} in {domain}" for domain in facts.domains
        )
        yield "PCI", f"{means}: how far the weights concentrate"
    for domain, r in (facts.length_correlation or {}).items():
        if r is not None:
            yield "answer length", f"goes with win rate in {domain} by r = {r:+.2f}"


def _on_gamma(audit: Audit) -> Iterator[str]:
    facts = audit.facts
    for direction, floor in audit.control["noise_floor"].items():
        gammas = facts.gamma[direction]
        yield f"  {pair_title(direction)}"
        read = audit.interpreted(direction)
        yield f"    gamma        {sum(gammas) / len(gammas):.3f} over {seeds(facts.n)}: {read}"
        yield (
            f"    noise floor  {floor['mean']:.3f} "
            f"({floor['q025']:.2f} to {floor['q975']:.2f} for 95% of single seeds)"
        )
        if audit.excess is not None:
            yield f"    excess       {interval(audit.excess[direction])}"


def seeds(n: int) -> str:
    """Return a number of seeds in words."""
    return "1 seed" if n == 1 else f"{n} seeds"


def on_the_evaluator(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield how the evaluator judges, each fact with its label."""
    if facts.tie_rate is not None:
        yield "tie rate", f"{100 * facts.tie_rate:.1f}%"
    if (itself := facts.self_comparisons) and itself["decided"]:
        share = 100 * itself["share_of_a"]
        yield "equal answers", f"A in {share:.0f}% of {itself['decided']} comparisons"
    if facts.swap:
        consistency = facts.swap["order_consistency"]
        if consistency["ci95"]:
            low, high = (100 * end for end in consistency["ci95"])
            pairs = facts.swap["pairs"] - facts.swap["tied"]
            same = f"{100 * consistency['mean']:.0f}% of {pairs} pairs ({low:.0f} to {high:.0f}%)"
            yield "both orders", f"the same answer in {same}"
    if facts.swapped is not None:
        yield "canary", _SWAPPED[facts.swapped]
    if facts.competence:
        yield "competence", f"{facts.competence['word']}: {in_words(facts.competence)}"


def interval(estimate: Json) -> str:
    """Return a mean with its interval."""
    return figure_text(estimate["mean"], estimate["ci95"], "+.3f", ONE_SEED)
