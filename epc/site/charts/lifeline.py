"""How long platforms serve a judge: a line for each, all on one scale of days."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from markupsafe import Markup

from epc.site.charts.forest import place, svg
from epc.site.pages import Platform

_AROUND: Final = timedelta(days=200)  # what the scale shows of past and future at the least
_BESIDE: Final = 0.2  # of the width, where a day leaves no room for another on a phone
_TALL: Final = 24  # pixels of a line
_MIDDLE: Final = _TALL // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifelines:
    """The scale of some platforms' lines: the days that are stated, and the day of the page."""

    days: tuple[date, ...]
    today: date

    @property
    def first(self) -> date:
        """The day at the left."""
        return min(*self.days, self.today - _AROUND)

    @property
    def last(self) -> date:
        """The day at the right."""
        return max(*self.days, self.today + _AROUND)

    def line(self, platform: Platform) -> Markup:
        """Return one platform's line. Dotted is what nobody states."""
        start, end = _start(platform), _end(platform)
        ended = platform.standing.state.status == "expired"
        alternative = f"Released {start}" if start else "Nobody states when it was released"
        alternative += (
            f"; {'ended' if ended else 'served until'} {end}." if end else "; no end is stated."
        )
        return svg(
            "epc-line epc-life", _TALL, *self._marks(start, end, platform), alternative=alternative
        )

    def scale(self) -> Markup:
        """Return the day of the page below the lines, and the months that leave room for it."""
        written = [self.today]
        for day in self.days:
            if all(
                abs(self._share(day) - self._share(written_day)) > _BESIDE
                for written_day in written
            ):
                written.append(day)
        return svg("epc-axis", 20, *(self._text(day) for day in written))

    def _text(self, day: date) -> str:
        share = self._share(day)
        anchor = "start" if share < _BESIDE / 2 else "end" if share > 1 - _BESIDE / 2 else "middle"
        name = ' class="epc-named"' if day == self.today else ""
        text = f"{day.day} {day:%b %Y}" if name else f"{day:%b %Y}"
        return f'<text{name} x="{self._x_of(day)}" y="14" text-anchor="{anchor}">{text}</text>'

    def _marks(self, start: date | None, end: date | None, platform: Platform) -> Iterator[str]:
        state = platform.standing.state
        served = state.status in {"current", "expiring"}
        until = min(end or self.today, self.today)
        today = self._x_of(self.today)
        yield f'<line class="epc-at" x1="{today}" x2="{today}" y1="0" y2="{_TALL}"></line>'
        if start is None:
            yield self._stroke("epc-open", self.first, until)
        elif start < until and (served or state.until):
            yield self._stroke("epc-served", start, until)
        if served and end and end > self.today:
            yield self._stroke("", self.today, end)
        if served and not state.until:
            yield self._stroke("epc-open", max(end or self.today, self.today), self.last)
        if start:
            yield f'<circle cx="{self._x_of(start)}" cy="{_MIDDLE}" r="5.5"></circle>'
        if end and state.status == "expired":
            yield f'<circle class="epc-ended" cx="{self._x_of(end)}" cy="{_MIDDLE}" r="5"></circle>'
        elif end:
            yield f'<circle class="epc-once" cx="{self._x_of(end)}" cy="{_MIDDLE}" r="5"></circle>'

    def _stroke(self, name: str, start: date, end: date) -> str:
        reach = f'x1="{self._x_of(start)}" x2="{self._x_of(end)}" y1="{_MIDDLE}" y2="{_MIDDLE}"'
        return f'<line class="{name}" {reach}></line>' if name else f"<line {reach}></line>"

    def _x_of(self, day: date) -> str:
        return place(self._share(day))

    def _share(self, day: date) -> float:
        return (day - self.first) / (self.last - self.first)


def lifelines(platforms: Sequence[Platform], today: date) -> Lifelines | None:
    """Return the scale of platforms' lines; None where nobody states any day of their lives."""
    days = [day for platform in platforms for day in (_start(platform), _end(platform)) if day]
    return Lifelines(days=tuple(sorted(days)), today=today) if days else None


def _start(platform: Platform) -> date | None:
    return platform.record.released.date if platform.record.released else None


def _end(platform: Platform) -> date | None:
    state = platform.standing.state
    return state.until or state.not_before
