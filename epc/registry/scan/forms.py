"""A scan in words: for a terminal, as GitHub's annotations and summary, and as SARIF 2.1.0.

Names of files are other people's: none can forge a line, an annotation or a mark in a table.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from epc.printable import annotation, code, spelt, whole_line
from epc.protocol.results import Json
from epc.registry.scan.scan import Scan, ScanEntry

_LONGEST: Final = 2_000  # characters of a line
_MOST_ROWS: Final = 200  # of the summary's table, whose size a forge limits
_MOST_PLACES: Final = 5
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def text(scan: Scan) -> Iterator[str]:
    """Yield the lines for a terminal: each failing place, then why; then the other names."""
    for entry in scan.failing:
        for place in entry.places:
            yield whole_line(f"{place}: {_answers(entry)}", _LONGEST)
        for line in _reasons(entry):
            yield whole_line(f"  {line}", _LONGEST)
    for entry in scan.named:
        if not entry.broken:
            yield whole_line(
                f"also {_answers(entry)}; {entry.places[0]}{_omitted_places(entry, 1)}", _LONGEST
            )
    yield total(scan)


def total(scan: Scan) -> str:
    """Return how much was read, and what came of it."""
    rules = ", ".join(map(str, scan.rules))
    files, names = _plural(scan.files, "file"), _plural(len(scan.named), "name")
    return f"{names} in {files} on {scan.as_of}, failing ({rules}): {len(scan.failing)}"


def annotations(scan: Scan) -> Iterator[str]:
    """Yield GitHub's commands: an error for each failing place, a warning where an end is near."""
    for entry, level in _with_levels(scan):
        for place in entry.places:
            location = {"file": place.path, "line": place.line, "col": place.column}
            yield annotation(level, sentence(entry), **location, title=entry.name)


def summary(scan: Scan) -> str:
    """Return the Markdown of a summary, in which every word that is not ours is a code span."""
    lines = ["### Models that this project names", "", f"{total(scan)}.", ""]
    if scan.named:
        lines += ["| name | answer | replacement | ends the published | where |", "|---" * 5 + "|"]
    for entry in scan.named[:_MOST_ROWS]:
        mark = "**fails** " if entry.broken else ""
        instead, ends = (", ".join(map(code, w)) for w in (_named(entry), entry.invalidates))
        places = ", ".join(code(str(place)) for place in entry.places[:_MOST_PLACES])
        omitted = _omitted_places(entry, _MOST_PLACES)
        answer = code("; ".join(_status_texts(entry)))
        lines.append(
            f"| {mark}{code(entry.name)} | {answer} | {instead} | {ends} | {places}{omitted} |"
        )
    if len(scan.named) > _MOST_ROWS:
        lines += ["", f"And {len(scan.named) - _MOST_ROWS} more names."]
    return "\n".join(lines) + "\n\n"


def _named(entry: ScanEntry) -> tuple[str, ...]:
    """Return the judge to turn to, or else what platforms name, which is no name of one."""
    return (entry.instead.name,) if entry.instead else entry.replacements


def sarif(scan: Scan) -> Json:
    """Return SARIF 2.1.0, for code scanning: what fails as errors, near ends as warnings."""
    results = [
        {
            "ruleId": _rule(entry),
            "level": level,
            "message": {"text": sentence(entry)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(place.path, errors="surrogateescape")},
                        "region": {"startLine": place.line, "startColumn": place.column},
                    }
                }
            ],
        }
        for entry, level in _with_levels(scan)
        for place in entry.places
    ]
    rules = [{"id": rule} for rule in sorted({_rule(entry) for entry, _ in _with_levels(scan)})]
    tool = {"driver": {"name": "epc scan", "rules": rules}}
    run = {"tool": tool, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _with_levels(scan: Scan) -> Iterator[tuple[ScanEntry, str]]:
    for entry in scan.named:
        if entry.broken:
            yield entry, "error"
        elif any(state.status == "expiring" for state in entry.states):
            yield entry, "warning"


def _rule(entry: ScanEntry) -> str:
    return entry.broken[0] if entry.broken else "expiring"


def _status_texts(entry: ScanEntry) -> list[str]:
    """Return each answer, with its platform."""
    texts = [
        f"{s.status_text} ({s.platform})" if s.platform else s.status_text for s in entry.states
    ]
    return list(dict.fromkeys(texts))


def _answers(entry: ScanEntry) -> str:
    return ", ".join(f"{state.subject} {state.status_text}" for state in entry.states)


def _reasons(entry: ScanEntry) -> Iterator[str]:
    for state in entry.states:
        yield state.grounds
    if entry.instead:
        yield f"Instead: {entry.instead.text}"
    if entry.invalidates:
        yield f"Its end also ends the published {', '.join(entry.invalidates)}"


def sentence(entry: ScanEntry) -> str:
    """Return all that is said of a name, on one line."""
    return spelt(f"{'. '.join([_answers(entry), *_reasons(entry)])}.")


def _omitted_places(entry: ScanEntry, limit: int) -> str:
    left = len(entry.places) - limit
    return f" and {_plural(left, 'more place')}" if left > 0 else ""


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
