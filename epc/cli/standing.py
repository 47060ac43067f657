"""Where a run stands, in words: what the live block and the lines of a log are made of."""

from collections import deque
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from epc.engine.progress import Progress, Stage
from epc.printable import shown

_WINDOW_S: Final = 30.0  # over which the pace is taken: a resumed run begins with a leap
_FAILURE: Final = 120  # characters
_MINUTE, _HOUR = 60, 3600
# The order in which a reader looks for them: a comparison's verdicts, a judge's, what is neither.
_VERDICTS: Final = ("A", "B", "PASS", "PARTIAL", "FAIL", "tie", "unreadable", "refused")


class Pace(Struct, kw_only=True):
    """How fast a stage goes, by the last half minute."""

    _stage: Stage | None = None
    _seen: deque[tuple[float, int]] = field(default_factory=deque)

    def note(self, stage: Stage, now: float) -> None:
        """Note how much of a stage is done at a moment (in seconds)."""
        if stage is not self._stage:
            self._stage = stage
            self._seen.clear()
        self._seen.append((now, stage.done))
        while now - self._seen[0][0] > _WINDOW_S:
            self._seen.popleft()

    def left_s(self) -> float | None:
        """Return how long the rest of the stage takes; None while nothing says so."""
        if self._stage is None or self._stage.done >= self._stage.total:
            return None
        (began, first), (ended, last) = self._seen[0], self._seen[-1]
        if last <= first or ended <= began:
            return None
        return (self._stage.total - last) * (ended - began) / (last - first)


def standing(stage: Stage, left_s: float | None = None) -> str:
    """Return how far a stage is."""
    done = 100 * stage.done / stage.total if stage.total else 100
    left = "" if left_s is None else f", about {span(left_s)} left"
    return f"{stage.done:,}/{stage.total:,}, {done:.0f}%{left}"


def parts(stage: Stage) -> str:
    """Return how far the parts of a stage are."""
    shares = ((name.replace("_", " "), stage.done_of[name], of) for name, of in stage.parts.items())
    return ", ".join(f"{name} {done:,}/{of:,}" for name, done, of in shares)


def rows(progress: Progress, now: float) -> Iterator[tuple[str, str]]:
    """Yield what there is to say beside the stages, each with its label."""
    yield "calls", _asked(progress)
    yield "used", _used(progress, now)
    if progress.failures:
        last = shown(progress.last_failure, longest=_FAILURE)
        yield "failures", f"{progress.failures:,}, tried again; the last: {last}"
    if total := progress.said.total():
        shares = (
            f"{name} {100 * progress.said[name] / total:.0f}%"
            for name in _VERDICTS
            if progress.said[name]
        )
        yield "verdicts", f"{', '.join(shares)} of {total:,}"


def _asked(progress: Progress) -> str:
    most = progress.budget.max_calls
    count = (
        f"{progress.asked:,} asked" if most is None else f"{progress.asked:,} of at most {most:,}"
    )
    return ", ".join([count, *_saved(progress)])


def _used(progress: Progress, now: float) -> str:
    budget = progress.budget
    parts = []
    if progress.cost is not None:
        cap = "" if budget.max_cost is None else f" of at most ${budget.max_cost}"
        parts.append(f"${progress.cost:.4f}{cap}")
    elif progress.asked:
        parts.append("cost unknown")
    parts.append(f"{progress.tokens:,} tokens")
    cap = "" if budget.max_time_s is None else f" of at most {span(budget.max_time_s)}"
    parts.append(f"{span(now - budget.began)}{cap}")
    return ", ".join(parts)


def _saved(progress: Progress) -> Iterator[str]:
    """Yield what went wrong with calls, and which did not have to be asked."""
    for count, what in (
        (progress.retries, "retries"),
        (progress.lost, "lost answers that may be billed"),
        (progress.too_large, "answers too large to record"),
        (progress.from_cache, "answers from the cache"),
        (progress.from_runs, "answers taken over, not asked"),
        (progress.from_journal, "from the journal"),
    ):
        if count:
            yield f"{count:,} {what}"


def spent(progress: Progress) -> str:
    """Return in words what a sitting has asked for, and what it did not have to."""
    parts = [f"{progress.asked:,} calls", f"{progress.tokens:,} tokens"]
    if progress.cost is None and progress.asked:
        parts.append("cost unknown")
    elif progress.cost:
        parts.append(f"${progress.cost:.4f}")
    return ", ".join([*parts, *_saved(progress)])


def span(seconds: float) -> str:
    """Return a time in words."""
    total_s = round(seconds)
    if total_s < _MINUTE:
        return f"{total_s} s"
    if total_s < _HOUR:
        return f"{total_s // _MINUTE} min {total_s % _MINUTE:02} s"
    return f"{total_s // _HOUR} h {total_s % _HOUR // _MINUTE:02} min"
