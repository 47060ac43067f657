"""What an audit of verdicts says first, in sentences (Reading R101)."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import floor
from typing import Final

from epc.analysis.verdicts import Group, Report
from epc.analysis.verdicts_choices import ChoiceLabels
from epc.analysis.verdicts_judges import JudgeComparison
from epc.analysis.verdicts_labels import PassLabels
from epc.analysis.verdicts_scores import ScoreLabels
from epc.printable import begun
from epc.records.verdicts.types import UNKNOWN
from epc.statistics.figures import TOO_FEW, ClusteredFigure, interval_text, number_text

_UNNAMED: Final = "the judge"
_COIN: Final = 0.5
_FEW_JUDGES: Final = 3  # of which every pair is printed
_PICKS: Final = "picks the right one"
_RARE: Final = 0.01
_MOST: Final = 0.99
ONE_SCALE: Final = (
    "No one scale holds the scores of both sides, so there is their order alone: "
    "`--scale judge=1-10 --scale humans=1-5` says which scales they are."
)
UNEVEN: Final = (
    "The labels were not drawn alike from what the judge passed and failed: shares are weighted to "
    "all rows, kappa and base rate are left out."
)


def judge_name(group: Group) -> str:
    """Return what a judge is called in a sentence."""
    return _UNNAMED if group.settings[0] == UNKNOWN else group.settings[0]


def percent(share: float) -> str:
    """Return a share in percent; what is not 0 or all is not rounded to it."""
    if 0 < share < _RARE:
        return "<1%"
    return ">99%" if _MOST < share < 1 else f"{floor(100 * share + 0.5)}%"


def _ends(figure: ClusteredFigure, form: str = ".0%") -> str:
    return interval_text(figure.ci95, form, TOO_FEW)


def _value(figure: ClusteredFigure, form: str = ".2f") -> str:
    return f"{number_text(figure.value, form)} {_ends(figure, form)}"


def of_group(group: Group) -> list[str]:
    """Return the sentences of one judge beside labels; none where nobody labelled its answers."""
    sentences: list[str] = []
    match group.labels:
        case PassLabels() as labels:
            sentences += of_passes(judge_name(group), group.figures, labels)
        case ScoreLabels() as labels:
            sentences += _of_scores(group, labels)
        case ChoiceLabels() as labels:
            sentences += _of_choices(group, labels)
    if "humans_others_difference" in group.figures:
        scores = isinstance(group.labels, ScoreLabels)
        place = _in_a_place(group, scores=scores)
        sentences = [*sentences, place] if sentences else [place]
    # A name stands as it is spelt.
    return [begun(line) if line.startswith(_UNNAMED) else line for line in sentences]


def of_passes(
    judge: str, figures: Mapping[str, ClusteredFigure], labels: PassLabels
) -> Iterator[str]:
    """Yield what labels say of a judge that passes or fails single answers."""
    passed, failed = (
        ("are labelled pass", "are labelled fail")
        if labels.of_gold
        else ("people passed", "people failed")
    )
    clauses = []
    if rate := figures.get("tpr"):
        share = f"{percent(rate.value)} of the {_counted(rate.n)} that {passed}"
        clauses.append(f"passes {share} {_ends(rate)}")
    if rate := figures.get("tnr"):
        answers = f"{rate.n:,}" if clauses else _counted(rate.n)
        share = f"{percent(rate.value)} of the {answers} that {failed}"
        clauses.append(f"fails {share} {_ends(rate)}")
    none_failed, none_passed = (
        ("none is labelled fail", "none is labelled pass")
        if labels.of_gold
        else ("people failed none", "people passed none")
    )
    line = f"{judge} {' and '.join(clauses)}"
    if "tnr" not in figures:
        line += f"; {none_failed}: what it catches is not known"
    if "tpr" not in figures:
        line += f"; {none_passed}: what it lets through is not known"
    yield f"{line}."
    if balanced := figures.get("balanced_accuracy"):
        yield _apart(balanced)
    source = "the labels" if labels.of_gold else "people"
    if labels.always and (agreement := figures.get("agreement")):
        always = f"always saying {labels.always.answer} would in {percent(labels.always.share)}"
        kappa = f" Kappa {_value(figures['kappa'])}." if "kappa" in figures else ""
        yield f"It agrees with {source} in {percent(agreement.value)}; {always}.{kappa}"
    yield from _unreadable(figures, f"agrees with {source}")
    if shift := figures.get("pass_shift"):
        share = percent(figures["people_pass_share"].value)
        people = f"{share} are labelled pass" if labels.of_gold else f"people pass {share}"
        start = f"It passes {percent(figures['pass_share'].value)} where {people}"
        yield f"{start}: {_shifted(shift)}."
    if corrected := figures.get("corrected_pass_share"):
        share = f"{percent(corrected.value)} {_ends(corrected)}"
        of_all = percent(figures["pass_share_all_rows"].value)
        n = figures["agreement"].n
        would = (
            f"{percent(corrected.value)} would be labelled pass {_ends(corrected)}"
            if labels.of_gold
            else f"people would pass {share}"
        )
        yield f"Of all rows {judge} passes {of_all}; by the {n:,} labels {would}."
    if labels.weighted_to_all_rows:
        yield UNEVEN


def unreadable_of(group: Group) -> list[str]:
    """Return the sentence on a judge's verdicts that cannot be read, if there are some."""
    match group.labels:
        case PassLabels() as labels:
            does = f"agrees with {'the labels' if labels.of_gold else 'people'}"
            return [*_unreadable(group.figures, does)]
        case ChoiceLabels():
            return [*_unreadable(group.figures, _PICKS)]
    return []


