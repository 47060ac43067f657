"""Reasons that settle the word about coupling, and what to read beside it.

Sources: Readings R70 to R74.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from epc.audit.copies import unchecked
from epc.audit.facts import Facts, Reason, error, warning
from epc.audit.side_checks import clustered
from epc.printable import shortened
from epc.spec.coupling import FEWEST_CHECKED, FEWEST_DECIDED, FEWEST_SPLITS, LEVEL, MARGIN

_MOST_NAMED: Final = 3


def coupled(facts: Facts) -> bool:
    """Return whether more choices are redirected than by chance, at a cost (Reading R71)."""
    transfer = facts.transfer
    return _beyond_chance(facts) and transfer is not None and (transfer.cost or 0) >= MARGIN


def _beyond_chance(facts: Facts) -> bool:
    test = facts.transfer.test if facts.transfer else None
    return test is not None and test.p_value <= LEVEL


def _splits(facts: Facts) -> Iterator[Reason]:
    test = facts.transfer.test if facts.transfer else None
    if test is not None and test.splits < FEWEST_SPLITS:
        yield warning(
            "Reading R74",
            "/results/summary/transfer/test",
            f"so few {test.unit}s can be dealt out to two domains in {test.splits} ways only: "
            f"expected at least {FEWEST_SPLITS}",
            f"add {test.unit}s: EPC-2.4(a) asks for 8 tasks a domain",
            "inconclusive",
        )


def _without_verdicts(facts: Facts) -> Iterator[Reason]:
    if facts.transfer is None:
        yield warning(
            "Reading R71",
            "/weights",
            "weights alone do not say what was answered, so they cannot show coupling",
            "publish the trials, or the counts of verdicts by strategy and task",
            "inconclusive",
        )


def _undecided(facts: Facts) -> Iterator[Reason]:
    transfer = facts.transfer
    if transfer is None:
        return
    if transfer.directions is None:
        yield error(
            "Reading R72",
            "/results/verdict_table",
            f"{100 * transfer.decided_share:.0f}% of the verdicts were decided, on too few "
            f"strategies and tasks for any figure: expected at least {100 * FEWEST_DECIDED:.0f}%",
            "find out why no answer was a bare A or B, then measure again",
            "inconclusive",
        )
        return
    left = transfer.left_out
    tasks = {domain: places for domain, places in left.tasks.items() if places}
    if left.strategies or tasks:
        dropped = [*left.strategies, *(f"{d} task {task}" for d in tasks for task in tasks[d])]
        names = shortened(dropped, _MOST_NAMED)
        yield warning(
            "Reading R72",
            "/results/summary/transfer/left_out",
            f"left out of what crosses, in both domains, as too little was decided there: {names}",
            "look at their answers; a baseline that is judged against itself may well only tie",
        )
    if transfer.ties.p_value <= LEVEL:
        shares = " and ".join(f"{100 * s:.0f}% in {d}" for d, s in transfer.ties.share.items())
        yield warning(
            "Reading R72",
            "/results/summary/transfer/ties",
            f"comparisons end undecided in {shares}: the evaluator fails to answer in one domain "
            "more than in the other, which is no coupling",
            "constrain its output to A and B, tagged AltPrompt",
        )


def _training(facts: Facts) -> Iterator[Reason]:
    """Regret also counts training that a domain did not get; say so where that explains it."""
    transfer = facts.transfer
    if transfer is None or coupled(facts) or not _beyond_chance(facts):
        return
    if (transfer.regret or 0) >= MARGIN:
        yield warning(
            "Reading R71",
            "/results/summary/transfer/directions",
            "choices are redirected and cost win rate, but both domains rank the strategies much "
            "alike: one of them prefers more weakly or with more noise, so that training there "
            "teaches less, and nothing that is taught there is wrong elsewhere",
            "train longer in the domain itself; read the win rates by domain",
        )


def _shared_favourite(facts: Facts) -> Iterator[Reason]:
    transfer = facts.transfer
    if transfer is None or transfer.directions is None or _beyond_chance(facts):
        return
    if facts.preferences is not None and facts.preferences.p_value <= LEVEL:
        yield warning(
            "Reading R71",
            "/results/summary/control/test",
            "its preferences differ between the domains, and yet no transfer was found: they "
            "may differ in strength alone, or below a favourite that both domains share",
            "read the win rates by domain; more tasks would show a transfer that exists",
        )


def _topics(facts: Facts) -> Iterator[Reason]:
    """Refuse a word where units are alike; groups that explain it leave none that are."""
    transfer = facts.transfer
    alike = clustered(transfer.clusters) if transfer else {}
    if transfer is None or not alike:
        return
    unit = transfer.test.unit if transfer.test else "task"
    listing = " and ".join(f"the {domain} {unit}s (p {p:.2g})" for domain, p in alike.items())
    yield warning(
        "Reading R74",
        "/results/summary/transfer/clusters",
        f"verdicts on {listing} are more alike than those on independent {unit}s: some share a "
        "topic or are copies, and such count as one",
        "declare the groups of the tasks and measure again; groups of one task each declare "
        "nothing",
        "inconclusive",
    )


def _copies(facts: Facts) -> Iterator[Reason]:
    """Refuse a word where texts of tasks in several groups are near-copies."""
    for domain, pairs in (facts.copies or {}).items():
        if pairs:
            task, copy = pairs[0]
            yield warning(
                "Reading R102",
                f"/tasks/{domain}",
                f"the texts of {len(pairs)} pairs of {domain} tasks are near-copies, such as tasks "
                f"{task} and {copy}: such tasks count as one",
                "declare them as one group, or keep one of them, and measure again",
                "inconclusive",
            )


def _few_strategies(facts: Facts) -> Iterator[Reason]:
    """Refuse `coupled` where copies among the tasks would not have been found."""
    if coupled(facts) and unchecked(
        facts.compared, declared=facts.declared, texts=facts.copies is not None
    ):
        yield warning(
            "Reading R102",
            "/results/summary/transfer",
            f"with {facts.compared} strategies copies among the tasks are hardly ever found in the "
            "verdicts, the tasks' texts are not there to compare, and no group has two tasks: what "
            "looks like coupling may be one task that counts several times",
            f"declare the groups of the tasks, or measure {FEWEST_CHECKED} strategies or more",
            "inconclusive",
        )


def _missing(facts: Facts) -> Iterator[Reason]:
    lost = facts.missing
    if lost and lost["pairs"]:
        yield warning(
            "Reading R72",
            "/results/verdict_table",
            f"{lost['pairs']} of {lost['of']} pairs are not in the file ({_holes(lost)}): "
            f"{100 * lost['share_of_rounds']:.0f}% of the rounds drew one. Such a pair is unknown, "
            "not a tie: its round moved no weight, and neither the tie rate nor the p-value "
            "counts it",
            "add their verdicts, or leave out strategies and tasks that lack most of them",
        )


def _holes(lost: dict[str, Any]) -> str:
    """Say how many pairs each domain lacks, and which strategies lack the most of them."""
    phrases = []
    for domain, part in lost["by_domain"].items():
        if part["pairs"]:
            ranked = sorted(part["strategies"].items(), key=lambda item: (-item[1], item[0]))
            listing = shortened([f"{name} {count}" for name, count in ranked], _MOST_NAMED)
            phrases.append(f"{domain}: {part['pairs']} of {part['of']}, {listing}")
    return "; ".join(phrases)


SETTLING: Final[tuple[Callable[[Facts], Iterator[Reason]], ...]] = (
    _splits,
    _without_verdicts,
    _undecided,
    _topics,
    _copies,
    _few_strategies,
    _missing,
)
BESIDE: Final[tuple[Callable[[Facts], Iterator[Reason]], ...]] = (
    _training,
    _shared_favourite,
)
