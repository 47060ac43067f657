"""What crosses between two domains a second time: by hand, and against the first implementation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from numpy.random import default_rng
from observed_support import columns, verdict
from oracle import observed_crossing
from oracle.observed import disagreements
from oracle.observed_crossing import crossing

from epc.analysis.observed import measure
from epc.records.observed.converting import digest
from epc.records.typed import as_json

Cells = dict[tuple[str, object], list[int]]

WON, LOST, TIED = [1, 0, 0], [0, 1, 0], [0, 0, 1]


def side(tasks: int, **said: Sequence[int]) -> Cells:
    """Return a domain in which each strategy has one result on all tasks."""
    return {(name, task): list(each) for name, each in said.items() for task in range(tasks)}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn few wheels: what is worked out by hand holds for any number of them."""
    for name in ("_WHEELS", "_OF_A_PART"):
        monkeypatch.setattr(observed_crossing, name, 8)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("tasks", "method", "splits", "word"),
    [
        ((3, 4), "permutation", 35, "no_coupling_beyond_margin"),
        ((3, 3), "permutation", 10, "inconclusive"),  # 20, of which mirrors are one
        ((2, 5), "jackknife", 21, "no_coupling_beyond_margin"),
        ((1, 2), "permutation", 3, "inconclusive"),  # twice as many are permuted still
        ((1, 3), "jackknife", 4, "inconclusive"),
    ],
)
def test_reading_r71_where_both_domains_rank_alike_nothing_crosses(
    tasks: tuple[int, int], method: str, splits: int, word: str
) -> None:
    """Both agents take the same steps: no figure has a value or a width, and p is 1.

    Only training twice helps, against training once in the same domain.
    """
    sides = {name: side(count, p=WON, q=LOST) for name, count in zip("xy", tasks, strict=True)}

    found = crossing(sides, ["p", "q"])

    test = {"p_value": 1.0, "unit": "task", "method": method, "splits": splits}
    assert (found["test"], found["word"]) == (test, word)
    for into in found["directions"].values():
        for name in ("redirected", "regret", "crossing"):
            assert into[name] == pytest.approx(0, abs=1e-12)
            known = min(tasks) > 1
            nothing = pytest.approx([0, 0], abs=1e-12) if known else None
            assert into[f"{name}_ci95"] == nothing
        assert into["harm"] < 0


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("tasks", "word"), [((4, 4), "coupled"), ((3, 3), "inconclusive")])
def test_reading_r71_a_favourite_in_each_domain_is_coupled(
    tasks: tuple[int, int], word: str
) -> None:
    """Of 35 ways to deal 8 tasks out only this one parts the favourites, of 10 for 6 as well."""
    sides = {"x": side(tasks[0], p=WON, q=LOST), "y": side(tasks[1], p=LOST, q=WON)}

    found = crossing(sides, ["p", "q"])

    assert found["test"]["p_value"] == pytest.approx(1 / found["test"]["splits"])
    assert found["word"] == word
    for into in found["directions"].values():
        # Two strategies, of which one always wins: a choice led away from it costs a whole win.
        assert into["regret"] == pytest.approx(into["redirected"], abs=1e-9)
        assert 0.02 < into["regret"] < 1
        assert into["redirected_ci95"][1] <= 1


@pytest.mark.usefixtures("few")
def test_reading_r72_what_too_little_was_decided_on_is_left_out_and_named() -> None:
    """q is decided on one task of four, task 3 for no strategy that is kept."""
    sides: dict[str, Mapping[tuple[str, object], Sequence[int]]] = {
        "x": side(4, p=WON, r=LOST) | {("q", task): TIED for task in range(1, 4)} | {("q", 0): WON},
        "y": side(4, p=WON, q=WON, r=LOST) | {(name, 3): TIED for name in "pqr"},
    }

    found = crossing(sides, ["p", "q", "r"])

    assert found["left_out_strategies"] == ["q"]
    assert found["left_out_tasks"] == {"x": 0, "y": 1}
    assert found["test"]["splits"] == 35  # of four tasks and three


@pytest.mark.parametrize(
    "sides",
    [
        # Of eight verdicts one is decided, which is less than a quarter.
        {"x": side(2, p=TIED, q=TIED) | {("p", 0): WON}, "y": side(2, p=TIED, q=TIED)},
        # A single strategy is left.
        {"x": side(4, p=WON, q=TIED), "y": side(4, p=LOST, q=TIED)},
    ],
)
def test_reading_r72_where_too_little_is_decided_there_are_no_figures(
    sides: dict[str, Cells],
) -> None:
    found = crossing(sides, ["p", "q"])

    assert found["word"] == "inconclusive"
    assert (found["test"], found["directions"], found["detectable"]) == (None, None, None)


def test_reading_r74_blocks_are_of_one_domain_each_and_leave_no_unit_out() -> None:
    """Of 17 units there are 16 blocks, of which the first has two."""
    first, second = observed_crossing._blocks((3, 17))

    assert first == [[0], [1], [2]]
    assert sorted(unit for block in second for unit in block) == [*range(3, 20)]
    assert [len(block) for block in second] == [2] + [1] * 15


def drawn(*tasks: int) -> Iterator[dict[str, Any]]:
    """Yield verdicts on three writers against a fourth, of which each domain likes another."""
    rng = default_rng(11)
    for subset, count, rates in zip("xy", tasks, ((0.9, 0.5, 0.3), (0.3, 0.6, 0.8)), strict=True):
        for task in range(count):
            for writer, rate in zip("pqr", rates, strict=True):
                said = "tie" if rng.random() < 0.1 else "a" if rng.random() < rate else "b"
                stated = {"a_by": writer, "b_by": "base", "subset": subset}
                question = digest(f"{subset}{task}")
                item = f"{subset}{task}{writer}"
                yield verdict(item, "a", said, question_sha256=question, **stated)


def test_reading_r77_both_implementations_see_the_same_cross() -> None:
    """Three tasks against 17, which are 16 blocks: by the spread of what crosses (Reading R71)."""
    header, verdicts = columns(*drawn(3, 17))
    report = measure(header, verdicts)

    (group,) = report.groups
    assert group.transfer is not None
    assert group.transfer.test is not None
    assert (group.transfer.test.method, group.transfer.domains) == ("jackknife", {"x": 3, "y": 17})
    assert [*disagreements(as_json(report), header, verdicts)] == []


@pytest.mark.usefixtures("few")
def test_reading_r72_a_pair_without_a_verdict_won_lost_and_tied_nothing() -> None:
    sides = {"x": side(4, p=WON, q=LOST), "y": side(4, p=LOST, q=WON)}
    del sides["x"]["p", 0]
    stated = {"x": {**sides["x"], ("p", 0): [0, 0, 0]}, "y": sides["y"]}

    assert crossing(sides, ["p", "q"]) == crossing(stated, ["p", "q"])
