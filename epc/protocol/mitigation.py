"""Wrappers round an evaluator that shall judge more evenly: balanced, panel, band.

A wrapper's verdict follows from what its members said, each asked as any evaluator is: nothing else
is looked at, so it can be computed again from the calls.
"""

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final, Literal, NamedTuple, NoReturn

from msgspec import Struct

from epc.errors import UsageError
from epc.protocol.prompt import Pair, evaluation_text, exchanged
from epc.protocol.verdict import Verdict, parse_verdict
from epc.spec.epc_v1 import Method

Kind = Literal["asked", "balanced", "panel", "band"]
_EXCHANGED: Final = "/exchanged"  # behind the occasion of a question with its answers exchanged

_BAND: Final = "band="
_LEFT: Final = "calibrated:"
WRAPPERS: Final = ("balanced:", "panel:", _BAND, _LEFT)
_FEWEST_JUDGES: Final = 3
_SCORES: Final = re.compile(r"[^\n]*\n.*: A (\S+), B (\S+)")
_OTHER: Final = {Verdict.A: Verdict.B, Verdict.B: Verdict.A}
_DECIMALS: Final = 6


class Judging(Struct, frozen=True, kw_only=True):
    """How a verdict comes about: a member is asked, or a wrapper looks at what others say.

    `member` is the number of the member that is asked, from 1. `band` is the margin below which a
    score's verdict is a tie.
    """

    kind: Kind
    parts: "tuple[Judging, ...]" = ()
    member: int = 0
    band: float = 0.0


class Ask(NamedTuple):
    """A question of a wrapper: its member, and whether the answers change places."""

    member: int
    exchanged: bool


class Vote(NamedTuple):
    """A question to a member: what is compared, and the text that it is given."""

    ask: Ask
    pair: Pair
    text: str

    @property
    def suffix(self) -> str:
        """What tells it from another question to the same member about the same pair."""
        return _EXCHANGED * self.ask.exchanged


def is_wrapper(name: str) -> bool:
    """Return whether a model's name is a wrapper's."""
    return name.startswith(WRAPPERS)


def members_named(name: str) -> tuple[str, ...]:
    """Return the names of the members of a wrapper; of any other model, its own."""
    return spelled(name)[1] if is_wrapper(name) else (name,)


def spelled(name: str) -> tuple[Judging, tuple[str, ...]]:
    """Return the judging that a name spells, and the names of its members.

    Raises: UsageError if the name nests what cannot be nested, or lacks something.
    """
    members: list[str] = []
    return _judging(name, members), tuple(members)


def as_document(judging: Judging) -> dict[str, Any]:
    """Return a judging as it stands in a wrapper's details."""
    if judging.kind == "asked":
        return {"kind": "asked", "member": judging.member}
    band = {"band": judging.band} if judging.kind == "band" else {}
    return {"kind": judging.kind, **band, "of": [as_document(part) for part in judging.parts]}


def _judging(name: str, members: list[str], outer: str = "") -> Judging:
    if name.startswith("balanced:"):
        if outer.startswith("balanced:"):
            _refuse(name, "both places are asked already", "leave one `balanced:` out")
        inner = name.removeprefix("balanced:")
        return Judging(kind="balanced", parts=(_judging(inner, members, name),))
    if name.startswith(_LEFT):
        _refuse(name, f"{_LEFT} left", "ask in both places instead: balanced:MODEL")
    if name.startswith(_BAND):
        return _banded(name, members)
    if name.startswith("panel:"):
        return _panel(name, members, outer)
    if not name:
        _refuse(outer, "names no model", "name one behind the colon, as in balanced:MODEL")
    if name not in members:
        members.append(name)
    return Judging(kind="asked", member=members.index(name) + 1)


def _banded(name: str, members: list[str]) -> Judging:
    width, _, inner = name.removeprefix(_BAND).partition(":")
    try:
        band = float(width)
    except ValueError:
        band = 0.0
    if not (isfinite(band) and band > 0):
        _refuse(name, f"{width!r} is no margin above 0", "name one, as in band=0.1:MODEL")
    if is_wrapper(inner) and not inner.startswith(_LEFT):
        why = "a band takes the margin between two scores of one model"
        _refuse(name, why, "put the band innermost: band=0.1:MODEL")
    return Judging(kind="band", parts=(_judging(inner, members, name),), band=band)


