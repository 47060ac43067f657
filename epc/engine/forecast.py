"""What a run will ask for before anything is sent: calls, tokens and cost (`--dry-run`).

The draws are known beforehand, the verdicts are not: the expected number of distinct prompts is
counted on one run of the very seeds against a coin, which is what weights near uniform give.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import partial
from typing import Final

from epc.audit.probes import SIDES
from epc.engine import canary
from epc.engine.budget import WHOLE, most_tokens
from epc.engine.mocks import unit
from epc.engine.plan import Plan
from epc.engine.prices import Price
from epc.protocol.config import Configuration, Decoding
from epc.protocol.draws import pick_task, turns
from epc.protocol.phases import Comparison, drive, measure
from epc.protocol.prompt import Pair, evaluation_text, executor_prompt
from epc.protocol.results import Json
from epc.protocol.verdict import Verdict
from epc.spec.domains import Domain
from epc.spec.epc_v1 import JUDGED_CHARACTERS

# Characters a token, in the long run of English text: the fewest, the usual, the most.
_DENSE, _USUAL, _SPARSE = 3.0, 4.0, 6.0
_NARROW, _WIDE = "x", "\U0010ffff"  # one byte and four, where a bound counts bytes
_USUAL_SHARE: Final = 0.8  # how much of max_tokens an answer usually takes

Pairs = set[tuple[Domain, int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Something that will lie between two ends, and where it is expected."""

    lower: float
    expected: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one role will be asked for. `cost` is in US dollars; None if its price is unknown."""

    calls: Range
    tokens_in: Range
    tokens_out: Range
    cost: Range | None


def forecast(
    plan: Plan,
    config: Configuration,
    decodings: dict[str, Decoding],
    prices: dict[str, Price | None],
    shares: dict[str, Decimal] | None = None,
) -> dict[str, Share]:
    """Return what each role of a plan will be asked for, nothing being cached.

    `shares` is how much of its price a role is charged, where that is not the whole.
    """
    paid = {
        role: price.times((shares or {}).get(role, WHOLE)) if price else None
        for role, price in prices.items()
    }
    calls = _calls(plan, config)
    asked = _with_rechecks(calls["evaluator"], plan.recheck)
    asked = _with_more(asked, len(SIDES) * plan.controls)
    beside = canary.CALLS if plan.canary else 0
    calls["evaluator"] = _with_more(asked, beside, least=beside)
    return {
        role: _share(calls[role], config, role, decoding, paid[role])
        for role, decoding in decodings.items()
    }


def as_json(shares: dict[str, Share]) -> Json:
    """Return a forecast as plain JSON."""
    return {role: asdict(share) for role, share in shares.items()}


def _calls(plan: Plan, config: Configuration) -> dict[str, Range]:
    rounds = len(plan.seeds) * len(config.phases) * config.rounds
    every = len(config.strategies) * sum(map(len, config.tasks.values()))
    if plan.reuse == "none":
        return {"executor": _exactly(2 * rounds), "evaluator": _exactly(rounds)}
    if config.method == "recorded":  # looked up, each verdict of the file once
        pairs = int(plan.identity["evaluator"]["details"]["pairs"])
        return {"evaluator": _exactly(pairs)}
    if plan.exhaustive:
        # Equal answers make equal comparisons, which are asked once: at worst all are equal.
        tasks = sum(map(len, config.tasks.values()))
        return {
            "executor": _exactly(every),
            "evaluator": Range(lower=tasks, expected=every, upper=every),
        }
    drawn = _drawn(plan, config)
    answers = len(drawn | {(d, t, config.baseline_index) for d, t, _ in drawn})
    tasks = len({(domain, task) for domain, task, _ in drawn})
    most = min(every, rounds)
    return {
        "executor": Range(lower=tasks, expected=answers, upper=min(every, 2 * rounds)),
        "evaluator": Range(lower=tasks, expected=len(drawn), upper=most),
    }


def _drawn(plan: Plan, config: Configuration) -> Pairs:
    """Return the strategy-task pairs that the plan's seeds draw against a coin."""
    drawn: Pairs = set()

    def toss(seed: int, asked: Comparison) -> Verdict:
        domain = asked.phase.domain
        task = pick_task(asked.turn.u_task or 0.0, len(config.tasks[domain]))
        drawn.add((domain, task, asked.strategy))
        heads = unit("forecast", seed, asked.phase.name, asked.round) < 1 / 2
        return Verdict.A if heads else Verdict.B

    for seed in plan.seeds:
        given = {phase.name: turns(seed, phase.stream, config.rounds) for phase in config.phases}
        running = measure(
            given, strategies=len(config.strategies), rule=config.rule, phases=config.phases
        )
        drive(running, partial(toss, seed))
    return drawn


def _share(
    calls: Range, config: Configuration, role: str, decoding: Decoding, price: Price | None
) -> Share:
    prompts = list(_prompts(config, role, _NARROW))
    usual = sum(map(len, prompts)) / len(prompts)
    longest = max(most_tokens(prompt) for prompt in _prompts(config, role, _WIDE))
    read = Range(
        lower=calls.lower * min(map(len, prompts)) / _SPARSE,
        expected=calls.expected * usual / _USUAL,
        upper=calls.upper * longest,
    )
    answer = decoding.max_tokens * (_USUAL_SHARE if role == "executor" else 1 / _DENSE)
    written = Range(
        lower=calls.lower,
        expected=calls.expected * max(1.0, answer),
        upper=calls.upper * decoding.max_tokens,
    )
    return Share(
        calls=calls, tokens_in=read, tokens_out=written, cost=cost_of(price, read, written)
    )


def _prompts(config: Configuration, role: str, filling: str) -> Iterable[str]:
    """Yield prompts of a role with answers of the length that is judged, of one character."""
    answer = filling * JUDGED_CHARACTERS
    for domain, tasks in config.tasks.items():
        for task in tasks:
            for strategy in config.strategies:
                if role == "executor":
                    yield executor_prompt(
                        strategy_prompt=strategy.prompt,
                        task=task,
                        template=config.executor_prompt,
                    )
                else:
                    pair = Pair(
                        domain=domain,
                        task=task,
                        strategy=strategy.name,
                        response=answer,
                        baseline=answer,
                    )
                    yield evaluation_text(
                        pair, method=config.method, template=config.evaluator_prompt
                    )


def cost_of(price: Price | None, read: Range, written: Range) -> Range | None:
    """Return what ranges of tokens cost, in US dollars; None if the price is unknown."""
    if price is None:
        return None

    def dollars(tokens_in: float, tokens_out: float) -> float:
        return float(price.cost(1, 0) * Decimal(tokens_in) + price.cost(0, 1) * Decimal(tokens_out))

    return Range(
        lower=dollars(read.lower, written.lower),
        expected=dollars(read.expected, written.expected),
        upper=dollars(read.upper, written.upper),
    )


def _with_rechecks(calls: Range, most: int) -> Range:
    """Add the comparisons that are asked a second time, at most all of them."""
    ends = (calls.lower, calls.expected, calls.upper)
    lower, expected, upper = (end + min(most, end) for end in ends)
    return Range(lower=lower, expected=expected, upper=upper)


def _with_more(calls: Range, most: int, *, least: int = 0) -> Range:
    """Add what is asked beside the comparisons: planted pairs in both orders, the canary."""
    ends = calls.lower + least, calls.expected + most, calls.upper + most
    return Range(lower=ends[0], expected=ends[1], upper=ends[2])


def _exactly(count: float) -> Range:
    return Range(lower=count, expected=count, upper=count)
