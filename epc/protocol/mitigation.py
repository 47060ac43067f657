"""Wrappers round an evaluator that shall judge more evenly: balanced, calibrated, panel, band.

A wrapper's verdict follows from what its members said, each asked as any evaluator is: nothing else
is looked at, so it can be computed again from the calls. What a place gives and how sure a
likelihood makes are fitted on pairs whose better answer is known (`fitted`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import exp, fsum, isfinite, tanh
from typing import Final, Literal, NamedTuple, NoReturn

from msgspec import Struct

from epc.errors import UsageError
from epc.protocol.verdict import Verdict, parse_verdict
from epc.spec.epc_v1 import Method

Kind = Literal["asked", "balanced", "calibrated", "panel", "band"]
MEMBER: Final = "member:"  # before a member's number, in the role of its calls
EXCHANGED: Final = "/exchanged"  # behind the occasion of a question with its answers exchanged
CALIBRATION: Final = "calibration/"  # before the occasion of a fresh run's calibration

_BAND: Final = "band="
_WRAPPERS: Final = ("balanced:", "calibrated:", "panel:", _BAND)
_FEWEST_JUDGES: Final = 3
_SCORES: Final = re.compile(r"[^\n]*\n.*: A (\S+), B (\S+)")
_OTHER: Final = {Verdict.A: Verdict.B, Verdict.B: Verdict.A}
_DECIMALS: Final = 6
_COLDEST, _HOTTEST = 0.01, 100.0
_HALVINGS: Final = 60


class Judging(Struct, frozen=True, kw_only=True):
    """How a verdict comes about: a member is asked, or a wrapper looks at what others say.

    `member` is the number of the member that is asked, from 1. `band` is the margin below which a
    score's verdict is a tie.
    """

    kind: Kind
    of: "tuple[Judging, ...]" = ()
    member: int = 0
    band: float = 0.0


class Fit(Struct, frozen=True, kw_only=True):
    """What the calibration of one member came to: log-odds of the first place, and a temperature.

    Unit: both in the unit of the member's scores; of likelihoods, nats.
    """

    prior: float
    temperature: float


class Ask(NamedTuple):
    """One question of a wrapper: to which member, and with the answers in each other's place?"""

    member: int
    exchanged: bool


class Mitigation(Struct, frozen=True, kw_only=True):
    """A wrapper's judging, how each member gets to its verdict, and what was fitted of members."""

    judging: Judging
    methods: tuple[Method, ...]
    fits: Mapping[int, Fit]


def is_wrapper(name: str) -> bool:
    """Return whether a model's name is a wrapper's."""
    return name.startswith(_WRAPPERS)


def members_named(name: str) -> tuple[str, ...]:
    """Return the names of the members of a wrapper; of any other model, its own."""
    return spelled(name)[1] if is_wrapper(name) else (name,)


def spelled(name: str) -> tuple[Judging, tuple[str, ...]]:
    """Return the judging that a name spells, and the names of its members.

    Raises: UsageError if the name nests what cannot be nested, or lacks something.
    """
    members: list[str] = []
    return _judging(name, members), tuple(members)


def _judging(name: str, members: list[str], within: str = "") -> Judging:
    if name.startswith("balanced:"):
        if within.startswith("balanced:"):
            _refuse(name, "both places are asked already", "leave one `balanced:` out")
        inner = name.removeprefix("balanced:")
        return Judging(kind="balanced", of=(_judging(inner, members, name),))
    if name.startswith("calibrated:"):
        inner = name.removeprefix("calibrated:")
        if is_wrapper(inner):
            why = "only the likelihoods of one model can be calibrated"
            _refuse(name, why, "name the model itself: calibrated:MODEL, band=0.1:calibrated:MODEL")
        return Judging(kind="calibrated", of=(_judging(inner, members, name),))
    if name.startswith(_BAND):
        return _banded(name, members)
    if name.startswith("panel:"):
        return _panel(name, members, within)
    if not name:
        _refuse(within, "names no model", "name one behind the colon, as in balanced:MODEL")
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
    if is_wrapper(inner) and not inner.startswith("calibrated:"):
        why = "a band takes the margin between two scores of one model"
        _refuse(name, why, "put the band innermost: band=0.1:MODEL, band=0.1:calibrated:MODEL")
    return Judging(kind="band", of=(_judging(inner, members, name),), band=band)


def _panel(name: str, members: list[str], within: str) -> Judging:
    judges = name.removeprefix("panel:").split(",")
    if within.startswith("panel:") or any("panel:" in judge for judge in judges):
        _refuse(name, "a panel is no judge of a panel", "name all judges in one panel")
    if len(judges) < _FEWEST_JUDGES:
        why = f"{len(judges)} judges have no majority that one of them cannot undo"
        _refuse(name, why, "name three or more: panel:M1,M2,M3")
    if len(set(judges)) < len(judges):
        _refuse(name, "one judge has one vote", "name each judge once")
    return Judging(kind="panel", of=tuple(_judging(judge, members, name) for judge in judges))


def _refuse(name: str, problem: str, remedy: str) -> NoReturn:
    raise UsageError(f"{name}: {problem}\n  fix: {remedy}")


def asks(judging: Judging) -> list[Ask]:
    """Return what a wrapper asks about one comparison, each question once."""
    return list(dict.fromkeys(_asks(judging, exchanged=False)))


