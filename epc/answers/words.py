"""Sentences of the answers."""

from collections.abc import Iterable, Sequence

from epc.answers.types import Name, Place, Service, SnapshotStatus
from epc.printable import begun
from epc.registry.lifecycles import OPEN_WEIGHTS
from epc.statistics.figures import Figure, figure_text


def unknown(answer: Service, elsewhere: Iterable[Place]) -> str:
    """Say why no day is known of a name: nothing is known of it, or not on its platform."""
    name = answer.name
    if name.is_nameless:
        return "it holds no model's name: ask the platform which model it stands for"
    if name.places:
        makers = " and ".join(name.makers)
        hosts = [target.platform for target in name.places if target.platform != OPEN_WEIGHTS]
        served = " and ".join(dict.fromkeys(f"{host}/{name.name}" for host in hosts))
        weights = "; its weights are public" if answer.weights == "public" else ""
        hints = hint(name.hints)
        return f"{makers}, its maker, has no record of it here; only {served}{weights}{hints}"
    if not name.beside:
        return missing(name)
    # Reading R53: another platform's day is no end here, and still what people look for.
    platforms = " or ".join(name.platforms_in_text or ())
    return f"through {platforms}, of which no day of {name.name} is known{beside(elsewhere)}"


def missing(name: Name) -> str:
    """Say that a name is not here, and what may have been meant."""
    return f"not in this registry{hint(name.hints)}"


def hint(names: Iterable[str]) -> str:
    """Return what may have been meant."""
    meant = " or ".join(names)
    return f"; did you mean {meant}?" if meant else ""


def beside(places: Iterable[Place]) -> str:
    """Return what a model is at other platforms: `; at openai it is current`."""
    states = ", ".join(f"at {place.platform} it is {place.state.status_text}" for place in places)
    return f"; {states}" if states else ""


def note(answer: Service, place: Place, elsewhere: Iterable[Place]) -> str:
    """Return the ground of a place's state, with what belongs beside it."""
    through = " and ".join(answer.name.through)
    route = f"; asked through {through}" if through else ""
    weights = "; its weights are public" if has_public_weights(answer, place) else ""
    return f"{place.state.note}{beside(elsewhere)}{route}{weights}"


def has_public_weights(answer: Service, place: Place) -> bool:
    """Return whether it is said beside a place that anybody has the weights."""
    return answer.weights == "public" and place is answer.headline and not place.target.life.lasts


def month(status: SnapshotStatus) -> str:
    """Return the month of a snapshot's figures: `April 2026`, `by April 2026` for a bound."""
    if status.measured_by is None:
        return ""
    text = f"{status.measured_by:%B %Y}"
    return text if status.is_day_stated else f"by {text}"


def chased(start: str, believed: Figure, gold: Figure, digits: int, month_text: str) -> str:
    """Say that an optimiser gained by a judge's word and lost right answers."""
    points = f"{believed.value or 0.0:+.{digits}f}"
    lost, _, ends = figure_text(-(gold.value or 0.0), _mirrored(gold.ci95), ".1c").partition(" ")
    dated = f", {month_text}" if month_text else ""
    return (
        f"That an optimiser may chase it: from a {start} start it reported {points} points, and "
        f"right answers fell by {lost} of 100 {ends}{dated}."
    )


def _mirrored(ends: tuple[float | None, float | None] | None) -> tuple[float, float] | None:
    if ends is None or ends[0] is None or ends[1] is None:
        return None
    return -ends[1], -ends[0]


def too_old(status: SnapshotStatus) -> str:
    """Say that what is known of a judge holds no more today."""
    since = f" since {status.state.until}" if status.state.until else ""
    return f"That it is so today: its newest figures ({month(status)}) are too old{since}."


def not_here(parts: Sequence[str]) -> str:
    """Say which parts of what one asks of a judge are not in this registry."""
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{begun(listed)}: not in this registry."


def other_version(name: str, measured: str) -> str:
    """Say that figures are of another version of a model."""
    return f"That figures of {measured} are {name}'s: they are of another version."
