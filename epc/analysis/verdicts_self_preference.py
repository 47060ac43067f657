"""Self-preference: by how much more a judge favours its own outputs than other judges do.

Source: Reading R24.
"""

from collections.abc import Iterator, Sequence

from epc.analysis.verdicts_agreement import comparable, side_by_side
from epc.analysis.verdicts_contests import baseline_of
from epc.analysis.verdicts_rows import TIE, FileNames, JudgeRows, Rows
from epc.arrays import Array, Codes, np
from epc.records.verdicts.types import Choices, Setting
from epc.statistics.clusters import linearised_interval
from epc.statistics.figures import ClusteredFigure

# By how much more a judge favours an output than another judge, and the output's question.
Gaps = tuple["Array", "Codes"]


def authors_of(setting: Setting, choices: Choices) -> list[str]:
    """Return the authors that a judge is: those of its name, and whom the user names."""
    judge = setting.judge
    names = {judge.name, judge.model}
    return sorted(names | {choices.same[name] for name in names if name in choices.same})


def of_own(
    judge: JudgeRows, judges: Sequence[JudgeRows], named: FileNames, choices: Choices
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield by how much more than other judges a judge favours its own outputs than others'.

    Of verdicts in shares of wins, of scores in points. An output that another judge wrote is its
    own preference, and no yardstick.

    Source: Reading R24.
    """
    codes = _codes(judge[1], named, choices)
    if not codes:
        return
    for name, scores in (("self_preference", False), ("self_preference_score", True)):
        sides = [
            _sides(
                judge[2],
                other_judge[2],
                codes,
                _codes(other_judge[1], named, choices),
                scores=scores,
            )
            for other_judge in judges
            if comparable(judge[1], other_judge[1])
        ]
        compared = [(mine, theirs) for mine, theirs in sides if len(mine[0]) and len(theirs[0])]
        if compared:
            yield name, _difference(compared)


def _codes(setting: Setting, named: FileNames, choices: Choices) -> list[int]:
    authors = authors_of(setting, choices)
    return [code for code, author in enumerate(named.authors) if author in authors]


def _sides(
    rows: Rows,
    other_rows: Rows,
    own_codes: Sequence[int],
    others_own: Sequence[int],
    *,
    scores: bool,
) -> tuple[Gaps, Gaps]:
    """Return the gaps of one other judge: of the judge's own outputs, and of those of others.

    Of two candidates the output in question is the judge's own or, of others, the one that is not
    the baseline. Without a baseline what one of two gains the other loses, so others' gap is 0.
    """
    common, values, other_said = side_by_side(rows, other_rows, scores=scores)
    gap = values - other_said
    mine_a, mine_b = np.isin(common.a_by, own_codes), np.isin(common.b_by, own_codes)
    of_other = np.isin(common.a_by, others_own) | np.isin(common.b_by, others_own)
    if scores:
        attributed = (common.a_by >= 0) & ~of_other
        mine, theirs, worth = mine_a & attributed, ~mine_a & attributed, gap[:, 0]
    else:
        attributed = (common.a_by >= 0) & (common.b_by >= 0) & ~of_other
        mine, theirs = (mine_a != mine_b) & attributed, ~mine_a & ~mine_b & attributed
        baseline = baseline_of(rows[(rows.a_by >= 0) & (rows.b_by >= 0)])
        is_b = np.where(mine, mine_b, common.a_by == baseline)
        won = gap[:, 0] + gap[:, TIE] / 2
        worth = np.where(theirs & (baseline is None), 0.0, np.where(is_b, -won, won))
    return (worth[mine], common.question[mine]), (worth[theirs], common.question[theirs])


def _difference(compared: Sequence[tuple[Gaps, Gaps]]) -> ClusteredFigure:
    """Return the mean over other judges of both means' difference, clustered by question."""
    value, off, clusters = 0.0, [], []
    for sides in compared:
        for sign, (gaps, questions) in zip((1, -1), sides, strict=True):
            middle = float(gaps.mean())
            value += sign * middle / len(compared)
            off.append(sign * (gaps - middle) / len(gaps) / len(compared))
            clusters.append(questions)
    questions = np.concatenate(clusters)
    return ClusteredFigure(
        value=value,
        ci95=linearised_interval(value, np.concatenate(off), questions),
        n=sum(len(mine[0]) for mine, _ in compared),
        items=len(np.unique(questions)),
    )
