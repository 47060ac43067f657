"""What recorded verdicts say of their judges, as it is printed, from figures made by hand."""

from dataclasses import replace

from observed_support import PROMPT, SETTINGS

from epc.analysis.observed import Group, Report
from epc.analysis.observed_agreement import Pair
from epc.analysis.observed_figures import Figure
from epc.analysis.observed_names import FIGURES
from epc.analysis.observed_rows import Choices
from epc.records.observed.types import Source
from epc.report.observed_text import text

TIES = Figure(value=0.25, ci95=(0.125, 0.5), n=1_000, items=8)
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
    figures={"ties": Figure(value=1.0, ci95=None, n=9, items=1), "accuracy": TIES},
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
J_ASKED = "model m-1 on platform unknown, decoding stated, date 2024-05-01"
HEAD = [
    "S: 1,009 verdicts on 9 items",
    "  source     https://s.example, commit abc, licence MIT",
    "  state      recorded by others; says nothing of today (Reading R77)",
    "  left out   4,000 rows without a judge",
    "  twice      2 verdicts that stand twice: counted once",
    "  renamed    1 items of another's question and pair",
]


def test_reading_r77_each_figure_is_under_the_first_name_of_what_was_asked() -> None:
    assert text(REPORT).splitlines() == [
        *HEAD,
        "  copies?    6 pairs of equal answers of 100 characters or more",
        "",
        "accuracy: the better candidate by the gold label chosen",
        "  K  0.250 [0.125, 0.500]   n 1,000, questions 8",
        "",
        "ties: ties, of all verdicts",
        "  J/plain  0.250 [0.125, 0.500]   n 1,000, questions 8",
        "  K        1.000 (too few items)  n 9, questions 1",
        "",
        "not stated: agreement between judges: no two were asked the same",
        "",
        "asked of",
        f"  J/plain: {J_ASKED}, 1,000 verdicts",
        "    a part of the items alone",
        "    its own outputs are those of m-1, m-2",
        "    the same prompt as J/again",
        "  K: model unknown on platform unknown, decoding unknown, date unknown, 9 verdicts",
        "not stated of 1 of 2 settings: accuracy: no verdict has a gold label",
        "not stated of 2 of 2 settings: transfer: no authors are named",
    ]


def test_reading_r77_equal_answers_with_two_verdicts_are_said_to_be_misread() -> None:
    lines = text(replace(REPORT, groups=(replace(TWICE, equal_answers_other_verdict=2), OTHER)))

    assert "  contrary   2 of these have two different verdicts: the source misread one" in lines


def test_reading_r77_two_judges_that_were_asked_the_same_stand_under_both_names() -> None:
    pair = Pair(
        settings=("J/plain", "K"),
        prompt=PROMPT,
        same_decoding=True,
        shared_answers=3,
        figures={"agreement": Figure(value=0.5, ci95=None, n=4, items=4), "kappa": TIES},
    )

    lines = text(replace(REPORT, pairs=(pair, replace(pair, same_decoding=False, figures={}))))

    begin = lines.splitlines().index(
        "agreement: two judges say the same of what both were asked with one prompt"
    )
    assert lines.splitlines()[begin : begin + 6] == [
        "agreement: two judges say the same of what both were asked with one prompt",
        "  J/plain and K  0.500 (too few items)  n 4, questions 4",
        "",
        "kappa: the same, as Cohen's kappa",
        "  J/plain and K  0.250 [0.125, 0.500]   n 1,000, questions 8",
        "  1 of 2 pairs of judges were asked with one decoding",
    ]
    assert "  6 long answers that both judges have are left out" in lines