def _unreadable(figures: Mapping[str, ClusteredFigure], does: str) -> Iterator[str]:
    """Yield how many verdicts on labelled answers cannot be read, and what a share is with them."""
    figure = figures.get("agreement") or figures.get("accuracy")
    if figure is None or figure.bounds is None:
        return
    low, high = figure.bounds
    count = round(figure.n * (high - low) / (1 - high + low))
    verdicts = "verdict cannot be read and is" if count == 1 else "verdicts cannot be read and are"
    yield (
        f"{count:,} {verdicts} left out: counted as wrong it {does} in {percent(low)}, counted as "
        f"right in {percent(high)}."
    )


def _counted(n: int) -> str:
    return f"{n:,} answer{'s' * (n != 1)}"


def _apart(balanced: ClusteredFigure) -> str:
    ends = balanced.ci95 or (0.0, 1.0)
    figure = f"balanced accuracy {_value(balanced)}, a coin has 0.50."
    if ends[0] > _COIN:
        return f"It tells the two apart: {figure}"
    if ends[1] < _COIN:
        return f"It answers the wrong way round: {figure} Are its labels reversed?"
    return f"Nothing shows that it tells the two apart: {figure}"


def _shifted(shift: ClusteredFigure) -> str:
    """Return how many points too many or too few are passed, as far as that is shown."""
    ends = interval_text(shift.ci95, "+.1p", TOO_FEW)
    if shift.ci95 is None or shift.ci95[0] <= 0 <= shift.ci95[1]:
        return f"no difference is shown {ends}"
    word = "many" if shift.value > 0 else "few"
    return f"{number_text(abs(shift.value), '.1p')} points too {word} {ends}"


