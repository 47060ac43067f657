"""The quality of each task, in words and figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from epc.audit.task_quality import TaskQuality
from epc.spec.domains import Domain

_SHOWN: Final = 56
_NOTHING: Final = "-"


def task_lines(
    qualities: Sequence[TaskQuality], tasks: Mapping[Domain, Sequence[str]]
) -> Iterator[str]:
    """Yield a line a task, and what the columns mean."""
    yield f"{'':8}{'decided':>10}{'win rate':>10}{'spread':>8}{'with rest':>11}  task"
    for domain in tasks:
        yield domain
        for each in (quality for quality in qualities if quality.domain == domain):
            yield _line(each, tasks[domain][each.task])
    yield ""
    yield "decided: strategies with an A or B, of those asked, without the baseline itself"
    yield "spread: how far the task tells strategies apart; 0 is not at all, 0.5 the most"
    yield "with rest: correlation with the win rates on the domain's other tasks, over strategies"


def _line(each: TaskQuality, task: str) -> str:
    decided = f"{each.decided} of {each.asked}"
    win_rate, spread = (
        _NOTHING if value is None else f"{value:.2f}" for value in (each.win_rate, each.spread)
    )
    rest = _NOTHING if each.with_rest is None else f"{each.with_rest:+.2f}"
    folded = " ".join(task.split())
    shown = folded if len(folded) <= _SHOWN else f"{folded[:_SHOWN]}..."
    return f"{'':8}{decided:>10}{win_rate:>10}{spread:>8}{rest:>11}  {shown}"
