"""A judge's evaluations in the registry: what is offered of them, and what their replies give.

Every figure is one of `epc judge report`, under the names that snapshots have for figures.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from epc.analysis.judging.competence import Competence
from epc.analysis.judging.evaluation import Evaluation
from epc.analysis.judging.results import Group, LabelReport, ScoreAgreement, Share
from epc.analysis.judging.summary import summary
from epc.protocol.results import Json
from epc.records.typed import as_json

_BY_LABELS: Final = ("tpr", "tnr", "balanced_accuracy", "corrected_pass_share")


def figures_again(folder: Path) -> Json:
    """Return the figures of an evaluation, from its records."""
    (evaluation,) = summary([folder]).evaluations
    (evidence,) = evaluation.evidence
    primary, self_judging = evaluation.primary, evaluation.self_judging.all
    invented = _share(evidence.kinds["invented"])
    return {
        "n": primary.all.samples,
        **_shares(primary.all),
        "invented_quotes": {**invented, "quotes": evidence.quotes},
        **({} if evaluation.rules == 1 else _since_the_second_rules(evaluation)),
        **({"competence": _competence(*evaluation.competence)} if evaluation.competence else {}),
        **({"labels": _labels(evaluation.labels)} if evaluation.labels else {}),
        "variants": _groups(primary.prompt_variant),
        "targets": _groups(primary.target_model),
        "self_judging": {"n": self_judging.samples, **_shares(self_judging)}
        if self_judging.samples
        else None,
        "totals": as_json(evaluation.totals),
        "remarks": list(evaluation.remarks),
    }


def _since_the_second_rules(evaluation: Evaluation) -> Json:
    (evidence,) = evaluation.evidence
    return {
        "rules": evaluation.rules,
        "quotes": {kind: _share(share) for kind, share in evidence.kinds.items()},
        "bounds": as_json(evaluation.primary.all.bounds),
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


def _labels(labels: LabelReport) -> Json:
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
                **{
                    name: {"mean": figure.value, "ci95": as_json(figure.ci95)}
                    for name, figure in passes.figures.items()
                    if name in _BY_LABELS
                },
            },
        }
    return figures


def _agreed(comparison: ScoreAgreement) -> Json:
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
