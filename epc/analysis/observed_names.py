"""The figures of recorded verdicts by name, in the order of the report, each with its words.

Some have several values, whose names go on behind a slash: `best/8` is one of `best`.

A new figure is a row here, its computation in `epc.analysis.observed_figures`, and its place on a
judge's card in `epc.analysis.judge_card.SECTIONS`.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple


class Described(NamedTuple):
    """A figure in words: `title` in a report, `words` on pages, `missing` where it is left out.

    `of` is what its `n` counts.
    """

    title: str
    words: str
    missing: str
    of: Literal["verdicts", "pairs", "questions"] = "verdicts"


FIGURES: Final[Mapping[str, Described]] = {
    "place_consistency": Described(
        title="same winner in both orders (an unreadable answer agrees with nothing)",
        words="place consistency",
        missing="no item was asked in both orders",
        of="pairs",
    ),
    "place_consistency_readable": Described(
        title="the same, of pairs with two readable answers",
        words="place consistency, readable verdicts",
        missing="no item was asked in both orders with readable answers",
        of="pairs",
    ),
    "first_place": Described(
        title="first candidate chosen (0.5: no preference), both orders asked",
        words="share of verdicts for the first place",
        missing="no item was decided in both orders",
        of="pairs",
    ),
    "accuracy": Described(
        title="the better candidate by the gold label chosen",
        words="accuracy",
        missing="no verdict has a gold label",
    ),
    "accuracy_gold_first": Described(
        title="the same, where it was shown first",
        words="accuracy, the right one first",
        missing="no verdict has a gold label and a known order",
    ),
    "accuracy_gold_second": Described(
        title="the same, where it was shown second",
        words="accuracy, the right one second",
        missing="no verdict has a gold label and a known order",
    ),
    "accuracy_readable": Described(
        title="the better candidate chosen, of readable verdicts",
        words="accuracy, readable verdicts",
        missing="no readable verdict has a gold label",
    ),
    "best": Described(
        title="the right one of a list has the highest mean score of k askings, ties shared",
        words="share right of lists, after so many askings",
        missing="no list has a right candidate, or that did not stand at every place",
        of="questions",
    ),
    "pairs": Described(
        title="the right one of a list has a higher mean score of k askings than another",
        words="share right of pairs, after so many askings",
        missing="no list with a right candidate was scored",
        of="questions",
    ),
    "place_right": Described(
        title="the right one of a list picked, where it was shown at a place",
        words="share right, the right one at a place",
        missing="no list has a known order and a right candidate",
    ),
    "place_picked": Described(
        title="a place of a list picked, the right one at every place alike often",
        words="share of picks of a place",
        missing="no list has a known order and a right candidate",
    ),
    "rearranged_consistency": Described(
        title="same candidate picked when the list is rearranged",
        words="same pick when rearranged",
        missing="no list was rearranged",
        of="pairs",
    ),
    "ties": Described(
        title="ties, of all verdicts",
        words="share of ties",
        missing="no verdict compares two candidates",
    ),
    "unreadable": Described(
        title="unreadable answers, of all verdicts",
        words="share of unreadable verdicts",
        missing="no verdicts",
    ),
    "repeat_consistency": Described(
        title="same verdict when asked again, without equal long answers",
        words="repeat consistency",
        missing="nothing was asked twice and answered in other words",
    ),
    "repeat_consistency_all": Described(
        title="the same, with them",
        words="repeat consistency, all repeats",
        missing="nothing was asked twice",
    ),
    "brier": Described(
        title="squared distance of confidence and being right (0 is best)",
        words="Brier score",
        missing="no verdict with a gold label has a confidence",
    ),
    "ece": Described(
        title="distance of confidence and share right, over ten bins of confidence",
        words="expected calibration error",
        missing="no verdict with a gold label has a confidence",
    ),
    "threshold": Described(
        title="lowest confidence from which at most this share is wrong, by the interval's end; "
        "it is chosen by that interval, so it has none of its own",
        words="least confidence for a share wrong (chosen by that share's interval)",
        missing="no confidence keeps the share of wrong verdicts as low",
    ),
    "kept": Described(
        title="verdicts with as much confidence",
        words="share of verdicts with as much confidence",
        missing="no confidence keeps the share of wrong verdicts as low",
    ),
    "input_tokens": Described(
        title="tokens read in an asking",
        words="tokens read in an asking",
        missing="the source counts no tokens",
    ),
    "output_tokens": Described(
        title="tokens written in an asking",
        words="tokens written in an asking",
        missing="the source counts no tokens",
    ),
    "humans_mean": Described(
        title="same choice as a person, mean over persons",
        words="agreement with people, on average",
        missing="no verdict has a person's choice beside it",
    ),
    "humans_mean_ceiling": Described(
        title="the ceiling: a person as another person",
        words="how often two people agree",
        missing="no verdict has the choices of several persons beside it",
    ),
    "humans_majority": Described(
        title="same choice as the majority of persons",
        words="agreement with people, their majority",
        missing="no verdict has a majority of persons beside it",
    ),
    "humans_kappa": Described(
        title="the same, as Cohen's kappa, of readable answers",
        words="agreement with people, kappa",
        missing="no readable verdict has a majority of persons beside it, or all say the same",
    ),
    "humans_others": Described(
        title="same choice as the majority of the persons without one of them",
        words="agreement with all people but one",
        missing="no verdict has the choices of several persons beside it",
    ),
    "humans_others_ceiling": Described(
        title="the ceiling: the person left out as this majority",
        words="how often one person agrees with the others",
        missing="no verdict has the choices of several persons beside it",
    ),
    "human_score_within_1": Described(
        title="score at most 1 point from the one that people gave",
        words="score within 1 of people's",
        missing="no scored answer has a score by people beside it",
    ),
    "human_score_shift": Described(
        title="points that the judge gives more than people",
        words="points more than people give",
        missing="no scored answer has a score by people beside it",
    ),
    "human_score_correlation": Described(
        title="correlation of the judge's scores and people's (0: one score for all would do)",
        words="correlation with people's scores",
        missing="no scored answer has a score by people beside it, or all have one score",
    ),
    "judges": Described(
        title="same choice as another judge of the source, asked with the same prompt",
        words="agreement with another judge",
        missing="no other judge was asked the same with this prompt, or both are published whole",
    ),
    "judges_kappa": Described(
        title="the same, as Cohen's kappa",
        words="agreement with another judge, kappa",
        missing="no other judge was asked the same with this prompt, or both are published whole",
    ),
    "longer": Described(
        title="longer candidate chosen (0.5: no effect); better answers may be longer",
        words="share of verdicts for the longer answer",
        missing="no two candidates of different length were decided between",
    ),
    "longer_by_gold": Described(
        title="the same, at equal quality: mean over longer is better and longer is worse",
        words="share of right answers that are the longer",
        missing="the longer candidate is not both better and worse by the gold labels",
    ),
    "score_per_doubling": Described(
        title="points that twice the length gains, between answers to one question",
        words="score per doubling",
        missing="no question has scored answers of different length",
    ),
    "score_repeat_exact": Described(
        title="same score when asked again, without equal long answers",
        words="same score when asked again",
        missing="no output was scored twice in other words",
    ),
    "score_repeat_within_1": Described(
        title="the same, within 1 point",
        words="score within 1 when asked again",
        missing="no output was scored twice in other words",
    ),
    "self_preference": Described(
        title="own outputs' wins beyond what other judges give, less that of others'",
        words="self preference",
        missing=(
            "no other judge compared its own outputs and others' with this prompt, or no author "
            "has its name (--same JUDGE=AUTHOR)"
        ),
    ),
    "self_preference_score": Described(
        title="own outputs' points beyond what other judges give, less others'",
        words="self preference score",
        missing=(
            "no other judge scored its own outputs and others' with this prompt, or no author has "
            "its name (--same JUDGE=AUTHOR)"
        ),
    ),
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
