"""Win rates by strategy and domain, as a picture."""

import pytest
from records_support import Run

from epc.site.charts.preferences import win_rates_chart
from epc.site.pages import WinRate


def test_win_rates_name_the_strategy_on_which_the_domains_part_most(made: dict[str, Run]) -> None:
    given = [
        WinRate(strategy="a", domain="text", wins=3, losses=1, ties=0),
        WinRate(strategy="a", domain="visual", wins=2, losses=2, ties=0),
        WinRate(strategy="b", domain="text", wins=1, losses=3, ties=0),
        WinRate(strategy="b", domain="visual", wins=4, losses=0, ties=1),
        WinRate(strategy="c", domain="text", wins=0, losses=0, ties=4),
        WinRate(strategy="c", domain="visual", wins=4, losses=0, ties=0),
    ]

    chart = win_rates_chart(given)

    assert chart.alternative == (
        "The domains part most on b: it wins 25% of its decided comparisons in text and 100% in "
        "visual."
    )
    # Wilson's interval of 3 in 4, from its formula by hand.
    assert chart.rows[0]["low"] == pytest.approx(0.3006, abs=1e-4)
    assert chart.rows[0]["high"] == pytest.approx(0.9544, abs=1e-4)
    assert chart.rows[4]["rate"] is None
