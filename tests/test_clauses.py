"""Every clause of both protocols and every reading has a test that is named after it.

The lists are read from where the project states them: the pages of site/docs, and what the code
names in its findings and docstrings. `EPC-2.3(c)` is tested by `test_epc_2_3_c_...`, Reading R31
by `test_reading_r31_...`. A test that runs by night alone counts for none of them.
"""

import ast
import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from test_documents import is_command

from epc.site.reference import CLAUSES as LIST
from epc.site.reference import clauses_page as page

TESTS = Path(__file__).parent
ROOT = TESTS.parent
DOCS = ROOT / "site" / "docs"
NAMED = re.compile(r"\b(EPC|JUDGE)-(\d+(?:\.\d+)*(?:\([a-z0-9]\))?(?: eq\. \(\d\))?)")


def in_a_name(clause: str) -> str:
    """Return a clause as a test's name has it: `EPC-2.5 eq. (1)` is `epc_2_5_eq_1`."""
    return "_".join(re.findall(r"[a-z]+|\d+", clause.lower()))


def of_the_protocol() -> Iterator[str]:
    """Yield the clauses of protocol.md: sections, numbered steps, and items in brackets."""
    page = (DOCS / "protocol.md").read_text("utf-8")
    _, *sections = re.split(r"^## (?=\d|A\.)", page, flags=re.MULTILINE)
    for section in sections:
        number, text = section.split(" ", 1)
        text = text.split("\n## ")[0]
        yield f"EPC-{number}"
        for equation in re.findall(r"Eq\. \((\d)\)", text):
            yield f"EPC-{number} eq. ({equation})"
        steps = re.findall(r"^(\d)\. ", text, flags=re.MULTILINE)
        for item in [*steps, *re.findall(r"(?<!Eq\. )\(([a-g]|\d)\)", text)]:
            yield f"EPC-{number}({item})"


def of_the_judge_protocol() -> Iterator[str]:
    """Yield the clauses of judge-protocol.md, each a row of a table."""
    page = (DOCS / "judge-protocol.md").read_text("utf-8")
    for number in re.findall(r"^\| (\d(?:\.\d)?) \|", page, flags=re.MULTILINE):
        yield f"JUDGE-{number}"


def of_the_code() -> Iterator[str]:
    """Yield every clause that the program cites."""
    for path in sorted((ROOT / "epc").rglob("*.py")):
        for protocol, clause in NAMED.findall(path.read_text("utf-8")):
            yield f"{protocol}-{clause}"


def readings() -> list[str]:
    """Return the readings of readings.md, each a row of its table: `R31`."""
    page = (DOCS / "readings.md").read_text("utf-8")
    return re.findall(r"^\| (R\d+) \|", page, flags=re.MULTILINE)


ARGUES = {"EPC-2.7"}  # not normative: it gives reasons, which no test can hold
CLAUSES = sorted({*of_the_protocol(), *of_the_judge_protocol(), *of_the_code()} - ARGUES)


def listed_clauses() -> list[tuple[str, str, str]]:
    """Return the list of clauses, each with a command and a page that show it."""
    _, *rows = csv.reader((DOCS / LIST).read_text("utf-8").splitlines())
    return [(clause, command, page) for clause, command, page in rows]


def test_the_page_of_clauses_names_every_clause_once_in_order() -> None:
    stated = [*dict.fromkeys([*of_the_protocol(), *of_the_judge_protocol()])]

    assert [clause for clause, _, _ in listed_clauses()] == stated
    assert len(stated) == 98
    table = page(DOCS).split("|---|---|---|\n")[1].splitlines()
    assert [row.split(" | ")[0].removeprefix("| ") for row in table] == stated


def test_each_clause_is_shown_by_a_command_and_a_page_that_exist() -> None:
    assert [row for row in listed_clauses() if not is_command(row[1].split()[1:])] == []
    assert [row for row in listed_clauses() if not (DOCS / row[2]).is_file()] == []


def functions() -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def quicker_test(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Return the test that a `nightly` mark names; None of a test that has no such mark."""
    for mark in function.decorator_list:
        if ast.unparse(mark).startswith("pytest.mark.nightly"):
            assert isinstance(mark, ast.Call), f"{function.name} names no quicker test"
            (name,) = mark.args
            return str(ast.literal_eval(name))
    return None


@cache
def names() -> frozenset[str]:
    """Return the tests that `make check` runs."""
    return frozenset(
        function.name.removeprefix("test_")
        for function in functions()
        if function.name.startswith("test_") and quicker_test(function) is None
    )


def named_after(name: str) -> list[str]:
    return [
        known_name
        for known_name in names()
        if known_name == name or known_name.startswith(f"{name}_")
    ]


def test_every_clause_and_every_reading_has_a_test_of_its_own() -> None:
    assert [clause for clause in CLAUSES if not named_after(in_a_name(clause))] == []
    assert [number for number in readings() if not named_after(f"reading_{number.lower()}")] == []


def test_what_is_left_to_the_night_is_walked_by_a_quicker_test_in_make_check() -> None:
    named = {function.name: quicker_test(function) for function in functions()}
    left = {name: quicker for name, quicker in named.items() if quicker}

    assert {n: q for n, q in left.items() if q.removeprefix("test_") not in names()} == {}
    assert len(left) >= 3


def test_the_lists_are_read_whole() -> None:
    """A page that is written otherwise must not empty a list: some of each, by hand."""
    named = {in_a_name(clause) for clause in CLAUSES}

    assert {"epc_2_3_4", "epc_2_3_e", "epc_2_5_g", "epc_2_5_eq_1", "epc_2_8_7"} <= named
    assert {"judge_0", "judge_2_5", "judge_9_2", "epc_4"} <= named
    assert {"epc_5_1_5", "epc_5_3_6", "epc_a_3"} <= named
    assert {"R1", "R31", "R36", "R76"} <= set(readings())


def test_no_test_of_a_reading_is_named_in_another_way() -> None:
    assert [name for name in names() if re.match(r"r\d+_", name)] == []
