"""Where a module can be mutated: what it computes, and not what it says or declares.

Comparisons and their boundaries, constants one up and one down, `and` and `or`, `not`, arithmetic
and what is returned; no annotation, decorator, message, assertion or import.
"""

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
SAID = {"Finding", "finding", "TypeVar", "cast", "_finding"}  # calls that hold messages or types
HOW = {"strict", "stacklevel", "encoding", "slots", "kw_only", "frozen"}  # not what is computed


class Site(NamedTuple):
    """A place to mutate in a module's tree, and what does it."""

    line: int
    kind: str
    node: ast.AST
    plant: Callable[[], None]


def living(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below that compute something: no annotation, message or decorator."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or is_said(child):
                continue
            yield child
            yield from living(child)


def is_said(node: ast.AST) -> bool:
    """Whether a node is a message, an assertion, an import or a choice that computes nothing."""
    match node:
        case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in SAID
        case ast.keyword(arg=name):
            return name in HOW
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def sites(tree: ast.AST) -> list[Site]:
    """Return every place that can be mutated, in an order that a second parse repeats."""
    return [site for node in living(tree) for site in of_node(node)]


def of_node(node: ast.AST) -> Iterator[Site]:
    """Yield what can be planted at one node."""
    site = partial(Site, getattr(node, "lineno", 0), node=node)
    match node:
        case ast.Compare():
            for index, op in enumerate(node.ops):
                other = COMPARISONS[type(op)]()
                yield site(kind="comparison", plant=partial(node.ops.__setitem__, index, other))
        case ast.BoolOp():
            other_bool = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield site(kind="and/or", plant=partial(setattr, node, "op", other_bool))
        case ast.UnaryOp(op=ast.Not()):
            twice = ast.UnaryOp(op=ast.Not(), operand=node.operand)
            yield site(kind="not", plant=partial(setattr, node, "operand", twice))
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC and not of_text(node):
            turned = ARITHMETIC[type(node.op)]()
            yield site(kind="arithmetic", plant=partial(setattr, node, "op", turned))
        case ast.Constant(value=bool() as flag):
            yield site(kind="constant", plant=partial(setattr, node, "value", not flag))
        case ast.Constant(value=int() | float() as number):
            for step in (1, -1):
                yield site(kind="constant", plant=partial(setattr, node, "value", number + step))
        case ast.Return(value=value) if value and ast.unparse(value) != "None":
            nothing = ast.Constant(value=None)
            yield site(kind="return", plant=partial(setattr, node, "value", nothing))


def of_text(node: ast.AST) -> bool:
    """Return whether an operator joins or fills text."""
    return any(
        isinstance(part, ast.JoinedStr) or isinstance(getattr(part, "value", None), str)
        for part in ast.iter_child_nodes(node)
    )