def _of_scores(group: Group, labels: ScoreLabels) -> Iterator[str]:
    figures, judge = group.figures, judge_name(group)
    correlation = figures.get("rank_correlation")
    if correlation is None:
        if labels.one_score is not None:
            yield f"{judge} gives every answer {labels.one_score:g}: it orders nothing."
        else:
            yield f"People give every answer one score: nothing shows how {judge} orders them."
    else:
        yield _ordered(judge, correlation)
    if labels.scale is None or labels.always is None:
        yield ONE_SCALE
        return
    low, high, step = labels.scale
    always = f"always scoring {labels.always.score:g} would in {percent(labels.always.share)}"
    shuffled = percent(figures["shuffled"].value)
    yield (
        f"They lie within one step ({step:g}) of people's in "
        f"{percent(figures['within_step'].value)}; {always}, "
        f"its own scores dealt out at random in {shuffled}."
    )
    line = f"On the scale from {low:g} to {high:g} {_shift_text(figures['shift'])}"
    if spread := figures.get("spread_ratio"):
        line += f", and its scores spread {spread.value:.2f} times as wide {_ends(spread, '.2f')}"
    if kappa := figures.get("weighted_kappa"):
        line += f"; weighted kappa {_value(kappa)}"
    yield f"{line}."
    if labels.left_out:
        lie = "score lies" if labels.left_out == 1 else "scores lie"
        yield (
            f"{labels.left_out:,} {lie} outside the scale from {low:g} to {high:g}: "
            "left out as unreadable."
        )


def _ordered(judge: str, correlation: ClusteredFigure) -> str:
    ends = correlation.ci95 or (-1.0, 1.0)
    figure = f"rank correlation {_value(correlation)} over {correlation.n:,} answers."
    if ends[0] > 0:
        return f"{judge}'s scores follow people's order: {figure}"
    if ends[1] < 0:
        return f"{judge}'s scores run against people's: {figure}"
    return f"Nothing shows that {judge}'s scores follow people's: {figure}"


def _shift_text(shift: ClusteredFigure) -> str:
    """Return how many points more than people a judge gives, as far as that is shown."""
    if shift.ci95 is None or shift.ci95[0] <= 0 <= shift.ci95[1]:
        return f"no shift is shown ({_value(shift)})"
    word = "more" if shift.value > 0 else "less"
    return f"it gives {abs(shift.value):.2f} {word} than people {_ends(shift, '.2f')}"


def _of_choices(group: Group, labels: ChoiceLabels) -> Iterator[str]:
    accuracy = group.figures["accuracy"]
    share = f"{percent(accuracy.value)} of {accuracy.n:,} {_ends(accuracy)}"
    recalls = {name: label for name, label in labels.by_label.items() if label.recall}
    weakest = min(recalls, key=lambda name: recalls[name].recall.value)  # type: ignore[union-attr]
    recall = recalls[weakest].recall
    assert recall is not None
    yield (
        f"{judge_name(group)} picks the right one of {labels.labels} labels in {share}; "
        f"always {labels.always.label} would in {percent(labels.always.share)}. "
        f"It is weakest at {weakest}: {percent(recall.value)} of {recall.n:,}."
    )
    yield from _unreadable(group.figures, _PICKS)
    for alone in labels.alone.values():
        if alone.threshold is None or alone.kept is None or alone.held_out is None:
            yield (
                f"No confidence is shown to keep errors at {alone.wanted:.0%}: its surest rows are "
                "too few or too often wrong."
            )
        else:
            kept_share = f"{percent(alone.kept.value)} of rows alone {_ends(alone.kept)}"
            yield (
                f"From a confidence of {alone.threshold:g} on it decides {kept_share} with at most "
                f"{alone.wanted:.0%} wrong (95% sure); of rows that did not choose the confidence "
                f"{alone.held_out.wrong:,} of {alone.held_out.n:,} were wrong."
            )


def _in_a_place(group: Group, *, scores: bool) -> str:
    """Return how a judge does in one person's place, beside that person (AUDIT of several)."""
    judge, person, apart = (
        group.figures[f"humans_others{part}"] for part in ("", "_ceiling", "_difference")
    )
    # Rows of one question are one item.
    noun = "rows" if group.verdicts == group.items else "questions"
    basis = f"in the same {apart.n:,} comparisons on {apart.items:,} {noun}."
    start = f"In one person's place {judge_name(group)}"
    if scores:
        return (
            f"{start} lies {judge.value:.2f} from the mean of the others, that person "
            f"{person.value:.2f}: {_value(apart, '+.2f')}, {basis}"
        )
    return (
        f"{start} says what the others say in {percent(judge.value)}, that person in "
        f"{percent(person.value)}: {_points(apart)}, {basis}"
    )


