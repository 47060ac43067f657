"""Forecast of a run before anything is sent: calls, tokens and cost (`--dry-run`).

The draws are known beforehand, the verdicts are not: the expected number of distinct prompts is
counted on one run of the very seeds against a coin, which is what weights near uniform give.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Final

from msgspec import Struct, structs

from epc.audit.probes import SIDES
from epc.engine.budget import Price, most_tokens
from epc.engine.mocks import unit
from epc.engine.plan import Plan, Reuse
from epc.protocol.config import Configuration, Decoding
from epc.protocol.draws import pick_task, turns
from epc.protocol.phases import Comparison, drive, measure
from epc.protocol.prompt import Pair, characters_shown, evaluation_text, executor_prompt
from epc.protocol.verdict import Verdict
from epc.spec.domains import Domain
from epc.spec.epc_v1 import Method

# Characters a token, in the long run of English text: the fewest, the usual, the most.
_DENSE, _USUAL, _SPARSE = 3.0, 4.0, 6.0
_NARROW, _WIDE = "x", "\U0010ffff"  # one byte and four, where a bound counts bytes
_USUAL_SHARE: Final = 0.8  # how much of max_tokens an answer usually takes


class Range(Struct, frozen=True):
    """Something that will lie between two ends, and where it is expected."""

    lower: float
    expected: float
    upper: float


class Share(Struct, frozen=True, kw_only=True):
    """Requests to one role. `cost` is in US dollars; None if its price is unknown."""

    calls: Range
    tokens_in: Range
    tokens_out: Range
    cost: Range | None


def forecast(
    plan: Plan,
    config: Configuration,
    decodings: dict[str, Decoding],
    prices: dict[str, Price | None],
    *,
    members: Mapping[str, tuple[int, Method]] | None = None,
) -> dict[str, Share]:
    """Return what each role of a plan will be asked for, nothing being cached.

    `members` are the roles that an evaluator asks: how often for each comparison, and by which
    method.
    """
    calls = {"executor": _answers(plan, config, judges=1), "evaluator": _comparisons(plan, config)}
    configs = dict.fromkeys(decodings, config)
    for role, (times, method) in (members or {}).items():
        verdicts = calls["evaluator"]
        # Equal answers exchanged may be one question.
        calls[role] = Range(verdicts.lower, verdicts.expected * times, verdicts.upper * times)
        configs[role] = replace(config, method=method)
    return {
        role: _share(calls[role], configs[role], role, decoding, prices[role])
        for role, decoding in decodings.items()
    }


def forecast_shared(
    judges: Counter[Reuse],
    plan: Plan,
    config: Configuration,
    decoding: Decoding,
    price: Price | None,
) -> Share:
    """Return what one executor will be asked for by the runs of a campaign together.

    `judges` counts the runs by how they ask; else they are all as the `plan`.
    """
    calls = [
        _answers(structs.replace(plan, reuse=reuse), config, judges=runs)
        for reuse, runs in judges.items()
    ]
    return _share(_total(calls), config, "executor", decoding, price)


def of_texts(
    lengths: Sequence[int],
    token_bound: int,
    *,
    decoding: Decoding,
    price: Price | None,
    reply: int = 1,
    times: int = 1,
) -> Share:
    """Return what texts of so many characters, and of at most so many tokens, will take.

    Unit: `reply` is what an answer usually takes, in tokens; a text is asked up to `times` times.
    """
    count, limit = len(lengths), decoding.max_tokens
    read = Range(sum(lengths) / _SPARSE, sum(lengths) / _USUAL, token_bound * times)
    written = Range(count, count * min(reply, limit), count * times * limit)
    calls = Range(count, count, count * times)
    return Share(
        calls=calls, tokens_in=read, tokens_out=written, cost=cost_of(price, read, written)
    )


def sum_shares(shares: Iterable[Share]) -> Share:
    """Return what several models will be asked for; the cost is known where each one's is."""
    role_shares = list(shares)
    costs = [share.cost for share in role_shares]
    return Share(
        calls=_total(share.calls for share in role_shares),
        tokens_in=_total(share.tokens_in for share in role_shares),
        tokens_out=_total(share.tokens_out for share in role_shares),
        cost=None if None in costs else _total(cost for cost in costs if cost is not None),
    )


