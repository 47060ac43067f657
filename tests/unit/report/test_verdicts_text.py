"""What recorded verdicts say of their judges, as it is printed."""

from dataclasses import replace

from golden_support import Golden
from observed_support import PROMPT, SETTINGS

from epc.analysis.verdicts import Group, Report
from epc.analysis.verdicts_agreement import Pair
from epc.analysis.verdicts_judges import JudgeComparison
from epc.analysis.verdicts_names import FIGURES
from epc.records.verdicts.types import Choices, Source
from epc.report.verdicts_text import text
from epc.statistics.figures import ClusteredFigure

TIES = ClusteredFigure(value=0.25, ci95=(0.125, 0.5), n=1_000, items=8)
TWICE = Group(
    settings=("J/plain", "J/again"),
    setting=replace(SETTINGS["stated"], date="2024-05-01", note="a part of the items alone"),
    verdicts=1_000,
    items=8,
    equal_answers=3,
    equal_answers_other_verdict=0,
    figures={"ties": TIES},
    left_out={"accuracy": FIGURES["accuracy"].missing, "transfer": "no authors are named"},
    transfer=None,
    own_authors=("m-1", "m-2"),
)
OTHER = replace(
    TWICE,
    settings=("K",),
    setting=replace(SETTINGS["other"], decoding="unknown"),
    verdicts=9,
    figures={"ties": ClusteredFigure(value=1.0, ci95=None, n=9, items=1), "accuracy": TIES},
    left_out={"transfer": "no authors are named"},
    own_authors=(),
)
REPORT = Report(
    rule=2,
    source=Source(
        name="S", repository="https://s.example", commit="abc", licence="MIT", texts=False
    ),
    verdicts=1_009,
    items=9,
    duplicates=2,
    items_under_two_names=1,
    left_out={"rows without a judge": 4_000},
    groups=(TWICE, OTHER),
    pairs=(),
    choices=Choices(),
)
PAIR = Pair(
    settings=("J/plain", "K"),
    prompt=PROMPT,
    same_decoding=True,
    shared_answers=3,
    figures={"agreement": ClusteredFigure(value=0.5, ci95=None, n=4, items=4), "kappa": TIES},
)


def test_reading_r77_the_words_of_recorded_verdicts(golden: Golden) -> None:
    misread = replace(TWICE, equal_answers_other_verdict=2)
    pairs = (PAIR, replace(PAIR, same_decoding=False, figures={}))
    judges = JudgeComparison(
        judges=("J/plain", "K"),
        prompts_known=True,
        passing=False,
        pairs={"J/plain -> K": PAIR.figures},
    )
    cases = {
        "two judges": text(REPORT),
        "equal answers with two verdicts": text(replace(REPORT, groups=(misread, OTHER))),
        "two judges that were asked the same": text(replace(REPORT, pairs=pairs, judges=judges)),
    }

    golden("observed", cases)
