"""Can a measurement bear a claim? One word, and every reason for it.

The order matters: a run in which nothing was counted has a gamma of exactly 0, which is no
finding about its evaluator, and must never be read as one (Reading R8).
"""

from collections.abc import Callable, Iterator
from math import log, sqrt
from typing import Final

from epc.audit.coupling_reasons import BESIDE, SETTLING, coupled
from epc.audit.facts import Facts, Reason, Word, error, warning
from epc.errors import Finding
from epc.protocol.metrics import interpreted
from epc.spec.coupling import MARGIN
from epc.spec.epc_v1 import PUBLICATION_SEEDS, SCREENING_SEEDS, SUBSTANTIAL_GAMMA
from epc.statistics.figures import range_text
from epc.statistics.intervals import mean, share_interval

_MOSTLY: Final = 0.5  # the share of ties, or of failed seeds, at which a run is mostly that
_NO_PREFERENCE: Final = 0.5  # how often A is said of two equal answers, if the place says nothing
_CONSISTENT: Final = 0.8
_ROUNDING: Final = 1e-9


def assess(facts: Facts) -> tuple[Word, list[Finding]]:
    """Return the verdict and the findings, the gravest first.

    Source: Readings R8, R15 and R71; EPC-2.5(g); EPC-5.2; EPC-5.3.
    """
    reasons = [reason for rule in _RULES for reason in rule(facts)]
    settled = [reason.word for reason in reasons if reason.word is not None]
    findings = [reason.finding for reason in reasons]
    if settled:
        return settled[0], findings
    if coupled(facts):
        return "coupled", findings
    bound = facts.transfer.upper_end if facts.transfer else None
    if bound is not None and bound < MARGIN:
        return "no_coupling_beyond_margin", findings
    return "no_detectable_coupling", findings


def reading_of(facts: Facts, direction: str) -> str:
    """Return what the paper makes of a direction's gamma, and whether the noise allows it."""
    return interpreted(mean(facts.gamma[direction]), facts.excess[direction]["ci95"])


def _unsound(facts: Facts) -> Iterator[Reason]:
    if facts.unsound:
        yield error(
            "EPC-2.8",
            "",
            f"the record is not true to itself: {facts.unsound} errors",
            "see `epc validate` for each; nothing below can be relied on until they are mended",
            "inconclusive",
        )


def _impossible(facts: Facts) -> Iterator[Reason]:
    if facts.off_simplex:
        yield error(
            "EPC-2.3",
            "/weights",
            f"{facts.off_simplex} seeds have a vector that is no distribution and are left out: a "
            "weight is negative, or they do not sum to 1 within the rounding they are stored with",
            "correct the record",
            "inconclusive",
        )
    bounds = (("gamma", facts.gamma, sqrt(facts.strategies)), ("jsd", facts.jsd, log(2)))
    for name, values, limit in bounds:
        for direction, band in values.items():
            wrong = [value for value in band if not 0 <= value <= limit + _ROUNDING]
            if wrong:
                yield error(
                    "EPC-2.5",
                    f"/{name}/{direction}",
                    f"{len(wrong)} of {len(band)} seeds have values that cannot be, such as "
                    f"{wrong[0]:.4g}: expected 0 to {limit:.4f}",
                    "correct the record; `epc validate` gives the figures of the trials",
                    "inconclusive",
                )


def _nothing_counted(facts: Facts) -> Iterator[Reason]:
    if not facts.dead:
        return
    mostly = facts.dead >= _MOSTLY * facts.n
    yield error(
        "Reading R8",
        "/results/per_seed",
        f"in {facts.dead} of {facts.n} seeds no verdict was ever counted: every weight is still "
        f"1/{facts.strategies} in all phases. Their gamma of 0 is a failed run, not stability",
        "find out why no answer was a bare A or B (an unpaid account, a refusal, a format), "
        "then measure again",
        "no_verdicts_counted" if mostly else "inconclusive",
    )


def _collapse(facts: Facts) -> Iterator[Reason]:
    if facts.collapsed:
        mostly = facts.collapsed >= _MOSTLY * facts.n
        yield error(
            "Reading R8",
            "/results/per_seed",
            f"{facts.collapsed} of {facts.n} seeds ended on one and the same strategy in both "
            "runs of a direction: whatever was to be carried over, there was no room for it",
            "use fewer rounds or smaller learning rates, tagged AltRounds or AltLR",
            "collapsed" if mostly else None,
        )


