"""Types of the answers: what a name means, and until when it is served."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from epc.analysis.agreement import Agreement, ReplacementJudge
from epc.analysis.choosing import Alternative
from epc.registry.expiry import Expiry, Reason, Status
from epc.registry.lifecycles import Generation, ServiceTerm

How = Literal["own", "alias", "family", "list"]
Kind = Literal["model", "alias", "family", "snapshot", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Model that a name means on a platform, on a day.

    `id` is the platform's name of that model, `how` the way from the name to it, `since` the first
    day on which the name means it, if a source states one. `life` is that of the name itself,
    and `model` whose it is.
    """

    platform: str
    id: str
    generation: str
    how: How
    since: date | None
    source: str
    life: ServiceTerm = field(repr=False)
    model: Generation = field(repr=False)
    is_makers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """Meaning of a text on a day.

    `name` is the text without what stands round it, and `plain` what to print for the model: its
    maker's id. `places` are what the text speaks of: where it says a platform, those on it alone.
    `beside` are the same models elsewhere. `home` speaks first; there is none where the maker has
    no record, or a platform that the text says. `hints` are names that may be meant instead. `next`
    is the first later day on which any of this changes.
    """

    text: str
    name: str
    plain: str
    kind: Kind
    as_of: date
    places: tuple[Target, ...] = ()
    beside: tuple[Target, ...] = ()
    platforms_in_text: tuple[str, ...] | None = None
    through: tuple[str, ...] = ()
    home: Target | None = None
    hints: tuple[str, ...] = ()
    is_nameless: bool = False
    next: date | None = None

    @property
    def is_known(self) -> bool:
        """Return whether the registry knows a model, or a snapshot, that the text means."""
        return self.kind != "unknown"

    @property
    def models(self) -> dict[str, Generation]:
        """The models that are meant, by their names here."""
        return {target.model.name: target.model for target in self.everywhere}

    @property
    def makers(self) -> tuple[str, ...]:
        """The makers of the models that are meant."""
        return tuple(dict.fromkeys(model.maker for model in self.models.values()))

    @property
    def everywhere(self) -> tuple[Target, ...]:
        """The models that are meant on every platform, those of which the text speaks first."""
        return (*self.places, *self.beside)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Service of a model on a platform, on a day.

    `answers_next` is what answers the name once the place has ended. `replacement` is what the
    platform names instead, in its own words, and `replacement_name` the model that these mean.
    """

    target: Target
    state: Expiry
    days: int | None
    last_seen: date | None
    sources: int
    confidence: str
    answers_next: str | None
    replacement: str | None
    replacement_name: Name | None

    @property
    def platform(self) -> str:
        """The platform."""
        return self.target.platform

    @property
    def status(self) -> Status:
        """Status on the day."""
        return self.state.status

    @property
    def reason(self) -> Reason | None:
        """The reason of the end."""
        return self.state.reason

    @property
    def until(self) -> date | None:
        """The first day on which it is not served."""
        return self.state.until

    @property
    def not_before(self) -> date | None:
        """The day before which its platform ends nothing."""
        return self.state.not_before

    @property
    def has_ended(self) -> bool:
        """Return whether the platform serves the model no more on the day."""
        return self.status == "expired"

    @property
    def is_silent(self) -> bool:
        """Return whether a list alone has it, and states no day."""
        return self.target.life.is_listed and self.status == "unknown"

    @property
    def is_served(self) -> bool:
        """Return whether the platform serves the model on the day, as far as is known."""
        return self.status in ("current", "expiring")


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotStatus:
    """Status of a published snapshot on a day.

    `measured_by` is the last day on which it can have been measured: that of its verdicts, or, as
    `is_day_stated` says not, the one on which their source published them. `measured_from` is the
    first, or that of its judge's release. `next` is the first later day on which it changes.
    """

    state: Expiry
    as_of: date
    measured_from: date | None
    measured_by: date | None
    is_day_stated: bool
    next: date | None = None


Weights = Literal["public", "pinned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Service of a name on a day: until when, and where.

    `headline` is what is said first, `gravest` the place at home or at its maker's platforms that
    is in a graver state. `other_places` are all but the headline, those of which the text speaks
    first. `weights` that anybody has are no place unless nobody hosts the model. `next` is the
    first later day on which it changes.
    """

    name: Name
    as_of: date
    headline: Place | None
    gravest: Place | None
    other_places: tuple[Place, ...]
    weights: Weights | None
    next: date | None = None

    @property
    def gate(self) -> Place | None:
        """The place that lets a gate pass or fail."""
        return self.gravest or self.headline

    @property
    def places(self) -> tuple[Place, ...]:
        """Every place: the headline, the gravest, then the others."""
        first = [place for place in (self.headline, self.gravest) if place]
        return (*first, *(place for place in self.other_places if place is not self.gravest))

    @property
    def served(self) -> dict[str, Expiry]:
        """The states of the platforms that serve the model, as far as is known."""
        return {place.platform: place.state for place in self.places if place.is_served}

    @property
    def is_served(self) -> bool:
        """Return whether any platform serves the model, or anybody can run its weights."""
        return self.weights is not None or bool(self.served)

    @property
    def spoken_of(self) -> tuple[Place, ...]:
        """The places of which the text speaks."""
        target_ids = {id(target) for target in self.name.places}
        return tuple(place for place in self.places if id(place.target) in target_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorReplacement:
    """Replacement that a platform names, in its own words; their service, if they are a name."""

    text: str
    vendor: str
    service: Service | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """Replacement of a judge on a day.

    `agreeing` are judges that are shown to agree and that somebody serves, the best first, and
    `better` those that are shown to be right more often on the same questions. `first` is the one
    to turn to: there is none where nobody states an end. `next` is the first later day on which
    any of this changes.
    """

    name: Name
    as_of: date
    has_end: bool
    vendor_replacement: VendorReplacement | None = None
    agreeing: tuple[Agreement, ...] = ()
    better: tuple[Alternative, ...] = ()
    first: ReplacementJudge | None = None
    next: date | None = None
