"""A scan in words: for a terminal, as GitHub's annotations and summary, and as SARIF 2.1.0.

Names of files are other people's: none can forge a line, an annotation or a mark in a table.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from epc.printable import annotation, code, shown, spelt
from epc.protocol.results import Json
from epc.registry.scan.scan import Named, Scan

_LONGEST: Final = 2_000  # characters of a line
_MOST_ROWS: Final = 200  # of the summary's table, whose size a forge limits
_MOST_PLACES: Final = 5
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def text(scan: Scan) -> Iterator[str]:
    """Yield the lines for a terminal: each failing place, then why; then the other names."""
    for each in scan.failing:
        for place in each.places:
            yield shown(f"{place}: {_answers(each)}", _LONGEST)
        for line in _reasons(each):
            yield shown(f"  {line}", _LONGEST)
    for each in scan.named:
        if not each.broken:
            yield shown(f"also {_answers(each)}; {each.places[0]}{_rest(each, 1)}", _LONGEST)
    yield total(scan)


def total(scan: Scan) -> str:
    """Return how much was read, and what came of it."""
    rules = ", ".join(map(str, scan.rules))
    files, names = _many(scan.files, "file"), _many(len(scan.named), "name")
    return f"{names} in {files} on {scan.as_of}, failing ({rules}): {len(scan.failing)}"


def annotations(scan: Scan) -> Iterator[str]:
    """Yield GitHub's commands: an error for each failing place, a warning where an end is near."""
    for each, level in _told(scan):
        for place in each.places:
            at = {"file": place.path, "line": place.line, "col": place.column}
            yield annotation(level, sentence(each), **at, title=each.name)


def summary(scan: Scan) -> str:
    """Return the Markdown of a summary, in which every word that is not ours is a code span."""
    lines = ["### Models that this project names", "", f"{total(scan)}.", ""]
    if scan.named:
        lines += ["| name | answer | replacement | ends the published | where |", "|---" * 5 + "|"]
    for each in scan.named[:_MOST_ROWS]:
        mark = "**fails** " if each.broken else ""
        instead, ends = (", ".join(map(code, w)) for w in (each.replacements, each.invalidates))
        places = ", ".join(code(str(place)) for place in each.places[:_MOST_PLACES])
        rest = _rest(each, _MOST_PLACES)
        answer = code("; ".join(_words(each)))
        lines.append(
            f"| {mark}{code(each.name)} | {answer} | {instead} | {ends} | {places}{rest} |"
        )
    if len(scan.named) > _MOST_ROWS:
        lines += ["", f"And {len(scan.named) - _MOST_ROWS} more names."]
    return "\n".join(lines) + "\n\n"


def sarif(scan: Scan) -> Json:
    """Return SARIF 2.1.0, for code scanning: what fails as errors, near ends as warnings."""
    results = [
        {
            "ruleId": _rule(each),
            "level": level,
            "message": {"text": sentence(each)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(place.path, errors="surrogateescape")},
                        "region": {"startLine": place.line, "startColumn": place.column},
                    }
                }
            ],
        }
        for each, level in _told(scan)
        for place in each.places
    ]
    rules = [{"id": rule} for rule in sorted({_rule(each) for each, _ in _told(scan)})]
    tool = {"driver": {"name": "epc scan", "rules": rules}}
    run = {"tool": tool, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _told(scan: Scan) -> Iterator[tuple[Named, str]]:
    for each in scan.named:
        if each.broken:
            yield each, "error"
        elif any(state.status == "expiring" for state in each.states):
            yield each, "warning"


def _rule(each: Named) -> str:
    return each.broken[0] if each.broken else "expiring"


def _words(each: Named) -> list[str]:
    """Return each answer, with its platform."""
    many = [f"{s.words} ({s.platform})" if s.platform else s.words for s in each.states]
    return list(dict.fromkeys(many))


def _answers(each: Named) -> str:
    return ", ".join(f"{state.subject} {state.words}" for state in each.states)


def _reasons(each: Named) -> Iterator[str]:
    for state in each.states:
        yield state.grounds
    if each.replacements and not all(
        any(f" {new} instead" in state.note for state in each.states) for new in each.replacements
    ):
        yield f"Replacement: {', '.join(each.replacements)}"
    if each.invalidates:
        yield f"Its end also ends the published {', '.join(each.invalidates)}"


def sentence(each: Named) -> str:
    """Return all that is said of a name, on one line."""
    return spelt(f"{'. '.join([_answers(each), *_reasons(each)])}.")


def _rest(each: Named, most: int) -> str:
    left = len(each.places) - most
    return f" and {_many(left, 'more place')}" if left > 0 else ""


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
