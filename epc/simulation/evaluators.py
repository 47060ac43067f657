"""Synthetic evaluators by name: what `epc simulate` and `epc plan` are asked about.

An evaluator is written `name:key=value,key=value`. All of them take `tie`, a share of comparisons
that end undecided whatever would have been said.
"""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf
from typing import Final

from epc.arrays import Array, np
from epc.errors import UsageError
from epc.protocol.draws import generator
from epc.simulation.training import Odds, Preferences
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS, JUDGED_CHARACTERS

STRATEGIES: Final = 11  # EPC-A.1
_STREAM: Final = 20260705
_FEWEST: Final = 2  # strategies, for two domains to favour different ones
_SHORTEST: Final = 100  # characters, where no lengths are stated
_TEXT_AT, _VISUAL_AT = 1, -3  # which strategies are favoured; of eleven the second and the ninth
_LISTS: Final = DOMAINS  # lengths, written 100/200/300
_TIE: Final = (0.0, 0.0, 1.0)

Settings = dict[str, float]
Lengths = dict[Domain, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of evaluators: its settings with default, least and most, and how it is built.

    `build` returns how often A is said to each strategy of each domain.
    """

    says: str
    settings: dict[str, tuple[float, float, float]]
    build: Callable[[Settings, Lengths, int], dict[Domain, Array]]
    lengths: bool = False


def evaluator(text: str, *, strategies: int = STRATEGIES) -> Preferences:
    """Return the preferences of a synthetic evaluator by its written form.

    Raises: UsageError if the name or a setting is unknown or out of its range.
    """
    name, _, arguments = text.partition(":")
    if name not in KINDS:
        close = get_close_matches(name, KINDS, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UsageError(
            f"there is no synthetic evaluator {name!r}: {hint}they are {', '.join(KINDS)}"
        )
    settings, lengths = _parse(name, arguments, strategies)
    tie = settings.pop("tie")
    says = KINDS[name].build(settings, lengths, strategies)
    ties = np.full(strategies, tie)
    return {domain: Odds(a=says[domain] * (1 - tie), tie=ties) for domain in DOMAINS}


def couples(text: str) -> bool:
    """Return whether a synthetic evaluator's preferences differ between the domains at all."""
    left, right = (evaluator(text)[domain] for domain in DOMAINS)
    return bool((left.a != right.a).any() or (left.tie != right.tie).any())


def _parse(name: str, arguments: str, strategies: int) -> tuple[Settings, Lengths]:
    kind = KINDS[name]
    allowed = {**kind.settings, "tie": _TIE}
    settings: Settings = {key: default for key, (default, _, _) in allowed.items()}
    lengths: Lengths = {}
    keys: set[str] = set()
    for part in filter(None, arguments.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key in keys:
            raise UsageError(f"{name}: {key} appears twice")
        keys.add(key)
        if not equals:
            raise UsageError(f"{name}: {part!r} is no setting such as tie=0.3")
        if kind.lengths and key in _LISTS:
            lengths[key] = _lengths(name, key, value, strategies)
        elif key in allowed:
            settings[key] = _number(name, key, value, allowed[key])
        else:
            allowed_names = [*allowed, *(_LISTS if kind.lengths else ())]
            raise UsageError(f"{name} has no setting {key!r}: it takes {', '.join(allowed_names)}")
    return settings, lengths


def _number(name: str, key: str, value: str, bounds: tuple[float, float, float]) -> float:
    _, least, highest = bounds
    try:
        number = float(value)
    except ValueError:
        number = inf
    if not least <= number <= highest or number == inf:
        span = f"from {least:g} to {highest:g}" if highest < inf else f"not below {least:g}"
        raise UsageError(f"{name}: {key}={value} is no number {span}")
    return number


def _lengths(name: str, key: str, value: str, strategies: int) -> tuple[float, ...]:
    lengths = tuple(_number(name, key, part, (0.0, 0.0, inf)) for part in value.split("/"))
    if len(lengths) != strategies:
        raise UsageError(
            f"{name}: {key} states {len(lengths)} lengths for {strategies} strategies; "
            "write one for each, joined by /"
        )
    return lengths


def _blind(share: float, strategies: int) -> dict[Domain, Array]:
    return {domain: np.full(strategies, share) for domain in DOMAINS}


def _favoured(favourite: int, settings: Settings, strategies: int) -> Array:
    """Return the odds of one favourite among equals."""
    odds = np.full(strategies, settings["low"])
    odds[favourite % strategies] = settings["high"]
    return odds


def _favourite(settings: Settings, _: Lengths, strategies: int) -> dict[Domain, Array]:
    return {domain: _favoured(_TEXT_AT, settings, strategies) for domain in DOMAINS}


def _domain_favourites(settings: Settings, _: Lengths, strategies: int) -> dict[Domain, Array]:
    if strategies < _FEWEST:
        raise UsageError(f"domain-favourites takes at least {_FEWEST} strategies, not {strategies}")
    visual_at = _VISUAL_AT if (_VISUAL_AT - _TEXT_AT) % strategies else 0
    return {
        "text": _favoured(_TEXT_AT, settings, strategies),
        "visual": _favoured(visual_at, settings, strategies),
    }


def _one_domain(settings: Settings, _: Lengths, strategies: int) -> dict[Domain, Array]:
    return {
        "text": np.full(strategies, settings["low"]),
        "visual": _favoured(_VISUAL_AT, settings, strategies),
    }


def _scattered(settings: Settings, number: int, strategies: int) -> Array:
    """Return odds whose logits are normal about 0, the `number`-th of their stream."""
    rng = generator(_STREAM, spawn_key=(int(settings["draw"]), number))
    odds: Array = 1 / (1 + np.exp(-rng.normal(0, settings["sd"], strategies)))
    return odds


def _apart(settings: Settings, _: Lengths, strategies: int) -> dict[Domain, Array]:
    return {d: _scattered(settings, number, strategies) for number, d in enumerate(DOMAINS)}


def _alike(settings: Settings, _: Lengths, strategies: int) -> dict[Domain, Array]:
    return {domain: _scattered(settings, 0, strategies) for domain in DOMAINS}


def _length(settings: Settings, lengths: Lengths, strategies: int) -> dict[Domain, Array]:
    """Return odds logistic in how much longer than the first strategy's an answer is.

    Lengths beyond what the evaluator is shown count as what it is shown (EPC-2.6).
    """
    unstated = np.linspace(_SHORTEST, JUDGED_CHARACTERS, strategies)
    odds = {}
    for domain in DOMAINS:
        shown_lengths = np.minimum(lengths.get(domain, unstated), JUDGED_CHARACTERS)
        odds[domain] = 1 / (
            1 + np.exp(-settings["slope"] * (shown_lengths - shown_lengths[0]) / 100)
        )
    return odds


_SHARE: Final = (0.5, 0.0, 1.0)
_HIGH_LOW: Final = {"high": (0.95, 0.0, 1.0), "low": (0.1, 0.0, 1.0)}
_SCATTER: Final = {"sd": (0.5, 0.0, 20.0), "draw": (0.0, 0.0, 2.0**31)}

KINDS: Final[dict[str, Kind]] = {
    "coin-flip": Kind("tosses a coin", {}, lambda _, __, k: _blind(_SHARE[0], k)),
    "always-a": Kind("says A", {}, lambda _, __, k: _blind(1.0, k)),
    "always-b": Kind("says B", {}, lambda _, __, k: _blind(0.0, k)),
    "position-bias": Kind(
        "says A with odds `a`, whatever is shown",
        {"a": (0.8, 0.0, 1.0)},
        lambda settings, _, k: _blind(settings["a"], k),
    ),
    "favourite": Kind("prefers one strategy, the same in both domains", _HIGH_LOW, _favourite),
    "domain-favourites": Kind(
        "prefers one strategy, another in each domain", _HIGH_LOW, _domain_favourites
    ),
    "one-domain": Kind(
        "prefers one strategy in the visual domain and none in the other",
        {"high": (0.7, 0.0, 1.0), "low": (0.5, 0.0, 1.0)},
        _one_domain,
    ),
    "scattered": Kind(
        "prefers every strategy by its own logit, normal with `sd`, other in each domain",
        _SCATTER,
        _apart,
    ),
    "scattered-alike": Kind("as `scattered`, the same in both domains", _SCATTER, _alike),
    "length": Kind(
        "prefers longer answers: logit `slope` a hundred characters beyond the first's",
        {"slope": (1.0, -100.0, 100.0)},
        _length,
        lengths=True,
    ),
}
