"""Observed: verdicts that others recorded, one judge of one source (Reading R77).

Nobody asked anybody, so no address and no answers are held against others. What counts is that the
figures follow from the lines, that the lines are those of a stated source, and that nobody adds to
what that source states.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np

from epc.analysis.verdicts_rows import by_question
from epc.digests import file_sha256
from epc.errors import Finding, UsageError
from epc.protocol.results import Json
from epc.records.earlier import keep_published, published_clusters, published_intervals
from epc.records.manifest import Estimate
from epc.records.strict_json import disagreements, dumps_line
from epc.records.typed import as_json, parse
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.shapes import faults_of
from epc.records.verdicts.types import UNKNOWN, Choices, Header, ImportOptions, JudgePart
from epc.records.verdicts.verdict_file import judge_of
from epc.registry.cards import Declaration, digest, recorded_model
from epc.registry.expiry import day_of
from epc.registry.figures import headline_of_groups
from epc.registry.intervals import moved
from epc.registry.kinds.adapter import card_differences, changed_figures, departure, read_document
from epc.registry.layout import CARD, FIGURES, INTERVALS, OBSERVED, VERDICTS
from epc.registry.offers import Offer, Subject, contradictions
from epc.registry.record import Fault, Origin, Recipe, Record
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.submissions import against, layout
from epc.registry.submissions.checked import (
    ANSWERS,
    Base,
    Figure,
    SubmissionCheck,
    plain,
    second_computation,
)
from epc.registry.submissions.statement import Statement, noted
from epc.registry.submissions.texts import problems
from epc.registry.tags import Tag
from epc.registry.verdicts import (
    document_of,
    figures_by,
    figures_of_verdicts,
    file_in,
    is_free,
    others_in,
    rebuild,
    verdicts_in,
)
from epc.statistics.observed import TODAY

FILES: Final = layout.plain_files((layout.STATEMENT, OBSERVED, VERDICTS))
_MOST_SETTINGS: Final = 20  # in a report; the snapshot has them all
_AGAIN: Final = "make the folder again with `epc submission new FILE --judge NAME`"
_RECIPE: Final = (
    "a maintainer can publish figures and recipe alone: open an issue that names source and shape"
)
_ADDRESS: Final = re.compile(rf"{UNKNOWN}|https://[A-Za-z0-9._~/-]+")
_COMMIT: Final = re.compile(rf"{UNKNOWN}|[0-9a-f]{{7,64}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _FigureBasis:
    """By what published figures were measured: the user's choices, and the other judges."""

    choices: Choices
    beside: tuple[str, ...] = ()
    groups: tuple[Json, ...] = ()


def offered(folder: Path, declaration: Declaration) -> Offer:
    """Check a folder of one judge's verdicts, and return what is offered of it.

    Known faults are those of the shape that it was made from, then what the contributor adds.

    Raises: UsageError if it is not whole, or nobody could make its verdicts again.
    """
    document, verdicts = verdicts_in(folder)
    source = document.header.source
    keeps_verdicts = is_free(document.header)
    if not keeps_verdicts and document.header.made is None:
        raise UsageError(
            f"{source.name}: the licence is {source.licence}, so the verdicts stay with their "
            "source, and the file does not say how it was made from it\n"
            "  fix: make it with `epc observe import`"
        )
    require_plain(document.header, verdicts)
    judge, import_options = judge_of(document.header), document.header.made
    shape_faults = faults_of(import_options.shape, [judge.model]) if import_options else []
    faults = (
        *(Fault(id=shape_fault.id, says=shape_fault.says) for shape_fault in shape_faults),
        *declaration.faults,
    )
    declaration = replace(declaration, faults=tuple({fault.id: fault for fault in faults}.values()))
    days = _days(document.header, verdicts)
    raw = file_in(folder)
    return Offer(
        run=folder,
        kind="observed",
        models={},
        days=days,
        declaration=declaration,
        figures=figures_of_verdicts(
            document.header, verdicts, declaration.choices, other_judges=others_in(folder)
        ),
        raw={raw.name: file_sha256(raw)} if keeps_verdicts else {},
        no_baseline=None,
        card=lambda tag, _: observed_card_of(
            tag, document, days=days, declaration=declaration, keeps_verdicts=keeps_verdicts
        ),
        source_judge=judge,
    )


def observed_card_of(
    tag: Tag,
    document: JudgePart,
    *,
    days: tuple[date, ...],
    declaration: Declaration,
    keeps_verdicts: bool,
) -> Record:
    """Return the card of recorded verdicts: what their source states, and who published them."""
    header, judge = document.header, judge_of(document.header)
    source, import_options = header.source, header.made
    conditions = observed_conditions_of(header)
    card = declaration.card(tag, "observed", "Observed-v1.0", recorded_model(judge), conditions)
    return replace(
        card,
        measured={"from": days[0], "to": days[-1]} if days else None,
        known_faults=declaration.faults,
        trust="observed",
        origin=Origin(name=source.name, repository=source.repository, commit=source.commit),
        recipe=_recipe(import_options, document) if import_options else None,
        kept=keeps_verdicts,
        licence=source.licence,
    )


