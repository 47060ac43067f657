"""What crosses by recorded verdicts, as it is printed, from figures made by hand (Reading R70)."""

from dataclasses import replace

from golden_support import Golden
from observed_support import report, verdict

from epc.analysis.verdicts_transfer import PeopleDifference, Transfer
from epc.audit.coupling import CrossingFigures
from epc.audit.redirection import RedirectionTest
from epc.report.verdicts_text import text
from epc.spec.coupling import NotMeasured

CROSSED = CrossingFigures(
    redirected=0.5,
    redirected_ci95=(0.25, 0.75),
    chance=0.125,
    regret=0.03125,
    regret_ci95=None,
    harm=-0.5,
    harm_ci95=(-1.0, 0.0),
    crossing=0.0,
    crossing_ci95=None,
)
BESIDE = PeopleDifference(
    judge=0.5,
    judge_ci95=(0.25, 0.75),
    people=0.25,
    people_ci95=None,
    difference=0.25,
    difference_ci95=(0.0, 0.5),
)
FOUND = Transfer(
    rule=3,
    clusters={},
    baseline="b",
    baseline_chosen=False,
    domains={"chat": 1_000, "code": 40},
    domains_chosen=False,
    verdicts=2_000,
    decided_share=0.875,
    strategies=("x", "y", "z"),
    left_out_strategies=(),
    left_out_tasks={"chat": 0, "code": 0},
    word="no_detectable_coupling",
    test=RedirectionTest(p_value=0.25, unit="task", method="permutation", splits=100),
    directions={"chat_to_code": CROSSED},
    detectable=0.0625,
    people=None,
    quality=NotMeasured(),
)
CHOSEN = replace(
    FOUND,
    baseline_chosen=True,
    domains_chosen=True,
    left_out_tasks={"chat": 2, "code": 1},
    left_out_strategies=("u", "v"),
)


def transfer_text(found: Transfer | None) -> str:
    """The part of a report that is about transfer."""
    whole_findings_report = report(verdict("1", "a", "a"))
    (group,) = whole_findings_report.groups
    printed = text(replace(whole_findings_report, groups=[replace(group, transfer=found)]))
    return printed[printed.index("Transfer of ") :].partition("\n\n")[0] if found else printed


def test_reading_r72_the_words_of_what_crosses_by_recorded_verdicts(golden: Golden) -> None:
    both = {"regret": BESIDE, "redirected": BESIDE}
    bare = replace(FOUND, word="inconclusive", test=None, directions=None, detectable=None)
    cases = {
        "nothing crosses": FOUND,
        "no coupling beyond the margin": replace(FOUND, word="no_coupling_beyond_margin"),
        "coupled": replace(FOUND, word="coupled"),
        "what could have been found is not known": replace(FOUND, detectable=None),
        "all was chosen and some left out": CHOSEN,
        "only tasks were left out": replace(CHOSEN, left_out_strategies=()),
        "persons judged the same pairs": replace(FOUND, people={"chat_to_code": both}),
        "too little was decided": bare,
    }

    golden("observed_transfer", {case: transfer_text(found) for case, found in cases.items()})
    assert "Transfer of " not in transfer_text(None)
