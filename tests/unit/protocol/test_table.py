"""Reading R38: the verdict table is all that a measurement knows of its evaluator."""

from epc.protocol.table import Cell, VerdictTable, tabulate
from epc.protocol.verdict import Verdict


def table(*said: tuple[int, int, Verdict], repeated: bool) -> VerdictTable:
    cells = [Cell(domain="text", strategy=s, task=t, verdict=v) for s, t, v in said]
    return tabulate(cells, strategies=2, tasks={"text": 2, "visual": 1}, repeated=repeated)


def test_reading_r38_a_fresh_run_counts_every_round() -> None:
    counted = table((1, 0, Verdict.A), (1, 0, Verdict.A), (1, 0, Verdict.TIE), repeated=False)

    assert counted.counts["text"][1, 0].tolist() == [2, 0, 1]
    assert counted.verdict_count() == 3
    assert counted.totals() == {Verdict.A: 2, Verdict.B: 0, Verdict.TIE: 1}


def test_reading_r72_missing_pair_is_no_tie_but_an_empty_cell() -> None:
    """That the table is whole tells a pair that nobody can ask from one that nobody has asked."""
    said = [Cell(domain="text", strategy=0, task=0, verdict=Verdict.TIE)]
    whole_verdict_table = tabulate(
        said, strategies=1, tasks={"text": 2, "visual": 1}, repeated=True, is_whole=True
    )

    assert whole_verdict_table.counts["text"][0].tolist() == [[0, 0, 1], [0, 0, 0]]
    assert whole_verdict_table.is_whole
    assert not table(repeated=True).is_whole


def test_reading_r38_a_verdict_that_was_reused_counts_once() -> None:
    counted = table((0, 1, Verdict.B), (0, 1, Verdict.B), (0, 0, Verdict.A), repeated=True)

    assert counted.counts["text"][0].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert counted.verdict_count() == 2
    assert counted.strategies == 2
    assert counted.tasks() == {"text": 2, "visual": 1}
