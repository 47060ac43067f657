"""Judges side by side: of one evaluation set, or of verdicts that others recorded."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from epc.analysis.judging.drift import (
    DetectionSummary,
    EvaluationRecord,
    PeopleAgreement,
    PublishedChecks,
    judge_comparison,
)
from epc.analysis.judging.results import Share
from epc.analysis.judging.shares import judgments_of
from epc.analysis.verdicts import agreement_in_source
from epc.protocol.results import Json
from epc.records.judging.documents import PLAN, RUN_LOG
from epc.records.typed import parse
from epc.records.verdicts.columns import joined
from epc.records.verdicts.types import Choices, Setting
from epc.records.verdicts.verdict_file import read
from epc.site.pages import SnapshotPage, SourceComparison
from epc.statistics.figures import Mean


def with_judges(pages: Sequence[SnapshotPage]) -> Iterator[SnapshotPage]:
    """Yield the pages; a judged snapshot's has the other judges of the same evaluation set.

    Of a judge with several snapshots, the newest that was not withdrawn stands beside others.
    """
    by_set: dict[str, dict[str, EvaluationRecord]] = {}
    tests = {page.row.tag: _tested(page.row.snapshot.figures) for page in pages if page.judging}
    for page in pages:
        if (samples := _set_of(page)) is not None:
            by_set.setdefault(samples, {})[page.row.tag] = _evaluated(page)
    withdrawn = {p.row.tag for p in pages if p.withdrawn}
    for page in pages:
        set_judges = by_set.get(_set_of(page) or "", {})
        evaluated = set_judges.get(page.row.tag)
        if evaluated is None:
            yield page
            continue
        newest = {
            _judge(evaluation): evaluation
            for tag, evaluation in set_judges.items()
            if tag not in withdrawn
        }
        other_judges = [
            evaluation for judge, evaluation in newest.items() if judge != _judge(evaluated)
        ]
        yield (
            replace(page, judges=judge_comparison([evaluated, *other_judges], tests))
            if other_judges
            else page
        )


def _set_of(page: SnapshotPage) -> str | None:
    """Return the digest of the set that was judged; None if its files cannot be read here."""
    has_files = any(name.endswith("records.jsonl") for name in page.raw)
    return page.judging.plan.samples.sha256 if page.judging and has_files else None


def _judge(evaluation: EvaluationRecord) -> str:
    return evaluation.plan.judges[0].model


def _evaluated(page: SnapshotPage) -> EvaluationRecord:
    """Return what a snapshot's judge said, from its published files."""
    assert page.judging is not None
    with tempfile.TemporaryDirectory(prefix="epc-") as name:
        folder = Path(name)
        stored = {PLAN: page.folder / PLAN, RUN_LOG: page.folder / RUN_LOG, **page.raw}
        for path, content in stored.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).symlink_to(content.resolve())
        judgments = judgments_of(folder)
    return EvaluationRecord(
        name=page.row.tag, plan=page.judging.plan, log=page.judging.log, judgments=judgments
    )


def _tested(figures: Json) -> PublishedChecks:
    """Return what a snapshot's figures say of its judge's tests, and of people."""
    competence, labels = figures.get("competence"), figures.get("labels", {})
    return PublishedChecks(
        competence=competence
        and DetectionSummary(word=competence["word"], detected=_share(competence["detected"])),
        labels=PeopleAgreement(
            outputs=labels["labelled"],
            same_verdict=_share(labels["same_verdict"]),
            kappa=parse(labels["kappa"]["overall_score"], Mean) if "kappa" in labels else None,
        )
        if labels.get("labelled")
        else None,
    )


def _share(document: Json) -> Share:
    return Share(count=document["hits"], value=document["mean"], ci95=document["ci95"])


def with_recorded(pages: Sequence[SnapshotPage]) -> Iterator[SnapshotPage]:
    """Yield the pages; an observed snapshot's has the other judges of the same source and commit.

    They are those whose verdicts are kept here, and that were not withdrawn.
    """
    verdict_pages = [page for page in pages if _verdicts_of(page) and not page.withdrawn]
    by_tag: dict[str, SourceComparison] = {}
    for origin in dict.fromkeys(page.card.origin for page in verdict_pages):
        several = [page for page in verdict_pages if page.card.origin == origin]
        if len(several) > 1:
            by_tag |= dict(_side_by_side(several))
    for page in pages:
        yield replace(page, recorded=by_tag.get(page.row.tag))


def _verdicts_of(page: SnapshotPage) -> Path | None:
    return next((path for name, path in page.raw.items() if name.startswith("verdicts.")), None)


def _side_by_side(pages: Sequence[SnapshotPage]) -> Iterator[tuple[str, SourceComparison]]:
    """Yield what the verdicts of all say of each; of a setting published twice the latest count."""
    settings, parts = dict[str, Setting](), []
    judge_authors, owner = dict[str, str](), dict[str, str]()
    for page in reversed(pages):
        path = _verdicts_of(page)
        header, verdicts, _ = read(path) if path else (None, None, None)
        if header is None or verdicts is None or header.settings.keys() & settings.keys():
            continue
        parts.append(verdicts)
        settings |= header.settings
        owner |= dict.fromkeys(header.settings, page.row.tag)
        judge_authors |= parse(page.row.snapshot.figures["choices"], Choices).same
    pairs, agreement = (
        agreement_in_source(settings, joined(parts), Choices(same=judge_authors))
        if parts
        else ([], {})
    )
    for page in pages:
        mine = {name for name, tag in owner.items() if tag == page.row.tag}
        recorded = SourceComparison(
            pairs=[pair for pair in pairs if len(mine & {*pair.settings}) == 1],
            own={name: figures for name, figures in agreement.items() if name in mine},
            tags=owner,
        )
        if recorded.pairs or recorded.own:
            tags = {name: owner[name] for pair in recorded.pairs for name in pair.settings}
            yield page.row.tag, replace(recorded, tags=tags)
