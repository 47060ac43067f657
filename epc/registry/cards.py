"""The card of a snapshot with raw data: what was measured or judged, how, and by whom.

Pure: it takes documents of valid shape, and reads neither file nor clock.
"""

from dataclasses import dataclass
from typing import Any, Final, Self

from epc.digests import sha256
from epc.protocol.results import Json
from epc.records.manifest import ModelIdentity
from epc.records.strict_json import dumps_line
from epc.records.verdicts.types import Choices, Judge
from epc.registry.platforms import parts_of, platform_of, provider_of
from epc.registry.record import Fault, Model, Record, RecordedModel
from epc.registry.tags import Tag

# Words of an audit that say that nothing was measured, and why that is no baseline.
NO_BASELINE: Final = {
    "no_verdicts_counted": "no verdict was counted in most seeds: this is a failed run, "
    "and its gamma of 0 no baseline",
    "collapsed": "most seeds ended on one strategy in both runs of a direction: "
    "there was no room for coupling to show",
}

NO_CHOICES: Final = Choices()


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Declaration of what nobody but the contributor can know of a measurement.

    `login` is the contributor's on GitHub; `weights` the digest of what a server of one's own
    served; `source` says whose recorded verdicts are, and how they were given. `proxy` says that
    the evaluator was asked through a third party's gateway; `conflicts` are interests in what comes
    out, None where there are none; `replicates` is the tag that this repeats and agrees with.
    `faults` is what is known to be wrong with it. `platform` is where the evaluator was asked;
    without it what its record shows. `choices` are what is measured of verdicts where their source
    leaves it open.
    """

    generation: str
    contributor: str
    login: str | None = None
    weights: str | None = None
    source: str | None = None
    licence: str
    conflicts: str | None
    proxy: bool
    replicates: str | None
    faults: tuple[Fault, ...] = ()
    platform: str | None = None
    choices: Choices = NO_CHOICES

    @classmethod
    def from_card(cls, card: Record) -> Self:
        """Return what the card of recorded verdicts says that nobody could know without it."""
        return cls(
            generation=card.generation,
            contributor=card.contributor,
            login=card.login,
            licence=card.licence,
            conflicts=card.conflicts_of_interest,
            proxy=False,
            replicates=None,
            faults=card.known_faults,
        )

    def card(
        self, tag: Tag, kind: str, protocol: str, evaluator: Model, conditions: Json
    ) -> Record:
        """Return the card of a record of a kind, before what that kind alone states."""
        return Record(
            tag=str(tag),
            generation=self.generation,
            protocol_version=protocol,
            evaluator=evaluator,
            executor=None,
            measured=None,
            contributor=self.contributor,
            login=self.login,
            known_faults=(),
            kind=kind,
            trust="recomputed",
            conditions=conditions,
            licence=self.licence,
            conflicts_of_interest=self.conflicts,
            calibration=False,
            replicates=None,
            citation=None,
        )


def digest(value: Any) -> str:
    """Return a value of a card's conditions as the digest by which it is compared."""
    return sha256(dumps_line({"of": value}))


def model_of(
    identity: ModelIdentity, platform: str | None, declaration: Declaration | None = None
) -> Model:
    """Return who was asked, as a card states it."""
    parts, slash = parts_of(identity.model), "/" in identity.model
    return Model(
        model="/".join(parts[1:]) if len(parts) > 1 else parts[0],
        platform=platform
        or platform_of(identity)
        or (provider_of(identity.model) if slash else None),
        gateway=identity.gateway,
        proxy=declaration is not None and declaration.proxy,
        as_printed=None,
        asked=RecordedModel(model=identity.model, endpoint=identity.endpoint),
        weights=declaration.weights if declaration else None,
    )


def recorded_model(judge: Judge) -> Model:
    """Return who was asked, as others recorded it."""
    return Model(
        model=judge.model,
        platform=judge.platform,
        gateway=None,
        proxy=False,
        as_printed=judge.name,
    )
