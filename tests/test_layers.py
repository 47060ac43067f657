"""The layering of the house: a module imports only from its left, never a sibling.

spec -> statistics -> protocol -> simulation -> audit | judge
  -> records -> analysis -> report | engine | registry -> site | api -> cli
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import epc

ROOT = Path(epc.__file__).parent
# From left to right: a room imports from itself and from rooms to its left, besides `epc.errors`.
ROOMS = (
    "spec",
    "statistics",
    "protocol",
    "simulation",
    "audit",
    "judge",
    "records",
    "analysis",
    "report",
    "engine",
    "registry",
    "site",
    "api",
    "cli",
)
# Rooms that do not meet, although one stands to the left of the other.
APART = {
    "judge": {"statistics", "protocol", "simulation", "audit"},
    "engine": {"report"},
    "registry": {"report", "engine"},
    "api": {"site"},
}
ALLOWED = {room: set(ROOMS[:place]) - APART.get(room, set()) for place, room in enumerate(ROOMS)}
PURE = ("spec", "statistics", "protocol", "simulation", "audit", "judge")
# Modules through which a file, a clock, the environment or a random state could be reached.
IMPURE = {"os", "io", "pathlib", "time", "datetime", "random", "secrets", "subprocess", "socket"}
IMPURE_CALLS = {"open", "input", "print", "exec", "eval"}
MODULES = sorted(ROOT.rglob("*.py"))


def layer_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else ""


def dotted(path: Path) -> str:
    return ".".join(("epc", *path.relative_to(ROOT).with_suffix("").parts))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_every_folder_is_a_known_layer() -> None:
    assert {layer_of(path) for path in MODULES} - {""} <= set(ALLOWED)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_its_left(path: Path) -> None:
    layer = layer_of(path)
    if not layer:  # epc/__init__.py, errors.py and their like stand outside the layers
        return
    for name in imports(path):
        if name.startswith("epc."):
            target = name.split(".")[1]
            if target in ALLOWED:
                assert target == layer or target in ALLOWED[layer], f"{layer} imports {name}"


def test_no_imports_run_in_a_circle_not_even_inside_functions_or_for_types() -> None:
    names = {".".join(("epc", *path.relative_to(ROOT).with_suffix("").parts)) for path in MODULES}
    names = {name.removesuffix(".__init__") for name in names}
    order = TopologicalSorter[str]()
    for path in MODULES:
        name = ".".join(("epc", *path.relative_to(ROOT).with_suffix("").parts))
        order.add(name.removesuffix(".__init__"), *names.intersection(imports(path)) - {"epc"})

    order.prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in MODULES
        if layer_of(path) in PURE or path.name in ("arrays.py", "json_text.py", "printable.py")
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_pure_code_reaches_no_file_clock_or_random_state(path: Path) -> None:
    for name in imports(path):
        assert name.split(".")[0] not in IMPURE, f"imports {name}"
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in IMPURE_CALLS, f"calls {called}"
            if called.endswith("default_rng"):
                assert node.args, "a generator without a seed is a random state of its own"


# Modules of an impure layer that are pure themselves: they may do arithmetic on days, and on
# nothing else that a clock could reach.
PURE_MODULES = [
    ROOT / "registry" / f"{name}.py"
    for name in (
        "tags",
        "lifecycles",
        "snapshots",
        "expiry",
        "registry",
        "figures",
        "listing",
        "sync",
        "endings",
        "names",
        "named",
        "lists",
        "catalogue",
        "platforms",
        "record",
        "kinds/table",
        "subjects",
    )
]
DAYS = {"datetime", "datetime.date", "datetime.timedelta"}


@pytest.mark.parametrize("path", PURE_MODULES, ids=lambda path: path.name)
def test_pure_modules_of_the_registry_reach_no_file_or_clock(path: Path) -> None:
    siblings = {*map(dotted, PURE_MODULES), "epc.registry.layout"}
    registry = {dotted(module) for module in MODULES if layer_of(module) == "registry"}
    for name in imports(path):
        assert name.split(".")[0] not in IMPURE or name in DAYS, f"imports {name}"
        assert name not in registry - siblings, f"imports {name}, which is not pure"
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in IMPURE_CALLS, f"calls {called}"
            assert not called.endswith((".today", ".now", ".fromtimestamp")), f"calls {called}"


def test_only_the_command_line_imports_click_or_prints() -> None:
    for path in MODULES:
        if layer_of(path) != "cli":
            assert "click" not in set(imports(path)), path
            calls = [
                n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)
            ]
            assert not [c for c in calls if ast.unparse(c.func) == "print"], path


def test_errors_and_the_handling_of_text_stand_left_of_everything() -> None:
    none = set[str]()
    stands = dict.fromkeys(("arrays.py", "errors.py", "printable.py"), none)
    stands |= {"json_text.py": {"epc.errors"}}
    for name, allowed in stands.items():
        found = {name for name in imports(ROOT / name) if name.startswith("epc.")}
        assert {".".join(name.split(".")[:2]) for name in found} <= allowed, name
