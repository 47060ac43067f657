"""Can a measurement bear a claim? One word, and every reason for it.

The order matters: a run in which nothing was counted has a gamma of exactly 0, which is no
finding about its evaluator, and must never be read as one (Reading R8).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import Any, Final, Literal

from epc.audit.permutation import LEVEL, PermutationTest
from epc.errors import Finding
from epc.spec.epc_v1 import PUBLICATION_SEEDS, SCREENING_SEEDS, SUBSTANTIAL_GAMMA
from epc.statistics.intervals import mean, share_interval

Json = dict[str, Any]
Word = Literal[
    "coupled", "no_detectable_coupling", "no_verdicts_counted", "collapsed", "inconclusive"
]

_MOSTLY: Final = 0.5  # the share of ties, or of failed seeds, at which a run is mostly that
_NO_PREFERENCE: Final = 0.5  # how often A is said of two equal answers, if the place says nothing
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What an audit knows of a measurement, whatever it was read from.

    `dead` counts the seeds in which no verdict was ever counted, `collapsed` those that ended on
    one strategy in both runs of a direction, `stuck` the seeds whose coupled phase never moved
    although its start had. `unsound` counts the errors that validation found,
    `off_simplex` the seeds with a vector that is no distribution. `tasks` counts those of each
    domain. `missing` says what recorded
    verdicts do not hold. None stands for what the record does not say.
    """

    n: int
    strategies: int
    unsound: int
    off_simplex: int
    gamma: Mapping[str, list[float]]
    jsd: Mapping[str, list[float]]
    dead: int
    collapsed: int
    stuck: Mapping[str, int]
    test: PermutationTest | None
    tasks: Mapping[str, int] | None = None
    tie_rate: float | None = None
    decided: int | None = None
    self_comparisons: Json | None = None
    swap: Json | None = None
    competence: Json | None = None
    determinism: Json | None = None
    excess: Mapping[str, Json] = field(default_factory=dict)
    missing: Json | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A finding, and the word it settles if no earlier one did."""

    finding: Finding
    word: Word | None = None


def assess(facts: Facts) -> tuple[Word, list[Finding]]:
    """Return the verdict and the findings, the gravest first.

    Source: Readings R8, R15 and R39; EPC-2.5(g); EPC-5.2; EPC-5.3.
    """
    reasons = [reason for rule in _RULES for reason in rule(facts)]
    settled = [reason.word for reason in reasons if reason.word is not None]
    findings = [reason.finding for reason in reasons]
    if settled:
        return settled[0], findings
    if facts.test is not None and facts.test.p_value <= LEVEL:
        return "coupled", findings
    return "no_detectable_coupling", findings


def _unsound(facts: Facts) -> Iterator[Reason]:
    if facts.unsound:
        yield _error(
            "EPC-2.8",
            "",
            f"the record is not true to itself: {facts.unsound} errors",
            "see `epc validate` for each; nothing below can be relied on until they are mended",
            "inconclusive",
        )


def _impossible(facts: Facts) -> Iterator[Reason]:
    if facts.off_simplex:
        yield _error(
            "EPC-2.3",
            "/weights",
            f"{facts.off_simplex} seeds have a vector that is no distribution and are left out: a "
            "weight is negative, or they do not sum to 1 within the rounding they are stored with",
            "correct the record",
            "inconclusive",
        )
    bounds = (("gamma", facts.gamma, sqrt(facts.strategies)), ("jsd", facts.jsd, log(2)))
    for name, values, most in bounds:
        for direction, each in values.items():
            wrong = [value for value in each if not 0 <= value <= most + _ROUNDING]
            if wrong:
                yield _error(
                    "EPC-2.5",
                    f"/{name}/{direction}",
                    f"{len(wrong)} of {len(each)} seeds have values that cannot be, such as "
                    f"{wrong[0]:.4g}: expected 0 to {most:.4f}",
                    "correct the record; `epc recompute` gives the figures of the trials",
                    "inconclusive",
                )


def _nothing_counted(facts: Facts) -> Iterator[Reason]:
    if not facts.dead:
        return
    mostly = facts.dead >= _MOSTLY * facts.n
    yield _error(
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
        yield _error(
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
        yield _warning(
            "EPC-2.5(g)",
            "/results/summary/n",
            f"{few} too few for any claim: expected at least {SCREENING_SEEDS}",
            f"measure {PUBLICATION_SEEDS} seeds; after an exhaustive run they cost nothing more",
            "inconclusive",
        )
    elif facts.n < PUBLICATION_SEEDS:
        yield _warning(
            "EPC-2.5(g)",
            "/results/summary/n",
            f"{facts.n} seeds are a screening: expected {PUBLICATION_SEEDS} for publication",
            f"measure {PUBLICATION_SEEDS} seeds",
        )


def _power(facts: Facts) -> Iterator[Reason]:
    if facts.test is not None and not facts.test.decisive:
        yield _warning(
            "Reading R39",
            "/results/summary/control/test",
            f"so few {facts.test.unit}s could give no p-value below {facts.test.smallest:.3f}",
            f"add {facts.test.unit}s: EPC-2.4(a) asks for 8 tasks a domain",
            "inconclusive",
        )


def _without_verdicts(facts: Facts) -> Iterator[Reason]:
    if facts.test is not None and facts.test.unit == "seed" and not _significant(facts):
        yield _warning(
            "Reading R39",
            "/weights",
            "weights do not say whether answers were repeated, so they are held against an "
            "evaluator that repeats arbitrary ones: only strong preferences stand out from that",
            "publish the trials; the test then takes tasks as its unit",
        )


def _ties(facts: Facts) -> Iterator[Reason]:
    if facts.tie_rate is not None and facts.tie_rate > _MOSTLY:
        shown = f"{100 * facts.tie_rate:.0f}% of the rounds were ties"
        yield _warning(
            "EPC-2.6(c)",
            "/results/summary/tie_rate",
            f"{shown}: the weights rest on few verdicts",
            "constrain the evaluator's output to A and B, tagged AltPrompt, or take another",
            None if _significant(facts) else "inconclusive",
        )


def _missing(facts: Facts) -> Iterator[Reason]:
    lost = facts.missing
    if lost and lost["pairs"]:
        mostly = lost["share_of_rounds"] > _MOSTLY
        yield _warning(
            "Reading R72",
            "/results/verdict_table",
            f"{lost['pairs']} of {lost['of']} pairs are not in the file ({_holes(lost)}): "
            f"{100 * lost['share_of_rounds']:.0f}% of the rounds drew one. Such a pair is unknown, "
            "not a tie: its round moved no weight, and neither the tie rate nor the p-value "
            "counts it",
            "add their verdicts, or leave out strategies and tasks that lack most of them",
            "inconclusive" if mostly and not _significant(facts) else None,
        )


def _holes(lost: Json) -> str:
    """Say how many pairs each domain lacks, and which strategies lack the most of them."""
    told = []
    for domain, part in lost["by_domain"].items():
        if part["pairs"]:
            ranked = sorted(part["strategies"].items(), key=lambda item: (-item[1], item[0]))
            named = ", ".join(f"{name} {count}" for name, count in ranked[:_MOST_NAMED])
            more = ", ..." if len(ranked) > _MOST_NAMED else ""
            told.append(f"{domain}: {part['pairs']} of {part['of']}, {named}{more}")
    return "; ".join(told)


_MOST_NAMED: Final = 3


def _stuck(facts: Facts) -> Iterator[Reason]:
    for direction, count in facts.stuck.items():
        if count:
            every = count == facts.n
            yield (_error if every else _warning)(
                "EPC-2.1",
                f"/results/per_seed/*/weights/{direction}",
                f"{count} of {facts.n} seeds never moved from the start of {direction}, though "
                "the phase before it had: no verdict of the second half was counted",
                "look at this phase's answers; measure again",
                "inconclusive" if every else None,
            )


def _places(facts: Facts) -> Iterator[Reason]:
    itself = facts.self_comparisons
    if itself and itself["decided"]:
        hits = round(itself["share_of_a"] * itself["decided"])
        interval = share_interval(hits, itself["decided"])
        if interval is not None and not interval[0] <= _NO_PREFERENCE <= interval[1]:
            yield _warning(
                "Reading R6",
                "/results/summary/diagnostics/self_comparisons",
                f"between two equal answers it said A in {hits} of {itself['decided']} "
                f"({_percent(interval)}): it judges the place",
                "read gamma against the noise floor only, which has the same leaning in it",
            )
    if facts.swap and (high := facts.swap["order_consistency"]["ci95"]) and high[1] < _CONSISTENT:
        yield _warning(
            "Reading R40",
            "/position_bias/swap",
            f"asked in both orders it kept to its answer in {_percent(high)} of the pairs",
            "average over both orders, or take another evaluator",
        )


_CONSISTENT: Final = 0.8


def _repeats(facts: Facts) -> Iterator[Reason]:
    again = facts.determinism
    if again and again["verdict_flips"]:
        yield _warning(
            "Reading R16",
            "/results/summary/determinism",
            f"asked again, {again['verdict_flips']} of {again['asked']} comparisons got another "
            "verdict: what was reused is one draw of several",
            "measure with --reuse none",
        )


def _competence(facts: Facts) -> Iterator[Reason]:
    if facts.competence and facts.competence["word"] == "incapable":
        overall = facts.competence["overall"]
        yield _error(
            "EPC-5.3(4)",
            "/competence",
            "it cannot tell good answers from shuffled, off-topic or refusing ones (right in "
            f"{100 * overall['accuracy']['mean']:.0f}% of {overall['pairs']} planted pairs): "
            "it is incapable, whatever its gamma",
            "take an evaluator that can",
            None if _significant(facts) else "inconclusive",
        )


def _threshold(facts: Facts) -> Iterator[Reason]:
    """The paper's threshold lies below the noise; say so where a reader would apply it."""
    low = [direction for direction in facts.excess if _above_but_noise(facts, direction)]
    if low:
        means = " and ".join(f"{mean(facts.gamma[direction]):.2f}" for direction in low)
        yield _warning(
            "EPC-5.2",
            "/results/summary/gamma",
            f"gamma {means}: above {SUBSTANTIAL_GAMMA}, which the paper calls substantial, and "
            "not to be told from the noise floor",
            "quote the excess and its interval, not gamma alone",
        )


