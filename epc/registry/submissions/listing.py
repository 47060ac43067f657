"""What a record's checkers found, as a submission's report lists it: by file, a few of each."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from epc.analysis.audit import Audit
from epc.errors import Finding
from epc.records.layout import MANIFEST, RAW

_MOST_LISTED: Final = 5  # of one file: another run's raw file is wrong in every row
_SEEDS: Final = "/results/per_seed/"


def located(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield validation's findings with the file that each is in: of each part the first few.

    Digests come first: that a file is another one explains whatever else is wrong with it.
    """
    counts: Counter[str] = Counter()
    left: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=lambda each: not each.where.startswith("/raw/")):
        part = _part(finding.where)
        counts[part] += 1
        if part and counts[part] > _MOST_LISTED:
            left[part].append(finding)
        else:
            yield replace(finding, where=_place(finding.where))
    for part, more in left.items():
        grave = any(finding.severity == "error" for finding in more)
        yield Finding(
            clause=more[0].clause,
            where=part,
            problem=f"{len(more):,} more findings like these are not listed",
            remedy="mend what is listed first; `epc validate` on this folder lists more",
            severity="error" if grave else "warning",
        )


def reasons(audit: Audit, known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield why an audit says what it says, beyond what validation found already.

    As warnings: a record may be in order, and bear no claim.
    """
    for finding in audit.findings:
        if finding not in known:
            yield replace(finding, where=_place(finding.where), severity="warning")


def _place(where: str) -> str:
    """Return a place in a run as one in its folder."""
    top, _, rest = where.removeprefix("/").partition("/")
    return f"{RAW[top]}/{rest}".rstrip("/") if top in RAW else f"{MANIFEST}{where}"


def _part(where: str) -> str:
    """Return the raw file that a place is in, or the seeds' records; empty for any other."""
    top = where.removeprefix("/").partition("/")[0]
    if top in RAW:
        return RAW[top]
    return f"{MANIFEST}{_SEEDS[:-1]}" if where.startswith(_SEEDS) else ""
