"""Trust in judges by subject: sentences that follow from intervals, and from nothing else.

`yes` and `no` are said where the whole 95% interval lies on one side of a bound. Otherwise these
evaluations cannot say. That judges agree is not that they are right, so people's labels, where
there are some, take the place of other judges.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from epc.analysis.judging.competence import Competence
from epc.analysis.judging.evaluation import Evaluation
from epc.analysis.judging.results import (
    Agreement,
    DriftRow,
    Ends,
    Evidence,
    Group,
    JudgeAgainstPeople,
    LabelReport,
    ScoreAgreement,
    SelfPreference,
    Share,
    Statement,
    Trusted,
    is_none,
)
from epc.spec.judge_v1 import CROSS, DIMENSIONS, OVERALL, Kind
from epc.statistics.figures import in_percent, to_two_places

if TYPE_CHECKING:
    from epc.audit.competence import Word

# Below this, Krippendorff lets nobody draw even tentative conclusions (Content Analysis, 2004).
AGREEING: Final = 2 / 3
MOST: Final = 0.5
FEW_INVENTED: Final = 0.05
_INVENTED: Final[Kind] = "invented"
_SENTENCES: Final[dict[str, dict[Trusted, str]]] = {
    "valid evaluations": {
        "yes": "Most of its evaluations are valid",
        "no": "Most of its evaluations are invalid: its scores are no evidence about the outputs",
        "unknown": "These evaluations cannot say whether most of them are valid",
    },
    "spoilt outputs": {
        "yes": "It scores an output that was spoilt below the output",
        "no": "It does not tell outputs from spoilt ones",
        "unknown": "These pairs cannot say whether it tells outputs from spoilt ones",
    },
    "evidence": {
        "yes": "It quotes what is there: at most 5% of its quotes are invented",
        "no": "It invents more than 5% of its quotes",
        "unknown": "These quotes cannot say whether it invents more than 5% of them",
    },
    "its own outputs": {
        "yes": "It scores its own outputs within half a point of how it scores others'",
        "no": "It scores its own outputs otherwise than others'",
        "unknown": "These outputs cannot say whether it favours its own by half a point",
    },
    "people's verdict": {
        "yes": "It gives people's verdict at least as often as two people give one verdict",
        "no": "It gives people's verdict less often than two people give one verdict",
        "unknown": "These labels cannot say whether it gives people's verdict as people do",
    },
    "staying the same": {
        "yes": "Its scores of the same outputs stayed within half a point",
        "no": "Its scores of the same outputs drifted",
        "unknown": "These outputs cannot say whether its scores drifted by half a point",
    },
}


def statements(
    evaluation: Evaluation, groups: Iterable[Group], drifts: Sequence[DriftRow]
) -> Iterator[Statement]:
    """Yield for each judge what it can be trusted on; `groups` are the judges' figures."""
    evidence = {row.judge: row for row in evaluation.evidence}
    preferences = {row.judge: row for row in evaluation.self_preference}
    tested = {row.judge: row for row in evaluation.competence}
    for group in groups:
        judge = group.value or ""
        yield _valid(judge, group.invalid)
        if judge in tested:
            yield _competence(judge, tested[judge])
        if judge in evidence:
            yield _evidence(judge, evidence[judge])
        for name in (OVERALL, *DIMENSIONS):
            yield _agreement(judge, name, evaluation.agreement, evaluation.readable)
        if judge in preferences:
            yield _self_preference(judge, preferences[judge])
        for row in drifts:
            if (row.judge, row.method, row.is_drift) == (judge, CROSS, True):
                yield _drift(judge, row)


def beside_people(trust: Iterable[Statement], labels: LabelReport) -> Iterator[Statement]:
    """Yield what judges can be trusted on by people's labels, and else by what was there before.

    Where people gave scores these take the place of other judges' scores.
    """
    people = {row.judge: row for row in labels.judges}
    for judge, before in groupby(trust, key=lambda statement: statement.judge):
        if judge not in people:
            yield from before
            continue
        row = people[judge]
        yield _verdict_of_people(row, labels)
        for statement in before:
            by_people = row.compared is not None and statement.about in row.compared.kappa
            scores = row.compared if by_people else None
            yield _scores_of_people(statement, scores) if scores else statement


def as_people_do(row: JudgeAgainstPeople, labels: LabelReport) -> Trusted:
    """Return whether a judge gives people's verdict as often as two people give one verdict."""
    shares, ends = between_people(labels), row.same_verdict.ci95
    if not shares or ends is None:
        return "unknown"
    if ends[1] < min(shares):
        return "no"
    return "yes" if ends[0] >= max(shares) else "unknown"


def between_people(labels: LabelReport) -> list[float]:
    """Return how often two people give one verdict, a share for each two of them."""
    shares = [pair.same_verdict.value for pair in labels.between_people]
    return sorted(share for share in shares if share is not None)


