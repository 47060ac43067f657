"""Behaviour of a kind of record, beside what the table says of it: one module a kind.

    FILES            the files of a submission
    offered          a checked folder, and what is published of it
    recompute        what recomputing a published folder gives
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

import stat
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, cast

from epc.errors import Finding
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import disagreements
from epc.registry.cards import Declaration
from epc.registry.kinds.table import KINDS
from epc.registry.layout import CARD, FIGURES
from epc.registry.offers import Offer, Subject
from epc.registry.record import Record
from epc.registry.snapshots import Snapshot
from epc.registry.submissions.checked import Base, Figure, SubmissionCheck
from epc.registry.submissions.layout import Files

CLAUSE: Final = "EPC-4"
RESTORE: Final = "restore it with `git checkout`; publish the next snapshot to correct one"


def kind_of(folder: Path) -> str:
    """Return what a folder holds: the kind whose first document it has, a run if there is none."""
    for name in reversed(list(KINDS)):  # of two documents the stranger one decides
        for document in KINDS[name].documents[:1]:
            try:
                if stat.S_ISREG((folder / document).lstat().st_mode):
                    return name
            except OSError:
                continue
    return "measured"


def read_document(path: Path, schema: str) -> tuple[Any, list[Finding]]:
    """Return a document of a folder, and what is wrong with it, each at its place in the folder."""
    where = f"/{path.name}"
    if not path.is_file():
        return None, [departure(where, "is missing")]
    value, problems = strict_json.read(path)
    wrong = problems or schema_findings(schema, value, clause=CLAUSE)
    return value, [departure(f"{where}{f.where}", f.problem) for f in wrong]


def departure(where: str, problem: str) -> Finding:
    """Return a finding of a published folder."""
    return Finding(clause=CLAUSE, where=where, problem=problem, remedy=RESTORE)


def changed_figures(snapshot: Snapshot, recomputation: Json) -> list[str]:
    """Return which published figures are not what was computed again."""
    places = disagreements(snapshot.published_figures, recomputation)
    return [f"/{FIGURES}/figures{where}" for where in places]


def card_differences(card: Record, right: Record, document: str) -> Iterator[Finding]:
    """Yield where a published card is not the one that its own document gives."""
    claim = card.as_json()
    for key, value in right.as_json().items():
        if claim[key] != value:
            yield departure(f"/{CARD}/{key}", f"is not what {document} says")


class Adapter(Protocol):
    """The module of a kind."""

    @property
    def FILES(self) -> Files:  # noqa: N802  (a constant of the module)
        """The files of a submission."""

    def offered(self, run: Path, declaration: Declaration, /) -> Offer:
        """Check a folder, and return what is offered of it.

        Raises: UsageError if it is not valid, or nothing could be recomputed; MalformedError if a
        document of it was damaged.
        """

    def recompute(
        self, run: Path, snapshot: Snapshot, source: Path | None, /
    ) -> tuple[list[str], list[str]]:
        """Return which published places a folder does not give again, and what else is wrong.

        With a `source`, the raw file is first made from it; only recorded verdicts have one.
        """

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

    def look(self, path: Path, checked: SubmissionCheck, base: Base, /) -> None:
        """Note what is wrong with a submission, by its own record and beside the registry."""

    def figures(self, checked: SubmissionCheck, /) -> Iterator[Figure]:
        """Yield what a report shows of a submission's figures."""

    def recorded(self, checked: SubmissionCheck, /) -> Iterator[str]:
        """Yield what a submission's record says, line by line."""

    def questions(self, checked: SubmissionCheck, /) -> Iterator[str]:
        """Yield what no check decides, and a person should."""


def adapter(kind: str) -> Adapter:
    """Return the module of a kind."""
    return cast("Adapter", import_module(f"epc.registry.kinds.{kind}"))
