"""Collecting findings: all of them counted, a bounded number of them kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epc.errors import Finding, Severity, is_clean

MAX_KEPT: Final = 1000
SHOWN: Final = 5  # of the further places of one cause


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

    def as_list(self) -> list[Finding]:
        """Return what was kept, and a last line that counts the rest."""
        if not self._dropped:
            return list(self._kept)
        overflow = Finding(
            clause="EPC-2.8",
            where="",
            problem=f"{self._dropped:,} more findings are not listed",
            remedy="mend these first, then validate again",
        )
        return [*self._kept, overflow]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Findings of a check of one document, or of one folder."""

    path: str
    findings: Sequence[Finding]

    @property
    def ok(self) -> bool:
        """Return whether nothing worse than a warning was found."""
        return is_clean(self.findings)

    def lines(self) -> list[str]:
        """Return each finding in words."""
        return [str(finding) for finding in self.findings]

    def as_json(self) -> dict[str, Any]:
        """Return the report as the contract prints it."""
        listed = [finding.as_json() for finding in self.findings]
        return {"path": self.path, "ok": self.ok, "findings": listed}


class Causes:
    """Faults of a file's lines: one finding for each cause, at its first line."""

    def __init__(self, file: object, clause: str) -> None:
        self._file, self._clause = file, clause
        self._lines: dict[tuple[str, str, str], list[int]] = {}

    def add(self, line: int, column: str, problem: str, remedy: str) -> None:
        """Note that a cause shows on a line; line 0 is the file as a whole."""
        self._lines.setdefault((column, problem, remedy), []).append(line)

    def __len__(self) -> int:
        return len(self._lines)

    def findings(self) -> list[Finding]:
        """Return the findings in the order in which their causes first showed."""
        findings = Findings()
        for (column, problem, remedy), (first, *further) in self._lines.items():
            where = f"{self._file}:{first}" if first else str(self._file)
            where += f"/{column}" if column else ""
            findings.add(self._clause, where, problem + also("line", further, len(further)), remedy)
        return findings.as_list()


def also(place: str, first: Sequence[object], count: int) -> str:
    """Return at how many further places a cause shows, and the first of these, if there are any."""
    if not count:
        return ""
    examples = ", ".join(map(str, first[:SHOWN]))
    ellipsis = ", ..." if count > SHOWN else ""
    return f"; so in {count:,} more {place}{'s' if count > 1 else ''}: {examples}{ellipsis}"
