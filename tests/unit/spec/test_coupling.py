"""What the word `coupled` takes, as the page of statistics states it (Readings R71 to R74)."""

from epc.spec import coupling


def test_reading_r71_the_rule_its_level_and_the_margin_of_regret() -> None:
    assert (coupling.RULE, coupling.LEVEL, coupling.MARGIN) == (4, 0.05, 0.02)
    assert (coupling.FEWEST_SPLITS, coupling.CLUSTER_LEVEL, coupling.UNEQUAL) == (20, 0.01, 2)


def test_reading_r73_what_has_to_be_decided_for_any_word() -> None:
    shares = (coupling.FEWEST_TASKS, coupling.FEWEST_STRATEGIES, coupling.FEWEST_DECIDED)
    assert shares == (0.5, 0.25, 0.25)


def test_reading_r91_without_gold_quality_is_not_measured() -> None:
    unknown = coupling.NotMeasured()

    assert unknown.measured is False
    assert "--gold" in unknown.how
