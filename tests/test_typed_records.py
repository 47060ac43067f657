"""A record is parsed once into its type; past that edge nobody indexes it by a string.

`untyped.txt` holds what is left to type: how many accesses by a string key a module, or a whole
room, has. A number can only fall. What is not listed has none.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import epc
from epc.analysis.verdicts_names import FIGURES, LABEL_FIGURES
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS, REFERENCE_DOMAINS

ROOT = Path(epc.__file__).parent
LIST = Path(__file__).with_name("untyped.txt")
MODULES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}
OF_JUDGES = ("pass_share", "mean_score", "error_correlation", "independent_judges")
# Keys of mappings that a type already holds: mypy checks them as literals.
WORDS = {
    *DIRECTIONS,
    *DOMAINS,
    *(phase.name for phase in REFERENCE_DOMAINS.every_phase),
    "A",
    "B",
    "tie",
    "missing",
    # Figures stand in mappings by the names that are published.
    *(*FIGURES, *LABEL_FIGURES, *OF_JUDGES),
}
# What a value that was parsed is called, and where it is called so.
OWN_ROOMS = {"registry", "site", "analysis"}
VALUES = {
    "manifest": {path.split("/")[0] for path in MODULES} - {"records"},
    "card": OWN_ROOMS,
    "event": OWN_ROOMS,
    "life": OWN_ROOMS,
    "statement": OWN_ROOMS,
}
# Tables' rows that are called so; what is wrong with documents that are none yet.
OTHER_ROWS = {
    "registry/checking.py",
}


def accesses(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield each access by a string key: its line, what is indexed, and the key."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=whose, slice=ast.Constant(value=str(key))):
                pass
            case ast.Call(
                func=ast.Attribute(value=whose, attr="get"), args=[ast.Constant(value=str(key)), *_]
            ):
                pass
            case _:
                continue
        name = ast.unparse(whose)
        if key not in WORDS and name not in ("Literal", "os.environ"):
            yield node.lineno, name.rpartition(".")[2], key


@cache
def accesses_by_module() -> dict[str, list[tuple[int, str, str]]]:
    """Return the accesses of each module."""
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in MODULES.items()}
    return {name: list(accesses(tree)) for name, tree in trees.items()}


def listed() -> dict[str, int]:
    rows = (line.split() for line in LIST.read_text("utf-8").splitlines())
    return {name: int(count) for count, name in rows}


def counted(left: dict[str, int]) -> Counter[str]:
    """Count accesses by the entry of the list that a module belongs to."""
    counts: Counter[str] = Counter()
    for name, lines in accesses_by_module().items():
        room = f"{name.partition('/')[0]}/"
        counts[room if room in left else name] += len(lines)
    return counts


def test_nothing_has_more_accesses_by_a_string_key_than_are_left_to_type() -> None:
    left = listed()

    assert {name: n for name, n in counted(left).items() if n > left.get(name, 0)} == {}


def test_the_list_names_only_what_is_left_to_type_in_order() -> None:
    left = listed()

    assert list(left) == sorted(left)
    assert [name for name in left if not counted(left)[name]] == []


def test_nobody_indexes_a_parsed_value_by_a_string() -> None:
    by_string = [
        f"{name}:{line}: {whose}[{key!r}]"
        for name, lines in accesses_by_module().items()
        for line, whose, key in lines
        if name.partition("/")[0] in VALUES.get(whose, ()) and name not in OTHER_ROWS
    ]

    assert by_string == []


def test_no_template_indexes_a_parsed_value_by_a_string() -> None:
    texts = {path.name: path.read_text("utf-8") for path in sorted(ROOT.rglob("templates/*.j2"))}

    assert [
        (n, value) for n, text in texts.items() for value in VALUES if f"{value}[" in text
    ] == []
