"""Expiry of a published figure, or of an evaluator, on a day (Readings R53 to R55).

Pure: the day is passed in. A day is a calendar day in UTC; what ends on a day has ended when that
day begins, because no platform says at which hour it switches a model off.

Over 400 lines: every reason for which a state ends is here, since they outweigh each other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final, Literal

from msgspec import to_builtins

from epc.analysis.agreement import ReplacementJudge
from epc.protocol.results import Json
from epc.registry.layout import LOG, POLICY
from epc.registry.lifecycles import DateClaim, Pointer, ServiceTerm
from epc.registry.names import in_words_of_alias
from epc.registry.snapshots import Event, Snapshot

EARLIEST: Final = date(2000, 1, 1)  # no evaluator is as old; a clock that was never set may be
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def misdated(day: date, today: date) -> str:
    """Say why nothing can have been measured or written on a day; empty if it can have been."""
    if day > today:
        return f"on {day}, which is after today, {today}"
    if day < EARLIEST:
        return f"on {day}, which is before {EARLIEST}: no evaluator is as old"
    return ""


def days_away(day: date, days: int) -> date:
    """Return a day so many days away, at the end of the calendar if it lies beyond."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min


def impossible(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each day that does not exist, such as 2026-02-31."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from impossible(item, f"{where}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from impossible(item, f"{where}/{index}")
    elif isinstance(value, str) and _DAY.fullmatch(value) and day_of(value) is None:
        yield where, value


def day_of(text: str) -> date | None:
    """Return the day that a text states, if it states one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


Status = Literal["current", "unconfirmed", "expiring", "expired", "unknown"]
Reason = Literal["withdrawn", "retired", "drifted", "superseded", "stale"]

# Where two reasons fall on one day, the graver is given.
_GRAVITY: Final = ("withdrawn", "retired", "drifted", "superseded", "stale")
# A status with the day of its end; what is unknown has none.
_DATED: Final = {
    "current": "current until {}",
    "unconfirmed": "unconfirmed, until {}",
    "expired": "expired since {}",
}
# What ends because of a platform or of its age has not ended yet, and its words say so.
COMING: Final = {"retired": "will be retired", "stale": "will be too old"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits in days: how long a figure holds, and how long before its end a notice is due.

    `maximum_age` is of a name that may move, `maximum_age_fixed` of an id whose vendor says that it
    never changes; None is the same. `confirmation` is how long a source's word on a platform is
    believed; None is for good.
    """

    maximum_age: int
    notice: int
    confirmation: int | None = None
    maximum_age_fixed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Bounds of the days on which a figure can have been measured, as far as they are known.

    `by` is the last day of its verdicts, else that on which their source published them. `begin` is
    the first day of its verdicts, else that of the judge's release. `is_stated` says whether the
    verdicts state their days.
    """

    begin: date | None
    by: date | None
    is_stated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """The state of one snapshot or evaluator on a day.

    `since` is the day on which this state began, `until` the first day on which the figure no
    longer holds, as far as it is known; for an expired one both are the same. `not_before` is the
    day before which its platform ends nothing. `revision` rises with all that was recorded and
    could have moved `until`. `alias_of` is what an alias points to. `instead` is the judge to turn
    to in place of a name that was asked about, if it has an end.
    """

    id: str
    status: Status
    reason: Reason | None = None
    since: date | None = None
    until: date | None = None
    source: str | None = None
    as_of: date
    platform: str | None = None
    note: str
    revision: int = 0
    alias_of: Pointer | None = None
    not_before: date | None = None
    instead: ReplacementJudge | None = None

    @property
    def status_text(self) -> str:
        """The status with its day and reason: `expired since 2026-06-30 (retired)`."""
        return _in_words(self)

    @property
    def subject(self) -> str:
        """Subject of the answer: `gpt-4-0613 (openai)`."""
        return f"{self.id} ({self.platform})" if self.platform else self.id

    @property
    def grounds(self) -> str:
        """The reason for the status, and who says so."""
        return self.note + (f" [{self.source}]" if self.source else "")

    def as_json(self) -> Json:
        """Return the contract's object."""
        left_out = {"revision"} if self.instead else {"revision", "instead"}
        return {key: value for key, value in to_builtins(self).items() if key not in left_out}


def _in_words(state: Expiry) -> str:
    status, until = state.status, state.until
    if status == "expiring":
        return f"expiring: {COMING[state.reason or 'retired']} on {until}"
    if status == "current" and state.not_before and not until:  # Reading R98
        return f"current, {served_at_least(state.not_before)}"
    dated = _DATED.get(status, status).format(until) if until else status
    return dated + (f" ({state.reason})" if state.reason else "")


def served_at_least(day: date) -> str:
    """Return the words for a day before which a platform ends nothing."""
    return f"served until {day} at the least"


States = Mapping[str, Expiry]  # of all snapshots on a day, by tag


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """A day from which something no longer holds, and why."""

    day: date
    reason: Reason
    source: str
    note: str

    def order(self) -> tuple[date, int]:
        return self.day, _GRAVITY.index(self.reason)


def of_snapshot(
    snapshot: Snapshot,
    *,
    life: ServiceTerm | None,
    events: Iterable[Event],
    policy: Policy,
    as_of: date,
) -> Expiry:
    """Return the state of a snapshot on a day.

    `life` is that of its evaluator on its platform; of an alias, as it was when measured. `events`
    may be those of all snapshots; what happens after `as_of` is not known on that day.

    Source: Readings R53 to R55, R103.
    """
    tag = str(snapshot.tag)
    events_of_tag = [e for e in events if e.tag == tag]
    past_events = [e for e in events_of_tag if e.date <= as_of]
    measured = bounds(snapshot, life, events_of_tag)
    ends = [*_of_events(past_events)]
    if life:
        # Of what states no day, a change on any day since the release may have come before it.
        known_by = measured.by if measured.is_stated else measured.begin
        ends += _of_life(life, measured=known_by, as_of=as_of)
    # Nobody checked the digest of the weights that somebody else asked.
    lasts = snapshot.calibration or (life and life.pinned and not snapshot.card.origin)
    if measured.by and not lasts:
        word = "last measured on" if measured.is_stated else "measured by"
        ends.append(_of_age(measured.by, word, policy, is_fixed=bool(life and life.is_fixed)))
    doubt = life.doubt if life else "no platform's dates are known for this evaluator"
    if snapshot.calibration:
        doubt = ""
    first = measured.begin if measured.is_stated else measured.by
    if first is None:
        doubt = doubt or "nothing says by which day it was measured"
    elif as_of < first:
        verb = "measured" if measured.is_stated else "published"
        doubt = f"not {verb} yet on this day"
    return _state(
        tag,
        ends,
        doubt=doubt,
        life=None,  # that nobody confirms its service ends no figure
        begun=measured.begin or measured.by,
        policy=policy,
        as_of=as_of,
        platform=snapshot.platform,
        source=life.source if life and (first is None or as_of >= first) else None,
        revision=len(past_events) + (life.revision if life else 0),
    )


def measured_by(snapshot: Snapshot, events: Iterable[Event]) -> date | None:
    """Return the last day on which a snapshot can have been measured.

    That is the last one of its verdicts, else that on which their source published them, else that
    on which they were published here, by its `events`.
    """
    if snapshot.last_day:
        return snapshot.last_day
    if snapshot.published:
        return snapshot.published.date
    return next((event.date for event in events if event.event == "published"), None)


def bounds(snapshot: Snapshot, life: ServiceTerm | None, events: Iterable[Event]) -> Measured:
    """Return the bounds of the days on which a snapshot can have been measured."""
    by = measured_by(snapshot, events)
    begin = snapshot.first_day
    if begin is None and life:
        begin = life.released.date if life.released else life.introduced
    # A platform may have had a model before the day of its release that is stated.
    begin = min(begin, by) if begin and by else begin
    return Measured(begin=begin, by=by, is_stated=snapshot.first_day is not None)


def of_evaluator(name: str, life: ServiceTerm, *, policy: Policy, as_of: date) -> Expiry:
    """Return the state of an evaluator, under one of its names on one platform, on a day.

    `life` is what the name means on that day, as `epc.registry.names.followed` has it.
    """
    released = life.released.date if life.released else None
    # Reading R104: a platform that states no day had nothing before the first that does.
    introduced = released or life.introduced
    doubt = life.doubt
    if introduced and as_of < introduced:
        doubt = "not released yet on this day"
    elif life.known_since and as_of < life.known_since and not life.pinned:
        doubt = f"no release day is stated, and nobody had seen it before {life.known_since}"
    state = _state(
        name,
        list(_of_life(life, measured=None, as_of=as_of)),
        doubt=doubt,
        life=life,
        begun=life.means.since if life.means else released,
        policy=policy,
        as_of=as_of,
        platform=life.platform,
        source=life.source,
        revision=life.revision,
    )
    if not life.means:
        return state
    ended = state.status == "expired"
    alias_text = in_words_of_alias(
        name, life.means, ended=ended, until=life.moves, versions=len(life.versions)
    )
    return replace(state, note=f"{alias_text}; {state.note}", alias_of=life.means)


def of_list(state: Expiry, listed: date, policy: Policy) -> Expiry:
    """Return a state as a registry tells it that ends on a day.

    It is believed as long as a source's word on a platform is (Reading R53).
    """
    aged = days_away(listed, (policy.confirmation or 0) + 1)
    if policy.confirmation is None or state.status != "current" or state.as_of < aged:
        return state
    note = f"{state.note}; this registry ends on {listed}, more than {policy.confirmation} days ago"
    return replace(state, status="unconfirmed", since=aged, note=note)


def lines(states: Sequence[Expiry]) -> Iterator[str]:
    """Yield two lines for each state: the answer in a few words, and why."""
    width = max((len(state.subject) for state in states), default=0)
    for state in states:
        yield f"{state.subject:<{width}}  {state.status_text}"
        yield f"  {state.grounds}"


def unknown(name: str, as_of: date, note: str) -> Expiry:
    """Return the state of something that the registry does not know."""
    return Expiry(id=name, status="unknown", as_of=as_of, note=note)


def _state(
    name: str,
    ends: list[_End],
    *,
    doubt: str,
    life: ServiceTerm | None,
    begun: date | None,
    policy: Policy,
    as_of: date,
    platform: str | None,
    source: str | None,
    revision: int,
) -> Expiry:
    """Weigh ends and doubts: an end that has come outweighs a doubt, a doubt one to come.

    `life` is the one whose word may grow old, or end on a day not before which nothing does.
    """
    not_before = kept_until(life) if life else None
    come = sorted((e for e in ends if e.day <= as_of), key=_End.order)
    ahead = sorted((e for e in ends if e.day > as_of), key=_End.order)
    withdrawn = [e for e in come if e.reason == "withdrawn"]
    end = next(iter(withdrawn + come + ahead), None)
    until = end.day if end else None
    status: Status
    since, reason, note = begun, None, doubt
    if end and come:
        status, since, reason, note = "expired", end.day, end.reason, end.note
    elif doubt:
        status, since = "unknown", None
    elif end and as_of >= (notice := days_away(end.day, -policy.notice)):
        status, reason, note = "expiring", end.reason, end.note
        since = max(notice, begun or notice)
    else:
        status, note = "current", end.note if end else _open_end(life)
        # Reading R104: a day that a platform states and that lies ahead holds.
        is_stated = any(e.reason == "retired" for e in ahead)
        aged = unconfirmed_from(life, policy) if life and not is_stated else None
        is_aged = aged is not None and as_of >= aged
        holds = is_stated or (not_before and as_of < not_before)
        if life and (holds or not (is_aged or not_before or life.lasts)):
            note = f"{note}{_seen_on(life)}"
        if life and aged and is_aged:
            status, since = "unconfirmed", max(aged, begun or aged) if aged > date.min else None
            note = f"{note}; {_unheard(life, aged, policy)}"
    return Expiry(
        id=name,
        status=status,
        reason=reason,
        since=since,
        until=until,
        source=end.source if end and status != "unknown" else source,
        as_of=as_of,
        platform=platform,
        note=note,
        revision=revision,
        not_before=not_before if status in ("current", "unconfirmed", "expiring") else None,
    )


def _of_events(events: Iterable[Event]) -> Iterator[_End]:
    for event in events:
        if event.event == "expired":
            reason: Reason | None = event.cause
        else:
            reason = None if event.event == "published" else event.event
        if reason:
            source = event.source or LOG
            yield _End(day=event.date, reason=reason, source=source, note=event.reason)


def _of_life(life: ServiceTerm, *, measured: date | None, as_of: date) -> Iterator[_End]:
    """Yield a platform's ends: the retirement, and each day the name was given to another model.

    A measurement outlives a change that came before it (Reading R54). A day not before which
    something ends is no end.
    """
    if life.pinned:
        return
    if life.retires and life.retires.kind != "not_before":
        note = _retirement(life, life.retires, ended=life.retires.date <= as_of)
        yield _End(day=life.retires.date, reason="retired", source=life.retires.source, note=note)
    for route in life.routes:
        if measured is None or route.date > measured:
            note = f"{life.platform}/{life.model} answers with {route.to} from {route.date}"
            yield _End(day=route.date, reason="retired", source=route.source, note=note)


def days_good(policy: Policy, *, is_fixed: bool) -> int:
    """Return how many days a figure is good, of a name that may move or of a fixed id."""
    # Reading R103: what a vendor never changes is good for longer than what it may change.
    if is_fixed and policy.maximum_age_fixed is not None:
        return policy.maximum_age_fixed
    return policy.maximum_age


def _of_age(day: date, word: str, policy: Policy, *, is_fixed: bool) -> _End:
    days = days_good(policy, is_fixed=is_fixed)
    id_kind = "an id that never changes" if is_fixed else "a name that may move"
    note = f"{word} {day}; a figure of {id_kind} is good for {days} days"
    end = days_away(day, days)
    return _End(day=end, reason="stale", source=POLICY, note=note)


def _retirement(life: ServiceTerm, retires: DateClaim, *, ended: bool) -> str:
    """Return who retires what, when, and what it names instead."""
    if retires.kind == "exact":
        verb, names = ("retired", "named") if ended else ("retires", "names")
    else:
        verb = "is said to have retired" if ended else "is said to retire"
        names = "to name"
    note = f"{life.platform} {verb} {life.model} on {retires.date}"
    if not life.replacement:
        return note
    answers = any((r.date, r.to) == (retires.date, life.replacement) for r in life.routes)
    then = ", which answers from that day" if answers else ""
    return f"{note} and {names} {life.replacement} instead{then}"


def _open_end(life: ServiceTerm | None) -> str:
    """Return the words for a platform that states no end."""
    if life and (day := kept_until(life)):
        return f"{life.platform} retires {life.model} on {day} at the earliest"
    return "no end is stated"


def kept_until(life: ServiceTerm) -> date | None:
    """Return the day before which a platform ends nothing, if it states one (Reading R98).

    A model that a source had on that day or later outlived it, and the day says nothing any more.
    That its page still states the day says nothing of this: pages keep what has ended.
    """
    retires = life.retires
    if life.pinned or not retires or retires.kind != "not_before":
        return None
    return None if life.checked and life.checked >= retires.date else retires.date


def unconfirmed_from(life: ServiceTerm, policy: Policy) -> date | None:
    """Return the day from which nobody confirms any more that a platform serves a model.

    That is the day until which it was to be served at the least; where no day is stated, the one
    on which a source's last word on it is too old to be believed. The first day of the calendar if
    no day is recorded on which a source was seen; None for weights that nobody can end, and where
    a platform states on which day it ends a model.
    """
    # Reading R104: a stated day holds until it has come, however long ago it was read.
    if life.retires and (day := kept_until(life)):
        return day
    has_stated_end = life.retires is not None and life.retires.kind != "not_before"
    if life.lasts or has_stated_end or policy.confirmation is None:
        return None
    # Reading R53: a word says nothing of a day that lies far behind it.
    return days_away(life.seen, policy.confirmation + 1) if life.seen else date.min


def _seen_on(life: ServiceTerm) -> str:
    """Return when a source last had the model, or stated the day that lies ahead."""
    return f", as seen on {life.seen}" if life.seen else ""


def _unheard(life: ServiceTerm, aged: date, policy: Policy) -> str:
    """Say why nobody confirms any more that a model is served."""
    if aged == kept_until(life):
        return "that day has come, and nothing newer is known"
    if policy.confirmation is None or aged == date.min:
        return "no source's day is recorded, so nobody knows whether it still says so"
    last_day = days_away(aged, -policy.confirmation - 1)
    return f"last confirmed on {last_day}, more than {policy.confirmation} days ago"