def _above_but_noise(facts: Facts, direction: str) -> bool:
    interval, gammas = facts.excess[direction]["ci95"], facts.gamma[direction]
    if interval is None or mean(gammas) <= SUBSTANTIAL_GAMMA:
        return False
    return bool(interval[0] <= 0 <= interval[1])


def _rounded(facts: Facts) -> Iterator[Reason]:
    if facts.decimals is not None:
        step = 10.0**-facts.decimals
        yield _warning(
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
    _power,
    _without_verdicts,
    _ties,
    _missing,
    _competence,
    _places,
    _repeats,
    _threshold,
    _rounded,
)


def _significant(facts: Facts) -> bool:
    return facts.test is not None and facts.test.p_value <= LEVEL


def _percent(interval: tuple[float, float] | list[float]) -> str:
    return f"{100 * interval[0]:.0f} to {100 * interval[1]:.0f}%"


def _error(clause: str, where: str, problem: str, remedy: str, word: Word | None = None) -> Reason:
    finding = Finding(clause=clause, where=where, problem=problem, remedy=remedy)
    return Reason(finding=finding, word=word)


def _warning(
    clause: str, where: str, problem: str, remedy: str, word: Word | None = None
) -> Reason:
    reason = _error(clause, where, problem, remedy, word)
    return replace(reason, finding=replace(reason.finding, severity="warning"))