def _asks(judging: Judging, *, exchanged: bool) -> Iterator[Ask]:
    if judging.kind == "asked":
        yield Ask(judging.member, exchanged)
    for part in judging.of:
        yield from _asks(part, exchanged=exchanged)
        if judging.kind == "balanced":
            yield from _asks(part, exchanged=not exchanged)


def calibrated_members(judging: Judging) -> list[int]:
    """Return the numbers of the members that are calibrated, in rising order."""
    members = [part.member for part in judging.of if judging.kind == "calibrated"]
    return sorted({*members, *(n for part in judging.of for n in calibrated_members(part))})


def parts_of(judging: Judging) -> Iterator[Judging]:
    """Yield a judging and every judging within it."""
    yield judging
    for part in judging.of:
        yield from parts_of(part)


def composed(judging: Judging, replies: Mapping[Ask, str], fits: Mapping[int, Fit]) -> str:
    """Return a wrapper's answer: its verdict, and in the next line how it came about.

    Balanced: both places must say the same of the same answer, else it is a tie. Calibrated: the
    log-odds without what the place gives. Panel: more than half of all judges. Band: a margin below
    it is a tie; of a calibrated model the margin is that of the two probabilities.
    """
    verdict, words = _said(judging, replies, fits, exchanged=False)
    return f"{verdict}\n{words}"


def _said(
    judging: Judging, replies: Mapping[Ask, str], fits: Mapping[int, Fit], *, exchanged: bool
) -> tuple[Verdict, str]:
    """Return which place won in the order in which the answers stand, and why."""
    if judging.kind == "asked":
        verdict = parse_verdict(replies[Ask(judging.member, exchanged)])
        return verdict, verdict.value
    if judging.kind in ("calibrated", "band"):
        margin = _margin(judging, replies, fits, exchanged=exchanged)
        verdict, detail = Verdict.TIE, "no scores" if margin is None else f"{margin:+.6f}"
        if margin is not None and margin and abs(margin) >= judging.band:
            verdict = Verdict.A if margin > 0 else Verdict.B
        return verdict, f"{judging.kind}({detail}) = {verdict}"
    outcomes = [_said(part, replies, fits, exchanged=exchanged) for part in judging.of]
    if judging.kind == "balanced":
        other = _said(judging.of[0], replies, fits, exchanged=not exchanged)
        agree = _OTHER.get(other[0]) == outcomes[0][0]
        verdict = outcomes[0][0] if agree else Verdict.TIE
        return verdict, f"balanced({outcomes[0][1]}, exchanged {other[1]}) = {verdict}"
    most = [v for v in _OTHER if 2 * sum(one is v for one, _ in outcomes) > len(outcomes)]
    verdict = most[0] if most else Verdict.TIE
    return verdict, f"panel({', '.join(words for _, words in outcomes)}) = {verdict}"


def _margin(
    judging: Judging, replies: Mapping[Ask, str], fits: Mapping[int, Fit], *, exchanged: bool
) -> float | None:
    """Return by how much the first place won, or None if the reply states no scores."""
    if judging.kind == "band":
        inner = judging.of[0]
        margin = _margin(inner, replies, fits, exchanged=exchanged)
        # Of two probabilities that sum to 1, from their log-odds.
        return tanh(margin / 2) if margin is not None and inner.kind == "calibrated" else margin
    if judging.kind == "calibrated":
        member = judging.of[0].member
        margin = margin_of(replies[Ask(member, exchanged)])
        fit = fits[member]
        return None if margin is None else round(margin - fit.prior, _DECIMALS) / fit.temperature
    return margin_of(replies[Ask(judging.member, exchanged)])


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


def fitted(replies: Sequence[tuple[str, str]]) -> Fit:
    """Return what the first place gives, and how far from sure the scores are.

    Each pair of replies is about one known pair, an answer to the task and an answer to another
    task: the right one stands first, then second. Its content cancels out of the mean of all
    margins, which is the place prior. The temperature is the one under which the known answers are
    likeliest (a maximum in one dimension, by halving), between 0.01 and 100. Margins that are not
    finite, of empty answers, say nothing. Both are rounded to six digits.

    Source: C. Zheng et al., "Large Language Models Are Not Robust Multiple Choice Selectors"
    (PriDe), ICLR 2024, for the prior from exchanged options; C. Guo et al., "On Calibration of
    Modern Neural Networks", ICML 2017, for the temperature.
    """
    margins = [(margin_of(first), margin_of(second)) for first, second in replies]
    pairs = [(a, b) for a, b in margins if a is not None and b is not None]
    pairs = [pair for pair in pairs if all(map(isfinite, pair))]
    if not pairs:
        return Fit(prior=0.0, temperature=1.0)
    prior = round(fsum(map(fsum, pairs)) / (2 * len(pairs)), _DECIMALS) + 0.0
    rightly = [side for a, b in pairs for side in (a - prior, prior - b)]
    low, high = 1 / _HOTTEST, 1 / _COLDEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if fsum(margin * _chance(-margin * middle) for margin in rightly) >= 0:
            low = middle  # the likelihood does not fall: the scores may be surer
        else:
            high = middle
    return Fit(prior=prior, temperature=round(1 / ((low + high) / 2), _DECIMALS))


def _chance(log_odds: float) -> float:
    """Return the probability of log-odds, however large they are."""
    if log_odds >= 0:
        return 1 / (1 + exp(-log_odds))
    return exp(log_odds) / (1 + exp(log_odds))