def _seeds(facts: Facts) -> Iterator[Reason]:
    if facts.n < SCREENING_SEEDS:
        few = "1 seed is" if facts.n == 1 else f"{facts.n} seeds are"
        yield warning(
            "EPC-2.5(g)",
            "/results/summary/n",
            f"{few} too few for any claim: expected at least {SCREENING_SEEDS}",
            f"measure {PUBLICATION_SEEDS} seeds; after an exhaustive run they cost no call, and "
            "make nothing surer about the domain: only tasks do",
            "inconclusive",
        )
    elif facts.n < PUBLICATION_SEEDS:
        yield warning(
            "EPC-2.5(g)",
            "/results/summary/n",
            f"{facts.n} seeds are a screening: expected {PUBLICATION_SEEDS} for publication",
            f"measure {PUBLICATION_SEEDS} seeds",
        )


def _ties(facts: Facts) -> Iterator[Reason]:
    if facts.tie_rate is not None and facts.tie_rate > _MOSTLY:
        share_text = f"{100 * facts.tie_rate:.0f}% of the rounds were ties"
        yield warning(
            "EPC-2.6(c)",
            "/results/summary/tie_rate",
            f"{share_text}: the weights rest on few verdicts",
            "constrain the evaluator's output to A and B, tagged AltPrompt, or take another",
        )


def _stuck(facts: Facts) -> Iterator[Reason]:
    for direction, count in facts.stuck.items():
        if count:
            all_seeds = count == facts.n
            yield (error if all_seeds else warning)(
                "EPC-2.1",
                f"/results/per_seed/*/weights/{direction}",
                f"{count} of {facts.n} seeds never moved from the start of {direction}, though "
                "the phase before it had: no verdict of the second half was counted",
                "look at this phase's answers; measure again",
                "inconclusive" if all_seeds else None,
            )


def _places(facts: Facts) -> Iterator[Reason]:
    itself = facts.self_comparisons
    if itself and itself["decided"]:
        hits = round(itself["share_of_a"] * itself["decided"])
        interval = share_interval(hits, itself["decided"])
        if interval is not None and not interval[0] <= _NO_PREFERENCE <= interval[1]:
            yield warning(
                "Reading R6",
                "/results/summary/diagnostics/self_comparisons",
                f"between two equal answers it said A in {hits} of {itself['decided']} "
                f"({range_text(interval, '.0c')}%): it judges the place",
                "read gamma against the noise floor only, which has the same leaning in it",
            )
    if facts.swap and (high := facts.swap["order_consistency"]["ci95"]) and high[1] < _CONSISTENT:
        yield warning(
            "Reading R40",
            "/position_bias/swap",
            f"asked in both orders it kept to its answer in {range_text(high, '.0c')}% of pairs",
            "average over both orders, or take another evaluator",
        )


def _repeats(facts: Facts) -> Iterator[Reason]:
    repeats = facts.determinism
    if repeats and repeats["verdict_flips"]:
        yield warning(
            "Reading R16",
            "/results/summary/determinism",
            f"asked again, {repeats['verdict_flips']} of {repeats['asked']} comparisons got "
            "another verdict: what was reused is one draw of several",
            "measure with --reuse none",
        )


def _competence(facts: Facts) -> Iterator[Reason]:
    if facts.competence and facts.competence["word"] == "incapable":
        overall = facts.competence["overall"]
        yield error(
            "EPC-5.3(4)",
            "/competence",
            "it cannot tell good answers from shuffled, off-topic or refusing ones (right in "
            f"{100 * overall['accuracy']['mean']:.0f}% of {overall['pairs']} planted pairs): "
            "it is incapable, whatever its gamma",
            "take an evaluator that can",
            None if coupled(facts) else "inconclusive",
        )


def _threshold(facts: Facts) -> Iterator[Reason]:
    """The paper's threshold lies below the noise; say so where a reader would apply it."""
    low = [d for d in facts.excess if reading_of(facts, d) == "substantial, within noise"]
    if low:
        means = " and ".join(f"{mean(facts.gamma[direction]):.2f}" for direction in low)
        yield warning(
            "EPC-5.2",
            "/results/summary/gamma",
            f"gamma {means}: above {SUBSTANTIAL_GAMMA}, which the paper calls substantial, and "
            "not to be told from the noise floor",
            "quote the excess and its interval, not gamma alone",
        )


def _rounded(facts: Facts) -> Iterator[Reason]:
    if facts.decimals is not None:
        step = 10.0**-facts.decimals
        yield warning(
            "EPC-2.5(b)",
            "/weights",
            f"weights are stored with {facts.decimals} decimals: each is off by up to "
            f"{step / 2:g}, and no run can be recomputed from them to the last digit",
            "store weights in full precision",
        )


_RULES: Final[tuple[Callable[[Facts], Iterator[Reason]], ...]] = (
    _unsound,
    _impossible,
    _nothing_counted,
    _collapse,
    _stuck,
    _seeds,
    *SETTLING,
    _ties,
    _competence,
    _places,
    _repeats,
    *BESIDE,
    _threshold,
    _rounded,
)
