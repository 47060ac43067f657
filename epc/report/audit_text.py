"""An audit in words, and those of its parts that the report of its run has too."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from epc.analysis.audit import Audit
from epc.audit.coupling import Into
from epc.audit.facts import Facts as Known
from epc.records.probes import in_words
from epc.report.coupling_text import (
    MEANING,
    TWO_FIGURES,
    carried_text,
    conditions,
    copies_line,
    figures,
    headline,
    tested,
    to_settle,
)
from epc.report.document import (
    Beside,
    Conclusion,
    Facts,
    Findings,
    Listed,
    Part,
    Section,
    Toned,
    printed,
    sentence,
)
from epc.report.quality_text import parts as quality_parts
from epc.report.quality_text import quality_line
from epc.spec.coupling import LEVEL, RULE
from epc.spec.domains import Direction, pair_title
from epc.statistics.figures import ONE_SEED, figure_text, number_text

_METHODS: Final = {
    "simulated": "simulated from the run's own verdicts",
    "measured": "measured",
    "coin_flip": "that of a coin flip, as the record does not say what was answered",
}


def text(audit: Audit) -> str:
    """Return the printed form of an audit."""
    gammas = [
        Section(f"gamma, {pair_title(d)}", [Facts([*_on_gamma(audit, d)])])
        for d in audit.control["noise_floor"]
    ]
    parts = (*bearing(audit), *gammas, findings(audit), evaluator(audit))
    return f"{audit.path}: {printed(parts)}"


def bearing(audit: Audit, holds: Sequence[str] = ()) -> Iterator[Part]:
    """Yield the word, what crosses in each direction, and what both take for granted.

    `holds` says until when the figures hold, as far as somebody knows.
    """
    word = Toned(f"{audit.verdict} (rule {RULE})", audit.verdict)
    yield Conclusion(word, sentence(MEANING[audit.verdict]))
    yield Facts([("quality", quality_line(audit.quality))])
    yield Beside(
        [
            Section(
                pair_title(direction),
                [sentence(headline(direction, into)), Facts([*figures(direction, into)])],
                "card",
            )
            for direction, into in crossing(audit).items()
        ]
    )
    if names := [*carried_text(audit.carried)]:
        yield Listed([*map(sentence, names)])
    yield Facts([*_conditional(audit, holds)])
    yield from quality_parts(audit.quality)


def crossing(audit: Audit) -> Mapping[Direction, Into]:
    """Return what crosses; nothing of a failed run, as its few seeds measure nothing (R8)."""
    transfer = audit.facts.transfer
    if transfer is None or audit.verdict == "no_verdicts_counted":
        return {}
    return transfer.directions or {}


def findings(audit: Audit) -> Section:
    """Return what stands against the figures, and what is to be said of the domains."""
    return Section(
        f"Findings ({len(audit.findings)})",
        [
            Findings(audit.findings, "None: nothing speaks against these figures."),
            Facts([*_on_the_domains(audit.facts)]),
        ],
    )


def evaluator(audit: Audit, remarks: Iterable[str] = ()) -> Section:
    """Return how the evaluator judges, with remarks on its run."""
    name = "Ties, refusals, preference for a place"
    return Section(name, [Facts([*_on_the_evaluator(audit.facts)]), Listed([*remarks])])


def _conditional(audit: Audit, holds: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what the word takes for granted, each fact with its label."""
    transfer = audit.facts.transfer
    if transfer is not None:
        yield "p value", tested(transfer)
        if transfer.test is not None:
            yield "conditional", conditions(transfer)
            if not any((audit.facts.copies or {}).values()):
                texts = audit.facts.copies is not None
                yield "copies", copies_line(audit.facts.compared, texts=texts)
            regrets = [into.regret_ci95 for into in (transfer.directions or {}).values()]
            fewest = min(transfer.units.values())
            yield from to_settle(audit.verdict, regrets, fewest, transfer.test.unit)
        if transfer.directions:
            yield "two figures", TWO_FIGURES
    yield "control", f"the noise floor is {_METHODS[audit.control['method']]}"
    yield "rule", f"version {RULE}; see Readings R70 to R74"
    for number, line in enumerate(holds):
        yield "" if number else "until when", line


def _on_the_domains(facts: Known) -> Iterator[tuple[str, str]]:
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
            yield "answer length", f"goes with win rate in {domain} by r = {number_text(r, '+.2f')}"


def _on_gamma(audit: Audit, direction: Direction) -> Iterator[tuple[str, str]]:
    floor, gammas = audit.control["noise_floor"][direction], audit.facts.gamma[direction]
    seeds = "1 seed" if audit.facts.n == 1 else f"{audit.facts.n} seeds"
    read = audit.interpreted(direction)
    yield "gamma", f"{sum(gammas) / len(gammas):.3f} over {seeds}: {read}"
    spread = f"{floor['q025']:.2f} to {floor['q975']:.2f} for 95% of single seeds"
    yield "noise floor", f"{floor['mean']:.3f} ({spread})"
    if audit.excess is not None:
        excess = audit.excess[direction]
        yield "excess", figure_text(excess["mean"], excess["ci95"], "+.3f", ONE_SEED)


def _on_the_evaluator(facts: Known) -> Iterator[tuple[str, str]]:
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
            equal_share = (
                f"{100 * consistency['mean']:.0f}% of {pairs} pairs ({low:.0f} to {high:.0f}%)"
            )
            yield "both orders", f"the same answer in {equal_share}"
    if facts.competence:
        yield "competence", f"{facts.competence['word']}: {in_words(facts.competence)}"