def _points(figure: ClusteredFigure) -> str:
    ends = interval_text(figure.ci95, "+.1p", TOO_FEW)
    return f"{number_text(figure.value, '+.1p')} points {ends}"


def of_judges(report: Report) -> list[str]:
    """Return the sentences of several judges on the same rows."""
    if not isinstance(report.judges, JudgeComparison):
        return []
    judges = report.judges
    sentences = [*_panel(judges)]
    for left, right in shown_pairs(judges):
        sentences += _swapped(judges, left, right)
    for left, right in combinations(judges.judges, 2):
        sentences += _turned(judges, left, right)
    if not judges.prompts_known:
        sentences.append("Their prompts are not stated.")
    return sentences


def shown_pairs(judges: JudgeComparison) -> list[tuple[str, str]]:
    """Return the pairs of judges that are printed: all of few, else those with the first."""
    names = judges.judges
    pairs = [*combinations(names, 2)]
    if len(names) > _FEW_JUDGES:
        pairs = [(names[0], name) for name in names[1:]]
    return [pair for pair in pairs if " -> ".join(pair) in judges.pairs]


def _swapped(judges: JudgeComparison, left: str, right: str) -> Iterator[str]:
    key = f"{left} -> {right}"
    figures, levels = judges.pairs[key], judges.shares.get(key, {})
    start = f"Swapping only the judge, from {left} to {right}, "
    right_too = _right(right, figures.get("accuracy_difference"))
    if moved := figures.get("pass_difference"):
        before, after = map(percent, levels["pass_share"])
        share = f"{start}moves the pass share by {_points(moved)} ({before} to {after})"
        yield f"{share}{'; ' if right_too else ''}{right_too}."
    elif moved := figures.get("score_difference"):
        before, after = (f"{level:.2f}" for level in levels["mean_score"])
        yield f"{start}moves the mean score by {_value(moved, '+.2f')} ({before} to {after})."
    elif agreement := figures.get("agreement"):
        alike = f"{left} and {right} say the same in {percent(agreement.value)} {_ends(agreement)}"
        yield f"{alike}{'; ' if right_too else ''}{right_too}."


def _right(name: str, gap: ClusteredFigure | None) -> str:
    """Return whether the second judge is right more or less often."""
    if gap is None:
        return ""
    ends = interval_text(gap.ci95, "+.1p", TOO_FEW)
    if gap.ci95 is None or gap.ci95[0] <= 0 <= gap.ci95[1]:
        value = number_text(gap.value, "+.1p")
        return f"no difference in being right is shown ({value} {ends})"
    word = "more" if gap.value > 0 else "less"
    points = number_text(abs(gap.value), ".1p")
    return f"{name} is right {word} often, by {points} points {ends}"


def _turned(judges: JudgeComparison, left: str, right: str) -> Iterator[str]:
    turned = judges.reversed.get(f"{left} | {right}")
    if turned is None:
        return
    tops = [max(judges.board[name], key=judges.board[name].__getitem__) for name in (left, right)]
    first = f"{tops[0]} by {left}, {tops[1]} by {right}"
    if tops[0] == tops[1]:
        first = f"{tops[0]} by both"
    yield (
        f"{len(turned.pairs)} of {turned.of} pairs of systems change places between {left} and "
        f"{right}, {turned.shown} beyond chance; first is {first}."
    )


def _panel(judges: JudgeComparison) -> Iterator[str]:
    panel = judges.panel
    if panel is None:
        return
    count = len(judges.judges)
    share = f"{percent(panel.accuracy.value)} {_ends(panel.accuracy)}"
    line = (
        f"The majority of {count} judges is right in {share}: {_points(panel.minus_best_alone)} "
        "beside the best one alone, chosen on other rows."
    )
    if judges.error_correlation and judges.independent_judges:
        worth = judges.independent_judges.value
        line += (
            f" Their errors correlate by {number_text(judges.error_correlation.value, '.2f')}: "
            f"{count} are worth {worth:.1f} independent ones."
        )
    yield line
