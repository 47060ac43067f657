"""The standing of a watched evaluator in words (`epc watch`)."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.drift_watch import DriftStatus, SinceRun, changed_pairs
from epc.protocol.results import Json
from epc.statistics.e_process import RECENT, WATCH_ERROR, WINDOW

WORDS: Final = {"holds": "HOLDS", "drifted": "DRIFTED", "cannot_tell": "CANNOT TELL YET"}
_SINCE: Final = {"same": "SAME", "drifted": "DRIFTED", "cannot_tell": "NO CHANGE SHOWN"}
_SHOWN_DAYS: Final = 7
_SHOWN_PAIRS: Final = 24
_TASK: Final = 48


def report(standing: DriftStatus) -> str:
    """Return the printed form: both answers, what they rest on, the last days, what changed."""
    sections = (
        _heading(standing),
        _panel(standing),
        _days(standing),
        _changed(standing),
        _findings(standing),
    )
    return "\n\n".join("\n".join(lines) for lines in map(list, sections) if lines)


def _heading(standing: DriftStatus) -> Iterator[str]:
    days, bets = standing.days, standing.bets
    if not standing.history.days:
        yield "CANNOT TELL YET: no panel has been asked"
        return
    if standing.since_run is not None:
        yield f"since the run     {_since_run(standing.since_run)}"
    word = WORDS[standing.verdict]
    held_until = standing.day_of(bets.last_held_day) if standing.verdict != "holds" else None
    if held_until and standing.verdict == "cannot_tell":
        word = "CANNOT TELL ANY MORE"
    pairs = _count(len(standing.history.panel), "pair")
    first = standing.history.days[0].day
    yield f"since {first}  {word}, after {_count(len(days), 'day')} of {pairs}"
    if standing.facts:
        yield "  its answers are facts: one changed verdict is drift"
        return
    if bets.recent is not None:
        week = [day.day for day in days[-RECENT:]]
        yield f"  recent     {100 * bets.recent:.1f}% a day from {week[0]} to {week[-1]}"
        yield f"  capital    {bets.capital:.3g} of betting on drift, at most {bets.peak:.3g} so far"
        yield (
            f"             {bets.quiet:.3g} of betting on quiet in the recent past; "
            f"{1 / WATCH_ERROR:g} is taken for proof"
        )
    if standing.verdict == "holds":
        least, error = f"{100 * bets.ceiling:.1f}%", f"{100 * WATCH_ERROR:g}%"
        yield f"  means      a drift to {least} or more that has lasted {WINDOW} days of asking"
        yield f"             is ever called so, from then on, with a chance of at most {error};"
        yield "             a younger or smaller one may be missed"
    if held_until:
        yield f"  held       until {held_until}"
    if standing.alarm is not None:
        yield f"  alarm      {standing.alarm}, and an alarm is never taken back"


def _since_run(since: SinceRun) -> str:
    turned_text = (
        f"{since.turned} of {_count(since.pairs, 'pair')} got another verdict in every asking"
    )
    p_value = "" if since.p_value is None else f" (p {since.p_value:.2g})"
    return f"{_SINCE[since.verdict]}: {turned_text}{p_value}"


def _panel(standing: DriftStatus) -> Iterator[str]:
    """Yield what the panel is, and what it can find."""
    if standing.facts or not standing.history.days:
        return
    first, panel = standing.history.days[0], standing.history.panel
    yield f"Panel, asked on {first.day}"
    alike = sum(answer.unanimous for answer in first.answers)
    yield f"  alike      {alike} of {len(first.answers)} candidates, in every asking"
    if not panel:
        yield "             so there is nothing to compare later days with: it can't be watched"
        return
    if len(panel) < first.pairs:
        yield f"             fewer than the {first.pairs} that a panel takes: it finds less"
    yield f"  flips      {100 * standing.history.flips:.1f}% of two askings of a pair differed"
    yield f"  tolerated  {100 * standing.tolerated:.1f}% of the panel on an average day"
    finds = (f"{share:.0%} with {chance:.0%}" for share, chance in standing.power.items())
    yield f"  finds      a change of {', of '.join(finds)} probability, in the end"


def _days(standing: DriftStatus) -> Iterator[str]:
    if standing.days:
        yield "Verdicts that differ from the panel's"
    for day in standing.days[-_SHOWN_DAYS:]:
        yield f"  {day.day}  {day.changed} of {len(day.answers)}"


def _changed(standing: DriftStatus) -> Iterator[str]:
    pairs = sorted(changed_pairs(standing.days), key=lambda pair: -int(pair["days"]))
    if pairs:
        yield "Pairs that changed, and on how many days"
    for pair in pairs[:_SHOWN_PAIRS]:
        yield f"  {pair['days']:>4}  {_pair(pair)}"
    if len(pairs) > _SHOWN_PAIRS:
        yield f"  and {len(pairs) - _SHOWN_PAIRS} more; --format json lists them"


def _findings(standing: DriftStatus) -> Iterator[str]:
    for finding in standing.findings:
        yield from str(finding).split("\n")


def _pair(pair: Json) -> str:
    task = pair["task"] if len(pair["task"]) <= _TASK else f"{pair['task'][:_TASK]}..."
    change = f"was {pair['before'][:_TASK]!r}, last {pair['raw'][:_TASK]!r}"
    return f"{pair['domain']}, {pair['strategy']}, {task} {change}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
