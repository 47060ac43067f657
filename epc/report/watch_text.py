"""Where a watched evaluator stands, in words (`epc watch`)."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.watching import Standing, changed_pairs
from epc.protocol.results import Json
from epc.statistics.e_process import RECENT, WATCH_ERROR, WINDOW

WORDS: Final = {"holds": "HOLDS", "drifted": "DRIFTED", "cannot_tell": "CANNOT TELL YET"}
_SHOWN_DAYS: Final = 7
_SHOWN_PAIRS: Final = 24
_TASK: Final = 48


def report(standing: Standing) -> str:
    """Return the printed form: the verdict, what it rests on, the last days, what changed."""
    sections = (_heading(standing), _days(standing), _changed(standing), _findings(standing))
    return "\n\n".join("\n".join(lines) for lines in map(list, sections) if lines)


def _heading(standing: Standing) -> Iterator[str]:
    days, pairs, bets = standing.days, len(standing.panel.items), standing.bets
    word = WORDS[standing.verdict]
    held = standing.day_of(bets.held) if standing.verdict != "holds" else None
    if held and standing.verdict == "cannot_tell":
        word = "CANNOT TELL ANY MORE"
    yield f"{word}, after {_count(len(days), 'day')} of {_count(pairs, 'pair')}"
    if standing.facts:
        yield "  its answers are facts: one changed verdict is drift"
        return
    yield f"  tolerated  {100 * standing.tolerated:.1f}% of the panel on an average day"
    if bets.recent is not None:
        week = [day["day"] for day in days[-RECENT:]]
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
    if held:
        yield f"  held       until {held}"
    if bets.alarm is not None:
        yield f"  alarm      {days[bets.alarm]['day']}, and an alarm is never taken back"


def _days(standing: Standing) -> Iterator[str]:
    if standing.days:
        yield "Verdicts that differ from the measurement's"
    for day in standing.days[-_SHOWN_DAYS:]:
        yield f"  {day['day']}  {day['changed']} of {len(day['answers'])}"


def _changed(standing: Standing) -> Iterator[str]:
    pairs = sorted(changed_pairs(standing.days), key=lambda pair: -int(pair["days"]))
    if pairs:
        yield "Pairs that changed, and on how many days"
    for pair in pairs[:_SHOWN_PAIRS]:
        yield f"  {pair['days']:>4}  {_pair(pair)}"
    if len(pairs) > _SHOWN_PAIRS:
        yield f"  and {len(pairs) - _SHOWN_PAIRS} more; --format json lists them"


def _findings(standing: Standing) -> Iterator[str]:
    for finding in standing.findings:
        yield from str(finding).split("\n")


def _pair(pair: Json) -> str:
    task = pair["task"] if len(pair["task"]) <= _TASK else f"{pair['task'][:_TASK]}..."
    now = f"was {pair['before'][:_TASK]!r}, last {pair['raw'][:_TASK]!r}"
    return f"{pair['domain']}, {pair['strategy']}, {task} {now}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
