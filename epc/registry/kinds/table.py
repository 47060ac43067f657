"""The one table of the kinds of record. Past it a kind is a word to print.

A kind is a row here, a module of the same name beside this one, and its branches of the schema.

Pure: it takes JSON that a schema has admitted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from epc.protocol.results import Json
from epc.records.judging.documents import PLAN, RUN_LOG
from epc.records.layout import LOOP, MANIFEST
from epc.records.typed import parse
from epc.registry.layout import CARD, FIGURES, OBSERVED, POINTER
from epc.registry.record import Record

About = Literal["coupling", "judgments", "records", "loops"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of record, in words.

    `about` says what its figures are of: those of different things stand in no table together.
    `unit` is what `n` counts, `origin_phrase` how it arose. `documents` are those of the run,
    which stand beside its raw files; the last holds digests of what the run gave, so that no two
    runs have the same. `states` are fields that every card of it has. `no_gamma` says why it has
    no gamma, if it has none. `verdict_file` says that its raw file is one of verdicts (R77).
    """

    about: About
    unit: str
    origin_phrase: str
    states: tuple[str, ...]
    documents: tuple[str, ...] = ()
    has_raw: bool = False
    verdict_file: bool = False
    no_gamma: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The documents that every snapshot of it has."""
        return (CARD, *self.documents, FIGURES, *([POINTER] if self.has_raw else []))


KINDS: Final[Mapping[str, Kind]] = {
    "measured": Kind(
        about="coupling",
        unit="seeds",
        origin_phrase="measured",
        states=("measured", "conditions", "audit", "licence"),
        documents=(MANIFEST,),
        has_raw=True,
    ),
    "reported": Kind(
        about="coupling", unit="seeds", origin_phrase="printed", states=("measured", "citation")
    ),
    "judged": Kind(
        about="judgments",
        unit="samples",
        origin_phrase="judged",
        states=("measured", "conditions", "licence"),
        documents=(PLAN, RUN_LOG),
        has_raw=True,
        no_gamma="it is of scores that a judge gave, and has no gamma",
    ),
    "observed": Kind(
        about="records",
        unit="verdicts",
        origin_phrase="recorded by others",
        states=("conditions", "licence", "origin", "kept"),
        documents=(OBSERVED,),  # and the pointer, where the licence lets the verdicts be kept
        verdict_file=True,
        no_gamma="it is of verdicts that others recorded, and has no gamma",
    ),
    "loop": Kind(
        about="loops",
        unit="runs",
        origin_phrase="run on recorded scores",
        states=("conditions", "licence", "source"),
        documents=(LOOP,),
        has_raw=True,
        no_gamma="it is of gains under a judge, and has no gamma",
    ),
}


def parse_card(document: Json) -> Record:
    """Return the record that a card describes.

    Raises: KeyError or ValueError if it is none.
    """
    card = parse(document, Record)
    for name in KINDS[card.kind].states:
        if getattr(card, name) in (None, ""):
            raise ValueError(f"a card of a {card.kind} record has no {name}")
    return card
