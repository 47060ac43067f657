"""The figures of recorded verdicts by name, in the order of the report, each with its words.

Some have several values, whose names go on behind a slash: `best/8` is one of `best`.

A new figure is a row here, its computation in `epc.analysis.verdicts_figures`, and its place on a
judge's card in `epc.analysis.judge_card.SECTIONS`.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from epc.statistics.figures import Alone


class FigureDescription(NamedTuple):
    """A figure in words: `title` in a report, `phrase` on pages, `missing` where it is left out.

    `counted` is what its `n` counts.
    """

    title: str
    phrase: str
    missing: str
    counted: Literal["verdicts", "pairs", "questions"] = "verdicts"


FIGURES: Final[Mapping[str, FigureDescription]] = {
    "place_consistency": FigureDescription(
        title="same winner in both orders (an unreadable answer agrees with nothing)",
        phrase="place consistency",
        missing="no item was asked in both orders",
        counted="pairs",
    ),
    "place_consistency_readable": FigureDescription(
        title="the same, of pairs with two readable answers",
        phrase="place consistency, readable verdicts",
        missing="no item was asked in both orders with readable answers",
        counted="pairs",
    ),
    "first_place": FigureDescription(
        title="first candidate chosen (0.5: no preference), both orders asked",
        phrase="share of verdicts for the first place",
        missing="no item was decided in both orders",
        counted="pairs",
    ),
    "accuracy": FigureDescription(
        title="the better candidate by the gold label chosen",
        phrase="accuracy",
        missing="no verdict has a gold label",
    ),
    "accuracy_gold_first": FigureDescription(
        title="the same, where it was shown first",
        phrase="accuracy, the right one first",
        missing="no verdict has a gold label and a known order",
    ),
    "accuracy_gold_second": FigureDescription(
        title="the same, where it was shown second",
        phrase="accuracy, the right one second",
        missing="no verdict has a gold label and a known order",
    ),
    "accuracy_readable": FigureDescription(
        title="the better candidate chosen, of readable verdicts",
        phrase="accuracy, readable verdicts",
        missing="no readable verdict has a gold label",
    ),
    "best": FigureDescription(
        title="the right one of a list has the highest mean score of k askings, ties shared",
        phrase="share right of lists, after so many askings",
        missing="no list has a right candidate, or that did not stand at every place",
        counted="questions",
    ),
    "pairs": FigureDescription(
        title="the right one of a list has a higher mean score of k askings than another",
        phrase="share right of pairs, after so many askings",
        missing="no list with a right candidate was scored",
        counted="questions",
    ),
    "place_right": FigureDescription(
        title="the right one of a list picked, where it was shown at a place",
        phrase="share right, the right one at a place",
        missing="no list has a known order and a right candidate",
    ),
    "place_picked": FigureDescription(
        title="a place of a list picked, the right one at every place alike often",
        phrase="share of picks of a place",
        missing="no list has a known order and a right candidate",
    ),
    "rearranged_consistency": FigureDescription(
        title="same candidate picked when the list is rearranged",
        phrase="same pick when rearranged",
        missing="no list was rearranged",
        counted="pairs",
    ),
    "ties": FigureDescription(
        title="ties, of all verdicts",
        phrase="share of ties",
        missing="no verdict compares two candidates",
    ),
    "unreadable": FigureDescription(
        title="unreadable answers, of all verdicts",
        phrase="share of unreadable verdicts",
        missing="no verdicts",
    ),
    "repeat_consistency": FigureDescription(
        title="same verdict when asked again, without equal long answers",
        phrase="repeat consistency",
        missing="nothing was asked twice and answered in other words",
    ),
    "repeat_consistency_all": FigureDescription(
        title="the same, with them",
        phrase="repeat consistency, all repeats",
        missing="nothing was asked twice",
    ),
    "brier": FigureDescription(
        title="squared distance of confidence and being right (0 is best)",
        phrase="Brier score",
        missing="no verdict with a gold label has a confidence",
    ),
    "ece": FigureDescription(
        title="distance of confidence and share right, over ten bins of confidence",
        phrase="expected calibration error",
        missing="no verdict with a gold label has a confidence",
    ),
    "ece_by_chance": FigureDescription(
        title="the same by chance: its mean if every confidence were true",
        phrase="expected calibration error by chance",
        missing="no verdict with a gold label has a confidence",
    ),
    "input_tokens": FigureDescription(
        title="tokens read in an asking",
        phrase="tokens read in an asking",
        missing="the source counts no tokens",
    ),
    "output_tokens": FigureDescription(
        title="tokens written in an asking",
        phrase="tokens written in an asking",
        missing="the source counts no tokens",
    ),
    "humans_mean": FigureDescription(
        title="same choice as a person, mean over persons",
        phrase="agreement with people, on average",
        missing="no verdict has a person's choice beside it",
    ),
    "humans_mean_ceiling": FigureDescription(
        title="the ceiling: a person as another person",
        phrase="how often two people agree",
        missing="no verdict has the choices of several persons beside it",
    ),
    "humans_majority": FigureDescription(
        title="same choice as the majority of persons",
        phrase="agreement with people, their majority",
        missing="no verdict has a majority of persons beside it",
    ),
    "humans_kappa": FigureDescription(
        title="the same, as Cohen's kappa, of readable answers",
        phrase="agreement with people, kappa",
        missing="no readable verdict has a majority of persons beside it, or all say the same",
    ),
    "humans_others": FigureDescription(
        title="same choice as the majority of the persons without one of them",
        phrase="agreement with all people but one",
        missing="no verdict has the choices of several persons beside it",
    ),
    "humans_others_ceiling": FigureDescription(
        title="the ceiling: the person left out as this majority",
        phrase="how often one person agrees with the others",
        missing="no verdict has the choices of several persons beside it",
    ),
    "human_score_within_1": FigureDescription(
        title="score at most 1 point from the one that people gave",
        phrase="score within 1 of people's",
        missing="no scored answer has a score by people beside it",
    ),
    "human_score_shift": FigureDescription(
        title="points that the judge gives more than people",
        phrase="points more than people give",
        missing="no scored answer has a score by people beside it",
    ),
    "human_score_correlation": FigureDescription(
        title="correlation of the judge's scores and people's (0: one score for all would do)",
        phrase="correlation with people's scores",
        missing="no scored answer has a score by people beside it, or all have one score",
    ),
    "judges": FigureDescription(
        title="same choice as another judge of the source, asked with the same prompt",
        phrase="agreement with another judge",
        missing="no other judge was asked the same with this prompt, or both are published whole",
    ),
    "judges_kappa": FigureDescription(
        title="the same, as Cohen's kappa",
        phrase="agreement with another judge, kappa",
        missing="no other judge was asked the same with this prompt, or both are published whole",
    ),
    "longer": FigureDescription(
        title="longer candidate chosen (0.5: no effect); better answers may be longer",
        phrase="share of verdicts for the longer answer",
        missing="no two candidates of different length were decided between",
    ),
    "longer_by_gold": FigureDescription(
        title="the same, at equal quality: mean over longer is better and longer is worse",
        phrase="share of right answers that are the longer",
        missing="the longer candidate is not both better and worse by the gold labels",
    ),
    "score_per_doubling": FigureDescription(
        title="points that twice the length gains, between answers to one question",
        phrase="score per doubling",
        missing="no question has scored answers of different length",
    ),
    "score_repeat_exact": FigureDescription(
        title="same score when asked again, without equal long answers",
        phrase="same score when asked again",
        missing="no output was scored twice in other words",
    ),
    "score_repeat_within_1": FigureDescription(
        title="the same, within 1 point",
        phrase="score within 1 when asked again",
        missing="no output was scored twice in other words",
    ),
    "self_preference": FigureDescription(
        title="own outputs' wins beyond what other judges give, less that of others'",
        phrase="self preference",
        missing=(
            "no other judge compared its own outputs and others' with this prompt, or no author "
            "has its name (--same JUDGE=AUTHOR)"
        ),
    ),
    "self_preference_score": FigureDescription(
        title="own outputs' points beyond what other judges give, less others'",
        phrase="self preference score",
        missing=(
            "no other judge scored its own outputs and others' with this prompt, or no author has "
            "its name (--same JUDGE=AUTHOR)"
        ),
    ),
}


# Figures of an audit, beside labels of the same answers (Reading R101). Snapshots have them too,
# under `label_figures`, from November 29, 2026 on.
LABEL_FIGURES: Final[Mapping[str, FigureDescription]] = {
    "tpr": FigureDescription(
        title="passes what people passed (TPR, sensitivity)",
        phrase="passes what people passed",
        missing="people passed none",
    ),
    "tnr": FigureDescription(
        title="fails what people failed (TNR, specificity)",
        phrase="fails what people failed",
        missing="people failed none: what it catches is not known",
    ),
    "balanced_accuracy": FigureDescription(
        title="the mean of both (a coin has 0.5), or of all labels' recalls",
        phrase="balanced accuracy",
        missing="people did not both pass and fail",
    ),
    "rank_correlation": FigureDescription(
        title="Spearman's rank correlation with people's scores",
        phrase="rank correlation with people",
        missing="no scored answer has a score by people beside it, or all have one score",
    ),
    "agreement": FigureDescription(
        title="says what people say",
        phrase="agrees with people",
        missing="no readable verdict has a label",
    ),
    "kappa": FigureDescription(
        title="Cohen's kappa: agreement beyond chance",
        phrase="kappa",
        missing="chance alone would always agree",
    ),
    "weighted_kappa": FigureDescription(
        title="kappa with squared weights, which is Lin's concordance on a fine scale",
        phrase="weighted kappa with people",
        missing="no scale holds the scores",
    ),
    "within_step": FigureDescription(
        title="within one step of people's score",
        phrase="within one step of people",
        missing="no scale holds the scores",
    ),
    "exact": FigureDescription(
        title="the same score as people",
        phrase="the same score as people",
        missing="no scale holds the scores",
    ),
    "shuffled": FigureDescription(
        title="its own scores dealt out at random: within one step of people's",
        phrase="within one step, dealt out at random",
        missing="no scale holds the scores",
    ),
    "shift": FigureDescription(
        title="points that the judge gives more than people",
        phrase="points more than people",
        missing="no scale holds the scores",
    ),
    "spread_ratio": FigureDescription(
        title="how much wider its scores spread than people's",
        phrase="spread, times people's",
        missing="fewer than five items differ, or one side has one score for all",
    ),
    "pass_share": FigureDescription(
        title="passed by the judge",
        phrase="judge passes",
        missing="no readable verdict",
    ),
    "people_pass_share": FigureDescription(
        title="passed by people: the base rate",
        phrase="people pass",
        missing="no readable verdict has a label",
    ),
    "pass_shift": FigureDescription(
        title="how many more the judge passes than people",
        phrase="judge less people",
        missing="no readable verdict has a label",
    ),
    "pass_share_all_rows": FigureDescription(
        title="passed by the judge, of all rows",
        phrase="judge passes, of all rows",
        missing="every row has a label",
    ),
    "corrected_pass_share": FigureDescription(
        title="what people would pass of all rows, by the labels of some",
        phrase="people would pass, of all rows",
        missing="every row has a label",
    ),
    "humans_others_difference": FigureDescription(
        title="the judge less the person left out, as this majority",
        phrase="judge less person, in one person's place",
        missing="no verdict has the choices of several persons beside it",
    ),
}

# The same where the labels are gold, which nobody is said to have given: title and phrase.
OF_GOLD: Final[Mapping[str, tuple[str, str]]] = {
    "tpr": ("passes what is labelled pass (TPR, sensitivity)", "passes what is labelled pass"),
    "tnr": ("fails what is labelled fail (TNR, specificity)", "fails what is labelled fail"),
    "agreement": ("says what the labels say", "agrees with the labels"),
    "people_pass_share": ("labelled pass: the base rate", "labelled pass"),
    "pass_shift": ("how many more the judge passes than the labels", "judge less labels"),
    "corrected_pass_share": (
        "what would be labelled pass of all rows, by the labels of some",
        "would be labelled pass, of all rows",
    ),
    "accuracy": ("the right label chosen", "accuracy"),
}


# What a report can say of a judge: the figures that say it, a field and what a table needs for it.
NEEDS: Final[Mapping[str, tuple[tuple[str, ...], str, str]]] = {
    "agreement with people": (
        ("humans_mean", "human_score_within_1"),
        "humans",
        "a column `humans`: what a person chose or scored (several: separated by semicolons)",
    ),
    "agreement with gold": (
        ("accuracy", "best"),
        "gold",
        "a column `gold`: the better answer, a or b",
    ),
    "place bias": (
        ("place_consistency", "rearranged_consistency"),
        "first",
        "a column `first`: the answer that was shown first, a or b; ask in both orders",
    ),
    "repeats": (
        ("repeat_consistency_all", "score_repeat_exact"),
        "repeat",
        "a column `repeat`: 0, 1, 2, ... where the same question was asked again",
    ),
    "self-preference": (
        ("self_preference", "self_preference_score"),
        "a_by",
        "columns `a_by` and `b_by`: who wrote the answers; a second judge with the same `prompt`",
    ),
    "length": (
        ("longer", "score_per_doubling"),
        "a",
        "columns `a` and `b`: the answers; or their `a_length` and `b_length`",
    ),
    "transfer between domains": (
        ("transfer",),
        "subset",
        "columns `strategy` and `domain`: who wrote answer a, and about what",
    ),
}


def family(name: str) -> str:
    """Return the name in `FIGURES` of a figure, such as `best` of `best/8`."""
    return name.partition("/")[0]


def alone_in_words(alone: Alone) -> str:
    """Say from which confidence on a judge may decide choices alone, and how that held up."""
    wanted = f"{alone.wanted:.0%}"
    if alone.threshold is None or alone.kept is None or alone.held_out is None:
        return f"no confidence is shown to keep its errors at {wanted}"
    held_out = alone.held_out
    tried = f"{held_out.wrong:,} of {held_out.n:,} were wrong" if held_out.n else "none was decided"
    return (
        f"from a confidence of {alone.threshold:g} on it decides {alone.kept:.0%} of rows alone, "
        f"with at most {wanted} wrong; of rows that did not choose the confidence {tried}"
    )