def _recipe(import_options: ImportOptions, document: JudgePart) -> Recipe:
    return Recipe(
        shape=import_options.shape,
        columns=import_options.columns,
        labels=import_options.labels,
        constants=import_options.constants,
        judge=document.judge,
        sha256=document.sha256,
    )


def observed_conditions_of(header: Header) -> Json:
    """Return what must agree, beside the judge, for two judges' verdicts to be like for like."""
    settings = [
        [setting.prompt.sha256, as_json(setting.decoding)] for setting in header.settings.values()
    ]
    return {
        "source": f"{header.source.repository} {header.source.commit}",
        "settings": digest(sorted(settings, key=dumps_line)),
    }


def require_plain(header: Header, verdicts: Verdicts) -> None:
    """Refuse names that are more than text, and a source that cannot be named in a command.

    Authors and subsets of verdicts stand in published figures, as the names of the header do.

    Raises: UsageError.
    """
    source = header.source
    if not _ADDRESS.fullmatch(source.repository) or not _COMMIT.fullmatch(source.commit):
        raise UsageError(
            f"the source is {source.repository!r} at {source.commit!r}, expected an https address "
            "and a commit, or unknown\n  fix: import it again with --repository and --commit"
        )
    columns = (verdicts.subset, verdicts.a_by, verdicts.b_by)
    names = (str(name) for column in columns for name in column.names)
    for text in (*_texts(as_json(header)), *names):
        for problem in problems(text, "prompt"):
            raise UsageError(f"a name {problem}: {text[:80]!a}\n  fix: write it plain")


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a document, its keys included."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def recompute(folder: Path, snapshot: Snapshot, source: Path | None) -> tuple[list[str], list[str]]:
    """Return which published figures and days the verdicts of a folder do not give.

    Raises: UsageError if the verdicts are not those that its document names.
    """
    if source:
        rebuild(folder, source)
    document, verdicts = verdicts_in(folder)
    published, card = snapshot.published_figures, snapshot.card
    recomputation, today = _again(folder, document, verdicts, published)
    changed = changed_figures(snapshot, recomputation)
    if snapshot.figures is not published:
        places = disagreements(snapshot.figures, today)
        changed += [f"/{INTERVALS}/{snapshot.tag}{place}" for place in places]
    days = tuple(filter(None, (card.first_day, card.last_day)))
    undue = [f"/{CARD}/measured"] if days != _days(document.header, verdicts) else []
    return [*undue, *changed], []


def intervals_of(folder: Path, snapshot: Snapshot) -> Json:
    """Return today's intervals of a folder's verdicts that were published with others.

    Raises: UsageError if the verdicts are not those that its document names.
    """
    published = snapshot.published_figures
    if published_intervals(published) is TODAY:
        return {}
    _, today = _again(folder, *verdicts_in(folder), published)
    return dict(moved(published, today))


def _again(
    folder: Path, document: JudgePart, verdicts: Verdicts, published: Json
) -> tuple[Json, Json]:
    """Return what verdicts give of the published figures: with their intervals, and with today's.

    Both are one document where the published intervals are today's.
    """
    chosen = parse(published, _FigureBasis)
    earlier = published_intervals(published)
    computed = figures_by(
        [earlier] if earlier is TODAY else [earlier, TODAY],
        document.header,
        verdicts,
        chosen.choices,
        others_in(folder) if chosen.beside else None,
        clusters=published_clusters(published) or by_question,
        labels=any("label_figures" in group for group in chosen.groups),
    )
    for figures in computed:
        keep_published(figures, published)
    return computed[0], computed[-1]


def _days(header: Header, verdicts: Verdicts) -> tuple[date, ...]:
    """Return the first and the last day on which verdicts were given, if all are dated."""
    undated = np.unique(verdicts.setting.codes[verdicts.date.codes < 0])
    settings = [header.settings[verdicts.setting.names[code]] for code in undated]
    texts = {*verdicts.date.names, *(setting.date for setting in settings)}
    days = [day for text in texts if (day := day_of(text))]
    # Reading R77: what the source does not state as a day stays unknown.
    return (min(days), max(days)) if len(days) == len(texts) else ()


