"""Every clause of both protocols and every reading has a test that is named after it."""

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLAUSES = [
    "epc_2_1",
    "epc_2_2",
    *(f"epc_2_3_{item}" for item in ("1", "2", "3", "4", "a", "b", "c", "d", "e")),
    *(f"epc_2_4_{item}" for item in "abc"),
    "epc_2_5_eq_1",
    *(f"epc_2_5_{item}" for item in "abcdefg"),
    *(f"epc_2_6_{item}" for item in "abcd"),
    "epc_2_8",
    *(f"epc_2_8_{item}" for item in range(1, 8)),
    *(f"reading_r{number}" for number in (*range(1, 17), *range(20, 24), 33, 39)),
    "epc_3",
    "epc_4",
    "epc_5_2",
    "epc_5_3_2",
    "epc_5_3_4",
    *(f"reading_r{number}" for number in (*range(40, 44), *range(53, 57))),
    # The judge protocol, numbered as site/docs/judge-protocol.md does.
    "judge_0",
    *(f"judge_1_{item}" for item in (1, 2)),
    "judge_2",
    "judge_2_5",
    *(f"judge_3_{item}" for item in range(1, 5)),
    *(f"judge_4_{item}" for item in range(1, 5)),
    *(f"judge_5_{item}" for item in range(1, 7)),
    *(f"judge_6_{item}" for item in range(1, 7)),
    *(f"judge_7_{item}" for item in range(1, 5)),
    *(f"judge_8_{item}" for item in range(1, 5)),
    *(f"judge_9_{item}" for item in (1, 2)),
]


@cache
def names() -> frozenset[str]:
    return frozenset(
        node.name.removeprefix("test_")
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@pytest.mark.parametrize("clause", CLAUSES)
def test_the_clause_has_a_test_of_its_own(clause: str) -> None:
    assert [name for name in names() if name == clause or name.startswith(f"{clause}_")]
