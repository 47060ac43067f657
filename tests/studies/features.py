"""Write the table of features in `site/docs/architecture.md`: to change a feature, look there.

`features.csv` has a row for a feature: its modules as patterns below `epc/`, its commands, its
page, and its tests as patterns below `tests/`. A module of no feature serves all of them and stands
in the last row. `tests/test_architecture.py` fails while the page says something else; this program
writes it again:

    .venv/bin/python tests/studies/features.py
"""

import csv
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from test_layers import MODULES, ROOMS, ROOT

REPOSITORY: Final = Path(__file__).parents[2]
TABLE: Final = Path(__file__).with_suffix(".csv")
PAGE: Final = REPOSITORY / "site" / "docs" / "architecture.md"
BEGIN: Final = "<!-- features: begin -->"
END: Final = "<!-- features: end -->"


class Feature(NamedTuple):
    """Feature of the program, a row of `features.csv`."""

    name: str
    modules: str
    commands: str
    page: str
    tests: str


with TABLE.open(encoding="utf-8", newline="") as _file:
    FEATURES: Final = tuple(Feature(**row) for row in csv.DictReader(_file))


def dotted(path: Path) -> str:
    """Return a module's path below `epc/`, without its ending."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


def modules() -> list[str]:
    """Return every module that stands in a room."""
    names = (dotted(path) for path in MODULES if path.name != "__init__.py")
    return [name for name in names if "/" in name]


def modules_of(feature: Feature) -> list[str]:
    """Return the modules of a feature, in the order of the rooms."""
    patterns = feature.modules.split()
    names = [name for name in modules() if any(fnmatch(name, pattern) for pattern in patterns)]
    return sorted(names, key=lambda name: (ROOMS.index(name.split("/")[0]), name))


def shared() -> list[str]:
    """Return the modules that belong to no feature alone."""
    taken = {name for feature in FEATURES for name in modules_of(feature)}
    return [name for name in modules() if name not in taken]


def by_room(names: list[str]) -> str:
    """Return modules in words: each room with its modules' names."""
    rooms: dict[str, list[str]] = {}
    for name in names:
        room, _, rest = name.partition("/")
        rooms.setdefault(room, []).append(f"`{rest}`")
    return "; ".join(f"{room}: {', '.join(rest)}" for room, rest in rooms.items())


def table() -> str:
    """Return the table in Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "| Feature | Modules by room | Command | Page | Tests |"
    yield "|---|---|---|---|---|"
    for feature in FEATURES:
        commands = ", ".join(f"`epc {name}`" for name in feature.commands.split(", ") if name)
        tests = ", ".join(f"`{pattern}`" for pattern in feature.tests.split())
        page = f"[{feature.page.removesuffix('.md')}]({feature.page})"
        rooms = by_room(modules_of(feature))
        yield f"| {feature.name} | {rooms} | {commands or '-'} | {page} | {tests} |"
    yield f"| All of them | {by_room(shared())} | - | - | - |"


def with_table(text: str) -> str:
    """Return a page with the table of today between its marks."""
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    return re.sub(pattern, lambda _: f"{BEGIN}\n\n{table()}\n{END}", text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
    print(PAGE)