def departures(
    folder: Path, card: Record, figures: Json, _: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield where an observed snapshot says what its own document, of the source, does not."""
    observed_json, wrong = read_document(folder / OBSERVED, "observed")
    yield from wrong
    if wrong:
        return
    document = parse(observed_json, JudgePart)
    days = tuple(filter(None, (card.first_day, card.last_day)))
    right = observed_card_of(
        Tag.parse(card.tag),
        document,
        days=days,
        declaration=Declaration.from_card(card),
        keeps_verdicts=bool(card.kept),
    )
    yield from card_differences(card, right, OBSERVED)
    if figures["n"] != document.verdicts:
        yield departure(f"/{FIGURES}/figures/n", f"is not what {OBSERVED} says")


def subject_of(run: Path) -> Subject:
    """Return who is offered by a folder of verdicts.

    Raises: UsageError if its licence keeps them with their source, or it is damaged.
    """
    document = document_of(run)
    require_free(document.header)
    return Subject(models={}, identity=document.sha256, source_judge=judge_of(document.header))


def files_of(_: Path) -> list[str]:
    """Return the files of a folder of verdicts that a submission has."""
    return [OBSERVED, VERDICTS]


def look(path: Path, checked: SubmissionCheck, base: Base) -> None:
    """Note what recorded verdicts are not, by themselves and beside what is published."""
    if (statement := checked.statement) is None:
        return
    offer, wrong = _offer_of(path, statement, base.registry, base.today)
    checked.take(offer, wrong, first="every figure follows from the verdicts")
    if offer is None:
        return
    second_computation(path, checked, "1e-12", offer.figures)
    checked.identity = identity_of(path)


def _offer_of(
    path: Path, statement: Statement, registry: Registry, today: date
) -> tuple[Offer | None, list[Finding]]:
    """Return what is offered of a folder of verdicts, if anything can be, and what is wrong.

    Raises: WorldError if the disk fails.
    """
    try:
        if wrong := list(_bounds(path)):
            return None, wrong
        offer = offered(path, statement.declaration())
    except UsageError as error:
        problem = str(error).removeprefix(f"{path} ").replace("\n", "; ")
        return None, [noted("Reading R77", OBSERVED, problem, _AGAIN)]
    # What is said of an option is said of the statement's key.
    findings = [
        replace(finding, where=f"{layout.STATEMENT}/{finding.where.removeprefix('--')}")
        for finding in contradictions(registry, offer, today)
    ]
    return offer, [*findings, *_statement_mismatches(path, offer, statement, registry)]


def identity_of(folder: Path) -> str | None:
    """Return what tells these verdicts from others, if their document can be read."""
    observed_json, wrong = read_document(folder / OBSERVED, "observed")
    return None if wrong else str(observed_json["sha256"])


def require_free(header: Header) -> None:
    """Refuse verdicts that may not stand in a pull request.

    Raises: UsageError.
    """
    if not is_free(header):
        why = f"the licence {header.source.licence} keeps these verdicts with their source"
        raise UsageError(f"{why}\n  fix: {_RECIPE}")


def _bounds(path: Path) -> Iterator[Finding]:
    """Yield why measuring the verdicts of a folder would take unbounded work."""
    document, verdicts = verdicts_in(path)
    authors = {*verdicts.a_by.names, *verdicts.b_by.names}
    for label, count, limit in (
        ("settings", len(document.header.settings), layout.MOST_SETTINGS),
        ("authors", len(authors), layout.MOST_AUTHORS),
    ):
        if count > limit:
            problem = f"has {count:,} {label}, expected at most {limit:,}"
            yield noted(layout.SIZE, OBSERVED, problem, "offer a part of them")


def _statement_mismatches(
    path: Path, offer: Offer, statement: Statement, registry: Registry
) -> Iterator[Finding]:
    """Yield what the statement says that the verdicts' source does not."""
    assert offer.source_judge
    document = document_of(path)
    try:
        require_free(document.header)
    except UsageError as error:
        problem, _, remedy = str(error).partition("\n  fix: ")
        yield noted(layout.PLAIN, VERDICTS, problem, remedy)
    for key, right in (
        ("platform", offer.source_judge.platform),
        ("endpoint", "recorded"),
        *((key, None) for key in ("weights", "source", "replicates")),
    ):
        if (value := getattr(statement, key)) != right:
            problem = f"says {value}, and of these verdicts it is {right or 'null'}"
            yield noted(layout.WHO, f"{layout.STATEMENT}/{key}", problem, _AGAIN)
    if registry.life(statement.generation, statement.platform) is None:
        yield against.unknown(statement)


def figures(checked: SubmissionCheck) -> Iterator[Figure]:
    """Yield the headline of each setting."""
    groups = checked.offer.figures["groups"] if checked.offer else []
    for group in groups[:_MOST_SETTINGS]:
        if headline := headline_of_groups({"groups": [group]}):
            yield plain(headline.name, Estimate(mean=headline.mean, ci95=headline.interval))


def recorded(checked: SubmissionCheck) -> Iterator[str]:
    """Yield who was asked, and where that is recorded, as the source states it."""
    if (offer := checked.offer) is None or (judge := offer.source_judge) is None:
        return
    yield f"judge: {judge.model} on platform {judge.platform}, {judge.name} in the source"
    source = offer.figures["source"]
    yield f"source: {source['name']}, {source['repository']} at {source['commit']}"
    days = " to ".join(map(str, offer.days)) or "on a day that the source does not state"
    yield f"recorded: {days}; {checked.n} verdicts; licence {source['licence']}"


def questions(checked: SubmissionCheck) -> Iterator[str]:
    """Yield what a person should ask of recorded verdicts."""
    if checked.offer is None:
        yield ANSWERS
        return
    yield "does `epc observe import` of the source, at its commit, give the same lines?"
    yield "does the source's licence cover its verdicts, and not its program alone?"
