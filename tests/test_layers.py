"""The layering of the house: a module imports only from its left, never a sibling.

spec -> statistics -> protocol -> simulation -> audit | judge
  -> records -> analysis -> report | engine | registry -> answers -> site | api -> cli
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

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
    "answers",
    "site",
    "api",
    "cli",
)
# Rooms that do not meet, although one stands to the left of the other.
APART = {
    "judge": {"statistics", "protocol", "simulation", "audit"},
    "engine": {"report"},
    "registry": {"report", "engine"},
    "answers": {"report", "engine"},
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


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Return every node of a module's imports and calls: what these tests look at."""
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    return [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)]


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield what a module calls: a function's name, or a dot and a method's."""
    for node in nodes(path):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                yield name, node
            case ast.Call(func=ast.Attribute(attr=name)):
                yield f".{name}", node


def test_every_folder_is_a_known_layer() -> None:
    assert {layer_of(path) for path in MODULES} - {""} <= set(ALLOWED)


def test_a_module_imports_only_from_its_left() -> None:
    for path in MODULES:
        layer = layer_of(path)
        if not layer:  # epc/__init__.py, errors.py and their like stand outside the layers
            continue
        for name in imports(path):
            room, _, target = name.partition(".")
            target = target.partition(".")[0]
            if room == "epc" and target in ALLOWED:
                assert target == layer or target in ALLOWED[layer], f"{path} imports {name}"


def test_no_imports_run_in_a_circle_not_even_inside_functions_or_for_types() -> None:
    names = {".".join(("epc", *path.relative_to(ROOT).with_suffix("").parts)) for path in MODULES}
    names = {name.removesuffix(".__init__") for name in names}
    order = TopologicalSorter[str]()
    for path in MODULES:
        name = ".".join(("epc", *path.relative_to(ROOT).with_suffix("").parts))
        order.add(name.removesuffix(".__init__"), *names.intersection(imports(path)) - {"epc"})

    order.prepare()  # raises CycleError, which names the circle


def test_pure_code_reaches_no_file_clock_or_random_state() -> None:
    beside = {"arrays.py", "json_text.py", "printable.py"}
    for path in (path for path in MODULES if layer_of(path) in PURE or path.name in beside):
        for name in imports(path):
            assert name.split(".")[0] not in IMPURE, f"{path} imports {name}"
        for called, node in calls(path):
            assert called not in IMPURE_CALLS, f"{path} calls {called}"
            # A generator without a seed is a random state of its own.
            assert node.args or not called.endswith("default_rng"), path


# Modules of an impure layer that are pure themselves: they may do arithmetic on days, and on
# nothing else that a clock could reach.
PURE_MODULES = [
    ROOT / "registry" / f"{name}.py"
    for name in (
        "tags",
        "lifecycles",
        "snapshots",
        "intervals",
        "expiry",
        "registry",
        "figures",
        "comparison",
        "listing",
        "sync",
        "keys",
        "endings",
        "names",
        "families",
        "lists",
        "platforms",
        "record",
        "kinds/table",
        "subjects",
    )
] + [
    ROOT / "answers" / f"{name}.py"
    for name in (
        *("choose", "types", "resolve", "service", "snapshot_status", "subjects", "turns"),
        "words",
    )
]
DAYS = {"datetime", "datetime.date", "datetime.timedelta"}


def test_pure_modules_of_the_registry_and_answers_reach_no_file_or_clock() -> None:
    siblings = {*map(dotted, PURE_MODULES), "epc.registry.layout"}
    others = {dotted(module) for module in MODULES if layer_of(module) == "registry"} - siblings
    for path in PURE_MODULES:
        for name in imports(path):
            assert name.split(".")[0] not in IMPURE or name in DAYS, f"{path} imports {name}"
            assert name not in others, f"{path} imports {name}, which is not pure"
        for called, _ in calls(path):
            assert called not in IMPURE_CALLS, f"{path} calls {called}"
            assert called not in {".today", ".now", ".fromtimestamp"}, f"{path}: {called}"


def test_only_the_command_line_imports_click_or_prints() -> None:
    for path in MODULES:
        if layer_of(path) != "cli":
            assert "click" not in set(imports(path)), path
            assert "print" not in {called for called, _ in calls(path)}, path


def test_errors_and_the_handling_of_text_stand_left_of_everything() -> None:
    none = set[str]()
    stands = dict.fromkeys(("arrays.py", "errors.py", "printable.py"), none)
    stands |= {"json_text.py": {"epc.errors"}}
    for name, allowed in stands.items():
        found = {name for name in imports(ROOT / name) if name.startswith("epc.")}
        assert {".".join(name.split(".")[:2]) for name in found} <= allowed, name


# Property P1: a surface prints what `epc.answers` decides. These decide: until when a life or a
# snapshot holds, what a name means, which judges are listed, which figure comes first.
SURFACES = ("report", "site", "api", "cli")
DECIDERS = {
    *("of_life", "of_tag", "of_evaluator", "of_snapshot", "of_list", "measured_life"),
    *("followed", "newest", "short_list", "ways_reaching", "alternatives"),
}
KERNELS = {
    *(f"epc.registry.expiry.{name}" for name in ("of_evaluator", "of_snapshot", "of_list")),
    *(f"epc.analysis.choosing.{name}" for name in ("short_list", "ways_reaching", "alternatives")),
    *("epc.registry.names.followed", "epc.registry.families.newest"),
    "epc.analysis.headline.headline",
}
# Comparisons of a status in a surface: each picks words, a colour or what is listed. None may come.
STATUS_COMPARISONS = {
    "api/pytest_plugin.py": 1,
    "cli/expiry.py": 2,
    "cli/show.py": 1,
    "registry/exports.py": 4,
    "site/charts/lifeline.py": 3,
    "site/front.py": 1,
    "site/guessing.py": 2,
    "site/pages.py": 2,
    "site/profile.py": 2,
    "site/social.py": 2,
    "site/templating.py": 2,
}


def surface_modules() -> list[Path]:
    exports = ROOT / "registry" / "exports.py"  # feeds, badges and calendars are handed answers
    return [path for path in MODULES if layer_of(path) in SURFACES or path == exports]


def status_comparisons(path: Path) -> int:
    """Count the comparisons of something's `status` in a module."""
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    compared = ([node.left, *node.comparators] for node in tree if isinstance(node, ast.Compare))
    return sum(
        any(isinstance(side, ast.Attribute) and side.attr == "status" for side in sides)
        for sides in compared
    )


def test_property_p1_no_surface_decides_what_the_answers_decide() -> None:
    deciding = set()
    for path in surface_modules():
        place = path.relative_to(ROOT).as_posix()
        called = {name.removeprefix(".") for name, _ in calls(path)}
        deciding |= {f"{place}: {name}" for name in called & DECIDERS}
        text = path.read_text("utf-8")
        deciding |= {f"{place}: {name}" for name in DECIDERS if f"registry.{name}" in text}
        deciding |= {f"{place}: {name}" for name in KERNELS.intersection(imports(path))}

    assert deciding == set()


def test_property_p1_no_further_surface_compares_a_status() -> None:
    counts = {path.relative_to(ROOT).as_posix(): status_comparisons(path)
              for path in surface_modules()}  # fmt: skip
    assert {place: count for place, count in counts.items() if count} == STATUS_COMPARISONS
