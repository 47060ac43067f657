"""A submission of verdicts that others recorded: their lines, checked as their file is.

Nobody asked anybody, so no address and no answers are held against others. What counts is that the
figures follow from the lines, that the lines are those of a stated source, and that nobody adds to
what that source states (Reading R77).
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from epc.errors import Finding, UsageError
from epc.printable import shown
from epc.records import strict_json
from epc.records.observed.types import Header
from epc.registry import layout as registry_layout
from epc.registry.layout import OBSERVED
from epc.registry.observed import (
    NO_CHOICES,
    document_of,
    is_free,
    offered_verdicts,
    verdicts_in,
)
from epc.registry.offers import Offer, contradictions
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.statement import Statement, noted
from epc.registry.tags import Tag

_AGAIN: Final = "make the folder again with `epc submission new FILE --judge NAME`"
_RECIPE: Final = (
    "a maintainer can publish figures and recipe alone: open an issue that names source and shape"
)


def look(
    path: Path, statement: Statement, registry: Registry, today: date
) -> tuple[Offer | None, list[Finding]]:
    """Return what is offered of a folder of verdicts, if anything can be, and what is wrong.

    Raises: WorldError if the disk fails.
    """
    try:
        if wrong := list(_bounds(path)):
            return None, wrong
        offer = offered_verdicts(path, statement.said(), NO_CHOICES)
    except UsageError as error:
        problem = str(error).removeprefix(f"{path} ").replace("\n", "; ")
        return None, [noted("Reading R77", OBSERVED, problem, _AGAIN)]
    # What is said of an option is said of the statement's key.
    findings = [
        replace(found, where=f"{layout.STATEMENT}/{found.where.removeprefix('--')}")
        for found in contradictions(registry, offer, today)
    ]
    return offer, [*findings, *_stated(path, offer, statement, registry)]


def require_free(header: Header) -> None:
    """Refuse verdicts that may not stand in a pull request.

    Raises: UsageError.
    """
    if not is_free(header):
        why = f"the licence {header.source.licence} keeps these verdicts with their source"
        raise UsageError(f"{why}\n  fix: {_RECIPE}")


def repeated(
    path: Path, statement: Statement, checkout: Path, registry: Registry, itself: Tag | None
) -> Iterator[Finding]:
    """Yield that these verdicts are published, or offered, already."""
    home, offered = checkout / registry_layout.FOLDER, checkout / layout.FOLDER
    others = {t: home / t for t, s in registry.snapshots.items() if s.kind == "observed"}
    others.pop(str(itself), None)
    for folder in sorted(offered.iterdir()) if offered.is_dir() else ():
        if folder.name != path.name and (folder / OBSERVED).is_file():
            others[f"submission {folder.name}"] = folder
    for name, folder in others.items():
        value, wrong = strict_json.read(folder / OBSERVED)
        if not wrong and isinstance(value, dict) and value.get("sha256") == statement.identity:
            problem = f"are the same verdicts as {shown(name)}"
            yield noted(layout.NEW, OBSERVED, problem, "withdraw this one")


def _bounds(path: Path) -> Iterator[Finding]:
    """Yield why measuring the verdicts of a folder would take unbounded work."""
    document, verdicts = verdicts_in(path)
    authors = {*verdicts.a_by.names, *verdicts.b_by.names}
    for what, count, most in (
        ("settings", len(document.header.settings), layout.MOST_SETTINGS),
        ("authors", len(authors), layout.MOST_AUTHORS),
    ):
        if count > most:
            problem = f"has {count:,} {what}, expected at most {most:,}"
            yield noted(layout.SIZE, OBSERVED, problem, "offer a part of them")


def _stated(
    path: Path, offer: Offer, statement: Statement, registry: Registry
) -> Iterator[Finding]:
    """Yield what the statement says that the verdicts' source does not."""
    assert offer.stated
    document = document_of(path)
    try:
        require_free(document.header)
    except UsageError as error:
        problem, _, remedy = str(error).partition("\n  fix: ")
        yield noted(layout.PLAIN, layout.VERDICTS, problem, remedy)
    for key, right in (
        ("platform", offer.stated.platform),
        ("endpoint", "recorded"),
        ("identity", document.sha256),
        *((key, None) for key in ("weights", "source", "replicates")),
    ):
        if (value := getattr(statement, key)) != right:
            problem = f"says {value}, and of these verdicts it is {right or 'null'}"
            yield noted(layout.WHO, f"{layout.STATEMENT}/{key}", problem, _AGAIN)
    if registry.life(statement.generation, statement.platform) is None:
        problem = f"nothing is known of {statement.generation}, or not on {statement.platform}"
        remedy = (
            f"add it to {registry_layout.FOLDER}/{registry_layout.EVALUATORS} first, in a pull "
            "request of its own, with the dates that its platform states"
        )
        yield noted(layout.KNOWN, f"{layout.STATEMENT}/generation", problem, remedy)
