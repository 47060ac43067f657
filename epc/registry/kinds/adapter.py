"""What a kind of record does, beside what the table says of it: one module a kind, of its name.

    FILES            the files of a submission
    offered          a checked folder, and what is published of it
    again            what recomputing a published folder gives
    departures       where a card or its figures are not what the documents of its kind say
    subject_of       who was asked, by the record of a folder that is to be a submission
    files_of         the files of such a folder that a submission has
    identity_of      what tells a folder from others, whatever its name and its dates
    look             what is wrong with a submission, by its own record and beside the registry
    figures          what a report shows of a submission
    recorded         what its record says, line by line
    questions        what no check decides, and a person should

A kind that nobody can offer, as a publication's figures, has `departures` alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from epc.errors import Finding
from epc.protocol.results import Json
from epc.registry.cards import Said
from epc.registry.offers import Offer, Subject
from epc.registry.record import Record
from epc.registry.snapshots import Snapshot
from epc.registry.submissions.checked import Base, Checked, Figure
from epc.registry.submissions.layout import Files


class Adapter(Protocol):
    """The module of a kind."""

    @property
    def FILES(self) -> Files:  # noqa: N802  (a constant of the module)
        """The files of a submission."""

    def offered(self, run: Path, declaration: Said, /) -> Offer:
        """Check a folder, and return what is offered of it.

        Raises: UsageError if it is not valid, or nothing could be recomputed; MalformedError if a
        document of it was damaged.
        """

    def again(self, run: Path, snapshot: Snapshot, /) -> tuple[list[str], list[str]]:
        """Return which published places a folder does not give again, and what else is wrong."""

    def departures(
        self, folder: Path, card: Record, figures: Json, listed: Mapping[str, str], /
    ) -> Iterator[Finding]:
        """Yield where a card or its figures are not what the documents of its kind say."""

    def subject_of(self, run: Path, /) -> Subject:
        """Return who is offered by a folder.

        Raises: UsageError if it cannot be offered; MalformedError if it was damaged.
        """

    def files_of(self, run: Path, /) -> Sequence[str]:
        """Return the files of a folder that a submission has, but for the statement."""

    def identity_of(self, folder: Path, /) -> str | None:
        """Return what tells a folder from others, empty if no submission is made of its kind.

        None if its documents cannot be read.
        """

    def look(self, path: Path, checked: Checked, base: Base, /) -> None:
        """Note what is wrong with a submission, by its own record and beside the registry."""

    def figures(self, checked: Checked, /) -> Iterator[Figure]:
        """Yield what a report shows of a submission's figures."""

    def recorded(self, checked: Checked, /) -> Iterator[str]:
        """Yield what a submission's record says, line by line."""

    def questions(self, checked: Checked, /) -> Iterator[str]:
        """Yield what no check decides, and a person should."""


def adapter(kind: str) -> Adapter:
    """Return the module of a kind."""
    return cast("Adapter", import_module(f"epc.registry.kinds.{kind}"))
