"""Failures, in two kinds.

A *finding* is a value: one way a document departs from its protocol. Checkers list all of them.
An *exception* tells a caller that it broke a contract, or that the world did. Each carries the
exit code that the command line ends with (see the contract in `site/docs/cli.md`).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Literal

Severity = Literal["error", "warning"]


class ExitCode(IntEnum):
    """The meaning of every exit code of `epc`."""

    CLEAN = 0
    FINDINGS = 1
    MISUSE = 2
    WORLD = 3
    RESUMABLE = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """Departure of a document from its protocol.

    `where` is a JSON Pointer into the document, `clause` the sentence it departs from.
    """

    clause: str
    where: str
    problem: str
    remedy: str
    severity: Severity = "error"

    def __str__(self) -> str:
        place = self.where or "(the whole document)"
        mark = "" if self.severity == "error" else f"{self.severity}: "
        # A number of our readings means nothing to a user; JSON has it.
        clause = "" if self.clause.startswith("Reading") else f" [{self.clause}]"
        return f"{place}: {mark}{self.problem}{clause}\n  fix: {self.remedy}"

    def as_json(self) -> dict[str, str]:
        """Return the finding as a plain JSON object."""
        return {name: getattr(self, name) for name in self.__slots__}  # asdict copies deeply


class EpcError(Exception):
    """The root of everything this package raises on purpose."""

    exit_code: ClassVar[ExitCode] = ExitCode.MISUSE


class ShapeError(EpcError):
    """Two vectors that must be of one length are not, or one is empty."""


class SimplexError(EpcError):
    """A weight vector is negative somewhere, not finite, or does not sum to 1."""


class MalformedError(EpcError):
    """A document cannot be used; `finding` says where and why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


def refuse(findings: Sequence[Finding]) -> None:
    """Make sure that there is nothing wrong.

    Raises: MalformedError of the first finding.
    """
    if findings:
        raise MalformedError(findings[0])


def is_clean(findings: Iterable[Finding]) -> bool:
    """Return whether no finding is worse than a warning."""
    return all(finding.severity != "error" for finding in findings)


class UsageError(EpcError):
    """The caller asked for something that does not fit together; the message says what does."""


class WorldError(EpcError):
    """The network, a provider or the disk failed; nothing about the request is wrong."""

    exit_code = ExitCode.WORLD


class StoppedError(EpcError):
    """A run ended with work left. Everything answered so far is on disk."""

    exit_code = ExitCode.RESUMABLE


@contextmanager
def able_to(do: str, place: object, *, fix: str = "") -> Iterator[None]:
    """Raise a WorldError, "cannot DO PLACE: reason", where the system refuses what the block does.

    `fix` is what the reader can do then.

    Raises: WorldError.
    """
    try:
        yield
    except OSError as error:
        remedy = fix and f"\n  fix: {fix}"
        raise WorldError(f"cannot {do} {place}: {error.strerror or error}{remedy}") from error


def unknown(
    name: str, known_names: Iterable[str], *, list_intro: str, noun: str = ""
) -> UsageError:
    """Return the error that there is no such name: the nearest known ones, then all of them."""
    from difflib import get_close_matches  # no run needs it that goes well

    names = list(known_names)
    close = get_close_matches(name, names, n=2)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    return UsageError(f"there is no {noun}{name}: {meant}{list_intro} {', '.join(names)}")
