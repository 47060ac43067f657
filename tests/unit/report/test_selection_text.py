"""What picking by a judge is worth, in sentences and as a curve."""

from epc.analysis.selection import ALL, Domain, Gains, Selection, Threshold
from epc.report.document import Facts, Section, Table
from epc.report.selection_text import document, summary, taste
from epc.statistics.figures import Figure


def gains(n: int, **values: float) -> Gains:
    figures = {name: Figure(value=value, ci95=(0.0, 1.0)) for name, value in values.items()}
    return Gains(n=n, figures=figures)  # type: ignore[arg-type]  # a figure without its n


SMALL = gains(1, believed=0.0, gold=0.25)
MIDDLE = gains(2, believed=0.5, fresh=0.25)
LARGE = gains(
    4, believed=1.0, fresh=0.5, luck=0.5, luck_share=0.5, taste_least=0.125, taste_most=0.375,
    gold=0.4, gold_gain_lower=0.02,
)  # fmt: skip


def domain(*gains: Gains, threshold: Threshold | None = None) -> Domain:
    return Domain(items=40, gains=gains, threshold=threshold)


def test_a_summary_has_luck_taste_gold_and_the_threshold_as_far_as_they_are_known() -> None:
    turned = Threshold(n=3, low=2, most=4)

    assert summary(domain(SMALL, MIDDLE, LARGE, threshold=turned)) == (
        "of what its score gains by best of 4, 50% [0%, 100%] is luck; between 0.12 and 0.38 of "
        "0.50 points are taste; right: 25.0% at random, 40.0% [0.0%, 100.0%] picked; hacking "
        "threshold n = 3 [2, 3]"
    )
    assert summary(domain(MIDDLE, threshold=Threshold(n=None, low=None, most=2))) == (
        "hacking threshold not reached at n = 2"
    )
    assert summary(domain(MIDDLE)) == "nothing can be said of a judge that was asked once"
    assert taste(MIDDLE) == ""


def test_the_curve_has_every_choice_of_all_domains_and_the_largest_of_each_other() -> None:
    selection = Selection(
        judge="j", k=2, askings=8, arranged=False, pick="mean", left_out=1234,
        domains={ALL: domain(SMALL, MIDDLE, LARGE), "maths": domain(SMALL, MIDDLE)},
    )  # fmt: skip

    (section,) = document([selection])

    assert isinstance(section, Section)
    facts, said, table = section.parts
    assert isinstance(facts, Facts)
    assert facts.pairs == [
        ("ranked by", "the mean of 2 of 8 askings"),
        ("left out", "1,234 items that have a gap, or fewer askings"),
    ]
    assert str(said).startswith("Of what its score gains by best of 4")
    assert isinstance(table, Table)
    assert table.rows[0] == (
        *("domain", "best of", "believed", "asked again", "luck", "taste, at least"),
        *("taste, at most", "right, by gold", "gold gained by the bound"),
    )
    assert [row[:4] for row in table.rows[1:]] == [
        (ALL, "2", "+0.50 [+0.00, +1.00]", "+0.25 [+0.00, +1.00]"),
        (ALL, "4", "+1.00 [+0.00, +1.00]", "+0.50 [+0.00, +1.00]"),
        ("maths", "2", "+0.50 [+0.00, +1.00]", "+0.25 [+0.00, +1.00]"),
    ]
    assert table.rows[1][4:] == ("-",) * 5
    assert table.rows[2][-1] == "+2.0 points [+0.0, +100.0]"


def test_a_judge_that_saw_arrangements_picks_by_a_bound_and_columns_are_those_it_has() -> None:
    selection = Selection(
        judge="j", k=1, askings=4, arranged=True, pick="lower", left_out=0,
        domains={"maths": domain(MIDDLE)},
    )  # fmt: skip

    (section,) = document([selection])

    assert isinstance(section, Section)
    facts, table = section.parts
    assert isinstance(facts, Facts)
    assert facts.pairs[0][1] == "the lower 95% bound of 1 of 4 arrangements of the answers"
    assert isinstance(table, Table)
    assert table.rows[0] == ("domain", "best of", "believed", "asked again")
