"""The lives of evaluators, sealed as snapshots are: by digests, under an event.

`snapshots/evaluators/SHA256SUMS` lists the digest of each record, and an event `lives_sealed` the
digest of that list. Unlike a snapshot a record may change: the next seal follows, and the history
keeps the earlier ones. Where nobody has sealed, all works.
"""

from datetime import date
from pathlib import Path
from typing import Final

from epc.digests import file_sha256, parse_sums, sums_text
from epc.errors import UsageError
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse
from epc.registry import layout
from epc.registry.checking import check as check_records
from epc.registry.locking import RegistryLock
from epc.registry.reading import is_seal
from epc.registry.snapshots import LivesSealed
from epc.registry.writing import append

_CLAUSE: Final = "EPC-4"
_PLACE: Final = f"{layout.FOLDER}/{layout.EVALUATORS}"
_REMEDY: Final = "restore it with `git checkout`; if it is right, run `epc admin evaluators seal`"


def seal(lock: RegistryLock, day: date) -> str:
    """Seal the records as they are now, unless they are sealed so, and say what was done.

    Raises: UsageError if they do not hold together; WorldError if the disk fails.
    """
    if findings := check_records(lock.checkout):
        raise UsageError(f"{findings[0]}\n  fix: `epc admin evaluators check` lists all of it")
    folder = lock.home / layout.EVALUATORS
    digests = {path.name: file_sha256(path) for path in _records(folder)}
    strict_json.write_bytes(folder / layout.SUMS, [sums_text(digests).encode()])
    now = file_sha256(folder / layout.SUMS)
    if latest(lock.checkout) == now:
        return f"all {len(digests)} records are sealed already"
    append(lock, LivesSealed(date=day, event="lives_sealed", sha256=now))
    return f"sealed {len(digests)} records"


def _records(folder: Path) -> list[Path]:
    """Return the records of lives, and the catalogue."""
    return [*folder.glob("*.json"), *folder.glob(layout.CATALOGUE)]


def latest(checkout: Path) -> str | None:
    """Return the digest that the newest seal states; None where nobody has sealed."""
    path = checkout / layout.FOLDER / layout.EVENTS
    rows = strict_json.read_lines(path, layout.EVENTS) if path.exists() else ()
    seals = [row for _, row, _ in rows if is_seal(row) and not schema_findings("event", row)]
    return parse(seals[-1], LivesSealed).sha256 if seals else None


def check(checkout: Path, sealed: str | None, findings: Findings) -> None:
    """Note each record that is not as it was sealed, by the digest of the newest seal."""
    if sealed is None:
        return
    folder = checkout / layout.FOLDER / layout.EVALUATORS
    sums = folder / layout.SUMS
    if not sums.is_file() or (now := file_sha256(sums)) != sealed:
        problem = f"SHA-256 is {now}, sealed with {sealed}" if sums.is_file() else "is missing"
        findings.add(_CLAUSE, f"{_PLACE}/{layout.SUMS}", problem, _REMEDY)
    listed = (parse_sums(sums.read_text("utf-8", "replace")) if sums.is_file() else None) or {}
    present = {path.name: path for path in _records(folder)}
    for name in sorted(listed.keys() | present):
        if name not in present:
            findings.add(_CLAUSE, f"{_PLACE}/{name}", "was sealed and is gone", _REMEDY)
        elif name not in listed:
            findings.add(_CLAUSE, f"{_PLACE}/{name}", "is not sealed", _REMEDY)
        elif (digest := file_sha256(present[name])) != listed[name]:
            problem = f"SHA-256 is {digest}, sealed with {listed[name]}"
            findings.add(_CLAUSE, f"{_PLACE}/{name}", problem, _REMEDY)