def _verdict_of_people(row: JudgeAgainstPeople, labels: LabelReport) -> Statement:
    shares = [f"{share:.0%}" for share in between_people(labels)]
    people = f"two people {' to '.join(dict.fromkeys(shares[:1] + shares[-1:]))}"
    grounds = f"{in_percent(row.same_verdict)} of {row.labelled:,} labelled outputs"
    ceiling = people if shares else "no output was labelled by two people"
    trusted = as_people_do(row, labels)
    return _statement(row.judge, "people's verdict", trusted, f"{grounds}; {ceiling}")


def _scores_of_people(statement: Statement, scores: ScoreAgreement) -> Statement:
    """Return a statement on a score, held against people's."""
    name = statement.about
    trusted = _word([scores.kappa_ci95[name]])
    clauses = {
        "yes": f"It scores {name} as people do",
        "no": f"It does not score {name} as people do",
        "unknown": f"These labels cannot say whether it scores {name} as people do",
    }
    grounds = f"weighted kappa with people {scores.kappa_text(name)}, {scores.outputs:,} outputs"
    return Statement(
        judge=statement.judge,
        about=name,
        trusted=trusted,
        sentence=f"{clauses[trusted]} ({grounds}).",
    )


def _valid(judge: str, invalid: Share) -> Statement:
    trusted = _below(invalid.ci95, 1 - MOST)
    return _statement(judge, "valid evaluations", trusted, f"{in_percent(invalid)} are invalid")


def _evidence(judge: str, row: Evidence) -> Statement:
    invented = row.kinds[_INVENTED]
    grounds = f"{in_percent(invented)} of {row.quotes:,} are invented"
    return _statement(judge, "evidence", _below(invented.ci95, FEW_INVENTED), grounds)


def _competence(judge: str, row: Competence) -> Statement:
    answers: dict[Word, Trusted] = {"capable": "yes", "incapable": "no", "cannot_tell": "unknown"}
    grounds = f"{in_percent(row.overall)} of {row.overall.pairs:,} spoilt texts are scored lower"
    if row.constant is not None:
        grounds += ": it gives every text the same score"
    elif row.failing:
        grounds += f"; failed: {', '.join(row.failing)}"
    return _statement(judge, "spoilt outputs", answers[row.word], grounds)


def _self_preference(judge: str, row: SelfPreference) -> Statement:
    grounds = row.not_stated or f"{to_two_places(row)} points more, leniency left out"
    return _statement(judge, "its own outputs", is_none(row.ci95), grounds)


def _drift(judge: str, row: DriftRow) -> Statement:
    shift = row.compared.mean_difference
    grounds = f"{to_two_places(shift)} points on {row.compared.outputs:,} outputs"
    return _statement(judge, "staying the same", is_none(shift.ci95), grounds)


def _agreement(judge: str, name: str, valid: Agreement, readable: Agreement) -> Statement:
    """Return whether a judge's scores are another judge's too, whichever evaluations count.

    What falls out is often the bad outputs: valid and readable ones must both say it (R26).
    """
    both_valid = {pair.judges: pair.compared for pair in valid.pairs}
    answers: list[Trusted] = []
    grounds: list[str] = []
    for pair in readable.pairs:
        if judge in pair.judges:
            (other_judge,) = set(pair.judges) - {judge}
            sides = [pair.compared, *filter(None, [both_valid.get(pair.judges)])]
            answers.append(_word([side.kappa_ci95[name] for side in sides]))
            last = sides[-1]
            grounds.append(f"with {other_judge} {last.kappa_text(name)}")
    trusted: Trusted = "unknown"
    if "yes" in answers:
        trusted = "yes"
    elif answers and set(answers) == {"no"}:
        trusted = "no"
    sentences = {
        "yes": f"Another judge scores {name} alike",
        "no": f"No other judge scores {name} alike",
        "unknown": f"These outputs cannot say whether another judge scores {name} alike",
    }
    detail = (
        f"weighted kappa {', '.join(grounds)}" if grounds else "no other judge scored these outputs"
    )
    return Statement(
        judge=judge, about=name, trusted=trusted, sentence=f"{sentences[trusted]} ({detail})."
    )


def _word(intervals: Sequence[Ends | None]) -> Trusted:
    """Return whether all intervals lie above what agreement takes, or all below."""
    answers = {_below(ends, AGREEING) for ends in intervals}
    if answers == {"no"}:
        return "yes"
    return "no" if answers == {"yes"} else "unknown"


def _below(ends: Ends | None, bound: float) -> Trusted:
    if ends is None:
        return "unknown"
    return "yes" if ends[1] <= bound else "no" if ends[0] > bound else "unknown"


def _statement(judge: str, about: str, trusted: Trusted, grounds: str) -> Statement:
    sentence = f"{_SENTENCES[about][trusted]} ({grounds})."
    return Statement(judge=judge, about=about, trusted=trusted, sentence=sentence)
