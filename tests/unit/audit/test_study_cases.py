"""The studies' cases are what their names say, since a page shows nothing else of them."""

import re

import pytest
from studies.words.cases import CASES, COVERED_DOMAINS, EXPENSIVE, UNDECLARED

NAMES = tuple(CASES)


def stated(pattern: str, name: str) -> list[tuple[str, ...]]:
    """Return what each match of a pattern with groups in a name says."""
    return [match.groups() for match in re.finditer(pattern, name)]


@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_the_tasks_strategies_and_rounds_of_its_name(name: str) -> None:
    case, tasks = CASES[name], (8, 8)
    for first, second in stated(r"\b(\d+)(?: and (\d+))? tasks", name):
        tasks = (int(first), int(second or first))
    for (topics,) in stated(r"(two|8) topics of 4", name):
        tasks = (4 * (2 if topics == "two" else int(topics)),) * 2
        assert (case.topic, case.declared) == (4, not name.endswith("undeclared"))
    if name == "8 tasks, interaction sd 2, and 40":
        tasks = (8, 40)

    assert case.tasks == tasks
    assert case.strategies == next((int(n) for (n,) in stated(r"(\d+) strategies", name)), 11)
    assert case.rounds == next((int(n) for (n,) in stated(r"(\d+) rounds", name)), 30)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_the_ties_flips_noise_gaps_and_shift_of_its_name(name: str) -> None:
    case = CASES[name]
    ties = [(int(a) / 100, int(b) / 100) for a, b in stated(r"ties (\d+) and (\d+)%", name)]
    ties += [(int(n) / 100,) * 2 for (n,) in stated(r"(\d+)% ties", name)]

    assert case.ties == (ties[0] if ties else (0, 0))
    assert case.flips == next((int(n) / 100 for (n,) in stated(r"flips (\d+)%", name)), None)
    assert case.noise == (1, next((int(n) for (n,) in stated(r"noise x(\d+)", name)), 1))
    assert case.missing == next((int(n) / 100 for (n,) in stated(r"lack (\d+)%", name)), 0)
    assert case.shift == next((int(n) for (n,) in stated(r"baseline \+(\d+) logit", name)), 0)
    assert case.apart == next((float(n) for (n,) in stated(r"scattered, sd ([\d.]+)", name)), 0)


@pytest.mark.parametrize("name", [name for name in NAMES if "interaction sd" in name])
def test_a_case_has_the_interaction_of_its_name(name: str) -> None:
    ((spread,),) = stated(r"interaction sd ([\d.]+)", name)

    second = 0 if name.endswith("and 40") else float(spread)
    assert CASES[name].interaction == (float(spread), second)


@pytest.mark.parametrize("name", [name for name in NAMES if "ranking" in name])
def test_a_case_of_one_ranking_has_strengths_of_spread_1_and_of_a_fixed_one_no_doubt(
    name: str,
) -> None:
    case = CASES[name]

    assert (case.evaluator, case.apart) == ("coin-flip", 0)
    assert case.ranking == 1 if name.startswith("one ranking") else case.ranking >= 1000


@pytest.mark.parametrize("name", [name for name in NAMES if "task effects sd" in name])
def test_a_case_has_the_task_effects_of_its_name(name: str) -> None:
    ((spread,),) = stated(r"task effects sd (\d+)", name)

    assert CASES[name].effects == int(spread)


@pytest.mark.parametrize("name", [name for name in NAMES if re.search(r"0\.\d+/0", name)])
def test_a_case_has_the_favourites_of_its_name(name: str) -> None:
    ((high, low),) = stated(r"(0\.\d+)/(0\.\d+)", name)

    assert CASES[name].evaluator.endswith(f":high={high},low={low}")


def test_every_case_that_is_singled_out_is_one() -> None:
    assert {*EXPENSIVE, *UNDECLARED, *COVERED_DOMAINS} <= CASES.keys()
