"""What a wrapper does to an evaluator's transfer, in words and columns (`epc compare`)."""

from collections.abc import Iterator, Sequence

from epc.analysis.mitigation import REDIRECTED, REGRET, Mitigated, Reduction
from epc.spec.domains import pair_title


def mitigation_report(plain: str, effects: Sequence[Mitigated]) -> str:
    """Return the printed form: what each wrapper reduced, by how much, and at what price."""
    return "\n\n".join("\n".join(_lines(plain, each)) for each in effects)


def _lines(plain: str, effect: Mitigated) -> Iterator[str]:
    yield f"Mitigation: {effect.evaluator} against {plain}"
    price = f"{effect.calls:,} calls to the judges, {effect.times:.1f} times the plain run's"
    yield f"  price     {price}"
    before, after = effect.decided
    yield f"  decided   {100 * before:.0f}% of the pairs plain, {100 * after:.0f}% mitigated"
    if effect.reductions is None:
        yield "  too little was decided for any figure of transfer [Reading R72]"
        return
    tasks = " and ".join(f"{count} {domain} tasks" for domain, count in effect.tasks.items())
    yield f"  on        {effect.strategies} strategies, {tasks} that both decided on"
    if not effect.shared:
        yield "  the executor wrote other answers: a difference may be its"
    for direction, of in effect.reductions.items():
        yield f"  {pair_title(direction)}"
        yield f"    transfer regret     {_told(of[REGRET])}"
        yield f"    redirected choices  {_told(of[REDIRECTED])}"
        if direction in effect.floor:
            yield f"    floor               {effect.floor[direction]:.3f} are redirected by chance"
    yield f"  {in_words(effect)}"


def in_words(effect: Mitigated) -> str:
    """Return what follows in one sentence."""
    if effect.reductions is None:
        return "Too little was decided for any figure of transfer."
    if effect.nothing:
        return (
            "There is nothing to reduce: the plain evaluator's transfer regret is not clear of 0 "
            "in any direction."
        )
    clauses = []
    for direction, of in effect.reductions.items():
        each = of[REGRET]
        if not each.reducible or each.share is None:
            continue
        interval = each.less_ci95
        clear = interval is not None and (interval[0] > 0 or interval[1] < 0)
        word = "falls" if each.less > 0 else "rises"
        how = f"{word} by {abs(100 * each.share):.0f}%" if clear else "may not change at all"
        clauses.append(f"the transfer regret from {pair_title(direction)} {how}")
    sentence = ", ".join(clauses)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _told(each: Reduction) -> str:
    share = "" if each.share is None else f", {100 * each.share:.0f}% of it"
    less = f"less by {each.less:+.3f}{_interval(each.less_ci95)}{share}"
    plain = f"{each.plain:+.3f}{_interval(each.plain_ci95)}"
    return f"{plain} to {each.mitigated:+.3f}{_interval(each.mitigated_ci95)}: {less}"


def _interval(interval: tuple[float, float] | None) -> str:
    return f" [{interval[0]:+.3f}, {interval[1]:+.3f}]" if interval else ""
