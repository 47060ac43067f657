"""Collecting findings: all of them counted, a bounded number of them kept."""

from collections.abc import Iterable
from typing import Final

from epc.errors import Finding, Severity

MAX_KEPT: Final = 1000


class Findings:
    """A checker's list.

    Past `MAX_KEPT` only the count grows, so that a file of nothing but mistakes is still checked
    in bounded memory.
    """

    def __init__(self) -> None:
        self._kept: list[Finding] = []
        self._dropped = 0

    def add(
        self, clause: str, where: str, problem: str, remedy: str, severity: Severity = "error"
    ) -> None:
        """Note one finding."""
        self.extend(
            [Finding(clause=clause, where=where, problem=problem, remedy=remedy, severity=severity)]
        )

    def extend(self, findings: Iterable[Finding]) -> None:
        """Note several findings."""
        for finding in findings:
            if len(self._kept) < MAX_KEPT:
                self._kept.append(finding)
            else:
                self._dropped += 1

    def __len__(self) -> int:
        return len(self._kept) + self._dropped

    def kept(self) -> list[Finding]:
        """Return what was kept, and a last line that counts the rest."""
        if not self._dropped:
            return list(self._kept)
        more = Finding(
            clause="EPC-2.8",
            where="",
            problem=f"{self._dropped:,} more findings are not listed",
            remedy="mend these first, then validate again",
        )
        return [*self._kept, more]
