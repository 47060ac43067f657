"""What stands beside the word: ties by domain, undeclared topics, the length of answers."""

import random
from itertools import combinations

import numpy as np
import pytest
from audit_support import Rows, table
from budget_support import examples

from epc.audit import side_checks
from epc.audit.side_checks import (
    TieTest,
    clustered,
    clusters,
    length_correlation,
    tie_test,
)
from epc.audit.units import Units, units_of
from epc.protocol.table import VerdictTable
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS


def units(text: Rows, visual: Rows) -> Units:
    return units_of(table(text, visual), "abcdefgh"[: len(text)])


def test_reading_r72_ties_are_tested_by_every_split_of_the_units() -> None:
    """Text ties in 1 of 4 verdicts of each of its tasks, visual in none: 1 of 35 splits."""
    tied = tie_test(units([["AAAt"] * 4, ["BBBB"] * 4], [["BBBB"] * 4, ["AAAA"] * 4]))

    assert tied.share == {"text": 1 / 8, "visual": 0.0}
    assert tied.p_value == pytest.approx(1 / 35)


def test_reading_r72_ties_are_tested_by_enumeration_where_domains_are_unequal() -> None:
    """Ties by task: text 3, 2 and 0 of 6 verdicts, visual 0 and 1 of 4; ten splits."""
    text = [["AAt", "AAt", "BAB"], ["Btt", "ABt", "ABB"]]
    visual = [["AB", "At"], ["BA", "BA"]]
    tied, asked = [3, 2, 0, 0, 1], [6, 6, 6, 4, 4]
    apart = []
    for chosen in combinations(range(5), 3):
        first, second = (
            sum(tied[position] for position in range(5) if (position in chosen) == inside)
            / sum(asked[position] for position in range(5) if (position in chosen) == inside)
            for inside in (True, False)
        )
        apart.append(abs(first - second))
    expected = sum(value >= apart[0] - 1e-12 for value in apart) / 10  # text is the first choice

    actual_tie_test = tie_test(units(text, visual))

    assert actual_tie_test.share == {"text": pytest.approx(5 / 18), "visual": pytest.approx(1 / 8)}
    assert actual_tie_test.p_value == pytest.approx(expected)
    assert 0 < expected < 1


def test_reading_r72_ties_that_are_as_many_everywhere_differ_by_chance() -> None:
    assert tie_test(units([["At"] * 4] * 2, [["Bt"] * 4] * 2)).p_value == 1
    assert tie_test(units(["AAAA"] * 2, ["BBBB"] * 2)).p_value == 1


def test_reading_r72_more_splits_than_are_listed_are_drawn_with_the_observed_one() -> None:
    """8 and 8 have 6,435 splits, of which 1,999 are drawn."""
    actual_tie_test = tie_test(units([["AAAt"] * 8] * 2, [["BBBB"] * 8] * 2))

    assert round(actual_tie_test.p_value * 2000, 6) in {1, 2, 3}


def test_reading_r72_without_a_task_in_a_domain_there_is_no_test_of_ties() -> None:
    assert tie_test(units(["tt", "tt"], ["AB", "BA"])) == TieTest(
        share={"text": 0.0, "visual": 0.0}, p_value=1.0
    )


def fresh(rng: random.Random, topics: list[float], strategies: int) -> list[list[str]]:
    """Return ten verdicts a pair; strategies like a topic by its value, every second the less."""
    return [
        [
            "".join("A" if rng.random() < 0.5 + (-1) ** k * liked else "B" for _ in range(10))
            for liked in topics
        ]
        for k in range(strategies)
    ]


def test_reading_r74_two_planted_topics_are_found_in_the_domain_that_has_them() -> None:
    rng = random.Random(5)
    input_units = units(fresh(rng, [0.3] * 4 + [-0.3] * 4, 6), fresh(rng, [0.0] * 8, 6))

    figures = clusters(input_units)

    assert figures["text"] == 1 / 1000  # none of 999 shuffles explains as much
    assert figures["visual"] is not None
    assert figures["visual"] > 0.05


def test_reading_r74_what_a_domain_prefers_throughout_is_no_topic() -> None:
    """Each strategy fares alike on all tasks, and each task alike for all strategies."""
    alike = [[text] * 6 for text in ("AAAA", "AABB", "BBBB", "ABBB")]
    by_task = [["AAAA", "AABB", "BBBB", "ABBB", "AAAB", "AAAA"]] * 4

    assert clusters(units(alike, by_task)) == {"text": 1.0, "visual": 1.0}


def test_reading_r74_independent_tasks_are_called_topics_as_often_as_the_level_says() -> None:
    """At level 5%, of 2n independent domains: more than expected by 3.3 standard errors is rare."""
    rng = random.Random(11)
    p_values: list[float] = []
    for _ in range(examples(400)):
        rows = [fresh(rng, [0.0] * 8, 6) for _ in DOMAINS]
        p_values += [p for p in clusters(units(*rows)).values() if p is not None]

    n = len(p_values)
    assert sum(p <= 0.05 for p in p_values) <= 0.05 * n + 3.3 * (0.05 * 0.95 * n) ** 0.5


def test_reading_r74_fewer_than_four_units_show_no_topics() -> None:
    figures = clusters(units(["AAB", "BBA", "ABA"], ["AABB", "BBAA", "ABAB"]))

    assert figures["text"] is None
    assert figures["visual"] is not None


