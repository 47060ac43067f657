"""A judge's evaluations in the registry: what is offered of them, and what their replies give.

Every figure is one of `epc judge report`, under the names that snapshots have for figures.
"""

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Final, Literal

from epc.analysis.judging.evaluation import Competence, Evaluation
from epc.analysis.judging.results import Compared, Group, Labelled, Share
from epc.analysis.judging.summary import summary
from epc.digests import file_sha256
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.judging.asked import published
from epc.records.judging.layout import load_plan, load_run_log
from epc.records.judging.recheck import recheck
from epc.records.typed import as_json
from epc.registry.cards import Said, judged_card_of
from epc.registry.layout import FIGURES
from epc.registry.offers import Offer

_ENDS: Final[tuple[Literal["from", "to"], ...]] = ("from", "to")
_DAY: Final = len("2026-07-02")


def offered_evaluation(folder: Path, declaration: Said, *, platform: str | None) -> Offer:
    """Check a judge's evaluation, and return what is offered of it.

    Raises: UsageError if it is not whole, has not exactly one judge, or judged only itself;
    MalformedError if a document of it was damaged.
    """
    plan, log = load_plan(folder), load_run_log(folder)
    if len(plan.judges) > 1:
        raise UsageError(
            f"{folder} has {len(plan.judges)} judges, and a snapshot is of one\n"
            "  fix: plan one judge a folder with `epc judge plan --judge MODEL`"
        )
    if plan.competence is not None:
        raise UsageError(
            f"{folder} tests a judge, and says nothing of outputs by itself\n"
            "  fix: publish the set beside which it stands"
        )
    if log.origin != "run":
        raise UsageError(
            f"{folder} holds imported replies: nobody can say when and how they were asked for\n"
            "  fix: have the judge asked by `epc judge run`"
        )
    findings = recheck(folder).findings
    if findings:
        raise UsageError(
            f"{folder} is not whole: {len(findings)} findings\n"
            f"  fix: see `epc judge check {folder}`"
        )
    figures = figures_again(folder)
    if not figures["n"]:
        raise UsageError(
            f"{folder} has no cross-judged sample, so there is nothing to publish\n"
            "  fix: let the judge score outputs of others: `epc judge plan --methods both`"
        )
    judge = plan.judges[0].asked
    assert judge is not None
    days = tuple(date.fromisoformat((log.time[end] or "")[:_DAY]) for end in _ENDS)
    return Offer(
        run=folder,
        kind="judged",
        asked={"evaluator": judge},
        platform=platform,
        days=days,
        said=declaration,
        figures=figures,
        raw={name: file_sha256(folder / name) for name in published(folder, plan)},
        no_baseline=None,
        card=lambda tag, life: judged_card_of(
            tag, plan, judge, days=days, declaration=declaration, life=life
        ),
    )


def changed_figures(folder: Path, stated: Json) -> tuple[list[str], list[str]]:
    """Return which figures the replies of a folder do not give, and what else is wrong with it."""
    again = figures_again(folder)
    names = sorted(again.keys() | stated.keys())
    changed = [f"/{FIGURES}/figures/{n}" for n in names if again.get(n) != stated.get(n)]
    return changed, [str(finding) for finding in recheck(folder).findings]


def figures_again(folder: Path) -> Json:
    """Return the figures of an evaluation, from its records."""
    (one,) = summary([folder]).evaluations
    (evidence,) = one.evidence
    primary, own = one.primary, one.self_judging.all
    invented = _share(evidence.kinds["invented"])
    return {
        "n": primary.all.samples,
        **_shares(primary.all),
        "invented_quotes": {**invented, "quotes": evidence.quotes},
        **({} if one.rules == 1 else _since_the_second_rules(one)),
        **({"competence": _competence(*one.competence)} if one.competence else {}),
        **({"labels": _labels(one.labels)} if one.labels else {}),
        "variants": _groups(primary.prompt_variant),
        "targets": _groups(primary.target_model),
        "self_judging": {"n": own.samples, **_shares(own)} if own.samples else None,
        "totals": as_json(one.totals),
        "remarks": list(one.remarks),
    }


def _since_the_second_rules(one: Evaluation) -> Json:
    (evidence,) = one.evidence
    return {
        "rules": one.rules,
        "quotes": {kind: _share(share) for kind, share in evidence.kinds.items()},
        "bounds": as_json(one.primary.all.bounds),
    }


def _competence(competence: Competence) -> Json:
    """Return what tests say of the judge: the word, and the figures that it follows from."""
    overall = competence.overall
    return {
        "word": competence.word,
        "outputs": competence.outputs,
        "pairs": overall.pairs,
        "lost": overall.lost,
        "at_floor": overall.at_floor,
        "constant": competence.constant,
        "detected": _share(overall),
        "kinds": {row.kind: _share(row) for row in competence.kinds},
        "shifts": {
            row.by: {"mean": row.value, "ci95": as_json(row.ci95)} for row in competence.shifts
        },
    }


def _labels(labels: Labelled) -> Json:
    """Return how the judge stands against people, and its PASS share put right by them."""
    figures: Json = {
        "outputs": labels.outputs,
        "undecided": labels.undecided,
        "labellers": labels.labellers,
        "between_people": [
            _agreed(pair.compared) for pair in labels.between_people if pair.compared
        ],
    }
    for judge in labels.judges:  # none without a valid evaluation
        passes = judge.passes
        figures |= {
            "labelled": judge.labelled,
            "lost": judge.lost,
            "same_verdict": _share(judge.same_verdict),
            **(_agreed(judge.compared) if judge.compared else {}),
            "errors": {row.dimension: as_json(row.counts) for row in judge.errors},
            "pass": {
                "people": _share(labels.passes),
                "rogan_gladen": as_json(passes.rogan_gladen),
                "prediction_powered": as_json(passes.prediction_powered),
            },
        }
    return figures


def _agreed(comparison: Compared) -> Json:
    """Return how scores of the same outputs agree."""
    return {
        "outputs_scored": comparison.outputs,
        "kappa": {
            name: {"mean": mean, "ci95": as_json(comparison.kappa_ci95[name])}
            for name, mean in comparison.kappa.items()
        },
        "mean_absolute_error": as_json(comparison.mean_absolute_error),
    }


def _groups(rows: Iterable[Group]) -> list[Json]:
    """Return groups in a list: their names are other people's text, and no names of figures."""
    return [{"value": row.value, "n": row.samples, **_shares(row)} for row in rows]


def _shares(group: Group) -> Json:
    return {
        "valid": group.valid,
        "verdict": {name: _share(share) for name, share in group.verdicts.items()},
        "invalid": _share(group.invalid),
        "overall_score": as_json(group.overall_score),
        "dimensions": as_json(group.dimensions),
    }


def _share(share: Share) -> Json:
    return {"mean": share.value, "ci95": as_json(share.ci95), "hits": share.count}