def _total(ranges: Iterable[Range]) -> Range:
    total = Range(0, 0, 0)
    for addend in ranges:
        total = Range(
            lower=total.lower + addend.lower,
            expected=total.expected + addend.expected,
            upper=total.upper + addend.upper,
        )
    return total


def _answers(plan: Plan, config: Configuration, *, judges: int) -> Range:
    """Return how many answers an executor will be asked for by so many runs that share them."""
    rounds = len(plan.seeds) * len(config.phases) * config.rounds
    all_pairs = len(config.strategies) * sum(map(len, config.tasks.values()))
    if plan.reuse == "memo" and plan.exhaustive:
        return _exactly(all_pairs)
    if plan.reuse == "none" and judges == 1:
        return _exactly(2 * rounds)
    drawn = [pair for judge in range(judges) for pair in _drawn(plan, config, judge=judge)]
    if plan.reuse == "none":  # the baseline's answer is the same round's for every evaluator
        expected = len({(seed, phase, number, s) for seed, phase, number, _, _, s in drawn})
        return Range(2 * rounds, rounds + expected, (1 + judges) * rounds)
    pairs = {(domain, task, strategy) for *_, domain, task, strategy in drawn}
    pairs |= {(domain, task, config.baseline_index) for domain, task, _ in pairs}
    tasks = len({(domain, task) for domain, task, _ in pairs})
    upper = min(all_pairs, (1 + judges) * rounds)
    return Range(tasks, len(pairs), upper)


def _comparisons(plan: Plan, config: Configuration) -> Range:
    """Return how many comparisons an evaluator will be asked for, repeated and planted ones too."""
    compared = _compared(plan, config)
    # At most all of them are asked a second time.
    ends = (end + min(plan.recheck, end) for end in structs.astuple(compared))
    planted = len(SIDES) * plan.controls  # in both orders; none where the answers give no pair
    return _total([Range(*ends), Range(0, planted, planted)])


def _compared(plan: Plan, config: Configuration) -> Range:
    rounds = len(plan.seeds) * len(config.phases) * config.rounds
    all_pairs = len(config.strategies) * sum(map(len, config.tasks.values()))
    if plan.reuse == "none":
        return _exactly(rounds)
    if config.method == "recorded":  # looked up, each verdict of the file once
        return _exactly(int(plan.identity["evaluator"]["details"]["pairs"]))
    if plan.exhaustive:
        # Equal answers make equal comparisons, which are asked once: at worst all are equal.
        tasks = sum(map(len, config.tasks.values()))
        return Range(tasks, all_pairs, all_pairs)
    drawn = {(domain, task, strategy) for *_, domain, task, strategy in _drawn(plan, config)}
    tasks = len({(domain, task) for domain, task, _ in drawn})
    return Range(tasks, len(drawn), min(all_pairs, rounds))


def _drawn(
    plan: Plan, config: Configuration, *, judge: int = 0
) -> Iterator[tuple[int, str, int, Domain, int, int]]:
    """Yield seed, phase, round, domain, task and strategy of each round against a coin.

    Each `judge` tosses a coin of its own.
    """
    drawn_rounds: list[tuple[int, str, int, Domain, int, int]] = []
    stream = (judge,) if judge else ()

    def toss(seed: int, comparison: Comparison) -> Verdict:
        domain, key = comparison.phase.domain, (seed, comparison.phase.name, comparison.round)
        task = pick_task(comparison.turn.u_task or 0.0, len(config.tasks[domain]))
        drawn_rounds.append((*key, domain, task, comparison.strategy))
        return Verdict.A if unit("forecast", *stream, *key) < 1 / 2 else Verdict.B

    for seed in plan.seeds:
        schedule = {phase.name: turns(seed, phase.stream, config.rounds) for phase in config.phases}
        running = measure(
            schedule, strategies=len(config.strategies), rule=config.rule, phases=config.phases
        )
        drive(running, partial(toss, seed))
        yield from drawn_rounds
        drawn_rounds.clear()


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
    """Yield prompts of a role with answers as long as they are shown, of one character."""
    answer = filling * characters_shown(config.evaluator_prompt)
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

    ends = zip(structs.astuple(read), structs.astuple(written), strict=True)
    return Range(*(dollars(*tokens) for tokens in ends))


def _exactly(count: float) -> Range:
    return Range(count, count, count)