def test_reading_r74_a_pair_without_a_verdict_has_nothing_left_over() -> None:
    """Four strategies alike on every task; some pairs were never asked."""
    rows = ["AAA.AA", "B.BBBB", "AAAAA.", "BB.BBB"]

    assert clusters(units(rows, rows)) == {"text": 1.0, "visual": 1.0}


def test_reading_r74_domains_of_one_content_have_one_p_value() -> None:
    rows = ["AABBABAB", "BABABBAA", "ABABAABB"]

    figures = clusters(units(rows, rows))

    assert figures["text"] == figures["visual"]


def test_reading_r74_two_strategies_never_show_topics() -> None:
    """The two differ from their middle by the same, so any shuffle explains all of it."""
    figures = clusters(units(["AAAABBBB", "BBBBAAAA"], ["AABBABAB", "ABBAABBB"]))

    assert all(p is not None and p > 0.5 for p in figures.values())


LENGTHS: dict[Domain, list[float | None]] = {
    "text": [100, 200, 300, 400],
    "visual": [100, 100, 100, 100],
}
RATES = table([["AB"], ["AAB"], ["AAAB"], ["ABB"]], [["AB"], ["AAB"], ["AAAB"], ["ABB"]])


def test_epc_5_3_win_rate_goes_with_length_by_pearsons_correlation() -> None:
    """Rates 6, 8, 9, 4 twelfths, mean 6.75; lengths less their mean -3, -1, 1, 3 (times 50).

    The products sum to -3 x -0.75 - 1.25 + 2.25 - 3 x 2.75 = -5; the squares to 20 and 14.75.
    """
    figures = length_correlation(RATES, LENGTHS)

    assert figures == {"text": pytest.approx(-5 / (20 * 14.75) ** 0.5), "visual": None}


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        # Of rates 6, 8, 4 and lengths 1, 2, 4, less their means: 0, 2, -2 and -4/3, -1/3, 5/3.
        ([100, 200, None, 400], -4 / (8 * 14 / 3) ** 0.5),
        ([100, 200, None, None], None),  # two points always lie on a line
        ([None] * 4, None),
        ([7, 7, 7, 7], None),
    ],
)
def test_epc_5_3_correlation_takes_three_strategies_whose_answers_are_known(
    lengths: list[float | None], expected: float | None
) -> None:
    figures = length_correlation(RATES, {"text": lengths, "visual": lengths})

    assert figures["text"] == (None if expected is None else pytest.approx(expected))


def test_epc_5_3_a_strategy_that_only_tied_and_equal_rates_have_no_correlation() -> None:
    verdict_table = table(["At", "AB", "BA", "tt"], ["AA", "AA", "AA", "BA"])

    figures = length_correlation(verdict_table, dict.fromkeys(DOMAINS, (1, 2, 3, 4)))

    # Text: rates 1, 1/2, 1/2 at 1, 2, 3: -(1/2) / sqrt(2 x 1/6).
    assert figures["text"] == pytest.approx(-0.5 / (2 / 6) ** 0.5)
    # Visual: rates 1, 1, 1, 1/2 at 1 to 4: -(3/4) / sqrt(5 x 3/16).
    assert figures["visual"] == pytest.approx(-0.75 / (15 / 16) ** 0.5)
    assert length_correlation(
        table(["A", "A", "A"], ["B", "B", "B"]), dict.fromkeys(DOMAINS, (1, 2, 3))
    ) == {"text": None, "visual": None}


def test_no_verdict_at_all_has_no_figure_beside_the_word() -> None:
    nothing = VerdictTable(
        counts={domain: np.zeros((3, 8, 3), np.int64) for domain in DOMAINS}, repeated=True
    )
    units = units_of(nothing, "abc")

    assert tie_test(units).p_value == 1
    assert clusters(units) == {"text": None, "visual": None}
    assert length_correlation(nothing, dict.fromkeys(DOMAINS, (1, 2, 3))) == {
        "text": None,
        "visual": None,
    }


def test_reading_r74_how_sharply_a_task_tells_strategies_apart_shows_no_topic() -> None:
    """Six tasks rank the strategies alike, some of them more sharply: independent all the same."""
    ranking, sharp = np.array([-3, -1, 0, 4]) / 8, np.array([0.1, 0.9, 0.2, 1, 0.5, 0.3])
    shares = 0.5 + sharp[:, None] * ranking

    assert side_checks._shared_patterns(shares, np.random.default_rng(1)) == 1


def test_reading_r71_the_level_is_that_of_all_domains_together() -> None:
    assert clustered({"text": 0.005, "visual": 0.5}) == {"text": 0.005}
    assert clustered({"text": 0.0051, "visual": None}) == {}
    assert clustered({"text": 0.005, "visual": 0.001, "audio": 1.0}) == {"visual": 0.001}


def test_reading_r71_copies_of_tasks_that_nobody_declared_are_found() -> None:
    """Eight tasks, each asked a second time in other words: the same answers stand twice."""
    rng = random.Random(3)
    once = [["A" if rng.random() < 0.5 else "B" for _ in range(8)] for _ in range(11)]
    rows = ["".join(row) * 2 for row in once]
    others = ["".join("A" if rng.random() < 0.5 else "B" for _ in range(16)) for _ in rows]

    figures = clusters(units_of(table(rows, others), "abcdefghijk"))

    assert clustered(figures).keys() == {"text"}
