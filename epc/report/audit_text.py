"""An audit in words."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.audit import Audit
from epc.audit.facts import Facts
from epc.protocol.results import Json
from epc.records.probes import in_words
from epc.report.coupling_text import MEANING, TITLES, conditions, lines, tested
from epc.spec.coupling import LEVEL, RULE
from epc.spec.epc_v1 import DOMAINS

_METHODS: Final = {
    "simulated": "simulated from the run's own verdicts",
    "measured": "measured",
    "coin_flip": "that of a coin flip, as the record does not say what was answered",
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
        yield f"  p value        {tested(facts.transfer)}"
        if facts.transfer.test is not None:
            yield f"  conditional    {conditions(facts.transfer)}"
        yield from (f"  {line}" for line in lines(facts.transfer))
    if facts.preferences is not None:
        differ = "differ" if facts.preferences.p_value <= LEVEL else "do not detectably differ"
        yield f"  preferences    {differ} between the domains (p {facts.preferences.p_value:.2g})"
    if facts.pci is not None:
        told = ", ".join(f"{facts.pci[domain]['mean']:.2f} in {domain}" for domain in DOMAINS)
        yield f"  PCI            {told}: how far the weights concentrate"
    for domain, r in (facts.length_correlation or {}).items():
        if r is not None:
            yield f"  answer length  goes with win rate in {domain} by r = {r:+.2f}"
    yield from _on_gamma(audit)
    yield f"  noise floor: {_METHODS[audit.control['method']]}"
    if facts.tie_rate is not None:
        yield f"  tie rate       {100 * facts.tie_rate:.1f}%"
    yield from _on_the_evaluator(facts)
    if audit.findings:
        yield ""
    for finding in audit.findings:
        yield str(finding)


def _on_gamma(audit: Audit) -> Iterator[str]:
    facts = audit.facts
    for direction, floor in audit.control["noise_floor"].items():
        gammas = facts.gamma[direction]
        yield f"  {TITLES[direction]}"
        yield f"    gamma        {sum(gammas) / len(gammas):.3f} over {seeds(facts.n)}"
        yield (
            f"    noise floor  {floor['mean']:.3f}  "
            f"({floor['q025']:.2f} to {floor['q975']:.2f} for 95% of single seeds)"
        )
        if audit.excess is not None:
            yield f"    excess       {interval(audit.excess[direction])}"


def seeds(n: int) -> str:
    """Return a number of seeds in words."""
    return "1 seed" if n == 1 else f"{n} seeds"


def _on_the_evaluator(facts: Facts) -> Iterator[str]:
    if (itself := facts.self_comparisons) and itself["decided"]:
        share = 100 * itself["share_of_a"]
        yield f"  equal answers  A in {share:.0f}% of {itself['decided']} comparisons"
    if facts.swap:
        kept = facts.swap["order_consistency"]
        if kept["ci95"]:
            low, high = (100 * end for end in kept["ci95"])
            yield (
                f"  both orders    the same answer in {100 * kept['mean']:.0f}% of "
                f"{facts.swap['pairs'] - facts.swap['tied']} pairs ({low:.0f} to {high:.0f}%)"
            )
    if facts.competence:
        yield f"  competence     {facts.competence['word']}: {in_words(facts.competence)}"


def interval(estimate: Json) -> str:
    """Return a mean with its interval."""
    if estimate["ci95"] is None:
        return f"{estimate['mean']:+.3f}  [one seed]"
    low, high = estimate["ci95"]
    return f"{estimate['mean']:+.3f}  [{low:+.3f}, {high:+.3f}]"
