"""Do the records of evaluators' lives hold together? (`epc admin evaluators check`)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from epc.errors import Finding
from epc.printable import shortened
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.schemas import findings as schema_findings
from epc.registry import layout
from epc.registry.expiry import impossible
from epc.registry.lifecycles import Generation, catalogue_lines, catalogue_text, catalogued
from epc.registry.places import places, places_text
from epc.registry.reading import policy

_CLAUSE: Final = "EPC-5.3(1)"


def check(checkout: Path, brought: Mapping[str, Json] | None = None) -> list[Finding]:
    """Return what is wrong with the records of evaluators, and with the expiry policy.

    `brought` are further records by the names of their files, as if they stood there too.

    Raises: MalformedError if there is no usable policy; WorldError if the disk fails.
    """
    findings = Findings()
    policy(checkout)
    names: Counter[str] = Counter()
    served: Counter[str] = Counter()
    pointing: list[tuple[str, Json]] = []
    called: dict[tuple[str, str], str] = {}
    for stem, record, problems in _records(checkout, brought or {}):
        where = f"{layout.FOLDER}/{layout.EVALUATORS}/{stem}.json"
        wrong = problems or schema_findings("evaluator_generation", record, clause=_CLAUSE)
        wrong = wrong or [_no_such_day(pointer, day) for pointer, day in impossible(record)]
        findings.extend(replace(f, clause=_CLAUSE, where=f"{where}{f.where}") for f in wrong)
        if not wrong:
            _meaning(where, record, stem, findings)
            names[record["generation"].casefold()] += 1
            served.update(f"{p['platform']}/{p['model']}" for p in record["platforms"])
            called |= {
                (life.platform, name.casefold()): stem
                for life in Generation.parse(record).lives
                for name in (life.model, *life.aliases)
            }
            pointing += [(f"{where}/platforms/{i}", p) for i, p in enumerate(record["platforms"])]
    for name in (name for name, times in (names + served).items() if times > 1):
        problem, remedy = f"{name} has {(names + served)[name]} records", "keep one of them"
        findings.add(_CLAUSE, f"{layout.FOLDER}/{layout.EVALUATORS}", problem, remedy)
    _aliases([(where, life) for where, life in pointing if "points_to" in life], served, findings)
    listed = checkout / layout.FOLDER / layout.EVALUATORS / layout.CATALOGUE
    if listed.is_file():
        _catalogue(listed.read_text("utf-8", "replace"), called, findings)
    stating = checkout / layout.FOLDER / layout.EVALUATORS / layout.PLACES
    if stating.is_file():
        _places(stating.read_text("utf-8", "replace"), set(served), findings)
    return findings.as_list()


def _records(
    checkout: Path, brought: Mapping[str, Json]
) -> Iterator[tuple[str, Json, list[Finding]]]:
    """Yield each record with its file's name, and what keeps it from being read."""
    for path in sorted((checkout / layout.FOLDER / layout.EVALUATORS).glob("*.json")):
        if path.stem not in brought:
            yield (path.stem, *strict_json.read(path))
    for stem, record in brought.items():
        yield stem, record, []


def _places(text: str, served: set[str], findings: Findings) -> None:
    """Note lines that are no places, out of order, or of a model without a record."""
    where = f"{layout.FOLDER}/{layout.EVALUATORS}/{layout.PLACES}"
    try:
        rows = places(text)
    except (TypeError, ValueError) as error:
        findings.add(_CLAUSE, where, f"a line is no place: {error}", "correct it")
        return
    if places_text(rows) != text:
        remedy = "write it with `epc admin evaluators sync --refresh`"
        findings.add(_CLAUSE, where, "the lines are not in order, or one stands twice", remedy)
    lost = sorted({f"{row.platform}/{row.model}" for row in rows} - served)
    if lost:
        findings.add(_CLAUSE, where, f"no record has {shortened(lost, 3)}", "take the lines out")


def _catalogue(text: str, called: dict[tuple[str, str], str], findings: Findings) -> None:
    """Note lines of the catalogue that are none, out of order, or give a name to a second model."""
    where = f"{layout.FOLDER}/{layout.EVALUATORS}/{layout.CATALOGUE}"
    try:
        rows = catalogue_lines(text)
        list(catalogued(rows))
    except ValueError as error:
        findings.add(_CLAUSE, where, f"cannot be read: {error}", "see the first line's columns")
        return
    if catalogue_text(rows) != text:
        problem, remedy = "the lines are not in order", "sort them by generation and platform"
        findings.add(_CLAUSE, where, problem, remedy)
    for row in rows:
        for name in row.names.split():
            generation = called.setdefault((row.platform, name.casefold()), row.generation)
            if generation != row.generation:
                problem = f"{row.platform}/{name} is {row.generation}, and {generation} too"
                findings.add(_CLAUSE, where, problem, "a name means one model on a platform")


def _aliases(pointing: list[tuple[str, Json]], served: Counter[str], findings: Findings) -> None:
    """Note where an alias's targets are out of order, or the present one cannot be followed."""
    aliases = {f"{life['platform']}/{life['model']}" for _, life in pointing}
    for where, life in pointing:
        days = [pointer["since"] for pointer in life["points_to"]]
        path = f"{where}/points_to"
        if None in days[1:]:
            problem = "only of the first target may the day be unknown"
            findings.add(
                _CLAUSE, path, problem, "leave the later target out until a source dates it"
            )
        elif any(first and first >= second for first, second in pairwise(days)):
            findings.add(_CLAUSE, path, f"the days are {days}", "list the oldest target first")
        present = f"{life['platform']}/{life['points_to'][-1]['to']}"
        if present not in served:
            problem = f"there is no record of {present}"
            findings.add(_CLAUSE, path, problem, "add one: an alias ends when its target does")
        elif present in aliases:
            problem = f"{present} is an alias itself"
            findings.add(_CLAUSE, path, problem, "name what that one points to")


def _no_such_day(pointer: str, day: str) -> Finding:
    problem, remedy = f"there is no day {day}", "see what its source says"
    return Finding(clause=_CLAUSE, where=pointer, problem=problem, remedy=remedy)


def _meaning(where: str, record: Json, stem: str, findings: Findings) -> None:
    """Note what a schema cannot see: a misnamed file, an end before the beginning."""
    if record["generation"] != stem:
        problem = f"says {record['generation']}, the file is called {stem}"
        findings.add(_CLAUSE, f"{where}/generation", problem, "rename the file")
    for index, life in enumerate(record["platforms"]):
        stages = ("released", "deprecated", "retires")
        days = [(stage, life[stage]["date"]) for stage in stages if life[stage]]
        for (previous_stage, first), (next_stage, second) in pairwise(days):
            if first > second:
                problem = f"{next_stage} on {second}, {previous_stage} on {first} only"
                pointer = f"{where}/platforms/{index}/{next_stage}"
                findings.add(_CLAUSE, pointer, problem, "see what its source says")