def _panel(name: str, members: list[str], outer: str) -> Judging:
    judges = name.removeprefix("panel:").split(",")
    if outer.startswith("panel:") or any("panel:" in judge for judge in judges):
        _refuse(name, "a panel is no judge of a panel", "name all judges in one panel")
    if len(judges) < _FEWEST_JUDGES:
        why = f"{len(judges)} judges have no majority that one of them cannot undo"
        _refuse(name, why, "name three or more: panel:M1,M2,M3")
    if len(set(judges)) < len(judges):
        _refuse(name, "one judge has one vote", "name each judge once")
    return Judging(kind="panel", parts=tuple(_judging(judge, members, name) for judge in judges))


def _refuse(name: str, problem: str, remedy: str) -> NoReturn:
    raise UsageError(f"{name}: {problem}\n  fix: {remedy}")


def asks(judging: Judging) -> list[Ask]:
    """Return what a wrapper asks about one comparison, each question once."""
    return list(dict.fromkeys(_asks(judging, exchanged=False)))


def _asks(judging: Judging, *, exchanged: bool) -> Iterator[Ask]:
    if judging.kind == "asked":
        yield Ask(judging.member, exchanged)
    for part in judging.parts:
        yield from _asks(part, exchanged=exchanged)
        if judging.kind == "balanced":
            yield from _asks(part, exchanged=not exchanged)


def parts_of(judging: Judging) -> Iterator[Judging]:
    """Yield a judging and every judging within it."""
    yield judging
    for part in judging.parts:
        yield from parts_of(part)


def votes(
    judging: Judging, pair: Pair, methods: tuple[Method, ...], *, template: str, baseline: str
) -> list[Vote]:
    """Return what a wrapper asks about a pair, in the order of its judging.

    `methods` say how each member gets to its verdict.
    """
    turned = exchanged(pair, baseline)
    cast = []
    for ask in asks(judging):
        presented = turned if ask.exchanged else pair
        text = evaluation_text(presented, method=methods[ask.member - 1], template=template)
        cast.append(Vote(ask, presented, text))
    return cast


def composed(judging: Judging, replies: Mapping[Ask, str]) -> str:
    """Return a wrapper's answer: its verdict, and in the next line how it came about.

    Balanced: both places must say the same of the same answer, else it is a tie. Panel: more than
    half of all judges. Band: a margin between two scores below it is a tie.
    """
    verdict, reason = _outcome(judging, replies, exchanged=False)
    return f"{verdict}\n{reason}"


def _outcome(
    judging: Judging, replies: Mapping[Ask, str], *, exchanged: bool
) -> tuple[Verdict, str]:
    """Return which place won in the order in which the answers stand, and why."""
    if judging.kind == "asked":
        verdict = parse_verdict(replies[Ask(judging.member, exchanged)])
        return verdict, verdict.value
    if judging.kind == "band":
        margin = margin_of(replies[Ask(judging.parts[0].member, exchanged)])
        verdict, detail = Verdict.TIE, "no scores" if margin is None else f"{margin:+.6f}"
        if margin is not None and margin and abs(margin) >= judging.band:
            verdict = Verdict.A if margin > 0 else Verdict.B
        return verdict, f"band({detail}) = {verdict}"
    outcomes = [_outcome(part, replies, exchanged=exchanged) for part in judging.parts]
    if judging.kind == "balanced":
        reverse = _outcome(judging.parts[0], replies, exchanged=not exchanged)
        agree = _OTHER.get(reverse[0]) == outcomes[0][0]
        verdict = outcomes[0][0] if agree else Verdict.TIE
        return verdict, f"balanced({outcomes[0][1]}, exchanged {reverse[1]}) = {verdict}"
    majority = [v for v in _OTHER if 2 * sum(place is v for place, _ in outcomes) > len(outcomes)]
    verdict = majority[0] if majority else Verdict.TIE
    return verdict, f"panel({', '.join(reason for _, reason in outcomes)}) = {verdict}"


def margin_of(reply: str) -> float | None:
    """Return the first score minus the second of a reply that states both, else None.

    Rounded to six digits: what floats leave of a difference decides nothing.
    """
    match = _SCORES.match(reply)
    if match is None:
        return None
    try:
        first, second = map(float, match.groups())
    except ValueError:
        return None
    return 0.0 if first == second else round(first - second, _DECIMALS)
